r"""Likelihoods of groups that share one unseen normal quantity each: random intercepts.

In: how often each group shows each outcome (`GroupCounts`), and the log probability of every
outcome at every node of the unseen quantity. Out: the log likelihood with the unseen quantities
integrated out, and its derivatives. Absent: where the log probabilities come from.

.. math:: \log L = \sum_g w_g \log \sum_m q_m \exp \sum_r N_{gr} T_{rm}

`N` counts (groups by outcomes), `T` log probabilities (outcomes by nodes), `q` the weights of the
nodes, `w` how many groups look alike.

One grid of nodes serves every group, so that a whole sample is integrated by one matrix product.
The trapezoid rule converges faster than any power of the spacing for smooth functions that
vanish at both ends; over ±6 standard deviations the cut tails hold :math:`2\cdot10^{-9}`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.stats.arrays import FloatArray

N_NODES = 65
REACH = 6.0
Float32Array = NDArray[np.float32]

# Elements of the largest intermediate array: 1.4 MB, so that a few of them stay in a processor's
# cache. Twice or a quarter of it took 1.1 to 3 times the time on the public answers.
_BLOCK = 350_000


def normal_nodes(n_nodes: int = N_NODES, *, reach: float = REACH) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights (summing to 1) for averages over a standard normal variable.

    Examples
    --------
    >>> nodes, weights = normal_nodes()
    >>> round(float(weights @ nodes**2), 6)
    1.0
    """
    nodes = np.linspace(-reach, reach, n_nodes)
    weights = np.exp(-0.5 * nodes**2)
    weights[[0, -1]] *= 0.5
    return nodes, weights / weights.sum()


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Distinct groups: `counts` of shape (groups, outcomes), and how many look alike."""

    counts: FloatArray
    alike: FloatArray

    @classmethod
    def from_rows(
        cls, group: NDArray[np.intp], outcome: NDArray[np.intp], n_outcomes: int
    ) -> "GroupCounts":
        """Count rows of (group, outcome) and put groups with the same counts together.

        Examples
        --------
        >>> counts = GroupCounts.from_rows(np.array([0, 1, 2]), np.array([1, 1, 0]), 2)
        >>> counts.counts.tolist(), counts.alike.tolist()
        ([[0.0, 1.0], [1.0, 0.0]], [2.0, 1.0])
        """
        return cls.from_rows_with_members(group, outcome, n_outcomes)[0]

    @classmethod
    def from_rows_with_members(
        cls, group: NDArray[np.intp], outcome: NDArray[np.intp], n_outcomes: int
    ) -> tuple["GroupCounts", NDArray[np.intp]]:
        """Do as `from_rows`; return also which distinct row each group became."""
        n_groups = int(group.max()) + 1
        counts = np.zeros((n_groups, n_outcomes))
        np.add.at(counts, (group, outcome), 1.0)
        distinct, members, alike = np.unique(
            counts, axis=0, return_inverse=True, return_counts=True
        )
        return cls(distinct, alike.astype(np.float64)), np.asarray(members.ravel(), dtype=np.intp)


def log_marginal(
    groups: GroupCounts, log_terms: FloatArray, node_weights: FloatArray
) -> tuple[float, FloatArray]:
    """Return the log likelihood and its derivative by every element of `log_terms`.

    Parameters
    ----------
    groups : GroupCounts
    log_terms : array of shape (outcomes, nodes)
    node_weights : array of shape (nodes,)

    Returns
    -------
    value : float
    slopes : array of shape (outcomes, nodes)
    """
    step = max(1, _BLOCK // log_terms.shape[1])
    value, slopes = 0.0, np.zeros_like(log_terms)
    log_weights = np.log(node_weights)
    for start in range(0, len(groups.counts), step):
        counts, alike = groups.counts[start : start + step], groups.alike[start : start + step]
        joint = counts @ log_terms + log_weights
        top = joint.max(axis=1, keepdims=True)
        np.exp(joint - top, out=joint)
        total = joint.sum(axis=1, keepdims=True)
        value += float(alike @ (np.log(total) + top).ravel())
        joint *= alike[:, None] / total
        slopes += counts.T @ joint
    return value, slopes


def log_marginal_many(
    groups: GroupCounts, log_terms: Float32Array, node_weights: FloatArray
) -> FloatArray:
    """Return the log likelihood for many sets of parameters at once, in single precision.

    Single precision is wrong by about a millionth per group, far below what importance weights
    notice, and twice as fast.

    Parameters
    ----------
    groups : GroupCounts
    log_terms : array of shape (outcomes, draws, nodes)
    node_weights : array of shape (nodes,)

    Returns
    -------
    array of shape (draws,)
    """
    total, start = np.zeros(log_terms.shape[1]), 0
    for share in _by_group(groups, log_terms, node_weights):
        total += groups.alike[start : start + len(share)] @ share
        start += len(share)
    return total


def log_marginal_by_group(
    groups: GroupCounts, log_terms: Float32Array, node_weights: FloatArray
) -> Float32Array:
    """Return each group's own log likelihood, shape (groups, draws); see `log_marginal_many`."""
    return np.concatenate(list(_by_group(groups, log_terms, node_weights)))


def _by_group(
    groups: GroupCounts, log_terms: Float32Array, node_weights: FloatArray
) -> Iterator[Float32Array]:
    """Yield log likelihoods of shape (some groups, draws), group after group."""
    n_outcomes, n_draws, n_nodes = log_terms.shape
    flat = log_terms.reshape(n_outcomes, n_draws * n_nodes)
    weights = node_weights.astype(np.float32)
    step = max(1, _BLOCK // (n_draws * n_nodes))
    for start in range(0, len(groups.counts), step):
        counts = groups.counts[start : start + step].astype(np.float32)
        joint = (counts @ flat).reshape(-1, n_draws, n_nodes)
        top = joint.max(axis=2)
        joint -= top[:, :, None]
        np.exp(joint, out=joint)
        yield np.log(joint @ weights) + top


def log_marginal_of_choices(
    groups: GroupCounts,
    center: FloatArray,
    spread: FloatArray,
    node_weights: FloatArray,
    *,
    place: NDArray[np.intp] | None = None,
) -> FloatArray:
    r"""Return the log likelihood of yes or no answers for many sets of parameters at once.

    As `log_marginal_many` of the log probabilities of "yes" and of "no" where the logit is
    `center` plus `spread`. The latter are the former less the logit, so half of them will do:
    :math:`\log P(\text{no}) = \log P(\text{yes}) - x`.

    Parameters
    ----------
    groups : GroupCounts
        Two outcomes per question: how often yes (first all questions), how often no.
    center : array of shape (questions, draws, places)
    spread : array of shape (draws, nodes)
    node_weights : array of shape (nodes,)
    place : array of shape (nodes,), optional
        Which center belongs to each node, where there are several.

    Returns
    -------
    array of shape (draws,)
    """
    weights, start = node_weights.astype(np.float32), 0
    total = np.zeros(len(spread))
    for joint in log_choices(groups.counts, center, spread, place=place):
        top = joint.max(axis=2)
        joint -= top[:, :, None]
        np.exp(joint, out=joint)
        alike = groups.alike[start : start + len(joint)]
        total += alike @ (np.log(joint @ weights) + top)
        start += len(joint)
    return total


def log_choices(
    counts: FloatArray,
    center: FloatArray,
    spread: FloatArray,
    *,
    place: NDArray[np.intp] | None = None,
) -> Iterator[Float32Array]:
    """Yield log probabilities of all answers of a group: (some groups, draws, nodes)."""
    at = np.zeros(1, dtype=np.intp) if place is None else place
    middle, away = center.astype(np.float32), spread.astype(np.float32)
    (n_questions, n_draws, n_places), n_nodes = center.shape, spread.shape[1]
    log_yes = _log_yes(middle[:, :, at] + away).reshape(n_questions, n_draws * n_nodes)
    flat, step = middle.reshape(n_questions, -1), max(1, _BLOCK // (n_draws * n_nodes))
    for start in range(0, len(counts), step):
        some = counts[start : start + step].astype(np.float32)
        answered, no = some[:, :n_questions], some[:, n_questions:]
        answered += no
        joint = (answered @ log_yes).reshape(-1, n_draws, n_nodes)
        joint -= (no @ flat).reshape(-1, n_draws, n_places)[:, :, at]
        joint -= no.sum(axis=1)[:, None, None] * away
        yield joint


def _log_yes(x: Float32Array) -> Float32Array:
    """Return log(1 / (1 + exp(-x))), written over `x`."""
    tail = np.abs(x)
    np.negative(tail, out=tail)
    np.exp(tail, out=tail)
    np.log1p(tail, out=tail)
    np.minimum(x, 0, out=x)
    x -= tail
    return x


def draws_per_block(groups: GroupCounts, n_outcomes: int, n_nodes: int) -> int:
    """Return how many sets of parameters fit into one block of work."""
    rows = max(min(len(groups.counts), 2_000), n_outcomes)
    return max(1, _BLOCK // (rows * n_nodes))
