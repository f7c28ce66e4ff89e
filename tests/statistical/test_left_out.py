"""Leaving one person out by reweighting: is it what a fit without that person says?"""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import Judgement, covers

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError
from howgood.records.table import Table

pytestmark = pytest.mark.slow

NODES = np.linspace(-6, 6, 61)
SLACK = 0.03


def _level_chances(fit, row, leniency):
    """Return P(level) of one answer, shape (draws, nodes, levels), from the model's formula."""
    mean = row["precision"] ** fit.draws("alpha") * row["recall"] ** (1 - fit.draws("alpha"))
    place = fit.draws("slope") * mean + fit.part_draws("shift", row["part"])
    scale = np.exp(fit.part_draws("log_scale", row["part"]))
    cuts = fit.averaged_draws[:, : len(fit.levels) - 1]
    x = cuts[:, None, :] - place[:, None, None] - leniency[:, :, None]
    below = expit(x / scale[:, None, None])
    return np.diff(below, axis=2, prepend=0.0, append=1.0)


def _predictive(fit, kept, wanted):
    """Average over draws, and over leniencies given the ratings that are kept."""
    leniency = fit.draws("person_sd")[:, None] * NODES
    weight = np.exp(-(NODES**2) / 2) * np.ones_like(leniency)
    for row in kept:
        weight *= _level_chances(fit, row, leniency)[:, :, fit.levels.index(int(row["rating"]))]
    weight /= weight.sum(axis=1, keepdims=True)
    return np.einsum("dn,dnl->l", weight, _level_chances(fit, wanted, leniency)) / len(weight)


def _both(answers, person, rng):
    """Return predictions by reweighting and a fit without the person's ratings of real systems.

    None where the answers of so few people do not bound how they differ: both say so.
    """
    used = (answers["participant"] != person) | (answers["part"] == "hypothetical")
    kept = Table({name: answers[name][used] for name in answers.columns})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 24 people are few, on purpose: folds matter more
        try:
            left = learn.leave_one_person_out(answers, means=(0,), draws=1000, random_state=rng)
            return left, learn.fit_ordinal(kept, means=(0,), draws=1000, random_state=rng)
        except UngatedPosteriorError:
            return None


def test_predictions_of_those_left_out_are_those_of_a_fit_without_them(ledger):
    seed = 20162
    rng = np.random.default_rng(seed)
    slack, same, errors = [], [], {"reweighted": [], "refitted": []}
    n_refused = 0
    for _ in range(12):
        answers = ask.simulate_ordinal_answers(people=24, per_person=6, random_state=rng)
        person = str(rng.choice(np.unique(answers["participant"].astype(str))))
        found = _both(answers, person, rng)
        if found is None:
            n_refused += 1
            continue
        left, fit = found
        rows = [row for row in answers.rows() if row["participant"] == person]
        for wanted in (row for row in rows if row["part"] != "hypothetical"):
            given = [row for row in rows if row["part"] == "hypothetical"]
            below = np.cumsum(_predictive(fit, given, wanted))
            median = fit.levels[int(np.searchsorted(below, 0.5))]
            at = (left.predictions["participant"] == person) & (
                left.predictions["part"] == wanted["part"]
            )
            predicted = int(left.predictions["predicted"][at][0])
            place = fit.levels.index(predicted)
            slack.append(max(below[place - 1] - 0.5 if place else 0.0, 0.5 - below[place], 0.0))
            same.append(predicted == median)
            errors["reweighted"].append(abs(predicted - wanted["rating"]))
            errors["refitted"].append(abs(median - wanted["rating"]))
    ours, theirs = (float(np.mean(each)) for each in errors.values())
    ledger.add(
        "brute force",
        "ratings of people left out",
        Judgement(
            n=len(same),
            found=f"{np.mean(same):.0%} the same median, never more than {max(slack):.3f} of "
            f"probability from it; mean absolute error {ours:.2f}, refitted {theirs:.2f}",
            p_value=1.0 if max(slack) <= SLACK else 0.0,
            notices=f"a median {SLACK} of probability from the refitted one",
        ),
        setting=f"12 studies of 24 people, {n_refused} refused; one of each left out, the model "
        "fitted without them, and their leniency integrated on a grid; medians are whole ratings",
        seed=seed,
    )
    ledger.settle()


def test_the_range_predicted_for_a_person_holds_their_rating(ledger):
    """One rating of everybody in a study; what they share, the fit, leaves them nearly free."""
    seed, wanted = 30114, 20
    rng = np.random.default_rng(seed)
    held, n_refused = [], 0
    for _ in range(wanted):
        answers = ask.simulate_ordinal_answers(people=16, per_person=6, random_state=rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 16 people are few, on purpose
            try:
                left = learn.leave_one_person_out(
                    answers, means=(0,), draws=400, per_person="one", random_state=rng
                )
            except UngatedPosteriorError:
                n_refused += 1
                continue
        rows = left.predictions
        held += ((rows["lower"] <= rows["rating"]) & (rows["rating"] <= rows["upper"])).tolist()
    ledger.add(
        "coverage",
        "range of one person's rating",
        covers({0.8: held}, at_least=True),
        setting=f"{wanted} studies of 16 people × 6 scenarios, {n_refused} refused; everybody "
        "left out in turn, one rating of a system in use each; ratings are whole, so ranges may "
        "hold more",
        seed=seed,
    )
    ledger.settle()
