"""How far raters agree: Krippendorff's alpha, self-agreement, and the ceiling they set.

In: a long table of item, rater, grade. Out: `RaterAgreement`. Absent: which system is better (see
`decide.rank_grades`).
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, check_one_of
from howgood.learn.label_ceilings import known_ceiling
from howgood.records.alike_names import announce_alike_columns
from howgood.records.estimate import Estimate
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import complete_rows
from howgood.records.provenance import Provenance, versions_of
from howgood.records.rater_agreement import RaterAgreement
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.rater_disagreement import (
    LEVELS,
    ValuePairs,
    alpha_draws,
    between_raters,
    two_way_variances,
    within_raters,
)

_WHERE = "grades"
_DRAWS = 4000


def rater_agreement(
    grades: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    item: str = "item",
    rater: str = "rater",
    grade: str = "grade",
    system: str | None = None,
    level: str = "ordinal",
    missing: str = "error",
    random_state: RandomState = 0,
) -> RaterAgreement:
    r"""Say how far raters agree, with each other and with themselves.

    .. math:: \alpha = 1 - \frac{D_o}{D_e},

    observed over expected disagreement: 1 is perfect agreement, 0 what chance would give. Any
    number of raters per item, with gaps.

    Parameters
    ----------
    grades : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per grade.
    item, rater, grade : str
        Columns: what was graded, who graded, and the grade.
    system : str, optional
        Column: whose output of the item was graded. Where several systems were, each one's output
        counts as an item of its own; without it they would pass for repeated grades of one thing.
    level : {"nominal", "ordinal", "interval", "ratio"}
        What differences between grades mean: none but that they differ; their order; their
        size; their size in proportion.
    missing : {"error", "drop"}
        What to do with rows holding a missing value.
    random_state : None, int or Generator
        For the draws behind the intervals.

    Returns
    -------
    RaterAgreement
        `.alpha` over different raters; `.self_agreement`, the same for grades that one rater gave
        to one item (None without any); `.ceiling` for any system; `.variance_shares`.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".

    Notes
    -----
    Several grades of one rater for one item share the weight of one in `.alpha`. With few raters
    the interval is wide, and rightly: other raters may agree less.

    Stability: experimental

    Examples
    --------
    >>> grades = {"item": [1, 1, 2, 2, 3, 3], "rater": ["a", "b"] * 3, "grade": [1, 1, 2, 2, 3, 2]}
    >>> round(rater_agreement(grades).alpha.mean, 3)
    0.778
    """
    check_one_of(level, LEVELS, where="level")
    named = [item, rater, grade, *([] if system is None else [system])]
    columns = frame_columns(grades, named, where=_WHERE)
    if level != "nominal":
        columns[grade] = _numbers(columns[grade], f"{_WHERE}, column {grade!r}")
    numbers = [] if level == "nominal" else [grade]
    kept, n_missing = complete_rows(columns, missing=missing, where=_WHERE, numbers=numbers)
    announce_alike_columns(kept, people=(rater, system), items=(item,), where=_WHERE)
    unit, who = (_codes(kept[name]) for name in (item, rater))
    if system is not None:
        outputs = np.column_stack([unit, _codes(kept[system])])
        unit = np.unique(outputs, axis=0, return_inverse=True)[1].ravel()
    values = _codes(kept[grade]).astype(np.float64) if level == "nominal" else kept[grade]
    _refuse_negative(values, level, f"{_WHERE}, column {grade!r}")
    generator, seed = generator_and_seed(random_state)
    ceiling_metric = "accuracy" if level in ("nominal", "ordinal") else "correlation"
    return RaterAgreement(
        level=level,
        alpha=_alpha(values, unit, who, level, generator),
        self_agreement=_self_agreement(values, unit, who, level, generator),
        ceiling=known_ceiling(ceiling_metric, kept[grade], unit, generator=generator),
        variance_shares={} if level == "nominal" else _shares(values, unit, who),
        n_items=int(unit.max()) + 1,
        n_raters=int(who.max()) + 1,
        n_grades=len(values),
        provenance=Provenance(
            method="Krippendorff's alpha; items and raters as samples",
            settings={
                "level": level,
                "draws": _DRAWS,
                "item": item,
                "rater": rater,
                "system": system,
            },
            seed=seed,
            rows_used=len(values),
            rows_dropped={"missing": n_missing} if n_missing else {},
            versions=versions_of("numpy"),
        ),
    )


def _numbers(column: NDArray[Any], where: str) -> FloatArray:
    return as_numbers(column, where=where, cure="Say level='nominal'.")


def _codes(column: NDArray[Any]) -> IntArray:
    return codes_of(column, distinct(column, where=_WHERE), where=_WHERE)


def _refuse_negative(values: FloatArray, level: str, where: str) -> None:
    if level == "ratio" and (values < 0).any():
        raise InputError(
            where=where,
            found="grades below zero, and level='ratio'",
            needed="grades of 0 or more, whose proportions mean something",
            cure="Say level='interval'.",
        )


def _alpha(
    values: FloatArray, unit: IntArray, who: IntArray, level: str, generator: np.random.Generator
) -> Estimate:
    pairs = between_raters(values, unit, who)
    if not len(pairs.first):
        raise InputError(
            where=_WHERE,
            found="no item graded by two raters",
            needed="items that several raters graded",
            cure="Check the columns of items and raters, or have items graded again.",
        )
    return _estimate(pairs, level, generator)


def _self_agreement(
    values: FloatArray, unit: IntArray, who: IntArray, level: str, generator: np.random.Generator
) -> Estimate | None:
    """Return alpha of repeats, against the disagreement that all grades have with each other."""
    pairs = within_raters(values, unit, who)
    return _estimate(pairs, level, generator) if len(pairs.first) else None


def _estimate(pairs: ValuePairs, level: str, generator: np.random.Generator) -> Estimate:
    at = pairs.alpha(level)
    if np.isnan(at):
        raise InputError(
            where=_WHERE,
            found="the same grade in every row that can be compared",
            needed="grades that differ: else agreement cannot be distinguished from chance",
            cure="Check the column of grades.",
        )
    drawn = alpha_draws(pairs, level, draws=_DRAWS, generator=generator)
    estimate = Estimate.from_draws(drawn, kind="quantile")
    return replace(estimate, mean=at, n_respondents=pairs.n_raters)


def _shares(values: FloatArray, unit: IntArray, who: IntArray) -> dict[str, float]:
    parts = [max(part, 0.0) for part in two_way_variances([values], unit, who)]
    total = sum(parts)
    names = ("items", "raters", "rest")
    return {
        name: part / total if total > 0 else 0.0 for name, part in zip(names, parts, strict=True)
    }
