r"""Absolute errors of ratings of which only mean, sd and number are known: how far the next lie.

In: means, sds and numbers of Gaussian ratings, and points (predictions). Out: the expected mean
absolute error of the ratings themselves, and the noise of its differences between points. Absent:
means that are known (see `absolute_differences`, `clipped_sum`), systems and names.

Several ratings: given their mean and sd (ddof 0), each of n Gaussian ratings lies at the mean plus
:math:`\sqrt{n-1}\,B` sds, B symmetric with density :math:`\propto (1-b^2)^{(n-4)/2}` (Thompson
1935): for two at either of two points. What a function of a rating is on average over that law is
unbiased for its expectation, whatever the people's opinions; its variance times n / (n - 1) is not
below the variance between ratings on average, and equals it for two.

One rating x with a known sd: with fresh noise z of that sd, x + z and x - z are independent, and
Gaussian around the opinion. For a difference of absolute errors d, :math:`d(x)^2 - E\,d(x+z)d(x-z)`
is never negative, and on average not below the variance of d: :math:`|E d|` falls as noise grows,
since d is odd about the middle of its two points and flattens away from it. It is exact where the
opinion lies in the middle, and where d is linear within the noise.
"""

import numpy as np
from scipy.special import betainc, betaincinv, betaln, gammaln

from howgood.stats.arrays import FloatArray

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

    >>> seen_absolute_error(*(np.array([each, each]) for each in (3.0, 1.0)), [2, 1], 3.5)
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

    >>> seen = (np.array([each]) for each in (3.0, 1.0, 2.0))
    >>> absolute_error_noise(*seen, [np.array([3.0]), np.array([2.0])])[0]
    array([[0., 2.],
           [2., 0.]])
    """
    n_points = len(points)
    one_more, seen = np.zeros((2, n_points, n_points))
    for n in np.unique(trials):
        rows = trials == n
        part = [each[rows] for each in points]
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
    errors = np.stack([np.abs(x - each) for each in points])
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
