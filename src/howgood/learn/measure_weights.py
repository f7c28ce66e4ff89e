r"""Precision, recall and specificity: what each weighs in what people accept.

In: answers that were read, how rare the thing is, and the fit by precision and recall. Out:
`MeasureWeights`: weights on a simplex, and whether specificity counts at all. Absent: other
measures (`learn.measures`), decisions.

.. math:: \operatorname{logit} P(\text{accept}) = b_{0i} + b_i M_{p,w_i}(P_j, R_j, S_j) + U_k,
          \quad M_{p,w} = (w_P P^p + w_R R^p + w_S S^p)^{1/p}

with :math:`w_i` uniform on the simplex. Precision and specificity both count false alarms, so that
answers tell their sum better than each. A weighted power mean of three is that of two of them
with the third: the parameters are those of `learn.binary_model`, where alpha is :math:`w_P + w_S`
(Beta(2, 1)), and points z with :math:`w_S = \Phi(z)(w_P + w_S)`, standard normal beforehand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from howgood.errors import InputError, UnknownNameError
from howgood.learn import prior_density
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.binary_model import BinaryModel, Cells, draw_columns, log_terms
from howgood.learn.engines.importance import careful_pilot, natural_draws, sample_mixture
from howgood.learn.engines.select import gated
from howgood.learn.evidence import lowest_shown
from howgood.learn.kinds import order_of
from howgood.learn.measured import MeasureWeights
from howgood.learn.segment_model import nodes_for, plain_grid
from howgood.records.acceptance import specificity_of
from howgood.records.answers import Answers
from howgood.records.priors import Beta, Normal, Priors
from howgood.records.probability import check_probability
from howgood.records.progress import Progress, silent
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean, power_mean_slopes
from howgood.stats.random_intercepts import (
    N_NODES,
    GroupCounts,
    draws_per_block,
    log_marginal,
    log_marginal_of_choices,
)

TWO = ("precision", "recall")
THREE = (*TWO, "specificity")
_STANDARD = Normal(0.0, 1.0)
_TOLERANCE = 1e-9
_CURE = "Ask more people, or fit precision and recall alone."


@dataclass(frozen=True, slots=True)
class ThreeMeasures:
    """Log posterior density of one kind of mean of three measures.

    A point holds that of the binary model, then that of specificity's weight per application.
    """

    cells: Cells
    specificity: FloatArray
    priors: Priors
    order: float | None
    flawless: bool = False
    n_nodes: int = N_NODES
    middle: BinaryModel = field(init=False, repr=False)

    def __post_init__(self) -> None:
        both = Beta(self.priors.alpha.a + 1.0, self.priors.alpha.b)
        priors = replace(self.priors, alpha=both)
        middle = BinaryModel(self.cells, priors, self.order, flawless=self.flawless)
        object.__setattr__(self, "middle", middle)

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.middle.size + self.middle.n_applications

    def start(self) -> FloatArray:
        """Return a sensible place to start looking for the mode."""
        return np.concatenate([self.middle.start(), np.zeros(self.middle.n_applications)])

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density and its gradient at one point."""
        middle, third = point[: self.middle.size], point[self.middle.size :]
        plain, log_volume = self.middle.to_plain(middle[None, :])
        prior, by_prior = self.middle.log_prior(plain)
        own, by_own = prior_density.normal(_STANDARD, third)
        value, by_plain, by_third = self._likelihood(plain[0], third)
        total = value + float(prior[0] + log_volume[0] + own.sum())
        moved = self.middle.gradient_by_point(middle, plain[0], by_plain + by_prior[0])
        return total, np.concatenate([moved, by_third + by_own])

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points, shape (n, size)."""
        plain, total = self.middle.to_plain(points[:, : self.middle.size])
        third = points[:, self.middle.size :]
        total = total + self.middle.log_prior(plain)[0]
        total = total + prior_density.normal(_STANDARD, third)[0].sum(axis=1)
        block = draws_per_block(self.cells.groups, 2 * self.cells.n_cells, self.n_nodes)
        values = [
            self._log_likelihood(plain[at : at + block], third[at : at + block])
            for at in range(0, len(points), block)
        ]
        return np.asarray(total + np.concatenate(values))

    def spread(self, points: FloatArray) -> FloatArray:
        """Return how much people differ, in widths of the logistic curve."""
        return self.middle.spread(points[:, : self.middle.size])

    def natural(self, points: FloatArray) -> FloatArray:
        """Return draws in natural units: those of the binary model, then specificity's weights."""
        natural = self.middle.natural(points[:, : self.middle.size])
        at = draw_columns(self.middle.n_applications)["alpha"]
        both = natural[:, at]
        third = both * ndtr(points[:, self.middle.size :])
        natural[:, at] = (both - third) / (1.0 - third)
        return np.column_stack([natural, third])

    def _likelihood(
        self, plain: FloatArray, third: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        """Log likelihood, and its gradient by the plain parameters and by the third weights."""
        n, at, cells = self.middle.n_applications, self.cells.application, self.cells
        alpha, part = expit(plain[2 * n : 3 * n])[at], ndtr(third)[at]
        slope, sd = plain[n : 2 * n][at], np.exp(plain[3 * n])
        order = float(plain[-1]) if self.order is None else self.order
        pair, by_part, pair_by_p = power_mean_slopes(
            self.specificity, cells.precision, p=order, alpha=part
        )
        mean, by_alpha, by_p = power_mean_slopes(pair, cells.recall, p=order, alpha=alpha)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_pair = np.where(pair > 0, alpha * (mean / pair) ** (1.0 - order), 0.0)
        _, _, nodes, weights = plain_grid(self.n_nodes)
        extra = self.middle._extra(plain[None, :])[0]
        x = (plain[:n][at] + slope * mean + extra)[:, None] + sd * nodes
        value, pull = log_marginal(cells.groups, log_terms(x), weights)
        accept = expit(x)
        pull_x = pull[: len(x)] * (1.0 - accept) - pull[len(x) :] * accept
        cell = pull_x.sum(axis=1)
        by_application = self.middle._by_application
        gradient = [
            by_application(cell),
            by_application(cell * mean),
            by_application(cell * slope * by_alpha * alpha * (1.0 - alpha)),
            np.array([float((pull_x * nodes).sum()) * sd]),
        ]
        if self.flawless:
            gradient.append(np.array([float(cell @ self.middle._extra_slope(plain))]))
        if self.order is None:
            gradient.append(np.array([float((cell * slope) @ (by_p + by_pair * pair_by_p))]))
        density = np.exp(-0.5 * third**2) / np.sqrt(2.0 * np.pi)
        by_third = by_application(cell * slope * by_pair * by_part) * density
        return value, np.concatenate(gradient), by_third

    def _log_likelihood(self, plain: FloatArray, third: FloatArray) -> FloatArray:
        n, at = self.middle.n_applications, self.cells.application
        order = plain[:, -1:] if self.order is None else self.order
        pair = power_mean(self.specificity, self.cells.precision, p=order, alpha=ndtr(third)[:, at])
        alpha = expit(plain[:, 2 * n : 3 * n])[:, at]
        mean = power_mean(pair, self.cells.recall, p=order, alpha=alpha)
        center = plain[:, :n][:, at] + plain[:, n : 2 * n][:, at] * mean + self.middle._extra(plain)
        _, _, nodes, weights = plain_grid(self.n_nodes)
        with np.errstate(over="ignore", invalid="ignore"):
            spread = np.exp(plain[:, 3 * n])[:, None] * nodes
            return log_marginal_of_choices(self.cells.groups, center.T[:, :, None], spread, weights)


def checked_measures(measures: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures to weigh: precision and recall, and specificity where it is named."""
    for name in measures:
        if name not in THREE:
            raise UnknownNameError(where="measures", name=name, names=THREE)
    if set(measures) not in ({*TWO}, {*THREE}) or len(set(measures)) != len(measures):
        raise InputError(
            where="measures",
            found=", ".join(measures) or "none",
            needed="precision and recall, with or without specificity",
            cure='Use ("precision", "recall", "specificity").',
        )
    return tuple(name for name in THREE if name in measures)


def fit_weights(
    answers: Answers,
    accepted: NDArray[np.bool_],
    whole: AcceptabilityFit,
    *,
    prevalence: float | None,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> MeasureWeights:
    """Return what precision, recall and specificity weigh, next to the fit of the first two."""
    cells, specificity = _shown(answers, accepted, whole, prevalence)
    prior = whole.prior_of_means()
    model = ThreeMeasures(
        cells, specificity, whole.priors, 0.0,
        flawless=whole.has_flawless_term, n_nodes=nodes_for(whole.person_sd_draws()),
    )  # fmt: skip
    models = {p: replace(model, order=order_of(p)) for p in prior}
    mixture = sample_mixture(
        models, prior, draws=draws, rng=rng, progress=progress, find=careful_pilot
    )
    diagnostics = gated(mixture, cure=_CURE)
    averaged, _ = natural_draws(mixture, models, draws, rng)
    width = draw_columns(len(whole.applications))["flawless"].stop
    return MeasureWeights(
        applications=whole.applications,
        draws=averaged[:, :width],
        third=averaged[:, width:],
        prevalence=prevalence,
        log_evidence=_averaged_evidence(mixture.log_evidence, prior),
        log_evidence_of_two=_averaged_evidence(whole.log_evidence, prior),
        n_respondents=dict(whole.respondents),
        evidence={name: whole.evidence_for(name) for name in whole.applications},
        lowest_shown={name: lowest_shown(whole.cells, name) for name in whole.applications},
        diagnostics=diagnostics,
    )


def _averaged_evidence(log_evidence: Mapping[float, float], prior: Mapping[float, float]) -> float:
    """Log evidence averaged over kinds of mean; not a number where p is continuous."""
    terms = [value + np.log(prior[float(p)]) for p, value in log_evidence.items() if p == p]
    return float(np.logaddexp.reduce(terms)) if terms else float("nan")


def _shown(
    answers: Answers,
    accepted: NDArray[np.bool_],
    whole: AcceptabilityFit,
    prevalence: float | None,
) -> tuple[Cells, FloatArray]:
    """Return distinct questions and the specificity of each: a column says it, or prevalence."""
    if prevalence is not None:
        check_probability(prevalence, name="prevalence", where="fit_acceptability")
        others = 1.0 / prevalence - 1.0
        cells = whole.cells
        _refuse_impossible(cells, prevalence, others)
        specificity = specificity_of(cells.precision, cells.recall, others)
    elif "specificity" in answers:
        cells, specificity = _cells_with(answers, accepted, whole.applications)
    else:
        raise InputError(
            where="measures",
            found="specificity, and neither a column of it nor a prevalence",
            needed="how many cases were rightly left alone",
            cure="Pass prevalence=, the share of real cases among all cases people were shown; or "
            "add a column specificity.",
        )
    if np.ptp(specificity) < 1e-6:
        raise InputError(
            where="measures",
            found="the same specificity in all scenarios",
            needed="scenarios that differ in it, to learn what it weighs",
            cure="Leave specificity out.",
        )
    return cells, specificity


def _refuse_impossible(cells: Cells, prevalence: float, others: float) -> None:
    """Refuse a prevalence at which a scenario that people were shown cannot be."""
    with np.errstate(divide="ignore", invalid="ignore"):
        alarms = np.where(cells.recall > 0, cells.recall * (1.0 / cells.precision - 1.0), 0.0)
    if (alarms > others + _TOLERANCE).any():
        raise InputError(
            where="prevalence",
            found=f"{prevalence:g}, at which a scenario has more false alarms than cases",
            needed=f"at most {1.0 / (1.0 + float(alarms.max())):.3g}",
            cure="Give the share of real cases among all cases people were shown.",
        )


def _cells_with(
    answers: Answers, accepted: NDArray[np.bool_], applications: tuple[str, ...]
) -> tuple[Cells, FloatArray]:
    place = {name: number for number, name in enumerate(applications)}
    application = np.array([place[str(name)] for name in answers["application"].tolist()])
    _, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    measures: list[Any] = [answers[name] for name in THREE]
    distinct, cell = np.unique(
        np.column_stack([application, *measures]), axis=0, return_inverse=True
    )
    outcome = np.where(accepted, cell.ravel(), cell.ravel() + len(distinct))
    cells = Cells(
        applications=applications,
        application=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 1],
        recall=distinct[:, 2],
        groups=GroupCounts.from_rows(person, outcome, 2 * len(distinct)),
    )
    return cells, np.asarray(distinct[:, 3], dtype=np.float64)
