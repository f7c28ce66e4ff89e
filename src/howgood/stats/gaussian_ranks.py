"""Who comes first when scores are jointly Gaussian: orders and ranks of a Gaussian vector.

In: mean scores and the variances of all pairwise differences (smaller scores rank first). Out:
probabilities of pairwise order, of every rank, of full orderings, and the sampling error.
Absent: names, and draws in more dimensions than there are scores.

Only differences matter, so a covariance is never needed: with D the matrix of variances of
pairwise differences, -J D J / 2 (J centres) is the covariance of the centred scores.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtr, ndtri, owens_t, stdtr

from howgood.stats.arrays import FloatArray

# 16 independent scrambles of a 4096-point net: the spread between them is the sampling error.
_SCRAMBLES, _NET = 16, 4096
_SAME_DIRECTION = 1.0 - 1e-14
_MOST_LISTED = 5_040
# An order of up to so many scores, written to the base of their number, is below 2^63.
_MOST_IN_ONE_NUMBER = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class RankProbabilities:
    """`ranks[i, r]` is the probability that score i is the (r+1)-smallest.

    `orderings` holds (indices from smallest to largest, probability), most probable first;
    `mcse` is the largest standard error of any number here, 0 where they are closed-form.
    """

    ranks: FloatArray
    orderings: tuple[tuple[tuple[int, ...], float], ...]
    mcse: float


def order_errors(means: FloatArray, variances: FloatArray) -> FloatArray:
    """Return P(score i >= score j); a certain tie counts one half.

    Examples
    --------
    >>> order_errors(np.array([0.0, 0.0, 1.0]), np.zeros((3, 3)))
    array([[0.5, 0.5, 0. ],
           [0.5, 0.5, 0. ],
           [1. , 1. , 0.5]])
    """
    return difference_errors(means[:, None] - means[None, :], variances)


def difference_errors(differences: FloatArray, variances: FloatArray) -> FloatArray:
    """Return P(difference >= 0) for Gaussian differences; a certain zero counts one half."""
    certain = variances <= 0
    ratio = differences / np.sqrt(np.where(certain, 1.0, variances))
    decided = np.where(differences > 0, 1.0, np.where(differences < 0, 0.0, 0.5))
    errors: FloatArray = np.where(certain, decided, ndtr(ratio))
    return errors


def rank_probabilities(
    means: FloatArray,
    variances: FloatArray,
    *,
    generator: np.random.Generator,
    freedom: float = float("inf"),
) -> RankProbabilities:
    """Return rank and ordering probabilities: closed form up to 3 scores, else scrambled nets.

    With finite `freedom` the variances are known up to a common factor: scores are jointly
    Student's t, every difference of two with that many degrees of freedom. Then the closed form
    ends at 2.
    """
    if np.isfinite(freedom) and len(means) == 2:
        ratio = (means[0] - means[1]) / np.sqrt(variances[0, 1]) if variances[0, 1] > 0 else 0.0
        if ratio != 0.0:
            return ranks_of_two(float(stdtr(freedom, ratio)), mcse=0.0)
    if len(means) <= (2 if np.isfinite(freedom) else 3):
        return _from_orderings(_few_orderings(means, variances), len(means))
    return _sampled(means, variances, generator, freedom)


def ranks_of_two(first_behind: float, *, mcse: float) -> RankProbabilities:
    """Return the ranks of two scores of which the first is the larger with a known probability."""
    ahead = 1.0 - first_behind
    orderings = [((0, 1), ahead), ((1, 0), first_behind)]
    orderings.sort(key=lambda ordering: -ordering[1])
    ranks = np.array([[ahead, first_behind], [first_behind, ahead]])
    return RankProbabilities(ranks=ranks, orderings=tuple(orderings), mcse=mcse)


@dataclass(frozen=True, slots=True, eq=False)
class OrderedDraws:
    """Draws (n_draws, K), their indices from smallest to largest, and which draws hold a tie.

    Equal scores of a draw are in random order.
    """

    draws: FloatArray
    orders: NDArray[np.int64]
    is_tied: NDArray[np.bool_]


def ordered_draws(draws: FloatArray, *, generator: np.random.Generator) -> OrderedDraws:
    """Return draws with their order, which ranks and pairs are counted from."""
    # Rows with a tie are ordered by chance below, so any sort will do.
    orders = np.argsort(draws, axis=1)
    is_tied = (np.diff(np.take_along_axis(draws, orders, axis=1), axis=1) == 0).any(axis=1)
    tied = np.flatnonzero(is_tied)
    if len(tied):
        shuffled = generator.random((len(tied), draws.shape[1]))
        orders[tied] = np.lexsort((shuffled, draws[tied]), axis=1)
    return OrderedDraws(draws, orders, is_tied)


def shares_above(ordered: OrderedDraws) -> FloatArray:
    """Return the share of draws (K, K) in which score i is above j; equal ones count one half.

    Examples
    --------
    >>> draws = np.array([[1.0, 2.0], [3.0, 3.0], [5.0, 4.0], [0.0, 7.0]])
    >>> shares_above(ordered_draws(draws, generator=np.random.default_rng(1)))
    array([[0.5  , 0.375],
           [0.625, 0.5  ]])
    """
    orders = ordered.orders[~ordered.is_tied]
    n_draws, n_scores = ordered.draws.shape
    # Places are small numbers, many times faster to compare than scores: 200 are 20,000 pairs.
    places = np.empty((n_scores, len(orders)), dtype=np.uint8 if n_scores <= 256 else np.uint16)
    for place, column in enumerate(orders.T):
        places[column, np.arange(len(orders))] = place
    few = np.ascontiguousarray(ordered.draws[ordered.is_tied].T)
    shares = np.full((n_scores, n_scores), 0.5)
    for i, j in combinations(range(n_scores), 2):
        above = float(np.count_nonzero(places[i] > places[j]))
        if few.shape[1]:
            above += np.count_nonzero(few[i] > few[j]) + 0.5 * np.count_nonzero(few[i] == few[j])
        shares[i, j], shares[j, i] = above / n_draws, (n_draws - above) / n_draws
    return shares


def ranks_of_draws(
    ordered: OrderedDraws,
) -> tuple[FloatArray, list[tuple[tuple[int, ...], float]]]:
    """Return rank probabilities and observed orderings of given draws.

    Equal scores of a draw share their ranks, as a pair of them counts one half each way; in the
    orderings, which need one order, chance decides.
    """
    orders, is_tied = ordered.orders, ordered.is_tied
    n_scores = orders.shape[1]
    ranks = np.empty((n_scores, n_scores))
    whole = orders[~is_tied]
    for rank in range(n_scores):
        ranks[:, rank] = np.bincount(whole[:, rank], minlength=n_scores)
    few = orders[is_tied]
    ranks += _shared_ranks(few, np.take_along_axis(ordered.draws[is_tied], few, axis=1))
    return ranks / len(orders), _frequent(_counted(orders), len(orders))


def _shared_ranks(orders: NDArray[np.int64], ordered: FloatArray) -> FloatArray:
    """Return how many draws each score has on each rank, where equal scores share theirs."""
    n_scores = orders.shape[1]
    places = np.arange(n_scores)
    differs = np.diff(ordered, axis=1) != 0
    edge = np.ones((len(orders), 1), dtype=bool)
    begins = np.hstack([edge, differs])
    ends = np.hstack([differs, edge])
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=1)
    last = np.where(ends, places, n_scores)[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    ranks = np.zeros((n_scores, n_scores))
    for rank in range(n_scores):
        here = (first <= rank) & (rank <= last)
        share = 1.0 / (last - first + 1)[here]
        ranks[:, rank] = np.bincount(orders[here], weights=share, minlength=n_scores)
    return ranks


def _counted(orders: NDArray[np.int64]) -> Counter[tuple[int, ...]]:
    """Return how often each order occurs; of many scores, the most frequent orders alone."""
    n_scores = orders.shape[1]
    if n_scores > _MOST_IN_ONE_NUMBER:
        # Rows as bytes: orders of many scores seldom occur twice, and as tuples would take long.
        packed = orders.astype(np.uint16).view(f"V{2 * n_scores}").ravel()
        listed = Counter(packed.tolist()).most_common(_MOST_LISTED)
        return Counter(
            {tuple(np.frombuffer(row, np.uint16).tolist()): count for row, count in listed}
        )
    _, first, counts = np.unique(
        orders @ n_scores ** np.arange(n_scores), return_index=True, return_counts=True
    )
    rows = map(tuple, orders[first].tolist())
    return Counter(dict(zip(rows, counts.tolist(), strict=True)))


def lower_orthant(means: FloatArray, covariance: FloatArray) -> float:
    """Return P(X < 0, Y < 0) of a bivariate Gaussian, singular ones included.

    A coordinate that is certainly zero counts one half. By Owen's T function, so exact to
    about 1e-15.

    Examples
    --------
    >>> round(lower_orthant(np.zeros(2), np.array([[1.0, 0.5], [0.5, 1.0]])), 12)
    0.333333333333
    """
    first, second = (
        float(difference_errors(-means[value], covariance[value, value])) for value in (0, 1)
    )
    if covariance[0, 0] <= 0 or covariance[1, 1] <= 0:
        return first * second
    h, k = -means / np.sqrt(np.diag(covariance))
    rho = float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
    if rho >= _SAME_DIRECTION:
        return min(first, second)
    if rho <= -_SAME_DIRECTION:
        return max(0.0, first + second - 1.0)
    if h == 0.0 and k == 0.0:
        return 0.25 + float(np.arcsin(rho)) / (2 * np.pi)
    side = np.sign(h) * np.sign(k)  # the product itself may underflow
    opposite = side < 0 or (side == 0 and h + k < 0)
    total = (first + second) / 2 - _owen(h, k, rho) - _owen(k, h, rho) - 0.5 * opposite
    return float(min(max(total, 0.0), first, second))


def _owen(h: float, k: float, rho: float) -> float:
    across = np.sqrt((1.0 - rho) * (1.0 + rho))
    with np.errstate(over="ignore"):
        slope = np.copysign(np.inf, k) if h == 0.0 else (k - rho * h) / (h * across)
    return float(owens_t(h, slope))


def _few_orderings(means: FloatArray, variances: FloatArray) -> list[tuple[tuple[int, ...], float]]:
    if len(means) == 1:
        return [((0,), 1.0)]
    if len(means) == 2:
        errors = order_errors(means, variances)
        return [((0, 1), float(errors[1, 0])), ((1, 0), float(errors[0, 1]))]
    orders = list(permutations(range(3)))
    raw = np.array([_three_in_order(order, means, variances) for order in orders])
    return list(zip(orders, (raw / raw.sum()).tolist(), strict=True))


def _three_in_order(order: tuple[int, ...], means: FloatArray, variances: FloatArray) -> float:
    a, b, c = order
    # Differences a - b and b - c; the third side of the triangle gives their covariance.
    cross = (variances[a, c] - variances[a, b] - variances[b, c]) / 2
    return lower_orthant(
        np.array([means[a] - means[b], means[b] - means[c]]),
        np.array([[variances[a, b], cross], [cross, variances[b, c]]]),
    )


def _from_orderings(
    orderings: list[tuple[tuple[int, ...], float]], n_scores: int
) -> RankProbabilities:
    ranks = np.zeros((n_scores, n_scores))
    for order, probability in orderings:
        for rank, score in enumerate(order):
            ranks[score, rank] += probability
    ordered = sorted(orderings, key=lambda ordering: -ordering[1])
    return RankProbabilities(ranks=ranks, orderings=tuple(ordered), mcse=0.0)


def _sampled(
    means: FloatArray, variances: FloatArray, generator: np.random.Generator, freedom: float
) -> RankProbabilities:
    from scipy.stats import qmc

    n_scores = len(means)
    directions = _directions(variances)
    n_noises = directions.shape[1]
    n_dimensions = n_noises + 1 if np.isfinite(freedom) else max(n_noises, 1)
    counts: Counter[tuple[int, ...]] = Counter()
    by_scramble = np.empty((_SCRAMBLES, n_scores, n_scores))
    for scramble in range(_SCRAMBLES):
        net = qmc.Sobol(n_dimensions, scramble=True, rng=generator)
        uniform = np.clip(net.random(_NET), 2.0**-40, 1 - 2.0**-40)
        noise = ndtri(uniform[:, :n_noises])
        if np.isfinite(freedom):
            noise *= np.sqrt(freedom / chdtri(freedom, uniform[:, n_noises:]))
        scores = means + noise @ directions.T
        orders = ordered_draws(scores, generator=generator).orders
        counts.update(map(tuple, orders.tolist()))
        for rank in range(n_scores):
            by_scramble[scramble, :, rank] = np.bincount(orders[:, rank], minlength=n_scores)
    by_scramble /= _NET
    for twins in _twin_groups(means, variances):
        # Scores that always tie share their ranks evenly: no need to leave that to chance.
        by_scramble[:, twins] = by_scramble[:, twins].mean(axis=1, keepdims=True)
    errors = by_scramble.std(axis=0, ddof=1) / np.sqrt(_SCRAMBLES)
    total = _SCRAMBLES * _NET
    return RankProbabilities(
        ranks=by_scramble.mean(axis=0),
        orderings=tuple(_frequent(counts, total)),
        # Never claim less than one point's worth of error.
        mcse=max(float(errors.max()), 1.0 / total),
    )


def _twin_groups(means: FloatArray, variances: FloatArray) -> list[NDArray[np.int64]]:
    """Return the groups of scores that are certain to be equal."""
    same = (variances <= 0) & (means[:, None] == means[None, :])
    groups = {tuple(np.flatnonzero(row).tolist()) for row in same if row.sum() > 1}
    return [np.array(group) for group in sorted(groups)]


def _directions(variances: FloatArray) -> FloatArray:
    """Return A (K, r) with A A' the covariance of the centred scores; equal scores, equal rows."""
    rows = variances - variances.mean(axis=0)
    covariance = -(rows - rows.mean(axis=1, keepdims=True)) / 2
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    keep = values > 1e-14 * max(float(values[-1]), 0.0)
    directions: FloatArray = vectors[:, keep] * np.sqrt(values[keep])
    for score in range(len(variances)):
        twins = np.flatnonzero(variances[score, :score] == 0)
        if len(twins):
            directions[score] = directions[twins[0]]
    return directions


def _frequent(counts: Counter[tuple[int, ...]], total: int) -> list[tuple[tuple[int, ...], float]]:
    return [(order, count / total) for order, count in counts.most_common(_MOST_LISTED)]
