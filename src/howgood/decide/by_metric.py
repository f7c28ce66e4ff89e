"""Predicted labels judged by what somebody values: a ranking, and a gate for one system.

In: an elicitation or a metric of counts, true labels, predicted labels. Out: `Ranking`,
`MetricGate`. Absent: thresholds (see `thresholds`), eliciting (see `learn`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.decide.ranking import check_level, ranking_of
from howgood.decide.sampling import PRIOR_CASES, Counts, counted
from howgood.decide.scores import JointScores, against
from howgood.decide.thresholds import objective_from
from howgood.errors import InputError
from howgood.records.decision import GateVerdict, MetricGate
from howgood.records.estimate import Estimate
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.ranking import Ranking
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_DRAWS = 4000
# With more systems the possible rows of labels are too many to give each its share of the prior.
_MOST_WITH_PRIOR = 8
TRIVIAL = ("flagging nothing", "flagging everything")


def rank_predictions(
    metric: Any,  # noqa: ANN401 - an elicitation, or any metric of counts
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    pos_label: object = 1,
    level: float = 0.05,
    random_state: RandomState = 0,
) -> Ranking:
    """Rank systems by their predicted labels and what somebody values, with both uncertainties.

    Every draw takes a test set (all systems on the same cases) and, of an elicited linear metric, a
    weight of the respondent.

    Parameters
    ----------
    metric : elicitation or metric
        The result of an elicitation, or anything with `of_counts`, such as `score.LinearMetric`.
    y_true : array
        True labels.
    predictions : mapping
        System name to its predicted labels.
    pos_label : object
        The label that counts as positive.
    level : float
        Error level of tie groups.
    random_state : None, int or Generator
        Chance of the draws.

    Notes
    -----
    The test set is resampled by the Bayesian bootstrap over rows of labels, with half a case of
    prior in every cell of each system's table (up to 8 systems; beyond, without a prior).

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
    tables = {
        name: counted(y_true, labels, pos_label=pos_label, where=f"predictions of {name!r:.60}")
        for name, labels in predictions.items()
    }
    name, exact, draws = _scored(metric, y_true, predictions, tables, pos_label, generator)
    apart = draws[:, :, None] - draws[:, None, :]
    scores = JointScores(
        systems=tuple(str(prediction) for prediction in predictions),
        metric=name,
        paired=True,
        method="labels by a metric: Bayesian bootstrap over cases",
        n=int(np.size(y_true)),
        means=exact,
        sds=draws.std(axis=0),
        differences=against(exact),
        difference_variances=apart.var(axis=0),
        difference_scale=name,
        draws=draws,
        greater_is_better=True,
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
    pos_label: object = 1,
    random_state: RandomState = 0,
) -> MetricGate:
    """Pass, fail or investigate: by what somebody values, is a system better than another?

    Parameters
    ----------
    metric : elicitation or metric
        As in `rank_predictions`.
    y_true, y_pred : arrays
        True and predicted labels.
    than : array, optional
        Labels of the system it must be better than, on the same cases; without, the better of
        flagging nothing and flagging everything.
    margin : float
        By how much of the metric it must be better.
    certainty : float
        How sure a verdict must be.
    pos_label : object
        The label that counts as positive.
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
    rivals: dict[str, ArrayLike] = {"the other system": than} if than is not None else {}
    if than is None:
        other = next((value for value in truth.tolist() if value != pos_label), None)
        for name, label in zip(TRIVIAL, (other, pos_label), strict=True):
            rivals[name] = np.full(truth.size, label, dtype=truth.dtype)
    compared: dict[str, ArrayLike] = {"candidate": y_pred, **rivals}
    tables = {
        name: counted(truth, labels, pos_label=pos_label, where="gate")
        for name, labels in compared.items()
    }
    objective, _, draws = _scored(metric, truth, compared, tables, pos_label, generator)
    best = 1 + int(np.argmax(draws[:, 1:].mean(axis=0)))
    gain = draws[:, 0] - draws[:, 1:].max(axis=1)
    p_better = float((gain > margin).mean())
    verdict: GateVerdict = "investigate"
    if p_better >= certainty:
        verdict = "pass"
    elif p_better <= 1 - certainty:
        verdict = "fail"
    return MetricGate(
        metric=objective,
        verdict=verdict,
        p_better=p_better,
        value=Estimate.from_draws(draws[:, 0], kind="quantile"),
        gain=Estimate.from_draws(gain, kind="quantile"),
        rival=list(compared)[best],
        margin=margin,
        certainty=certainty,
        provenance=Provenance(
            method="labels by a metric: Bayesian bootstrap over cases",
            settings={"draws": _DRAWS, "certainty": certainty, "margin": margin},
            seed=seed,
            rows_used=int(truth.size),
        ),
    )


def _scored(
    metric: Any,  # noqa: ANN401 - an elicitation, or any metric of counts
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    tables: Mapping[str, Counts],
    pos_label: object,
    generator: np.random.Generator,
) -> tuple[str, FloatArray, FloatArray]:
    """Return the metric's name, the scores as counted (K,), and draws of them (n_draws, K)."""
    if len(predictions) < 2:
        raise InputError(
            where="predictions",
            found=f"{len(predictions)} system",
            needed="at least two systems",
            cure="Add another one, for instance the one in use.",
        )
    objective = objective_from(metric, application=None, n_people=_DRAWS, where="metric")
    rows = np.column_stack(
        [
            np.asarray(prediction).ravel() == pos_label
            for prediction in (y_true, *predictions.values())
        ]
    )
    drawn = _drawn_tables(rows, generator)
    # `values` pairs draws of people and of tables in turn: the same people in every column.
    draws = np.column_stack([objective.values(draw)[:, 0] for draw in drawn])
    exact = [float(objective.values(_as_shares(table)).mean()) for table in tables.values()]
    return objective.name, np.array(exact), draws


def _as_shares(table: Counts) -> Counts:
    """Return one table as shares of all cases, once per draw of people."""
    cells = np.array([float(cell) for cell in table.cells()])
    return Counts.of_cells(*(np.full((_DRAWS, 1), cell) for cell in cells / cells.sum()))


def _drawn_tables(rows: NDArray[np.bool_], generator: np.random.Generator) -> list[Counts]:
    """Draw everybody's tables together: one weight per row of labels, shared by all systems."""
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    weights = counts.astype(np.float64)
    n_systems = rows.shape[1] - 1
    if n_systems <= _MOST_WITH_PRIOR:
        possible = 2 ** rows.shape[1]
        kinds = ((np.arange(possible)[:, None] >> np.arange(rows.shape[1])) & 1).astype(bool)
        # Each system's four cells get half a case each, whatever the other systems say.
        weights = np.full(possible, 4 * PRIOR_CASES / possible)
        places = (rows.astype(np.int64) << np.arange(rows.shape[1])).sum(axis=1)
        weights += np.bincount(places, minlength=possible)
    drawn = generator.dirichlet(weights, size=_DRAWS)
    real = kinds[:, 0]
    tables = []
    for reported in kinds[:, 1:].T:
        cells = (real & reported, real & ~reported, ~real & reported, ~real & ~reported)
        tables.append(Counts.of_cells(*(drawn[:, cell].sum(axis=1)[:, None] for cell in cells)))
    return tables
