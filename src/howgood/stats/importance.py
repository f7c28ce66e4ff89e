r"""Modes, importance sampling from multivariate t distributions, and evidence by bridge sampling.

In: a log density of many points at once, with its gradient at one. Out: its top and the curvature
there; weighted draws with their evidence and diagnostics (Pareto k-hat, effective size); a mixture
fitted to weighted draws where no single t resembles the density (bent, or with an edge); the log
evidence of draws made by others. Absent: the verdict (callers set the gates), and bounds:
parameters are transformed to the whole line before they come here.

A bent t is for posteriors like a banana in several directions at once. On standardised axes z in a
chosen order, an axis is moved by squares of the axes before it:

.. math:: z_k = a_k + \sum_{i<k} B_{ki} (\min(|z_i|, 3)^2 - m_i)

with a from a t whose halves may differ. Each axis is moved by those before it alone, so the volume
does not change, and a is read off z at once.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from howgood.stats.arrays import FloatArray

ValueAndGradient = Callable[[FloatArray], tuple[float, FloatArray]]

_STEP = 1e-4
LogDensity = Callable[[FloatArray], FloatArray]

DEGREES_OF_FREEDOM = 7.0
# How far a side reaches is read off at this share of the draws, where a normal one has 1.645 sd.
_REACH_AT = (0.05, 0.5, 0.95)
_REACH_OF_NORMAL = 1.6448536
_STRETCH = (0.3, 4.0)
_ROUNDS = 12
# Draws the whole covariance counts for in that of a component, per dimension.
_SHRINKAGE = 1.0
# Share of the wide component that keeps weights bounded where the others are thin.
_DEFENSIVE_SHARE = 0.2
# A bend counts that lies this many standard errors from none: among a thousand there is no other.
_CLEAR = 4.0
_FARTHEST = 3.0


def maximise(
    function: ValueAndGradient,
    start: FloatArray,
    *,
    metric: FloatArray | None = None,
    tolerance: float = 1e-5,
    most: int = 300,
) -> FloatArray:
    """Return where `function` is largest, by SciPy's BFGS from `start`.

    The first `metric` is the inverse of the curvature at the start, its wrong signs turned, unless
    a similar one is given: parameters of very different scale then need no tuning.

    Examples
    --------
    >>> def bowl(x):
    ...     return -float(x @ x), -2.0 * x
    >>> maximise(bowl, np.array([3.0, -4.0])).round(6).tolist()
    [0.0, 0.0]
    """
    from scipy.optimize import minimize  # a fifth of a second, so only when asked

    def turned(point: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = function(point)
        return -value, -gradient

    first = inverse_curvature(hessian(function, start)) if metric is None else metric
    options = {"hess_inv0": first, "gtol": tolerance, "maxiter": most}
    with np.errstate(over="ignore", invalid="ignore"):  # a step too far is taken back
        optimum = minimize(turned, start, jac=True, method="BFGS", options=options)
    return np.asarray(optimum.x, dtype=np.float64)


def hessian(function: ValueAndGradient, point: FloatArray) -> FloatArray:
    """Return the matrix of second derivatives, by central differences of the gradient."""
    rows = []
    for index in range(point.size):
        shift = np.zeros(point.size)
        shift[index] = _STEP * max(1.0, abs(point[index]))
        above, below = function(point + shift)[1], function(point - shift)[1]
        rows.append((above - below) / (2.0 * shift[index]))
    matrix = np.array(rows)
    return np.asarray(0.5 * (matrix + matrix.T))


def inverse_curvature(matrix: FloatArray, *, largest: float = 1e3) -> FloatArray:
    """Return the inverse of minus `matrix`, made positive definite where it is not."""
    values, vectors = np.linalg.eigh(matrix)
    safe = np.maximum(np.abs(values), 1.0 / largest**2)
    inverse = (vectors / safe) @ vectors.T
    return np.asarray(0.5 * (inverse + inverse.T))


class Proposal(Protocol):
    """A distribution to draw from whose density is known."""

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of shape (n_draws, dimensions)."""

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points."""


@dataclass(frozen=True, slots=True)
class StudentT:
    """A multivariate t whose two halves may differ along every axis (Geweke, 1989).

    `root` is the lower triangular root of the scale matrix; `up` and `down` stretch its axes to
    either side of the `centre`. All ones, it is the ordinary multivariate t.
    """

    centre: FloatArray
    root: FloatArray
    up: FloatArray
    down: FloatArray
    dof: float = DEGREES_OF_FREEDOM

    @classmethod
    def from_moments(cls, centre: FloatArray, scale: FloatArray) -> "StudentT":
        """Build from a centre and a scale matrix, widened a little if it is nearly singular."""
        size = len(scale)
        lift, ones = 0.0, np.ones(size)
        for _ in range(30):
            try:
                root = np.linalg.cholesky(scale + lift * np.eye(size))
            except np.linalg.LinAlgError:
                lift = max(2.0 * lift, 1e-12 * float(np.trace(scale)) / size, 1e-12)
            else:
                return cls(centre, np.asarray(root, dtype=np.float64), ones, ones)
        raise np.linalg.LinAlgError("no positive definite scale")

    @classmethod
    def around(cls, sample: "WeightedDraws", *, dof: float = DEGREES_OF_FREEDOM) -> "StudentT":
        """Build from weighted draws: their covariance, and how far each side reaches."""
        centre, covariance = sample.moments()
        plain = cls.from_moments(centre, covariance)
        axes = np.linalg.solve(plain.root, (sample.draws - centre).T)
        low, middle, high = np.array(
            [_weighted_quantiles(axis, sample.weights, _REACH_AT) for axis in axes]
        ).T
        return cls(
            centre + plain.root @ middle,
            plain.root,
            np.clip((high - middle) / _REACH_OF_NORMAL, *_STRETCH),
            np.clip((middle - low) / _REACH_OF_NORMAL, *_STRETCH),
            dof,
        )

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of shape (n_draws, dimensions)."""
        normal = np.abs(rng.standard_normal((n_draws, self.centre.size)))
        upward = rng.random(normal.shape) < self.up / (self.up + self.down)
        axes = np.where(upward, self.up, -self.down) * normal
        stretch = np.sqrt(rng.chisquare(self.dof, n_draws) / self.dof)
        return np.asarray(self.centre + (axes @ self.root.T) / stretch[:, None])

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at points of shape (n, dimensions)."""
        size, dof = self.centre.size, self.dof
        axes = np.linalg.solve(self.root, (points - self.centre).T).T
        standard = axes / np.where(axes > 0, self.up, self.down)
        constant = (
            math.lgamma((dof + size) / 2)
            - math.lgamma(dof / 2)
            - 0.5 * size * math.log(dof * math.pi)
            - float(np.log(np.diag(self.root)).sum())
            - float(np.log(0.5 * (self.up + self.down)).sum())
        )
        return np.asarray(constant - 0.5 * (dof + size) * np.log1p((standard**2).sum(axis=1) / dof))


@dataclass(frozen=True, slots=True)
class WeightedDraws:
    """Draws of shape (n, dimensions), their weights (summing to 1), evidence and diagnostics.

    `independent` is the effective number of equally weighted draws of a Markov chain; left out,
    the weights decide.
    """

    draws: FloatArray
    weights: FloatArray
    log_evidence: float
    khat: float
    independent: float | None = None

    @property
    def effective(self) -> float:
        """Effective number of draws; of weighted draws 1 / Σ w² (Kish)."""
        if self.independent is not None:
            return self.independent
        return float(1.0 / np.sum(self.weights**2))

    @property
    def efficiency(self) -> float:
        """Effective draws per draw."""
        return self.effective / len(self.weights)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Weighted mean and covariance."""
        centre = self.weights @ self.draws
        away = self.draws - centre
        return centre, np.asarray((away * self.weights[:, None]).T @ away)

    def resampled(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return equally weighted draws, by systematic resampling, in random order."""
        marks = (np.arange(n_draws) + rng.random()) / n_draws
        chosen = np.searchsorted(np.cumsum(self.weights), marks).clip(max=len(self.weights) - 1)
        return np.asarray(self.draws[rng.permutation(chosen)])


def weigh(
    log_density: LogDensity, proposal: Proposal, n_draws: int, rng: np.random.Generator
) -> WeightedDraws:
    """Draw from the proposal and weigh by density over proposal, the largest weights smoothed.

    Evidence and weights come from Pareto smoothed ratios, which a few large ones upset less
    (Vehtari et al., 2024, "Pareto smoothed importance sampling", JMLR 25).
    """
    draws = proposal.sample(n_draws, rng)
    log_ratio = log_density(draws) - proposal.log_density(draws)
    return weighted(draws, log_ratio)


def weighted(draws: FloatArray, log_ratio: FloatArray) -> WeightedDraws:
    """Turn draws and log ratios into weighted draws; ratios that are not finite weigh nothing."""
    log_ratio = np.where(np.isfinite(log_ratio), log_ratio, -np.inf)
    top = float(log_ratio.max())
    if not math.isfinite(top):
        return WeightedDraws(draws, np.full(len(draws), 1.0 / len(draws)), -math.inf, math.inf)
    # Ratios this small cannot matter; the tail fit wants finite numbers.
    shifted = np.maximum(log_ratio - top, -700.0)
    smoothed, khat = _smoothed(shifted)
    log_evidence = top + math.log(float(np.mean(np.exp(smoothed))))
    weights = np.exp(smoothed - smoothed.max())
    return WeightedDraws(draws, weights / weights.sum(), log_evidence, khat)


def tempered(draws: FloatArray, log_ratio: FloatArray, *, least: float) -> WeightedDraws:
    """Weigh draws, ratios raised to the power up to 1 that leaves `least` of them effective.

    They serve to shape a proposal; their evidence and k-hat are not worked out.

    Examples
    --------
    >>> one_outdoes = np.array([0.0, 0.0, 0.0, 9.0])
    >>> round(tempered(np.zeros((4, 1)), one_outdoes, least=2.0).effective, 3)
    2.0
    """
    finite = np.where(np.isfinite(log_ratio), log_ratio, -np.inf)
    shifted = np.maximum(finite - finite.max(), -700.0)

    def at(power: float) -> WeightedDraws:
        weights = np.exp(power * shifted)
        return WeightedDraws(draws, weights / weights.sum(), math.nan, math.nan)

    lower, upper = 0.0, 1.0
    if at(upper).effective >= least:
        return at(upper)
    for _ in range(40):
        middle = 0.5 * (lower + upper)
        lower, upper = (middle, upper) if at(middle).effective >= least else (lower, middle)
    return at(lower)


def _smoothed(log_ratio: FloatArray) -> tuple[FloatArray, float]:
    """Smooth the largest ratios; a tail of equal ratios has nothing to smooth."""
    from arviz_stats.base import array_stats  # with SciPy's statistics a second, so only here

    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # a tail of which much is equal
            smoothed, khat = array_stats.psislw(-log_ratio)
    except (ValueError, IndexError):  # "All tail values are the same", or hardly any draws
        equal = float(np.ptp(log_ratio)) < 1e-9
        return log_ratio, 0.0 if equal else math.inf
    if not np.isfinite(khat) or not np.all(np.isfinite(smoothed)):
        return log_ratio, math.inf
    # arviz-stats returns ratios that sum to one; below the tail only that constant was taken off.
    return np.asarray(smoothed - np.median(smoothed - log_ratio)), float(khat)


def _weighted_quantiles(
    values: FloatArray, weights: FloatArray, shares: tuple[float, ...]
) -> FloatArray:
    order = np.argsort(values)
    passed = np.cumsum(weights[order]) - 0.5 * weights[order]
    return np.interp(shares, passed, values[order])


@dataclass(frozen=True, slots=True)
class StudentMixture:
    """Several t distributions with their shares."""

    components: tuple[StudentT, ...]
    shares: FloatArray

    @classmethod
    def around(
        cls, sample: WeightedDraws, *, n_components: int, dof: float, rng: np.random.Generator
    ) -> "StudentMixture":
        """Fit by weighted expectation maximisation, with one wide component kept aside.

        Updates of Cappé et al. (2008), "Adaptive importance sampling in general mixture classes",
        Statistics and Computing 18; covariances are shrunk to that of all draws.
        """
        wide = StudentT.around(sample, dof=dof)
        covariance = sample.moments()[1]
        seeds = sample.resampled(n_components, rng)
        start = [replace(StudentT.from_moments(seed, covariance), dof=dof) for seed in seeds]
        mixture = cls(tuple(start), np.full(n_components, 1.0 / n_components))
        for _ in range(_ROUNDS):
            mixture = mixture._updated(sample, covariance, dof)
        return cls(
            (wide, *mixture.components),
            np.append(_DEFENSIVE_SHARE, (1.0 - _DEFENSIVE_SHARE) * mixture.shares),
        )

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of shape (n_draws, dimensions)."""
        counts = rng.multinomial(n_draws, self.shares)
        drawn = [
            component.sample(int(count), rng)
            for component, count in zip(self.components, counts, strict=True)
        ]
        return rng.permutation(np.concatenate(drawn))

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at points of shape (n, dimensions)."""
        return np.asarray(np.logaddexp.reduce(self._log_parts(points), axis=1))

    def _log_parts(self, points: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            shares = np.log(self.shares)
        return (
            np.column_stack([component.log_density(points) for component in self.components])
            + shares
        )

    def _updated(self, sample: WeightedDraws, whole: FloatArray, dof: float) -> "StudentMixture":
        log_parts = self._log_parts(sample.draws)
        log_parts -= np.logaddexp.reduce(log_parts, axis=1, keepdims=True)
        belongs = np.exp(log_parts) * sample.weights[:, None]
        size = len(whole)
        anchor = _SHRINKAGE * size / sample.effective
        components = []
        for component, mine in zip(self.components, belongs.T, strict=True):
            axes = np.linalg.solve(component.root, (sample.draws - component.centre).T)
            near = mine * (dof + size) / (dof + (axes**2).sum(axis=0))
            total = max(float(near.sum()), 1e-300)
            centre = near @ sample.draws / total
            away = sample.draws - centre
            scatter = (away * near[:, None]).T @ away + anchor * whole
            scale = scatter / (float(mine.sum()) + anchor)
            components.append(replace(StudentT.from_moments(centre, scale), dof=dof))
        return StudentMixture(tuple(components), belongs.sum(axis=0))


def bridge_log_evidence(
    draws: FloatArray, log_density: LogDensity, *, n_effective: float, rng: np.random.Generator
) -> float:
    """Return the log evidence (Meng and Wong, 1996, with their optimal bridge).

    Half of the draws shape a t distribution, the other half is bridged to it.
    """
    draws = rng.permutation(draws)
    shaping, bridged = np.array_split(draws, 2)
    proposal = StudentT.from_moments(
        shaping.mean(axis=0), np.cov(shaping.T, ddof=0).reshape(2 * (draws.shape[1],))
    )
    fresh = proposal.sample(len(bridged), rng)
    from_posterior = log_density(bridged) - proposal.log_density(bridged)
    from_proposal = log_density(fresh) - proposal.log_density(fresh)
    share = n_effective / (n_effective + 2 * len(fresh))  # half of the effective draws are bridged
    middle = float(np.median(from_posterior))
    log_evidence = 0.0
    for _ in range(1000):
        above = np.exp(from_proposal - middle)
        below = 1.0 / (share * np.exp(from_posterior - middle) + (1 - share) * np.exp(log_evidence))
        new = float(np.log(np.mean(above / (share * above + (1 - share) * np.exp(log_evidence)))))
        new -= float(np.log(np.mean(below)))
        if abs(new - log_evidence) < 1e-8:
            break
        log_evidence = new
    return middle + new


@dataclass(frozen=True, slots=True)
class BentT:
    """A t on axes `root` around `centre`, axes bent by the squares of axes before them."""

    straight: StudentT
    centre: FloatArray
    root: FloatArray
    bends: FloatArray
    usual: FloatArray

    @classmethod
    def around(cls, sample: WeightedDraws, *, dof: float) -> "BentT":
        """Build from weighted draws: covariance, clear bends, how far each side then reaches.

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> z = rng.standard_normal((4000, 2))
        >>> banana = np.column_stack([z[:, 0] + z[:, 1] ** 2, z[:, 1]])
        >>> bent = BentT.around(WeightedDraws(banana, np.full(4000, 1 / 4000), 0.0, 0.0), dof=20.0)
        >>> drawn = bent.sample(4000, rng)
        >>> bool(np.corrcoef(drawn[:, 0], drawn[:, 1] ** 2)[0, 1] > 0.7)
        True
        """
        centre, covariance = sample.moments()
        turn = np.eye(len(centre))[_order(sample, centre, covariance)]
        root = turn.T @ StudentT.from_moments(centre, turn @ covariance @ turn.T).root
        axes = np.asarray(np.linalg.solve(root, (sample.draws - centre).T).T, dtype=np.float64)
        usual = sample.weights @ _squares(axes)
        bends = _clear_bends(axes, _squares(axes) - usual, sample)
        unbent = axes - (_squares(axes) - usual) @ bends.T
        inside = WeightedDraws(unbent, sample.weights, sample.log_evidence, sample.khat)
        return cls(StudentT.around(inside, dof=dof), centre, root, bends, usual)

    def moved(self, start: StudentT, end: StudentT) -> "BentT":
        """Return the same shape around `end` as this one has around `start`.

        Where `end` has more dimensions than `start`, they follow its t.
        """
        size, more = len(self.centre), len(end.centre) - len(self.centre)
        whole = np.eye(size + more)
        whole[:size, :size] = np.linalg.solve(start.root, self.root)
        away = np.zeros(size + more)
        away[:size] = np.linalg.solve(start.root, self.centre - start.centre)
        inner, ones = self.straight, np.ones(more)
        root = np.eye(size + more)
        root[:size, :size] = inner.root
        bends = np.zeros((size + more, size + more))
        bends[:size, :size] = self.bends
        return BentT(
            StudentT(
                np.append(inner.centre, np.zeros(more)), root,
                np.append(inner.up, ones), np.append(inner.down, ones), inner.dof,
            ),
            end.centre + end.root @ away,
            end.root @ whole,
            bends,
            np.append(self.usual, ones),
        )  # fmt: skip

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of shape (n_draws, dimensions)."""
        axes = self.straight.sample(n_draws, rng)
        for k in np.flatnonzero(self.bends.any(axis=1)):
            axes[:, k] += (_squares(axes[:, :k]) - self.usual[:k]) @ self.bends[k, :k]
        return np.asarray(self.centre + axes @ self.root.T)

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at points of shape (n, dimensions)."""
        axes = np.asarray(np.linalg.solve(self.root, (points - self.centre).T).T, dtype=np.float64)
        unbent = axes - (_squares(axes) - self.usual) @ self.bends.T
        return self.straight.log_density(unbent) - float(np.linalg.slogdet(self.root)[1])


def _squares(axes: FloatArray) -> FloatArray:
    """Squares, level beyond a few standard deviations, where draws are too few to say."""
    return np.asarray(np.minimum(np.abs(axes), _FARTHEST) ** 2)


def _order(sample: WeightedDraws, centre: FloatArray, covariance: FloatArray) -> NDArray[np.intp]:
    """Put first what bends others, last what is bent."""
    away = (sample.draws - centre) / np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    pulls = ((away**2 - 1.0) * sample.weights[:, None]).T @ away
    np.fill_diagonal(pulls, 0.0)
    pulls[np.abs(pulls) < _CLEAR * np.sqrt(2.0 / sample.effective)] = 0.0
    return np.argsort((pulls**2).sum(axis=0) - (pulls**2).sum(axis=1), kind="stable")


def _clear_bends(axes: FloatArray, squares: FloatArray, sample: WeightedDraws) -> FloatArray:
    """Regress each axis on those squares of axes before it that clearly move it."""
    n, weights = axes.shape[1], sample.weights[:, None]
    spread = (squares * weights).T @ squares
    together = (squares * weights).T @ axes
    bends = np.zeros((n, n))
    for k in range(1, n):
        own = np.diag(spread)[:k]
        clear = np.flatnonzero(np.abs(together[:k, k]) > _CLEAR * np.sqrt(own / sample.effective))
        if clear.size:
            bends[k, clear] = np.linalg.solve(spread[np.ix_(clear, clear)], together[clear, k])
    return bends
