"""Learn from ratings of imagined and of real systems together.

In: ratings with a part per row. Out: `OrdinalFit`. Absent: the model (see
`learn.ordinal_model`), the engines, cross-validation (see `learn.left_out`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.ask.intake import MissingPolicy, read_answers
from howgood.errors import FewRespondentsWarning, MissingColumnError, NoEvidenceWarning, announce
from howgood.learn import fit_file
from howgood.learn.correlations import correlations_by_part, table_of_rows
from howgood.learn.engines.importance import Mixture, posterior_fields
from howgood.learn.engines.select import Engine, choose_and_sample
from howgood.learn.kinds import (
    Means,
    fitted_provenance,
    general_priors,
    kinds_of_mean,
    order_of,
)
from howgood.learn.ordinal_fit import FEW_PEOPLE, KIND, OrdinalFit
from howgood.learn.ordinal_model import OrdinalModel, RatingCells, draw_columns, rating_cells
from howgood.learn.selection import rated_applications
from howgood.records.answers import Answers
from howgood.records.diagnostics import Diagnostics
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.priors import Priors
from howgood.records.progress import Progress, silent
from howgood.stats.random_intercepts import GroupCounts
from howgood.stats.randomness import RandomState, generator_and_seed


def fit_ordinal(
    answers: Any,  # noqa: ANN401 - a path or any frame narwhals knows
    *,
    part: str = "part",
    reference: str = "hypothetical",
    columns: Mapping[str, str] | None = None,
    application: str | Sequence[str] | None = None,
    systems: Mapping[str, str] | None = None,
    scale: int | None = None,
    means: Means = (-1, 0, 1),
    priors: str | Priors = "howgood",
    engine: Engine = "auto",
    draws: int = 4000,
    random_state: RandomState = None,
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    progress: Progress = silent,
) -> OrdinalFit:
    r"""Fit one ordinal model to ratings of imagined and of real systems.

    .. math:: \operatorname{logit} P(Y \le l) =
              (\theta_l - b_a\,M_{p,\alpha_a}(P, R) - \gamma_a - \beta_i - U_k) / e^{\zeta_i}

    Application a has its own alpha, slope and level (zero for the first by name); thresholds are
    common. Part i shifts and scales the ratings; in the `reference` part both are zero.

    Parameters
    ----------
    answers : path, frame or Answers
        As for `fit_acceptability`, with a column that names the part of every row.
    part : str
        The column with the part. Without it all ratings are of the `reference` part.
    reference : str
        The part others are compared with.
    columns, missing, people
        See `ask.read_answers`.
    application : str or sequence of str, optional
        The applications to fit, all those of the `reference` part when left out. Real systems
        that belong to a single application may be named here too; their rows are left out else.
    systems : mapping, optional
        Name of a real system to the application it belongs to, where other parts name systems and
        there are several applications.
    scale : int, optional
        Points of the rating scale, 7 when left out; points nobody chose get no threshold.
    means, priors, engine, draws, random_state, progress
        See `fit_acceptability`.

    Returns
    -------
    OrdinalFit

    Notes
    -----
    Stability: experimental

    References
    ----------
    Kay, Patel, Kientz (2015), "How Good is 85%?", CHI, Study 2.

    Examples
    --------
    >>> from howgood import ask
    >>> answers = ask.simulate_ordinal_answers(people=60, random_state=1)
    >>> fit = fit_ordinal(answers, means=(0,), draws=1000, random_state=1)
    >>> fit.slope.interval.lower > 0
    True
    """
    mapping = dict(columns or {}) | ({"part": part} if part != "part" else {})
    read = read_answers(
        answers, columns=mapping or None, missing=missing, scale=scale, people=people
    )
    read = with_parts(read, reference, is_named="part" in mapping)
    read = rated_applications(read, application, reference=reference, systems=systems)
    cells = rating_cells(read, reference=reference)
    warn_of_silent_parts(cells)
    known = general_priors(priors)
    rng, seed = generator_and_seed(random_state)
    models, mixture, diagnostics = sampled(
        cells, cells.groups, known, means, engine=engine, draws=draws, rng=rng, progress=progress
    )
    return OrdinalFit(
        applications=cells.applications,
        parts=cells.parts,
        levels=cells.levels,
        n_respondents=len(cells.people),
        **posterior_fields(mixture, models, draws, rng),
        cells=cells,
        priors=known,
        diagnostics=diagnostics,
        correlations=correlations_by_part(read),
        provenance=fitted_provenance(
            read,
            "ordinal",
            diagnostics.engine,
            seed,
            means,
            known,
            {"reference": reference, "engine": engine, "draws": draws},
        ),
    )


def load_ordinal_fit(path: str | Path) -> OrdinalFit:
    """Read a fit written by `OrdinalFit.save`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> load_ordinal_fit("nowhere.npz")
    Traceback (most recent call last):
    howgood.errors.FileFormatError: nowhere.npz: no such file; expected a saved ordinal fit. ...
    """
    return fit_file.loaded(path, kind=KIND, make=_fit_from, is_whole=_is_whole)


def _fit_from(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> OrdinalFit:
    part = arrays["cell_part"].astype(np.intp, casting="same_kind")
    # Fits written by earlier versions have one application, and may not name it.
    named = values.get("applications") or [
        values["provenance"]["settings"].get("application", "all")
    ]
    whose = arrays.get("cell_application", np.zeros_like(part))
    cells = RatingCells(
        applications=tuple(named),
        parts=tuple(values["parts"]),
        levels=tuple(values["levels"]),
        application=whose.astype(np.intp, casting="same_kind"),
        part=part,
        precision=arrays["cell_precision"],
        recall=arrays["cell_recall"],
        counts=arrays["counts"],
        people=tuple(values["people"]),
    )
    return OrdinalFit(
        **fit_file.shared_fields(values, arrays),
        applications=cells.applications,
        parts=cells.parts,
        levels=cells.levels,
        cells=cells,
        correlations=table_of_rows(values.get("correlations")),
    )


def _is_whole(fit: OrdinalFit) -> bool:
    """Whether everything in a fit has the shape and the values every method relies on."""
    cells = fit.cells
    shapes = {
        array.shape for array in (cells.part, cells.application, cells.precision, cells.recall)
    }
    n_apps = len(fit.applications)
    columns = draw_columns(len(fit.levels) - 1, len(fit.parts) - 1, n_apps)
    return (
        fit_file.has_whole_draws(fit, n_columns=columns["p"].stop)
        and bool((np.diff(fit.averaged_draws[:, columns["threshold"]]) > 0).all())
        and all(isinstance(name, str) for name in (*fit.parts, *fit.applications))
        and bool(((cells.application >= 0) & (cells.application < n_apps)).all())
        and all(isinstance(level, int) for level in fit.levels)
        and shapes == {(len(cells.part),)}
        and bool(((cells.part >= 0) & (cells.part < len(fit.parts))).all())
        and bool(np.isfinite([cells.precision, cells.recall]).all())
        and bool(np.isfinite(cells.counts).all())
        and cells.counts.shape == (len(cells.people), len(cells.part) * len(cells.levels))
    )


def sampled(
    cells: RatingCells,
    groups: GroupCounts,
    priors: Priors,
    means: Means,
    *,
    engine: Engine,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[dict[float, OrdinalModel], Mixture, Diagnostics]:
    """Sample the ordinal model for the given counts of ratings."""
    prior = kinds_of_mean(means, priors)
    models = {p: OrdinalModel(cells, groups, priors, order_of(p)) for p in prior}
    mixture, diagnostics = choose_and_sample(
        models, prior, engine=engine, draws=draws, rng=rng, progress=progress
    )
    return models, mixture, diagnostics


def with_parts(answers: Answers, reference: str, *, is_named: bool = False) -> Answers:
    """Return answers with a part per row: the `reference` where no column says it.

    Answers without ratings, or without the column that somebody named, are refused.
    """
    for name in ("rating", *(["part"] if is_named else [])):
        if name not in answers:
            raise MissingColumnError(where="answers", column=name, columns=answers.columns)
    if "part" in answers:
        return answers
    everywhere = np.full(len(answers), reference, dtype=object)
    return Answers({**dict(answers.items()), "part": everywhere}, provenance=answers.provenance)


def warn_of_silent_parts(cells: RatingCells) -> None:
    """Warn of few people, and of parts in which all ratings are the same: only the priors speak."""
    warn_if_few(len(cells.people))
    by_level = cells.counts.sum(axis=0).reshape(cells.n_cells, len(cells.levels))
    for index, part in enumerate(cells.parts):
        given = np.flatnonzero(by_level[cells.part == index].sum(axis=0))
        if len(given) == 1:
            learned = "shift and scale" if index else "slope and alpha"
            announce(
                f"every rating in the part {part!r} is {cells.levels[given[0]]}: it says nothing "
                f"about {learned}, and what is reported leans on the priors.",
                NoEvidenceWarning,
            )


def warn_if_few(n_people: int) -> None:
    """Warn below the number of people at which intervals hold what they promise."""
    if n_people < FEW_PEOPLE:
        announce(
            f"{n_people} respondents: below {FEW_PEOPLE} the slope and the scale lean on the "
            "priors, and tend to come out too large (simulated studies of two parts with 22 "
            "people: 95 % intervals held 93 to 96 %).",
            FewRespondentsWarning,
        )
