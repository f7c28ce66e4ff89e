"""Answers out of anybody's table: names mapped, labels read, gaps handled by a named policy.

In: a file or a frame. Out: `Answers` with columns of fixed names: ratings from 1 up, and who is
left out and why (the rule is `records.inclusion`). Absent: statistics; guessing (a label that is
not known is an error that lists those that are); any silent repair: a row is left out only by the
policy named, and every one left out is counted.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howgood.ask.files import open_table
from howgood.ask.row_numbers import with_rows_as_in_file
from howgood.errors import (
    DroppedRowsWarning,
    InputError,
    MissingColumnError,
    MissingValueError,
    RepeatedRowsWarning,
    UnknownScaleWarning,
    announce,
)
from howgood.records.alike_names import announce_alike
from howgood.records.answers import Answers
from howgood.records.inclusion import (
    CHECKS_COLUMN,
    DEFAULT,
    EXCLUDED_COLUMN,
    FACTS,
    FINISHED_COLUMN,
    PILOT_COLUMN,
    POLICIES,
    PeoplePolicy,
    columns_read,
    why_left_out,
)
from howgood.records.missing import check_policy
from howgood.records.provenance import Provenance
from howgood.records.table import frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray

LIKELIHOOD = (
    "Extremely unlikely",
    "Quite unlikely",
    "Slightly unlikely",
    "Neither",
    "Slightly likely",
    "Quite likely",
    "Extremely likely",
)
AGREEMENT = (
    "Strongly disagree",
    "Disagree",
    "Somewhat disagree",
    "Neither agree nor disagree",
    "Somewhat agree",
    "Agree",
    "Strongly agree",
)
# How else the middle of the likelihood scale is written.
_ALSO = {"neither likely nor unlikely": 4, "neither unlikely nor likely": 4, "neutral": 4}
_NUMBER_OF: dict[str, int] = {
    **{label.lower(): number for number, label in enumerate(LIKELIHOOD, start=1)},
    **{label.lower(): number for number, label in enumerate(AGREEMENT, start=1)},
    **_ALSO,
}
SEVEN = len(LIKELIHOOD)
_FIVE = 5
# If at most half of those at 5 or above stop at 5, so many without a 6 or 7 have a chance of 1 %.
_MANY_FIVES = 7
GAPS = {"", "na", "n/a", "#n/a", "nan", "null", "none"}
MissingPolicy = Literal["unanswered", "drop", "error"]
MISSING_POLICIES = ("unanswered", "drop", "error")

_WHO = ("participant", "application")
ACCURACY = ("precision", "recall")
_SHARES = (*ACCURACY, "specificity")
_ANSWERS = ("rating", "accepted")
_OPTIONAL = ("usefulness", "intent", "ease", "part")
_RATED = ("rating", "usefulness", "intent", "ease")
_SMALL_FILE = 2_000_000
YES, NO = {"true", "yes", "1", "1.0"}, {"false", "no", "0", "0.0"}


def is_gap(value: object) -> bool:
    """Say whether a table cell holds no value."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().lower() in GAPS


def gaps_in(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Say for each cell of a column whether it holds no value.

    Examples
    --------
    >>> gaps_in(np.array([1.0, np.nan])).tolist(), gaps_in(np.array(["a", "NA"])).tolist()
    ([False, True], [False, True])
    """
    if values.dtype.kind in "fiub":
        return np.asarray(np.isnan(values.astype(np.float64)))
    return np.array([is_gap(value) for value in values.tolist()], dtype=bool)


def ratings_from(values: NDArray[Any], *, scale: int, where: str) -> FloatArray:
    """Return ratings 1..scale as numbers, NaN where there is no answer.

    Examples
    --------
    >>> ratings_from(np.array(["Slightly likely", "NA", "7"], dtype=object), scale=7, where="x")
    array([ 5., nan,  7.])
    """
    distinct, inverse = _distinct(values)
    first_rows = np.unique(inverse, return_index=True)[1] + 1
    numbers = [
        _rating(value, scale, f"{where}, row {row}")
        for value, row in zip(distinct, first_rows, strict=True)
    ]
    return np.array(numbers, dtype=np.float64)[inverse]


def say_unknown_scale(values: NDArray[Any], ratings: FloatArray, where: str) -> None:
    """Refuse or announce ratings that are read as of 7 points but may be of 5.

    Labels say which scale they are of; so does a 6 or a 7.
    """
    given = {int(rating) for rating in ratings[np.isfinite(ratings)].tolist()}
    is_labelled = any(
        isinstance(value, str) and value.strip().lower() in _NUMBER_OF for value in values.tolist()
    )
    if is_labelled or not given or max(given) > _FIVE:
        return
    n_fives = int(np.sum(ratings == _FIVE))
    if n_fives >= _MANY_FIVES:
        raise InputError(
            where=where,
            found=f"{n_fives} ratings of 5, and none above",
            needed="the number of points of the scale: of 5 points 4 and 5 accept, of 7 points 5 "
            "to 7",
            cure="Say scale=5, or scale=7 if nobody chose 6 or 7.",
        )
    announce(
        f"{where}: no rating above {max(given)}; read as a scale of 7 points, of which 5 to 7 "
        "accept. Say scale=7 to confirm, or how many points the scale has.",
        UnknownScaleWarning,
    )


def _distinct(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Distinct values and where each row finds its own: a scale has few, a table many rows."""
    place: dict[Any, int] = {}
    inverse = np.array([place.setdefault(_key(value), len(place)) for value in values.tolist()])
    return list(place), inverse.astype(np.intp)


def _key(value: object) -> object:
    return None if isinstance(value, float) and np.isnan(value) else value


def _rating(value: object, scale: int, where: str) -> float:
    if is_gap(value):
        return float("nan")
    if isinstance(value, str) and value.strip().lower() in _NUMBER_OF:
        if scale != len(LIKELIHOOD):
            raise InputError(
                where=where,
                found=f"the label {value!r} on a scale of {scale} points",
                needed=f"numbers, as labels are known for {len(LIKELIHOOD)} points only",
                cure=f"Write the ratings as numbers 1 to {scale}.",
            )
        return float(_NUMBER_OF[value.strip().lower()])
    try:
        number = float(value)  # type: ignore[arg-type]  # foreign data: TypeError is caught below
    except (TypeError, ValueError):
        raise InputError(
            where=where,
            found=f"the answer {value!r}",
            needed=f"a number 1 to {scale}, or one of {', '.join(map(repr, LIKELIHOOD))}",
            cure="Correct the label, leave the cell empty if there is no answer, or write numbers.",
        ) from None
    if not (1 <= number <= scale and number == int(number)):
        raise InputError(
            where=where,
            found=f"the rating {number:g}",
            needed=f"whole numbers from 1 to {scale}",
            cure="Check the scale, or say how many points it has (scale=...).",
        )
    return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which rows stay, how many people and rows do not, and the rule in words."""

    keep: NDArray[np.bool_]
    rule: str
    people_left_out: Mapping[str, int] = field(default_factory=dict)
    rows_left_out: Mapping[str, int] = field(default_factory=dict)


def choose_people(
    participant: NDArray[Any],
    facts: Mapping[str, FloatArray],
    *,
    policy: str,
    where: str,
) -> Chosen:
    """Return whose rows count; `facts` holds 1, 0 or NaN (not known) per row and known column."""
    if policy == "finished" and FINISHED_COLUMN not in facts:
        raise InputError(
            where=where,
            found=f"no column {FINISHED_COLUMN!r}",
            needed="to know who finished, for people='finished'",
            cure="Export the answers again with howgood export, or choose another policy.",
        )
    keep = np.ones(len(participant), dtype=bool)
    if not set(facts) & set(columns_read(policy)):
        said = "of attention checks or test runs" if policy != "everyone" else "of test runs"
        return Chosen(keep=keep, rule=f"everyone in the table, which says nothing {said}")
    people: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    _, person = np.unique(participant.astype(str), return_inverse=True)
    order = np.argsort(person, kind="stable")
    for mine in np.split(order, np.flatnonzero(np.diff(person[order])) + 1):
        reason = why_left_out(
            policy,
            is_pilot=_any_is(facts, PILOT_COLUMN, mine, 1.0),
            is_finished=_any_is(facts, FINISHED_COLUMN, mine, 1.0),
            passed_checks=not _any_is(facts, CHECKS_COLUMN, mine, 0.0),
            is_excluded=_any_is(facts, EXCLUDED_COLUMN, mine, 1.0),
        )
        if reason is not None:
            people[reason] += 1
            rows[reason] += len(mine)
            keep[mine] = False
    return Chosen(
        keep=keep, rule=POLICIES[policy], people_left_out=dict(people), rows_left_out=dict(rows)
    )


def _any_is(
    facts: Mapping[str, FloatArray], column: str, rows: NDArray[np.intp], value: float
) -> bool:
    return column in facts and bool((facts[column][rows] == value).any())


@with_rows_as_in_file
def read_answers(
    path_or_frame: Any,  # noqa: ANN401 - a path or any frame narwhals knows
    *,
    columns: Mapping[str, str] | None = None,
    missing: MissingPolicy = "unanswered",
    scale: int | None = None,
    people: PeoplePolicy = DEFAULT,
    shown: Sequence[str] = ACCURACY,
    also: Sequence[str] = (),
) -> Answers:
    """Read answers about accuracy scenarios from a file or a frame.

    Parameters
    ----------
    path_or_frame : path or frame
        CSV or Parquet file, or a pandas, Polars, PyArrow, DuckDB or Spark frame with
        `participant`, `application`, `precision`, `recall`, and `rating` (1 to `scale`, or the
        labels "Extremely unlikely" .. "Extremely likely", "Strongly disagree" .. "Strongly
        agree") or `accepted` (true/false). `usefulness` (or `useful`, as surveys export it),
        `intent`, `ease` and `part` are read where present. Rows that repeat an earlier one in all
        of these are counted and announced by `RepeatedRowsWarning`.
    columns : mapping, optional
        Our name to yours, such as ``{"precision": "ppv", "recall": "tpr"}``.
    missing : {"unanswered", "drop", "error"}
        "unanswered" leaves out rows without an answer and refuses gaps in other columns; "drop"
        leaves out rows with any gap in a needed column; "error" refuses every gap. What is left
        out is counted in `provenance.rows_dropped` and announced by `DroppedRowsWarning`.
    scale : int, optional
        Number of points of the rating scale; 7 when left out. Several ratings of 5 without a 6 or 7
        are then refused, since they look like a scale of five points, and other ratings without a
        6 or 7 announced by `UnknownScaleWarning`.
    people : {"attentive", "finished", "everyone"}
        Whose answers count, by the columns `passed_checks`, `finished` and `pilot` where the table
        has them (howgood's exports do): everyone but those who failed attention checks; of these
        only who finished; or everyone. Test runs never count. The rule is recorded as
        `provenance.settings["people"]`.
    shown : sequence of str
        The columns with the numbers people saw: precision and recall, or others, such as counts of
        kinds of failure.
    also : sequence of str
        Further columns to read as text, such as a column people are compared by.

    Returns
    -------
    Answers

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> answers = read_answers(
    ...     {"who": ["a", "a"], "application": ["alarm"] * 2, "ppv": [0.5, 1.0],
    ...      "recall": [1.0, 1.0], "rating": ["Quite unlikely", "Quite likely"]},
    ...     columns={"participant": "who", "precision": "ppv"},
    ... )
    >>> answers["rating"].tolist()
    [2.0, 6.0]
    """
    needed = (*_WHO, *shown, *also)
    if isinstance(path_or_frame, Answers) and not columns and set(needed) <= set(path_or_frame):
        return path_or_frame
    check_policy(missing, policies=MISSING_POLICIES)
    facts_read, (where, frame) = columns_read(people), _opened(path_or_frame)
    raw = _named_columns(frame, columns or {}, where, needed, facts_read)
    _refuse_no_rows(raw, where)
    yours = {name: (columns or {}).get(name, name) for name in raw}
    points = SEVEN if scale is None else scale
    parsed = {
        name: _parsed(name, values, points, f"{where}, column {yours[name]!r}", shown)
        for name, values in raw.items()
    }
    if scale is None:
        _check_scale(raw, parsed, where, yours)
    facts = {name: parsed.pop(name) for name in facts_read if name in parsed}
    chosen = choose_people(parsed["participant"], facts, policy=people, where=where)
    _announce_people(chosen, people, where)
    keep, dropped = _kept_rows(parsed, needed, missing, where, yours, chosen.keep)
    _check_shares(parsed, keep, where, yours)
    kept = {name: values[keep] for name, values in parsed.items()}
    for name in ("participant", "application"):
        announce_alike(kept[name].tolist(), where=f"{where}, column {yours[name]!r}")
    _announce_repeated(kept, where)
    return Answers(
        kept,
        provenance=Provenance(
            method="answers read",
            settings={
                "columns": dict(columns or {}),
                "missing": missing,
                "scale": points,
                "people": chosen.rule,
                "people_left_out": dict(chosen.people_left_out),
            },
            rows_used=int(keep.sum()),
            rows_dropped={**dropped, **chosen.rows_left_out},
        ),
    )


def _refuse_no_rows(raw: dict[str, NDArray[Any]], where: str) -> None:
    if len(next(iter(raw.values()))) == 0:
        raise InputError(
            where=where, found="no rows", needed="at least one answer", cure="Check the file."
        )


def _opened(path_or_frame: Any) -> tuple[str, Any]:  # noqa: ANN401 - foreign data enters here
    if not isinstance(path_or_frame, str | Path):
        return "answers", path_or_frame
    where = str(path_or_frame)
    return where, open_table(path_or_frame, engine=_engine_for(path_or_frame))


def _engine_for(path: str | Path) -> str:
    """Small CSV files need no engine, and loading one takes longer than reading them."""
    location = Path(path)
    plain = location.suffix.lower() in (".csv", ".tsv", ".txt") and location.is_file()
    return "built-in" if plain and location.stat().st_size < _SMALL_FILE else "auto"


def _named_columns(
    frame: Any,  # noqa: ANN401 - foreign data enters here
    mapping: Mapping[str, str],
    where: str,
    needed: tuple[str, ...],
    facts: tuple[str, ...],
) -> dict[str, NDArray[Any]]:
    known = (*needed, *_ANSWERS, *_OPTIONAL, *facts)
    for name in mapping:
        if name not in known:
            raise InputError(
                where="columns",
                found=f"{name!r}",
                needed=f"one of our names, {', '.join(known)}",
                cure='Write our name first, then yours: columns={"precision": "ppv"}.',
            )
    try:
        present = frame_column_names(frame)
    except TypeError:
        present = []
    source = {name: mapping.get(name, name) for name in known}
    if "usefulness" not in mapping and "usefulness" not in present and "useful" in present:
        source["usefulness"] = "useful"
    ours = {column: name for name, column in mapping.items()}
    if source["rating"] not in present and source["accepted"] not in present and present:
        gone = [source[name] for name in needed if source[name] not in present]
        raise MissingColumnError(
            where=where,
            column=source["rating"],
            columns=present,
            also=gone,
            ours=ours,
            taken=[source[name] for name in needed],
        )
    wanted = {
        name: column
        for name, column in source.items()
        if name in needed or name in mapping or column in present
    }
    columns = frame_columns(frame, wanted.values(), where=where, ours=ours)
    return {name: columns[column] for name, column in wanted.items()}


def _parsed(
    name: str, values: NDArray[Any], scale: int, where: str, shown: Sequence[str]
) -> NDArray[Any]:
    if name in _RATED:
        return ratings_from(values, scale=scale, where=where)
    if name == "accepted":
        return _yes_no(
            values, where, 'If these are ratings, name the column: columns={"rating": ...}.'
        )
    if name in FACTS:
        return _yes_no(values, where, "Rename the column if it means something else.")
    if name in shown:
        return _numbers(values, where, is_share=name in _SHARES)
    texts = [None if is_gap(value) else str(value) for value in values.tolist()]
    return np.array(texts, dtype=object)


def _numbers(values: NDArray[Any], where: str, *, is_share: bool) -> FloatArray:
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values.tolist()):
        if is_gap(value):
            continue
        try:
            numbers[row] = float(value)
        except (TypeError, ValueError) as error:
            raise InputError(
                where=f"{where}, row {row + 1}",
                found=repr(value),
                needed="numbers between 0 and 1" if is_share else "numbers",
                cure="Write 85 % as 0.85, or name another column."
                if is_share
                else "Correct it, or name another column.",
            ) from error
    return numbers


def _yes_no(values: NDArray[Any], where: str, cure: str) -> FloatArray:
    """1 for yes, 0 for no, NaN for no answer."""
    texts = [None if is_gap(value) else str(value).strip().lower() for value in values.tolist()]
    known = YES | NO | {None}
    strange = next((row for row, text in enumerate(texts) if text not in known), None)
    if strange is not None:
        raise InputError(
            where=f"{where}, row {strange + 1}",
            found=repr(texts[strange]),
            needed="true or false",
            cure=cure,
        )
    return np.array([np.nan if text is None else float(text in YES) for text in texts])


def _kept_rows(
    parsed: dict[str, NDArray[Any]],
    columns: Sequence[str],
    missing: MissingPolicy,
    where: str,
    yours: Mapping[str, str],
    of_people: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    answer = "rating" if "rating" in parsed else "accepted"
    needed = [*columns, answer] + (["part"] if "part" in parsed else [])
    n_rows = len(parsed[answer])
    keep = of_people.copy()
    dropped: dict[str, int] = {}
    for name in needed:
        gaps = gaps_in(parsed[name])
        if not gaps.any():
            continue
        droppable = missing == "drop" or (missing == "unanswered" and name == answer)
        if not droppable:
            raise MissingValueError(
                where=where,
                column=yours[name],
                n_missing=int(gaps.sum()),
                n_rows=n_rows,
                first=int(np.argmax(gaps)),
            )
        dropped[f"no {name}"] = int((gaps & keep).sum())
        keep &= ~gaps
    if not keep.any():
        raise InputError(
            where=where,
            found="no row without a gap",
            needed="at least one complete answer",
            cure=f"Check the columns {', '.join(dropped)}.",
        )
    if dropped:
        listed = ", ".join(f"{count} with {reason}" for reason, count in dropped.items())
        announce(
            f"{where}: left out {listed} of {n_rows} rows (policy missing={missing!r}).",
            DroppedRowsWarning,
        )
    return keep, dropped


def _announce_people(chosen: Chosen, policy: str, where: str) -> None:
    """Say who was left out by the rule; a rule that leaves nobody is refused."""
    if not chosen.people_left_out:
        return
    listed = ", ".join(
        f"{count} {'person' if count == 1 else 'people'} ({why}; {chosen.rows_left_out[why]} rows)"
        for why, count in chosen.people_left_out.items()
    )
    if not chosen.keep.any():
        raise InputError(
            where=where,
            found=f"nobody whose answers count: left out {listed}",
            needed=POLICIES[policy],
            cure="Keep everybody with people='everyone' (--people everyone).",
        )
    announce(f"{where}: left out {listed}, by the rule people={policy!r}.", DroppedRowsWarning)


def _check_scale(
    raw: dict[str, NDArray[Any]],
    parsed: dict[str, NDArray[Any]],
    where: str,
    yours: Mapping[str, str],
) -> None:
    """Refuse or flag ratings whose scale is neither given nor implied by a column `accepted`."""
    if "rating" in parsed and not _says_what_accepts(parsed):
        say_unknown_scale(raw["rating"], parsed["rating"], f"{where}, column {yours['rating']!r}")


def _says_what_accepts(parsed: dict[str, NDArray[Any]]) -> bool:
    """Whether a column `accepted` tells that ratings of 5 and more accept: a scale of seven."""
    if "accepted" not in parsed:
        return False
    known = np.isfinite(parsed["rating"]) & np.isfinite(parsed["accepted"])
    accepts = parsed["rating"][known] > SEVEN - SEVEN // 2
    return bool(known.any() and np.array_equal(parsed["accepted"][known] == 1, accepts))


def _announce_repeated(columns: dict[str, NDArray[Any]], where: str) -> None:
    """Say how many rows repeat an earlier one; whether they are one answer, their author knows."""
    codes = [np.unique(values.astype(str), return_inverse=True)[1] for values in columns.values()]
    rows = np.column_stack(codes)
    repeated = len(rows) - len(np.unique(rows, axis=0))
    if repeated:
        announce(
            f"{where}: {repeated} of {len(rows)} rows repeat an earlier one (same person, "
            "application, scenario and answers). They count as further answers and narrow every "
            "interval; remove them if a file was joined twice.",
            RepeatedRowsWarning,
        )


def _check_shares(
    parsed: dict[str, NDArray[Any]], keep: NDArray[np.bool_], where: str, yours: Mapping[str, str]
) -> None:
    for name in _SHARES:
        if name not in parsed:
            continue
        outside = keep & ~((parsed[name] >= 0) & (parsed[name] <= 1))
        if outside.any():
            row = int(np.argmax(outside))
            raise InputError(
                where=f"{where}, column {yours[name]!r}, row {row + 1}",
                found=f"{parsed[name][row]:g}",
                needed=f"a {name} between 0 and 1",
                cure="Write 85 % as 0.85, or name the column that holds the share.",
            )
