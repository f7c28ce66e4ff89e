"""Simulated studies of people who differ: parameters from the prior of `learn.segment_model`.

Segments with people of one alpha each; people with alphas of their own; what segments lose when
all are served one threshold, at a fixed truth.
"""

import warnings

import numpy as np
import pytest
from scipy.special import expit, logit
from tests.statistical.judging import expected_counts
from tests.statistical.tally import Tally

from howgood import decide, learn
from howgood.errors import UngatedPosteriorError
from howgood.stats.power_mean import power_mean

pytestmark = pytest.mark.slow

LEVELS = (0.5, 2 / 3, 5 / 6, 1.0)
GRID = np.array([(p, r) for r in LEVELS for p in LEVELS])


def _answers(rng, segments, *, sd, flawless, omega, people, per_person=8):
    """Return answers and people's own alphas; `segments` holds (intercept, slope, alpha)."""
    rows, own = [], {}
    for name, (intercept, slope, alpha) in segments.items():
        for number in range(people):
            person = f"{name}{number}"
            own[person] = expit(logit(alpha) + omega * rng.standard_normal())
            shown = GRID[rng.choice(len(GRID), per_person, replace=False)]
            mean = power_mean(shown[:, 0], shown[:, 1], p=0.0, alpha=own[person])
            x = intercept + slope * mean + flawless * (shown.min(axis=1) == 1.0)
            accepted = rng.random(per_person) < expit(x + sd * rng.standard_normal())
            rows += [(person, name, p, r, a) for (p, r), a in zip(shown, accepted, strict=True)]
    person, name, precision, recall, accepted = zip(*rows, strict=True)
    table = {
        "participant": person, "segment": name, "application": ["alarm"] * len(rows),
        "precision": precision, "recall": recall, "accepted": accepted,
    }  # fmt: skip
    return table, own


def _fitted(answers, rng, *, by):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some simulated studies are one-sided, as they should be
        try:
            return learn.fit_acceptability(
                answers, by=by, means=(0,), draws=600, engine="importance", random_state=rng
            )
        except UngatedPosteriorError:
            return None


def _truth(rng, n_segments):
    """Draw parameters from the prior: contrasts around a middle."""
    alpha, level = logit(rng.random()), rng.normal(0, 1.6)
    slope, sd, flawless = abs(rng.normal(0, 15)), abs(rng.normal(0, 2.5)), abs(rng.normal(0, 5))
    spread = {"alpha": abs(rng.normal(0, 0.75)), "level": abs(rng.normal(0, 1.5))}
    # Contrasts Normal(0, tau) around the middle: independent normals less their mean.
    away = {name: tau * rng.standard_normal(n_segments) for name, tau in spread.items()}
    away = {name: values - values.mean() for name, values in away.items()}
    segments = {
        "ab"[s]: (level + away["level"][s] - 0.75 * slope, slope, expit(alpha + away["alpha"][s]))
        for s in range(n_segments)
    }
    return segments, sd, flawless


def _share(intercept, slope, alpha, sd, precision, recall):
    z = np.linspace(-8, 8, 2001)
    weight = np.exp(-(z**2) / 2)
    mean = power_mean(precision, recall, p=0.0, alpha=alpha)
    return float(expit(intercept + slope * mean + sd * z) @ weight / weight.sum())


def test_segments_are_calibrated(ledger):
    seed, wanted = 30116, 240
    rng = np.random.default_rng(seed)
    tally, left_out = Tally(rng), 0
    for _ in range(wanted):
        segments, sd, flawless = _truth(rng, 2)
        answers, _ = _answers(rng, segments, sd=sd, flawless=flawless, omega=0.0, people=12)
        fit = _fitted(answers, rng, by="segment")
        if fit is None:
            left_out += 1
            continue
        intercept, slope, alpha = segments["a"]
        tally.take("alpha", fit.draws("alpha", "alarm", segment="a"), alpha)
        difference = fit.draws("alpha", "alarm", segment="b") - fit.draws(
            "alpha", "alarm", segment="a"
        )
        tally.take("difference of alpha", difference, segments["b"][2] - alpha)
        shares = fit.in_segment("a").acceptance_draws("alarm").shares(0.8, 0.9)
        tally.take("share accepting", shares, _share(intercept, slope, alpha, sd, 0.8, 0.9))
    setting = f"two segments of 12 people × 8 scenarios; {left_out} of {wanted} failed a gate"
    tally.report(ledger, setting=setting, seed=seed, prefix="segments: ")
    ledger.settle()


def test_segments_differ_as_often_as_said(ledger):
    """Every second study is of people whom the column does not divide."""
    seed, wanted = 30115, 240
    rng = np.random.default_rng(seed)
    happened, said = [], []
    for _ in range(wanted):
        differ = bool(rng.random() < 0.5)
        segments, sd, flawless = _truth(rng, 2)
        if not differ:  # the middle of both, drawn as without segments
            only, sd, flawless = _truth(rng, 1)
            segments = {"a": only["a"], "b": only["a"]}
        answers, _ = _answers(rng, segments, sd=sd, flawless=flawless, omega=0.0, people=12)
        fit = _fitted(answers, rng, by="segment")
        if fit is not None:
            happened.append(differ)
            said.append(fit.segmented.probability_differing)
    ledger.add(
        "probability",
        "segments: people differ by a column",
        expected_counts(happened, said, what="they differ"),
        setting=f"two segments of 12 people × 8 scenarios, the same in every second study; "
        f"{wanted - len(said)} of {wanted} failed a gate",
        seed=seed,
    )
    ledger.settle()


def test_people_with_alphas_of_their_own_are_calibrated(ledger):
    """Intervals in the table of people: one person per study, chosen by chance."""
    seed, wanted = 30117, 160
    rng = np.random.default_rng(seed)
    tally, left_out, held = Tally(rng), 0, []
    for _ in range(wanted):
        segments, sd, flawless = _truth(rng, 1)
        omega = abs(rng.normal(0, 0.75))
        answers, own = _answers(rng, segments, sd=sd, flawless=flawless, omega=omega, people=20)
        fit = _fitted(answers, rng, by="participant")
        if fit is None:
            left_out += 1
            continue
        tally.take("spread of alpha", fit.segmented.person_spread_draws, omega)
        middle = fit.segmented.alpha_draws[:, 0]
        tally.take("alpha of the middle person", middle, segments["a"][2])
        row = int(rng.integers(len(fit.people)))
        truth = own[fit.people["participant"][row]]
        held.append(fit.people["lower"][row] <= truth <= fit.people["upper"][row])
    setting = f"20 people × 8 scenarios; {left_out} of {wanted} failed a gate"
    tally.hits["alpha of a person"] = {0.95: held}
    tally.report(ledger, setting=setting, seed=seed, prefix="people: ")
    ledger.settle()


def test_what_one_threshold_loses_is_covered(ledger):
    seed, wanted = 30112, 40
    rng = np.random.default_rng(seed)
    tally = Tally(rng)
    segments = {"a": (-11.5, 16.0, 0.3), "b": (-11.5, 16.0, 0.65)}
    for _ in range(wanted):
        answers, _ = _answers(rng, segments, sd=2.0, flawless=0.0, omega=0.0, people=25)
        fit = _fitted(answers, rng, by="segment")
        assert fit is not None
        truth = rng.random(600) < 0.3
        scores = rng.standard_normal(600) + 2.0 * truth
        choice = decide.one_threshold(fit, truth.astype(int), scores, random_state=rng)
        for name, (intercept, slope, alpha) in segments.items():
            at_own, at_common = (
                _share(intercept, slope, alpha, 2.0, *_accuracy(threshold))
                for threshold in (choice.own[name], choice.common)
            )
            if choice.own[name] != choice.common:
                tally.take("acceptance lost", choice.lost[name].draws, at_own - at_common)
    tally.report_coverage(
        ledger,
        setting="two segments of 25 people, 600 scored cases; three points allowed: thresholds "
        "were chosen on the same cases",
        seed=seed,
        prefix="one threshold: ",
        allowed=0.03,
    )
    ledger.settle()


def _accuracy(threshold):
    """Precision and recall of scores Normal(2, 1) of positives (30 %) and Normal(0, 1)."""
    from scipy.special import ndtr

    hits, alarms = 0.3 * ndtr(2.0 - threshold), 0.7 * ndtr(-threshold)
    return hits / (hits + alarms), hits / 0.3
