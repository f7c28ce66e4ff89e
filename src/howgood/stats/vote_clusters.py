"""Votes between two, counted by pair, and their scores summed by item and rater.

In: votes as integer codes, and a model of them. Out: counts, and sums of products of scores, which
add up over parts of the votes as long as no cluster is cut in two. Absent: fitting the model (see
`paired_votes`), names.

A vote's score is the derivative of its log likelihood by all parameters.
"""

from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import LARGEST_FREEDOM, freedom_of, kept_by_sums

LEFT, RIGHT, TIE = 0, 1, 2
# Sums by cluster are a whole table up to so many cells, beyond that only what is not zero.
_MOST_CELLS = 20_000_000


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


@dataclass(frozen=True, slots=True, eq=False)
class VoteCells:
    """Votes that share left, right and covariate, counted (n, 3)."""

    left: IntArray
    right: IntArray
    x: FloatArray | None
    counts: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class VoteModel:
    """Strengths, side, log nu (if there are ties), slope of the covariate (if there is one)."""

    theta: FloatArray
    n_competitors: int
    has_ties: bool
    has_covariate: bool

    def chances(self, left: IntArray, right: IntArray, x: FloatArray | None) -> FloatArray:
        """Return the chances (n, 3) of left, right and a tie."""
        k, theta = self.n_competitors, self.theta
        d: FloatArray = theta[left] - theta[right] + theta[k]
        d = d if x is None else d + theta[-1] * x
        return chances_of(d, float(np.exp(theta[k + 1])) if self.has_ties else 0.0)

    def scores(self, votes: Votes) -> list[tuple[IntArray | int, FloatArray]]:
        """Return each vote's score as columns (one of each vote, or the same of all) and values."""
        k = self.n_competitors
        chances = self.chances(votes.left, votes.right, votes.covariate)
        won = (votes.outcome == LEFT).astype(np.float64) - (votes.outcome == RIGHT)
        slope = (won - (chances[:, LEFT] - chances[:, RIGHT])) / 2.0
        parts: list[tuple[IntArray | int, FloatArray]] = [
            (votes.left, slope), (votes.right, -slope), (k, slope)
        ]  # fmt: skip
        if self.has_ties:
            parts.append((k + 1, (votes.outcome == TIE) - chances[:, TIE]))
        if votes.covariate is not None:
            parts.append((len(self.theta) - 1, slope * votes.covariate))
        return parts


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSums:
    """Products of clusters' scores (D, D), and sums of their squared and cubed sizes."""

    products: FloatArray
    squares: float
    cubes: float

    def __add__(self, other: "ScoreSums") -> "ScoreSums":
        return ScoreSums(
            self.products + other.products,
            self.squares + other.squares,
            self.cubes + other.cubes,
        )

    def meat(self, n_votes: int) -> tuple[FloatArray, float]:
        """Return the products, corrected for their number, and their degrees of freedom."""
        kept = kept_by_sums(self.squares / n_votes**2, self.cubes / n_votes**3)
        if kept <= 0:
            return self.products, 1.0
        return self.products / kept, min(freedom_of(kept), LARGEST_FREEDOM)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteSums:
    """Scores of single votes, and of clusters where these are known (`both`: item and rater).

    `raters` is None where one rater gave all votes: that says nothing about others. `n_same` counts
    votes of raters who had voted on the same pair of the same item before.
    """

    n_votes: int
    single: FloatArray
    items: ScoreSums | None = None
    raters: ScoreSums | None = None
    both: ScoreSums | None = None
    n_same: int | None = None


def cells_of(votes: Votes, counts: FloatArray | None = None) -> VoteCells:
    """Return votes counted by pair and outcome; with a covariate each is a cell of its own.

    `counts`: how many votes each row stands for.
    """
    if votes.covariate is not None:
        return VoteCells(votes.left, votes.right, votes.covariate, np.eye(3)[votes.outcome])
    k = votes.n_competitors
    key = (votes.left * k + votes.right) * 3 + votes.outcome
    table = np.bincount(key, counts, minlength=3 * k * k).reshape(-1, 3).astype(np.float64)
    seen = np.nonzero(table.sum(axis=1))[0]
    return VoteCells(seen // k, seen % k, None, table[seen])


def chances_of(d: FloatArray, nu: float) -> FloatArray:
    """Return the chances (n, 3) of left, right and a tie at gaps d."""
    half = np.clip(d / 2.0, -300.0, 300.0)
    left, right = np.exp(half), np.exp(-half)
    total = left + right + nu
    return np.column_stack([left / total, right / total, nu / total])


def sums_of_votes(model: VoteModel, votes: Votes) -> VoteSums:
    """Return the sums of scores by vote, item, rater, and item and rater."""
    single = single_products(model, votes)
    has_raters = votes.rater is not None and int(np.ptp(votes.rater)) > 0
    items = None if votes.item is None else clustered_sums(model, votes, votes.item)
    if votes.rater is None or not has_raters:
        return VoteSums(n_votes=len(votes.left), single=single, items=items)
    both = n_same = None
    if votes.item is not None:
        key = votes.item * (int(votes.rater.max()) + 1) + votes.rater
        codes = np.unique(key, return_inverse=True)[1]
        both, n_same = clustered_sums(model, votes, codes), _same(votes, codes)
    return VoteSums(
        n_votes=len(votes.left),
        single=single,
        items=items,
        raters=clustered_sums(model, votes, votes.rater),
        both=both,
        n_same=n_same,
    )


def _same(votes: Votes, codes: IntArray) -> int:
    """Count votes on a pair that the same rater has seen with the same item."""
    several = np.bincount(codes)[codes] > 1
    left, right, k = votes.left[several], votes.right[several], votes.n_competitors
    pair = np.minimum(left, right) * k + np.maximum(left, right)
    return len(pair) - len(np.unique(codes[several] * (k * k) + pair))


def single_products(model: VoteModel, votes: Votes) -> FloatArray:
    """Return the sum of squared scores where every vote stands for itself."""
    if votes.covariate is None:
        return counted_products(model, cells_of(votes))
    n = len(votes.left)
    return _products(np.arange(n), model.scores(votes), (n, len(model.theta)))


def counted_products(model: VoteModel, cells: VoteCells) -> FloatArray:
    """Return the sum of squared scores of votes that were counted."""
    place, outcome = np.nonzero(cells.counts)
    kinds = Votes(left=cells.left[place], right=cells.right[place], outcome=outcome,
                  n_competitors=model.n_competitors)  # fmt: skip
    often = np.sqrt(cells.counts[place, outcome])
    parts = [(column, value * often) for column, value in model.scores(kinds)]
    return _products(np.arange(len(place)), parts, (len(place), len(model.theta)))


def clustered_sums(model: VoteModel, votes: Votes, codes: IntArray) -> ScoreSums:
    """Return the sums over clusters; those of one vote are counted by its kind."""
    sizes = np.bincount(codes).astype(np.float64)
    squares, cubes = float(np.sum(sizes**2)), float(np.sum(sizes**3))
    is_alone = sizes[codes] == 1
    if votes.covariate is not None or np.mean(is_alone) < 0.5:
        return ScoreSums(_cluster_products(model, votes, codes), squares, cubes)
    products = single_products(model, _some(votes, is_alone))
    if not is_alone.all():
        _, own = np.unique(codes[~is_alone], return_inverse=True)
        products = products + _cluster_products(model, _some(votes, ~is_alone), own)
    return ScoreSums(products, squares, cubes)


def _some(votes: Votes, chosen: FloatArray | IntArray) -> Votes:
    return Votes(left=votes.left[chosen], right=votes.right[chosen],
                 outcome=votes.outcome[chosen], n_competitors=votes.n_competitors)  # fmt: skip


def _cluster_products(model: VoteModel, votes: Votes, codes: IntArray) -> FloatArray:
    parts = model.scores(votes)
    n_clusters, size = int(codes.max()) + 1, len(model.theta)
    if n_clusters * size > _MOST_CELLS:
        return _products(codes, parts, (n_clusters, size))
    whole, start = np.zeros((n_clusters, size)), codes * size
    for column, value in parts:
        if isinstance(column, int):
            whole[:, column] += np.bincount(codes, value, n_clusters)
        else:
            whole += np.bincount(start + column, value, whole.size).reshape(whole.shape)
    products: FloatArray = whole.T @ whole
    return products


def _products(
    row: IntArray, parts: list[tuple[IntArray | int, FloatArray]], shape: tuple[int, int]
) -> FloatArray:
    from scipy.sparse import coo_matrix

    columns = [np.full(len(row), column) if isinstance(column, int) else column
               for column, _ in parts]  # fmt: skip
    place = np.tile(row, len(parts)), np.concatenate(columns)
    values = np.concatenate([value for _, value in parts])
    sums = coo_matrix((values, place), shape=shape).tocsr()
    products: FloatArray = np.asarray((sums.T @ sums).todense())
    return products
