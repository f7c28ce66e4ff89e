r"""The binary acceptability model: answers to counts, likelihood and priors; nothing sampled yet.

In: `Answers`, `Priors`. Out: `Cells` (which application and scenario, who accepted), and
`BinaryModel`, a log posterior density for the engines. Absent: sampling (see `learn.engines`), and
what the answers cannot tell (see `learn.evidence`).

.. math:: \operatorname{logit} P(\text{accept}) = b_{0i} + b_i M_{p,\alpha_i}(P_j, R_j) + U_k,
          \quad U_k \sim \mathrm{Normal}(0, \sigma)

With the flawless term, :math:`d \ge 0` is added where a scenario has no error at all (P = R = 1):
people are surer of such systems than any smooth curve over accuracy says.

Parameters on the whole line, in this order: intercepts, slopes, logits of alpha (one each per
application), log of the standard deviation of people, the point of d where there is that term
(`stats.half_normal`), and p itself where it is continuous.

Engines see other coordinates, in which the posterior is closer to a normal one: in place of the
intercept the level at a usual mean, and level and slope divided by
:math:`s = \sqrt{1 + c^2\sigma^2}`, which makes them those of the whole population and nearly
independent of how much people differ. Where the priors hold that acceptance rises with accuracy
(`RisingCurve`), the logarithm of the slope takes the slope's place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from howgood.errors import InputError
from howgood.learn import prior_density
from howgood.records.answers import Answers
from howgood.records.priors import USUAL_MEAN, Normal, Priors
from howgood.stats.arrays import FloatArray, columns_by_name
from howgood.stats.half_normal import half_normal_point, half_normal_slope, half_normal_value
from howgood.stats.logistic import FLATTENING
from howgood.stats.power_mean import power_mean, power_mean_slopes
from howgood.stats.random_intercepts import (
    N_NODES,
    Float32Array,
    GroupCounts,
    draws_per_block,
    log_marginal,
    log_marginal_by_group,
    log_marginal_of_choices,
    normal_nodes,
)

Real = TypeVar("Real", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class Cells:
    """Distinct questions (application, precision, recall) and each person's answers to them.

    `groups.counts` has two columns per cell: how often accepted (first all cells), how often
    refused (then all cells again). People who answered alike are one group.
    """

    applications: tuple[str, ...]
    application: NDArray[np.intp]
    precision: FloatArray
    recall: FloatArray
    groups: GroupCounts

    @property
    def n_cells(self) -> int:
        """Number of distinct questions."""
        return len(self.precision)

    @property
    def is_flawless(self) -> FloatArray:
        """1 where a question shows a system without any error, else 0."""
        return np.asarray((self.precision == 1.0) & (self.recall == 1.0), dtype=np.float64)

    def to_arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """Return everything but the names as arrays, for a file."""
        return {
            f"{prefix}cell_application": self.application,
            f"{prefix}cell_precision": self.precision,
            f"{prefix}cell_recall": self.recall,
            f"{prefix}counts": self.groups.counts,
            f"{prefix}alike": self.groups.alike,
        }

    @classmethod
    def from_arrays(
        cls, applications: tuple[str, ...], arrays: Mapping[str, NDArray[Any]], prefix: str = ""
    ) -> "Cells":
        """Undo `to_arrays`."""
        return cls(
            applications=applications,
            application=arrays[f"{prefix}cell_application"].astype(np.intp, casting="same_kind"),
            precision=arrays[f"{prefix}cell_precision"],
            recall=arrays[f"{prefix}cell_recall"],
            groups=GroupCounts(arrays[f"{prefix}counts"], arrays[f"{prefix}alike"]),
        )


@dataclass(frozen=True, slots=True)
class BinaryModel:
    """Log posterior density of one kind of mean (`order` fixed), or of all (`order` None)."""

    cells: Cells
    priors: Priors
    order: float | None
    n_nodes: int = N_NODES
    flawless: bool = False

    @property
    def n_applications(self) -> int:
        """Number of applications."""
        return len(self.cells.applications)

    @property
    def size(self) -> int:
        """Number of parameters."""
        return 3 * self.n_applications + 1 + self.flawless + (self.order is None)

    @property
    def rising(self) -> NDArray[np.bool_]:
        """For which applications the priors hold that acceptance rises with accuracy."""
        priors = self.priors
        return np.array(
            [priors.curve is not None and name not in priors.applications for name in
             self.cells.applications]
        )  # fmt: skip

    def start(self) -> FloatArray:
        """Return a sensible place to start looking for the mode."""
        n = self.n_applications
        slopes = np.where(self.rising, np.log(6.0), 6.0)
        point = np.concatenate(
            [np.zeros(n), slopes, np.zeros(n), [np.log(1.5)], [0.0] * self.flawless]
        )
        # Not at 0: approached from above the mean of a zero and a number goes to zero smoothly.
        return point if self.order is not None else np.append(point, 0.5)

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density and its gradient at one point."""
        plain, log_volume = self.to_plain(point[None, :])
        value, gradient = self._likelihood_and_gradient(plain[0])
        prior, prior_gradient = self.log_prior(plain)
        total = value + float(prior[0] + log_volume[0])
        return total, self.gradient_by_point(point, plain[0], gradient + prior_gradient[0])

    def gradient_by_point(
        self, point: FloatArray, plain: FloatArray, by_plain: FloatArray
    ) -> FloatArray:
        """Return the gradient by the engines' coordinates, that of the volume change included.

        By the chain rule through intercept = s (level - m slope'), slope = s slope'.
        """
        n, gradient = self.n_applications, by_plain.copy()
        scale = _population_scale(point[3 * n : 3 * n + 1])[0]
        bend = 1.0 - 1.0 / scale**2  # d log s / d log sd
        by_intercept, by_slope = gradient[:n], gradient[n : 2 * n]
        through_sd = by_intercept @ plain[:n] + by_slope @ plain[n : 2 * n] + 2 * n
        gradient[3 * n] += bend * through_sd
        along = by_slope - USUAL_MEAN * by_intercept
        by_own_slope = np.where(self.rising, along * plain[n : 2 * n] + 1.0, along * scale)
        return np.concatenate([scale * by_intercept, by_own_slope, gradient[2 * n :]])

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points, shape (n, size)."""
        plain, log_volume = self.to_plain(points)
        block = draws_per_block(self.cells.groups, 2 * self.cells.n_cells, self.n_nodes)
        values = [
            self._log_likelihood(plain[start : start + block])
            for start in range(0, len(plain), block)
        ]
        return np.asarray(np.concatenate(values) + self.log_prior(plain)[0] + log_volume)

    def to_plain(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return intercepts and slopes for levels and scaled slopes, and the log volume change."""
        n, rising = self.n_applications, self.rising
        scale = _population_scale(points[:, 3 * n])
        plain, slopes = points.copy(), points[:, n : 2 * n]
        # Beyond any slope that answers could tell apart; keeps wild proposals finite.
        linear = np.where(rising, np.exp(np.minimum(slopes, 100.0)), slopes)
        plain[:, n : 2 * n] = scale[:, None] * linear
        plain[:, :n] = scale[:, None] * points[:, :n] - USUAL_MEAN * plain[:, n : 2 * n]
        return plain, 2 * n * np.log(scale) + slopes[:, rising].sum(axis=1)

    def from_plain(self, plain: FloatArray) -> FloatArray:
        """Undo `to_plain`."""
        n = self.n_applications
        scale = _population_scale(plain[:, 3 * n])[:, None]
        points, slopes = plain.copy(), plain[:, n : 2 * n] / scale
        points[:, :n] = (plain[:, :n] + USUAL_MEAN * plain[:, n : 2 * n]) / scale
        slopes[:, self.rising] = np.log(slopes[:, self.rising])
        points[:, n : 2 * n] = slopes
        return points

    def spread(self, points: FloatArray) -> FloatArray:
        """Return how much people differ, in widths of the logistic curve."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(points[:, 3 * self.n_applications]))

    def natural(self, points: FloatArray) -> FloatArray:
        """Return draws with everything in its own units, in the order of `draw_columns`."""
        n = self.n_applications
        out = self.to_plain(points)[0][:, : 3 * n + 1]
        out[:, 2 * n : 3 * n] = expit(points[:, 2 * n : 3 * n])
        out[:, 3 * n] = np.exp(points[:, 3 * n])
        order = points[:, -1] if self.order is None else np.full(len(points), self.order)
        extra = np.zeros(len(points))
        if self.flawless:
            extra = half_normal_value(points[:, 3 * n + 1], self.priors.flawless.scale)
        return np.column_stack([out, order, extra])

    def from_natural(self, draws: FloatArray) -> FloatArray:
        """Undo `natural`, for a model whose p is continuous: any draw may have its own."""
        by_name = {name: draws[:, at] for name, at in draw_columns(self.n_applications).items()}
        scale = self.priors.flawless.scale
        more = [half_normal_point(by_name["flawless"], scale)] if self.flawless else []
        alpha, sd = logit(by_name["alpha"]), np.log(by_name["person_sd"])
        columns = [by_name["intercept"], by_name["slope"], alpha, sd, *more, by_name["p"]]
        return self.from_plain(np.column_stack(columns))

    def _likelihood_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        n, at = self.n_applications, self.cells.application
        alpha = expit(point[2 * n : 3 * n])
        slope, sd = point[n : 2 * n][at], np.exp(point[3 * n])
        mean, by_alpha, by_p = power_mean_slopes(
            self.cells.precision, self.cells.recall, p=self._order_of(point), alpha=alpha[at]
        )
        nodes, weights = normal_nodes(self.n_nodes)
        extra = self._extra(point[None, :])[0]
        x = (point[:n][at] + slope * mean + extra)[:, None] + sd * nodes
        value, pull = log_marginal(self.cells.groups, log_terms(x), weights)
        # d log p(accept) = (1 - s) dx and d log p(refuse) = -s dx with s the chance to accept.
        accept = expit(x)
        pull_x = pull[: len(x)] * (1.0 - accept) - pull[len(x) :] * accept
        cell = pull_x.sum(axis=1)
        gradient = np.concatenate(
            [
                self._by_application(cell),
                self._by_application(cell * mean),
                self._by_application(cell * slope * by_alpha) * alpha * (1.0 - alpha),
                [float((pull_x * nodes).sum()) * sd],
                [float(cell @ self._extra_slope(point))] if self.flawless else [],
                [float((cell * slope) @ by_p)] if self.order is None else [],
            ]
        )
        return value, gradient

    def _extra(self, points: FloatArray) -> FloatArray:
        """Return what a flawless system has beyond its accuracy, shape (n, cells)."""
        if not self.flawless:
            return np.zeros((len(points), 1))
        at = points[:, 3 * self.n_applications + 1]
        more = half_normal_value(at, self.priors.flawless.scale)
        return np.asarray(more[:, None] * self.cells.is_flawless)

    def _extra_slope(self, point: FloatArray) -> FloatArray:
        at = point[3 * self.n_applications + 1]
        return half_normal_slope(at, self.priors.flawless.scale) * self.cells.is_flawless

    def _order_of(self, point: FloatArray) -> float:
        return float(point[-1]) if self.order is None else self.order

    def _by_application(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self.cells.application, values, minlength=self.n_applications)
        return np.asarray(sums, dtype=np.float64)

    def log_likelihoods(self, points: FloatArray) -> FloatArray:
        """Return the log likelihood of every group of people, shape (points, groups)."""
        plain, _ = self.to_plain(points)
        block = draws_per_block(self.cells.groups, 2 * self.cells.n_cells, self.n_nodes)
        _, weights = normal_nodes(self.n_nodes)
        values = [
            log_marginal_by_group(
                self.cells.groups, self._terms(plain[start : start + block]), weights
            )
            for start in range(0, len(plain), block)
        ]
        return np.concatenate(values, axis=1).T.astype(np.float64)

    def _log_likelihood(self, points: FloatArray) -> FloatArray:
        _, weights = normal_nodes(self.n_nodes)
        # Far out, log probabilities are minus infinity: such draws get no weight.
        with np.errstate(over="ignore", invalid="ignore"):
            center, spread = self._logits(points)
            return log_marginal_of_choices(self.cells.groups, center.T[:, :, None], spread, weights)

    def _logits(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Logits of average people (draws, cells), and what leniency adds (draws, nodes)."""
        n, at = self.n_applications, self.cells.application
        order = points[:, -1:] if self.order is None else self.order
        mean = power_mean(
            self.cells.precision,
            self.cells.recall,
            p=order,
            alpha=expit(points[:, 2 * n : 3 * n])[:, at],
        )
        center = points[:, :n][:, at] + points[:, n : 2 * n][:, at] * mean + self._extra(points)
        nodes, _ = normal_nodes(self.n_nodes)
        with np.errstate(over="ignore", invalid="ignore"):
            return center, np.exp(points[:, 3 * n])[:, None] * nodes

    def _terms(self, points: FloatArray) -> Float32Array:
        """Log probabilities to accept, then to refuse: (2 × cells, draws, nodes)."""
        center, spread = self._logits(points)
        with np.errstate(over="ignore", invalid="ignore"):
            return log_terms(center.T[:, :, None].astype(np.float32) + spread.astype(np.float32))

    def log_prior(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log prior density (n,) and gradient (n, size)."""
        n, priors = self.n_applications, self.priors
        parts = [
            *self._log_prior_of_lines(points[:, :n], points[:, n : 2 * n]),
            prior_density.beta_logit(priors.alpha, points[:, 2 * n : 3 * n]),
            prior_density.log_spread(priors.person_sd, points[:, 3 * n : 3 * n + 1]),
        ]
        if self.flawless:
            parts.append(prior_density.normal(Normal(0, 1), points[:, 3 * n + 1 : 3 * n + 2]))
        if self.order is None:
            parts.append(prior_density.normal(priors.order, points[:, -1:]))
        values = np.concatenate([value for value, _ in parts], axis=1)
        gradient = np.concatenate([slope for _, slope in parts], axis=1)
        for name, prior in priors.applications.items():
            if name not in self.cells.applications:
                continue
            index = self.cells.applications.index(name)
            columns = [index, n + index, 2 * n + index]
            value, slope = prior_density.joint_normal(prior, points[:, columns])
            values[:, columns] = value[:, None] / 3.0
            gradient[:, columns] = slope
        return values.sum(axis=1), gradient

    def _log_prior_of_lines(
        self, intercept: FloatArray, slope: FloatArray
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Log prior density of intercepts and of slopes, each with its gradient."""
        curve = self.priors.curve
        if curve is None:
            return (
                prior_density.normal(self.priors.intercept, intercept),
                prior_density.normal(self.priors.slope, slope),
            )
        level, by_level = prior_density.normal(
            Normal(curve.level_mean, curve.level_sd), intercept + USUAL_MEAN * slope
        )
        rise, by_rise = prior_density.half_normal(curve.slope_scale, slope)
        return (level, by_level), (rise, by_rise + USUAL_MEAN * by_level)


def draw_columns(n_applications: int) -> dict[str, slice]:
    """Return where each parameter stands in draws in natural units (`BinaryModel.natural`)."""
    by_application = dict.fromkeys(("intercept", "slope", "alpha"), n_applications)
    return columns_by_name({**by_application, "person_sd": 1, "p": 1, "flawless": 1})


def _population_scale(log_sd: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(1.0 + FLATTENING * np.exp(2.0 * np.minimum(log_sd, 300.0))))


def log_terms(x: NDArray[Real]) -> NDArray[Real]:
    """Log probabilities to accept, then to refuse, stacked along the first axis."""
    tail = np.abs(x)
    np.negative(tail, out=tail)
    np.exp(tail, out=tail)
    np.log1p(tail, out=tail)
    # Written in place: three more arrays of this size cost more than all the arithmetic.
    both = np.empty((2 * len(x), *x.shape[1:]), dtype=x.dtype)
    accept, refuse = both[: len(x)], both[len(x) :]
    np.minimum(x, 0, out=accept)
    accept -= tail
    np.maximum(x, 0, out=refuse)
    refuse += tail
    np.negative(refuse, out=refuse)
    return both


def accepted_from(answers: Answers, cut: int) -> NDArray[np.bool_]:
    """Return who accepted: the rating reaches `cut`, or the column says so."""
    if "rating" not in answers:
        return np.asarray(answers["accepted"] == 1)
    check_cut(answers, cut)
    return np.asarray(answers["rating"] >= cut)


def check_cut(answers: Answers, cut: int) -> None:
    """Raise unless some ratings of the scale lie below the cut, and some reach it."""
    highest = int(answers.provenance.settings.get("scale", 7))
    if not 2 <= cut <= highest:
        raise InputError(
            where="cut",
            found=repr(cut),
            needed=f"a rating from 2 to {highest}",
            cure='"Slightly likely or higher" of 7 points is cut=5.',
        )


def usual_cut(answers: Answers) -> int:
    """Return the first rating above the middle of the scale: 5 of 7, 4 of 5."""
    points = int(answers.provenance.settings.get("scale", 7))
    return points - points // 2 + 1


def cells_from(answers: Answers, accepted: NDArray[np.bool_]) -> Cells:
    """Collapse rows to distinct questions and distinct people."""
    names, application = np.unique(answers["application"].astype(str), return_inverse=True)
    _, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    question = np.column_stack([application, answers["precision"], answers["recall"]])
    distinct, cell = np.unique(question, axis=0, return_inverse=True)
    outcome = np.where(accepted, cell, cell + len(distinct))
    return Cells(
        applications=tuple(str(name) for name in names),
        application=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 1],
        recall=distinct[:, 2],
        groups=GroupCounts.from_rows(person, outcome, 2 * len(distinct)),
    )


def people_per_application(answers: Answers) -> dict[str, int]:
    """Return how many people answered about each application."""
    pairs = np.unique(
        np.column_stack([answers["application"].astype(str), answers["participant"].astype(str)]),
        axis=0,
    )
    names, counts = np.unique(pairs[:, 0], return_counts=True)
    return {str(name): int(count) for name, count in zip(names, counts, strict=True)}
