r"""The binary model for people who differ: by segment, and each person by themselves.

In: `Cells` per segment, `Priors`, `SegmentPriors`. Out: `SegmentModel`, a log posterior density for
the engines. Absent: sampling (`learn.engines`), results (`learn.segments`).

.. math:: \operatorname{logit} P(\text{accept}) = b_{0is} + b_i M_{p,\alpha_{isk}}(P_j, R_j) + U_k,
          \quad \operatorname{logit} \alpha_{isk} = a_{is} + \omega V_k

for application i, segment s and person k. Over the segments of an application, :math:`a_{is}` and
the level have a middle, with the priors of an application of `learn.binary_model`, and contrasts
(Helmert's, orthonormal) that are Normal(0, :math:`\tau`): partial pooling. The slope is shared. The
spreads :math:`\tau` (one of alphas, one of levels) and :math:`\omega` are half-normal.

Parameters on the whole line: those of the binary model for the middle, then the points of both
spreads and the contrasts (where there are several segments), then the point of :math:`\omega`
(where people's own alphas are modelled). A contrast c given its spread has about the mean
:math:`\hat c k\tau^2/(1 + k\tau^2)` and the sd :math:`\tau/\sqrt{1 + k\tau^2}`, where k is the
information the answers hold about it: its coordinate is how many such sd it lies from that mean, so
that there is no funnel, whether the answers say much or little. Answers of the same people to
several applications tell sums of contrasts better than their differences: the contrasts of one
quantity are turned to the axes on which what the answers say is independent, which leaves their
prior as it is. Segments of different size, or asked about different applications, tell a weighted
mean of their values better than the middle: the coordinate of a middle is that mean, the middle
plus its slopes on the contrasts, so that the middle follows contrasts whatever their spread is.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from howgood.learn import prior_density
from howgood.learn.binary_model import BinaryModel, Cells, draw_columns, log_terms
from howgood.records.priors import USUAL_MEAN, HalfNormal, Normal, Priors
from howgood.stats.arrays import FloatArray
from howgood.stats.half_normal import half_normal_slope, half_normal_value
from howgood.stats.importance import hessian, inverse_curvature, maximise
from howgood.stats.power_mean import power_mean, power_mean_slopes
from howgood.stats.random_intercepts import (
    N_NODES,
    REACH,
    draws_per_block,
    log_marginal,
    log_marginal_of_choices,
    normal_nodes,
)

# Fewer nodes than usual reach so many standard deviations from the middle (beyond are seven people
# in a million), which leaves more of them where people are. On the public answers the log density
# from 33 nodes is off by .05 (standard deviation over the posterior; .2 when they reach to 6), with
# 13 nodes of people's alphas besides by .15.
_REACH = 4.5
_ALPHA_NODES, _ALPHA_REACH = 13, 4.0
# Nodes of leniency per unit of people's standard deviation, and how few there are at least.
_NODES_PER_SD, _LEAST_NODES = 9.5, 17
_STANDARD = Normal(0.0, 1.0)
ALPHA_SPREAD, _LEVEL_SPREAD = HalfNormal(0.75), HalfNormal(1.5)
_WIDE = 1.0  # the point of both spreads where the information about contrasts is measured


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentPriors:
    """How much segments and people may differ: logits of alpha, levels, people's own alphas."""

    alpha: HalfNormal = ALPHA_SPREAD
    level: HalfNormal = _LEVEL_SPREAD
    person_alpha: HalfNormal = ALPHA_SPREAD


@dataclass(frozen=True, slots=True)
class Whitening:
    """What the answers alone say about the contrasts: where they lie, and how much is known.

    Per quantity (alpha, level), on the axes that are the columns of `axes`: shapes (2, m), (2, m)
    and (2, m, m). `follow` says how middle levels and logits of alpha (rows) go down as contrasts
    (on the axes, of alpha and then of level) go up: shape (2 applications, 2 m).
    """

    centre: FloatArray
    information: FloatArray
    axes: FloatArray
    follow: FloatArray

    @classmethod
    def of(
        cls, mode: FloatArray, covariance: FloatArray, with_middle: FloatArray, tau: FloatArray
    ) -> "Whitening":
        """Read it off the mode of contrasts over their spread, the spread being held at `tau`.

        `with_middle` holds covariances of middle levels and logits of alpha (rows) with them.
        """
        m = len(mode) // 2
        centre, information, axes = np.empty((2, m)), np.empty((2, m)), np.empty((2, m, m))
        for number, own in enumerate((slice(m), slice(m, None))):
            # A contrast over its spread has a prior of precision 1.
            values, axes[number] = np.linalg.eigh(np.linalg.inv(covariance[own, own]) - np.eye(m))
            known = np.maximum(values, 1e-6)
            centre[number] = (axes[number].T @ mode[own]) * (1.0 + known) / known * tau[number]
            information[number] = known / tau[number] ** 2
        by_contrast = -np.linalg.solve(covariance, with_middle.T).T / np.repeat(tau, m)
        turned = [by_contrast[:, :m] @ axes[0], by_contrast[:, m:] @ axes[1]]
        return cls(centre, information, axes, np.concatenate(turned, axis=1))


@dataclass(frozen=True, slots=True)
class SegmentModel:
    """Log posterior density of one kind of mean, for several segments at once."""

    segments: tuple[Cells, ...]
    priors: Priors
    order: float | None
    flawless: bool = False
    spreads: SegmentPriors = SegmentPriors()
    has_own_alphas: bool = False
    whitening: Whitening | None = None
    n_nodes: int = N_NODES
    middle: BinaryModel = field(init=False, repr=False)

    def __post_init__(self) -> None:
        middle = BinaryModel(self.segments[0], self.priors, self.order, flawless=self.flawless)
        object.__setattr__(self, "middle", middle)

    @property
    def n_contrasts(self) -> int:
        """Contrasts of one quantity of one application."""
        return len(self.segments) - 1

    @property
    def size(self) -> int:
        """Number of parameters."""
        contrasts = 2 * self.n_contrasts * self.middle.n_applications
        return self.middle.size + 2 * (self.n_contrasts > 0) + contrasts + self.has_own_alphas

    def start(self) -> FloatArray:
        """Return a sensible place to start looking for the mode."""
        return np.concatenate([self.middle.start(), np.zeros(self.size - self.middle.size)])

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density and its gradient at one point."""
        middle, n = self.middle, self.middle.n_applications
        straight, log_volume = middle.to_plain(point[None, : middle.size])
        plain = self._followed(straight, point[None, :])
        prior, by_prior = middle.log_prior(plain)
        value, by_plain = float(prior[0] + log_volume[0]), by_prior[0]
        shifts, omega = self._shifts(point[None, :])[:, 0], self._omega(point[None, :])[0]
        by_shifts, by_omega = np.zeros_like(shifts), 0.0
        for number, cells in enumerate(self.segments):
            own = plain[0].copy()
            own[:n] += shifts[1, :, number]
            own[2 * n : 3 * n] += shifts[0, :, number]
            part, by_own, by_sd = self._likelihood(cells, own, float(omega))
            value, by_plain, by_omega = value + part, by_plain + by_own, by_omega + by_sd
            by_shifts[0, :, number], by_shifts[1, :, number] = by_own[2 * n : 3 * n], by_own[:n]
        by_middle = np.concatenate([by_plain[:n], by_plain[2 * n : 3 * n]])
        log_prior, rest = self._rest(point, by_shifts, by_middle, by_omega)
        moved = middle.gradient_by_point(point[: middle.size], straight[0], by_plain)
        return value + log_prior, np.concatenate([moved, rest])

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points, shape (n, size)."""
        plain, total = self.middle.to_plain(points[:, : self.middle.size])
        plain = self._followed(plain, points)
        total = total + self.middle.log_prior(plain)[0] + self._log_prior_of_rest(points)
        shifts, omega = self._shifts(points), self._omega(points)
        nodes = len(self._grid().nodes)
        for number, cells in enumerate(self.segments):
            block = draws_per_block(cells.groups, 2 * cells.n_cells, nodes)
            own = self._own(plain, shifts, number)
            values = [
                self._log_likelihood(cells, own[at : at + block], omega[at : at + block])
                for at in range(0, len(points), block)
            ]
            total = total + np.concatenate(values)
        return np.asarray(total)

    def spread(self, points: FloatArray) -> FloatArray:
        """Return how much people differ, in widths of the logistic curve."""
        return self.middle.spread(points[:, : self.middle.size])

    def natural(self, points: FloatArray) -> FloatArray:
        """Return draws in natural units: `draw_columns` segment by segment, then `SPREADS`."""
        n = self.middle.n_applications
        natural = self.middle.natural(points[:, : self.middle.size])
        plain = self._followed(self.middle.to_plain(points[:, : self.middle.size])[0], points)
        at, shifts, parts = draw_columns(n), self._shifts(points), []
        for number in range(len(self.segments)):
            own, part = self._own(plain, shifts, number), natural.copy()
            part[:, at["intercept"]] = own[:, :n]
            part[:, at["alpha"]] = expit(own[:, 2 * n : 3 * n])
            parts.append(part)
        tau = np.zeros((len(points), 2))
        if self.n_contrasts:
            tau = self._spread_values(points)
        return np.column_stack([*parts, tau, self._omega(points)])

    def from_plain(self, plain: FloatArray) -> FloatArray:
        """Return points from plain parameters of the middle and contrasts over their spreads."""
        at, n = self.middle.size, self.middle.n_applications
        m = self.n_contrasts * n
        points, middle = plain.copy(), plain[:, :at].copy()
        if self.whitening is not None and m:
            z = plain[:, at + 2 : at + 2 + 2 * m].reshape(len(plain), 2, m)
            z = np.einsum("qij,nqi->nqj", self.whitening.axes, z)
            tau = self._spread_values(plain)[:, :, None]
            away = _flat(z * tau) @ self.whitening.follow.T
            middle[:, :n] += away[:, :n]
            middle[:, 2 * n : 3 * n] += away[:, n:]
            known = self.whitening.information
            damped = 1.0 + known * tau**2
            w = (z - self.whitening.centre * known * tau / damped) * np.sqrt(damped)
            points[:, at + 2 : at + 2 + 2 * m] = _flat(w)
        points[:, :at] = self.middle.from_plain(middle)
        return points

    def whitened(self) -> "SegmentModel":
        """Return the model in coordinates that suit what the answers say about contrasts.

        With both spreads held at a wide value, the curvature at the mode, less that of the
        prior, is the information of the answers.
        """
        if not self.n_contrasts:
            return self
        plain = replace(self, whitening=None)
        first = self.middle.size
        held, free = [first, first + 1], np.ones(self.size, dtype=bool)
        free[held] = False
        whole = plain.start()
        whole[held] = _WIDE

        def of_free(point: FloatArray) -> tuple[float, FloatArray]:
            there = whole.copy()
            there[free] = point
            value, gradient = plain.value_and_gradient(there)
            return value, gradient[free]

        mode = maximise(of_free, whole[free])
        covariance = inverse_curvature(hessian(of_free, mode))
        n_contrasts = 2 * self.n_contrasts * self.middle.n_applications
        here = slice(first, first + n_contrasts)  # the held ones stood before them
        tau = plain._spread_values(whole[None, :])[0]
        with_middle = self._middle_slopes(mode[:first]) @ covariance[:first, here]
        return replace(
            self, whitening=Whitening.of(mode[here], covariance[here, here], with_middle, tau)
        )

    # -- inside ------------------------------------------------------------------------------

    def _middle_slopes(self, point: FloatArray) -> FloatArray:
        """Slopes of levels at a usual mean, then of logits of alpha, by the middle's point."""
        n, columns = self.middle.n_applications, []
        for index in range(self.middle.size):
            step = np.zeros(self.middle.size)
            step[index] = 1e-5
            above, below = self.middle.to_plain(np.array([point + step, point - step]))[0]
            columns.append((above - below) / 2e-5)
        slopes = np.array(columns).T
        level = slopes[:n] + USUAL_MEAN * slopes[n : 2 * n]
        return np.concatenate([level, slopes[2 * n : 3 * n]])

    def _followed(self, plain: FloatArray, points: FloatArray) -> FloatArray:
        """Return plain parameters of the middle from those on the coordinates of the whitening."""
        if self.whitening is None or not self.n_contrasts:
            return plain
        n, moved = self.middle.n_applications, plain.copy()
        z, tau = self._contrasts(points)
        away = _flat(z * tau) @ self.whitening.follow.T
        moved[:, :n] -= away[:, :n]
        moved[:, 2 * n : 3 * n] -= away[:, n:]
        return moved

    def _grid(self) -> "Grid":
        if not self.has_own_alphas:
            return plain_grid(self.n_nodes)
        return grid_of_people(self.n_nodes)

    def _omega(self, points: FloatArray) -> FloatArray:
        if not self.has_own_alphas:
            return np.zeros(len(points))
        return half_normal_value(points[:, -1], self.spreads.person_alpha.scale)

    def _scales(self) -> tuple[float, float]:
        return self.spreads.alpha.scale, self.spreads.level.scale

    def _spread_values(self, points: FloatArray) -> FloatArray:
        at = self.middle.size
        return np.column_stack(
            [half_normal_value(points[:, at + i], scale) for i, scale in enumerate(self._scales())]
        )

    def _coordinates(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Coordinates of contrasts (n, 2, m), and centre and information of each (2, m)."""
        m = self.n_contrasts * self.middle.n_applications
        at = self.middle.size + 2
        w = points[:, at : at + 2 * m].reshape(len(points), 2, m)
        if self.whitening is None:
            return w, np.zeros((2, m)), np.zeros((2, m))
        return w, self.whitening.centre, self.whitening.information

    def _contrasts(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Contrasts over their spread (z) and the spreads, shapes (n, 2, m) and (n, 2, 1)."""
        w, centre, known = self._coordinates(points)
        tau = self._spread_values(points)[:, :, None]
        damped = 1.0 + known * tau**2
        return centre * known * tau / damped + w / np.sqrt(damped), tau

    def _shifts(self, points: FloatArray) -> FloatArray:
        """Return logit alpha and level of segments less the middle: (2, n, apps, segments)."""
        n, apps = len(points), self.middle.n_applications
        if not self.n_contrasts:
            return np.zeros((2, n, apps, 1))
        z, tau = self._contrasts(points)
        contrasts = self._turned_back(z * tau).reshape(n, 2, apps, self.n_contrasts)
        return np.moveaxis(contrasts @ helmert(len(self.segments)), 1, 0)

    def _turned_back(self, contrasts: FloatArray) -> FloatArray:
        """Return contrasts by application from those on the axes of the whitening, (n, 2, m)."""
        if self.whitening is None:
            return contrasts
        return np.asarray(np.einsum("qij,nqj->nqi", self.whitening.axes, contrasts))

    def _own(self, plain: FloatArray, shifts: FloatArray, number: int) -> FloatArray:
        n, own = self.middle.n_applications, plain.copy()
        own[:, :n] += shifts[1, :, :, number]
        own[:, 2 * n : 3 * n] += shifts[0, :, :, number]
        return own

    def _log_prior_of_rest(self, points: FloatArray) -> FloatArray:
        at, total = self.middle.size, np.zeros(len(points))
        if self.n_contrasts:
            z, tau = self._contrasts(points)
            _, _, known = self._coordinates(points)
            damped = 0.5 * np.log1p(known * tau**2)
            total += (prior_density.normal(_STANDARD, z)[0] - damped).sum(axis=(1, 2))
            total += prior_density.normal(_STANDARD, points[:, at : at + 2])[0].sum(axis=1)
        if self.has_own_alphas:
            total += prior_density.normal(_STANDARD, points[:, -1])[0]
        return total

    def _rest(
        self, point: FloatArray, by_shifts: FloatArray, by_middle: FloatArray, by_omega: float
    ) -> tuple[float, FloatArray]:
        """Log prior of everything beyond the middle, and the gradient by it."""
        at, parts = self.middle.size, []
        if self.n_contrasts:
            w, centre, known = (part for part in self._coordinates(point[None, :]))
            z, tau = (part[0] for part in self._contrasts(point[None, :]))
            damped = 1.0 + known * tau**2
            by_contrast = (by_shifts @ helmert(len(self.segments)).T).reshape(z.shape)
            if self.whitening is not None:
                by_contrast = np.einsum("qij,qi->qj", self.whitening.axes, by_contrast)
                by_contrast -= (by_middle @ self.whitening.follow).reshape(z.shape)
            z_by_tau = centre * known * (1.0 - known * tau**2) / damped**2
            z_by_tau -= w[0] * known * tau * damped**-1.5
            by_z = by_contrast * tau - z
            by_tau = by_contrast * z + by_z * z_by_tau - known * tau / damped
            slopes = [
                half_normal_slope(point[at + i], scale) for i, scale in enumerate(self._scales())
            ]
            parts = [by_tau.sum(axis=1) * np.array(slopes) - point[at : at + 2]]
            parts.append((by_z / np.sqrt(damped)).ravel())
        if self.has_own_alphas:
            slope = half_normal_slope(point[-1], self.spreads.person_alpha.scale)
            parts.append(np.array([by_omega * float(slope) - point[-1]]))
        log_prior = float(self._log_prior_of_rest(point[None, :])[0])
        return log_prior, np.concatenate(parts) if parts else np.zeros(0)

    def _likelihood(
        self, cells: Cells, own: FloatArray, omega: float
    ) -> tuple[float, FloatArray, float]:
        """Log likelihood of one segment, its gradient by its plain parameters, and by omega."""
        n, at = self.middle.n_applications, cells.application
        slope, sd = own[n : 2 * n][at][:, None], np.exp(own[3 * n])
        steps, place, nodes, weights = self._grid()
        alpha = expit(own[2 * n : 3 * n][at][:, None] + omega * steps)
        order = float(own[-1]) if self.order is None else self.order
        mean, by_alpha, by_p = power_mean_slopes(
            cells.precision[:, None], cells.recall[:, None], p=order, alpha=alpha
        )
        extra = self._extra(cells, own[None, :])[0][:, None]
        center = own[:n][at][:, None] + slope * mean + extra
        x = center[:, place] + sd * nodes
        value, pull = log_marginal(cells.groups, log_terms(x), weights)
        accept = expit(x)
        pull_x = pull[: len(x)] * (1.0 - accept) - pull[len(x) :] * accept
        cell = np.add.reduceat(pull_x, np.searchsorted(place, np.arange(len(steps))), axis=1)
        by_logit = cell * slope * by_alpha * alpha * (1.0 - alpha)
        gradient: list[FloatArray] = [
            np.bincount(at, values.sum(axis=1), minlength=n).astype(np.float64)
            for values in (cell, cell * mean, by_logit)
        ]
        gradient.append(np.array([float((pull_x * nodes).sum()) * sd]))
        if self.flawless:
            more = half_normal_slope(own[3 * n + 1], self.priors.flawless.scale)
            gradient.append(np.array([float(cell.sum(axis=1) @ cells.is_flawless) * float(more)]))
        if self.order is None:
            gradient.append(np.array([float((cell * slope * by_p).sum())]))
        return value, np.concatenate(gradient), float((by_logit @ steps).sum())

    def _log_likelihood(self, cells: Cells, own: FloatArray, omega: FloatArray) -> FloatArray:
        n, at = self.middle.n_applications, cells.application
        steps, place, nodes, weights = self._grid()
        logits = own[:, 2 * n : 3 * n][:, at][:, :, None] + omega[:, None, None] * steps
        order = own[:, -1][:, None, None] if self.order is None else self.order
        mean = power_mean(
            cells.precision[:, None], cells.recall[:, None], p=order, alpha=expit(logits)
        )
        line, slope = own[:, :n][:, at], own[:, n : 2 * n][:, at]
        center = (line + self._extra(cells, own))[:, :, None] + slope[:, :, None] * mean
        with np.errstate(over="ignore", invalid="ignore"):
            spread = np.exp(own[:, 3 * n])[:, None] * nodes
            return log_marginal_of_choices(
                cells.groups, center.transpose(1, 0, 2), spread, weights, place=place
            )

    def _extra(self, cells: Cells, own: FloatArray) -> FloatArray:
        """Return what a flawless system has beyond its accuracy, shape (n, cells)."""
        if not self.flawless:
            return np.zeros((len(own), cells.n_cells))
        more = half_normal_value(
            own[:, 3 * self.middle.n_applications + 1], self.priors.flawless.scale
        )
        return np.asarray(more[:, None] * cells.is_flawless)


SPREADS = ("alpha between segments", "level between segments", "alpha between people")


def segment_columns(n_applications: int, n_segments: int) -> tuple[list[slice], slice]:
    """Return where each segment's columns and the spreads stand in `SegmentModel.natural`."""
    width = draw_columns(n_applications)["flawless"].stop
    own = [slice(width * number, width * (number + 1)) for number in range(n_segments)]
    return own, slice(width * n_segments, width * n_segments + len(SPREADS))


def _flat(by_quantity: FloatArray) -> FloatArray:
    """Return a row per point; a kind of mean of no probability has none."""
    n, quantities, m = by_quantity.shape
    return by_quantity.reshape(n, quantities * m)


def nodes_for(person_sd: FloatArray) -> int:
    """Return how many nodes integrate over people who differ as these draws of their sd say."""
    half = int(np.ceil(0.5 * _NODES_PER_SD * float(np.quantile(person_sd, 0.99))))
    return min(max(_LEAST_NODES, 2 * half + 1), N_NODES)


class Grid(NamedTuple):
    """Nodes of leniency and of people's own alphas, and their weights (summing to 1)."""

    steps: FloatArray  # of alphas
    place: NDArray[np.intp]  # which of the steps each node belongs to, in order
    nodes: FloatArray  # of leniency
    weights: FloatArray


@cache
def plain_grid(n_nodes: int) -> Grid:
    """Return nodes of leniency alone."""
    reach = REACH if n_nodes >= N_NODES else _REACH
    nodes, weights = normal_nodes(n_nodes, reach=reach)
    return Grid(np.zeros(1), np.zeros(n_nodes, dtype=np.intp), nodes, weights)


@cache
def grid_of_people(n_nodes: int) -> Grid:
    """Return nodes of leniency and of people's own alphas, without the empty corners."""
    steps, shares = normal_nodes(_ALPHA_NODES, reach=_ALPHA_REACH)
    nodes, weights = normal_nodes(min(N_NODES, n_nodes), reach=_REACH)
    place, node = np.nonzero(steps[:, None] ** 2 + nodes**2 <= _REACH**2)
    both = np.outer(shares, weights)[place, node]
    return Grid(steps, place, nodes[node], both / both.sum())


def helmert(n_segments: int) -> FloatArray:
    """Orthonormal contrasts, shape (segments - 1, segments): rows add up to zero."""
    rows = np.zeros((n_segments - 1, n_segments))
    for row in range(n_segments - 1):
        rows[row, : row + 1] = 1.0
        rows[row, row + 1] = -(row + 1.0)
        rows[row] /= np.sqrt((row + 1.0) * (row + 2.0))
    return rows
