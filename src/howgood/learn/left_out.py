r"""Does the model predict what people say about systems they really use?

In: ratings in parts. Out: `LeftOut`: for everyone, the rating predicted from their imagined
ratings and everybody else's answers. Absent: refitting, except where reweighting is not sound.

One fit to all answers is reweighted for each person by
:math:`p(\text{reference ratings of } k \mid \theta) / p(\text{all ratings of } k \mid \theta)`,
which takes this person's ratings of real systems out again. Where the weights are too uneven
(Pareto k-hat above 0.7) the model is fitted anew without them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from howgood.ask.intake import MissingPolicy, read_answers
from howgood.errors import InputError, UnknownNameError
from howgood.learn.engines.importance import averaged_draws
from howgood.learn.kinds import Means, general_priors
from howgood.learn.ordinal import sampled, warn_if_few, with_parts
from howgood.learn.ordinal_fit import OrdinalFit
from howgood.learn.ordinal_model import OrdinalModel, RatingCells, rating_cells
from howgood.learn.selection import rated_applications
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.priors import Priors
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray
from howgood.stats.importance import weighted
from howgood.stats.random_intercepts import normal_nodes
from howgood.stats.randomness import RandomState, generator_and_seed

LARGEST_KHAT = 0.7
PerPerson = Literal["all", "one"]
_BLOCK = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut(Tabular):
    """Predictions of ratings that were left out, and how far off they are.

    `predictions` has a row per rating of a real system: participant, part, application, rating,
    predicted (median of the predictive distribution), lower and upper (ratings between which this
    person's lies with 80 % probability or more), baseline (median rating of the others in that
    part), khat and refitted.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "predictions"

    predictions: Table = field(repr=False)
    mean_absolute_error: float
    baseline: float
    n_respondents: int
    n_refitted: int
    provenance: Provenance = field(repr=False)

    @property
    def one_per_person(self) -> tuple[float, float]:
        """Mean absolute error and baseline expected of one random rating of everybody."""
        _, who = np.unique(self.predictions["participant"].astype(str), return_inverse=True)
        given = self.predictions["rating"]
        off = (np.abs(self.predictions[name] - given) for name in ("predicted", "baseline"))
        mine, others = (float(np.mean(np.bincount(who, one) / np.bincount(who))) for one in off)
        return mine, others

    @property
    def n_in_range(self) -> int:
        """How many ratings lie in the range predicted for their person."""
        rows = self.predictions
        return int(np.sum((rows["lower"] <= rows["rating"]) & (rows["rating"] <= rows["upper"])))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "mean_absolute_error": self.mean_absolute_error,
            "baseline": self.baseline,
            "one_per_person": dict(
                zip(("mean_absolute_error", "baseline"), self.one_per_person, strict=True)
            ),
            "n_in_range": self.n_in_range,
            "n_ratings": len(self.predictions),
            "n_respondents": self.n_respondents,
            "n_refitted": self.n_refitted,
            "provenance": self.provenance.to_dict(),
        }


def leave_one_person_out(
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
    draws: int = 2000,
    random_state: RandomState = None,
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    per_person: PerPerson = "all",
    progress: Progress = silent,
) -> LeftOut:
    """Predict everyone's ratings of real systems from the answers of everyone else.

    Everybody's ratings in the `reference` part are kept; one person at a time is left out of the
    other parts, and their ratings there are predicted.

    Parameters
    ----------
    answers
        See `fit_ordinal`; or an `OrdinalFit`, whose draws are used: everything but `draws`,
        `random_state`, `per_person` and `progress` is then known from it.
    part, reference, columns, application, systems, scale, means, priors
        See `fit_ordinal`.
    random_state, missing, people, progress
        See `fit_ordinal`.
    draws : int
        Draws of the fit that is reweighted.
    per_person : {"all", "one"}
        Whether all real ratings of a person are predicted, or one drawn at random, as in the paper:
        people who use many systems then count no more than others.

    Returns
    -------
    LeftOut

    Notes
    -----
    Stability: experimental

    References
    ----------
    Kay, Patel, Kientz (2015), Study 2: mean absolute error .93 against 1.09 of the median.

    Examples
    --------
    >>> from howgood import ask
    >>> answers = ask.simulate_ordinal_answers(people=40, random_state=1)
    >>> left_out = leave_one_person_out(answers, means=(0,), draws=500, random_state=1)
    >>> len(left_out.predictions), left_out.mean_absolute_error < 2
    (80, True)
    """
    if per_person not in ("all", "one"):
        raise UnknownNameError(where="per_person", name=per_person, names=("all", "one"))
    rng, seed = generator_and_seed(random_state)
    if isinstance(answers, OrdinalFit):
        fit, made = _Fit.of(answers, draws, rng), answers.provenance
    else:
        mapping = dict(columns or {}) | ({"part": part} if part != "part" else {})
        read = read_answers(
            answers, columns=mapping or None, missing=missing, scale=scale, people=people
        )
        read = with_parts(read, reference, is_named="part" in mapping)
        read = rated_applications(read, application, reference=reference, systems=systems)
        warn_if_few(len(set(read["participant"].tolist())))
        known, made = general_priors(priors), read.provenance
        fit = _Fit(rating_cells(read, reference=reference), known, means, draws, rng)
    rows = _all_predicted(fit, _held_out(fit.cells), progress)
    if per_person == "one":
        rows = _one_per_person(rows, rng)
    table = Table({name: np.array([row[name] for row in rows]) for name in rows[0]})
    return LeftOut(
        predictions=table,
        mean_absolute_error=float(np.mean(np.abs(table["predicted"] - table["rating"]))),
        baseline=float(np.mean(np.abs(table["baseline"] - table["rating"]))),
        n_respondents=len(fit.cells.people),
        n_refitted=len({row["participant"] for row in rows if row["refitted"]}),
        provenance=Provenance(
            method="leave one person out by importance reweighting",
            settings={
                **made.settings,
                "reference": fit.cells.parts[0],
                "priors": fit.priors.name,
                "ratings predicted": per_person,
            },
            seed=seed,
            rows_used=made.rows_used,
            rows_dropped=made.rows_dropped,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """How to fit, whoever is left out."""

    cells: RatingCells
    priors: Priors
    means: Means
    draws: int
    rng: np.random.Generator
    fitted: OrdinalFit | None = None

    @classmethod
    def of(cls, fit: OrdinalFit, draws: int, rng: np.random.Generator) -> "_Fit":
        """Return how a fit was made, whose draws serve as long as nobody is left out."""
        means: Means = tuple(fit.conditional_draws) or "continuous"
        return cls(fit.cells, fit.priors, means, draws, rng, fit)

    def whole(self) -> list[tuple[OrdinalModel, FloatArray]]:
        """Return draws of everybody's ratings."""
        if self.fitted is None:
            return self.points(self.cells.counts)
        rows = self.fitted.averaged_draws
        kept = rows[np.linspace(0, len(rows) - 1, min(self.draws, len(rows))).round().astype(int)]
        model = OrdinalModel(self.cells, self.cells.groups, self.priors, None)
        return [(model, model.from_natural(kept))]

    def points(self, counts: FloatArray) -> list[tuple[OrdinalModel, FloatArray]]:
        """Return each kind of mean with its share of the draws."""
        groups = replace(self.cells, counts=counts).groups
        models, mixture, _ = sampled(
            self.cells,
            groups,
            self.priors,
            self.means,
            engine="auto",
            draws=self.draws,
            rng=self.rng,
        )
        shares = averaged_draws(mixture, self.draws, self.rng)
        return [(models[p], rows) for p, rows in shares.items() if len(rows)]


def _held_out(cells: RatingCells) -> NDArray[np.intp]:
    """People who rated something outside the reference part."""
    people = np.flatnonzero(cells.counts[:, _outside(cells)].sum(axis=1))
    if len(people) < 2:
        raise InputError(
            where="parts",
            found=f"{len(people)} people with ratings outside the reference part",
            needed="at least two, so that one can be left out",
            cure="Name the reference part, or collect ratings of real systems.",
        )
    return people


def _all_predicted(fit: _Fit, people: NDArray[np.intp], progress: Progress) -> list[dict[str, Any]]:
    """Predict everyone left out, refitting where the weights are not sound."""
    progress(0.0, "fitting everyone")
    log_ratio, shares = _reweighed(fit.whole(), people)
    rows = []
    for number, person in enumerate(people):
        progress((1 + number) / (1 + len(people)), f"leaving out {fit.cells.people[person]}")
        sample = weighted(np.zeros((len(log_ratio), 1)), log_ratio[:, number])
        weights, mine = sample.weights, shares[number]
        refit = not sample.khat <= LARGEST_KHAT
        if refit:
            counts = fit.cells.counts.copy()
            counts[person] *= ~_outside(fit.cells)
            mine = _reweighed(fit.points(counts), people[number : number + 1])[1][0]
            weights = np.full(len(mine), 1.0 / len(mine))
        predictive = np.einsum("d,dcl->cl", weights, mine)
        rows += _rows_of(fit.cells, person, predictive, sample.khat, refit)
    return rows


def _one_per_person(rows: list[dict[str, Any]], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Keep one rating of everybody, drawn at random."""
    by_person: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_person.setdefault(row["participant"], []).append(row)
    return [mine[int(rng.integers(len(mine)))] for mine in by_person.values()]


def _rows_of(
    cells: RatingCells, person: int, predictive: FloatArray, khat: float, refit: bool
) -> list[dict[str, Any]]:
    """One row per rating left out."""
    n_levels = len(cells.levels)
    given = (cells.counts[person] * _outside(cells)).reshape(-1, n_levels)
    rows = []
    for index, cell in enumerate(_cells_left(cells, person)):
        for level in np.repeat(np.arange(n_levels), given[cell].astype(int)):
            rows.append(
                {
                    "participant": cells.people[person],
                    "part": cells.parts[cells.part[cell]],
                    "application": cells.applications[cells.application[cell]],
                    "rating": cells.levels[level],
                    "predicted": _level(predictive[index], cells.levels, 0.5),
                    "lower": _level(predictive[index], cells.levels, 0.1),
                    "upper": _level(predictive[index], cells.levels, 0.9),
                    "baseline": _others_median(cells, person, int(cells.part[cell])),
                    "khat": khat,
                    "refitted": refit,
                }
            )
    return rows


def _reweighed(
    points: list[tuple[OrdinalModel, FloatArray]], people: NDArray[np.intp]
) -> tuple[FloatArray, list[FloatArray]]:
    """Log weights that take people's ratings out, and shares of each level given what is kept.

    Shapes (draws, people), and (draws, cells left out, levels) for each person.
    """
    cells = points[0][0].cells
    outside, n_levels = _outside(cells), len(cells.levels)
    kept, everything = cells.counts[people] * ~outside, cells.counts[people]
    ratios: list[FloatArray] = []
    shares: list[list[FloatArray]] = [[] for _ in people]
    for model, rows in points:
        log_weights = np.log(normal_nodes(model.n_nodes)[1])
        for start in range(0, len(rows), _BLOCK):
            terms = model.log_terms(rows[start : start + _BLOCK])
            flat = terms.reshape(len(terms), -1)
            shape = (len(people), *terms.shape[1:])
            before = (kept @ flat).reshape(shape) + log_weights
            after = (everything @ flat).reshape(shape) + log_weights
            top = before.max(axis=2, keepdims=True)
            leniency = np.exp(before - top)
            total = leniency.sum(axis=2, keepdims=True)
            ratios.append((np.log(total[:, :, 0]) - np.log(np.exp(after - top).sum(axis=2))).T)
            leniency /= total
            by_level = terms.reshape(cells.n_cells, n_levels, *terms.shape[1:])
            for number, person in enumerate(people):
                chances = np.exp(by_level[_cells_left(cells, person)])
                shares[number].append(np.einsum("dm,cldm->dcl", leniency[number], chances))
    return np.concatenate(ratios), [np.concatenate(share) for share in shares]


def _outside(cells: RatingCells) -> NDArray[np.bool_]:
    """Which outcomes lie outside the reference part."""
    return np.repeat(cells.part > 0, len(cells.levels))


def _cells_left(cells: RatingCells, person: int) -> NDArray[np.intp]:
    left = np.flatnonzero(cells.counts[person] * _outside(cells))
    return np.unique(left // len(cells.levels))


def _level(shares: FloatArray, levels: tuple[int, ...], share: float) -> int:
    """Return the level at which so much of the probability is passed."""
    return levels[int(np.searchsorted(np.cumsum(shares / shares.sum()), share))]


def _others_median(cells: RatingCells, person: int, part: int) -> float:
    here = np.repeat(cells.part == part, len(cells.levels))
    counts = np.delete(cells.counts, person, axis=0)[:, here].sum(axis=0)
    by_level = counts.reshape(-1, len(cells.levels)).sum(axis=0).astype(int)
    ratings = np.repeat(np.array(cells.levels), by_level)
    return float(np.median(ratings)) if ratings.size else float(np.median(cells.levels))
