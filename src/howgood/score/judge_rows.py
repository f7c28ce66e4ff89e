"""Labels of people and scores of a judge, out of tables; and whether the judge agrees with people.

In: a table of labels, perhaps one of scores, and their column names. Out: `JudgeRows`, arrays of
codes and numbers; `JudgeAgreement`, and a table of what the error of the judge goes along with.
Absent: correcting the judge (see `score.judging`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.ask.intake import is_gap
from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.records.alike_names import announce_alike_columns
from howgood.records.estimate import Estimate, Interval
from howgood.records.judged import JudgeAgreement
from howgood.records.levels import VERDICT_WORDS, announce_cut, missing_values
from howgood.records.missing import blank_values, check_policy
from howgood.records.table import Table, as_numbers, check_sizes, frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import clustered_variance, half_width
from howgood.stats.few_items import rate_ends

ALL = "all"
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
    names = (
        [column for column in wanted if column is not None] + list(columns.bias) + [columns.label]
    )
    table = frame_columns(labels, names + [columns.judge] * has_judge, where="labels")
    pool = table if scores is None else _scores(scores, columns)
    value = _numbers(table[columns.label], levels, "labels", columns.label)
    check_sizes(value, where=f"labels, column {columns.label!r}")
    is_labelled = np.isfinite(value)
    _require_labels(is_labelled, columns)
    dropped = _without_gaps(table, columns, is_labelled, missing)
    is_labelled &= ~dropped
    _announce_alike(table, is_labelled, columns)
    outputs = _outputs(table, pool, columns, has_judge, levels)
    place = outputs.place_of(table, columns, is_labelled)
    value = value[is_labelled]
    if cut is not None:
        announce_cut(value, cut)
        value = (value >= cut).astype(np.float64)
    segment = None
    if columns.segment is not None:
        segment = outputs.column(table, pool, columns, columns.segment)
    return JudgeRows(
        value=value,
        output=place,
        rater=_raters(table, is_labelled, columns),
        score=outputs.score,
        system=outputs.system,
        item=outputs.item,
        cluster=outputs.cluster(table, pool, columns),
        systems=outputs.systems,
        segment=segment,
        bias={name: table[name][is_labelled] for name in columns.bias},
        dropped={"missing value": int(dropped.sum())} if dropped.any() else {},
        n_rescored=outputs.n_rescored,
    )


def _raters(
    table: Mapping[str, NDArray[Any]], is_labelled: NDArray[np.bool_], columns: JudgeColumns
) -> IntArray | None:
    if columns.rater is None:
        return None
    return np.unique(table[columns.rater][is_labelled].astype(str), return_inverse=True)[1]


def _announce_alike(
    table: Mapping[str, NDArray[Any]], is_labelled: NDArray[np.bool_], columns: JudgeColumns
) -> None:
    people, items = (columns.rater, columns.system), (columns.item, columns.cluster)
    labelled = {name: table[name][is_labelled] for name in (*people, *items) if name is not None}
    announce_alike_columns(labelled, people=people, items=items, where="labels")


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
        cells = np.full(len(self.keys), "", dtype=object)
        for source in (one_table for one_table in (table, pool) if name in one_table):
            rows = zip(_keys(source, columns), source[name].tolist(), strict=True)
            for key, value in ((key, value) for key, value in rows if key in self.keys):
                cells[self.keys[key]] = cells[self.keys[key]] if value is None else str(value)
        return cells

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
        check_sizes(numbers, where=f"{where}, column {columns.judge!r}")
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
    names += [column for column in optional if column is not None and column in present]
    return frame_columns(scores, names, where="scores")


def _keys(table: Mapping[str, NDArray[Any]], columns: JudgeColumns) -> list[tuple[str, str]]:
    items = [_name(value) for value in table[columns.item].tolist()]
    if columns.system is None:
        return [(ALL, item) for item in items]
    return list(zip((_name(value) for value in table[columns.system].tolist()), items, strict=True))


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
        VERDICT_WORDS
        if levels is None
        else {str(level).strip().lower(): float(rank) for rank, level in enumerate(levels, start=1)}
    )
    texts = [
        "" if is_missing else str(value).strip().lower()
        for value, is_missing in zip(column.tolist(), missing_values(column), strict=True)
    ]
    # What is a level is never a gap: levels may be called none, some and all.
    filled = [text if text in known or not is_gap(text) else None for text in texts]
    if all(text is None or text in known for text in filled):
        return np.array([np.nan if text is None else known[text] for text in filled])
    numbers: FloatArray = np.zeros(0)
    # Among words that are known, the first that is not is shown.
    others = [None if text in known else text for text in filled]
    for cells in (others, filled):
        numbers = as_numbers(
            np.array([np.nan if text is None else text for text in cells], dtype=object),
            where=place,
            cure="Give numbers, pass and fail, or name the levels from worst to best: levels=...",
        )
    return numbers


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
        gaps = blank_values(table[name]) & is_labelled
        first = first or (name if gaps.any() else "")
        bad |= gaps
    if not bad.any():
        return bad
    if missing == "error":
        raise InputError(
            where=f"labels, column {first!r}",
            found=f"{int(bad.sum())} labels with a gap in their row",
            needed="a value in every row that has a label",
            cure="Fill them in, or leave these rows out: missing='drop'.",
        )
    announce(f"labels: {int(bad.sum())} labels left out, values missing.", DroppedRowsWarning)
    return bad


# Does a judge agree with people as well as people do, and what sways it?

_MOST_LEVELS = 12
_SAME = 1e-12
# Of an output with very many labels, so many neighbours of each are paired with it.
_MOST_NEIGHBOURS = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """Two verdicts on the same output, each with the raters it rests on, and the pair's weight."""

    first: FloatArray
    second: FloatArray
    item: IntArray
    raters: tuple[IntArray, ...]
    weight: FloatArray


def agreement(rows: JudgeRows, *, judge_cut: float, probability: float) -> JudgeAgreement:
    """Compare the judge with people, people with each other, and people with themselves."""
    is_exact = rows.is_one_scale and rows.step > 0
    judged = _verdicts(rows, judge_cut) if is_exact else rows.score
    item = rows.cluster[rows.output]
    who = () if rows.rater is None else (rows.rater,)
    n_labels = np.bincount(rows.output, minlength=len(rows.score))[rows.output]
    with_judge = _Pairs(
        first=judged[rows.output],
        second=rows.value,
        item=item,
        raters=who,
        weight=_shares(1.0 / n_labels),
    )
    each_other = None if rows.rater is None else _label_pairs(rows, same=False)
    themselves = None if rows.rater is None else _label_pairs(rows, same=True)
    known = [_measured(pairs, is_exact) for pairs in (with_judge, each_other, themselves)]
    colleague = None
    if known[0] is not None and known[1] is not None and each_other is not None:
        colleague = _gap(
            (with_judge, *known[0]), (each_other, *known[1]), probability, is_exact=is_exact
        )
    return JudgeAgreement(
        measure="exact agreement" if is_exact else "correlation",
        judge_people=_estimate(with_judge, known[0], is_exact, probability)
        or _unknown(probability),
        people_people=_estimate(each_other, known[1], is_exact, probability),
        people_themselves=_estimate(themselves, known[2], is_exact, probability),
        colleague=colleague,
    )


def _verdicts(rows: JudgeRows, judge_cut: float) -> FloatArray:
    """Return the judge's scores as labels: above the cut, or the nearest level."""
    if rows.is_binary:
        return (rows.score >= judge_cut).astype(np.float64)
    levels = np.unique(rows.value)
    nearest = np.abs(rows.score[:, None] - levels[None, :]).argmin(axis=1)
    verdicts: FloatArray = levels[nearest]
    return verdicts


def _label_pairs(rows: JudgeRows, *, same: bool) -> _Pairs | None:
    """Return all pairs of labels of one output by different raters, or by the same one."""
    if rows.rater is None:
        return None
    order = np.lexsort((rows.rater, rows.output))
    output, rater, value = rows.output[order], rows.rater[order], rows.value[order]
    firsts, seconds = [], []
    for away in range(1, min(_MOST_NEIGHBOURS, int(np.bincount(output).max()))):
        is_pair = output[away:] == output[:-away]
        is_pair &= (rater[away:] == rater[:-away]) == same
        place = np.nonzero(is_pair)[0]
        firsts.append(place)
        seconds.append(place + away)
    first = np.concatenate([*firsts, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    second = np.concatenate([*seconds, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    if len(first) < 2:
        return None
    per_output = np.bincount(output[first], minlength=len(rows.score))
    raters = (rater[first],) if same else (rater[first], rater[second])
    return _Pairs(
        first=value[first],
        second=value[second],
        item=rows.cluster[output[first]],
        raters=raters,
        weight=_shares(1.0 / per_output[output[first]]),
    )


def _shares(weight: FloatArray) -> FloatArray:
    shares: FloatArray = weight / weight.sum()
    return shares


def _measured(pairs: _Pairs | None, is_exact: bool) -> tuple[float, FloatArray] | None:
    """Return agreement and how far each pair moved it."""
    if pairs is None:
        return None
    if is_exact:
        equal = (pairs.first == pairs.second).astype(np.float64)
        share = float(pairs.weight @ equal)
        return share, pairs.weight * (equal - share)
    one, two = (_standard(side, pairs.weight) for side in (pairs.first, pairs.second))
    if one is None or two is None:
        return None
    correlation = float(pairs.weight @ (one * two))
    return correlation, pairs.weight * (one * two - correlation * (one**2 + two**2) / 2.0)


def _standard(values: FloatArray, weight: FloatArray) -> FloatArray | None:
    middle = float(weight @ values)
    spread = float(weight @ (values - middle) ** 2)
    return (values - middle) / np.sqrt(spread) if spread > 0 else None


def _estimate(
    pairs: _Pairs | None,
    known: tuple[float, FloatArray] | None,
    is_exact: bool,
    probability: float,
) -> Estimate | None:
    if pairs is None or known is None:
        return None
    value, moved = known
    variance, freedom = clustered_variance(moved, pairs.weight, pairs.item, pairs.raters)
    n_units = len(np.unique(pairs.item))
    variance += 1.0 / (n_units + 1.0) ** 2  # a step, as in `rectified_means`
    if is_exact:
        return student_estimate(value, variance, freedom, probability, trials=n_units)
    return student_estimate(value, variance, freedom, probability, ends=(-1.0, 1.0))


def _gap(
    one: tuple[_Pairs, float, FloatArray],
    other: tuple[_Pairs, float, FloatArray],
    level: float,
    *,
    is_exact: bool,
) -> Estimate:
    """Return the difference of two agreements that share items and raters."""
    pairs, value, moved = one
    others, their_value, their_moved = other
    nobody = np.full(len(pairs.item), -1)
    raters = [
        np.concatenate([mine, theirs])
        for mine, theirs in zip((pairs.raters[0], nobody), others.raters, strict=True)
    ]
    together = np.concatenate([moved, -their_moved])
    weight = np.concatenate([pairs.weight, others.weight]) / 2.0
    item = np.concatenate([pairs.item, others.item])
    variance, freedom = clustered_variance(together, weight, item, raters)
    # Two shares differ by one at most, two correlations by two.
    most = 1.0 if is_exact else 2.0
    return student_estimate(value - their_value, variance, freedom, level, ends=(-most, most))


def student_estimate(
    value: float,
    variance: float,
    freedom: float,
    probability: float,
    *,
    trials: float | None = None,
    ends: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    """Return an estimate by Student's t; `trials` says it is a rate over so many units."""
    half = half_width(variance, freedom, probability)
    if trials is None:
        lower, upper = max(value - half, ends[0]), min(value + half, ends[1])
    else:
        lower, upper = rate_ends(value, half, trials=trials, probability=probability)
    return Estimate(
        mean=value,
        sd=float(np.sqrt(variance)),
        interval=Interval(lower=lower, upper=upper, probability=probability, kind="quantile"),
        draws=np.zeros(0),
    )


def _unknown(probability: float) -> Estimate:
    """Return the correlation of a judge that says the same of everything."""
    interval = Interval(lower=-1.0, upper=1.0, probability=probability, kind="quantile")
    return Estimate(mean=0.0, sd=1.0, interval=interval, draws=np.zeros(0))


def bias_table(rows: JudgeRows, *, probability: float) -> Table | None:
    """Return what the judge's error goes along with: per sd of a number, per level of a text.

    The error is what the judge says less what people say of the same output; a judge on another
    scale is first put on that of the labels by a straight line. Raters' own means are taken off.
    """
    if not rows.bias:
        return None
    error = _error(rows)
    table_rows: list[tuple[str, str, int, float, float, float]] = []
    for name, column in rows.bias.items():
        for what, covariate in _covariates(column):
            slope, half = _slope(rows, error, covariate, probability)
            n = int(np.sum(covariate != 0)) if what != "per sd" else len(covariate)
            table_rows.append((name, what, n, slope, slope - half, slope + half))
    names = ("column", "what", "labels", "judge less people", "lower", "upper")
    return Table({name: [row[place] for row in table_rows] for place, name in enumerate(names)})


def _error(rows: JudgeRows) -> FloatArray:
    judged = rows.score[rows.output]
    if not rows.is_one_scale:
        spread = float(np.var(judged))
        slope = float(np.cov(judged, rows.value, bias=True)[0, 1]) / spread if spread > 0 else 0.0
        judged = rows.value.mean() + slope * (judged - judged.mean())
    return _around_raters(rows, judged - rows.value)


def _around_raters(rows: JudgeRows, values: FloatArray) -> FloatArray:
    """Take off each rater's mean; the common one of raters with a single label."""
    middle = np.full(len(values), values.mean())
    if rows.rater is not None:
        n = np.bincount(rows.rater)
        by_rater = np.bincount(rows.rater, weights=values) / n
        middle = np.where(n > 1, by_rater, values.mean())[rows.rater]
    around: FloatArray = np.asarray(values - middle, dtype=np.float64)
    return around


def _covariates(column: NDArray[Any]) -> Sequence[tuple[str, FloatArray]]:
    """Return a number in units of its sd, or one indicator less the others' for each level."""
    if column.dtype.kind in "iuf":
        values = column.astype(np.float64)
        spread = float(values.std())
        return [("per sd", (values - values.mean()) / spread)] if spread > 0 else []
    names = np.array([str(value) for value in column.tolist()])
    levels, counts = np.unique(names, return_counts=True)
    kept = levels[np.argsort(-counts, kind="stable")][:_MOST_LEVELS]
    return [(str(level), (names == level).astype(np.float64)) for level in kept]


def _slope(
    rows: JudgeRows, error: FloatArray, covariate: FloatArray, probability: float
) -> tuple[float, float]:
    """Return the slope of the error, and half the width of its interval."""
    x = _around_raters(rows, covariate)
    squares = float(x @ x)
    if squares <= _SAME * float(covariate @ covariate):
        return float("nan"), float("nan")  # it goes along with raters: nobody can tell which
    slope = float(x @ error) / squares
    moved = x * (error - error.mean() - slope * x) / squares
    weight = np.full(len(x), 1.0 / len(x))
    who = () if rows.rater is None else (rows.rater,)
    variance, freedom = clustered_variance(moved, weight, rows.cluster[rows.output], who)
    return slope, half_width(variance, freedom, probability)
