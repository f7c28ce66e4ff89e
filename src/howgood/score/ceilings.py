"""How good any system can be, given that people disagree.

In: a metric, and labels that several people gave to the same items (or an sd). Out: `NoiseCeiling`.
Absent: agreement of raters (see `learn.rater_agreement`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError
from howgood.learn.label_ceilings import function_ceiling, known_ceiling
from howgood.records.ceiling import NoiseCeiling
from howgood.records.estimate import Estimate
from howgood.records.missing import complete_rows
from howgood.records.provenance import Provenance
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.randomness import RandomState, generator_and_seed

_WHERE = "labels"


def noise_ceiling(
    metric: str | Callable[[NDArray[Any], NDArray[Any]], float],
    labels: Any = None,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    item: str = "item",
    label: str = "label",
    sd: ArrayLike | None = None,
    positive: object = None,
    alpha: float = 2.0,
    beta: float = 1.0,
    greater_is_better: bool = True,
    missing: str = "error",
    random_state: RandomState = 0,
) -> NoiseCeiling:
    r"""Return the best score any system can expect against one person's label.

    People disagree, so no answer is right for all of them. Of accuracy the ceiling is
    :math:`E \max_y P(y \mid item)`; of RMSE (a floor) the magic barrier; of a correlation the root
    of reliability; of F and G the best cut of the shares of positive labels.

    Parameters
    ----------
    metric : str or callable
        "accuracy", "f", "g" (geometric mean of precision and recall), "rmse", "relevance"
        (Relevance Score; items are contexts), "win_rate" (agreement with a vote; items are pairs of
        outputs), "correlation"; or any `metric(y_true, y_pred)`.
    labels : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per label; items with one label are left out and counted.
    item, label : str
        Columns.
    sd : float or array, optional
        Of "rmse": how far one rating lies from the mean of many, instead of labels.
    positive : label, optional
        Of "f" and "g": which label is positive. None: 1 where it occurs, else the last one.
    alpha, beta : float
        Weights of the Relevance Score.
    greater_is_better : bool
        Of a callable metric.
    missing : {"error", "drop"}
        What to do with rows holding a missing value.
    random_state : None, int or Generator
        For the intervals.

    Returns
    -------
    NoiseCeiling
        `.plug_in` uses all labels of an item and is too good with few; `.left_out` makes each
        answer from the other labels and is too bad; `.lower` and `.upper` are both ends.

    References
    ----------
    Said et al. (2012), "Users and noise: the magic barrier of recommender systems".

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> votes = {"item": [1, 1, 1, 2, 2, 2], "label": ["a", "a", "b", "b", "b", "b"]}
    >>> ceiling = noise_ceiling("accuracy", votes)
    >>> round(ceiling.plug_in.mean, 3), round(ceiling.left_out.mean, 3)
    (0.833, 0.667)
    """
    generator, _ = generator_and_seed(random_state)
    if sd is not None:
        return _barrier(metric, sd)
    if labels is None:
        raise InputError(
            where=_WHERE,
            found="nothing",
            needed="labels that several people gave, or of rmse an sd",
            cure="Pass a table with a row per label.",
        )
    columns = frame_columns(labels, [item, label], where=_WHERE)
    kept, n_missing = complete_rows(columns, missing=missing, where=_WHERE)
    _check_weights(alpha, beta)
    if callable(metric):
        ceiling = function_ceiling(
            metric, kept[label], kept[item], greater_is_better=greater_is_better,
            generator=generator,
        )  # fmt: skip
    else:
        ceiling = known_ceiling(
            metric, kept[label], kept[item], positive=positive, weights=(alpha, beta),
            generator=generator,
        )  # fmt: skip
    if not n_missing:
        return ceiling
    dropped = {**ceiling.provenance.rows_dropped, "missing": n_missing}
    return replace(ceiling, provenance=replace(ceiling.provenance, rows_dropped=dropped))


def _check_weights(alpha: float, beta: float) -> None:
    if not (alpha >= 0 and beta >= 0 and 0 < alpha + beta < np.inf):
        raise InputError(
            where="alpha, beta",
            found=f"{alpha} and {beta}",
            needed="finite weights of 0 or more, not both 0",
            cure="Use for instance alpha=2, beta=1.",
        )


def _barrier(metric: object, sd: ArrayLike) -> NoiseCeiling:
    """Return the floor of RMSE where the spread is known: the magic barrier."""
    if metric != "rmse":
        raise InputError(
            where="sd",
            found=f"an sd, and the metric {metric!r}",
            needed="labels: an sd tells the floor of rmse only",
            cure="Pass labels, or metric='rmse'.",
        )
    spread = np.atleast_1d(as_numbers(sd, where="sd"))
    if not len(spread) or not np.all(np.isfinite(spread)) or (spread < 0).any():
        raise InputError(
            where="sd",
            found="no value, or one that is negative, missing or infinite",
            needed="standard deviations: numbers of 0 or more",
            cure="Correct the sd.",
        )
    value = Estimate.from_draws([float(np.sqrt(np.mean(spread**2)))])
    return NoiseCeiling(
        metric="rmse",
        greater_is_better=False,
        plug_in=value,
        left_out=value,
        n_items=len(spread),
        n_labels=0,
        provenance=Provenance(
            method="magic barrier of the sd given",
            settings={"metric": "rmse"},
            rows_used=len(spread),
        ),
    )
