r"""The ordinal model of imagined and real systems: ratings to counts, likelihood and priors.

In: `Answers` with a part per row, `Priors`. Out: `RatingCells` (which part and accuracy, who gave
which rating), and `OrdinalModel`, a log posterior density for the engines. Absent: sampling (see
`learn.engines`).

.. math:: \operatorname{logit} P(Y \le l) =
          (\theta_l - b\,M_{p,\alpha}(P, R) - \beta_i - U_k) / e^{\zeta_i}

The reference part has :math:`\beta = \zeta = 0`. Parameters on the whole line, in this order: the
first threshold, logs of the steps between thresholds, slope, logit of alpha, shifts and log scales
of the other parts, log of the standard deviation of people, and p where it is continuous.

Engines see, in place of a shift, where the threshold nearest to that part's median rating lies:
:math:`\gamma_i = (\theta_{m(i)} - b \bar M_i - \beta_i) / \sqrt{e^{2\zeta_i} + c^2\sigma^2}`, with
the scale of the whole population. The ratings determine it nearly on their own, while shift, scale,
slope and thresholds are hard to tell apart.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from howgood.errors import InputError, UnknownNameError
from howgood.learn import prior_density
from howgood.records.answers import Answers
from howgood.records.priors import Priors
from howgood.stats.arrays import FloatArray, columns_by_name
from howgood.stats.logistic import FLATTENING
from howgood.stats.power_mean import power_mean, power_mean_slopes
from howgood.stats.random_intercepts import (
    N_NODES,
    Float32Array,
    GroupCounts,
    draws_per_block,
    log_marginal,
    log_marginal_many,
    normal_nodes,
)


@dataclass(frozen=True, slots=True)
class RatingCells:
    """Distinct questions (part, precision, recall) and each person's ratings of them.

    `counts` has shape (people, cells × levels): how often a person gave each level in each cell.
    `levels` are the ratings that occur, lowest first; a rating nobody gave has no threshold.
    """

    parts: tuple[str, ...]
    levels: tuple[int, ...]
    part: NDArray[np.intp]
    precision: FloatArray
    recall: FloatArray
    counts: FloatArray
    people: tuple[str, ...]

    @property
    def n_cells(self) -> int:
        """Number of distinct questions."""
        return len(self.precision)

    @property
    def n_thresholds(self) -> int:
        """Number of thresholds: one less than levels."""
        return len(self.levels) - 1

    @property
    def groups(self) -> GroupCounts:
        """People who answered alike, counted together."""
        distinct, alike = np.unique(self.counts, axis=0, return_counts=True)
        return GroupCounts(distinct, alike.astype(np.float64))


@dataclass(frozen=True, slots=True)
class Parts:
    """Parameters of many draws, taken apart; arrays of shape (draws, ...)."""

    thresholds: FloatArray
    slope: FloatArray
    logit_alpha: FloatArray
    shift: FloatArray
    log_scale: FloatArray
    log_sd: FloatArray
    order: FloatArray


@dataclass(frozen=True, slots=True)
class OrdinalModel:
    """Log posterior density of one kind of mean (`order` fixed), or of all (`order` None).

    The first part of the cells is the reference.
    """

    cells: RatingCells
    groups: GroupCounts
    priors: Priors
    order: float | None
    n_nodes: int = N_NODES

    @property
    def n_other_parts(self) -> int:
        """Number of parts beside the reference."""
        return len(self.cells.parts) - 1

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.cells.n_thresholds + 2 * self.n_other_parts + 3 + (self.order is None)

    @property
    def usual_means(self) -> FloatArray:
        """Unweighted geometric mean of precision and recall in the other parts, on average."""
        mean = np.sqrt(self.cells.precision * self.cells.recall)
        here = self.cells.part[:, None] == np.arange(1, len(self.cells.parts))
        return np.asarray((mean[:, None] * here).sum(axis=0) / np.maximum(here.sum(axis=0), 1))

    @property
    def nearest_thresholds(self) -> NDArray[np.intp]:
        """For each other part the threshold that comes closest to halving its ratings."""
        total = (self.groups.alike @ self.groups.counts).reshape(self.cells.n_cells, -1)
        found = []
        for part in range(1, len(self.cells.parts)):
            given = total[self.cells.part == part].sum(axis=0)
            share = np.cumsum(given)[:-1] / max(given.sum(), 1.0)
            found.append(int(np.argmin(np.abs(share - 0.5))))
        return np.array(found, dtype=np.intp)

    def start(self) -> FloatArray:
        """Return a sensible place to start looking for the mode."""
        t, others = self.cells.n_thresholds, self.n_other_parts
        total = self.groups.alike @ self.groups.counts
        share = np.cumsum(total.reshape(self.cells.n_cells, -1).sum(axis=0))[:-1] / total.sum()
        thresholds = 7.5 + 2.0 * np.log(share / (1.0 - share))
        steps = np.log(np.maximum(np.diff(thresholds), 0.1))
        rest = np.zeros(2 * others + 2 + (self.order is None))
        point = np.concatenate([thresholds[:1], steps, [10.0], rest])
        point[t + 2 + 2 * others] = math.log(1.5)
        return point

    def taken_apart(self, points: FloatArray) -> Parts:
        """Name the parameters of points of shape (draws, size)."""
        t, others = self.cells.n_thresholds, self.n_other_parts
        with np.errstate(over="ignore"):
            steps = np.exp(points[:, 1:t])
        thresholds = np.cumsum(np.column_stack([points[:, :1], steps]), axis=1)
        at = t + 2
        order = points[:, -1] if self.order is None else np.full(len(points), self.order)
        place, log_scale = points[:, at : at + others], points[:, at + others : at + 2 * others]
        log_sd = points[:, at + 2 * others]
        with np.errstate(over="ignore", invalid="ignore"):
            shift = (
                thresholds[:, self.nearest_thresholds]
                - points[:, t, None] * self.usual_means
                - place * _population_scales(log_scale, log_sd)
            )
        return Parts(thresholds, points[:, t], points[:, t + 1], shift, log_scale, log_sd, order)

    def from_plain(self, plain: FloatArray) -> FloatArray:
        """Return points for columns of thresholds, slope, logit alpha, shifts, log scales, ..."""
        t, others = self.cells.n_thresholds, self.n_other_parts
        points, at = plain.copy(), t + 2
        points[:, 1:t] = np.log(np.diff(plain[:, :t]))
        scale = _population_scales(
            plain[:, at + others : at + 2 * others], plain[:, at + 2 * others]
        )
        middle = plain[:, self.nearest_thresholds] - plain[:, t, None] * self.usual_means
        points[:, at : at + others] = (middle - plain[:, at : at + others]) / scale
        return points

    def natural(self, points: FloatArray) -> FloatArray:
        """Return thresholds, slope, alpha, shifts, log scales, sd of people and p in columns."""
        parts = self.taken_apart(points)
        return np.column_stack(
            [
                parts.thresholds,
                parts.slope,
                expit(parts.logit_alpha),
                parts.shift,
                parts.log_scale,
                np.exp(parts.log_sd),
                parts.order,
            ]
        )

    def spread(self, points: FloatArray) -> FloatArray:
        """Return how much people differ, in widths of the steepest part's logistic curve."""
        parts = self.taken_apart(points)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(parts.log_sd - self._padded(parts.log_scale).min(axis=1)))

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points, shape (draws, size)."""
        n_outcomes = self.groups.counts.shape[1]
        block = draws_per_block(self.groups, n_outcomes, self.n_nodes)
        _, weights = normal_nodes(self.n_nodes)
        values = [
            log_marginal_many(self.groups, self.log_terms(points[start : start + block]), weights)
            for start in range(0, len(points), block)
        ]
        return np.asarray(np.concatenate(values) + self._log_prior(self.taken_apart(points))[0])

    def log_terms(self, points: FloatArray) -> Float32Array:
        """Return log probabilities of shape (cells × levels, draws, nodes)."""
        parts = self.taken_apart(points)
        nodes, _ = normal_nodes(self.n_nodes)
        scale = np.exp(self._padded(parts.log_scale))[:, self.cells.part]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            mean = power_mean(
                self.cells.precision,
                self.cells.recall,
                p=parts.order[:, None],
                alpha=expit(parts.logit_alpha)[:, None],
            )
            center = parts.slope[:, None] * mean + self._padded(parts.shift)[:, self.cells.part]
            away = (parts.thresholds[:, None, :] - center[:, :, None]) / scale[:, :, None]
            spread = np.exp(parts.log_sd)[:, None] / scale
            x = away.transpose(1, 2, 0)[..., None].astype(np.float32) - (
                spread.T[:, None, :, None] * nodes
            ).astype(np.float32)
            steps = np.diff(parts.thresholds)[:, None, :] / scale[:, :, None]
            width = np.log(-np.expm1(-steps)).transpose(1, 2, 0).astype(np.float32)
            return _level_terms(x, width).reshape(-1, len(points), nodes.size)

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        r"""Return the log density and its gradient at one point.

        With :math:`x_l = (\theta_l - c - \sigma z) / s` for thresholds :math:`\theta`, a cell's
        center c, its part's scale s and a node z of people's leniency, a level between two
        thresholds has the probability :math:`F(x_l) - F(x_{l-1})`, written without cancellation as
        :math:`F(x_l) (1 - F(x_{l-1})) (1 - e^{-g})` with the width :math:`g = x_l - x_{l-1}`.
        Its logarithm therefore pulls on three things:

        - on :math:`x_l` from below, by :math:`1 - F(x_l)`: the level under a threshold gains when
          the threshold rises (`pull[:, :-1]`);
        - on :math:`x_{l-1}` from above, by :math:`-F(x_{l-1})`: the level over it loses
          (`pull[:, 1:]`);
        - on the width g, by :math:`1 / (e^g - 1)`: only middle levels have one (`by_step`).

        `pull` is how much each level at each node counts: people's answers times the posterior of
        their leniency. From x the chain goes on to thresholds (:math:`1/s`), center
        (:math:`-1/s`), log scale (:math:`-x`, and -g for widths) and log sd
        (:math:`-\sigma z / s`), then to the engines' coordinates (`_chained`).
        """
        parts = self.taken_apart(point[None, :])
        cells, (nodes, node_weights) = self.cells, normal_nodes(self.n_nodes)
        alpha = expit(parts.logit_alpha[0])
        mean, by_alpha, by_p = power_mean_slopes(
            cells.precision, cells.recall, p=float(parts.order[0]), alpha=alpha
        )
        scale = np.exp(self._padded(parts.log_scale)[0])[cells.part]
        sd, slope = np.exp(parts.log_sd[0]), parts.slope[0]
        center = slope * mean + self._padded(parts.shift)[0][cells.part]
        away = (parts.thresholds[0][None, :] - center[:, None]) / scale[:, None]
        x = away[:, :, None] - (sd / scale)[:, None, None] * nodes
        steps = np.diff(parts.thresholds[0])[None, :] / scale[:, None]
        terms = _level_terms(x[:, :, None, :], np.log(-np.expm1(-steps))[:, :, None])
        flat = np.asarray(terms, dtype=np.float64).reshape(-1, nodes.size)
        value, pull = log_marginal(self.groups, flat, node_weights)
        pull = pull.reshape(cells.n_cells, len(cells.levels), nodes.size)
        below = expit(x)
        pull_x = pull[:, :-1] * (1.0 - below) - pull[:, 1:] * below
        by_threshold = pull_x.sum(axis=2) / scale[:, None]
        # A middle level also gains by being wide: d log(1 - exp(-g)) / dg = 1 / (exp(g) - 1).
        by_step = pull[:, 1:-1].sum(axis=2) / np.expm1(np.minimum(steps, 700.0))
        by_center = -by_threshold.sum(axis=1)
        by_log_scale = -(pull_x * x).sum(axis=(1, 2)) - (by_step * steps).sum(axis=1)
        prior, pull_prior = self._log_prior(parts)
        plain = Parts(
            by_threshold.sum(axis=0) + pull_prior.thresholds[0],
            by_center @ mean + pull_prior.slope[0],
            (by_center @ by_alpha) * slope * alpha * (1.0 - alpha) + pull_prior.logit_alpha[0],
            self._by_part(by_center) + pull_prior.shift[0],
            self._by_part(by_log_scale) + pull_prior.log_scale[0],
            -((pull_x * nodes).sum(axis=(1, 2)) / scale).sum() * sd + pull_prior.log_sd[0],
            np.asarray((by_center @ by_p) * slope + pull_prior.order[0]),
        )
        width = (by_step / scale[:, None]).sum(axis=0)
        return value + float(prior[0]), self._chained(point, parts, plain, width)

    def _chained(
        self, point: FloatArray, parts: Parts, pull: Parts, by_step: FloatArray
    ) -> FloatArray:
        """Chain rule from thresholds and shifts to first threshold, log steps and places."""
        t, others = self.cells.n_thresholds, self.n_other_parts
        by_threshold = pull.thresholds.copy()
        np.add.at(by_threshold, self.nearest_thresholds, pull.shift)
        onward = np.cumsum(by_threshold[::-1])[::-1]
        steps = np.diff(parts.thresholds[0])
        scale = _population_scales(parts.log_scale, parts.log_sd)[0]
        own_share = np.exp(2.0 * (parts.log_scale[0] - np.log(scale)))  # d log s / d log scale
        place = point[t + 2 : t + 2 + others]
        by_log_s = 1.0 - pull.shift * scale * place
        return np.concatenate(
            [
                onward[:1],
                steps * (onward[1:] + by_step) + 1.0,
                [pull.slope - pull.shift @ self.usual_means, pull.logit_alpha],
                -pull.shift * scale,
                pull.log_scale + own_share * by_log_s,
                [pull.log_sd + (1.0 - own_share) @ by_log_s],
                [pull.order] if self.order is None else [],
            ]
        )

    def _by_part(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self.cells.part, values, minlength=len(self.cells.parts))
        return np.asarray(sums[1:], dtype=np.float64)

    def _padded(self, others: FloatArray) -> FloatArray:
        """Put the reference part, which is zero, in front."""
        return np.column_stack([np.zeros(len(others)), others])

    def _log_prior(self, parts: Parts) -> tuple[FloatArray, Parts]:
        """Log prior density with the volume change of our coordinates, and its plain gradient."""
        priors, nothing = self.priors, np.zeros((len(parts.order), 1))
        pieces = [
            prior_density.normal(priors.threshold, parts.thresholds),
            prior_density.normal(priors.slope, parts.slope[:, None]),
            prior_density.beta_logit(priors.alpha, parts.logit_alpha[:, None]),
            prior_density.normal(priors.shift, parts.shift),
            prior_density.normal(priors.log_scale, parts.log_scale),
            prior_density.log_spread(priors.person_sd, parts.log_sd[:, None]),
            (nothing, nothing)
            if self.order is not None
            else prior_density.normal(priors.order, parts.order[:, None]),
        ]
        with np.errstate(divide="ignore"):
            steps = np.log(np.diff(parts.thresholds))
        # Thresholds are t independent normals kept in order: t! times their density.
        scales = _population_scales(parts.log_scale, parts.log_sd)
        value = steps.sum(axis=1) + np.log(scales).sum(axis=1)
        value = value + math.lgamma(self.cells.n_thresholds + 1)
        for piece, _ in pieces:
            value = value + piece.sum(axis=1)
        pulls = [pull if pull.shape[1] != 1 else pull[:, 0] for _, pull in pieces]
        pulls[0], pulls[3], pulls[4] = pieces[0][1], pieces[3][1], pieces[4][1]
        return value, Parts(*pulls)


def draw_columns(n_thresholds: int, n_other_parts: int) -> dict[str, slice]:
    """Return where each parameter stands in draws in natural units (`OrdinalModel.natural`)."""
    by_part = {"shift": n_other_parts, "log_scale": n_other_parts}
    single = {"person_sd": 1, "p": 1}
    return columns_by_name({"threshold": n_thresholds, "slope": 1, "alpha": 1, **by_part, **single})


def _population_scales(log_scale: FloatArray, log_sd: FloatArray) -> FloatArray:
    """Scale of each other part's ratings over the whole population, shape (draws, parts)."""
    people = FLATTENING * np.exp(2.0 * np.clip(log_sd, -300.0, 300.0))
    return np.asarray(np.sqrt(np.exp(2.0 * np.clip(log_scale, -300.0, 300.0)) + people[:, None]))


def _level_terms(x: NDArray[np.floating], width: NDArray[np.floating]) -> NDArray[np.floating]:
    r"""Log probabilities of the levels from thresholds `x`, shape (cells, levels, draws, nodes).

    :math:`F(a) - F(b) = F(a)\,(1 - F(b))\,(1 - e^{-(a-b)})`, the last factor given as `width`.
    """
    tail = np.log1p(np.exp(-np.abs(x)))
    below, above = np.minimum(x, 0) - tail, -np.maximum(x, 0) - tail
    middle = below[:, 1:] + above[:, :-1] + width[..., None]
    return np.concatenate([below[:, :1], middle, above[:, -1:]], axis=1)


def rating_cells(answers: Answers, *, reference: str) -> RatingCells:
    """Collapse rows to distinct questions, one row of counts per person.

    The reference part comes first; the others follow by name.
    """
    names = answers["part"].astype(str)
    known = sorted(set(names.tolist()))
    if reference not in known:
        raise UnknownNameError(where="reference part", name=reference, names=known)
    parts = [reference, *(name for name in known if name != reference)]
    levels = sorted({int(value) for value in answers["rating"].tolist()})
    if len(levels) < 2:
        raise InputError(
            where="ratings",
            found=f"only the rating {levels[0]}",
            needed="at least two different ratings, or there is nothing to learn from",
            cure="Ask more people or show a wider range of accuracies.",
        )
    part = np.array([parts.index(name) for name in known])[np.searchsorted(known, names)]
    question = np.column_stack([part, answers["precision"], answers["recall"]])
    distinct, cell = np.unique(question, axis=0, return_inverse=True)
    people, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    level = np.searchsorted(levels, answers["rating"])
    counts = np.zeros((len(people), len(distinct) * len(levels)))
    np.add.at(counts, (person, cell * len(levels) + level), 1.0)
    return RatingCells(
        parts=tuple(parts),
        levels=tuple(levels),
        part=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 1],
        recall=distinct[:, 2],
        counts=counts,
        people=tuple(str(name) for name in people),
    )
