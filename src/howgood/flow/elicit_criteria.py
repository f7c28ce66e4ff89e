"""Use cases of weighing criteria, classes and groups: start, resume and hold an interview.

In: tables, arrays, paths, settings. Out: `CriteriaElicitor`, `MulticlassElicitor` or
`FairElicitor`, answered as far as somebody answers, and its result. Absent: printing findings (see
`cli.criteria`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from howgood import ask, learn
from howgood.errors import FileFormatError, InputError, UnknownNameError
from howgood.flow.elicit import KEYS, KEYS_HELP, WEIGHTS_LOG, Reply, read_log
from howgood.learn.elicitation.criteria import CriteriaElicitor
from howgood.learn.elicitation.criteria_table import Criteria
from howgood.learn.elicitation.fair import FairElicitor
from howgood.learn.elicitation.matrices import OutOf
from howgood.learn.elicitation.multiclass import MulticlassElicitor
from howgood.learn.elicitation.outcome_tables import (
    SYSTEMS_SEED,
    numbered,
    outcomes_by_class,
    outcomes_by_group,
)
from howgood.learn.elicitation.weights_search import WeightsSearch
from howgood.records.criteria import Alternative, CriteriaResult, CriteriaTable
from howgood.records.elicitation import Query, WeightsResult
from howgood.records.elicited_metric import Choice
from howgood.show import criteria as show
from howgood.show.text import to_json
from howgood.stats.randomness import RandomState
from howgood.writing import write_text

_VERSION = 1
HELP = KEYS_HELP.replace("   [?] what errors mean", "")
Respondent = Callable[[Any, Any], Choice]
Search = TypeVar("Search", bound=WeightsSearch)
UserInterface = Literal["browser", "notebook", "terminal"] | Respondent
Weighing = MulticlassElicitor | FairElicitor


def elicit_criteria(
    table: Any,  # noqa: ANN401 - any frame, or a mapping of columns
    *,
    criteria: Criteria,
    ui: UserInterface = "browser",
    name: str | None = None,
    resume: str | Path | None = None,
    random_state: RandomState = None,
    **settings: Any,  # noqa: ANN401 - the elicitor's
) -> CriteriaResult:
    """Ask somebody what matters, and return which alternative is best by that.

    Parameters
    ----------
    table : frame
        One row per alternative (model, prompt, product), a column per criterion, one of names, and
        perhaps standard deviations of scores (`quality_sd`).
    criteria : mapping
        Column to "max" or "min", or to a mapping with `direction`, `unit`, `label`, `scale` and
        `sd`, as in `CriteriaElicitor`.
    ui : {"browser", "notebook", "terminal"} or callable
        Where to ask: on a page of this machine, or by typing. A function of two `Alternative` that
        returns "first", "second" or "same" answers by itself.
    name : str, optional
        The column of names; without, the first that is no criterion.
    resume : path, optional
        Where to keep the interview; begun there before, it goes on.
    random_state : None, int or Generator
        Decides sides, checks and held-out questions.
    **settings
        Go to `CriteriaElicitor`: min_queries, max_queries, catch_pairs, held_out.

    Returns
    -------
    CriteriaResult
        With `.weights`, `.best`, `.best_probability`, `.regret`, `.fits`, `.exchange(one, other)`,
        `.table()` and `.plot()`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> table = {
    ...     "model": ["small", "medium", "large"],
    ...     "quality": [71, 84, 88], "quality_sd": [1.5, 1.5, 1.5],
    ...     "price": [0.2, 0.6, 3.0],
    ... }
    >>> def thrifty(one, other):  # a point of quality is worth 5 cents
    ...     worth = [side.values["quality"] * 0.05 - side.values["price"] for side in (one, other)]
    ...     return "first" if worth[0] > worth[1] else "second"
    >>> result = elicit_criteria(
    ...     table, criteria={"quality": "max", "price": "min"}, ui=thrifty, random_state=1
    ... )
    >>> result.best, result.fits
    ('medium', True)
    """
    elicitor = CriteriaElicitor(
        table, criteria=criteria, name=name, random_state=random_state, **settings
    )
    log = None if resume is None else Path(resume)
    if log is not None and log.exists():
        elicitor = resumed(log, of=elicitor)
    return asked(elicitor, ui, log).result()


def asked(elicitor: Search, ui: UserInterface, log: Path | None) -> Search:
    """Put the questions where they are wanted, and return the interview with its answers."""
    if callable(ui):
        hold(elicitor, lambda query: ui(query.first, query.second), log=log)
    elif ui in ("terminal", "notebook"):
        hold(elicitor, lambda _query: typed(elicitor, print, input), log=log)
    elif ui == "browser":
        # The page is served by the web application, a layer above: it is found by name.
        elicitor = import_module("howgood.cli.criteria").answered_in_browser(elicitor, log)
    else:
        raise InputError(
            where="elicit_criteria",
            found=f"ui = {ui!r:.60}",
            needed='"browser", "notebook", "terminal", or a function that answers',
            cure="Leave it out to ask in the browser.",
        )
    return elicitor


def typed(
    elicitor: WeightsSearch,
    say: Callable[[str], None],
    read: Callable[[str], str],
) -> Reply:
    """Show the question at hand as text and read the answer."""
    query = elicitor.shown()
    if query is None:
        return "stop"
    if query.number == 1:
        say(elicitor.task)
    say(f"\n{show.question_text(query, elicitor.table, most=elicitor.most_questions)}\n{HELP}")
    while True:
        key = read("> ").strip().lower()[:1]
        if key in KEYS:
            return KEYS[key]
        say(HELP)


def hold(
    elicitor: WeightsSearch, reply: Callable[[Query], Reply], *, log: Path | None = None
) -> None:
    """Put question after question until all are answered or "stop"; the log follows each one."""
    while (query := elicitor.query()) is not None:
        said = reply(query)
        if said == "stop":
            break
        if said == "undo":
            elicitor.undo()
        else:
            elicitor.answer(said)
        if log is not None:
            write_log(elicitor, log)


def write_log(elicitor: WeightsSearch, path: Path) -> None:
    """Write the whole interview as JSON that only its owner can read: somebody's answers."""
    log = {
        "format": WEIGHTS_LOG,
        "version": _VERSION,
        "seed": elicitor.seed,
        "settings": dict(elicitor.settings),
        "table": elicitor.table.to_dict(),
        "answers": [answer.to_dict() for answer in elicitor.answers],
        "result": elicitor.result().to_dict(),
    }
    write_text(path, to_json(log), private=True)


def resumed(path: Path, *, of: Search) -> Search:
    """Take up an interview from its log; `of` is one about the same things, not yet begun."""
    log = read_log(path)
    if log.get("format") != WEIGHTS_LOG or log.get("version") != _VERSION:
        raise FileFormatError(
            where=str(path),
            found=f"format {log.get('format')!r:.60}",
            needed=f"{WEIGHTS_LOG!r}, version {_VERSION}",
            cure="Name a log of an interview about criteria, or a new file.",
        )
    written = log.get("table")
    if not isinstance(written, dict) or {"common_unit": False, **written} != of.table.to_dict():
        raise InputError(
            where=str(path),
            found="an interview about another table",
            needed="the alternatives and criteria the log was begun with",
            cure="Name another log to begin anew.",
        )
    try:
        elicitor = _replayed(log, of)
    except InputError as error:
        error.found_in(error.where.replace("criteria log", str(path)))
        raise
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise FileFormatError(
            where=str(path),
            found=f"a part that cannot be read ({error!s:.200})",
            needed="the log as it was written",
            cure="Begin a new interview.",
        ) from error
    return elicitor


def _replayed(log: Mapping[str, Any], of: Search) -> Search:
    elicitor = of.anew(random_state=int(log["seed"]), **log["settings"])
    for entry in log["answers"]:
        query = elicitor.query()
        shown = None if query is None else (query.first.to_dict(), query.second.to_dict())
        if shown != (entry["first"], entry["second"]):
            raise FileFormatError(
                where=f"criteria log, answer {entry.get('number')}",
                found="a question that this seed and these answers do not lead to (an edited log, "
                "or one begun with another version of howgood, which asks differently)",
                needed="the log as it was written, and the version of howgood that wrote it",
                cure="Begin a new interview under another name, or go on with that version.",
            )
        elicitor.answer(entry["choice"], milliseconds=entry.get("milliseconds"))
    return elicitor


def start(
    table: Path | str,
    *,
    criteria: Criteria,
    name: str | None,
    random_state: int | None,
    **settings: Any,  # noqa: ANN401 - the elicitor's
) -> CriteriaElicitor:
    """Open a table of alternatives and prepare an interview about it."""
    try:
        return CriteriaElicitor(
            ask.open_table(table), criteria=criteria, name=name, random_state=random_state,
            **settings,
        )  # fmt: skip
    except InputError as error:
        # Whoever passed a file is helped by its name, not by that of a function.
        error.found_in(error.where.replace("elicit_criteria", str(table)))
        raise


def simulated_respondent(weights: Mapping[str, float], table: CriteriaTable) -> Respondent:
    """Return somebody who chooses by these weights of the table's criteria, without noise."""
    own = np.array([weights.get(criterion.name, 0.0) for criterion in table.criteria])

    def choose(first: Alternative, second: Alternative) -> Choice:
        sides = [
            np.array([[side.values[item.name] for item in table.criteria]])
            for side in (first, second)
        ]
        gap = float((table.features(sides[0]) - table.features(sides[1]))[0] @ own)
        return "same" if abs(gap) < 1e-12 else "first" if gap > 0 else "second"

    return choose


def simulated_weights(weights: Mapping[str, float], table: CriteriaTable) -> Respondent:
    """Return somebody who weighs outcomes by the features of these names, without noise."""
    names = [criterion.name for criterion in table.criteria]
    for name in weights:
        if name not in names:
            raise UnknownNameError(where="--simulate", name=name, names=names)
    own = np.array([weights.get(name, 0.0) for name in names])

    def choose(first: Any, second: Any) -> Choice:  # noqa: ANN401 - outcomes of any kind
        gap = float((np.array(first.features) - np.array(second.features)) @ own)
        return "same" if abs(gap) < 1e-12 else "first" if gap > 0 else "second"

    return choose


def again(fresh: Search, answered: WeightsSearch) -> Search:
    """Return an interview with the answers of another about the same alternatives."""
    # As many questions as the page asks, which are never fewer than six.
    asked = {name: answered.settings[name] for name in fresh.settings}
    made = fresh.anew(random_state=answered.seed, **asked)
    for entry in answered.answers:
        shown = made.shown()
        if shown is None or _values(shown) != _values(entry.query):
            raise InputError(
                where="the page",
                found=f"question {entry.query.number}, which this interview does not ask",
                needed="the questions of this interview",
                cure="Begin a new interview.",
            )
        made.answer(entry.choice, milliseconds=entry.milliseconds)
    return made


def _values(query: Query) -> list[list[float]]:
    return [list(side.values.values()) for side in (query.first, query.second)]


def weights_in(description: str) -> dict[str, float]:
    """Return the weights that "quality=.7,price=.3" describes."""
    weights = {}
    for part in description.split(","):
        name, _, value = part.partition("=")
        try:
            weights[name.strip()] = float(value)
        except ValueError as error:
            raise InputError(
                where="--simulate",
                found=repr(part[:60]),
                needed="weights of criteria, such as quality=.7,price=.3",
                cure="Name each criterion with its weight.",
            ) from error
    return weights


def elicit_weights(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    labels: Sequence[object] | None,
    groups: ArrayLike | None,
    positive: object,
    ui: UserInterface,
    out_of: OutOf,
    resume: str | Path | None,
    random_state: RandomState,
    **settings: int,
) -> WeightsResult:
    """Ask somebody what right answers on each class, or gaps between groups, are worth."""
    if groups is not None:
        elicitor: Weighing = of_groups(
            y, scores, groups, positive=positive, random_state=random_state, **settings
        )
    else:
        elicitor = of_classes(
            y, scores, labels=labels, out_of=out_of, random_state=random_state, **settings
        )
    log = None if resume is None else Path(resume)
    if log is not None and log.exists():
        elicitor = resumed(log, of=elicitor)
    return about(asked(elicitor, ui, log), positive)


def about(elicitor: Weighing, positive: object) -> WeightsResult:
    """Return what the answers so far say; of groups, about this positive label."""
    result = elicitor.result()
    return replace(result, positive=positive) if isinstance(elicitor, FairElicitor) else result


def of_classes(
    y: ArrayLike,
    probabilities: ArrayLike,
    *,
    labels: Sequence[object] | None = None,
    out_of: OutOf = "auto",
    random_state: RandomState = None,
    **settings: int,
) -> MulticlassElicitor:
    """Prepare an interview about classes; `labels` are in the order of the columns."""
    chances = np.asarray(probabilities, dtype=np.float64)
    truth = np.asarray(y).ravel()
    if labels is not None:
        truth = numbered(truth, labels)
    outcomes = learn.weighted_outcomes(truth, chances, out_of=out_of, random_state=SYSTEMS_SEED)
    return MulticlassElicitor(outcomes, labels=labels, random_state=random_state, **settings)


def of_groups(
    y: ArrayLike,
    scores: ArrayLike,
    groups: ArrayLike,
    *,
    positive: object = 1,
    random_state: RandomState = None,
    **settings: int,
) -> FairElicitor:
    """Prepare an interview about thresholds that may differ between groups."""
    outcomes = learn.group_outcomes(
        y, scores, groups, pos_label=positive, random_state=SYSTEMS_SEED
    )
    return FairElicitor(outcomes, random_state=random_state, **settings)


def start_weighing(
    path: Path,
    *,
    truth: str,
    score: str,
    positive: str,
    classes: Sequence[str],
    group: str | None,
    random_state: int | None,
    **settings: int,
) -> Weighing:
    """Open a table and prepare an interview: of classes by their columns, or of groups."""
    frame, where = ask.open_table(path), str(path)
    if group is not None:
        grouped = outcomes_by_group(
            frame, truth=truth, score=score, group=group, positive=positive, where=where
        )
        return FairElicitor(grouped, random_state=random_state, **settings)
    outcomes, names = outcomes_by_class(frame, truth=truth, classes=classes, where=where)
    return MulticlassElicitor(outcomes, labels=names, random_state=random_state, **settings)
