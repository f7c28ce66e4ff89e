"""Scenarios of failures by kind, one person's at a time, and people who never were.

In: the kinds of failure, how many answers a scenario speaks of. Out: `FailureScenario`s drawn to
be informative, and simulated answers. Absent: fitting (`learn.failures`), wording (each study's).
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.failures import FailureScenario
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

Uniform = Callable[[int], FloatArray]  # so many numbers from 0 to 1
LEVELS = (0, 1, 2, 4)  # of 20
MOST_PER_PERSON = 8
# Where most people hesitate before anything is known: this share of the answers fails.
_BORDERLINE = (0.10, 0.35)
_STEEPNESS = 10.0  # logits per unit of the failing share, before anything is known
_PERSON_SD = 2.0  # logits by which people's leniency usually differs
_KNOWN_BEFORE = 0.005  # information per weight, much less than one answer gives
_POOL, _TRIED = 400, 40
_FLAWLESS_SHARE = 0.25


def failure_scenarios(
    kinds: Sequence[str],
    *,
    out_of: int = 20,
    per_person: int = 8,
    levels: Sequence[int] | None = None,
    random_state: RandomState = None,
) -> tuple[FailureScenario, ...]:
    """Draw one person's scenarios of failures.

    Counts come from `levels`, and kinds vary on their own. Half of the scenarios are
    borderline (10 to 35 % of the answers fail), and each one is, of forty drawn, the one expected
    to tell most about the weights given those before it (D-optimal, greedily). One person in four
    sees a scenario in which nothing fails.

    Parameters
    ----------
    kinds : sequence of str
        Names of the kinds of failure.
    out_of : int
        How many answers a scenario speaks of.
    per_person : int
        How many scenarios, at most 8: people tire. Fewer where levels and kinds allow no more.
    levels : sequence of int, optional
        The counts a kind may have; 0, 1, 2 and 4 of 20, in proportion, when left out.
    random_state : None, int or Generator

    Returns
    -------
    tuple of FailureScenario

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> shown = failure_scenarios(("wrong", "invented", "refused"), random_state=1)
    >>> len(shown), all(scenario.right >= 0 for scenario in shown)
    (8, True)
    """
    names = _checked_kinds(kinds)
    counts = checked_levels(levels, out_of)
    if not 1 <= per_person <= MOST_PER_PERSON:
        raise InputError(
            where="failure_scenarios, per_person",
            found=str(per_person),
            needed=f"1 to {MOST_PER_PERSON}",
            cure="Ask more people instead: they tire.",
        )
    rng, _ = generator_and_seed(random_state)
    return scenarios_by_chance(names, counts, out_of, per_person, rng.random)


def scenarios_by_chance(
    names: tuple[str, ...],
    levels: tuple[int, ...],
    out_of: int,
    per_person: int,
    uniform: Uniform,
) -> tuple[FailureScenario, ...]:
    """Draw one person's scenarios with whatever source of numbers from 0 to 1."""
    pool = _pool(len(names), levels, out_of, uniform)
    chosen = _informative(pool, out_of, per_person, uniform)
    nothing = np.zeros((1, len(names)), dtype=np.int64)
    if uniform(1)[0] < _FLAWLESS_SHARE and chosen.any(axis=1).all():
        chosen = np.concatenate([chosen[: per_person - 1], nothing])
    return tuple(
        FailureScenario(
            counts={name: int(n) for name, n in zip(names, row, strict=True)}, out_of=out_of
        )
        for row in chosen[np.argsort(uniform(len(chosen)))]
    )


def _checked_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    names = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if not names or len(set(names)) < len(names):
        raise InputError(
            where="kinds",
            found=", ".join(map(repr, names)) or "nothing",
            needed="at least one kind of failure, each under a name of its own",
            cure='Name them, for instance ("wrong", "invented", "refused").',
        )
    return names


def checked_levels(levels: Sequence[int] | None, out_of: int) -> tuple[int, ...]:
    """Return the counts a kind may have: those given, else the usual ones in proportion."""
    usual = (max(bool(level), round(level * out_of / 20)) for level in LEVELS)
    checked = tuple(sorted({int(level) for level in (usual if levels is None else levels)}))
    if out_of < 2 or len(checked) < 2 or checked[0] < 0 or checked[-1] > out_of:
        raise InputError(
            where="failure_scenarios",
            found=f"levels {list(checked)} of {out_of} answers",
            needed="at least two different counts from 0 to the number of answers",
            cure="Use for instance levels=(0, 1, 2, 4) and out_of=20.",
        )
    return checked


def _pool(
    n_kinds: int, levels: tuple[int, ...], out_of: int, uniform: Uniform
) -> NDArray[np.int64]:
    """Distinct rows of counts that do not exceed the answers."""
    known = np.array(levels, dtype=np.int64)
    if len(levels) ** n_kinds <= _POOL:
        drawn = np.stack([axis.ravel() for axis in np.meshgrid(*[known] * n_kinds)], axis=1)
    else:
        places = (uniform(_POOL * n_kinds) * len(known)).astype(np.intp)
        drawn = known[places].reshape(_POOL, n_kinds)
    return np.asarray(np.unique(drawn[drawn.sum(axis=1) <= out_of], axis=0))


def _informative(
    pool: NDArray[np.int64], out_of: int, wanted: int, uniform: Uniform
) -> NDArray[np.int64]:
    """Choose rows one after the other, each the most informative of a few, half borderline."""
    failing = pool.sum(axis=1) / out_of
    near = (failing >= _BORDERLINE[0]) & (failing <= _BORDERLINE[1])
    design = np.column_stack([np.ones(len(pool)), pool / max(pool.max(), 1)])
    known = _KNOWN_BEFORE * np.eye(design.shape[1])
    information = _information(failing)
    left = np.ones(len(pool), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < wanted and left.any():
        of_kind = left & near if len(chosen) % 2 == 0 else left
        candidates = np.flatnonzero(of_kind if of_kind.any() else left)
        tried = candidates[np.argsort(uniform(len(candidates)))[:_TRIED]]
        rows = design[tried]
        gain = information[tried] * np.einsum("ij,jk,ik->i", rows, np.linalg.inv(known), rows)
        best = int(tried[np.argmax(gain)])
        chosen.append(best)
        left[best] = False
        known += information[best] * np.outer(design[best], design[best])
    return np.asarray(pool[chosen])


def _information(failing: FloatArray) -> FloatArray:
    """How much one answer says: p (1 - p), averaged over people who differ in leniency.

    Were people alike, only scenarios near one failing share would inform, the counts would add up
    to nearly the same number everywhere, and the weight of all kinds together would stay unknown.
    """
    people = np.linspace(-4.0, 4.0, 33)
    share = np.exp(-0.5 * people**2)
    logit = -_STEEPNESS * (failing - np.mean(_BORDERLINE))
    # Not SciPy's function: a server that starts would load SciPy for it.
    accepting = 1.0 / (1.0 + np.exp(-(logit[:, None] + _PERSON_SD * people)))
    return np.asarray((accepting * (1.0 - accepting)) @ share / share.sum())


def simulate_failure_answers(
    weights: Mapping[str, float],
    *,
    level: float = 2.5,
    people: int,
    out_of: int = 20,
    per_person: int = 8,
    person_sd: float = 2.0,
    flawless: float = 0.0,
    application: str = "assistant",
    random_state: RandomState = None,
) -> Table:
    r"""Simulate answers about failures by people with known preferences.

    Somebody accepts with probability
    :math:`\operatorname{logit}^{-1}(b_0 - \sum_k w_k n_k + U)`, :math:`n_k` the number of answers
    that fail in that way.

    Parameters
    ----------
    weights : mapping
        Kind of failure to the logits lost per failing answer.
    level : float
        The logit :math:`b_0` of an average person just before anything fails.
    people, out_of, per_person
        See `failure_scenarios`.
    person_sd : float
        Standard deviation of people's leniency.
    flawless : float
        Added where nothing fails.
    application : str
        Its name in the table.
    random_state : None, int or Generator

    Returns
    -------
    Table
        participant, application, one column of counts per kind, accepted.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> answers = simulate_failure_answers({"wrong": 0.5, "invented": 2.0}, people=5,
    ...                                    random_state=1)
    >>> answers.columns
    ['participant', 'application', 'wrong', 'invented', 'accepted']
    """
    names = _checked_kinds(tuple(weights))
    rng, _ = generator_and_seed(random_state)
    shown = [
        failure_scenarios(names, out_of=out_of, per_person=per_person, random_state=rng)
        for _ in range(people)
    ]
    counts = np.array(
        [[one.counts[name] for name in names] for scenario in shown for one in scenario]
    )
    person = np.repeat(np.arange(people), [len(scenario) for scenario in shown])
    leniency = person_sd * rng.standard_normal(people)
    lost = counts @ np.array([weights[name] for name in names])
    center: FloatArray = level - lost + flawless * ~counts.any(axis=1) + leniency[person]
    accepted = rng.random(len(center)) < 1.0 / (1.0 + np.exp(-center))
    return Table(
        {
            "participant": np.array([f"p{number + 1}" for number in person], dtype=object),
            "application": np.full(len(center), application, dtype=object),
            **{name: counts[:, place] for place, name in enumerate(names)},
            "accepted": accepted,
        }
    )
