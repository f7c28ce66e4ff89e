"""Do the items of the questionnaire hang together, and how consistently do they measure one thing?

In: `Answers` with usefulness and intent; ratings, one column per item. Out: rank correlations with
intervals; `Reliability` (Cronbach's alpha, McDonald's omega). Absent: models with several factors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import stdtrit

from howgood.errors import InputError
from howgood.records.answers import Answers
from howgood.records.estimate import Estimate, Interval
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.records.table import Table, frame_columns
from howgood.stats.arrays import FloatArray

_PAIRS = (
    ("T1", "rating", "usefulness"),
    ("T2", "usefulness", "intent"),
    ("", "rating", "ease"),
    ("", "ease", "usefulness"),
)
_GROUPS = 50
_LEAST_ITEMS, _LEAST_FOR_OMEGA, _LEAST_GROUPS = 2, 3, 3
_PROBABILITY = 0.95


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
    if not both.any():
        return _Correlation(float("nan"), float("nan"), float("nan"), 0)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability(Shown):
    """How consistently items measure one thing, from 0 to 1.

    `alpha` is Cronbach's, `omega` McDonald's total omega of one factor; None where there are fewer
    than three items, or where no single factor fits. Intervals are over people.

    Stability: experimental
    """

    items: tuple[str, ...]
    alpha: Estimate
    omega: Estimate | None
    n_rows: int
    n_people: int
    provenance: Provenance = field(repr=False)


def reliability(
    answers: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    items: Sequence[str],
    participant: str = "participant",
) -> Reliability:
    r"""Return Cronbach's alpha and McDonald's omega of several items, with 95 % intervals.

    With k items, their variances s_i and the variance s of their sum,

    .. math:: \alpha = \frac{k}{k-1}\Big(1 - \frac{\sum_i s_i}{s}\Big), \qquad
              \omega = \frac{(\sum_i \lambda_i)^2}{(\sum_i \lambda_i)^2 + \sum_i \psi_i},

    where the loadings of one factor reproduce the covariances (minimum residuals) and psi is what
    is left of the variances. Rows of one person are not independent, so the intervals leave out
    people, a group at a time (delete-a-group jackknife of log(1 - alpha), Student's t).

    Parameters
    ----------
    answers : frame or dict of columns
        One row per person and thing rated. Rows without all of the items are left out and counted.
    items : sequence of str
        The columns of the items, all worded in the same direction.
    participant : str
        The column that names people.

    Returns
    -------
    Reliability

    Notes
    -----
    Stability: experimental

    References
    ----------
    Cronbach (1951); McDonald (1999); Bonett and Wright (2015), "Cronbach's alpha reliability:
    interval estimation, hypothesis testing, and sample size planning".

    Examples
    --------
    >>> rows = {"participant": ["a", "b", "c", "d"], "x": [1, 2, 3, 4], "y": [2, 2, 4, 4]}
    >>> round(reliability(rows, items=["x", "y"]).alpha.mean, 4)
    0.9412
    """
    if len(items) < _LEAST_ITEMS or len(set(items)) < len(items):
        raise InputError(
            where="items", found=f"{len(set(items))} different items", needed="two or more",
            cure="Name the columns of items that should measure the same thing.",
        )  # fmt: skip
    columns = frame_columns(answers, [participant, *items], where="answers")
    rated = _ratings(columns, items)
    whole = np.isfinite(rated).all(axis=1)
    dropped = {"not all items": int((~whole).sum())} if not whole.all() else {}
    rated, who = rated[whole], columns[participant][whole].astype(str)
    if len(rated) < 2 or not np.ptp(rated.sum(axis=1)):
        raise InputError(
            where="answers", found=f"{len(rated)} rows whose sums do not differ",
            needed="at least two rows that differ", cure="Ask more people.",
        )  # fmt: skip
    names, person = np.unique(who, return_inverse=True)
    omega = _estimated(rated, person, omega_of) if len(items) >= _LEAST_FOR_OMEGA else None
    return Reliability(
        items=tuple(items),
        alpha=_estimated(rated, person, alpha_of),
        omega=omega if omega is not None and np.isfinite(omega.mean) else None,
        n_rows=len(rated),
        n_people=len(names),
        provenance=Provenance(
            method="Cronbach's alpha; omega of one minimum-residual factor; jackknife over people",
            settings={"items": list(items), "groups": _GROUPS},
            rows_used=len(rated),
            rows_dropped=dropped,
        ),
    )


def _ratings(columns: Mapping[str, NDArray[Any]], items: Sequence[str]) -> FloatArray:
    try:
        return np.column_stack(
            [[np.nan if value is None else float(value) for value in columns[i]] for i in items]
        )
    except (TypeError, ValueError) as error:
        raise InputError(
            where="items", found=str(error), needed="numbers", cure="Code the ratings as numbers."
        ) from None


def alpha_of(rated: FloatArray) -> float:
    """Return Cronbach's alpha of ratings, one column per item."""
    k, total = rated.shape[1], float(rated.sum(axis=1).var(ddof=1))
    if total <= 0:
        return float("nan")
    alpha: float = k / (k - 1.0) * (1.0 - float(rated.var(axis=0, ddof=1).sum()) / total)
    return alpha


def omega_of(rated: FloatArray) -> float:
    """Return McDonald's omega of one factor; NaN where no single factor fits."""
    covariance = np.cov(rated, rowvar=False)
    if not np.all(np.diag(covariance) > 0):
        return float("nan")
    scale = np.sqrt(np.diag(covariance))
    above = np.triu_indices(len(covariance), 1)
    wanted = (covariance / np.outer(scale, scale))[above]
    start = np.full(len(scale), np.sqrt(max(float(wanted.mean()), 0.01)))
    fitted = least_squares(lambda loadings: np.outer(loadings, loadings)[above] - wanted, start)
    loadings = fitted.x * scale
    unique = np.diag(covariance) - loadings**2
    if np.any(unique < -1e-6 * np.diag(covariance)) or loadings.sum() == 0:
        return float("nan")
    common = float(loadings.sum() ** 2)
    omega: float = common / (common + float(np.maximum(unique, 0.0).sum()))
    return omega


def _estimated(
    rated: FloatArray, person: NDArray[np.intp], statistic: Callable[[FloatArray], float]
) -> Estimate:
    value, group = statistic(rated), person % _GROUPS
    groups = np.unique(group)
    lower, upper, sd = float("-inf"), 1.0, float("nan")
    kept = np.array(
        [statistic(rated[group != g]) for g in groups] if len(groups) >= _LEAST_GROUPS else []
    )
    if kept.size and value < 1.0 and np.all(kept < 1.0):
        logs = np.log1p(-kept)
        spread = float((kept.size - 1) / kept.size * np.sum((logs - logs.mean()) ** 2))
        reach = float(stdtrit(kept.size - 1, 0.5 + _PROBABILITY / 2)) * spread**0.5
        lower, upper = (float(1.0 - (1.0 - value) * np.exp(side * reach)) for side in (1, -1))
        sd = spread**0.5 * (1.0 - value)
    return Estimate(
        mean=value,
        sd=sd,
        interval=Interval(lower=lower, upper=upper, probability=_PROBABILITY, kind="quantile"),
        draws=np.empty(0),
        n_respondents=len(np.unique(person)),
    )
