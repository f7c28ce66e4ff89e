r"""The ordinal model of imagined and real systems: ratings to counts, parameters and priors.

In: `Answers` with a part per row, `Priors`. Out: `RatingCells` (which application, part and
accuracy, who gave which rating), and `OrdinalModel`, a log posterior density for the engines.
Absent: how likely a rating is (see `learn.ordinal_likelihood`), sampling (see `learn.engines`).

.. math:: \operatorname{logit} P(Y \le l) =
          (\theta_l - b_a\,M_{p,\alpha_a}(P, R) - \gamma_a - \beta_i - U_k) / e^{\zeta_i}

The reference part has :math:`\beta = \zeta = 0`, the first application :math:`\gamma = 0`.
Parameters on the whole line, in this order: the first threshold, logs of the steps between
thresholds, slopes and logits of alpha per application, levels of the other applications, shifts and
log scales of the other parts, log of the standard deviation of people, and p where it is
continuous.

Engines see, in place of a shift, where the threshold nearest to that part's median rating lies:
:math:`(\theta_{m(i)} - \bar c_i - \beta_i) / \sqrt{e^{2\zeta_i} + k^2\sigma^2}`, with the mean
:math:`\bar c_i` of :math:`b M + \gamma` over the part's questions and the scale of the whole
population. The ratings determine it nearly on their own, while shift, scale, slope and thresholds
are hard to tell apart.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from howgood.errors import InputError, UnknownNameError
from howgood.learn import ordinal_likelihood, prior_density
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
    log_marginal_by_group,
    log_marginal_many,
    normal_nodes,
)


@dataclass(frozen=True, slots=True)
class RatingCells:
    """Distinct questions (part, application, precision, recall) and each person's ratings of them.

    `counts` has shape (people, cells × levels): how often a person gave each level in each cell.
    `levels` are the ratings that occur, lowest first; a rating nobody gave has no threshold.
    """

    applications: tuple[str, ...]
    parts: tuple[str, ...]
    levels: tuple[int, ...]
    application: NDArray[np.intp]
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
    def n_outside(self) -> int:
        """Number of people who rated something outside the reference part."""
        outside = np.repeat(self.part > 0, len(self.levels))
        return int(np.count_nonzero(self.counts[:, outside].sum(axis=1)))

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
    level: FloatArray
    shift: FloatArray
    log_scale: FloatArray
    log_sd: FloatArray
    order: FloatArray


@dataclass(frozen=True, slots=True)
class OrdinalModel:
    """Log posterior density of one kind of mean (`order` fixed), or of all (`order` None).

    The first part of the cells is the reference, and so is the first application.
    """

    cells: RatingCells
    groups: GroupCounts
    priors: Priors
    order: float | None
    n_nodes: int = N_NODES

    @property
    def n_other_parts(self) -> int:
        """Number of parts apart from the reference."""
        return len(self.cells.parts) - 1

    @property
    def n_applications(self) -> int:
        """Number of applications."""
        return len(self.cells.applications)

    @property
    def columns(self) -> dict[str, slice]:
        """Where each parameter stands in a point."""
        names = draw_columns(self.cells.n_thresholds, self.n_other_parts, self.n_applications)
        if self.order is not None:
            del names["p"]
        return names

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(max(place.stop for place in self.columns.values()))

    @property
    def usual_means(self) -> FloatArray:
        """Unweighted geometric mean of precision and recall, added up over the other parts' cells.

        Shape (other parts, applications); each part's cells count one together.
        """
        return self._by_part_and_application(np.sqrt(self.cells.precision * self.cells.recall))

    @property
    def nearest_thresholds(self) -> NDArray[np.intp]:
        """For each other part the threshold that comes closest to halving its ratings."""
        total = (self.groups.alike @ self.groups.counts).reshape(self.cells.n_cells, -1)
        nearest = []
        for part in range(1, len(self.cells.parts)):
            given = total[self.cells.part == part].sum(axis=0)
            share = np.cumsum(given)[:-1] / max(given.sum(), 1.0)
            nearest.append(int(np.argmin(np.abs(share - 0.5))))
        return np.array(nearest, dtype=np.intp)

    def start(self) -> FloatArray:
        """Return a sensible place to start looking for the mode."""
        total = self.groups.alike @ self.groups.counts
        share = np.cumsum(total.reshape(self.cells.n_cells, -1).sum(axis=0))[:-1] / total.sum()
        thresholds = 7.5 + 2.0 * np.log(share / (1.0 - share))
        point, columns = np.zeros(self.size), self.columns
        point[columns["threshold"]] = np.concatenate(
            [thresholds[:1], np.log(np.maximum(np.diff(thresholds), 0.1))]
        )
        point[columns["slope"]] = 10.0
        point[columns["person_sd"]] = math.log(1.5)
        return point

    def taken_apart(self, points: FloatArray) -> Parts:
        """Name the parameters of points of shape (draws, size)."""
        by_name = {name: points[:, place] for name, place in self.columns.items()}
        first = by_name["threshold"]
        with np.errstate(over="ignore", invalid="ignore"):
            steps = np.exp(first[:, 1:])
            thresholds = np.cumsum(np.column_stack([first[:, :1], steps]), axis=1)
            log_scale, log_sd = by_name["log_scale"], by_name["person_sd"][:, 0]
            scales = _population_scales(log_scale, log_sd)
            middle = self._middles(thresholds, by_name["slope"], by_name["level"])
            shift = middle - by_name["shift"] * scales
        order = np.full(len(points), self.order) if self.order is not None else by_name["p"][:, 0]
        return Parts(
            thresholds, by_name["slope"], by_name["alpha"], by_name["level"], shift, log_scale,
            log_sd, order,
        )  # fmt: skip

    def from_plain(self, plain: FloatArray) -> FloatArray:
        """Return points for columns of thresholds, slopes, logit alphas, levels, shifts, ..."""
        points, at = plain.copy(), self.columns
        thresholds = plain[:, at["threshold"]]
        points[:, at["threshold"]] = np.column_stack(
            [thresholds[:, 0], np.log(np.diff(thresholds, axis=1))]
        )
        scale = _population_scales(plain[:, at["log_scale"]], plain[:, at["person_sd"]][:, 0])
        middle = self._middles(thresholds, plain[:, at["slope"]], plain[:, at["level"]])
        points[:, at["shift"]] = (middle - plain[:, at["shift"]]) / scale
        return points

    def natural(self, points: FloatArray) -> FloatArray:
        """Return draws with everything in its own units, in the order of `draw_columns`."""
        parts = self.taken_apart(points)
        return np.column_stack(
            [
                parts.thresholds,
                parts.slope,
                expit(parts.logit_alpha),
                parts.level,
                parts.shift,
                parts.log_scale,
                np.exp(parts.log_sd),
                parts.order,
            ]
        )

    def from_natural(self, draws: FloatArray) -> FloatArray:
        """Undo `natural`, for a model whose p is continuous: any draw may have its own."""
        plain, at = draws.copy(), self.columns
        plain[:, at["alpha"]] = logit(draws[:, at["alpha"]])
        plain[:, at["person_sd"]] = np.log(draws[:, at["person_sd"]])
        return self.from_plain(plain)

    def log_likelihoods(self, points: FloatArray) -> FloatArray:
        """Return the log likelihood of everybody's ratings, shape (points, people)."""
        people = GroupCounts(self.cells.counts, np.ones(len(self.cells.people)))
        block = draws_per_block(people, people.counts.shape[1], self.n_nodes)
        _, weights = normal_nodes(self.n_nodes)
        values = [
            log_marginal_by_group(people, self.log_terms(points[start : start + block]), weights)
            for start in range(0, len(points), block)
        ]
        return np.concatenate(values, axis=1).T.astype(np.float64)

    def spread(self, points: FloatArray) -> FloatArray:
        """Return how much people differ, in widths of the steepest part's logistic curve."""
        parts = self.taken_apart(points)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(parts.log_sd - _padded(parts.log_scale).min(axis=1)))

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
        parts, cells = self.taken_apart(points), self.cells
        nodes, _ = normal_nodes(self.n_nodes)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            mean = power_mean(
                cells.precision,
                cells.recall,
                p=parts.order[:, None],
                alpha=expit(parts.logit_alpha)[:, cells.application],
            )
            away, gap, spread = self._standardised(parts, mean)
            x = away.astype(np.float32) - spread.astype(np.float32) * nodes.astype(np.float32)
            terms = ordinal_likelihood.log_levels(np, x, gap.astype(np.float32))
        return np.asarray(terms.reshape(-1, len(points), nodes.size))

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        r"""Return the log density and its gradient at one point.

        `ordinal_likelihood.log_level_slopes` gives the slopes by standardised thresholds x and
        gaps g. From there the chain goes on to thresholds (:math:`1/s`), center (:math:`-1/s`),
        log scale (:math:`-x` and :math:`-g`) and log sd (:math:`-\sigma z / s` at node z), then to
        the engines' coordinates (`_chained`).
        """
        parts, cells = self.taken_apart(point[None, :]), self.cells
        nodes, node_weights = normal_nodes(self.n_nodes)
        alpha = expit(parts.logit_alpha[0])
        mean, by_alpha, by_p = power_mean_slopes(
            cells.precision, cells.recall, p=float(parts.order[0]), alpha=alpha[cells.application]
        )
        away, gap, spread = self._standardised(parts, mean[None, :])
        x = away - spread * nodes
        terms = ordinal_likelihood.log_levels(np, x, gap)
        value, pull = log_marginal(self.groups, terms.reshape(-1, nodes.size), node_weights)
        by_x, by_gap = ordinal_likelihood.log_level_slopes(pull.reshape(terms.shape), x, gap)
        by_gap = by_gap.sum(axis=3, keepdims=True)
        scale = np.exp(_padded(parts.log_scale)[0])[cells.part]
        by_center = -by_x.sum(axis=(1, 2, 3)) / scale
        by_log_scale = -(by_x * x).sum(axis=(1, 2, 3)) - (by_gap * gap).sum(axis=(1, 2, 3))
        slope = parts.slope[0][cells.application]
        prior, pull_prior = self._log_prior(parts)
        plain = Parts(
            (by_x.sum(axis=(2, 3)) / scale[:, None]).sum(axis=0) + pull_prior.thresholds[0],
            self._by_application(by_center * mean) + pull_prior.slope[0],
            self._by_application(by_center * by_alpha * slope) * alpha * (1.0 - alpha)
            + pull_prior.logit_alpha[0],
            self._by_application(by_center)[1:] + pull_prior.level[0],
            self._by_part(by_center) + pull_prior.shift[0],
            self._by_part(by_log_scale) + pull_prior.log_scale[0],
            -float((by_x * spread * nodes).sum()) + pull_prior.log_sd[0],
            np.asarray((by_center * slope) @ by_p + pull_prior.order[0]),
        )
        by_step = (by_gap[:, :, 0, 0] / scale[:, None]).sum(axis=0)
        return value + float(prior[0]), self._chained(point, parts, plain, by_step)

    def _standardised(
        self, parts: Parts, mean: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return thresholds, gaps and people's spread in units of scale: (cells, ., draws, 1)."""
        cells = self.cells
        scale = np.exp(_padded(parts.log_scale))[:, cells.part].T[:, None, :, None]
        center = ordinal_likelihood.centre(
            parts.slope[:, cells.application],
            mean,
            _padded(parts.level)[:, cells.application],
            _padded(parts.shift)[:, cells.part],
        )
        thresholds = parts.thresholds.T[None, :, :, None]
        away, gap = ordinal_likelihood.standardised(thresholds, center.T[:, None, :, None], scale)
        return away, gap, np.exp(parts.log_sd)[:, None] / scale

    def _middles(self, thresholds: FloatArray, slope: FloatArray, level: FloatArray) -> FloatArray:
        """Return the nearest threshold less the mean center, of each other part without shift."""
        usual = slope @ self.usual_means.T + level @ self._application_shares[:, 1:].T
        return np.asarray(thresholds[:, self.nearest_thresholds] - usual)

    @property
    def _application_shares(self) -> FloatArray:
        return self._by_part_and_application(np.ones(self.cells.n_cells))

    def _by_part_and_application(self, values: FloatArray) -> FloatArray:
        cells = self.cells
        sums = np.zeros((len(cells.parts), self.n_applications))
        np.add.at(sums, (cells.part, cells.application), values)
        counts = np.bincount(cells.part, minlength=len(cells.parts))
        return np.asarray(sums[1:] / np.maximum(counts[1:, None], 1))

    def _chained(
        self, point: FloatArray, parts: Parts, pull: Parts, by_step: FloatArray
    ) -> FloatArray:
        """Chain rule from thresholds and shifts to first threshold, log steps and places."""
        # A shift is measured from its nearest threshold (`_middles`): what pulls on it pulls there.
        by_threshold = pull.thresholds.copy()
        np.add.at(by_threshold, self.nearest_thresholds, pull.shift)
        # The first threshold, and every step, lifts all thresholds after it: sums from the end.
        onward = np.cumsum(by_threshold[::-1])[::-1]
        steps = np.diff(parts.thresholds[0])
        scale = _population_scales(parts.log_scale, parts.log_sd)[0]
        own_share = np.exp(2.0 * (parts.log_scale[0] - np.log(scale)))  # d log s / d log scale
        # shift = middle - place * s. The prior is one of shifts, so log s counts once more for the
        # volume (1.0), and so does every log step below; s² is shared between scale and people.
        place = point[self.columns["shift"]]
        by_log_s = 1.0 - pull.shift * scale * place
        return np.concatenate(
            [
                onward[:1],
                steps * (onward[1:] + by_step) + 1.0,  # d step / d log step = step
                # A steeper slope moves the middle that shifts are measured from; so does a level.
                pull.slope - pull.shift @ self.usual_means,
                pull.logit_alpha,
                pull.level - pull.shift @ self._application_shares[:, 1:],
                -pull.shift * scale,
                pull.log_scale + own_share * by_log_s,
                [pull.log_sd + (1.0 - own_share) @ by_log_s],
                [pull.order] if self.order is None else [],
            ]
        )

    def _by_application(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self.cells.application, values, minlength=self.n_applications)
        return np.asarray(sums, dtype=np.float64)

    def _by_part(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self.cells.part, values, minlength=len(self.cells.parts))
        return np.asarray(sums[1:], dtype=np.float64)

    def _log_prior(self, parts: Parts) -> tuple[FloatArray, Parts]:
        """Log prior density with the volume change of our coordinates, and its plain gradient."""
        priors, nothing = self.priors, np.zeros((len(parts.order), 1))
        pieces = [
            prior_density.normal(priors.threshold, parts.thresholds),
            prior_density.normal(priors.slope, parts.slope),
            prior_density.beta_logit(priors.alpha, parts.logit_alpha),
            prior_density.normal(priors.shift, parts.level),
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
        pulls = [pull for _, pull in pieces]
        pulls[-2:] = [pull[:, 0] for pull in pulls[-2:]]  # log sd and p are one number each
        return value, Parts(*pulls)


def draw_columns(
    n_thresholds: int, n_other_parts: int, n_applications: int = 1
) -> dict[str, slice]:
    """Return where each parameter stands in draws in natural units (`OrdinalModel.natural`)."""
    by_application = {"slope": n_applications, "alpha": n_applications, "level": n_applications - 1}
    by_part = {"shift": n_other_parts, "log_scale": n_other_parts}
    single = {"person_sd": 1, "p": 1}
    return columns_by_name({"threshold": n_thresholds, **by_application, **by_part, **single})


def _padded(others: FloatArray) -> FloatArray:
    """Put the reference (the first part or application), which is zero, in front."""
    return np.column_stack([np.zeros(len(others)), others])


def _population_scales(log_scale: FloatArray, log_sd: FloatArray) -> FloatArray:
    """Scale of each other part's ratings over the whole population, shape (draws, parts)."""
    people = FLATTENING * np.exp(2.0 * np.clip(log_sd, -300.0, 300.0))
    return np.asarray(np.sqrt(np.exp(2.0 * np.clip(log_scale, -300.0, 300.0)) + people[:, None]))


def rating_cells(answers: Answers, *, reference: str) -> RatingCells:
    """Collapse rows to distinct questions, one row of counts per person.

    The reference part comes first; the others follow by name, and so do applications.
    """
    part_names = answers["part"].astype(str)
    known = sorted(set(part_names.tolist()))
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
    part = np.array([parts.index(name) for name in known])[np.searchsorted(known, part_names)]
    applications, application = np.unique(answers["application"].astype(str), return_inverse=True)
    question = np.column_stack([part, application, answers["precision"], answers["recall"]])
    distinct, cell = np.unique(question, axis=0, return_inverse=True)
    people, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    level = np.searchsorted(levels, answers["rating"])
    counts = np.zeros((len(people), len(distinct) * len(levels)))
    np.add.at(counts, (person, cell * len(levels) + level), 1.0)
    return RatingCells(
        applications=tuple(str(name) for name in applications),
        parts=tuple(parts),
        levels=tuple(levels),
        application=distinct[:, 1].astype(np.intp),
        part=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 2],
        recall=distinct[:, 3],
        counts=counts,
        people=tuple(str(name) for name in people),
    )
