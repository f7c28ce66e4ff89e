r"""Differences of absolute deviations from two points: moments per row, and the tail of their sum.

In: Gaussians and two points each. Out: exact means and variances of :math:`|X-p| - |X-q|`; the
probability that their sum is above a value, and an estimate of its error. Absent: one point (see
`folded_normal`).

The line is split at both points p < q: below them |X-p| - |X-q| is p - q, above them it is q - p,
and between them it is 2 X - p - q, so truncated moments are all that is needed: a Gaussian clipped
to :math:`\pm(q-p)`, with an atom at either end. Tilted by :math:`e^{s y}` it stays such a mixture,
so the cumulant function K and its derivatives are closed-form. Up to `MOST_EXACT` terms its
transform is inverted along :math:`s + i y` (s the saddlepoint; 0 near the mean), as in
`cumulant_functions`.
Beyond, Lugannani and Rice's formula with its next term (Daniels 1987) is exact enough: what it
leaves out falls with the square of the number of terms.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import betainc, betaincinv, betaln, gammaln, log_ndtr, ndtr, wofz

from howgood.stats.arrays import ComplexArray, FloatArray

_ROOT_TWO_PI = np.sqrt(2 * np.pi)
MOST_EXACT = 20_000

_STEPS = 60
_NEAR = 1e-3  # below so many standard deviations from the mean the formula is 0 / 0
_BODY = 4.0  # within so many of them the line through 0 keeps the digits of both tails
_PERIOD = 24.0  # standard deviations between the repetitions that nodes bring in
_JUMPS = 4  # further room for so many of the largest terms, which may be rare and far out
_BLOCK, _MOST_NODES = 32, 4_096
_SMALL = 1e-8


def absolute_difference_moments(
    mean: FloatArray, sd: FloatArray, first: FloatArray, second: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of |X - first| - |X - second|, X ~ Normal(mean, sd**2).

    Examples
    --------
    >>> expected, variance = absolute_difference_moments(*map(np.atleast_1d, (2.0, 0.0, 1.0, 5.0)))
    >>> expected[0], variance[0]
    (np.float64(-2.0), np.float64(0.0))
    """
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    width, away = upper - lower, mean - (lower + upper) / 2
    a, b = _scaled(lower - mean, sd), _scaled(upper - mean, sd)
    below, above = ndtr(a), ndtr(-b)
    # Mass between the points, from whichever tail keeps its digits.
    inside = np.where(a > 0, ndtr(-a) - above, ndtr(b) - below)
    shift = sd * (_density(a) - _density(b))
    expected = width * (above - below) + 2 * (away * inside + shift)
    squares = (away**2 + sd**2) * inside + 2 * away * shift
    squares += sd * ((lower - mean) * _density(a) - (upper - mean) * _density(b))
    variance = width**2 * (below + above) + 4 * squares - expected**2
    sign = np.where(first <= second, 1.0, -1.0)
    certain = sd <= 0
    exact = np.abs(mean - first) - np.abs(mean - second)
    return (
        np.where(certain, exact, sign * expected),
        np.where(certain, 0.0, np.maximum(variance, 0.0)),
    )


def _scaled(distance: FloatArray, sd: FloatArray) -> FloatArray:
    """Return distance / sd; without spread the sign alone, infinitely far."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = np.divide(distance, sd)
    return np.where(np.isnan(scaled), 0.0, scaled)


def _density(scaled: FloatArray) -> FloatArray:
    density: FloatArray = np.exp(-(np.minimum(np.abs(scaled), 1e3) ** 2) / 2) / _ROOT_TWO_PI
    return density


def difference_tail(
    mean: FloatArray, sd: FloatArray, first: FloatArray, second: FloatArray, *, above: float = 0.0
) -> tuple[float, float]:
    """Return P(sum of |X - first| - |X - second| > above), and how far off it may be.

    Where the sum equals `above` with a probability, as at its very ends, half of that counts.

    Examples
    --------
    As likely as not where nobody is nearer:

    >>> ones = np.ones(60)
    >>> p, error = difference_tail(0 * ones, ones, ones, -ones)
    >>> round(p, 6), error < 1e-6
    (0.5, True)
    """
    gap = np.abs(first - second)
    varies = (sd > 0) & (gap > 0)
    fixed = np.abs(mean - first) - np.abs(mean - second)
    target = above - float(np.sum(fixed[~varies]))
    if not varies.any():
        return (float(target < 0) + float(target <= 0)) / 2.0, 0.0
    sign = np.where(first < second, 1.0, -1.0)[varies]
    terms = ClippedGaussians(
        centre=(sign * (2.0 * mean - first - second)[varies]),
        scale=2.0 * sd[varies],
        edge=gap[varies],
    )
    return terms.tail(target)


@dataclass(frozen=True, slots=True)
class _Tilted:
    """The cumulant function at s, and the first four cumulants of the tilted sum."""

    value: float
    cumulants: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ClippedGaussians:
    """Independent Gaussians (`centre`, `scale` > 0), each clipped to plus and minus `edge` > 0."""

    centre: FloatArray = field(repr=False)
    scale: FloatArray = field(repr=False)
    edge: FloatArray = field(repr=False)

    def tail(self, x: float) -> tuple[float, float]:
        """Return P(sum > x), and how far off it may be; at its very ends half of P(sum = x) too."""
        most = float(np.sum(self.edge))
        if np.isclose(abs(x), most, rtol=1e-12, atol=0.0):
            side = np.sign(x)
            at_end = float(np.exp(np.sum(log_ndtr((side * self.centre - self.edge) / self.scale))))
            return (0.5 * at_end if side > 0 else 1.0 - 0.5 * at_end), 0.0
        if abs(x) > most:
            return float(x < 0), 0.0
        plain = self._tilted(0.0)
        distance = (x - plain.cumulants[0]) / np.sqrt(plain.cumulants[1])
        is_exact = self.edge.size <= MOST_EXACT
        if abs(distance) < (_BODY if is_exact else _NEAR):
            return self._inverted(0.0, x, plain) if is_exact else _at_mean(distance, plain)
        s, tilted = self._saddlepoint(x, plain)
        return self._inverted(s, x, tilted) if is_exact else _lugannani_rice(s, x, tilted)

    def _inverted(self, s: float, x: float, tilted: _Tilted) -> tuple[float, float]:
        """Integrate the transform along s + i y at half-step nodes, until it has died away."""
        largest = np.sort(self.edge)[-_JUMPS:]
        period = _PERIOD * float(np.sqrt(tilted.cumulants[1])) + 4.0 * float(largest.sum())
        step = 2.0 * np.pi / min(period, 4.0 * float(self.edge.sum()))
        parts: list[FloatArray] = []
        loudness = np.inf
        while loudness > _SMALL and len(parts) * _BLOCK < _MOST_NODES:
            half_steps = step * (len(parts) * _BLOCK + np.arange(_BLOCK) + 0.5)
            nodes = (s + 1j * half_steps).astype(np.complex128)
            waves = np.exp(self._log_transform(nodes) - tilted.value - 1j * nodes.imag * x)
            loudness = float(np.abs(waves).max())
            parts.append((waves / nodes).real)
        # Beyond the last node the transform is at most as loud, and turns about.
        factor = np.exp(tilted.value - s * x) * step / np.pi
        left_out = loudness / abs(nodes[-1])
        tail = factor * float(np.sum(np.concatenate(parts)))
        tail = 0.5 + tail if s == 0.0 else (tail if s > 0.0 else 1.0 + tail)
        return float(np.clip(tail, 0.0, 1.0)), float(factor * left_out + 1e-12)

    def _log_transform(self, s: ComplexArray) -> ComplexArray:
        """Return K at complex points; the branch of the logarithm does not matter."""
        c, t, g = self.centre, self.scale, self.edge
        s = s[:, None]
        low, high = (-g - c) / t, (g - c) / t
        below, above = ndtr(low) * np.exp(-s * g), ndtr(-high) * np.exp(s * g)
        a, b = low - t * s, high - t * s
        whole = (b.real > 0.0) ^ (a.real > 0.0)
        full = np.exp(np.where(whole, s * (c + 0.5 * t * t * s), 0.0)) * whole
        between = full - _edge(b, high, s * g) + _edge(a, low, -s * g)
        return np.asarray(np.sum(np.log(below + above + between), axis=1))

    def _saddlepoint(self, x: float, plain: _Tilted) -> tuple[float, _Tilted]:
        """Return where the tilted mean is x: Newton's steps, kept inside what is known."""
        low, high = -np.inf, np.inf
        s, tilted = (x - plain.cumulants[0]) / plain.cumulants[1], plain
        for _ in range(_STEPS):
            tilted = self._tilted(s)
            away = tilted.cumulants[0] - x
            low, high = (s, high) if away < 0 else (low, s)
            if abs(away) <= 1e-9 * np.sqrt(tilted.cumulants[1]):
                break
            step = s - away / tilted.cumulants[1]
            if not low < step < high:
                step = 2.0 * s if not np.isfinite(low + high) else 0.5 * (low + high)
            s = step
        return s, tilted

    def _tilted(self, s: float) -> _Tilted:
        c, t, g = self.centre, self.scale, self.edge
        moved = c + t * t * s
        a, b = (-g - moved) / t, (g - moved) / t
        logs = np.stack(
            [
                log_ndtr((-g - c) / t) - s * g,
                log_ndtr((c - g) / t) + s * g,
                _log_between(a, b) + s * (c + 0.5 * t * t * s),
            ]
        )
        top = logs.max(axis=0)
        weights = np.exp(logs - top)
        total = weights.sum(axis=0)
        weights /= total
        inside = _truncated_moments(moved, t, a, b, g)
        powers = np.arange(1, 5)[:, None]
        ends = (-g) ** powers * weights[0] + g**powers * weights[1]
        cumulants = _cumulants(ends + weights[2] * inside)
        return _Tilted(float(np.sum(top + np.log(total))), cumulants.sum(axis=1))


def _edge(z: ComplexArray, plain: FloatArray, tilt: ComplexArray) -> ComplexArray:
    r"""Return the tail beyond one edge of the tilted Gaussian, with the sign of its side."""
    side = np.where(z.real > 0.0, 1.0, -1.0)
    scaled = wofz(1j * side * z / np.sqrt(2.0))
    return np.asarray(0.5 * side * np.exp(tilt - 0.5 * plain**2) * scaled)


def _log_between(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the log of the standard Gaussian's mass between a < b."""
    mirrored = a > 0.0
    low, high = np.where(mirrored, -b, a), np.where(mirrored, -a, b)
    with np.errstate(divide="ignore"):
        return np.asarray(log_ndtr(high) + np.log1p(-np.exp(log_ndtr(low) - log_ndtr(high))))


def _truncated_moments(
    mean: FloatArray, sd: FloatArray, a: FloatArray, b: FloatArray, edge: FloatArray
) -> FloatArray:
    """Return moments 1 to 4 of a Gaussian between -edge and edge (a and b in its units)."""
    log_mass = _log_between(a, b)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = (np.exp(-0.5 * z * z - log_mass) / _ROOT_TWO_PI for z in (a, b))
        moments = [np.ones_like(mean), mean - sd * (high - low)]
        for order in (2, 3, 4):
            boundary = edge ** (order - 1) * high - (-edge) ** (order - 1) * low
            moments.append(mean * moments[-1] + (order - 1) * sd * sd * moments[-2] - sd * boundary)
    truncated = np.stack(moments[1:])
    limit = edge ** np.arange(1, 5)[:, None]
    # A piece far out in the tail sits at its inner edge, which rounding may overstep.
    nearest = np.where(mean > 0, edge, -edge) ** np.arange(1, 5)[:, None]
    return np.clip(np.where(np.isfinite(truncated), truncated, nearest), -limit, limit)


def _cumulants(moments: FloatArray) -> FloatArray:
    first, second, third, fourth = moments
    variance = np.maximum(second - first**2, 0.0)
    third = third - 3.0 * first * second + 2.0 * first**3
    centred = fourth - 4.0 * first * moments[2] + 6.0 * first**2 * second - 3.0 * first**4
    return np.stack([first, variance, third, centred - 3.0 * variance**2])


def _lugannani_rice(s: float, x: float, tilted: _Tilted) -> tuple[float, float]:
    _, variance, third, fourth = tilted.cumulants
    w = np.sign(s) * np.sqrt(max(2.0 * (s * x - tilted.value), 0.0))
    u = s * np.sqrt(variance)
    skew, excess = third / variance**1.5, fourth / variance**2
    density = np.exp(-0.5 * w * w) / _ROOT_TWO_PI
    further = (excess / 8.0 - 5.0 * skew**2 / 24.0) / u - skew / (2.0 * u**2) - u**-3.0 + w**-3.0
    tail = ndtr(-w) + density * (1.0 / u - 1.0 / w + further)
    return float(np.clip(tail, 0.0, 1.0)), float(abs(density * further))


def _at_mean(distance: float, plain: _Tilted) -> tuple[float, float]:
    """Return the tail at the mean by Edgeworth's series."""
    skew = plain.cumulants[2] / plain.cumulants[1] ** 1.5
    shift = skew / 6.0 / _ROOT_TWO_PI
    return float(ndtr(-distance) - shift * (1.0 - distance**2)), float(shift**2)


# Absolute errors of ratings of which only mean, sd and number are known: how far the next lie.
#
# Several ratings: given their mean and sd (ddof 0), each of n Gaussian ratings lies at the mean
# plus :math:`\sqrt{n-1}\,B` sds, B symmetric with density :math:`\propto (1-b^2)^{(n-4)/2}`
# (Thompson 1935): for two at either of two points. What a function of a rating is on average over
# that law is unbiased for its expectation, whatever the people's opinions; its variance times n /
# (n - 1) is not below the variance between ratings on average, and equals it for two.
#
# One rating x with a known sd: with fresh noise z of that sd, x + z and x - z are independent, and
# Gaussian around the opinion. For a difference of absolute errors d, :math:`d(x)^2 -
# E\,d(x+z)d(x-z)` is never negative, and on average not below the variance of d: :math:`|E d|`
# falls as noise grows, since d is odd about the middle of its two points and flattens away from
# it. It is exact where the opinion lies in the middle, and where d is linear within the noise.

# A tenth of an sd, up to six of them: what is smooth is summed exactly, kinks to about .001 sd^2.
_STEP, _NODES = 0.1, 60
# Places of one of several ratings: many for few pairs; over many pairs what they miss averages out.
_FEWEST, _MOST, _BUDGET = 64, 2_048, 200_000


def seen_absolute_error(
    mean: FloatArray, sd: FloatArray, trials: FloatArray, p: FloatArray
) -> FloatArray:
    """Return the expected mean of |rating - p| over ratings of which mean and sd (ddof 0) are seen.

    A single rating is its own mean; its sd does not matter.

    Examples
    --------
    Two ratings with mean 3 and sd 1 are 2 and 4; one is 3:

    >>> seen_absolute_error(*(np.array([rating, rating]) for rating in (3.0, 1.0)), [2, 1], 3.5)
    array([1. , 0.5])
    """
    trials = np.asarray(trials, dtype=np.float64)
    away, reach = np.abs(mean - p), np.sqrt(trials - 1.0) * sd
    share = np.minimum(away / np.where(reach > 0, reach, 1.0), 1.0)
    half = np.maximum(trials - 2.0, 1.0) / 2.0
    edge = np.exp(half * np.log1p(-(np.minimum(share, 1 - 1e-16) ** 2)) - betaln(0.5, half)) / half
    inside = away * betainc(0.5, half, share**2) + reach * edge
    inside = np.where(trials == 2, reach, inside)
    return np.where(away >= reach, away, inside)


def absolute_error_noise(
    mean: FloatArray, sd: FloatArray, trials: FloatArray, points: list[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return how far sums of differences of absolute errors vary: variances, shape (K, K).

    The first is that of one more rating of everybody, the second that of the ratings seen, whose
    mean is less noisy the more of them there are. `sd`: ddof 0, or for a single rating the known
    one. Both are those of a joint distribution of K sums.

    Examples
    --------
    Two ratings, 2 and 4: the first point's absolute errors are 1 and 1, the second's 0 and 2.

    >>> seen = (np.array([rating]) for rating in (3.0, 1.0, 2.0))
    >>> absolute_error_noise(*seen, [np.array([3.0]), np.array([2.0])])[0]
    array([[0., 2.],
           [2., 0.]])
    """
    n_points = len(points)
    one_more, seen = np.zeros((2, n_points, n_points))
    for n in np.unique(trials):
        rows = trials == n
        part = [point[rows] for point in points]
        covariance = (
            _once(mean[rows], sd[rows], part)
            if n < 2
            else _repeated(mean[rows], sd[rows], n, part) * n / (n - 1.0)
        )
        one_more += covariance
        seen += covariance / n
    return _variances(_possible(one_more)), _variances(_possible(seen))


def unbiased_sd_factor(trials: FloatArray) -> FloatArray:
    """Return by what to multiply a Gaussian's sd (ddof 1) to have its expectation right.

    Examples
    --------
    >>> round(float(unbiased_sd_factor(2.0)), 4)  # the root of pi / 2
    1.2533
    """
    half = (np.asarray(trials, dtype=np.float64) - 1.0) / 2.0
    return np.asarray(np.exp(0.5 * np.log(half) + gammaln(half) - gammaln(half + 0.5)))


def _errors(x: FloatArray, points: list[FloatArray]) -> FloatArray:
    """Return absolute errors (K, ..., n), less those of the first point: only these matter."""
    errors = np.stack([np.abs(x - point) for point in points])
    return np.asarray(errors - errors[0])


def _once(x: FloatArray, sd: FloatArray, points: list[FloatArray]) -> FloatArray:
    nodes = _STEP * (np.arange(_NODES) + 0.5)
    weights = np.exp(-0.5 * nodes**2)
    own = _errors(x, points)
    total = own @ own.T
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        product = _errors(x + node * sd, points) @ _errors(x - node * sd, points).T
        total -= weight * (product + product.T) / 2.0
    return np.asarray(total)


def _repeated(mean: FloatArray, sd: FloatArray, n: float, points: list[FloatArray]) -> FloatArray:
    n_points, size = len(points), int(np.clip(_BUDGET // mean.size, _FEWEST, _MOST))
    atoms = _places(n, size)
    blocks = np.array_split(atoms, max(1, atoms.size * mean.size // _BUDGET))
    middle = np.zeros((n_points, 1, mean.size))
    for block in blocks:
        middle += _errors(mean + block[:, None] * sd, points).sum(axis=1, keepdims=True)
    middle /= atoms.size
    total = np.zeros((n_points, n_points))
    for block in blocks:
        away = _errors(mean + block[:, None] * sd, points) - middle
        flat = away.reshape(n_points, -1)
        total += flat @ flat.T
    return total / atoms.size


def _places(n: float, size: int) -> FloatArray:
    """Return equally likely places of one of n ratings, in sds (ddof 0) from their mean."""
    if n == 2:
        return np.array([-1.0, 1.0])
    share = (np.arange(size) + 0.5) / size
    square = betaincinv(0.5, (n - 2.0) / 2.0, np.abs(2.0 * share - 1.0))
    places = np.sign(share - 0.5) * np.sqrt(square)
    return np.asarray(places / np.sqrt(np.mean(places**2)))  # their sd is 1 exactly


def _possible(covariance: FloatArray) -> FloatArray:
    """Return the covariance without directions of negative variance, which noise may leave."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
    least = -1e-12 * max(float(values[-1]), 0.0)
    if values[0] >= least:
        return covariance
    possible: FloatArray = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return possible


def _variances(covariance: FloatArray) -> FloatArray:
    own = np.diag(covariance)
    apart = own[:, None] + own[None, :] - covariance - covariance.T
    variances: FloatArray = np.maximum(apart, 0.0)
    np.fill_diagonal(variances, 0.0)
    return variances
