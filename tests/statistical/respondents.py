"""People of many kinds, written from their descriptions alone: nothing of the search is shared."""

import numpy as np


def systems(share, seed, n=1500):
    """Return labels and calibrated scores of a good classifier with this share of positives.

    Of more cases where positives are rare: of at least thirty positives.
    """
    n = max(n, round(30 / share))
    rng = np.random.default_rng([seed, round(1000 * share)])
    truth = np.arange(n) < round(n * share)
    x = rng.normal(size=n) + 2.2 * truth
    odds = np.log(share / (1 - share)) + 2.2 * x - 2.2**2 / 2
    return truth, 1 / (1 + np.exp(-odds))


def by(value, *, band=0.0):
    """Choose by a value of (misses, alarms, positives, negatives), greater is better."""

    def choose(first, second, _number):
        gap = _of(value, first) - _of(value, second)
        return "same" if abs(gap) <= band + 1e-12 else "first" if gap > 0 else "second"

    return choose


def _of(value, matrix):
    return value(
        float(matrix.false_negatives), float(matrix.false_positives),
        float(matrix.positives), float(matrix.negatives),
    )  # fmt: skip


def linear(a0):
    return lambda miss, alarm, p, n: -((1 - a0) * miss + a0 * alarm) / (p + n)


def f_beta(beta):
    b = beta**2
    return lambda miss, alarm, p, n: (
        (1 + b) * (p - miss) / max((1 + b) * (p - miss) + b * miss + alarm, 1e-9)
    )


def cap(share):
    return lambda miss, alarm, p, n: (
        1 - alarm / (p + n) if miss <= share * (p + n) * (1 + 1e-9) else -miss / (p + n)
    )


def alarm_cap(share):
    return lambda miss, alarm, p, n: (
        1 - miss / (p + n) if alarm <= share * (p + n) * (1 + 1e-9) else -alarm / (p + n)
    )


def satisfice(misses, alarms):
    return lambda miss, alarm, p, n: (
        -(max(miss / (p + n) - misses, 0.0) + max(alarm / (p + n) - alarms, 0.0))
    )


def power(ratio, exponent):
    return lambda miss, alarm, p, n: (
        -(ratio * (miss / (p + n)) ** exponent + (alarm / (p + n)) ** exponent)
    )


def geometric(miss, alarm, p, n):
    return ((1 - miss / p) * (1 - alarm / n)) ** 0.5


class Person:
    """A kind of respondent: what they value (None: nothing), and how they answer."""

    def __init__(self, value, choose):
        self.value, self._choose, self._number = value, choose, 0

    def __call__(self, first, second):
        self._number += 1
        return self._choose(first, second, self._number)


def flipping(choose, share, rng):
    other = {"first": "second", "second": "first", "same": "same"}

    def slip(first, second, number):
        choice = choose(first, second, number)
        return other[choice] if rng.random() < share else choice

    return slip


def logistic(value, s, rng):
    def choose(first, second, _number):
        gap = 100 * s * (_of(value, first) - _of(value, second))
        return "first" if rng.random() < 1 / (1 + np.exp(-np.clip(gap, -50, 50))) else "second"

    return choose


def tiring(choose, rng, *, half_life=12):
    """Attention falls: after so many answers half of the answers are clicks at random."""

    def tired(first, second, number):
        if rng.random() > 0.5 ** (number / half_life):
            return str(rng.choice(["first", "second"]))
        return choose(first, second, number)

    return tired


def switching(one, other, *, at):
    return lambda first, second, number: (one if number <= at else other)(first, second, number)


def make(kind, rng, share):
    """Return one person of a kind; `share` is that of the positives.

    Below a tenth, a miss may weigh as much more as positives are rarer, and a limit is in cases
    of those shown: 1,000 or 10,000.
    """
    rarer, shown = min(1.0, share / 0.1), 100 if share >= 0.1 else 10 / share
    a0 = float(np.exp(rng.uniform(np.log(0.04 * rarer), np.log(0.5))))
    limit = float(rng.integers(1, max(2, round(0.3 * shown * share)) + 1)) / shown
    alarms = float(rng.integers(4, 21)) / 100
    values = {
        "linear": linear(a0),
        "F-beta": f_beta(float(rng.choice([0.5, 1.0, 2.0, 3.0]))),
        "cap on misses": cap(limit),
        "cap on false alarms": alarm_cap(alarms),
        "both limits": satisfice(limit, alarms),
        "square-root costs": power(float(rng.choice([1.0, 2.0, 4.0])), 0.5),
        "quadratic costs": power(float(rng.choice([2.0, 5.0, 20.0])), 2.0),
        "geometric mean": geometric,
    }
    if kind in values:
        person = Person(values[kind], by(values[kind]))
        person.a0 = a0 if kind == "linear" else None
        return person
    value = linear(a0)
    far = linear(1 / (1 + (1 - a0) / a0 * (8.0 if a0 > 0.14 * rarer else 0.125)))
    noisy = {
        "linear, 10 % flips": lambda: flipping(by(value), 0.1, rng),
        "linear, 20 % flips": lambda: flipping(by(value), 0.2, rng),
        "linear, logistic s = 1": lambda: logistic(value, 1.0, rng),
        "linear, logistic s = .3": lambda: logistic(value, 0.3, rng),
        "random clicks": lambda: lambda *_: str(rng.choice(["first", "second"])),
        "always left": lambda: lambda *_: "first",
        "tires": lambda: tiring(by(value), rng),
        "changes midway": lambda: switching(by(value), by(far), at=int(rng.integers(12, 19))),
        "mostly no preference": lambda: by(value, band=0.06),
    }
    chosen = noisy[kind]()
    is_nobody = kind in ("random clicks", "always left", "tires", "changes midway")
    person = Person(None if is_nobody else value, chosen)
    person.a0 = None if is_nobody else a0
    return person


FITTING = (
    "linear", "F-beta", "cap on misses", "cap on false alarms", "both limits",
    "square-root costs", "quadratic costs", "linear, 10 % flips", "linear, 20 % flips",
    "linear, logistic s = 1", "linear, logistic s = .3", "geometric mean",
)  # fmt: skip
NOT_FITTING = (
    "random clicks", "always left", "tires", "changes midway", "mostly no preference",
)  # fmt: skip
