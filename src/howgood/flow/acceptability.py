"""Use cases of acceptability: fit a file of answers, open what is known about people.

In: paths, names and settings. Out: fits, cards, priors. Absent: decisions (see `flow.decisions`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from howgood import learn
from howgood.ask.files import is_table
from howgood.ask.intake import MissingPolicy
from howgood.errors import FileFormatError, InputError
from howgood.flow import registry
from howgood.flow.files import read_json
from howgood.learn.acceptability import Flawless
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.fit_file import kind_of_fit
from howgood.learn.kinds import Means
from howgood.learn.left_out import LeftOut
from howgood.learn.measures import CANDIDATES
from howgood.learn.multinomial import MultinomialFit
from howgood.learn.ordinal_fit import KIND as ORDINAL_KIND
from howgood.learn.ordinal_fit import OrdinalFit
from howgood.records.acceptance import AcceptanceModel, PartedModel, of_part
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.measures import MeasureComparison
from howgood.records.priors import PRESETS, Priors
from howgood.records.progress import Progress, silent

_FLAWLESS: dict[str, Flawless] = {"auto": "auto", "yes": True, "no": False}


def fit_answers(
    answers: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    priors: str = "howgood",
    cut: int | None = None,
    engine: str = "auto",
    scale: int | None = None,
    means: str = "-1,0,1",
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    only_part: str | None = None,
    flawless: str = "auto",
    by: str | None = None,
    measures: Sequence[str] = ("precision", "recall"),
    prevalence: float | None = None,
    random_state: int | None = None,
    progress: Progress = silent,
) -> AcceptabilityFit:
    """Fit the binary model to a file of answers; `priors` is a preset or a file of priors."""
    return learn.fit_acceptability(
        answers,
        columns=columns,
        priors=open_priors(priors),
        cut=cut,
        engine=engine,  # type: ignore[arg-type]  # the fit refuses unknown names kindly
        scale=scale,
        means=parsed_means(means),
        missing=missing,
        people=people,
        only_part=only_part,
        flawless=_FLAWLESS[flawless],
        by=by,
        measures=measures,
        prevalence=prevalence,
        random_state=random_state,
        progress=progress,
    )


def fit_parts(
    answers: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    priors: str = "howgood",
    engine: str = "auto",
    scale: int | None = None,
    means: str = "-1,0,1",
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    application: Sequence[str] = (),
    systems: Mapping[str, str] | None = None,
    reference: str = "hypothetical",
    random_state: int | None = None,
    progress: Progress = silent,
) -> OrdinalFit:
    """Fit the ordinal model to a file of ratings in parts (imagined and real)."""
    return learn.fit_ordinal(
        answers,
        columns=columns,
        priors=open_priors(priors),
        engine=engine,  # type: ignore[arg-type]  # the fit refuses unknown names kindly
        scale=scale,
        means=parsed_means(means),
        missing=missing,
        people=people,
        application=application or None,
        systems=systems,
        reference=reference,
        random_state=random_state,
        progress=progress,
    )


def fit_levels(
    answers: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    priors: str = "howgood",
    cut: int | None = None,
    scale: int | None = None,
    means: str = "-1,0,1",
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    only_part: str | None = None,
    random_state: int | None = None,
    progress: Progress = silent,
) -> MultinomialFit:
    """Fit the multinomial model to a file of ratings."""
    return learn.fit_multinomial(
        answers,
        columns=columns,
        priors=open_priors(priors),
        cut=cut,
        scale=scale,
        means=parsed_means(means),
        missing=missing,
        people=people,
        only_part=only_part,
        random_state=random_state,
        progress=progress,
    )


def left_out_of(
    fit: OrdinalFit, *, per_person: str, random_state: int | None = None
) -> LeftOut | None:
    """Predict ratings of real systems without their people; None where nobody asked, or can."""
    if per_person == "no" or fit.cells.n_outside < 2:
        return None
    return learn.leave_one_person_out(
        fit,
        per_person=per_person,  # type: ignore[arg-type]  # refused kindly
        random_state=random_state,
    )


def compare_measures_of_file(
    answers: str | Path,
    *,
    measures: Sequence[str] = (),
    prevalence: float | None = None,
    columns: Mapping[str, str] | None = None,
    priors: str = "howgood",
    scale: int | None = None,
    cut: int | None = None,
    missing: str = "unanswered",
    people: str = DEFAULT,
    only_part: str | None = None,
    random_state: int | None = None,
    progress: Progress = silent,
) -> MeasureComparison:
    """Compare measures of accuracy on a file of answers; all of them where none is named."""
    return learn.compare_measures(
        answers,
        measures=measures or tuple(CANDIDATES),
        prevalence=prevalence,
        columns=columns,
        priors=open_priors(priors),
        scale=scale,
        cut=cut,
        missing=missing,  # type: ignore[arg-type]  # the reader refuses unknown names kindly
        people=people,  # type: ignore[arg-type]  # as above
        only_part=only_part,
        random_state=random_state,
        progress=progress,
    )


def parsed_means(means: str) -> Means:
    """Return orders written as "-1,0,1", or "continuous".

    Examples
    --------
    >>> parsed_means("-1, 0.5")
    (-1.0, 0.5)
    """
    if means == "continuous":
        return "continuous"
    try:
        return tuple(float(part) for part in means.split(","))
    except ValueError:
        raise InputError(
            where="means",
            found=repr(means),
            needed="orders such as -1,0,1, or the word continuous",
            cure="-1 is the harmonic mean, 0 the geometric, 1 the arithmetic.",
        ) from None


def open_priors(name: str) -> Priors | str:
    """Return the preset of that name, or the priors in a JSON file."""
    if name in PRESETS or not name.endswith(".json"):
        return name
    needed = f"a file written by `howgood registry prior`, or one of {', '.join(PRESETS)}"
    values = read_json(Path(name), needed=needed)
    try:
        return Priors.from_dict(values)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise FileFormatError(
            where=name,
            found=f"no readable priors ({type(error).__name__})",
            needed=needed,
            cure="Check the path.",
        ) from error


def open_model(
    source: str,
    *,
    folder: Path | None = None,
    part: str | None = None,
    random_state: int | None = None,
) -> AcceptanceModel:
    """Open what is known about people: a saved fit, a model card, or a file of answers.

    `part` names whose scale counts where the fit, or the answers, have parts.
    """
    suffix = Path(source).suffix.lower()
    is_answers = suffix != ".json" and is_table(source)  # .json: a card
    model: AcceptanceModel | PartedModel
    if suffix == ".npz":
        is_ordinal = kind_of_fit(source) == ORDINAL_KIND
        model = learn.load_ordinal_fit(source) if is_ordinal else learn.load_fit(source)
    elif is_answers and part is not None:
        model = learn.fit_ordinal(source, random_state=random_state)
    elif is_answers:
        model = learn.fit_acceptability(source, random_state=random_state)
    elif suffix not in ("", ".json") and Path(source).is_file():
        raise InputError(
            where=source,
            found=f"a file ending in {suffix!r}",
            needed="a saved fit (.npz), a model card (its name, or .json) or a table of answers",
            cure="Give the file its ending, or write `howgood fit ANSWERS --save fit.npz`.",
        )
    else:
        model = registry.predicting_card(source, folder=folder)
    return of_part(model, part, where=source)


def open_fit(source: str) -> AcceptabilityFit:
    """Open a saved fit, or fit a file of answers; a card is refused."""
    model = open_model(source)
    if not isinstance(model, AcceptabilityFit):
        raise InputError(
            where=source,
            found="a model card",
            needed="a saved fit, or answers",
            cure="Write one with `howgood fit ANSWERS --save fit.npz`.",
        )
    return model
