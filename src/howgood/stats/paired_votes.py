"""Strengths of competitors from votes between two of them: Bradley-Terry with ties and sides.

In: who stood left and right (integer codes), who won, perhaps a covariate, items and raters. Out:
strengths with their covariance, split by what is a sample. Absent: names, ranks, and sums by item
and rater (see `vote_clusters`).

With d = theta_left - theta_right + delta (+ beta x) the chances of left, right and a tie are as

    exp(d / 2) : exp(-d / 2) : nu

(Davidson, 1970; delta: the advantage of the left side). The likelihood depends on counts by pair
only, so that a million votes cost as much as the table of pairs. A weak Gaussian prior (sd 3) keeps
competitors finite that never lost. Votes on the same item or by the same rater move together: the
covariance is clustered by both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import LARGEST_FREEDOM, nearest_covariance
from howgood.stats.crossed_components import Component
from howgood.stats.joint_means import Unequal, middle_spread
from howgood.stats.vote_clusters import (
    LEFT,
    RIGHT,
    TIE,
    VoteCells,
    VoteModel,
    Votes,
    VoteSums,
    cells_of,
    chances_of,
    sums_of_votes,
)

__all__ = ["LEFT", "PRIOR_SD", "RIGHT", "TIE", "VoteFit", "Votes", "fit_votes"]

PRIOR_SD = 3.0
_MOST_STEPS, _CLOSE = 60, 1e-10
_MOST_TURNS, _ALIKE = 20, 1e-3
_LEAST = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteFit:
    """Strengths (K,), parts of their covariance, and the parameters all pairs share.

    `shared` maps "side", "tie" (log nu) and "covariate" to (estimate, variance, freedom).
    `unclustered` (K, K) is the covariance that the model alone gives, every vote for itself.
    `by_items`, `by_raters`, `by_both` (K, K) are what falls with more items, with more raters, and
    with either; they add up to the components.
    """

    strengths: FloatArray
    components: tuple[Component, ...]
    unclustered: FloatArray
    by_items: FloatArray
    by_raters: FloatArray
    by_both: FloatArray
    shared: dict[str, tuple[float, float, float]]
    log_likelihood: float

    def probabilities(
        self, left: IntArray, right: IntArray, x: FloatArray | float = 0.0
    ) -> FloatArray:
        """Return the chances (n, 3) of left, right and a tie."""
        d = self.strengths[left] - self.strengths[right] + self.shared["side"][0]
        d = d + self.shared["covariate"][0] * x if "covariate" in self.shared else d
        nu = np.exp(self.shared["tie"][0]) if "tie" in self.shared else 0.0
        return chances_of(d, nu)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteMode:
    """Where the posterior is highest, and its information there (with that of the prior)."""

    model: VoteModel
    information: FloatArray
    log_likelihood: float


def fit_votes(votes: Votes) -> VoteFit:
    """Return the posterior mode, and its covariance clustered by items and raters."""
    mode = mode_of_votes(cells_of(votes), votes.n_competitors)
    return fitted_votes(mode, sums_of_votes(mode.model, votes))


def mode_of_votes(cells: VoteCells, n_competitors: int) -> VoteMode:
    """Return the posterior mode of votes counted by pair and outcome."""
    k, has_ties = n_competitors, bool(np.any(cells.counts[:, TIE] > 0))
    theta = np.zeros(k + 1 + has_ties + (cells.x is not None))
    if has_ties:
        share = float(cells.counts[:, TIE].sum() / cells.counts.sum())
        theta[k + 1] = np.log(2.0 * max(share, 1e-6))
    model = _mode_from(VoteModel(theta, k, has_ties, cells.x is not None), cells, PRIOR_SD)
    _, information, log_likelihood = _derivatives(model, cells, PRIOR_SD)
    return VoteMode(model=model, information=information, log_likelihood=log_likelihood)


def _mode_from(model: VoteModel, cells: VoteCells, prior_sd: float) -> VoteModel:
    for _ in range(_MOST_STEPS):
        gradient, information, _ = _derivatives(model, cells, prior_sd)
        step = np.linalg.solve(information, gradient)
        # Newton's step may overshoot far from the mode.
        within = min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
        model = replace(model, theta=model.theta + step * within)
        if float(np.abs(step).max()) < _CLOSE:
            break
    return model


def seen_from_shrunk(cells: VoteCells, mode: VoteMode, fit: VoteFit) -> Unequal | None:
    """Return strengths and their covariance as votes say it near the shrunk ones; None: two only.

    A competitor that won nearly all of few votes has a skewed likelihood: flat upwards, steep
    downwards, where it is shrunk to. A Gaussian with its curvature at the mode would let it be
    shrunk as if those votes said little. The Gaussian with its slope and curvature where strengths
    are most likely given their spread tau is closer; tau and that place are found in turns. Votes
    that are clustered count for less by the factor by which that inflates variances on average.
    """
    k, model, last = mode.model.n_competitors, mode.model, PRIOR_SD
    if k < 3:
        return None
    total = np.sum([part.shape for part in fit.components], axis=0)
    inflated = float(np.trace(np.linalg.solve(fit.unclustered + 1.0 / k, total))) / (k - 1)
    for _ in range(_MOST_TURNS):
        gradient, information, _ = _derivatives(model, cells, PRIOR_SD)
        inverse: FloatArray = np.linalg.inv(information).astype(np.float64)
        covariance = _centred(inverse[:k, :k])
        means = (model.theta + inverse @ gradient)[:k]
        tau = middle_spread(means, inflated * covariance)
        prior_sd = (PRIOR_SD**-2.0 + inflated / tau**2) ** -0.5
        if abs(prior_sd - last) < _ALIKE * last:
            break
        model, last = _mode_from(model, cells, prior_sd), prior_sd
    turn = _turn(fit.unclustered, covariance)
    return Unequal(means=means - means.mean(), covariance=covariance, turn=turn)


def _turn(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the symmetric matrix that makes errors of one centred covariance those of another."""
    apart = np.full(one.shape, 1.0 / len(one))
    root = _power(one + apart, 0.5)
    back = _power(one + apart, -0.5)
    turn: FloatArray = back @ _power(root @ (other + apart) @ root, 0.5) @ back
    return turn


def _power(matrix: FloatArray, exponent: float) -> FloatArray:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    powered: FloatArray = (vectors * np.maximum(values, _LEAST) ** exponent) @ vectors.T
    return powered


def _centred(covariance: FloatArray) -> FloatArray:
    centring = np.eye(len(covariance)) - 1.0 / len(covariance)
    centred: FloatArray = centring @ covariance @ centring
    return centred


def _ridge(model: VoteModel, prior_sd: float) -> FloatArray:
    ridge = np.full(len(model.theta), 1e-6)
    ridge[: model.n_competitors] = 1.0 / prior_sd**2
    return ridge


def _derivatives(
    model: VoteModel, cells: VoteCells, prior_sd: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return gradient, negative Hessian and value of the log posterior."""
    k, theta = model.n_competitors, model.theta
    n_shared = len(theta) - k
    chances = model.chances(cells.left, cells.right, cells.x)
    n = cells.counts.sum(axis=1)
    lean = chances[:, LEFT] - chances[:, RIGHT]
    slope = (cells.counts[:, LEFT] - cells.counts[:, RIGHT] - n * lean) / 2.0
    curve = n * (chances[:, LEFT] + chances[:, RIGHT] - lean**2) / 4.0
    shared = _shared_columns(cells, n_shared)
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
    if model.has_ties:
        _add_ties(gradient, information, cells, chances, shared, k)
    ridge = _ridge(model, prior_sd)
    logs = np.log(np.maximum(chances, 1e-300))
    value = float(np.sum(cells.counts * logs)) - float(ridge @ theta**2) / 2.0
    return gradient - ridge * theta, information + np.diag(ridge), value


def _shared_columns(cells: VoteCells, n_shared: int) -> FloatArray:
    """Return how the gap d moves with the shared parameters: side, log nu (not), covariate."""
    columns = np.zeros((len(cells.left), n_shared))
    columns[:, 0] = 1.0
    if cells.x is not None:
        columns[:, -1] = cells.x
    return columns


def _add_ties(
    gradient: FloatArray,
    information: FloatArray,
    cells: VoteCells,
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


def fitted_votes(mode: VoteMode, sums: VoteSums) -> VoteFit:
    """Return strengths and their covariance from the mode and the sums of scores around it."""
    model, k = mode.model, mode.model.n_competitors
    inverse: FloatArray = np.linalg.inv(mode.information).astype(np.float64)
    items, raters, both, freedoms = _meats(mode, sums)
    covers = [inverse @ meat @ inverse for meat in (items, raters, both)]
    # Where raters are known, single votes fall with their number; Student's t of the raters counts.
    parts = [("items", covers[0], freedoms[0])]
    if freedoms[1] is not None:
        parts.insert(0, ("raters", covers[1] + covers[2], freedoms[1]))
    names = [
        "side",
        *(["tie"] if model.has_ties else []),
        *(["covariate"] if model.has_covariate else []),
    ]
    shared = {}
    for place, name in enumerate(names):
        sizes = [(float(cover[k + place, k + place]), freedom) for _, cover, freedom in parts]
        variance = sum(size for size, _ in sizes)
        squares = sum(size**2 / freedom for size, freedom in sizes)
        shared[name] = (
            float(model.theta[k + place]),
            variance,
            variance**2 / squares if squares else 1.0,
        )
    centred = [_centred(cover[:k, :k]) for cover in covers]
    return VoteFit(
        strengths=model.theta[:k] - model.theta[:k].mean(),
        unclustered=_centred(inverse[:k, :k]),
        by_items=centred[0],
        by_raters=centred[1],
        by_both=centred[2],
        components=tuple(
            Component(name=name, variance=1.0, mean_square=1.0, freedom=freedom, size=1.0, finer=(),
                      shape=_centred(cover[:k, :k]))
            for name, cover, freedom in parts
        ),
        shared=shared,
        log_likelihood=mode.log_likelihood,
    )  # fmt: skip


def _meats(
    mode: VoteMode, sums: VoteSums
) -> tuple[FloatArray, FloatArray, FloatArray, tuple[float, float | None]]:
    """Return sums of squared scores due to items, to raters and to both, and freedoms.

    The prior counts as a sample of its own: where votes say nothing about a strength, it is as
    uncertain as the prior, not certain.
    """
    prior, nothing = np.diag(_ridge(mode.model, PRIOR_SD)), np.zeros_like(mode.information)
    prior = prior + np.diag(_unseen(mode, sums))
    if sums.raters is None:
        if sums.items is None:
            return sums.single + prior, nothing, nothing, (float(sums.n_votes), None)
        units, freedom = sums.items.meat(sums.n_votes)
        return units + prior, nothing, nothing, (freedom, None)
    raters, freedom = sums.raters.meat(sums.n_votes)
    units, unit_freedom = (
        (sums.single, LARGEST_FREEDOM) if sums.items is None else sums.items.meat(sums.n_votes)
    )
    both = sums.single if sums.both is None else sums.both.meat(sums.n_votes)[0]
    # Raters who agree better than single votes allow do so by chance.
    return (
        nearest_covariance(units - both),
        nearest_covariance(raters - both),
        both + prior,
        (unit_freedom, freedom),
    )


def _unseen(mode: VoteMode, sums: VoteSums) -> FloatArray:
    """Return what squared scores of each competitor lack (D,): votes that agree are no surer.

    A competitor that never lost shows hardly any spread in its votes. Where the sum of its squared
    scores is less than the model's information on it, the rest is added.
    """
    lacking = np.diag(mode.information) - _ridge(mode.model, PRIOR_SD) - np.diag(sums.single)
    lacking[mode.model.n_competitors :] = 0.0
    unseen: FloatArray = np.maximum(lacking, 0.0)
    return unseen


def is_side_known(left: IntArray, right: IntArray) -> bool:
    """Return whether pairs that met can separate a favoured left side from stronger competitors.

    They cannot where heights exist with height[left] - height[right] = 1 for every pair: a favoured
    side then does what strengths as far apart would do.

    Examples
    --------
    >>> is_side_known(np.array([0, 0]), np.array([1, 2])), is_side_known(
    ...     np.array([0, 1]), np.array([1, 0])
    ... )
    (False, True)
    """
    return heights_of_sides(left, right) is None


def heights_of_sides(left: IntArray, right: IntArray) -> dict[int, int] | None:
    """Return heights that fall by one from left to right in every pair; None: there are none.

    Competitors of one height stand on the same side of everything: their difference is known as if
    sides did nothing.
    """
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    steps: dict[int, list[tuple[int, int]]] = {}
    for one, other in pairs:
        steps.setdefault(one, []).append((other, -1))
        steps.setdefault(other, []).append((one, 1))
    height: dict[int, int] = {}
    for start in steps:
        if start not in height:
            height |= _heights_from(start, steps)
    is_one_way = all(height[one] - height[other] == 1 for one, other in pairs)
    return height if is_one_way else None


def _heights_from(start: int, steps: Mapping[int, list[tuple[int, int]]]) -> dict[int, int]:
    """Return heights of all that are connected with one, each along the first way found."""
    height, waiting = {start: 0}, [start]
    while waiting:
        here = waiting.pop()
        for there, step in steps[here]:
            if there not in height:
                height[there] = height[here] + step
                waiting.append(there)
    return height
