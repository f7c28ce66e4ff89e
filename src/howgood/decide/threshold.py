"""Where to put a classifier's threshold, as a posterior.

In: a fit, a model card or a metric; true labels and scores. Out: `ThresholdChoice`. Absent:
training and calibrating the classifier.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howgood.decide.acceptance import N_DRAWS, acceptance_of_tables
from howgood.decide.objective import Objective, objective_from
from howgood.decide.sampling import (
    MOST_THRESHOLDS,
    PRIOR_CASES,
    Counts,
    ScoreBins,
    resampled,
    score_bins,
)
from howgood.errors import InputError
from howgood.records.acceptance import AcceptanceModel, draws_for
from howgood.records.decision import ThresholdChoice
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.provenance import Provenance
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.bootstrap import widened
from howgood.stats.randomness import RandomState, generator_and_seed

N_PEOPLE = 250
N_TEST_SETS = 250
# A plain Python metric is called once per threshold and draw, about a millisecond each.
N_SLOW_TEST_SETS = 25
N_SLOW_THRESHOLDS = 60
_BAND = (0.025, 0.975)


def threshold(
    metric_or_fit: Any,  # noqa: ANN401 - a fit, a model card, or any metric
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    application: str | None = None,
    pos_label: object = 1,
    random_state: RandomState = None,
) -> ThresholdChoice:
    """Choose the threshold that most people would accept, and say how sure that is.

    For every draw of people (from the fit) crossed with every draw of the test set (Bayesian
    bootstrap, the same weights at every threshold) the best threshold is found. Their
    distribution is the posterior of the threshold; a two-way analysis of variance splits it into
    what comes from people, from the test set, and from both together. A draw of the test set also
    moves its scores a little, the more the fewer cases a class has.

    Parameters
    ----------
    metric_or_fit : fit, model card, elicitation or metric
        A fit of answers; the result of an `Elicitor` (its a0 is uncertain too), or an `Estimate`
        of a0, such as a group's mean; anything with
        `of_counts` such as `score.PowerMean` or `score.LinearMetric`; or a function
        `metric(y_true, y_pred, sample_weight=...)` as in scikit-learn (seconds instead of a
        fraction of one: it is called once per threshold and draw, so fewer of both are tried).
    y_true : array
        True labels of the test set.
    scores : array
        One score per case: the higher, the more likely positive. For a fitted classifier:
        `decide.positive_scores(classifier, X)`.
    application : str
        Which application of the fit; may be left out when there is only one.
    pos_label : object
        The label that counts as positive.
    random_state : None, int or Generator
        Chance of the test-set draws.

    Returns
    -------
    ThresholdChoice
        `chosen` is the threshold to use: a case is flagged when its score reaches it.

    Notes
    -----
    Candidates are the scores themselves (at most 400 of them, evenly spaced by rank; 60 for a
    plain function). When two
    thresholds are equally good in a draw, the lower one counts. A threshold chosen on a test set
    looks better there than it is: precision, recall and acceptance at the chosen threshold are
    therefore those of its neighbourhood (a parabola through the tables nearby), not its own.
    Where most cases share their score with others, scores are steps and stay where they are. Where
    scores all lie between 0 and 1, so does the interval of the threshold.

    Stability: stable

    Examples
    --------
    >>> from howgood.records.power_mean import PowerMean
    >>> truth = [0, 0, 0, 0, 1, 0, 1, 1, 1, 1] * 30
    >>> scores = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] * 30
    >>> choice = threshold(PowerMean(p=0, alpha=0.2), truth, scores, random_state=1)
    >>> choice.chosen, choice.variance_shares["people"]
    (0.4, 0.0)
    """
    generator, seed = generator_and_seed(random_state)
    objective = objective_from(metric_or_fit, application=application, n_people=N_PEOPLE)
    n_tables, most = (
        (N_SLOW_TEST_SETS, N_SLOW_THRESHOLDS)
        if objective.is_slow
        else (N_TEST_SETS, MOST_THRESHOLDS)
    )
    bins = score_bins(y_true, scores, pos_label=pos_label, most=most, where="threshold")
    values = objective.values(bins.resampled(n_tables, generator, prior_cases=PRIOR_CASES))
    chosen = int(np.argmax(values.mean(axis=0)))
    best = _best_thresholds(objective, bins, n_tables, generator)
    at_chosen = resampled(bins.smoothed_at(chosen), N_DRAWS, generator)
    return ThresholdChoice(
        chosen=float(bins.thresholds[chosen]),
        # Where scores are steps, draws are repeated often: the shortest interval would snap to
        # those and hold too little.
        threshold=Estimate.from_draws(best, kind="quantile"),
        variance_shares=variance_shares(best),
        objective=objective.name,
        expected=float(values.mean(axis=0)[chosen]),
        acceptance=_acceptance(metric_or_fit, application, at_chosen),
        precision=Estimate.from_draws(at_chosen.precision),
        recall=Estimate.from_draws(at_chosen.recall),
        curve=_curve(bins, values),
        provenance=_provenance(objective, bins, n_tables, seed),
        evidence=_evidence(metric_or_fit, application),
    )


def positive_scores(
    classifier: Any,  # noqa: ANN401 - any fitted scikit-learn classifier
    X: Any,  # noqa: ANN401, N803 - whatever the classifier takes, by scikit-learn's name
) -> FloatArray:
    """Return a fitted binary classifier's scores of the positive (second) class.

    `predict_proba` where the classifier has it, else `decision_function`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> class Model:
    ...     def predict_proba(self, X):
    ...         return np.column_stack([1 - np.asarray(X), X])
    >>> positive_scores(Model(), [0.2, 0.7])
    array([0.2, 0.7])
    """
    if hasattr(classifier, "predict_proba"):
        found = np.asarray(classifier.predict_proba(X), dtype=np.float64)
        values = found[:, 1] if found.ndim == 2 and found.shape[1] == 2 else found
    elif hasattr(classifier, "decision_function"):
        values = np.asarray(classifier.decision_function(X), dtype=np.float64)
    else:
        raise InputError(
            where="positive_scores",
            found=f"a {type(classifier).__name__} without predict_proba or decision_function",
            needed="a fitted classifier that scores cases",
            cure="Pass scores of your own to decide.threshold.",
        )
    if values.ndim != 1:
        raise InputError(
            where="positive_scores",
            found=f"scores of shape {values.shape}",
            needed="a classifier with two classes",
            cure="Treat one class against the rest.",
        )
    return values


def _best_thresholds(
    objective: Objective, bins: ScoreBins, n_tables: int, generator: np.random.Generator
) -> FloatArray:
    """Return the best threshold of every draw, shape (n_people, n_tables).

    Down to the next lower score every threshold is as good as the best: one of them is drawn. The
    spread over test sets is widened for the number of cases of the rarer class.
    """
    if bins.are_steps:
        return bins.thresholds[objective.best(bins.resampled(n_tables, generator))]
    tables, scores = bins.moved(n_tables, generator)
    at, draw = objective.best(tables), np.arange(n_tables)
    upper, lower = scores[draw, at], scores[draw, np.maximum(at - 1, 0)]
    best = lower + (upper - lower) * generator.random(n_tables)
    wide = widened(
        best.T, np.median(best, axis=1), n_units=bins.n_rarer, n_fitted=1, generator=generator
    )
    ends = scores.min(), scores.max()
    if bins.thresholds[0] >= 0.0 and bins.thresholds[-1] <= 1.0:
        ends = 0.0, 1.0  # no score in sight that is no probability
    return np.clip(wide.T, *ends)


def variance_shares(best: FloatArray) -> dict[str, float]:
    """Split the variance of a (people x test sets) array; shares of nothing are all zero.

    The usual unbiased estimates of a two-way layout without repetition, negative ones set to 0.
    """
    n_people, n_tables = best.shape
    rows, columns = best.mean(axis=1), best.mean(axis=0)
    rest = best - rows[:, None] - columns[None, :] + best.mean()
    together = float(np.sum(rest**2) / max((n_people - 1) * (n_tables - 1), 1))
    people = max(float(np.var(rows, ddof=1)) - together / n_tables, 0.0) if n_people > 1 else 0.0
    tables = max(float(np.var(columns, ddof=1)) - together / n_people, 0.0)
    if n_people == 1:
        tables, together = float(np.var(columns, ddof=1)), 0.0
    total = people + tables + together
    parts = {"people": people, "test set": tables, "both together": together}
    return {name: value / total if total > 0 else 0.0 for name, value in parts.items()}


def _acceptance(
    metric_or_fit: Any,  # noqa: ANN401 - as in `threshold`
    application: str | None,
    tables: Counts,
) -> Estimate | None:
    if not isinstance(metric_or_fit, AcceptanceModel):
        return None
    return acceptance_of_tables(metric_or_fit, application, tables)


def _evidence(
    metric_or_fit: Any,  # noqa: ANN401 - as in `threshold`
    application: str | None,
) -> Evidence:
    if not isinstance(metric_or_fit, AcceptanceModel):
        return "enough"
    return draws_for(metric_or_fit, application, where="threshold").evidence


def _curve(bins: ScoreBins, values: FloatArray) -> Table:
    lower, upper = np.quantile(values, _BAND, axis=0)
    counts = bins.counts()
    return Table(
        {
            "threshold": bins.thresholds,
            "expected": values.mean(axis=0),
            "lower": lower,
            "upper": upper,
            "precision": counts.precision,
            "recall": counts.recall,
        }
    )


def _provenance(
    objective: Objective, bins: ScoreBins, n_tables: int, seed: int | None
) -> Provenance:
    return Provenance(
        method="best threshold by draw of people x draw of the test set (Bayesian bootstrap, "
        "smoothed where scores are no steps)",
        settings={
            "objective": objective.name,
            "draws of people": objective.n_people,
            "draws of the test set": n_tables,
            "cases of the rarer class": bins.n_rarer,
            "candidate thresholds": bins.thresholds.size,
            "prior cases per cell": PRIOR_CASES,
        },
        seed=seed,
        rows_used=bins.n_cases,
    )
