"""What a threshold is judged by: people's acceptance, or a metric.

In: a fit, a model card, or a metric in any of the usual shapes. Out: an `Objective` that, given
confusion tables at every threshold, names the best one under each draw of people. Absent: the
test set's sampling (see `sampling`).
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from howgood.decide.sampling import Counts
from howgood.errors import InputError
from howgood.records.acceptance import AcceptanceDraws, AcceptanceModel, draws_for
from howgood.records.elicitation import BisectionResult, ElicitationResult
from howgood.records.estimate import Estimate
from howgood.stats.arrays import FloatArray

IndexArray = NDArray[np.intp]

_TINY = 1e-12  # stands for zero where a power or a logarithm of it is taken


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
    alpha f(P) + (1 - alpha) f(R), where f is x^p times the sign of p (log x at p = 0). So the best
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
        found = np.empty((self.n_people, precision.shape[0]), dtype=np.intp)
        direction = np.where(self.draws.slope < 0, -1.0, 1.0)
        for p in np.unique(self.draws.p):
            rows = np.flatnonzero(self.draws.p == p)
            alpha = self.draws.alpha[rows]
            weights = direction[rows, None] * np.column_stack([alpha, 1.0 - alpha])
            first, second = _transformed(precision, float(p)), _transformed(recall, float(p))
            for table in range(precision.shape[0]):
                judged = weights @ np.vstack([first[table], second[table]])
                found[rows, table] = np.argmax(judged, axis=1)
        return found

    def values(self, tables: Counts) -> FloatArray:
        """Return the accepting share, shape (n_tables, n_thresholds)."""
        draws = self.draws.repeated(tables.precision.shape[0])
        return draws.shares_at_mean(draws.paired_means(tables.precision, tables.recall))


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
        found: FloatArray = (
            used[:, :1] * tables.true_positives + used[:, 1:] * tables.true_negatives
        )
        return found


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
) -> Objective:
    """Return the objective for a fit, a card, an object with `of_counts`, or a metric function.

    An `Estimate` is taken as the weight a0 of a linear metric.
    """
    if isinstance(metric_or_fit, AcceptanceModel):
        draws = draws_for(metric_or_fit, application, where="threshold")
        return PeopleObjective(draws.thinned(n_people))
    if isinstance(metric_or_fit, Estimate):
        return WeightObjective(_thinned(metric_or_fit.draws, n_people))
    if isinstance(metric_or_fit, ElicitationResult | BisectionResult):
        weight = metric_or_fit.a0
        if metric_or_fit.metric is None:
            raise InputError(
                where="threshold",
                found=f"an elicitation with {metric_or_fit.preferences} answers that prefer a side",
                needed="enough evidence for a metric",
                cure="Ask more questions before choosing a threshold.",
            )
        is_uncertain = isinstance(metric_or_fit, ElicitationResult) and metric_or_fit.is_linear
        if is_uncertain and isinstance(weight, Estimate):
            return WeightObjective(_thinned(weight.draws, n_people))
        metric_or_fit = metric_or_fit.metric
    name = getattr(metric_or_fit, "__name__", None) or repr(metric_or_fit)
    if hasattr(metric_or_fit, "of_counts"):
        return MetricObjective(
            name, lambda tables: metric_or_fit.of_counts(*tables.cells()), is_slow=False
        )
    if callable(metric_or_fit):
        return MetricObjective(name, lambda tables: _called(metric_or_fit, tables), is_slow=True)
    raise InputError(
        where="threshold",
        found=f"a {type(metric_or_fit).__name__}",
        needed="a fit, a model card, or a metric(y_true, y_pred, sample_weight=...)",
        cure="Pass for instance score.PowerMean(p=0, alpha=.35) or sklearn.metrics.f1_score.",
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
