"""Strengths of competitors from votes between two of them: Bradley-Terry with ties and sides.

In: who stood left and right (integer codes), who won, perhaps a covariate, items and raters. Out:
strengths with their covariance, split by what is a sample. Absent: names, ranks.

With d = theta_left - theta_right + delta (+ beta x) the chances of left, right and a tie are as

    exp(d / 2) : exp(-d / 2) : nu

(Davidson, 1970; delta: the advantage of the left side). The likelihood depends on counts by pair
only, so that a million votes cost as much as the table of pairs. A weak Gaussian prior (sd 3) keeps
competitors finite that never lost. Votes on the same item or by the same rater move together: the
covariance is clustered by both.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix

from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import LARGEST_FREEDOM, freedom_of, kept_share
from howgood.stats.crossed_components import Component

PRIOR_SD = 3.0
_MOST_STEPS, _CLOSE = 60, 1e-10
# Sums by cluster are a whole table up to so many cells, beyond that only what is not zero.
_MOST_CELLS = 20_000_000
LEFT, RIGHT, TIE = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Votes:
    """One row per vote: left, right, outcome (0 left, 1 right, 2 tie), covariate, item, rater."""

    left: IntArray
    right: IntArray
    outcome: IntArray
    n_competitors: int
    covariate: FloatArray | None = None
    item: IntArray | None = None
    rater: IntArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteFit:
    """Strengths (K,), parts of their covariance, and the parameters all pairs share.

    `shared` maps "side", "tie" (log nu) and "covariate" to (estimate, variance, freedom).
    `unclustered` (K, K) is the covariance that the model alone gives, every vote for itself.
    """

    strengths: FloatArray
    components: tuple[Component, ...]
    unclustered: FloatArray
    shared: dict[str, tuple[float, float, float]]
    log_likelihood: float

    def probabilities(
        self, left: IntArray, right: IntArray, x: FloatArray | float = 0.0
    ) -> FloatArray:
        """Return the chances (n, 3) of left, right and a tie."""
        d = self.strengths[left] - self.strengths[right] + self.shared["side"][0]
        d = d + self.shared["covariate"][0] * x if "covariate" in self.shared else d
        nu = np.exp(self.shared["tie"][0]) if "tie" in self.shared else 0.0
        return _chances(d, nu)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Votes that share left, right and covariate, counted."""

    left: IntArray
    right: IntArray
    x: FloatArray | None
    counts: FloatArray


def fit_votes(votes: Votes) -> VoteFit:
    """Return the posterior mode, and its covariance clustered by items and raters."""
    cells = _cells(votes)
    has_ties = bool(np.any(votes.outcome == TIE))
    theta = np.zeros(votes.n_competitors + 1 + has_ties + (votes.covariate is not None))
    if has_ties:
        theta[votes.n_competitors + 1] = np.log(
            2.0 * max(float(np.mean(votes.outcome == TIE)), 1e-6)
        )
    log_likelihood = -np.inf
    for _ in range(_MOST_STEPS):
        gradient, information, log_likelihood = _derivatives(theta, cells, votes, has_ties)
        step = np.linalg.solve(information, gradient)
        # Newton's step may overshoot far from the mode.
        theta = theta + step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < _CLOSE:
            break
    _, information, log_likelihood = _derivatives(theta, cells, votes, has_ties)
    inverse: FloatArray = np.linalg.inv(information).astype(np.float64)
    return _fitted(theta, inverse, votes, has_ties, log_likelihood)


def _cells(votes: Votes) -> _Cells:
    if votes.covariate is not None:
        counts = np.eye(3)[votes.outcome]
        return _Cells(votes.left, votes.right, votes.covariate, counts)
    k = votes.n_competitors
    key = (votes.left * k + votes.right) * 3 + votes.outcome
    table = np.bincount(key, minlength=3 * k * k).reshape(-1, 3).astype(np.float64)
    seen = np.nonzero(table.sum(axis=1))[0]
    return _Cells(seen // k, seen % k, None, table[seen])


def _chances(d: FloatArray, nu: float) -> FloatArray:
    half = np.clip(d / 2.0, -300.0, 300.0)
    left, right = np.exp(half), np.exp(-half)
    total = left + right + nu
    return np.column_stack([left / total, right / total, nu / total])


def _gaps(
    theta: FloatArray, left: IntArray, right: IntArray, x: FloatArray | None, k: int
) -> FloatArray:
    d: FloatArray = theta[left] - theta[right] + theta[k]
    return d if x is None else d + theta[-1] * x


def _derivatives(
    theta: FloatArray, cells: _Cells, votes: Votes, has_ties: bool
) -> tuple[FloatArray, FloatArray, float]:
    """Return gradient, negative Hessian and value of the log posterior."""
    k, n_shared = votes.n_competitors, len(theta) - votes.n_competitors
    d = _gaps(theta, cells.left, cells.right, cells.x, k)
    chances = _chances(d, float(np.exp(theta[k + 1])) if has_ties else 0.0)
    n = cells.counts.sum(axis=1)
    lean = chances[:, LEFT] - chances[:, RIGHT]
    slope = (cells.counts[:, LEFT] - cells.counts[:, RIGHT] - n * lean) / 2.0
    curve = n * (chances[:, LEFT] + chances[:, RIGHT] - lean**2) / 4.0
    shared = _shared_columns(cells, n_shared, has_ties)
    gradient = np.zeros(len(theta))
    gradient[:k] = np.bincount(cells.left, slope, k) - np.bincount(cells.right, slope, k)
    gradient[k:] = shared.T @ slope
    information = np.zeros((len(theta), len(theta)))
    pair = np.bincount(cells.left * k + cells.right, curve, k * k).reshape(k, k)
    information[:k, :k] = np.diag(pair.sum(axis=0) + pair.sum(axis=1)) - pair - pair.T
    for place in range(n_shared):
        weighted = curve * shared[:, place]
        row = np.bincount(cells.left, weighted, k) - np.bincount(cells.right, weighted, k)
        information[k + place, :k] = information[:k, k + place] = row
    information[k:, k:] = shared.T @ (curve[:, None] * shared)
    if has_ties:
        _add_ties(gradient, information, cells, chances, shared, k)
    ridge = np.zeros(len(theta))
    ridge[:k] = 1.0 / PRIOR_SD**2
    ridge[k:] = 1e-6
    logs = np.log(np.maximum(chances, 1e-300))
    value = float(np.sum(cells.counts * logs)) - float(ridge @ theta**2) / 2.0
    return gradient - ridge * theta, information + np.diag(ridge), value


def _shared_columns(cells: _Cells, n_shared: int, has_ties: bool) -> FloatArray:
    """Return how the gap d moves with the shared parameters: side, log nu (not), covariate."""
    columns = np.zeros((len(cells.left), n_shared))
    columns[:, 0] = 1.0
    if cells.x is not None:
        columns[:, -1] = cells.x
    return columns


def _add_ties(
    gradient: FloatArray,
    information: FloatArray,
    cells: _Cells,
    chances: FloatArray,
    shared: FloatArray,
    k: int,
) -> None:
    n, tie = cells.counts.sum(axis=1), chances[:, TIE]
    lean = chances[:, LEFT] - chances[:, RIGHT]
    gradient[k + 1] = float(np.sum(cells.counts[:, TIE] - n * tie))
    information[k + 1, k + 1] = float(np.sum(n * tie * (1.0 - tie)))
    cross = -n * tie * lean / 2.0
    row = np.bincount(cells.left, cross, k) - np.bincount(cells.right, cross, k)
    information[k + 1, :k] = information[:k, k + 1] = row
    for place in range(shared.shape[1]):
        if place != 1:
            value = float(cross @ shared[:, place])
            information[k + 1, k + place] = information[k + place, k + 1] = value


def _fitted(
    theta: FloatArray, inverse: FloatArray, votes: Votes, has_ties: bool, log_likelihood: float
) -> VoteFit:
    k = votes.n_competitors
    parts = [
        (name, inverse @ meat @ inverse, freedom)
        for name, meat, freedom in _meats(theta, votes, has_ties)
    ]
    names = [
        "side",
        *(["tie"] if has_ties else []),
        *(["covariate"] if votes.covariate is not None else []),
    ]
    shared = {}
    for place, name in enumerate(names):
        sizes = [(float(cover[k + place, k + place]), freedom) for _, cover, freedom in parts]
        variance = sum(size for size, _ in sizes)
        squares = sum(size**2 / freedom for size, freedom in sizes)
        shared[name] = (
            float(theta[k + place]),
            variance,
            variance**2 / squares if squares else 1.0,
        )
    centring = np.eye(k) - 1.0 / k
    return VoteFit(
        strengths=theta[:k] - theta[:k].mean(),
        unclustered=centring @ inverse[:k, :k] @ centring,
        components=tuple(
            Component(name=name, variance=1.0, mean_square=1.0, freedom=freedom, size=1.0, finer=(),
                      shape=centring @ cover[:k, :k] @ centring)
            for name, cover, freedom in parts
        ),
        shared=shared,
        log_likelihood=log_likelihood,
    )  # fmt: skip


def _meats(theta: FloatArray, votes: Votes, has_ties: bool) -> list[tuple[str, FloatArray, float]]:
    """Return sums of squared scores: what raters bring, and what items (or single votes) bring."""
    if votes.item is None and (votes.rater is None or int(np.ptp(votes.rater)) == 0):
        return [("items", _of_single_votes(theta, votes, has_ties), float(len(votes.left)))]
    scores = _scores(theta, votes, has_ties)
    unit = np.arange(len(votes.left)) if votes.item is None else votes.item
    units, unit_freedom = _clustered(scores, unit, len(theta))
    if votes.rater is None or int(np.ptp(votes.rater)) == 0:
        return [("items", units, unit_freedom)]
    raters, freedom = _clustered(scores, votes.rater, len(theta))
    _, key = np.unique(unit * (int(votes.rater.max()) + 1) + votes.rater, return_inverse=True)
    both = _of_most_alone(theta, votes, has_ties, key)
    # Raters who agree better than single votes allow do so by chance.
    return [
        ("raters", raters + _positive(both - raters), freedom),
        ("items", _positive(units - both) + 1e-9 * np.eye(len(theta)), unit_freedom),
    ]


def _of_single_votes(theta: FloatArray, votes: Votes, has_ties: bool) -> FloatArray:
    """Return the sum of squared scores where every vote stands for itself: by kind of vote."""
    k = votes.n_competitors
    key = (votes.left * k + votes.right) * 3 + votes.outcome
    if votes.covariate is not None:
        return _clustered(_scores(theta, votes, has_ties), np.arange(len(key)), len(theta))[0]
    kinds, counts = np.unique(key, return_counts=True)
    some = Votes(left=kinds // 3 // k, right=kinds // 3 % k, outcome=kinds % 3, n_competitors=k)
    row, column, value = _scores(theta, some, has_ties)
    value = value * np.sqrt(counts)[row]
    sums = coo_matrix((value, (row, column)), shape=(len(kinds), len(theta))).tocsr()
    products: FloatArray = np.asarray((sums.T @ sums).todense())
    return products


def _scores(
    theta: FloatArray, votes: Votes, has_ties: bool
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return each vote's derivative of the log likelihood as rows, columns and values."""
    k, n = votes.n_competitors, len(votes.left)
    d = _gaps(theta, votes.left, votes.right, votes.covariate, k)
    chances = _chances(d, float(np.exp(theta[k + 1])) if has_ties else 0.0)
    won = (votes.outcome == LEFT).astype(np.float64) - (votes.outcome == RIGHT)
    slope = (won - (chances[:, LEFT] - chances[:, RIGHT])) / 2.0
    row = np.arange(n)
    columns = [votes.left, votes.right, np.full(n, k)]
    values = [slope, -slope, slope]
    if has_ties:
        columns.append(np.full(n, k + 1))
        values.append((votes.outcome == TIE) - chances[:, TIE])
    if votes.covariate is not None:
        columns.append(np.full(n, len(theta) - 1))
        values.append(slope * votes.covariate)
    return np.tile(row, len(columns)), np.concatenate(columns), np.concatenate(values)


def _clustered(
    scores: tuple[IntArray, IntArray, FloatArray], codes: IntArray, size: int
) -> tuple[FloatArray, float]:
    row, column, value = scores
    n_clusters = int(codes.max()) + 1
    if n_clusters * size <= _MOST_CELLS:
        flat: FloatArray = np.bincount(codes[row] * size + column, value, n_clusters * size).astype(
            np.float64
        )
        whole = flat.reshape(n_clusters, size)
        meat: FloatArray = whole.T @ whole
    else:
        sums = coo_matrix((value, (codes[row], column)), shape=(n_clusters, size)).tocsr()
        meat = np.asarray((sums.T @ sums).todense())
    kept = kept_share(np.bincount(codes) / len(codes))
    if kept <= 0:
        return meat, 1.0
    freedom = freedom_of(kept)
    return meat / kept, min(freedom, LARGEST_FREEDOM)


def _of_most_alone(theta: FloatArray, votes: Votes, has_ties: bool, codes: IntArray) -> FloatArray:
    """Return what `_clustered` does where most clusters are one vote: these count by their kind."""
    sizes = np.bincount(codes)
    is_alone = sizes[codes] == 1
    if votes.covariate is not None or np.mean(is_alone) < 0.5:
        return _clustered(_scores(theta, votes, has_ties), codes, len(theta))[0]
    kept = kept_share(sizes / len(codes))
    meat = np.zeros((len(theta), len(theta)))
    for chosen, together in ((is_alone, False), (~is_alone, True)):
        some = Votes(left=votes.left[chosen], right=votes.right[chosen],
                     outcome=votes.outcome[chosen], n_competitors=votes.n_competitors)  # fmt: skip
        if not together and len(some.left):
            meat += _of_single_votes(theta, some, has_ties)
        elif len(some.left):
            row, column, value = _scores(theta, some, has_ties)
            _, own = np.unique(codes[chosen], return_inverse=True)
            sums = coo_matrix((value, (own[row], column)), shape=(int(own.max()) + 1, len(theta)))
            meat += np.asarray((sums.tocsr().T @ sums.tocsr()).todense())
    return meat / kept if kept > 0 else meat


def _positive(matrix: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    nearest: FloatArray = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return nearest
