"""Predictions judged by what somebody values: a ranking, and a gate for one system.

In: an elicitation (of two errors, of classes, of groups, of too low and too high) or a metric, what
is true, what was predicted. Out: `Ranking`, `MetricGate`. Absent: thresholds (see `thresholds`),
eliciting (see `learn`).

Every draw takes a test set (Bayesian bootstrap over cases, the same for all systems) and what the
answers leave possible of the person.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.decide.ranking import check_level, ranking_of
from howgood.decide.sampling import PRIOR_CASES, Counts, counted
from howgood.decide.scores import JointScores, against
from howgood.decide.thresholds import TRIVIAL, objective_from
from howgood.errors import InputError, LengthMismatchError
from howgood.records.decision import GateVerdict, MetricGate
from howgood.records.elicitation import WeightsResult
from howgood.records.estimate import Estimate
from howgood.records.label_metric import as_in, check_labels
from howgood.records.levels import missing_values
from howgood.records.outcomes_by_class import DiagonalMetric, FairMetric
from howgood.records.pinball import PinballMetric, QuantileResult
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.ranking import Ranking
from howgood.records.table import as_numbers
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_DRAWS = 4000
# With more systems the possible rows of labels are too many to give each its share of the prior.
_MOST_WITH_PRIOR = 8
_METHOD = "labels by a metric: Bayesian bootstrap over cases"
# Means of so many cases or more are Gaussian by then, and need no weight per case and draw.
_MANY_CASES = 5_000


def rank_predictions(
    metric: Any,  # noqa: ANN401 - an elicitation, or any metric of counts
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    level: float = 0.05,
    random_state: RandomState = 0,
) -> Ranking:
    """Rank systems by what they predict and what somebody values, with both uncertainties.

    Every draw takes a test set (all systems on the same cases) and, of an elicitation, what the
    answers leave possible of the respondent.

    Parameters
    ----------
    metric : elicitation or metric
        The result of `learn.elicit` (of two classes, of several, or of groups) or of
        `learn.elicit_quantile`, or anything with `of_counts`, such as `score.LinearMetric`.
    y_true : array
        True labels; of a quantile, what happened.
    predictions : mapping
        System name to its predicted labels, or numbers.
    pos_label : object, optional
        The label that counts as positive, by default the interview's own, else 1; of several
        classes it has no use.
    groups : array, optional
        The group of each case: needed where gaps between groups have a weight.
    level : float
        Error level of tie groups.
    random_state : None, int or Generator
        Chance of the draws.

    Notes
    -----
    The test set is resampled by the Bayesian bootstrap over rows of labels, with half a case of
    prior in every cell of each system's table (up to 8 systems; beyond, without a prior). Costs of
    numbers are resampled case by case, from 5,000 cases on by their Gaussian limit.

    Stability: experimental

    Examples
    --------
    >>> from howgood import score
    >>> truth = [1, 1, 1, 1, 0, 0, 0, 0] * 30
    >>> ranking = rank_predictions(
    ...     score.LinearMetric(a0=0.2), truth,
    ...     {"eager": [1] * 240, "shy": [0, 0, 0, 1, 0, 0, 0, 0] * 30},
    ... )
    >>> ranking.order[0], ranking.error("eager", "shy") < 0.01
    ('eager', True)
    """
    check_level(level)
    generator, seed = generator_and_seed(random_state)
    positive = _positive(metric, pos_label, y_true)
    judged = _judged(metric, y_true, predictions, positive, groups, generator)
    draws = judged.draws
    apart = draws[:, :, None] - draws[:, None, :]
    scores = JointScores(
        systems=tuple(str(prediction) for prediction in predictions),
        metric=judged.name,
        paired=True,
        method=_METHOD,
        n=int(np.size(y_true)),
        means=judged.exact,
        sds=draws.std(axis=0),
        differences=against(judged.exact),
        difference_variances=apart.var(axis=0),
        difference_scale=judged.name,
        draws=draws,
        greater_is_better=judged.greater_is_better,
        doubt="items",
        settings={"draws": _DRAWS},
    )
    return ranking_of(scores, level, generator, seed, dropped={})


def metric_gate(
    metric: Any,  # noqa: ANN401 - an elicitation, or any metric of counts
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    than: ArrayLike | None = None,
    margin: float = 0.0,
    certainty: float = 0.95,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> MetricGate:
    """Pass, fail or investigate: by what somebody values, is a system better than another?

    Parameters
    ----------
    metric : elicitation or metric
        As in `rank_predictions`.
    y_true, y_pred : arrays
        True and predicted labels, or numbers.
    than : array, optional
        Labels of the system it must be better than, on the same cases; without, the better of
        flagging nothing and flagging everything (of several classes, of answering one of them
        always). Costs of numbers need it.
    margin : float
        By how much of the metric it must be better.
    certainty : float
        How sure a verdict must be.
    pos_label, groups : object, array
        As in `rank_predictions`.
    random_state : None, int or Generator
        Chance of the draws.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import score
    >>> truth, labels = [1, 1, 1, 1, 0, 0, 0, 0] * 30, [1, 1, 1, 0, 0, 0, 0, 1] * 30
    >>> metric_gate(score.LinearMetric(a0=0.5), truth, labels).verdict
    'pass'
    """
    check_probability(certainty, name="certainty", where="gate")
    generator, seed = generator_and_seed(random_state)
    truth = np.asarray(y_true).ravel()
    pos_label = _positive(metric, pos_label, truth)
    rivals = {"the other system": than} if than is not None else _trivial(metric, truth, pos_label)
    compared: dict[str, ArrayLike] = {"candidate": y_pred, **rivals}
    judged = _judged(metric, truth, compared, pos_label, groups, generator)
    better = judged.draws if judged.greater_is_better else -judged.draws
    best = 1 + int(np.argmax(better[:, 1:].mean(axis=0)))
    gain = better[:, 0] - better[:, 1:].max(axis=1)
    p_better = float((gain > margin).mean())
    verdict: GateVerdict = "investigate"
    if p_better >= certainty:
        verdict = "pass"
    elif p_better <= 1 - certainty:
        verdict = "fail"
    return MetricGate(
        metric=judged.name,
        verdict=verdict,
        p_better=p_better,
        value=Estimate.from_draws(judged.draws[:, 0], kind="quantile"),
        gain=Estimate.from_draws(gain, kind="quantile"),
        rival=list(compared)[best],
        margin=margin,
        certainty=certainty,
        provenance=Provenance(
            method=_METHOD,
            settings={"draws": _DRAWS, "certainty": certainty, "margin": margin},
            seed=seed,
            rows_used=int(truth.size),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Judged:
    """The metric's name, the scores as they are (K,), and draws of them (n_draws, K)."""

    name: str
    exact: FloatArray
    draws: FloatArray
    greater_is_better: bool = True


def _trivial(metric: object, truth: NDArray[Any], pos_label: object) -> dict[str, ArrayLike]:
    """Return what needs no classifier: one label for every case."""
    if isinstance(metric, QuantileResult | PinballMetric):
        raise InputError(
            where="gate",
            found="costs of numbers, and nothing to compare with",
            needed="predictions of another system on the same cases",
            cure="Name them: than=, or --than COLUMN.",
        )
    described = _described(metric)
    if isinstance(described, DiagonalMetric):
        return {f"always {label}": np.full(truth.size, label) for label in described.labels}
    other = next((value for value in truth.tolist() if value != pos_label), None)
    if other is None:
        raise InputError(
            where="y_true",
            found=f"{pos_label!s:.60} alone",
            needed="cases of both classes",
            cure="Add cases of the other class, or name a system to compare with (than=).",
        )
    return {
        name: np.full(truth.size, label, dtype=truth.dtype)
        for name, label in zip(TRIVIAL, (other, pos_label), strict=True)
    }


def _described(metric: object) -> object:
    """Return the metric of an interview about weights, anything else as it is."""
    if not isinstance(metric, WeightsResult | QuantileResult):
        return metric
    if metric.metric is None:
        raise InputError(
            where="metric",
            found="an interview that names no metric: "
            + ("; ".join(metric.misfit) or "its answers say too little"),
            needed="one that describes the person",
            cure=" ".join(metric.advice) or "Ask more questions.",
        )
    return metric.metric


def _judged(
    metric: Any,  # noqa: ANN401 - an elicitation, or any metric of counts
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    pos_label: object,
    groups: ArrayLike | None,
    generator: np.random.Generator,
) -> _Judged:
    if len(predictions) < 2:
        raise InputError(
            where="predictions",
            found=f"{len(predictions)} system",
            needed="at least two systems",
            cure="Add another one, for instance the one in use.",
        )
    described, truth = _described(metric), np.asarray(y_true).ravel()
    predicted = {name: np.asarray(values).ravel() for name, values in predictions.items()}
    _check_lengths(truth, predicted)
    if isinstance(described, PinballMetric):
        return _by_costs(metric, described, truth, predicted, generator)
    _check_complete({"y_true": truth, **predicted})
    if isinstance(described, DiagonalMetric):
        return _by_class(metric, described, truth, predicted, generator)
    for name, labels in predicted.items():
        check_labels(f"predictions of {name!r:.60}", truth, labels, pos_label)
    if isinstance(described, FairMetric):
        return _by_group(metric, described, truth, predicted, pos_label, groups, generator)
    tables = [
        counted(truth, labels, pos_label=pos_label, where=f"predictions of {name!r:.60}")
        for name, labels in predicted.items()
    ]
    objective = objective_from(metric, application=None, n_people=_DRAWS, where="metric")
    is_positive = truth == pos_label
    right = [(labels == pos_label) == is_positive for labels in predicted.values()]
    drawn = _drawn(is_positive.astype(int), 2, np.column_stack(right), generator)
    # `values` pairs draws of people and of tables in turn: the same people in every column.
    draws = np.column_stack([objective.values(table)[:, 0] for table in drawn.tables()])
    exact = [float(objective.values(_as_shares(table)).mean()) for table in tables]
    return _Judged(name=objective.name, exact=np.array(exact), draws=draws)


def _check_lengths(truth: NDArray[Any], predicted: Mapping[str, NDArray[Any]]) -> None:
    lengths = {"y_true": truth.size} | {name: labels.size for name, labels in predicted.items()}
    if len(set(lengths.values())) > 1 or not truth.size:
        raise LengthMismatchError(where="predictions", lengths=lengths)


def _check_complete(columns: Mapping[str, NDArray[Any]]) -> None:
    for name, values in columns.items():
        if missing_values(values).any():
            raise InputError(
                where=f"{name!s:.60}",
                found=f"{int(missing_values(values).sum())} missing value(s)",
                needed="a value for every case",
                cure="Leave such cases out, for all systems.",
            )


def _positive(metric: object, pos_label: object, y_true: ArrayLike) -> object:
    """Return the positive label: as said, else the interview's own, else 1."""
    named = getattr(metric, "positive", None) if pos_label is None else pos_label
    return as_in(np.asarray(y_true), 1 if named is None else named)


def _as_shares(table: Counts) -> Counts:
    """Return one table as shares of all cases, once per draw of people."""
    cells = np.array([float(cell) for cell in table.cells()])
    return Counts.of_cells(*(np.full((_DRAWS, 1), cell) for cell in cells / cells.sum()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drawn:
    """Shares of all cases: of each stratum (n_draws, n_strata), and right there (…, K)."""

    every: FloatArray
    right: FloatArray

    def tables(self) -> list[Counts]:
        """Return the tables of two strata, negatives and positives: one per system."""
        cleared, found = self.right[:, 0], self.right[:, 1]
        alarms, missed = self.every[:, :1] - cleared, self.every[:, 1:] - found
        return [
            Counts.of_cells(*(cell[:, [system]] for cell in (found, missed, alarms, cleared)))
            for system in range(found.shape[1])
        ]


def _drawn(
    strata: NDArray[np.int_], n_strata: int, right: NDArray[np.bool_],
    generator: np.random.Generator,
) -> _Drawn:  # fmt: skip
    """Draw everybody's cases together: one weight per row of right and wrong, for all systems."""
    rows = np.column_stack([strata, right.astype(np.int_)])
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    weights, n_systems = counts.astype(np.float64), right.shape[1]
    if n_systems <= _MOST_WITH_PRIOR:
        patterns = (np.arange(2**n_systems)[:, None] >> np.arange(n_systems)) & 1
        kinds = np.column_stack(
            [np.repeat(np.arange(n_strata), len(patterns)), np.tile(patterns, (n_strata, 1))]
        )
        # Each system's cells, right and wrong in every stratum, get half a case each, whatever the
        # other systems say.
        places = strata * len(patterns) + (right << np.arange(n_systems)).sum(axis=1)
        weights = np.bincount(places, minlength=len(kinds)).astype(np.float64)
        weights += 2 * PRIOR_CASES / len(patterns)
    drawn = generator.dirichlet(weights, size=_DRAWS)
    inside = [kinds[:, 0] == stratum for stratum in range(n_strata)]
    return _Drawn(
        every=np.column_stack([drawn[:, rows].sum(axis=1) for rows in inside]),
        right=np.stack([drawn[:, rows] @ kinds[rows, 1:] for rows in inside], axis=1),
    )


def _counted(strata: NDArray[np.int_], n_strata: int, right: NDArray[np.bool_]) -> _Drawn:
    """Return the shares as they are, as one draw."""
    inside = np.arange(n_strata)[:, None] == strata
    return _Drawn(
        every=inside.mean(axis=1)[None], right=(inside @ right.astype(float))[None] / strata.size
    )


def _people(metric: object, described: DiagonalMetric | FairMetric) -> FloatArray:
    """Return draws of the weights, one row for each draw of cases, paired in turn."""
    if not isinstance(metric, WeightsResult):
        return np.tile(described.weights, (_DRAWS, 1))
    draws = np.column_stack([weight.draws for weight in metric.weights.values()])
    # Shuffled: neighbours among the draws may be copies of each other.
    shuffled = np.random.default_rng(0).permutation(len(draws))
    return np.asarray(draws[np.resize(shuffled, _DRAWS)])


def _by_class(
    metric: object,
    described: DiagonalMetric,
    truth: NDArray[Any],
    predicted: Mapping[str, NDArray[Any]],
    generator: np.random.Generator,
) -> _Judged:
    strata, n_strata = described.places(truth, where="y_true"), len(described.labels)
    right = np.column_stack(
        [
            described.places(labels, where=f"predictions of {name!r:.60}") == strata
            for name, labels in predicted.items()
        ]
    )
    drawn, seen = _drawn(strata, n_strata, right, generator), _counted(strata, n_strata, right)
    weights = _people(metric, described)
    return _Judged(
        name="weighted share of right answers",
        exact=np.asarray(weights.mean(axis=0) @ seen.right[0]),
        draws=np.einsum("dk,dks->ds", weights, drawn.right),
    )


def _by_group(
    metric: object,
    described: FairMetric,
    truth: NDArray[Any],
    predicted: Mapping[str, NDArray[Any]],
    pos_label: object,
    groups: ArrayLike | None,
    generator: np.random.Generator,
) -> _Judged:
    if groups is None:
        raise InputError(
            where="predictions",
            found="gaps between groups that have a weight, and no groups",
            needed="the group of each case",
            cure="Name it: groups=, or --group COLUMN.",
        )
    _check_complete({"groups": np.asarray(groups).ravel()})
    names, group = np.unique(np.asarray(groups).ravel().astype(str), return_inverse=True)
    is_positive = truth == pos_label
    _check_lengths(truth, {**predicted, "groups": group})
    strata = 2 * group + is_positive
    n_strata = 2 * len(names)
    lacking = [place for place in range(n_strata) if not (strata == place).any()]
    if lacking or len(names) < 2:
        lone = str(names[lacking[0] // 2] if lacking else names[0])
        raise InputError(
            where="groups",
            found=f"{len(names)} group(s)" if len(names) < 2 else f"one class only in {lone!r:.60}",
            needed="two groups or more, with both classes in each",
            cure="Name the column of groups, or leave that group out.",
        )
    right = np.column_stack([(labels == pos_label) == is_positive for labels in predicted.values()])
    weights = _people(metric, described)
    drawn, seen = _drawn(strata, n_strata, right, generator), _counted(strata, n_strata, right)
    return _Judged(
        name="recall and specificity against gaps",
        exact=np.asarray(weights.mean(axis=0) @ _fair_features(seen)[0]),
        draws=np.einsum("df,dfs->ds", weights, _fair_features(drawn)),
    )


def _fair_features(shares: _Drawn) -> FloatArray:
    """Return recall, specificity and minus the gaps in each: (n_draws, 4, n_systems)."""
    features, gaps = [], []
    for first in (1, 0):  # positives, then negatives of every group
        right, every = shares.right[:, first::2], shares.every[:, first::2, None]
        features.append(right.sum(axis=1) / every.sum(axis=1))
        rates = right / every
        pairs = combinations(range(rates.shape[1]), 2)
        gaps.append(-sum(np.abs(rates[:, one] - rates[:, other]) for one, other in pairs))
    return np.stack([*features, *gaps], axis=1)


def _by_costs(
    metric: object,
    described: PinballMetric,
    truth: NDArray[Any],
    predicted: Mapping[str, NDArray[Any]],
    generator: np.random.Generator,
) -> _Judged:
    real = as_numbers(truth, where="y_true")
    errors = np.column_stack(
        [
            real - as_numbers(values, where=f"predictions of {name!r:.60}")
            for name, values in predicted.items()
        ]
    )
    if not np.isfinite(errors).all():
        raise InputError(
            where="predictions",
            found="numbers that are missing or not finite",
            needed="a number for every case",
            cure="Leave such cases out.",
        )
    sides = np.column_stack([np.maximum(errors, 0.0), np.maximum(-errors, 0.0)])
    low, high = np.split(_drawn_means(sides, generator), 2, axis=1)
    quantile = np.full(_DRAWS, described.quantile)
    if isinstance(metric, QuantileResult):
        shuffled = np.random.default_rng(0).permutation(metric.quantile.draws)
        quantile = np.resize(shuffled, _DRAWS)
    q = quantile[:, None]
    exact_low, exact_high = np.split(sides.mean(axis=0), 2)
    return _Judged(
        name="mean cost",
        exact=np.asarray(quantile.mean() * exact_low + (1 - quantile.mean()) * exact_high),
        draws=q * low + (1 - q) * high,
        greater_is_better=False,
    )


def _drawn_means(columns: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Return draws of the columns' means by the Bayesian bootstrap over rows."""
    n = len(columns)
    if n >= _MANY_CASES:
        # Equal columns are drawn once: rounding would tell them apart.
        columns, place = np.unique(columns, axis=1, return_inverse=True)
        spread = np.atleast_2d(np.cov(columns, rowvar=False)) / n
        means = generator.multivariate_normal(columns.mean(axis=0), spread, size=_DRAWS)
        return np.asarray(means[:, place.ravel()])
    drawn = [generator.dirichlet(np.ones(n), size=_DRAWS // 8) @ columns for _ in range(8)]
    return np.concatenate(drawn)
