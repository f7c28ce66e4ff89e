"""When to switch from training to predicting, and how many people a study needs.

In: a fit or model card and a learning curve; applications as one imagines them. Out: `GoLive`,
`StudySize`. Absent: training; formulas for the size of a study: the very fit that will be used is
run on simulated people, so that its priors and its gates count too.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from howgood.ask.simulate import simulate_answers
from howgood.decide.sampling import PRIOR_CASES, Counts, resampled
from howgood.errors import HowgoodWarning, InputError, UngatedPosteriorError, UnknownNameError
from howgood.learn.acceptability import fit_acceptability
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.records.acceptance import (
    AcceptanceDraws,
    AcceptanceModel,
    PartedModel,
    draws_for,
    of_part,
)
from howgood.records.decision import GoLive, StudySize
from howgood.records.estimate import Estimate
from howgood.records.probability import check_probability
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.records.table import Table, as_numbers, frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_COUNTS = ("true_positives", "false_negatives", "false_positives")
_RATES = ("precision", "recall")
_THIRD = {_RATES: "specificity", _COUNTS: "true_negatives"}  # only where people weigh it
_WHERE = "learning curve"
PEOPLE = (10, 15, 20, 25, 30, 40)
_DRAWS = 1000


def go_live(
    fit: AcceptanceModel | PartedModel,
    application: str | None,
    learning_curve: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    columns: Mapping[str, str] | None = None,
    part: str | None = None,
    share: float = 0.8,
    certainty: float = 0.95,
    random_state: RandomState = None,
) -> GoLive:
    """Return the first training size from which enough people would accept, or say it is unknown.

    Parameters
    ----------
    fit : fit of answers, or model card
    application : str
        Which application; None when the fit knows only one.
    learning_curve : frame
        Columns `size` and either `precision` and `recall`, or the counts `true_positives`,
        `false_negatives` and `false_positives` of a test set (then the test set's sampling is
        part of the answer). Where people also weigh specificity, `specificity` or
        `true_negatives` too: left out, specificity follows from how rare the thing is, and the
        provenance says so.
    columns : mapping, optional
        Our name to yours, for columns called otherwise: {"size": "n_train"}.
    part : str, optional
        Of an ordinal fit: which part's people.
    share : float
        The share of people that should accept.
    certainty : float
        The wanted probability that at least `share` accepts.
    random_state : None, int or Generator
        Chance of the test-set draws.

    Returns
    -------
    GoLive
        `size` is None when the evidence suffices at no size; a size counts only if every larger
        one passes too.

    Notes
    -----
    Stability: stable

    References
    ----------
    Kay, Patel, Kientz (2015), "Training a new model: predicting when to predict".

    Examples
    --------
    >>> from howgood.records.acceptance import AcceptanceDraws
    >>> people = AcceptanceDraws(
    ...     application="alarm", p=0, alpha=0.3, intercept=-12, slope=16, person_sd=2
    ... )
    >>> curve = {"size": [10, 20, 40], "precision": [0.6, 0.8, 0.95], "recall": [0.6, 0.85, 0.97]}
    >>> go_live(people, "alarm", curve).size
    40.0
    """
    check_probability(share, name="share", where="go_live")
    check_probability(certainty, name="certainty", where="go_live")
    draws = draws_for(of_part(fit, part, where="go_live"), application, where="go_live")
    generator, seed = generator_and_seed(random_state)
    curve = _columns(learning_curve, columns or {})
    accepting = (
        _with_sampling(draws, curve, generator)
        if "true_positives" in curve
        else _at_rates(draws, curve)
    )
    p_enough = np.mean(accepting >= share, axis=0)
    passes = (p_enough >= certainty) & (draws.evidence == "enough")
    from_here = np.logical_and.accumulate(passes[::-1])[::-1]
    return GoLive(
        application=draws.application,
        size=float(curve["size"][np.argmax(from_here)]) if from_here.any() else None,
        share=share,
        certainty=certainty,
        table=Table(
            {
                "size": curve["size"],
                **_summed_up(draws, accepting),
                "p_enough": p_enough,
                "passes": passes,
            }
        ),
        provenance=Provenance(
            method="accepting share of the population by training size",
            settings={
                "test-set sampling": "true_positives" in curve,
                **_source_of_specificity(draws, curve),
                "prior cases per cell": PRIOR_CASES,
                "draws": len(draws),
            },
            seed=seed,
            rows_used=int(curve["size"].size),
        ),
        evidence=draws.evidence,
    )


def _summed_up(draws: AcceptanceDraws, accepting: FloatArray) -> dict[str, FloatArray]:
    lower, upper = draws.ends(accepting)
    return {"accepting": accepting.mean(axis=0), "lower": lower, "upper": upper}


def _columns(
    learning_curve: Any,  # noqa: ANN401 - any frame
    yours: Mapping[str, str],
) -> dict[str, FloatArray]:
    names = ("size", *_RATES, *_COUNTS, *_THIRD.values())
    unknown = next((name for name in yours if name not in names), None)
    if unknown is not None:
        raise UnknownNameError(where=f"{_WHERE}, columns", name=unknown, names=names)
    source = {name: yours.get(name, name) for name in names}
    present = set(frame_column_names(learning_curve))
    wanted = _COUNTS if {source[name] for name in _COUNTS} <= present else _RATES
    third = _THIRD[wanted]
    if source[third] in present:
        wanted = (*wanted, third)
    read = frame_columns(
        learning_curve,
        [source[name] for name in ("size", *wanted)],
        where=_WHERE,
        ours={column: name for name, column in yours.items()},
    )
    columns = {}
    for name in ("size", *wanted):
        where = f"{_WHERE}, column {source[name]!r}"
        columns[name] = as_numbers(read[source[name]], where=where)
        _check_range(columns[name], 1.0 if name in (*_RATES, "specificity") else np.inf, where)
    order = np.argsort(columns["size"], kind="stable")
    return {name: values[order] for name, values in columns.items()}


def _check_range(values: FloatArray, highest: float, where: str) -> None:
    wrong = ~((values >= 0) & (values <= highest))
    if values.size == 0 or np.any(wrong):
        raise InputError(
            where=where,
            found=f"{int(wrong.sum())} of {values.size} values out of range"
            + (f", such as {values[wrong][0]:g}" if wrong.any() else ""),
            needed="rates from 0 to 1, counts and sizes of at least 0, one row or more",
            cure=_cure(values, highest),
        )


def _cure(values: FloatArray, highest: float) -> str:
    if np.isnan(values).any() and highest == 1.0:
        return (
            "A model that flags nothing has no precision: leave its row out, or give counts "
            f"({', '.join(_COUNTS)}) instead of rates."
        )
    return "Write 85 % as 0.85." if highest == 1.0 else "Check the learning curve."


def _with_sampling(
    draws: AcceptanceDraws, columns: dict[str, FloatArray], generator: np.random.Generator
) -> FloatArray:
    shares = []
    third = columns.get("true_negatives")
    rest = np.zeros(len(columns["size"])) if third is None else third
    for row in zip(*(columns[name] for name in _COUNTS), rest, strict=True):
        # True negatives bear on neither precision nor recall.
        tables = resampled(Counts.of_cells(*row), len(draws), generator)
        rates = tables.precision, tables.recall, None if third is None else tables.specificity
        shares.append(draws.shares_at_mean(draws.paired_means(*rates)))
    return np.column_stack(shares)


def _at_rates(draws: AcceptanceDraws, curve: dict[str, FloatArray]) -> FloatArray:
    """Return accepting shares, draws by sizes, at the curve's own specificity where it has one."""
    rates = [curve[name][None, :] for name in (*_RATES, "specificity") if name in curve]
    return draws.shares_at_mean(draws.paired_means(*rates))


def _source_of_specificity(draws: AcceptanceDraws, curve: dict[str, FloatArray]) -> dict[str, str]:
    if draws.others is None:
        return {}
    if "specificity" in curve or "true_negatives" in curve:
        return {"specificity": "of the learning curve"}
    return {"specificity": f"from a prevalence of {1.0 / (1.0 + draws.others):.3g}"}


def study_size(
    applications: Mapping[str, Mapping[str, float]],
    *,
    width: float = 0.2,
    people: Sequence[int] = PEOPLE,
    per_person: Sequence[int] = (8,),
    studies: int = 20,
    person_sd: float = 2.4,
    alpha_sd: float = 0.0,
    random_state: RandomState = None,
    progress: Progress = silent,
) -> StudySize:
    """Return how many people a study needs for alpha intervals of a wanted width.

    Every design (number of people x scenarios each sees per application) is simulated and fitted
    `studies` times. The smaller designs of a repetition use the first people of the largest, so
    that designs are compared on the same chance.

    Parameters
    ----------
    applications : mapping
        Name to ``{"alpha": .3, "intercept": -13., "slope": 16., "p": 0}``, as one imagines it; a
        registry card or an earlier fit is a good start.
    width : float
        The wanted width of the 95 % highest-density interval of alpha.
    people, per_person : sequences of int
        The designs to try.
    studies : int
        Simulated studies per design. Twenty tell the power to about 20 points either way, 200 to
        about 7; time grows along.
    person_sd : float
        Standard deviation of people's leniency.
    alpha_sd : float
        Standard deviation of the logit of alpha between people (about 1.1 on the public answers).
        With 0 everybody has the same weight, and intervals are that weight's; else they are the
        middle person's, as a fit prints them.
    random_state : None, int or Generator
    progress : callable
        Called with the share done and the step.

    Returns
    -------
    StudySize

    Notes
    -----
    The fit takes the kind of mean as known (`p` of the first application), which makes intervals
    slightly narrower than averaging over kinds of mean does.

    Stability: experimental

    References
    ----------
    Kay, Patel, Kientz (2015) recommend about 20 to 25 people per application, at most 8 scenarios
    per person and at most two applications at a time.

    Examples
    --------
    >>> alarm = {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}
    >>> found = study_size(alarm, width=0.5, people=(10, 20), studies=3, random_state=1)
    >>> found.people
    10
    """
    designs = _checked_designs(applications, width, people, per_person, studies)
    generator, seed = generator_and_seed(random_state)
    order = float(next(iter(applications.values())).get("p", 0.0))
    fits_by_design: dict[_Design, list[AcceptabilityFit]] = {design: [] for design in designs}
    n_failed = 0
    for study, scenarios in product(range(studies), sorted(set(per_person))):
        answers = simulate_answers(
            applications,
            people=max(people),
            per_person=scenarios,
            person_sd=person_sd,
            alpha_sd=alpha_sd,
            random_state=generator,
        )
        for design in (one_design for one_design in designs if one_design.scenarios == scenarios):
            fit = _fitted(_first_people(answers, design.people), order, generator)
            n_failed += fit is None
            fits_by_design[design] += [fit] if fit is not None else []
            progress((study + design.people / max(people)) / studies, f"study {study + 1}")
    shown: _Alphas = _one_weight if alpha_sd == 0 else _other_people
    widths = _widths(fits_by_design, applications, width, shown)
    chosen = _smallest(widths, width)
    return StudySize(
        people=chosen.people if chosen else None,
        scenarios=chosen.scenarios if chosen else None,
        width=width,
        widths=widths,
        power=_power(fits_by_design, applications, shown),
        provenance=Provenance(
            method="simulated studies, each fitted with the binary model by importance sampling",
            settings={
                "studies per design": studies,
                "sd of people": person_sd,
                "sd of the logit of alpha between people": alpha_sd,
                "p": order,
                "studies whose fit did not pass its gates": n_failed,
            },
            seed=seed,
        ),
    )


_Alphas = Callable[[AcceptabilityFit, str], FloatArray]


def _one_weight(fit: AcceptabilityFit, application: str) -> FloatArray:
    return fit.draws("alpha", application)


def _other_people(fit: AcceptabilityFit, application: str) -> FloatArray:
    others = fit.other_people()
    return _one_weight(fit, application) if others is None else others.draws(application)


@dataclass(frozen=True, slots=True, order=True)
class _Design:
    people: int
    scenarios: int


def _checked_designs(
    applications: Mapping[str, Mapping[str, float]],
    width: float,
    people: Sequence[int],
    per_person: Sequence[int],
    studies: int,
) -> list[_Design]:
    if not applications or not people or not per_person or studies < 1 or not 0 < width < 1:
        raise InputError(
            where="study_size",
            found=f"{len(applications)} applications, people {list(people)}, scenarios "
            f"{list(per_person)}, {studies} studies, width {width}",
            needed="at least one of each, and a width between 0 and 1",
            cure="Leave them out to use the defaults.",
        )
    if min(people) < 2:
        raise InputError(
            where="study_size, people",
            found=str(min(people)),
            needed="at least 2 people",
            cure="Try for instance 10, 20 and 40.",
        )
    return [_Design(*pair) for pair in product(sorted(set(people)), sorted(set(per_person)))]


def _first_people(answers: Table, n_people: int) -> Table:
    numbers = np.array([int(str(name)[1:]) for name in answers["participant"]])
    return Table({name: values[numbers <= n_people] for name, values in answers.items()})


def _fitted(
    answers: Table, order: float, generator: np.random.Generator
) -> AcceptabilityFit | None:
    with warnings.catch_warnings():
        # Few respondents is what we are measuring here.
        warnings.simplefilter("ignore", HowgoodWarning)
        try:
            return fit_acceptability(
                answers, means=(order,), engine="importance", draws=_DRAWS, random_state=generator
            )
        except UngatedPosteriorError:
            return None


def _widths(
    fits_by_design: Mapping[_Design, list[AcceptabilityFit]],
    applications: Mapping[str, Mapping[str, float]],
    width: float,
    shown: _Alphas,
) -> Table:
    rows = []
    for (design, fits), name in product(fits_by_design.items(), applications):
        intervals = [Estimate.from_draws(shown(fit, name)).interval for fit in fits]
        spread = np.array([interval.width for interval in intervals] or [np.nan])
        covered = [applications[name]["alpha"] in interval for interval in intervals]
        ends = np.quantile(spread, (0.05, 0.95))
        rows.append(
            (design.people, design.scenarios, name, spread.mean(), *ends,
             _mean(spread <= width), _mean(covered))
        )  # fmt: skip
    names = ("people", "scenarios", "application", "width", "lower", "upper", "enough", "covered")
    return Table({name: [row[index] for row in rows] for index, name in enumerate(names)})


def _power(
    fits_by_design: Mapping[_Design, list[AcceptabilityFit]],
    applications: Mapping[str, Mapping[str, float]],
    shown: _Alphas,
) -> Table:
    rows = []
    for (design, fits), (first, second) in product(
        fits_by_design.items(), combinations(applications, 2)
    ):
        gaps = [Estimate.from_draws(shown(fit, first) - shown(fit, second)) for fit in fits]
        apart = [0.0 not in gap.interval for gap in gaps]
        difference = applications[first]["alpha"] - applications[second]["alpha"]
        rows.append(
            (design.people, design.scenarios, first, second, difference, _mean(apart),
             *_share_ends(sum(apart), len(apart)), len(apart))
        )  # fmt: skip
    names = (
        "people", "scenarios", "first", "second", "difference", "power", "lower", "upper", "studies"
    )  # fmt: skip
    return Table({name: [row[index] for row in rows] for index, name in enumerate(names)})


def _share_ends(count: int, n: int) -> tuple[float, float]:
    """Return Clopper and Pearson's 95 % interval of a share: it holds at least that often."""
    lower = float(betaincinv(count, n - count + 1, 0.025)) if count > 0 else 0.0
    upper = float(betaincinv(count + 1, n - count, 0.975)) if count < n else 1.0
    return lower, upper


def _smallest(widths: Table, width: float) -> _Design | None:
    designs = sorted({_Design(row["people"], row["scenarios"]) for row in widths.rows()})
    for design in designs:
        here = (widths["people"] == design.people) & (widths["scenarios"] == design.scenarios)
        if np.all(widths["width"][here] <= width):
            return design
    return None


def _mean(values: "Sequence[bool] | NDArray[np.bool_]") -> float:
    return float(np.mean(values)) if len(values) else float("nan")
