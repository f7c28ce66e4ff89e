"""Means of scarce labels, helped by a cheap prediction that everything has.

In: labels by group, unit and rater (integer codes), the prediction of each labelled row, and the
predictions of everything. Out: the groups' means with their covariance, split into what raters and
what units contribute. Absent: names, intervals (see `score.judging`), how labels became numbers.

With y a label, f the prediction of the same thing and lambda a weight, the mean of a group is

    lambda mean(f over everything) + sum over labels of w (y - lambda f),

prediction-powered inference (Angelopoulos et al., 2023; power tuning: Angelopoulos, Duchi and
Zrnic, 2023) with one difference: the labels are not taken as the truth. Raters and units are both
drawn from many, so the covariance is, with G the sums of each label's influence on the means,

    V = G_raters'G_raters + G_units'G_units - G_both'G_both

(two-way clusters: Cameron, Gelbach and Miller, 2011), and the part of R raters has R - 1 degrees
of freedom or, where some labelled far more than others, fewer. Raters count by what they know,
1 / (tau² + sigma² / n), as studies do in a meta-analysis with random effects.
"""

from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import (
    LARGEST_FREEDOM,
    freedom_of,
    kept_share,
    nearest_covariance,
    summed,
)

# The weight of a prediction is chosen on other units than those it is used for.
N_FOLDS = 5
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledRows:
    """One label per group, unit and rater: its value, and the prediction of the same thing.

    `cluster` says which units come together (else each has its own); `rater` is None where nobody
    noted who labelled. `step` is the smallest difference two labels can show, 0 where they are
    continuous.
    """

    value: FloatArray
    predicted: FloatArray
    group: IntArray
    cluster: IntArray
    rater: IntArray | None
    step: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredictedRows:
    """One prediction per group and unit, of everything; clusters are coded as in the labels."""

    predicted: FloatArray
    group: IntArray
    cluster: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RectifiedMeans:
    """Means (K,), what raters and units add to their covariance (K, K), and what that rests on.

    `weights` are the lambdas, `predicted_only` the means of predictions, and `excess_by_...` the
    parts of the covariance of predicted_only less means. `rater_effect` and `label_noise` are the
    variances between raters and of single labels around them (pooled over groups), `unit_noise`
    that of predictions.
    """

    means: FloatArray
    by_raters: FloatArray
    by_units: FloatArray
    rater_freedom: FloatArray
    unit_freedom: FloatArray
    weights: FloatArray
    predicted_only: FloatArray
    excess_by_raters: FloatArray
    excess_by_units: FloatArray
    rater_effect: float
    label_noise: float
    unit_noise: float


def rectified_means(
    rows: LabelledRows, everything: PredictedRows, *, generator: np.random.Generator
) -> RectifiedMeans:
    """Return the means of all groups; every group has labels and predictions, codes start at 0."""
    n_groups = int(everything.group.max()) + 1
    n_clusters = 1 + int(max(rows.cluster.max(), everything.cluster.max()))
    fold = generator.permutation(n_clusters) % N_FOLDS
    parts = [_of_group(rows, everything, index, fold) for index in range(n_groups)]
    effect, noise = _pooled(parts)
    weights = np.array([part.weight for part in parts])
    means = np.array([part.mean for part in parts])
    predicted = np.array([part.predicted_mean for part in parts])
    influence = _covariances([part.influence for part in parts], rows.step)
    excess = _covariances([part.excess for part in parts], rows.step)
    return RectifiedMeans(
        means=means,
        by_raters=influence[0],
        by_units=influence[1],
        rater_freedom=np.array([part.influence.rater_freedom for part in parts]),
        unit_freedom=np.array([part.influence.unit_freedom for part in parts]),
        weights=weights,
        predicted_only=predicted,
        excess_by_raters=excess[0],
        excess_by_units=excess[1],
        rater_effect=effect,
        label_noise=noise,
        unit_noise=float(np.mean([part.prediction_variance for part in parts])),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Influence:
    """How much each rater, cluster and single label moved one mean, and the sum of squared weights.

    `row_cluster` and `row_rater` place the single labels; sums are dense over all codes.
    """

    raters: FloatArray
    clusters: FloatArray
    rows: FloatArray
    row_key: IntArray
    rater_freedom: float
    unit_freedom: float
    squares: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    mean: float
    weight: float
    predicted_mean: float
    influence: _Influence
    excess: _Influence
    rater_effect: float
    label_noise: float
    n_raters: int
    prediction_variance: float


def _of_group(rows: LabelledRows, everything: PredictedRows, group: int, fold: IntArray) -> _Part:
    mine, all_mine = rows.group == group, everything.group == group
    value, predicted = rows.value[mine], rows.predicted[mine]
    cluster = rows.cluster[mine]
    # Nobody known: every label is somebody else's, and only units are a sample.
    rater = None if rows.rater is None else rows.rater[mine]
    who = np.zeros(len(value), dtype=np.int64) if rater is None else rater
    pool, pool_cluster = everything.predicted[all_mine], everything.cluster[all_mine]
    n_pool, pool_mean = len(pool), float(pool.mean())
    # From here on predictions count from their mean: where they begin then changes nothing.
    pool, predicted = pool - pool_mean, predicted - pool_mean
    weight, effect, noise = _label_weights(value, predicted, who)
    lambdas = _tuned(value, predicted, weight, cluster, who, (pool, pool_cluster), fold)
    by_row = lambdas[fold[cluster]]
    overall = float(np.sum(weight * by_row))
    rectified = value - by_row * predicted
    offset = float(np.sum(weight * rectified))
    moved = weight * (rectified - offset)
    moved_pool = overall * pool / n_pool
    # How far predictions alone are off: (1 - lambda) of them, less the rectifier.
    n_codes = len(fold)
    shape = (weight, who, cluster, rater is not None, n_codes)
    return _Part(
        mean=offset,
        weight=overall,
        predicted_mean=pool_mean,
        influence=_influence(moved, moved_pool, pool_cluster, shape),
        excess=_influence(-moved, pool / n_pool - moved_pool, pool_cluster, shape),
        rater_effect=effect,
        label_noise=noise,
        n_raters=len(np.unique(who)),
        prediction_variance=float(pool.var()),
    )


def _label_weights(
    value: FloatArray, predicted: FloatArray, who: IntArray
) -> tuple[FloatArray, float, float]:
    """Return each label's weight, and the variances between raters and of labels around them."""
    _, who = np.unique(who, return_inverse=True)
    n = np.bincount(who).astype(np.float64)
    n_raters, n_labels = len(n), float(len(value))
    slope = _slope(value - _means(value, who, n)[who], predicted - _means(predicted, who, n)[who])
    around = value - slope * predicted
    means = _means(around, who, n)
    spare = n_labels - n_raters
    noise = float(np.sum((around - means[who]) ** 2) / spare) if spare > 0 else 0.0
    if n_raters == 1:
        return np.full(len(value), 1.0 / n_labels), 0.0, noise
    # DerSimonian and Laird (1986), raters for studies.
    grand = float(n @ means) / n_labels
    between = float(n @ (means - grand) ** 2) - (n_raters - 1.0) * noise
    effect = max(between / (n_labels - float(n @ n) / n_labels), 0.0)
    if spare <= 0:
        effect, noise = 0.0, float(np.var(around, ddof=1))
    # Few raters hardly say how far raters differ. Taken as at least the noise of an average load,
    # nobody's share grows so large that the others are too few to learn it from.
    least = max(effect, noise * n_raters / n_labels)
    known = 1.0 / (least + noise / n) if least > 0 else n
    weight: FloatArray = (known / known.sum() / n)[who]
    return weight, effect, noise


def _tuned(
    value: FloatArray,
    predicted: FloatArray,
    weight: FloatArray,
    cluster: IntArray,
    who: IntArray,
    pool: tuple[FloatArray, IntArray],
    fold: IntArray,
) -> FloatArray:
    """Return for every fold the weight of predictions with least variance in the other folds.

    Labels enter as differences from their rater's mean: three raters who happen to agree more with
    another weight say nothing about it.
    """
    _, who = np.unique(who, return_inverse=True)
    n = np.bincount(who).astype(np.float64)
    centred = value - _means(value, who, n)[who] if np.any(n > 1) else value - value.mean()
    scores, pool_cluster = pool
    label = summed(cluster, weight * centred, size=len(fold))
    fitted = predicted - float(np.sum(weight * predicted))
    moved = -summed(cluster, weight * fitted, size=len(fold))
    moved += summed(pool_cluster, (scores - scores.mean()) / len(scores), size=len(fold))
    products = summed(fold, label * moved, size=N_FOLDS)
    squares = summed(fold, moved * moved, size=N_FOLDS)
    others, spread = products.sum() - products, squares.sum() - squares
    # Predictions that are all alike differ by rounding at most.
    least = max(_SAME * squares.sum(), (_SAME * float(np.abs(scores).max())) ** 2)
    tuned: FloatArray = np.divide(-others, spread, out=np.zeros(N_FOLDS), where=spread > least)
    return tuned


def _influence(
    moved: FloatArray,
    moved_pool: FloatArray,
    pool_cluster: IntArray,
    shape: tuple[FloatArray, IntArray, IntArray, bool, int],
) -> _Influence:
    weight, who, cluster, is_known, n_codes = shape
    raters = summed(who, moved)
    clusters = summed(cluster, moved, size=n_codes)
    clusters += summed(pool_cluster, moved_pool, size=n_codes)
    share, unit_share = summed(who, weight), summed(cluster, weight)
    kept, unit_kept = kept_share(share), kept_share(unit_share)
    has_raters = is_known and kept > _SAME
    key = cluster * (int(who.max()) + 1) + who
    return _Influence(
        raters=raters / np.sqrt(kept) if has_raters else np.zeros_like(raters),
        clusters=clusters / np.sqrt(max(unit_kept, _SAME)),
        rows=moved / np.sqrt(max(unit_kept, _SAME)) if has_raters else np.zeros_like(moved),
        row_key=key,
        rater_freedom=freedom_of(kept) if has_raters else LARGEST_FREEDOM,
        unit_freedom=freedom_of(unit_kept),
        squares=float(unit_share @ unit_share),
    )


def _covariances(parts: list[_Influence], step: float) -> tuple[FloatArray, FloatArray]:
    """Return what raters and what units add to the covariance of all means."""
    raters = _products([part.raters for part in parts])
    units = _products([part.clusters for part in parts])
    both = _row_products(parts)
    # Raters who agree better than their labels' noise allows do so by chance: the noise stays.
    by_raters = raters + nearest_covariance(both - raters)
    # Labels come in steps: one more label a step away would not surprise.
    squares = np.array([part.squares for part in parts])
    by_units = nearest_covariance(units - both) + np.diag((step * squares) ** 2)
    return by_raters, by_units


def _products(columns: list[FloatArray]) -> FloatArray:
    length = max(len(column) for column in columns)
    table = np.array([np.pad(column, (0, length - len(column))) for column in columns])
    products: FloatArray = table @ table.T
    return products


def _row_products(parts: list[_Influence]) -> FloatArray:
    """Return sums over what one rater said about one cluster, which both other sums count."""
    keys = np.unique(np.concatenate([part.row_key for part in parts]))
    return _products(
        [summed(np.searchsorted(keys, part.row_key), part.rows, size=len(keys)) for part in parts]
    )


def _pooled(parts: list[_Part]) -> tuple[float, float]:
    """Return the variances between raters and of labels, pooled over groups."""
    size = np.array([part.n_raters for part in parts], dtype=np.float64)
    effect = float(size @ np.array([part.rater_effect for part in parts]) / size.sum())
    noise = float(size @ np.array([part.label_noise for part in parts]) / size.sum())
    return effect, noise


def _slope(value: FloatArray, predicted: FloatArray) -> float:
    squares = float(predicted @ predicted)
    return float(value @ predicted) / squares if squares > _SAME else 0.0


def _means(value: FloatArray, who: IntArray, n: FloatArray) -> FloatArray:
    means: FloatArray = summed(who, value) / n
    return means
