"""Learn the acceptability of accuracy from answers about scenarios.

In: answers (rows of participant, application, precision, recall, rating). Out:
`AcceptabilityFit`. Absent: the model (see `learn.binary_model`) and how it is computed
(see `learn.engines`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howgood.ask.intake import MissingPolicy, read_answers
from howgood.errors import InputError, UnknownNameError
from howgood.learn import fit_file
from howgood.learn.acceptability_fit import KIND, AcceptabilityFit
from howgood.learn.binary_model import (
    BinaryModel,
    Cells,
    accepted_from,
    cells_from,
    draw_columns,
    people_per_application,
    usual_cut,
)
from howgood.learn.correlations import item_correlations, table_of_rows
from howgood.learn.engines.importance import posterior_fields
from howgood.learn.engines.select import Engine, choose_and_sample
from howgood.learn.evidence import warn_about
from howgood.learn.kinds import (
    Means,
    fitted_provenance,
    kinds_of_mean,
    named_priors,
    order_of,
)
from howgood.learn.measure_weights import TWO, checked_measures, fit_weights
from howgood.learn.measured import loaded_weights
from howgood.learn.segments import BY_PERSON, fit_people, loaded_people
from howgood.learn.selection import one_part
from howgood.records.answers import Answers
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.priors import KAY2015, Priors
from howgood.records.progress import Progress, silent
from howgood.stats.randomness import RandomState, generator_and_seed

Flawless = Literal["auto", True, False]


def fit_acceptability(
    answers: Any,  # noqa: ANN401 - a path or any frame narwhals knows
    *,
    columns: Mapping[str, str] | None = None,
    scale: int | None = None,
    cut: int | None = None,
    means: Means = (-1, 0, 1),
    priors: str | Priors = "howgood",
    flawless: Flawless = "auto",
    by: str | None = None,
    measures: Sequence[str] = TWO,
    prevalence: float | None = None,
    engine: Engine = "auto",
    draws: int = 4000,
    random_state: RandomState = None,
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    only_part: str | None = None,
    progress: Progress = silent,
) -> AcceptabilityFit:
    r"""Fit the binary mixed model of acceptability.

    .. math:: \operatorname{logit} P(\text{accept}) = b_{0i} + b_i M_{p,\alpha_i}(P_j, R_j) + U_k

    for person k, scenario j and application i, with the weighted power mean M of precision and
    recall and people's leniency :math:`U_k \sim \mathrm{Normal}(0, \sigma)`. With the flawless
    term, :math:`d \ge 0` is added where a scenario has no error at all.

    Parameters
    ----------
    answers : path, frame or Answers
        See `ask.read_answers`.
    columns : mapping, optional
        Our column name to yours.
    scale : int, optional
        Points of the rating scale; 7 when left out (see `ask.read_answers`).
    cut : int, optional
        The lowest rating that counts as accepting: the first above the middle of the scale when
        left out, 5 of 7 ("slightly likely") and 4 of 5.
    means : sequence of numbers or "continuous"
        The orders p of the mean to choose among; "continuous" learns p itself.
    priors : {"howgood", "kay2015"} or Priors
        A preset, or a record of your own (for instance from a registry card).
    flawless : {"auto", True, False}
        Whether a system without any error has a term of its own, one for all applications. "auto":
        where such scenarios were shown, except with the preset "kay2015", which stays the
        published model. `AcceptabilityFit.flawless_comparison` compares the two.
    by : str, optional
        A column with one value per person, such as "climate": segments get their own alpha and
        level, partially pooled, from `AcceptabilityFit.in_segment`, and everybody their own alpha,
        `AcceptabilityFit.people`. "participant" gives people's alphas without segments. All people
        together are fitted as without it. Many segments of many applications are more than
        importance sampling can do: the extra [nuts] takes over.
    measures : sequence of str
        ("precision", "recall", "specificity") learns also what rightly leaving cases alone weighs:
        weights on a simplex, `AcceptabilityFit.measured`, next to the fit of precision and recall.
        Decisions go by the latter; `fit.measured.at_prevalence(...)` takes its place where
        specificity shall count. Needs `prevalence`, or a column specificity.
    prevalence : float, optional
        Share of real cases among all cases people were shown, which says what specificity is.
    engine : {"auto", "importance", "nuts"}
        "auto" samples by importance and falls back to NUTS where a gate fails, with a warning
        that says why.
    draws : int
        Equally weighted draws to return; sampling goes on until at least as many are effective.
    random_state : None, int or numpy.random.Generator
    missing : {"unanswered", "drop", "error"}
        See `ask.read_answers`.
    people : {"attentive", "finished", "everyone"}
        Whose answers count; see `ask.read_answers`.
    only_part : str, optional
        The part of the study to fit, where answers have a column `part`: ratings of imagined and
        of real systems together need `fit_ordinal`, and are refused here.
    progress : callable, optional
        Called with the share done and the step.

    Returns
    -------
    AcceptabilityFit

    Raises
    ------
    UngatedPosteriorError
        When no engine gives draws that pass the gates.

    Notes
    -----
    Stability: stable

    References
    ----------
    Kay, Patel, Kientz (2015), "How Good is 85%?", CHI.

    Examples
    --------
    >>> from howgood import ask
    >>> answers = ask.simulate_answers(
    ...     {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}, people=25, random_state=1
    ... )
    >>> fit = fit_acceptability(answers, random_state=1)
    >>> fit.diagnostics.passed, round(sum(fit.mean_probabilities.values()), 6)
    (True, 1.0)
    """
    weighed = checked_measures(tuple(measures))
    also = () if by is None or by == BY_PERSON else (by,)
    read = read_answers(
        answers, columns=columns, missing=missing, scale=scale, people=people, also=also,
        shown=weighed if prevalence is None else TWO,
    )  # fmt: skip
    read = one_part(read, only_part)
    cut = usual_cut(read) if cut is None else cut
    accepted = accepted_from(read, cut)
    cells = cells_from(read, accepted)
    respondents = people_per_application(read)
    warn_about(cells, respondents)
    known = _priors_for(priors, cells.applications)
    rng, seed = generator_and_seed(random_state)
    prior = kinds_of_mean(means, known)
    has_term = has_flawless_term(flawless, cells, known)
    models = {p: BinaryModel(cells, known, order_of(p), flawless=has_term) for p in prior}
    settings = {"cut": cut, "flawless": has_term, "engine": engine, "draws": draws}
    mixture, diagnostics = choose_and_sample(
        models, prior, engine=engine, draws=_checked_draws(draws), rng=rng, progress=progress
    )
    fit = AcceptabilityFit(
        applications=cells.applications,
        n_respondents=int(cells.groups.alike.sum()),
        respondents=respondents,
        **posterior_fields(mixture, models, draws, rng),
        cells=cells,
        cut=cut,
        priors=known,
        diagnostics=diagnostics,
        correlations=item_correlations(read),
        provenance=fitted_provenance(
            read, "binary", diagnostics.engine, seed, means, known, settings
        ),
    )
    fitted = _Fitted(read, accepted, engine, draws, rng, progress)
    return fitted.extended(fit, by=by, measures=weighed, prevalence=prevalence)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Answers that were fitted once, for what else was asked of them."""

    answers: Answers
    accepted: NDArray[np.bool_]
    engine: Engine
    draws: int
    rng: np.random.Generator
    progress: Progress

    def extended(
        self,
        fit: AcceptabilityFit,
        *,
        by: str | None,
        measures: tuple[str, ...],
        prevalence: float | None,
    ) -> AcceptabilityFit:
        """Return the fit with segments and weights of three measures, where they were asked."""
        if by is not None:
            people = fit_people(
                self.answers, self.accepted, fit, by=by, engine=self.engine,
                draws=self.draws, rng=self.rng, progress=self.progress,
            )  # fmt: skip
            fit = replace(fit, segmented=people)
        if len(measures) > len(TWO):
            weights = fit_weights(
                self.answers, self.accepted, fit, prevalence=prevalence,
                draws=self.draws, rng=self.rng, progress=self.progress,
            )  # fmt: skip
            fit = replace(fit, measured=weights)
        return fit


def has_flawless_term(flawless: Flawless, cells: Cells, priors: Priors) -> bool:
    """Return whether a system without any error gets a term of its own."""
    if flawless not in ("auto", True, False):
        raise UnknownNameError(where="flawless", name=flawless, names=("auto", True, False))
    shown = bool(cells.is_flawless.any())
    if flawless == "auto":
        return shown and priors.name != KAY2015.name
    if flawless and not shown:
        raise InputError(
            where="flawless",
            found="no scenario without any error (precision and recall of 1)",
            needed="answers about such scenarios, to learn how much more they are accepted",
            cure='Leave it out: "auto" adds the term where the answers can tell it.',
        )
    return bool(flawless)


def _priors_for(priors: str | Priors, applications: tuple[str, ...]) -> Priors:
    """Return priors; refuse to leave out what is known about an application nobody rated."""
    known = named_priors(priors)
    absent = [name for name in known.applications if name not in applications]
    if absent:
        raise InputError(
            where=f"priors {known.name!r}",
            found=f"what is known about {', '.join(map(repr, absent))}, which is not in the "
            "answers",
            needed=f"applications of the answers: {', '.join(map(repr, applications))}",
            cure="Make the prior for one of these: howgood registry prior CARD --application NAME.",
        )
    return known


def load_fit(path: str | Path) -> AcceptabilityFit:
    """Read a fit written by `AcceptabilityFit.save`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> load_fit("nowhere.npz")
    Traceback (most recent call last):
    howgood.errors.FileFormatError: nowhere.npz: no such file; expected a saved acceptab...
    """
    return fit_file.loaded(path, kind=KIND, make=_fit_from, is_whole=_is_whole)


def _fit_from(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> AcceptabilityFit:
    cells = Cells.from_arrays(tuple(values["applications"]), arrays)
    fit = AcceptabilityFit(
        **_with_flawless(fit_file.shared_fields(values, arrays), len(cells.applications)),
        applications=cells.applications,
        respondents=values["respondents"],
        cells=cells,
        cut=values["cut"],
        correlations=table_of_rows(values["correlations"]),
    )
    if "measures" in values:
        fit = replace(fit, measured=loaded_weights(values["measures"], arrays, fit))
    if "people" not in values:
        return fit
    return replace(fit, segmented=loaded_people(values["people"], arrays, fit))


def _with_flawless(fields: dict[str, Any], n_applications: int) -> dict[str, Any]:
    """Add the column of the flawless term, zero, to draws that an earlier version wrote."""
    n_columns = draw_columns(n_applications)["flawless"].start

    def whole(rows: NDArray[Any]) -> NDArray[Any]:
        return np.column_stack([rows, np.zeros(len(rows))]) if rows.shape[1] == n_columns else rows

    given = {p: whole(rows) for p, rows in fields["conditional_draws"].items()}
    averaged = whole(fields["averaged_draws"])
    return {**fields, "averaged_draws": averaged, "conditional_draws": given}


def _is_whole(fit: AcceptabilityFit) -> bool:
    """Whether everything in a fit has the shape and the values every method relies on."""
    cells, n_apps = fit.cells, len(fit.applications)
    n_cells, groups = len(cells.precision), cells.groups
    numbers = [cells.precision, cells.recall, groups.counts, groups.alike]
    return (
        fit_file.has_whole_draws(fit, n_columns=draw_columns(n_apps)["flawless"].stop)
        and all(number.dtype.kind == "f" and np.isfinite(number).all() for number in numbers)
        and cells.application.shape == cells.precision.shape == cells.recall.shape == (n_cells,)
        and bool(((cells.application >= 0) & (cells.application < n_apps)).all())
        and groups.alike.ndim == 1
        and groups.counts.shape == (len(groups.alike), 2 * n_cells)
        and all(isinstance(application, str) for application in fit.applications)
        and set(fit.respondents) == set(fit.applications)
        and all(isinstance(n, int) and n > 0 for n in fit.respondents.values())
        and (
            fit.segmented is None
            or all(_is_whole(own_fit) for own_fit in fit.segmented.fits.values())
        )
    )


def _checked_draws(draws: int) -> int:
    if draws < 100:
        raise InputError(
            where="draws",
            found=str(draws),
            needed="at least 100",
            cure="Leave it out: 4000 take about a second.",
        )
    return draws
