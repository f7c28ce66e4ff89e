"""Rank systems by a file of grades or votes: open, find the columns, rank, report.

In: a path and column names. Out: `RankedFile`, a `Report`. Absent: statistics (see `decide`) and
printing (see `cli`).

Where nobody says which column is which, the names are those that common programs write: arenas
(model_a, model_b, winner, question_id, judge), AlpacaEval (generator_1, generator_2, preference,
instruction, annotator), and this one.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from howgood.ask.files import open_table
from howgood.ask.intake import GAPS, YES, gaps_in
from howgood.decide.grades import rank_grades
from howgood.decide.halves import Halves, compare_halves
from howgood.decide.vote_rows import VoteRoles
from howgood.decide.votes import rank_votes
from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.flow.files import naming
from howgood.flow.ranking import RankedFile, picture
from howgood.records.levels import VERDICT_WORDS
from howgood.records.ranking import Ranking
from howgood.records.report import Report
from howgood.records.table import Table, as_numbers, frame_column_names, frame_columns
from howgood.show import boards as words_of_boards
from howgood.show import leaderboard as words
from howgood.show import votes as words_of_votes
from howgood.show.figures.ranking import DrawnBoard, boards_figure
from howgood.show.figures.theme import to_svg
from howgood.show.halves import halves_section
from howgood.show.ranking import score_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ITEMS = ("item", "prompt", "prompt_id", "question_id", "question", "instruction")
# Parts of a document are often numbered within it: they are read together with its name.
_PARTS = ("segment", "segment_id", "seg_id", "sentence", "sentence_id", "turn", "turn_id")
_CLUSTERS = (
    "doc", "doc_id", "document", "document_id", "conversation", "conversation_id", "dialogue_id",
)  # fmt: skip
_RATERS = (
    "rater", "participant", "worker", "worker_id", "annotator", "annotator_id", "annotator_index",
    "judge", "labeler",
)  # fmt: skip
_VOTES = {
    "left": ("left", "model_a", "system_a", "model_1", "generator_1"),
    "right": ("right", "model_b", "system_b", "model_2", "generator_2"),
    "winner": ("winner", "preference", "vote", "choice"),
    "item": _ITEMS,
    "rater": _RATERS,
    "repeats": ("repeats",),
}
_GRADES = {
    "system": ("system", "model", "model_id", "model_name"),
    "item": _ITEMS,
    "rater": _RATERS,
    "grade": ("grade", "rating", "score", "penalty"),
}
_LOWER_IS_BETTER, _LENGTHS = ("penalty",), ("left_length", "right_length")
_STYLE = "effect of one sd of style (log odds)"
_NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$"
_SIDES, _NEEDED_OF_GRADES = ("left", "right", "winner"), ("system", "item", "rater", "grade")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumns:
    """Whether a file holds votes, and the column of each role; `is_said` if somebody named all.

    `is_penalty`: by its name, less of the grade is better. `lengths` are columns of votes that hold
    the lengths of both outputs.
    """

    is_votes: bool
    roles: Mapping[str, str]
    is_said: bool
    is_penalty: bool = False
    lengths: tuple[str, ...] = ()


def board_columns(
    present: Sequence[str], named: Mapping[str, str], *, where: str, without: Sequence[str] = ()
) -> BoardColumns:
    """Return the columns of votes or of grades; roles `without` are not looked for.

    Examples
    --------
    >>> found = board_columns(["model_a", "model_b", "winner", "judge"], {}, where="votes.csv")
    >>> found.is_votes, dict(found.roles)["rater"]
    (True, 'judge')
    >>> found = board_columns(["system", "doc", "segment", "rater", "penalty"], {}, where="mqm.csv")
    >>> dict(found.roles)["cluster"], found.is_penalty
    ('doc', True)
    """
    votes, grades = (
        _columns_of_roles(present, usual, named, without) for usual in (_VOTES, _GRADES)
    )
    grades = grades if "item" in grades else grades | _parts(present, named, grades)
    is_asked = bool(set(named) & set(_SIDES))
    is_graded = "grade" in named or "system" in named or {"system", "grade"} <= set(grades)
    is_votes = is_asked or (not is_graded and set(_SIDES) <= set(votes))
    if not is_votes and not is_graded and {"left", "right"} <= set(votes):
        _refuse_no_winner(present, votes, where)
    if is_votes:
        # A name that is not there is asked for all the same: the error then names its option.
        roles = {**{side: side for side in _SIDES}, **votes}
    else:
        wanted = (role for role in _NEEDED_OF_GRADES if role not in without)
        roles = {**{role: role for role in wanted}, **grades}
    is_penalty = roles.get("grade", "").strip().casefold() in _LOWER_IS_BETTER
    lengths = tuple(name for name in _LENGTHS if name in present)
    return BoardColumns(
        is_votes=is_votes,
        roles=roles,
        is_said=set(roles) <= set(named),
        is_penalty=is_penalty,
        lengths=lengths if is_votes and len(lengths) == len(_LENGTHS) else (),
    )


def _parts(
    present: Sequence[str], named: Mapping[str, str], grades: Mapping[str, str]
) -> dict[str, str]:
    """Return the columns of parts of documents, and of the documents they belong to."""
    free = [name for name in present if name not in (*grades.values(), *named.values())]
    wanted = {"item": _PARTS} | ({} if "cluster" in named else {"cluster": _CLUSTERS})
    return _columns_of_roles(free, wanted, {}, ())


def columns_of_grades(present: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of item, rater and grade, and of system and cluster where there are any.

    Examples
    --------
    >>> columns_of_grades(["question_id", "annotator", "score"], {})
    {'item': 'question_id', 'rater': 'annotator', 'grade': 'score'}
    """
    needed = {role: role for role in _NEEDED_OF_GRADES if role != "system"}
    roles = _columns_of_roles(present, _GRADES, named, ())
    return {**needed, **(roles if "item" in roles else roles | _parts(present, named, roles))}


def _columns_of_roles(
    present: Sequence[str],
    usual: Mapping[str, Sequence[str]],
    named: Mapping[str, str],
    without: Sequence[str],
) -> dict[str, str]:
    """Return role -> column, the named ones as they were, the others by their usual names."""
    columns = {name.strip().casefold(): name for name in reversed(present)}
    roles = {role: named[role] for role in usual if role in named}
    for role, names in usual.items():
        if role in roles or role in without:
            continue
        free = [columns[name] for name in names if name in columns]
        free = [name for name in free if name not in roles.values()]
        if free:
            roles[role] = free[0]
    return roles


def _refuse_no_winner(present: Sequence[str], votes: Mapping[str, str], where: str) -> None:
    parts = [name for name in present if name.strip().casefold().startswith("winner_")]
    found = (
        f"the winner in several columns: {', '.join(map(repr, parts[:3]))}"
        if parts
        else f"{votes['left']!r} and {votes['right']!r}, but no column that says who won, among "
        f"{', '.join(map(repr, present[:12]))}"
    )
    raise InputError(
        where=where,
        found=found,
        needed="one column of votes with left, right or tie (or the winner's name)",
        cure="Make one, or name it: "
        f"--left {votes['left']} --right {votes['right']} --winner COLUMN",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeColumns:
    """Which columns say whose output was graded, on what, by whom (None: unknown)."""

    system: str = "system"
    item: str = "item"
    rater: str | None = "rater"
    cluster: str | None = None
    segment: str | None = None


def columns_of_file(
    path: str | Path,
    *,
    named: Mapping[str, str],
    without: Sequence[str] = (),
    engine: str = "auto",
) -> BoardColumns:
    """Return whether a file holds votes or grades, and which of its columns is which."""
    present = frame_column_names(open_table(path, engine=engine))
    return board_columns(present, named, where=str(path), without=without)


def read_as(ranking: Ranking, columns: BoardColumns) -> Ranking:
    """Note in a ranking which columns were taken as what, unless somebody named them all."""
    is_turned = columns.is_penalty and not ranking.greater_is_better
    if columns.is_said and not is_turned:
        return ranking
    kind = "votes" if columns.is_votes else "grades"
    settings = {**ranking.provenance.settings, "read as": {"kind": kind, **columns.roles}}
    if is_turned:
        settings["read as"]["direction"] = "less is better"
    if columns.lengths and _STYLE not in settings:
        settings["lengths of outputs"] = list(columns.lengths)
    return replace(ranking, provenance=replace(ranking.provenance, settings=settings))


def rank_votes_file(
    path: str | Path,
    *,
    columns: VoteRoles,
    level: float = 0.05,
    missing: str = "error",
    engine: str = "auto",
) -> RankedFile:
    """Rank the systems of a file with one row per vote.

    A style of two columns, with a comma between them, is the first less the second.
    """
    frame = _of_included_people(open_table(path, engine=engine), columns)
    with naming({"votes": path, "the table": path}):
        frame, style = _style_of(frame, columns.style)
        ranking = rank_votes(
            frame,
            left=columns.left,
            right=columns.right,
            winner=columns.winner,
            item=columns.item,
            rater=columns.rater,
            style=style,
            repeats=columns.repeats,
            segment=columns.segment,
            level=level,
            missing=missing,
        )
    return RankedFile(ranking=ranking, sums=None)


def _style_of(frame: Any, style: str | None) -> tuple[Any, str | None]:  # noqa: ANN401 - any frame
    """Return the table with the difference of two columns, where a style names two."""
    import narwhals as nw

    names = [] if style is None else [name.strip() for name in style.split(",")]
    present = frame_column_names(frame)
    if style in present or len(names) != 2 or not set(names) <= set(present):
        return frame, style
    made = f"{names[0]} less {names[1]}"
    if isinstance(frame, Table):
        one, other = (as_numbers(frame[name], where=f"votes, column {name!r}") for name in names)
        return Table({**frame, made: one - other}), made
    rows = nw.from_native(frame)
    schema = rows.collect_schema()
    for name in names:
        if not schema[name].is_numeric():
            raise InputError(
                where=f"votes, column {name!r}",
                found=f"{schema[name]}, not numbers",
                needed="a number for every vote, such as the length of an output",
                cure="Look for text among the numbers.",
            )
    # As decimal numbers: whole ones without a sign know no difference below zero.
    left, right = (nw.col(name).cast(nw.Float64) for name in names)
    return rows.with_columns((left - right).alias(made)).to_native(), made


def _of_included_people(frame: Any, columns: VoteRoles) -> Any:  # noqa: ANN401 - any frame
    """Leave out people whom a researcher excluded, and test runs, of a study's own export."""
    import narwhals as nw

    if columns.repeats is None:
        return frame
    rows = nw.from_native(frame)
    present = rows.collect_schema().names()
    for name, what in (("excluded", "people a researcher excluded"), ("pilot", "test runs")):
        if name not in present:
            continue
        # Other programs write TRUE or 1; an empty cell says nothing against a vote.
        text = nw.col(name).cast(nw.String).str.strip_chars().str.to_lowercase()
        is_out = text.is_in(sorted(YES)).fill_null(False)
        counted = rows.lazy().filter(is_out).select(nw.len()).collect().item()
        if counted:
            rows = rows.filter(~is_out)
            noun = "vote" if counted == 1 else "votes"
            announce(f"votes: {counted} {noun} of {what} left out.", DroppedRowsWarning)
    return rows.to_native()


def rank_criteria_file(
    path: str | Path,
    *,
    columns: GradeColumns,
    criteria: Sequence[str] = ("grade",),
    greater_is_better: bool = True,
    combine: str = "error",
    level: float = 0.05,
    missing: str = "error",
    engine: str = "auto",
) -> dict[str, Ranking]:
    """Rank the systems of a file by each of several columns of grades."""
    frame = _verdicts_as_numbers(open_table(path, engine=engine), criteria)
    with naming({"grades": path, "the table": path}):
        return {
            criterion: rank_grades(
                frame,
                system=columns.system,
                item=columns.item,
                rater=columns.rater,
                grade=criterion,
                cluster=columns.cluster,
                segment=columns.segment,
                greater_is_better=greater_is_better,
                combine=combine,
                level=level,
                missing=missing,
            )
            for criterion in criteria
        }


def halves_of_grades(
    path: str | Path,
    *,
    columns: GradeColumns,
    criterion: str = "grade",
    greater_is_better: bool = True,
    combine: str = "error",
    splits: int = 8,
    engine: str = "auto",
) -> dict[str, Halves]:
    """Split the items (documents, where they are known) and raters of a file in two; rank both."""
    frame = _verdicts_as_numbers(open_table(path, engine=engine), [criterion])
    names = (columns.system, columns.item, columns.rater, columns.cluster, criterion)
    with naming({"grades": path, "the table": path}):
        rows = Table(frame_columns(frame, [name for name in names if name], where="grades"))
        return compare_halves(
            rows,
            lambda half: rank_grades(
                half,
                system=columns.system,
                item=columns.item,
                rater=columns.rater,
                grade=criterion,
                cluster=columns.cluster,
                greater_is_better=greater_is_better,
                combine=combine,
                missing="drop",
            ),
            divided=_divided(columns.cluster or columns.item, columns.rater),
            splits=splits,
        )


def halves_of_votes(
    path: str | Path, *, columns: VoteRoles, splits: int = 8, engine: str = "auto"
) -> dict[str, Halves]:
    """Split the prompts and the voters of a file in two, and rank both halves."""
    frame = _of_included_people(open_table(path, engine=engine), columns)
    names = [*replace(columns, segment=None).names, *filter(None, [columns.repeats])]
    with naming({"votes": path, "the table": path}):
        rows = Table(frame_columns(frame, names, where="votes"))
        divided = _divided(columns.item, columns.rater)
        if not divided:
            raise InputError(
                where="votes",
                found="neither a column of prompts nor one of raters",
                needed="one of them, to split by",
                cure="Name it with --item or --rater, or leave --halves out.",
            )
        return compare_halves(
            rows,
            lambda half: rank_votes(
                half,
                left=columns.left,
                right=columns.right,
                winner=columns.winner,
                item=columns.item,
                rater=columns.rater,
                repeats=columns.repeats,
                missing="drop",
            ),
            divided=divided,
            splits=splits,
        )


def _divided(item: str | None, rater: str | None) -> dict[str, str]:
    named = {"items": item, "raters": rater}
    return {name: column for name, column in named.items() if column is not None}


def with_halves(report: Report, halves: Mapping[str, Halves]) -> Report:
    """Return a report that ends with how well two halves of the data agree."""
    return replace(report, sections=(*report.sections, halves_section(halves)))


def _verdicts_as_numbers(frame: Any, criteria: Sequence[str]) -> Any:  # noqa: ANN401 - any frame
    """Turn columns of pass and fail into 1 and 0; other text stays, and is refused later."""
    import narwhals as nw

    if isinstance(frame, Table):
        return Table({**frame, **{name: _one_or_zero(frame[name]) for name in criteria
                                  if name in frame}})  # fmt: skip
    rows = nw.from_native(frame)
    schema = rows.collect_schema()
    passed = [word for word, counts in VERDICT_WORDS.items() if counts]
    for name in criteria:
        if schema.get(name) != nw.String:
            continue
        said = nw.col(name).str.strip_chars().str.to_lowercase()
        is_filled = ~nw.col(name).is_null() & ~said.is_in(sorted(GAPS))
        for is_known, counts in (
            (said.is_in(list(VERDICT_WORDS)), said.is_in(passed)),
            (said.str.contains(_NUMBER), said),
        ):
            others = rows.lazy().filter(is_filled & ~is_known)
            if others.select(nw.len()).collect().item() == 0:
                # Only what is a number is turned into one: engines look at the others, too.
                read = nw.when(is_filled).then(counts).cast(nw.Float64).alias(name)
                rows = rows.with_columns(read)
                break
    return rows.to_native()


def _one_or_zero(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind in "biuf":
        return values
    gaps = gaps_in(values)
    texts = [str(value).strip().lower() for value in values.tolist()]
    if not all(gap or text in VERDICT_WORDS for gap, text in zip(gaps, texts, strict=True)):
        filled = np.array(values, dtype=object)
        filled[gaps] = None
        return filled
    return np.array([np.nan if gap else VERDICT_WORDS[text]
                     for gap, text in zip(gaps, texts, strict=True)])  # fmt: skip


def boards_of(criteria: Mapping[str, Ranking]) -> dict[str, Ranking]:
    """Return every board by its name: criteria, and segments within each."""
    boards: dict[str, Ranking] = {}
    for criterion, ranking in criteria.items():
        boards[criterion if len(criteria) > 1 else "all"] = ranking
        for segment, board in ranking.segments.items():
            boards[f"{criterion}, {segment}" if len(criteria) > 1 else segment] = board
    return boards


@contextmanager
def boards_picture(boards: Mapping[str, Ranking]) -> Iterator["Figure"]:
    """Draw all boards next to each other, systems in the order of the first."""
    first = next(iter(boards.values()))
    drawn = [_drawn(name, ranking, first.order) for name, ranking in boards.items()]
    with boards_figure(first.order, drawn, axis=score_axis(first)) as figure:
        yield figure


def _drawn(title: str, ranking: Ranking, systems: Sequence[str]) -> DrawnBoard:
    places = [ranking.systems.index(name) if name in ranking.systems else -1 for name in systems]
    is_here = np.array(places) >= 0
    means = np.where(is_here, ranking.scores[places], np.nan)
    reach = 1.959964 * ranking.score_sds[places]
    settings = ranking.provenance.settings
    least, most = (settings.get(f"{end} grade", far) for end, far in
                   (("lowest", -np.inf), ("highest", np.inf)))  # fmt: skip
    best = ranking.order[0]
    return DrawnBoard(
        title=title,
        means=means,
        lower=np.maximum(means - reach, least),
        upper=np.minimum(means + reach, most),
        is_first=[system in (best, *ranking.ties[best]) for system in systems],
    )


def boards_report(boards: Mapping[str, Ranking]) -> Report:
    """Return the report of several boards with their picture."""
    with boards_picture(boards) as figure:
        svg = to_svg(figure, title=f"{words_of_boards.scores_of(boards)} on every board")
    return words_of_boards.report(boards, svg=svg)


def board_document(ranking: Ranking) -> dict[str, Any]:
    """Return the board's values with its sentences: numbers go nowhere without their limits."""
    said = words_of_boards.board_findings(ranking)
    document = {
        "findings": [finding.text for finding in said],
        **ranking.to_dict(),
        "needed": [needed.to_dict() for needed in words.needed_of_ties(ranking)],
    }
    boards = {name: board_document(board) for name, board in ranking.segments.items()}
    return document | ({"segments": boards} if boards else {})


def leaderboard_report(ranked: RankedFile) -> Report:
    """Return the report with its picture."""
    with picture(ranked) as figure:
        svg = to_svg(figure, title="Scores and rank probabilities")
    if ranked.ranking.metric == "strength":
        return words_of_votes.report(ranked.ranking, svg=svg)
    return words.report(ranked.ranking, svg=svg)
