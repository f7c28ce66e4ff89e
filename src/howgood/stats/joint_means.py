"""One joint distribution of several means, from what is known about their variance components.

In: means and pieces of covariance, each known up to a factor with few degrees of freedom. Out:
draws of the means, the same for every question: who is ahead, who is best, who ties. Absent:
where the pieces come from (see `crossed_components`, `two_way_clusters`), and names.

Variance components are drawn from their mean squares (each over a chi-square, prior 1 / mean
square), those that would leave a negative variance left out (Box and Tiao, 1973, chapter 5). Given
the components the means are Gaussian around those observed.

Three groups or more say how far groups differ, and so how much of a small difference is noise:
their true means are Gaussian with a common sd tau, whose prior is flat. With v the variance of a
mean, all differences shrink by the factor 1 - v / (v + tau²), which keeps their order. Where some
means are known far better than others, each shrinks as its own variance says (`Unequal`): a mean
that is hardly known neither leads by its noise nor blurs the others: in the directions in which
errors of differences are uncorrelated (eigenvectors of the centred covariance, with variances l) a
distance y keeps tau² / (tau² + l) of itself, exactly the posterior, given tau and a flat prior of
the common centre. Two groups say nothing about tau: their difference has a flat prior.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincinv, gammaln, ndtri

from howgood.stats.arrays import FloatArray
from howgood.stats.crossed_components import Component

# Values of tau looked at, from this share of the smallest sd to so many times the range of means.
_TAUS, _LOWEST, _HIGHEST = 512, 1e-3, 1e4
# Directions known so much better than the others are known.
_KNOWN = 1e-12
# Points of the nets for variances and for noise. Noise is used with either sign, so that the better
# of two observed means is ahead in at least half of the draws.
_VARIANCES, _POINTS = 2_048, 16_384
_CELLS = 64
_TINY = 2.0**-40
# Shapes of covariance that differ by less than this share are one.
_SAME_SHAPE = 1e-9
_LEAST = float(np.finfo(float).tiny)
# A mean square below this share of its floor, or less likely than this, is drawn from its limit.
_FAR_BELOW, _HARDLY = 1e-9, 1e-250
# With hardly any degrees of freedom a variance has no upper end: this many times what was seen.
_FARTHEST = 1e60
_TAIL, _Z = 1e-9, 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shrinking:
    """For each draw what is kept (n, r) along directions (K, r), and its log weight (n,)."""

    directions: FloatArray
    kept: FloatArray
    log_weights: FloatArray

    def applied(
        self, means: FloatArray, moved: FloatArray, chosen: NDArray[np.int64]
    ) -> tuple[FloatArray, FloatArray]:
        """Return where chosen draws lie, and how far noise moves them from there."""
        kept = self.kept[chosen]
        away = (means - means.mean()) @ self.directions
        middle = means.mean() + (kept * away) @ self.directions.T
        return middle, (np.sqrt(kept) * (moved @ self.directions)) @ self.directions.T


def own_shrinking(
    means: FloatArray, covariance: FloatArray, factors: FloatArray, uniform: FloatArray
) -> Shrinking:
    """Return how means shrink whose centred covariance is one of the factors times the one given.

    Examples
    --------
    A mean that is hardly known goes to the others, which stay where they are:

    >>> centring = np.eye(4) - 0.25
    >>> covariance = centring @ np.diag([0.01, 0.01, 0.01, 25.0]) @ centring
    >>> one, half = np.ones(1), np.full(1, 0.5)
    >>> found = own_shrinking(np.array([-1.0, 0.0, 1.0, 9.0]), covariance, one, half)
    >>> middle, _ = found.applied(np.array([-1.0, 0.0, 1.0, 9.0]), np.zeros((1, 4)), np.array([0]))
    >>> np.diff(middle[0]).round(1).tolist()[:2], bool(middle[0, 3] < 4.5)
    ([1.0, 1.0], True)
    """
    directions, variances = _directions(covariance)
    if variances is None:
        kept = np.ones((len(factors), len(means) - 1))
        return Shrinking(directions=directions, kept=kept, log_weights=np.zeros(len(factors)))
    tau, total, cumulated, top = _density(means, directions, variances, factors)
    wanted = uniform * cumulated[:, -1]
    place = np.minimum((cumulated < wanted[:, None]).sum(axis=1), _TAUS - 1)
    return Shrinking(
        directions=directions,
        kept=(tau[:, None] ** 2 / total)[place],
        log_weights=top + np.log(cumulated[:, -1]) - (len(means) - 2) / 2 * np.log(factors),
    )


def middle_spread(means: FloatArray, covariance: FloatArray) -> float:
    """Return the median of tau, how far true means differ, given the centred covariance of means.

    Examples
    --------
    Means that are known exactly: with r directions tau² is their sum of squares over a chi-square
    with r - 1 degrees of freedom, whose median for r - 1 = 2 is 2 log 2.

    >>> means = np.array([-3.0, -1.0, 1.0, 3.0])
    >>> tau = middle_spread(means, 1e-9 * (np.eye(4) - 0.25))
    >>> round(tau, 1), round(float(np.sqrt(20 / (2 * np.log(2)))), 1)
    (3.8, 3.8)
    """
    directions, variances = _directions(covariance)
    if variances is None:
        variances = np.full(len(means) - 1, _KNOWN * max(float(np.ptp(means)) ** 2, _KNOWN))
    tau, _, cumulated, _ = _density(means, directions, variances, np.ones(1))
    middle = np.interp(0.5, cumulated[0] / cumulated[0, -1], np.log(tau))
    return float(np.exp(middle + 0.5 * np.log(tau[1] / tau[0])))


def _directions(covariance: FloatArray) -> tuple[FloatArray, FloatArray | None]:
    """Return directions (K, K - 1) with uncorrelated errors, and their variances; None: all 0.

    The mean of all, of which differences say nothing, is made the last direction, and left out.
    """
    apart = 1.0 + 2.0 * float(np.trace(covariance))
    values, vectors = np.linalg.eigh(covariance + apart / len(covariance))
    directions, variances = vectors[:, :-1], np.maximum(values[:-1], 0.0)
    largest = float(variances.max())
    if largest <= _KNOWN * apart:
        return directions, None
    return directions, np.maximum(variances, _KNOWN * largest)


def _density(
    means: FloatArray, directions: FloatArray, variances: FloatArray, factors: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return tau (t,), variances with it (t, r), and its density summed up (n, t) over its top."""
    away = (means - means.mean()) @ directions
    lowest = _LOWEST * np.sqrt(variances.min())
    highest = _HIGHEST * max(float(np.ptp(means)), np.sqrt(variances.max()))
    # tau in units of the root of the factor; its prior is flat, the grid even in its logarithm.
    tau = np.exp(np.linspace(np.log(lowest), np.log(highest), _TAUS))
    total = variances + tau[:, None] ** 2
    logs = np.log(tau) - 0.5 * np.log(total).sum(axis=1)
    density = logs - 0.5 * (away**2 / total).sum(axis=1) / factors[:, None]
    top = density.max(axis=1)
    return tau, total, np.cumsum(np.exp(density - top[:, None]), axis=1), top


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointMeans:
    """Draws (n_draws, K) of all means, and how far each mean and difference is known.

    `middles` (K,) are where the draws lie: in the order of the observed means, unless each shrinks
    by its own variance. `own_sds` (K,) and `apart_sds` (K, K): Gaussians with these sds have the
    95 % intervals of the observed means and of their differences.
    """

    draws: FloatArray
    middles: FloatArray
    own_sds: FloatArray
    apart_sds: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unequal:
    """What means are shrunk by, each as its own variance says.

    `means` (K,) are those observed, as seen from where the shrunk ones lie: the same unless their
    likelihood is skewed. `covariance` (K, K) is that of their errors up to a factor; it has to be
    steadier than components of few clusters are, whose smallest variances are small by chance.
    `turn` (K, K) is what errors of the components are multiplied by there.
    """

    means: FloatArray
    covariance: FloatArray
    turn: FloatArray


def joint_means(
    means: FloatArray,
    components: Sequence[Component],
    *,
    generator: np.random.Generator,
    unequal: Unequal | None = None,
) -> JointMeans:
    """Return draws of means whose covariance is the sum of the components.

    `components` come with the finest first: every one after those within it. `unequal` is for three
    means or more; without it all differences shrink alike.
    """
    n_means, n_parts = len(means), len(components)
    shapes = np.array([component.shape for component in components])
    centred = shapes - shapes.mean(axis=1, keepdims=True)
    centred = centred - centred.mean(axis=2, keepdims=True)
    traces = np.trace(centred, axis1=1, axis2=2)
    uniform = _net(n_parts + 1, _VARIANCES, generator)
    variances, log_shares = _variance_draws(components, uniform[:, :n_parts])
    # What moves all means alike has no say in their differences.
    is_moving = traces > _SAME_SHAPE * traces.max()
    log_weights = log_shares[:, is_moving].sum(axis=1)
    plain, sizes, seen = log_weights, variances @ traces, means
    shrinking: Shrinking | _EvenShrinking | None = None
    if unequal is not None:
        turned = unequal.turn @ centred @ unequal.turn.T
        sizes, seen = variances @ np.trace(turned, axis1=1, axis2=2), unequal.means
        scaled = _scaled(unequal.covariance, sizes)
        shrinking = own_shrinking(seen, *scaled, uniform[:, n_parts])
    elif n_means > 2:
        shrinking = _even_shrinking(means, sizes, uniform[:, n_parts])
    if shrinking is not None:
        log_weights = log_weights + shrinking.log_weights
    roots, owners = _roots(centred)
    net = _net(len(roots) + 2, _POINTS, generator)
    order = np.argsort(sizes, kind="stable")
    chosen, observed = (_chosen(value, order, net[:, 0]) for value in (log_weights, plain))
    noise, sds = ndtri(net[:, 1:]), np.sqrt(variances @ owners)
    moved = (noise[:, 1:] * sds[chosen]) @ (roots if unequal is None else roots @ unequal.turn.T)
    middle = np.broadcast_to(seen, moved.shape)
    if shrinking is not None:
        middle, moved = shrinking.applied(seen, moved, chosen)
    # Many pairs make do with fewer draws.
    some = slice(None, None, max(1, n_means // 8))
    return JointMeans(
        draws=np.concatenate([middle + moved, middle - moved]),
        middles=middle.mean(axis=0),
        own_sds=_own_sds(variances[observed], shapes, noise[:, 0]),
        apart_sds=_apart_sds((noise[some, 1:] * sds[observed[some]]) @ roots),
    )


def _scaled(covariance: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a centred covariance as large as a typical draw of sizes, and factors to all draws."""
    n_means = len(covariance)
    centring = np.eye(n_means) - 1.0 / n_means
    centred = centring @ covariance @ centring
    typical = float(np.exp(np.log(np.maximum(sizes, _LEAST)).mean()))
    return centred * (typical / float(np.trace(centred))), sizes / typical


@dataclass(frozen=True, slots=True, eq=False)
class _EvenShrinking:
    """What all differences keep alike in each draw (n,), and the log weight of the draw."""

    kept: FloatArray
    log_weights: FloatArray

    def applied(
        self, means: FloatArray, moved: FloatArray, chosen: NDArray[np.int64]
    ) -> tuple[FloatArray, FloatArray]:
        kept = self.kept[chosen, None]
        return means.mean() + kept * (means - means.mean()), np.sqrt(kept) * moved


def _even_shrinking(means: FloatArray, sizes: FloatArray, uniform: FloatArray) -> _EvenShrinking:
    away = means - means.mean()
    spread = sizes / (len(means) - 1)
    return _EvenShrinking(*_kept(float(away @ away), spread, len(means), uniform))


def next_means(
    means: FloatArray,
    doubt: FloatArray,
    spread: FloatArray,
    *,
    freedom: float,
    generator: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return draws (n_draws, K) of the true means, and of the next ones seen around them.

    `doubt` and `spread` (K, K) are the covariances of observed and of next means around the true
    ones, both known up to one factor with `freedom` degrees of freedom. True means shrink as in
    `joint_means`; what the next ones add to them does not.
    """
    n_means = len(means)
    centring = np.eye(n_means) - 1.0 / n_means
    inner, outer = (_root(centring @ part @ centring) for part in (doubt, spread))
    net = _net(2 + len(inner) + len(outer), _POINTS, generator)
    factor = np.ones(_POINTS)
    if np.isfinite(freedom):
        factor = freedom / (2 * gammaincinv(freedom / 2, 1 - net[:, 0]))
    away, kept = means - means.mean(), np.ones(_POINTS)
    if n_means > 2:
        variance = factor * float(np.trace(centring @ doubt)) / (n_means - 1)
        kept, log_weights = _kept(float(away @ away), variance, n_means, net[:, 1])
        # The draws of the factor stay in their order, so that `kept` keeps its own factor.
        chosen = _chosen(log_weights, np.arange(_POINTS), (np.arange(_POINTS) + 0.5) / _POINTS)
        kept, factor = kept[chosen], factor[chosen]
    kept, scale = kept[:, None], np.sqrt(factor)[:, None]
    noise = ndtri(net[:, 2:])
    moved = np.sqrt(kept) * scale * (noise[:, : len(inner)] @ inner)
    further = scale * (noise[:, len(inner) :] @ outer)
    middle = means.mean() + kept * away
    true = np.concatenate([middle + moved, middle - moved])
    return true, true + np.concatenate([further, -further])


def _root(covariance: FloatArray) -> FloatArray:
    """Return directions (r, K) whose products add up to the covariance."""
    values, vectors = np.linalg.eigh(covariance)
    is_kept = values > _SAME_SHAPE * max(float(values.max()), _LEAST)
    root: FloatArray = (vectors[:, is_kept] * np.sqrt(values[is_kept])).T
    return root


def _net(n_columns: int, n_points: int, generator: np.random.Generator) -> FloatArray:
    from scipy.stats import qmc  # 40 MB, needed when the rows of a large table are gone

    net = qmc.Sobol(n_columns, scramble=True, rng=generator)
    points: FloatArray = np.clip(net.random(n_points), _TINY, 1 - _TINY)
    return points


def _roots(centred: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return directions (r, K) and which components' variances (n_parts, r) go along each.

    Components of one shape share their directions; those that move all means alike have none.
    """
    sizes = np.trace(centred, axis1=1, axis2=2)
    largest = float(sizes.max())
    shapes: list[FloatArray] = []
    owners: list[FloatArray] = []
    for part, size in enumerate(sizes):
        if size <= _SAME_SHAPE * largest:
            continue
        shape = centred[part] / size
        for known, owner in zip(shapes, owners, strict=True):
            if np.abs(known - shape).max() <= _SAME_SHAPE:
                owner[part] = size
                break
        else:
            shapes.append(shape)
            owners.append(np.where(np.arange(len(sizes)) == part, size, 0.0))
    roots, columns = [], []
    for shape, owner in zip(shapes, owners, strict=True):
        values, vectors = np.linalg.eigh(shape)
        is_kept = values > _SAME_SHAPE
        roots.append((vectors[:, is_kept] * np.sqrt(values[is_kept])).T)
        columns.append(np.repeat(owner[:, None], int(is_kept.sum()), axis=1))
    if not roots:
        return np.zeros((0, centred.shape[1])), np.zeros((len(sizes), 0))
    return np.vstack(roots), np.hstack(columns)


def _variance_draws(
    components: Sequence[Component], uniform: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return variances (n_draws, n_parts) drawn from mean squares, and their log likelihood."""
    drawn: dict[str, FloatArray] = {}
    sizes = {one_component.name: one_component.size for one_component in components}
    log_shares = np.zeros_like(uniform)
    for place, component in enumerate(components):
        floor = np.zeros(len(uniform))
        for name in component.finer:
            floor += sizes[name] * drawn[name]
        mean_square, log_shares[:, place] = _above(
            component.mean_square, component.freedom, floor, uniform[:, place]
        )
        drawn[component.name] = (mean_square - floor) / component.size
    return np.column_stack([drawn[one_component.name] for one_component in components]), log_shares


def _above(
    mean_square: float, freedom: float, floor: FloatArray, uniform: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return draws of an expected mean square at or above `floor`, and their log likelihood.

    With a mean square far below its floor, or of zero, the expected one is more than t times the
    floor with probability t to the power of minus half the degrees of freedom (Pareto), and the
    likelihood of a floor is, up to a constant, its power with the same exponent.
    """
    half, total = freedom / 2, max(mean_square, 0.0) * freedom
    most = np.divide(total / 2, floor, out=np.full_like(floor, np.inf), where=floor > 0)
    share = gammainc(half, most)
    chi_square = 2 * gammaincinv(half, uniform * share)
    drawn = total / np.maximum(chi_square, 1 / _FARTHEST)
    log_shares = np.log(np.maximum(share, _LEAST))
    is_far = (most < _FAR_BELOW) | (share < _HARDLY)
    if np.any(is_far):
        most, low = most[is_far], floor[is_far]
        falling = half - np.minimum(most, half / 2)
        times = np.exp(np.minimum(-np.log(uniform[is_far]) / falling, np.log(_FARTHEST)))
        drawn[is_far] = low * times
        log_most = np.log(total / 2 if total > 2 * _LEAST else 1.0) - np.log(low)
        log_shares[is_far] = half * log_most - most - gammaln(half + 1)
        log_shares[is_far] -= np.log1p(-np.minimum(most / (half + 1), 0.5))
    return np.maximum(drawn, floor), log_shares


def _kept(
    squares: float, spread: FloatArray, n_means: int, uniform: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Return the drawn share of a difference that is real, and the log weight of each variance.

    With v the variance of a mean and tau flat, :math:`B = v / (v + \tau^2) = \sin^2\varphi` has the
    density :math:`\sin^{K-3}\varphi\, e^{-Q \sin^2\varphi / 2}` in :math:`\varphi`, Q the sum of
    squares of the means over v; what it integrates to, times :math:`v^{-(K-2)/2}`, is the
    likelihood of v.
    """
    is_known = spread <= 0
    v = np.where(is_known, 1.0, spread)
    ratio = squares / v
    top = 2 * gammaincinv((n_means - 2) / 2, 1 - _TAIL) / np.maximum(ratio, _TINY)
    widest = np.arcsin(np.sqrt(np.minimum(top, 1.0)))
    angle = widest[:, None] * (np.arange(_CELLS) + 0.5) / _CELLS
    sines = np.sin(angle)
    log_density = (n_means - 3) * np.log(sines) - ratio[:, None] * sines**2 / 2
    highest = log_density.max(axis=1)
    cumulated = np.cumsum(np.exp(log_density - highest[:, None]), axis=1)
    total = cumulated[:, -1]
    wanted = uniform * total
    cell = np.sum(cumulated < wanted[:, None], axis=1)
    rows = np.arange(len(cell))
    before = np.where(cell > 0, cumulated[rows, np.maximum(cell - 1, 0)], 0.0)
    within = (wanted - before) / (cumulated[rows, cell] - before)
    shrunk = np.sin(widest * (cell + within) / _CELLS) ** 2
    log_weights = highest + np.log(total * widest) - (n_means - 2) / 2 * np.log(v)
    return np.where(is_known, 1.0, 1.0 - shrunk), np.where(is_known, 0.0, log_weights)


def _chosen(
    log_weights: FloatArray, order: NDArray[np.int64], uniform: FloatArray
) -> NDArray[np.int64]:
    """Return places of draws, each as often as its weight says: quantiles in the given order."""
    weights = np.cumsum(np.exp(log_weights - log_weights.max())[order])
    place = np.searchsorted(weights / weights[-1], uniform)
    chosen: NDArray[np.int64] = order[np.minimum(place, len(order) - 1)]
    return chosen


def _own_sds(variances: FloatArray, shapes: FloatArray, noise: FloatArray) -> FloatArray:
    own = np.diagonal(shapes, axis1=1, axis2=2)
    return np.array(
        [np.quantile(np.abs(noise) * np.sqrt(variances @ column), 0.95) / _Z for column in own.T]
    )


def _apart_sds(apart: FloatArray) -> FloatArray:
    n_means = apart.shape[1]
    sds = np.zeros((n_means, n_means))
    for one in range(1, n_means):
        gaps = np.abs(apart[:, one, None] - apart[:, :one])
        sds[one, :one] = sds[:one, one] = np.quantile(gaps, 0.95, axis=0) / _Z
    return sds
