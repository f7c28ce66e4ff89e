"""Tables of alternatives by criteria, and the pairs that people can be asked about.

In: a frame with a row per alternative, and what its columns mean. Out: `CriteriaTable`, and a bank
of pairs as they are displayed. Absent: which pair to ask next (`criteria`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, MissingValueError
from howgood.records.criteria import Alternative, CriteriaTable, Criterion
from howgood.records.table import as_numbers, frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray

WHERE = "elicit_criteria"
MOST_CRITERIA, MOST_ALTERNATIVES = 8, 200
# How far apart the two sides of an imagined pair may be, as shares of the range.
_SIZES = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
_STEPS_PER_RANGE = 50
# Of a range: what can be seen at all, and what makes the better side clear.
_VISIBLE, _CLEAR = 1e-9, 0.15
_SD_ENDINGS = ("_sd", "_se", "_std")

Criteria = Mapping[str, str | Mapping[str, str] | Criterion]


def criteria_table(
    table: Any,  # noqa: ANN401 - any frame, or a mapping of columns
    *,
    criteria: Criteria,
    name: str | None = None,
) -> CriteriaTable:
    """Return alternatives by criteria from a frame; columns such as quality_sd are its errors."""
    if isinstance(table, CriteriaTable):
        return table
    columns = frame_column_names(table)
    known = [
        _criterion(criterion, said, columns) for criterion, said in _checked_criteria(criteria)
    ]
    named = _name_column(name, columns, known)
    wanted = [criterion.name for criterion in known] + [
        criterion.sd for criterion in known if criterion.sd
    ]
    read = frame_columns(table, [*([named] if named else []), *wanted], where=WHERE)
    scores = np.column_stack(
        [_numbers(read[criterion.name], criterion.name) for criterion in known]
    )
    zeros = np.zeros(len(scores))
    sds = np.column_stack(
        [
            _numbers(read[criterion.sd], criterion.sd) if criterion.sd else zeros
            for criterion in known
        ]
    )
    names = (
        [str(value) for value in read[named].tolist()]
        if named
        else [f"alternative {row + 1}" for row in range(len(scores))]
    )
    made = CriteriaTable(names=tuple(names), criteria=tuple(known), scores=scores, sds=sds)
    check_table(made)
    return made


def _checked_criteria(criteria: Criteria) -> list[tuple[str, str | Mapping[str, str] | Criterion]]:
    if not isinstance(criteria, Mapping) or not 2 <= len(criteria) <= MOST_CRITERIA:
        found = f"{len(criteria)} criteria" if isinstance(criteria, Mapping) else repr(criteria)
        raise InputError(
            where=WHERE,
            found=f"{found:.100}",
            needed=f"from 2 to {MOST_CRITERIA} criteria, each with its direction",
            cure='Pass for instance criteria={"quality": "max", "price": "min"}.',
        )
    return [(str(name), said) for name, said in criteria.items()]


def _criterion(
    name: str, said: str | Mapping[str, str] | Criterion, columns: Sequence[str]
) -> Criterion:
    if isinstance(said, Criterion):
        return said
    given = {"direction": said} if isinstance(said, str) else dict(said)
    known = {field.name for field in fields(Criterion)} - {"name"}
    if set(given) - known or "direction" not in given:
        raise InputError(
            where=f"criterion {name!r:.60}",
            found=f"{sorted(map(str, given))}",
            needed=f"a direction, and perhaps {', '.join(sorted(known - {'direction'}))}",
            cure='Write "max" or "min", or {"direction": "max", "unit": "%"}.',
        )
    near = next((name + end for end in _SD_ENDINGS if name + end in columns), "")
    return Criterion(name=name, **{"sd": near, **given})  # type: ignore[arg-type] # checked above


def _name_column(
    name: str | None, columns: Sequence[str], criteria: Sequence[Criterion]
) -> str | None:
    """Return the column of names: the one given, else the first that is no criterion."""
    if name is not None:
        return name
    used = {criterion.name for criterion in criteria} | {criterion.sd for criterion in criteria}
    return next((column for column in columns if column not in used), None)


def _numbers(values: NDArray[Any], column: str) -> FloatArray:
    numbers = as_numbers(values, where=f"{WHERE}, column {column!r}")
    bad = ~np.isfinite(numbers)
    if bad.any():
        raise MissingValueError(
            where=WHERE,
            column=column,
            n_missing=int(bad.sum()),
            n_rows=numbers.size,
            first=int(np.argmax(bad)),
        )
    return numbers


def check_table(table: CriteriaTable) -> None:
    """Refuse alternatives among which nothing can be chosen by these criteria."""
    n = len(table.names)
    if not 2 <= n <= MOST_ALTERNATIVES or len(set(table.names)) < n:
        repeated = len(set(table.names)) < n
        raise InputError(
            where=WHERE,
            found="two alternatives of the same name" if repeated else f"{n} alternative(s)",
            needed=f"from 2 to {MOST_ALTERNATIVES} alternatives, each with a name of its own",
            cure="Name the column of names with name=, or leave rows out.",
        )
    for place, criterion in enumerate(table.criteria):
        scores = table.scores[:, place]
        if np.ptp(scores) == 0:
            raise InputError(
                where=f"{WHERE}, column {criterion.name!r}",
                found=f"{criterion.shown(float(scores[0]))} for every alternative",
                needed="criteria in which the alternatives differ: others decide nothing",
                cure="Leave it out.",
            )
        if (table.sds[:, place] < 0).any() or (criterion.scale == "log" and scores.min() <= 0):
            is_sd = bool((table.sds[:, place] < 0).any())
            raise InputError(
                where=f"{WHERE}, column {criterion.sd if is_sd else criterion.name!r}",
                found="a negative standard deviation" if is_sd else "scores of 0 or below",
                needed="0 or more" if is_sd else "positive scores on a logarithmic scale",
                cure="Correct it." if is_sd else 'Use scale "linear".',
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairsOfAlternatives:
    """Every pair that can be asked, as displayed; rows of `alternatives` by index.

    `pairs` are trade-offs to learn from, imagined ones first; `real` marks those between two
    alternatives of the table; `catches` have a clearly better first side.
    """

    alternatives: tuple[Alternative, ...]
    features: FloatArray
    pairs: NDArray[np.int64]
    real: NDArray[np.bool_]
    catches: NDArray[np.int64]

    def numbers(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a number per pair that does not depend on its sides."""
        ends = np.sort(pairs, axis=1)
        return np.asarray(ends[:, 0] * len(self.alternatives) + ends[:, 1])

    def differences(self, pairs: NDArray[np.int64]) -> FloatArray:
        """Return the features of first minus second."""
        return np.asarray(self.features[pairs[:, 0]] - self.features[pairs[:, 1]])


def real_pairs_of(table: CriteriaTable) -> PairsOfAlternatives:
    """Return the pairs between the alternatives of a table themselves, one row per alternative."""
    features = table.features(table.scores)
    one, other = np.triu_indices(len(features), k=1)
    gaps = features[one] - features[other]
    best, worst = gaps.max(axis=1), gaps.min(axis=1)
    is_trade_off = (best > _VISIBLE) & (worst < -_VISIBLE)
    if not is_trade_off.any():
        raise InputError(
            where=WHERE,
            found=f"{len(features)} systems without a trade-off between them",
            needed="systems of which none is best on everything",
            cure="Add systems, for instance other thresholds.",
        )
    catches = [
        np.column_stack(sides)[clear]
        for sides, clear in (
            ((one, other), (worst >= -_VISIBLE) & (best > _CLEAR)),
            ((other, one), (best <= _VISIBLE) & (worst < -_CLEAR)),
        )
    ]
    pairs = np.column_stack([one, other])[is_trade_off]
    return PairsOfAlternatives(
        alternatives=tuple(
            Alternative(
                name=name,
                values=dict(
                    zip([criterion.name for criterion in table.criteria], row, strict=True)
                ),
            )
            for name, row in zip(table.names, table.scores.tolist(), strict=True)
        ),
        features=features,
        pairs=pairs,
        real=np.ones(len(pairs), dtype=bool),
        catches=np.concatenate(catches),
    )


def pairs_of(table: CriteriaTable) -> PairsOfAlternatives:
    """Return the pairs of a table: imagined ones that differ in two criteria, and its own."""
    shown: list[FloatArray] = []
    pairs: list[tuple[int, int]] = []
    catches: list[tuple[int, int]] = []
    middle = _levels(table, np.full(len(table.criteria), 0.5))
    for one, other in combinations(range(len(table.criteria)), 2):
        for sides in _trade_offs(table, middle, one, other):
            pairs += _added(shown, table, sides, is_trade_off=True)
        sides = _imagined(table, middle, {one: 0.5, other: 0.5})
        catches += _added(shown, table, sides, is_trade_off=False)
    n_imagined = len(pairs)
    rounded = _rounded(table, table.scores)
    for one, other in combinations(range(len(table.names)), 2):
        pairs += _added(shown, table, (rounded[one], rounded[other]), is_trade_off=True)
    names = [*[""] * (2 * (n_imagined + len(catches))), *_real_names(table, rounded)]
    scores = np.array(shown)
    return PairsOfAlternatives(
        alternatives=tuple(
            Alternative(
                name=name,
                values={
                    criterion.name: float(value)
                    for criterion, value in zip(table.criteria, row, strict=True)
                },
            )
            for name, row in zip(names, shown, strict=True)
        ),
        features=table.features(scores),
        pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
        real=np.arange(len(pairs)) >= n_imagined,
        catches=np.array(catches, dtype=np.int64).reshape(-1, 2),
    )


def _trade_offs(
    table: CriteriaTable, middle: FloatArray, one: int, other: int
) -> list[tuple[FloatArray, FloatArray]]:
    """Return imagined pairs that differ in two criteria, each once: some look alike as rounded."""
    imagined = [
        _imagined(table, middle, {one: gap, other: -second})
        for gap, second in product(_SIZES, repeat=2)
    ]
    return list({(tuple(sides[0]), tuple(sides[1])): sides for sides in imagined}.values())


def _real_names(table: CriteriaTable, rounded: FloatArray) -> list[str]:
    """Return the names of both sides of every real pair, as `pairs_of` adds them."""
    names: list[str] = []
    for one, other in combinations(range(len(table.names)), 2):
        if _added([], table, (rounded[one], rounded[other]), is_trade_off=True):
            names += [table.names[one], table.names[other]]
    return names


def _imagined(
    table: CriteriaTable, middle: FloatArray, gaps: Mapping[int, float]
) -> tuple[FloatArray, FloatArray]:
    """Return two alternatives that differ by these shares of the range, around its middle."""
    sides = []
    for sign in (0.5, -0.5):
        shares = np.full(len(table.criteria), 0.5)
        for place, gap in gaps.items():
            shares[place] += sign * gap
        levels = _levels(table, shares)
        sides.append(np.where([place in gaps for place in range(levels.size)], levels, middle))
    return sides[0], sides[1]


def _added(
    shown: list[FloatArray],
    table: CriteriaTable,
    sides: tuple[FloatArray, FloatArray],
    *,
    is_trade_off: bool,
) -> list[tuple[int, int]]:
    """Keep a pair whose sides look different and are, or are not, a trade-off."""
    gaps = table.features(sides[0]) - table.features(sides[1])
    better, worse = gaps.max() > 1e-9, gaps.min() < -1e-9
    if not (better and worse if is_trade_off else better and not worse):
        return []
    shown += list(sides)
    return [(len(shown) - 2, len(shown) - 1)]


def _levels(table: CriteriaTable, shares: FloatArray) -> FloatArray:
    """Return the scores at these shares of the way from worst to best, as displayed."""
    low, high = table.lowest, table.highest
    up = np.where(
        [criterion.direction == "max" for criterion in table.criteria], shares, 1.0 - shares
    )
    logs = np.array([criterion.scale == "log" for criterion in table.criteria])
    ratio = np.where(logs, high / np.where(logs, low, 1.0), 1.0)
    scores = np.where(logs, low * ratio**up, low + up * (high - low))
    return _rounded(table, scores)


def _rounded(table: CriteriaTable, scores: FloatArray) -> FloatArray:
    """Round to what people can read: steps of 1, 2 or 5 that a range has about fifty of.

    On a logarithmic scale three digits are kept instead.
    """
    columns = []
    for place, criterion in enumerate(table.criteria):
        own, values = table.scores[:, place], np.atleast_2d(scores)[:, place]
        if criterion.scale == "log":
            columns.append([float(f"{value:.3g}") for value in values.tolist()])
            continue
        step = _step(float(np.ptp(own)))
        if np.all(own == np.round(own)):
            step = max(step, 1.0)
        # Rounded once more: 3 * 0.1 is displayed as 0.3.
        columns.append([float(f"{round(value / step) * step:.12g}") for value in values.tolist()])
    made = np.array(columns).T
    return np.asarray(made if np.ndim(scores) == 2 else made[0])


def _step(width: float) -> float:
    rough = width / _STEPS_PER_RANGE
    power = 10.0 ** np.floor(np.log10(rough))
    return float(max(value * power for value in (1.0, 2.0, 5.0) if value * power <= rough * 1.0001))
