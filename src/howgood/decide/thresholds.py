"""Where to put a classifier's threshold, as a posterior.

In: a fit, a model card, or a metric in any of the usual shapes; true labels and scores. Out:
`ThresholdChoice`, by an `Objective` that, given confusion tables at every threshold, names the best
one under each draw of people. Absent: the test set's sampling (see `sampling`), training and
calibrating the classifier.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.decide.acceptability import N_DRAWS, acceptance_of_tables
from howgood.decide.sampling import (
    MOST_THRESHOLDS,
    PRIOR_CASES,
    Counts,
    ScoreBins,
    resampled,
    score_bins,
)
from howgood.errors import InputError, ReversedScoresWarning, announce
from howgood.records.acceptance import (
    AcceptanceDraws,
    AcceptanceModel,
    PartedModel,
    draws_for,
    of_part,
)
from howgood.records.decision import ThresholdChoice
from howgood.records.elicitation import BisectionResult, ElicitationResult, WeightsResult
from howgood.records.elicited_metric import ElicitedMetric, LinearMetric
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.provenance import Provenance
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.bootstrap import widened
from howgood.stats.randomness import RandomState, generator_and_seed

IndexArray = NDArray[np.intp]

_TINY = 1e-12  # stands for zero where a power or a logarithm of it is taken
N_PEOPLE = 250
N_TEST_SETS = 250
# A plain Python metric is called once per threshold and draw, about a millisecond each.
N_SLOW_TEST_SETS = 25
N_SLOW_THRESHOLDS = 60
_BAND = (0.025, 0.975)
# Scores without any information are this far on the wrong side once in 2,000 test sets.
_REVERSED = -3.3
TRIVIAL = ("flagging nothing", "flagging everything")
_CLEARLY = 0.95


class Objective(Protocol):
    """Judges thresholds."""

    name: str
    n_people: int  # how many draws of people it can tell apart
    is_slow: bool  # one Python call per table instead of one for all

    def best(self, tables: Counts) -> IndexArray:
        """Return the best threshold's index, shape (n_people, n_tables)."""

    def values(self, tables: Counts) -> FloatArray:
        """Return the value by threshold, shape (n_tables, n_thresholds): draws paired in turn."""


class PeopleObjective:
    """Acceptance by the people of a fit.

    The accepting share rises with slope times the weighted mean, and the mean rises with
    alpha f(P) + (1 - alpha) f(R), where f is x^p times the sign of p (log x at p = 0); specificity
    is a third such term where it counts. So the best
    threshold of every draw needs one small matrix product per test set, and no integral.
    """

    is_slow = False

    def __init__(self, draws: AcceptanceDraws) -> None:
        self.draws = draws
        self.n_people = len(draws)
        self.name = f"share accepting {draws.application}"

    def best(self, tables: Counts) -> IndexArray:
        """Return the best threshold's index, shape (n_people, n_tables)."""
        precision, recall = tables.precision, tables.recall
        best_places = np.empty((self.n_people, precision.shape[0]), dtype=np.intp)
        direction = np.where(self.draws.slope < 0, -1.0, 1.0)
        for p in np.unique(self.draws.p):
            rows = np.flatnonzero(self.draws.p == p)
            alpha = self.draws.alpha[rows]
            parts, shares = [precision, recall], [alpha, 1.0 - alpha]
            if self.draws.others is not None:
                third = np.asarray(self.draws.specificity)[rows]
                parts.append(tables.specificity)
                shares = [*((1.0 - third) * share for share in shares), third]
            weights = direction[rows, None] * np.column_stack(shares)
            bent = [_transformed(part, float(p)) for part in parts]
            for table in range(precision.shape[0]):
                judged = weights @ np.vstack([part[table] for part in bent])
                best_places[rows, table] = np.argmax(judged, axis=1)
        return best_places

    def values(self, tables: Counts) -> FloatArray:
        """Return the accepting share, shape (n_tables, n_thresholds)."""
        draws = self.draws.repeated(tables.precision.shape[0])
        rates = tables.precision, tables.recall, tables.specificity
        return draws.shares_at_mean(draws.paired_means(*rates))


class WeightObjective:
    """A linear metric a0 TN + (1 - a0) TP whose weight is known by draws."""

    is_slow = False
    name = "linear metric"

    def __init__(self, weight_draws: FloatArray) -> None:
        self._weights = np.column_stack([1.0 - weight_draws, weight_draws])
        self.n_people = weight_draws.size

    def best(self, tables: Counts) -> IndexArray:
        """Return the best threshold's index, shape (n_people, n_tables)."""
        cells = np.stack([tables.true_positives, tables.true_negatives], axis=1)
        return np.column_stack([np.argmax(self._weights @ table, axis=1) for table in cells])

    def values(self, tables: Counts) -> FloatArray:
        """Return the metric, shape (n_tables, n_thresholds)."""
        used = self._weights[np.arange(tables.true_positives.shape[0]) % self.n_people]
        weighted: FloatArray = (
            used[:, :1] * tables.true_positives + used[:, 1:] * tables.true_negatives
        )
        return weighted


class PossibleObjective:
    """Metrics that may be a respondent's, equally probable; one given twice counts twice."""

    is_slow = False
    name = "elicited metric"

    def __init__(self, metrics: Sequence[ElicitedMetric]) -> None:
        different = list(dict.fromkeys(metrics))
        places = {metric: place for place, metric in enumerate(different)}
        self._metrics, self._place = different, np.array([places[metric] for metric in metrics])
        self.n_people = len(metrics)

    def best(self, tables: Counts) -> IndexArray:
        """Return the best threshold's index, shape (n_people, n_tables)."""
        best = [np.argmax(metric.of_counts(*tables.cells()), axis=-1) for metric in self._metrics]
        return np.asarray(np.stack(best)[self._place])

    def values(self, tables: Counts) -> FloatArray:
        """Return the metric, shape (n_tables, n_thresholds)."""
        values = np.empty(tables.true_positives.shape)
        of_table = np.resize(self._place, len(values))
        for place, metric in enumerate(self._metrics):
            rows = of_table == place
            values[rows] = metric.of_counts(*(cell[rows] for cell in tables.cells()))
        return values


class MetricObjective:
    """A metric: the same for everybody, so only the test set is uncertain."""

    n_people = 1

    def __init__(
        self, name: str, function: Callable[[Counts], FloatArray], *, is_slow: bool
    ) -> None:
        self.name, self._function, self.is_slow = name, function, is_slow

    def best(self, tables: Counts) -> IndexArray:
        """Return the best threshold's index, shape (1, n_tables)."""
        return np.atleast_2d(np.argmax(self.values(tables), axis=-1))

    def values(self, tables: Counts) -> FloatArray:
        """Return the metric, shape (n_tables, n_thresholds)."""
        return np.asarray(self._function(tables), dtype=np.float64)


def objective_from(
    metric_or_fit: Any,  # noqa: ANN401 - any metric, fit or card
    *,
    application: str | None,
    n_people: int,
    where: str = "threshold",
) -> Objective:
    """Return the objective for a fit, a card, an object with `of_counts`, or a metric function.

    An `Estimate` is taken as the weight a0 of a linear metric.
    """
    if isinstance(metric_or_fit, AcceptanceModel):
        draws = draws_for(metric_or_fit, application, where=where)
        return PeopleObjective(draws.thinned(n_people))
    if isinstance(metric_or_fit, Estimate):
        return WeightObjective(_thinned(metric_or_fit.draws, n_people))
    if isinstance(metric_or_fit, ElicitationResult | BisectionResult):
        weight = metric_or_fit.a0
        if metric_or_fit.metric is None:
            raise _without_metric(metric_or_fit, where)
        is_linear = isinstance(metric_or_fit.metric, LinearMetric)
        if is_linear and isinstance(weight, Estimate):
            return WeightObjective(_thinned(weight.draws, n_people))
        if isinstance(metric_or_fit, ElicitationResult) and metric_or_fit.possible:
            return PossibleObjective(metric_or_fit.possible)
        metric_or_fit = metric_or_fit.metric
    if isinstance(metric_or_fit, WeightsResult):
        raise InputError(
            where=where,
            found="weights of classes or groups",
            needed="an interview about two errors",
            cure="These have a rule of their own: result.rule() gives a threshold per group, or "
            "weights of the classes.",
        )
    name = getattr(metric_or_fit, "__name__", None) or repr(metric_or_fit)
    if hasattr(metric_or_fit, "of_counts"):
        return MetricObjective(
            name, lambda tables: metric_or_fit.of_counts(*tables.cells()), is_slow=False
        )
    if callable(metric_or_fit):
        return MetricObjective(name, lambda tables: _called(metric_or_fit, tables), is_slow=True)
    raise InputError(
        where=where,
        found=f"a {type(metric_or_fit).__name__}",
        needed="a fit, a model card, or a metric(y_true, y_pred, sample_weight=...)",
        cure="Pass for instance score.PowerMean(p=0, alpha=.35) or sklearn.metrics.f1_score.",
    )


def _without_metric(result: ElicitationResult, where: str) -> InputError:
    return InputError(
        where=where,
        found=f"an elicitation with {result.why_no_metric}",
        needed="enough evidence for a metric that describes the person",
        cure=" ".join(result.advice) or "Ask more questions first.",
    )


def _called(metric: Callable[..., float], tables: Counts) -> FloatArray:
    """Call a scikit-learn style metric on every table, as four weighted cases."""
    cells = np.stack(tables.cells(), axis=-1)
    truth, predicted = np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])
    flat = cells.reshape(-1, 4)
    try:
        values = [metric(truth, predicted, sample_weight=weights) for weights in flat]
    except TypeError as error:
        raise InputError(
            where="threshold",
            found=f"a metric that cannot be called with sample_weight ({error})",
            needed="metric(y_true, y_pred, sample_weight=...), or an object with of_counts",
            cure="Wrap it so that it takes sample_weight.",
        ) from error
    return np.asarray(values, dtype=np.float64).reshape(cells.shape[:-1])


def _thinned(draws: FloatArray, most: int) -> FloatArray:
    kept = np.linspace(0, draws.size - 1, min(draws.size, most)).round().astype(int)
    thinned: FloatArray = draws[kept]
    return thinned


def _transformed(values: FloatArray, p: float) -> FloatArray:
    safe = np.maximum(values, _TINY)
    if p == 0.0:
        return np.log(safe)
    return np.asarray(np.sign(p) * safe**p)


def threshold(
    metric_or_fit: Any,  # noqa: ANN401 - a fit, a model card, or any metric
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    application: str | None = None,
    part: str | None = None,
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
        A fit of answers; the result of an `Elicitor` (its metric is uncertain too), or an
        `Estimate` of a0, such as a group's mean; anything with
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
    part : str, optional
        Of an ordinal fit: which part's people.
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
    Candidates are the scores themselves (at most 400 of them, 60 for a plain function; evenly
    spaced by rank, both classes counting alike). When two thresholds are equally good in a draw,
    the lower one counts. A threshold chosen on a test set looks better there than it is:
    precision, recall and acceptance at the chosen threshold are therefore those of its
    neighbourhood (a parabola through the tables nearby), not its own.
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
    if part is not None or isinstance(metric_or_fit, PartedModel):
        metric_or_fit = of_part(metric_or_fit, part, where="threshold")
    objective = objective_from(metric_or_fit, application=application, n_people=N_PEOPLE)
    n_tables, most = (
        (N_SLOW_TEST_SETS, N_SLOW_THRESHOLDS)
        if objective.is_slow
        else (N_TEST_SETS, MOST_THRESHOLDS)
    )
    bins = score_bins(y_true, scores, pos_label=pos_label, most=most, where="threshold")
    _warn_of_reversed(bins, pos_label)
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
        not_better_than=_not_better_than(objective, at_chosen),
    )


def _not_better_than(objective: Objective, at_chosen: Counts) -> str | None:
    """Return the rule without scores that is about as good as the chosen threshold, if one is."""
    most = 4 * N_SLOW_TEST_SETS if objective.is_slow else N_DRAWS
    hits, missed, alarms, cleared = (cell[:most] for cell in at_chosen.cells())
    real, other, none = hits + missed, alarms + cleared, np.zeros(hits.size)
    own = objective.values(_of_columns(hits, missed, alarms, cleared))
    rules = (none, real, none, other), (real, none, other, none)
    others = np.hstack([_of_rule(objective, _of_columns(*cells)) for cells in rules])
    if np.mean(own[:, 0] > others.max(axis=1)) >= _CLEARLY:
        return None
    return TRIVIAL[int(np.argmax(others.mean(axis=0)))]


def _of_columns(*cells: FloatArray) -> Counts:
    return Counts.of_cells(*(cell[:, None] for cell in cells))


def _of_rule(objective: Objective, tables: Counts) -> FloatArray:
    """Return the values of a rule without scores; where the metric has none, it is the worst.

    Functions divide by zero there in their own ways: with an error, a warning, or silently.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = objective.values(tables)
        except (ArithmeticError, ValueError):
            return np.full(tables.true_positives.shape, -np.inf)
    return np.where(np.isnan(values), -np.inf, values)


def _warn_of_reversed(bins: ScoreBins, pos_label: object) -> None:
    if bins.order_z < _REVERSED:
        announce(
            f"scores are lower for cases labelled {pos_label!r} than for others, and a threshold "
            "flags high ones. Check which label is positive (pos_label, or --positive), or turn "
            "the scores around.",
            ReversedScoresWarning,
        )


def positive_scores(
    classifier: Any,  # noqa: ANN401 - any fitted scikit-learn classifier
    X: Any,  # noqa: ANN401, N803 - whatever the classifier takes, by scikit-learn's name
    *,
    pos_label: object = None,
) -> FloatArray:
    """Return a fitted binary classifier's scores of the positive class.

    `predict_proba` where the classifier has it, else `decision_function`. The positive class is
    the second one, or `pos_label`.

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
    is_first = pos_label is not None and _place_of(pos_label, classifier) == 0
    if hasattr(classifier, "predict_proba"):
        scores = np.asarray(classifier.predict_proba(X), dtype=np.float64)
        is_two = scores.ndim == 2 and scores.shape[1] == 2
        values = scores[:, 0 if is_first else 1] if is_two else scores
    elif hasattr(classifier, "decision_function"):
        values = np.asarray(classifier.decision_function(X), dtype=np.float64)
        values = -values if is_first else values
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


def _place_of(pos_label: object, classifier: Any) -> int:  # noqa: ANN401 - any fitted classifier
    classes = list(getattr(classifier, "classes_", ()))
    if pos_label not in classes:
        raise InputError(
            where="positive_scores",
            found=f"pos_label = {pos_label!r:.60}, and classes {classes!s:.120}",
            needed="one of the classifier's classes",
            cure="Name the positive class as classifier.classes_ does.",
        )
    return classes.index(pos_label)


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
    # Rounding alone is no spread, where every draw has the same best threshold.
    is_spread = total > 1e-24 * float(np.max(np.abs(best))) ** 2
    return {name: value / total if is_spread else 0.0 for name, value in parts.items()}


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
