"""Labels of people and scores of a judge, out of anybody's tables.

In: a table of labels, perhaps one of scores, and their column names. Out: `JudgeRows`, arrays of
codes and numbers. Absent: estimating (see `score.judging`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.records.levels import missing_values
from howgood.records.missing import check_policy
from howgood.records.table import as_numbers, frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray, IntArray

ALL = "all"
_WORDS = {
    "true": 1.0, "yes": 1.0, "pass": 1.0, "passed": 1.0, "good": 1.0, "correct": 1.0, "c": 1.0,
    "acceptable": 1.0, "thumbs up": 1.0,
    "false": 0.0, "no": 0.0, "fail": 0.0, "failed": 0.0, "bad": 0.0, "incorrect": 0.0, "i": 0.0,
    "unacceptable": 0.0, "thumbs down": 0.0,
}  # fmt: skip
_FEW_VALUES = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeColumns:
    """Which column is which; None where there is none."""

    item: str
    rater: str | None
    label: str
    judge: str
    system: str | None = None
    cluster: str | None = None
    segment: str | None = None
    bias: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeRows:
    """One row per label (`value`), and one per system and item that the judge scored (`score`).

    `output` places a label among the scored outputs; raters are codes, None where unknown.
    """

    value: FloatArray
    output: IntArray
    rater: IntArray | None
    score: FloatArray
    system: IntArray
    item: IntArray
    cluster: IntArray
    systems: tuple[str, ...]
    segment: NDArray[Any] | None
    bias: Mapping[str, NDArray[Any]]
    dropped: dict[str, int]
    n_rescored: int

    @property
    def is_binary(self) -> bool:
        """Whether every label is 0 or 1."""
        return bool(np.isin(self.value, (0.0, 1.0)).all())

    @property
    def step(self) -> float:
        """The smallest difference two labels show, 0 where they take many values."""
        values = np.unique(self.value)
        if not 1 < len(values) <= _FEW_VALUES:
            return 1.0 if self.is_binary else 0.0
        return float(np.diff(values).min())

    @property
    def is_one_scale(self) -> bool:
        """Whether the judge scores in the range that labels have (about, for continuous ones)."""
        low, high = (0.0, 1.0) if self.is_binary else (self.value.min(), self.value.max())
        slack = 0.0 if self.step > 0 else 0.5 * (high - low)
        return bool(self.score.min() >= low - slack and self.score.max() <= high + slack)


def judge_rows(
    labels: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    scores: Any | None,  # noqa: ANN401 - the same
    columns: JudgeColumns,
    *,
    levels: Sequence[str] | None,
    cut: float | None,
    missing: str,
) -> JudgeRows:
    """Read both tables; rows of `labels` without a label are scores only."""
    check_policy(missing)
    wanted = [columns.item, columns.rater, columns.system, columns.cluster, columns.segment]
    present = frame_column_names(labels)
    has_judge = columns.judge in present or scores is None
    names = [each for each in wanted if each is not None] + list(columns.bias) + [columns.label]
    table = frame_columns(labels, names + [columns.judge] * has_judge, where="labels")
    pool = table if scores is None else _scores(scores, columns)
    value = _numbers(table[columns.label], levels, "labels", columns.label)
    is_labelled = np.isfinite(value)
    _require_labels(is_labelled, columns)
    dropped = _without_gaps(table, columns, is_labelled, missing)
    is_labelled &= ~dropped
    found = _outputs(table, pool, columns, has_judge, levels)
    place = found.place_of(table, columns, is_labelled)
    value = value[is_labelled]
    if cut is not None:
        value = (value >= cut).astype(np.float64)
    who = None
    if columns.rater is not None:
        who = np.unique(table[columns.rater][is_labelled].astype(str), return_inverse=True)[1]
    segment = None
    if columns.segment is not None:
        segment = found.column(table, pool, columns, columns.segment)
    return JudgeRows(
        value=value,
        output=place,
        rater=who,
        score=found.score,
        system=found.system,
        item=found.item,
        cluster=found.cluster(table, pool, columns),
        systems=found.systems,
        segment=segment,
        bias={name: table[name][is_labelled] for name in columns.bias},
        dropped={"missing value": int(dropped.sum())} if dropped.any() else {},
        n_rescored=found.n_rescored,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Outputs:
    """The distinct outputs (system and item) that a judge scored, with the mean of its scores."""

    keys: dict[tuple[str, str], int]
    score: FloatArray
    system: IntArray
    item: IntArray
    systems: tuple[str, ...]
    n_rescored: int

    def place_of(
        self, table: Mapping[str, NDArray[Any]], columns: JudgeColumns, used: NDArray[np.bool_]
    ) -> IntArray:
        keys = [key for key, is_used in zip(_keys(table, columns), used, strict=True) if is_used]
        places = [self.keys.get(key, -1) for key in keys]
        if -1 in places:
            lost = keys[places.index(-1)]
            raise InputError(
                where=f"scores, column {columns.judge!r}",
                found=f"no score of {' '.join(part for part in lost if part != ALL)!r}, "
                f"{places.count(-1)} labelled outputs without one",
                needed="the judge's score of every output that was labelled",
                cure="Score them, or leave their labels out.",
            )
        return np.array(places, dtype=np.int64)

    def column(
        self,
        table: Mapping[str, NDArray[Any]],
        pool: Mapping[str, NDArray[Any]],
        columns: JudgeColumns,
        name: str,
    ) -> NDArray[Any]:
        """Return a column's value for each output, from whichever table has it."""
        found = np.full(len(self.keys), "", dtype=object)
        for source in (each for each in (table, pool) if name in each):
            rows = zip(_keys(source, columns), source[name].tolist(), strict=True)
            for key, value in ((key, value) for key, value in rows if key in self.keys):
                found[self.keys[key]] = found[self.keys[key]] if value is None else str(value)
        return found

    def cluster(
        self,
        table: Mapping[str, NDArray[Any]],
        pool: Mapping[str, NDArray[Any]],
        columns: JudgeColumns,
    ) -> IntArray:
        if columns.cluster is None:
            return self.item
        names = self.column(table, pool, columns, columns.cluster)
        # An item without a cluster is one by itself.
        own = [name or f"\0{item}" for name, item in zip(names, self.item, strict=True)]
        return np.unique(np.array(own), return_inverse=True)[1]


def _outputs(
    table: Mapping[str, NDArray[Any]],
    pool: Mapping[str, NDArray[Any]],
    columns: JudgeColumns,
    has_judge: bool,
    levels: Sequence[str] | None,
) -> _Outputs:
    sources = [pool] if pool is table or not has_judge else [pool, table]
    keys: dict[tuple[str, str], int] = {}
    sums: list[float] = []
    counts: list[int] = []
    for place, source in enumerate(sources):
        where = "labels" if source is table else "scores"
        numbers = _numbers(source[columns.judge], levels, where, columns.judge)
        for key, score in zip(_keys(source, columns), numbers.tolist(), strict=True):
            if not np.isfinite(score):
                continue
            if key not in keys:
                keys[key] = len(keys)
                sums.append(0.0)
                counts.append(0)
            elif place:
                continue  # what the table of scores says of an output counts
            sums[keys[key]] += score
            counts[keys[key]] += 1
    if not keys:
        raise InputError(
            where=f"column {columns.judge!r}",
            found="no score of the judge",
            needed="a number for every output",
            cure="Name the column that holds the judge's score: judge=...",
        )
    systems = tuple(dict.fromkeys(system for system, _ in keys))
    codes = {name: code for code, name in enumerate(systems)}
    _, item = np.unique(np.array([name for _, name in keys]), return_inverse=True)
    # Several labels repeat the row of one score; only different tables of scores re-score.
    n_rescored = 0 if pool is table else int(np.sum(np.array(counts) > 1))
    return _Outputs(
        keys=keys,
        score=np.array(sums) / np.array(counts),
        system=np.array([codes[system] for system, _ in keys], dtype=np.int64),
        item=item.astype(np.int64),
        systems=systems,
        n_rescored=n_rescored,
    )


def _scores(scores: Any, columns: JudgeColumns) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - any frame
    optional = [columns.cluster, columns.segment]
    present = frame_column_names(scores)
    names = [columns.item, columns.judge, *([columns.system] if columns.system else [])]
    names += [each for each in optional if each is not None and each in present]
    return frame_columns(scores, names, where="scores")


def _keys(table: Mapping[str, NDArray[Any]], columns: JudgeColumns) -> list[tuple[str, str]]:
    items = [_name(each) for each in table[columns.item].tolist()]
    if columns.system is None:
        return [(ALL, item) for item in items]
    return list(zip((_name(each) for each in table[columns.system].tolist()), items, strict=True))


def _name(value: object) -> str:
    """Return a name; 7.0 and 7 are the same item in two tables."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _numbers(
    column: NDArray[Any], levels: Sequence[str] | None, where: str, name: str
) -> FloatArray:
    """Return labels as numbers: ordered levels count from 1, words of approval are 1 and 0."""
    place = f"{where}, column {name!r}"
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    known = (
        _WORDS
        if levels is None
        else {str(each).strip().lower(): float(rank) for rank, each in enumerate(levels, start=1)}
    )
    gaps = missing_values(column)
    texts = [str(each).strip().lower() for each in column.tolist()]
    if all(gap or not text or text in known for gap, text in zip(gaps, texts, strict=True)):
        return np.array(
            [
                np.nan if gap or not text else known[text]
                for gap, text in zip(gaps, texts, strict=True)
            ]
        )
    empty = [None if gap or not text else text for gap, text in zip(gaps, texts, strict=True)]
    return as_numbers(
        np.array([np.nan if each is None else each for each in empty], dtype=object),
        where=place,
        cure="Give numbers, pass and fail, or name the levels from worst to best: levels=...",
    )


def _require_labels(is_labelled: NDArray[np.bool_], columns: JudgeColumns) -> None:
    if is_labelled.sum() < 2:
        raise InputError(
            where=f"labels, column {columns.label!r}",
            found=f"{int(is_labelled.sum())} labels",
            needed="at least two, better hundreds",
            cure="Name the column that holds people's labels: label=...",
        )


def _without_gaps(
    table: Mapping[str, NDArray[Any]],
    columns: JudgeColumns,
    is_labelled: NDArray[np.bool_],
    missing: str,
) -> NDArray[np.bool_]:
    """Mark labels whose item, rater, system or bias column is empty; refuse or drop them."""
    bad = np.zeros(len(is_labelled), dtype=bool)
    first = ""
    for name in (columns.item, columns.rater, columns.system, *columns.bias):
        if name is None:
            continue
        gaps = missing_values(table[name]) & is_labelled
        first = first or (name if gaps.any() else "")
        bad |= gaps
    if not bad.any():
        return bad
    if missing == "error":
        raise InputError(
            where=f"labels, column {first!r}",
            found=f"{int(bad.sum())} labels with a gap in their row",
            needed="a value in every row that has a label",
            cure="Fill them in, or leave these rows out by name: missing='drop'.",
        )
    announce(f"labels: {int(bad.sum())} labels left out, values missing.", DroppedRowsWarning)
    return bad
