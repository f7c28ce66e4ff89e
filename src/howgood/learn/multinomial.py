r"""Learn how often each rating is given at an accuracy, without an order of the ratings.

In: ratings of scenarios, `Priors`. Out: `MultinomialFit`, by way of `LevelCells` (which application
and accuracy, who gave which rating) and `MultinomialModel`, a log posterior density for the
engines. Absent: sampling (`learn.engines`), and decisions, which go by the binary or the ordinal
model. Every level of the scale has a curve of its own:

.. math:: \log\frac{P(Y = l)}{P(Y = 1)} = c_l + b_l\,(M_{p,\alpha_a}(P, R) - m)
          + s_l\,(\gamma_a + U_k)

for the levels l after the first, at the usual mean m = .75. Nothing says that levels are ordered
but its place :math:`s_l = 2 (l - 1) / L`, along which lenient people and lenient applications
move: the upper half of the L levels lies about 1 above the lower half, so that U is on the scale of
the binary model (which this is with two levels and one application). Curves are common to
applications, which have their own alpha and level :math:`\gamma` (zero for the first by name).

Parameters on the whole line, in this order: c, b, logits of alpha, levels of the other
applications, log of the standard deviation of people.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp, softmax

from howgood.ask.intake import MissingPolicy, read_answers
from howgood.errors import InputError, MissingColumnError, UnknownNameError, place_of
from howgood.learn import prior_density
from howgood.learn.binary_model import check_cut, people_per_application, usual_cut
from howgood.learn.engines.importance import careful_pilot, posterior_fields, sample_mixture
from howgood.learn.engines.select import gated
from howgood.learn.kinds import Means, fitted_provenance, general_priors, kinds_of_mean
from howgood.learn.selection import one_part
from howgood.records.answers import Answers
from howgood.records.diagnostics import Diagnostics
from howgood.records.estimate import Estimate
from howgood.records.evidence import FEW_PEOPLE, Evidence
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.priors import USUAL_MEAN, Normal, Priors
from howgood.records.probability import check_probability
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray, columns_by_name
from howgood.stats.power_mean import power_mean, power_mean_slopes
from howgood.stats.random_intercepts import (
    N_NODES,
    GroupCounts,
    draws_per_block,
    log_marginal,
    log_marginal_many,
    normal_nodes,
)
from howgood.stats.randomness import RandomState, generator_and_seed

LEVEL_PRIOR = Normal(0.0, 2.5)  # of c, and of the levels of applications
SLOPE_PRIOR = Normal(0.0, 15.0)
_CURE = "Ask more people, put neighbouring ratings together, or use the ordinal or binary model."
_POPULATION_NODES = 33


@dataclass(frozen=True, slots=True)
class LevelCells:
    """Distinct questions (application, precision, recall) and each person's ratings of them.

    `groups.counts` has one column per question and level, levels within questions.
    """

    applications: tuple[str, ...]
    levels: tuple[int, ...]
    application: NDArray[np.intp]
    precision: FloatArray
    recall: FloatArray
    groups: GroupCounts

    @property
    def shares(self) -> FloatArray:
        """How often each level was given, over all questions."""
        total = (self.groups.alike @ self.groups.counts).reshape(-1, len(self.levels)).sum(axis=0)
        return np.asarray(total / total.sum())


def level_cells(answers: Answers) -> LevelCells:
    """Collapse rows to distinct questions and distinct people; levels nobody gave are left out."""
    levels, level = np.unique(answers["rating"].astype(int), return_inverse=True)
    if len(levels) < 2:
        raise InputError(
            where="answers, column 'rating'",
            found=f"only the rating {levels[0]}",
            needed="at least two different ratings",
            cure="Ask about scenarios that differ more in accuracy.",
        )
    names, application = np.unique(answers["application"].astype(str), return_inverse=True)
    _, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    question = np.column_stack([application, answers["precision"], answers["recall"]])
    distinct, cell = np.unique(question, axis=0, return_inverse=True)
    outcome = cell.ravel() * len(levels) + level
    return LevelCells(
        applications=tuple(str(name) for name in names),
        levels=tuple(int(value) for value in levels),
        application=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 1],
        recall=distinct[:, 2],
        groups=GroupCounts.from_rows(person, outcome, len(distinct) * len(levels)),
    )


def level_places(n_levels: int) -> FloatArray:
    """Return the place of every level: the upper half lies about 1 above the lower half.

    Examples
    --------
    >>> level_places(2).tolist(), level_places(4).tolist()
    ([0.0, 1.0], [0.0, 0.5, 1.0, 1.5])
    """
    return np.arange(n_levels) * 2.0 / n_levels


def draw_columns(n_levels: int, n_applications: int) -> dict[str, slice]:
    """Return where each parameter stands in draws in natural units."""
    sizes = {"level": n_levels - 1, "slope": n_levels - 1, "alpha": n_applications}
    return columns_by_name({**sizes, "application": n_applications - 1, "person_sd": 1, "p": 1})


@dataclass(frozen=True, slots=True)
class MultinomialModel:
    """Log posterior density of one kind of mean."""

    n_nodes: ClassVar[int] = N_NODES

    cells: LevelCells
    priors: Priors
    order: float

    @property
    def columns(self) -> dict[str, slice]:
        """Where each parameter stands in a point."""
        return draw_columns(len(self.cells.levels), len(self.cells.applications))

    @property
    def places(self) -> FloatArray:
        """Place of every level along which leniency moves."""
        return level_places(len(self.cells.levels))

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.columns["person_sd"].stop)

    def start(self) -> FloatArray:
        """Return a sensible place to start looking for the mode."""
        point, shares = np.zeros(self.size), self.cells.shares
        point[self.columns["level"]] = np.log(shares[1:] / shares[0])
        point[self.columns["slope"]] = 6.0 * self.places[1:]
        return point

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density and its gradient at one point."""
        cells, at, n = self.cells, self.columns, len(self.cells.applications)
        alpha, slope = expit(point[at["alpha"]]), point[at["slope"]]
        mean, by_alpha, _ = power_mean_slopes(
            cells.precision, cells.recall, p=self.order, alpha=alpha[cells.application]
        )
        nodes, weights = normal_nodes()
        scores = self._scores(point[None, :], mean[None, :], nodes)[:, :, 0]
        log_chance = scores - logsumexp(scores, axis=1, keepdims=True)
        value, pull = log_marginal(cells.groups, log_chance.reshape(-1, nodes.size), weights)
        pull = pull.reshape(scores.shape)
        # A level's log probability gains by its own score and loses by every one's, as likely.
        by_score = pull - np.exp(log_chance) * pull.sum(axis=1, keepdims=True)
        by_level = by_score.sum(axis=2)[:, 1:]
        moved = by_score.sum(axis=2) @ self.places
        through_alpha = np.bincount(cells.application, (by_level @ slope) * by_alpha, minlength=n)
        prior, gradient = self._log_prior(point[None, :])
        gradient = gradient[0]
        gradient[at["level"]] += by_level.sum(axis=0)
        gradient[at["slope"]] += by_level.T @ (mean - USUAL_MEAN)
        gradient[at["alpha"]] += through_alpha * alpha * (1.0 - alpha)
        gradient[at["application"]] += np.bincount(cells.application, moved, minlength=n)[1:]
        by_leniency = np.einsum("cln,l,n->", by_score, self.places, nodes)
        gradient[at["person_sd"]] += float(by_leniency) * np.exp(point[at["person_sd"]])
        return value + float(prior[0]), gradient

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points, shape (n, size)."""
        groups = self.cells.groups
        block = draws_per_block(groups, groups.counts.shape[1], N_NODES)
        parts = [
            self._log_likelihood(points[start : start + block])
            for start in range(0, len(points), block)
        ]
        return np.asarray(np.concatenate(parts) + self._log_prior(points)[0])

    def natural(self, points: FloatArray) -> FloatArray:
        """Return draws with everything in its own units, in the order of `draw_columns`."""
        at, draws = self.columns, points.copy()
        draws[:, at["alpha"]] = expit(points[:, at["alpha"]])
        draws[:, at["person_sd"]] = np.exp(points[:, at["person_sd"]])
        return np.column_stack([draws, np.full(len(points), self.order)])

    def _scores(self, points: FloatArray, mean: FloatArray, nodes: FloatArray) -> FloatArray:
        """Scores of the levels: (questions, levels, draws, nodes)."""
        at, n = self.columns, len(points)
        by_application = np.column_stack([np.zeros(n), points[:, at["application"]]])
        zero = np.zeros((n, 1))
        level = np.column_stack([zero, points[:, at["level"]]])
        slope = np.column_stack([zero, points[:, at["slope"]]])
        fixed = (
            level[:, None, :]
            + slope[:, None, :] * (mean - USUAL_MEAN)[:, :, None]
            + by_application[:, self.cells.application][:, :, None] * self.places
        )
        sd = np.exp(np.minimum(points[:, at["person_sd"]][:, 0], 50.0))
        away = self.places[:, None, None] * sd[:, None] * nodes
        return fixed.transpose(1, 2, 0)[:, :, :, None] + away

    def _log_likelihood(self, points: FloatArray) -> FloatArray:
        cells, nodes = self.cells, normal_nodes()
        alpha = expit(points[:, self.columns["alpha"]])[:, cells.application]
        mean = power_mean(cells.precision, cells.recall, p=self.order, alpha=alpha)
        scores = self._scores(points, mean, nodes[0]).astype(np.float32)
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        terms = scores.reshape(-1, len(points), nodes[0].size)
        return log_marginal_many(cells.groups, terms, nodes[1])

    def _log_prior(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        at = self.columns
        parts = [
            prior_density.normal(LEVEL_PRIOR, points[:, at["level"]]),
            prior_density.normal(SLOPE_PRIOR, points[:, at["slope"]]),
            prior_density.beta_logit(self.priors.alpha, points[:, at["alpha"]]),
            prior_density.normal(LEVEL_PRIOR, points[:, at["application"]]),
            prior_density.log_spread(self.priors.person_sd, points[:, at["person_sd"]]),
        ]
        value = np.concatenate([part for part, _ in parts], axis=1).sum(axis=1)
        return value, np.concatenate([slope for _, slope in parts], axis=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MultinomialFit(Tabular):
    """How often each rating is given at any accuracy, every rating with a curve of its own.

    `levels` are the ratings that occur; `cut` is the lowest that accepts.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "summary"

    applications: tuple[str, ...]
    levels: tuple[int, ...]
    cut: int
    n_respondents: int
    respondents: Mapping[str, int]
    mean_probabilities: Mapping[float, float]
    log_evidence: Mapping[float, float]
    averaged_draws: FloatArray = field(repr=False)
    conditional_draws: Mapping[float, FloatArray] = field(repr=False)
    cells: LevelCells = field(repr=False)
    priors: Priors
    diagnostics: Diagnostics
    provenance: Provenance = field(repr=False)

    @property
    def evidence(self) -> Evidence:
        """Whether there are enough people to decide anything."""
        return "few people" if self.n_respondents < FEW_PEOPLE else "enough"

    def alpha(self, application: str) -> Estimate:
        """Return the weight of precision in one application."""
        return self._estimate(self.draws("alpha")[:, self._index(application)])

    def level_shares(
        self, precision: float, recall: float, application: str | None = None
    ) -> dict[int, Estimate]:
        """Return the share of the population that would give each rating at an accuracy."""
        draws = self._level_draws(precision, recall, application)
        return {level: self._estimate(draws[:, i]) for i, level in enumerate(self.levels)}

    def predict(
        self,
        precision: float,
        recall: float,
        application: str | None = None,
        *,
        at_least: int | None = None,
    ) -> Estimate:
        """Return the share of the population that rates at least `at_least` (the cut).

        Where nobody rated lower, or nobody so high, there is no curve to tell a share by.
        """
        lowest = self.cut if at_least is None else at_least
        if lowest > 1:
            _check_told(self.levels, lowest, where="at_least")
        draws = self._level_draws(precision, recall, application)
        return self._estimate(draws[:, np.array(self.levels) >= lowest].sum(axis=1))

    def summary(self) -> Table:
        """Return alphas, and the curve of every rating against the lowest one."""
        rows = [("alpha", name, self.alpha(name)) for name in self.applications]
        for parameter in ("level", "slope"):
            values = self.draws(parameter)
            rows += [
                (parameter, f"rating {rating}", self._estimate(values[:, i]))
                for i, rating in enumerate(self.levels[1:])
            ]
        rows.append(("person_sd", "all people", self._estimate(self.draws("person_sd")[:, 0])))
        return Table(
            {
                "parameter": np.array([row[0] for row in rows], dtype=object),
                "of": np.array([row[1] for row in rows], dtype=object),
                "mean": np.array([row[2].mean for row in rows]),
                "sd": np.array([row[2].sd for row in rows]),
                "lower": np.array([row[2].interval.lower for row in rows]),
                "upper": np.array([row[2].interval.upper for row in rows]),
            }
        )

    def methods_text(self) -> str:
        """Return the methods, ready to paste."""
        likeliest = max(self.mean_probabilities, key=lambda p: self.mean_probabilities[p])
        return (
            f"Ratings ({len(self.levels)} levels occurring, {self.provenance.rows_used} answers of "
            f"{self.n_respondents} respondents) were fitted with a Bayesian multinomial logistic "
            "regression: every rating has its own level and slope over the weighted power mean of "
            "precision and recall, against the lowest rating; respondents differ in leniency "
            "(normal), which moves ratings along the scale. Levels are Normal(0, sd 2.5) "
            f"and slopes Normal(0, sd 15) beforehand, alpha {self.priors.alpha}, the spread of "
            f"respondents {self.priors.person_sd}. The most probable kind of mean is p = "
            f"{likeliest:g} ({self.mean_probabilities[likeliest]:.2f}). Computed by importance "
            f"sampling (Pareto k-hat {self.diagnostics.khat:.2f}, "
            f"{self.diagnostics.effective_draws:.0f} effective draws)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain values."""
        return {
            "model": "multinomial",
            "applications": list(self.applications),
            "levels": list(self.levels),
            "cut": self.cut,
            "n_respondents": self.n_respondents,
            "mean_probabilities": {f"{p:g}": v for p, v in self.mean_probabilities.items()},
            "log_evidence": {f"{p:g}": v for p, v in self.log_evidence.items()},
            "parameters": self.summary(),
            "diagnostics": self.diagnostics.to_dict(),
            "provenance": self.provenance.to_dict(),
        }

    def _level_draws(self, precision: float, recall: float, application: str | None) -> FloatArray:
        """Return draws of the share giving each rating: (draws, levels)."""
        for name, value in (("precision", precision), ("recall", recall)):
            check_probability(value, name=name, where="predict", ends=True)
        if application is None and len(self.applications) == 1:
            application = self.applications[0]
        index = self._index(application)
        order, alpha = self.draws("p")[:, 0], self.draws("alpha")[:, index]
        mean = power_mean(np.array(precision), np.array(recall), p=order, alpha=alpha)
        zero, places = np.zeros((len(mean), 1)), level_places(len(self.levels))
        level = np.column_stack([zero, self.draws("level")])
        slope = np.column_stack([zero, self.draws("slope")])
        moved = self.draws("application")[:, index - 1] if index else zero[:, 0]
        fixed = level + slope * (mean - USUAL_MEAN)[:, None] + moved[:, None] * places
        nodes, weights = normal_nodes(_POPULATION_NODES)
        away = self.draws("person_sd")[:, :, None] * places[None, :, None] * nodes
        return np.asarray(softmax(fixed[:, :, None] + away, axis=1) @ weights)

    def draws(self, parameter: str) -> FloatArray:
        """Return draws of "level", "slope", "alpha", "application", "person_sd" or "p"."""
        columns = draw_columns(len(self.levels), len(self.applications))
        if parameter not in columns:
            raise UnknownNameError(where="parameter", name=parameter, names=columns)
        return self.averaged_draws[:, columns[parameter]]

    def _index(self, application: str | None) -> int:
        return place_of(application, self.applications, where="application")

    def _estimate(self, draws: FloatArray) -> Estimate:
        return Estimate.from_draws(draws, n_respondents=self.n_respondents, evidence=self.evidence)


def _check_told(levels: tuple[int, ...], lowest: int, *, where: str) -> None:
    if levels[0] < lowest <= levels[-1]:
        return
    raise InputError(
        where=where,
        found=f"{lowest}, where all ratings are from {levels[0]} to {levels[-1]}",
        needed=f"a rating from {levels[0] + 1} to {levels[-1]}: how many would rate "
        + ("so high" if lowest > levels[-1] else "lower")
        + " is not known",
        cure="Ask more people, or about a wider range of accuracies.",
    )


def fit_multinomial(
    answers: Any,  # noqa: ANN401 - a path or any frame narwhals knows
    *,
    columns: Mapping[str, str] | None = None,
    scale: int | None = None,
    cut: int | None = None,
    means: Means = (-1, 0, 1),
    priors: str | Priors = "howgood",
    draws: int = 4000,
    random_state: RandomState = None,
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    only_part: str | None = None,
    progress: Progress = silent,
) -> MultinomialFit:
    r"""Fit ratings without assuming that one threshold after the other is passed.

    .. math:: \log\frac{P(Y = l)}{P(Y = 1)} = c_l + b_l\,(M_{p,\alpha_a}(P, R) - .75)
              + s_l\,(\gamma_a + U_k)

    with a level :math:`c_l` and a slope :math:`b_l` of every rating against the lowest one, and
    :math:`s_l = 2(l - 1)/L` for the l-th of L levels. The third choice next to
    `fit_acceptability`, which puts ratings into two, and `fit_ordinal`, whose thresholds all move
    together.

    Parameters
    ----------
    answers : path, frame or Answers
        Ratings; see `ask.read_answers`.
    columns, scale, missing, people
        See `ask.read_answers`.
    cut : int, optional
        The lowest rating that accepts; the first above the middle when left out.
    means : sequence of numbers
        The orders p of the mean to choose among.
    priors, draws, random_state, only_part, progress
        See `fit_acceptability`. Of `priors` alpha, the spread of people and kinds of mean count;
        levels are Normal(0, 2.5), slopes Normal(0, 15).

    Returns
    -------
    MultinomialFit

    Raises
    ------
    UngatedPosteriorError
        When draws do not pass the gates.

    Notes
    -----
    Stability: experimental

    References
    ----------
    Kay, Patel, Kientz (2015), "How Good is 85%?", CHI, footnote 3.

    Examples
    --------
    >>> from howgood import ask
    >>> answers = ask.simulate_ordinal_answers(people=40, random_state=1)
    >>> fit = fit_multinomial(
    ...     answers, only_part="hypothetical", means=(0,), draws=500, random_state=1
    ... )
    >>> good, poor = fit.predict(0.95, 0.95).mean, fit.predict(0.5, 0.5).mean
    >>> bool(good > poor)
    True
    """
    read = read_answers(answers, columns=columns, missing=missing, scale=scale, people=people)
    if "rating" not in read:
        raise MissingColumnError(where="answers", column="rating", columns=read.columns)
    if isinstance(means, str):
        raise InputError(
            where="means", found=repr(means), needed="orders of the mean, such as (-1, 0, 1)",
            cure="A continuous order is learned by the binary and the ordinal model.",
        )  # fmt: skip
    read = one_part(read, only_part)
    cells, known = level_cells(read), general_priors(priors)
    used = usual_cut(read) if cut is None else cut
    check_cut(read, used)
    _check_told(cells.levels, used, where="cut")
    rng, seed = generator_and_seed(random_state)
    prior = kinds_of_mean(means, known)
    models = {p: MultinomialModel(cells, known, p) for p in prior}
    mixture = sample_mixture(
        models, prior, draws=draws, rng=rng, progress=progress, find=careful_pilot
    )
    diagnostics = gated(mixture, cure=_CURE)
    return MultinomialFit(
        applications=cells.applications,
        levels=cells.levels,
        cut=used,
        n_respondents=int(cells.groups.alike.sum()),
        respondents=people_per_application(read),
        **posterior_fields(mixture, models, draws, rng),
        cells=cells,
        priors=known,
        diagnostics=diagnostics,
        provenance=fitted_provenance(
            read,
            "multinomial",
            diagnostics.engine,
            seed,
            means,
            known,
            {"cut": used, "draws": draws},
        ),
    )
