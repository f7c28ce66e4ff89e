"""Do the items of the questionnaire hang together?

In: `Answers` with usefulness and intent. Out: rank correlations with intervals. Absent: factor
models.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from howgood.records.answers import Answers
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray

_PAIRS = (
    ("T1", "rating", "usefulness"),
    ("T2", "usefulness", "intent"),
    ("", "rating", "ease"),
    ("", "ease", "usefulness"),
)
_GROUPS = 50


def item_correlations(answers: Answers) -> Table | None:
    """Return Spearman correlations of the items that were asked, None when fewer than two were.

    Rows of one person are not independent, so the standard error leaves out people, a group at a
    time (delete-a-group jackknife); rows without either answer are left out. `lower` and `upper`
    are a 95 % interval: Student's t with one degree of freedom less than there are groups (people,
    up to 50), since few people tell little about their own spread.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import ask
    >>> answers = ask.read_answers(
    ...     {"participant": ["a", "b", "c"], "application": ["x"] * 3, "precision": [1.0] * 3,
    ...      "recall": [0.5, 0.7, 1.0], "rating": [2, 4, 7], "usefulness": [1, 3, 6]}
    ... )
    >>> item_correlations(answers)["spearman"].tolist()
    [1.0]
    """
    asked = [(test, a, b) for test, a, b in _PAIRS if a in answers and b in answers]
    if not asked:
        return None
    _, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    correlations = [_correlation(answers[a], answers[b], person) for _, a, b in asked]
    return Table(
        {
            "test": np.array([test for test, _, _ in asked], dtype=object),
            "first": np.array([a for _, a, _ in asked], dtype=object),
            "second": np.array([b for _, _, b in asked], dtype=object),
            "spearman": np.array([correlation.rho for correlation in correlations]),
            "se": np.array([correlation.se for correlation in correlations]),
            "lower": np.array(
                [max(correlation.rho - correlation.reach, -1.0) for correlation in correlations]
            ),
            "upper": np.array(
                [min(correlation.rho + correlation.reach, 1.0) for correlation in correlations]
            ),
            "n_rows": np.array([correlation.n_rows for correlation in correlations]),
        }
    )


def correlations_by_part(answers: Answers) -> Table | None:
    """Return `item_correlations` of each part of a study; None where no part has two items."""
    table_rows = []
    for part in sorted(set(answers["part"].astype(str).tolist())):
        here = answers["part"].astype(str) == part
        mine = Answers(
            {name: values[here] for name, values in answers.items()}, provenance=answers.provenance
        )
        rows = item_correlations(mine)
        table_rows += [{"part": part, **row} for row in rows.rows()] if rows is not None else []
    return table_of_rows([row for row in table_rows if row["n_rows"]])


def table_of_rows(rows: Sequence[Mapping[str, Any]] | None) -> Table | None:
    """Return rows as a table; None where there are none."""
    return Table({name: [row[name] for row in rows] for name in rows[0]}) if rows else None


class _Correlation(NamedTuple):
    rho: float
    se: float
    reach: float  # to either side, at 95 %
    n_rows: int


def _correlation(first: FloatArray, second: FloatArray, person: NDArray[np.intp]) -> _Correlation:
    both = np.isfinite(first) & np.isfinite(second)
    first, second, group = first[both], second[both], person[both] % _GROUPS
    rho = _spearman(first, second)
    groups = np.unique(group)
    if groups.size < 3:
        return _Correlation(rho, float("nan"), float("nan"), int(both.sum()))
    left_out = np.array([_spearman(first[group != g], second[group != g]) for g in groups])
    spread = (groups.size - 1) / groups.size * float(np.sum((left_out - left_out.mean()) ** 2))
    se = float(np.sqrt(spread))
    reach = float(stdtrit(groups.size - 1, 0.975)) * se
    return _Correlation(rho, se, reach, int(both.sum()))


def _spearman(first: FloatArray, second: FloatArray) -> float:
    a, b = _ranks(first), _ranks(second)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 0 else float("nan")


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks, ties sharing their average."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse], dtype=np.float64)
