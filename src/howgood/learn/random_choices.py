"""Which feature is responsible for choices that look random?

In: rows with an outcome and the features of their context. Out: `ContextAgreement`. Absent: the
probabilities of outcomes (see `learn.outcomes`).

Two rows that are alike in all features but one agree less often where that one matters. All counts
are of pairs of rows, so that a context with one row says nothing. How far a gap is known follows
from leaving out one unit (a person, or a row) at a time: the jackknife, with Student's t.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from howgood.errors import InputError
from howgood.records.agreement_by_feature import ContextAgreement, FeatureAgreement
from howgood.records.estimate import Interval
from howgood.records.levels import as_column, codes_of, distinct
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.table import frame_columns
from howgood.stats.arrays import FloatArray, IntArray

_WHERE = "context_agreement"


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of rows in one context, those that agree, and both without each unit in turn."""

    all: float
    agreeing: float
    all_without: FloatArray
    agreeing_without: FloatArray

    def less(self, other: "_Pairs") -> "_Pairs":
        return _Pairs(
            self.all - other.all,
            self.agreeing - other.agreeing,
            self.all_without - other.all_without,
            self.agreeing_without - other.agreeing_without,
        )

    @property
    def share(self) -> float:
        return self.agreeing / self.all if self.all > 0 else float("nan")

    @property
    def shares_without(self) -> FloatArray:
        has_pairs = self.all_without > 0
        return np.where(
            has_pairs, self.agreeing_without / np.where(has_pairs, self.all_without, 1.0), np.nan
        )


def context_agreement(
    frame: Any,  # noqa: ANN401 - any supported frame, or a dict of columns
    *,
    outcome: str,
    context: Iterable[str],
    groups: str | None = None,
    probability: float = 0.95,
) -> ContextAgreement:
    r"""Say which feature people's choices depend on, before one is dropped from the context.

    Of two rows that are alike in all other features, the share with the same outcome is compared
    between those that share feature j and those that do not:

    .. math:: \text{gap}_j = P(y = y' \mid x = x') - P(y = y' \mid x_{-j} = x'_{-j}, x_j \ne x'_j).

    A large gap says that the outcome depends on the feature: without it in the context, that part
    of people's choices looks random. No gap says that it may be dropped, which brings more rows per
    context.

    Parameters
    ----------
    frame : frame
        pandas, Polars, PyArrow, DuckDB, Spark, or a dict of columns: one row per choice.
    outcome : str
        Column with the outcome that was chosen.
    context : list of str
        Features of the observed context, at least two.
    groups : str, optional
        Column that says whose row it is: people are then the sample, not rows. It may be one of the
        features.
    probability : float
        Of the intervals.

    Returns
    -------
    ContextAgreement
        `.table()`, and `.responsible`: the feature with the largest gap, if that is above 0.

    References
    ----------
    Gopalakrishna et al. (2013), "Relevance as a Metric for Evaluating Machine Learning
    Algorithms", section 3.1 (which drops the identity of the user by judgement).

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> rows = {"user": [*"aabbaabb"], "room": [*"xxxxyyyy"], "light": [*"11221122"]}
    >>> found = context_agreement(rows, outcome="light", context=["user", "room"])
    >>> found.responsible, found.features[0].same, found.features[0].differing
    ('user', 1.0, 0.0)
    """
    check_probability(probability, name="probability", where=_WHERE, such_as=0.95)
    names = list(dict.fromkeys(context))
    if len(names) < 2 or outcome in names:
        raise InputError(
            where=f"{_WHERE}, context",
            found="the outcome itself" if outcome in names else f"{len(names)} feature(s)",
            needed="at least two features, none of them the outcome",
            cure="Name the columns of the observed context.",
        )
    wanted = list(dict.fromkeys([*names, outcome, *([groups] if groups else [])]))
    columns = frame_columns(frame, wanted, where=_WHERE)
    codes = {name: _coded(columns[name], name) for name in wanted}
    n_rows = len(codes[outcome])
    unit = codes[groups] if groups else np.arange(n_rows)
    whole = _pairs(_joined([codes[name] for name in names]), codes[outcome], unit)
    features = [_feature(name, names, codes, outcome, unit, whole, probability) for name in names]
    return ContextAgreement(
        outcome=outcome,
        agreement=whole.share,
        features=tuple(sorted(features, key=_rank)),
        n_rows=n_rows,
        n_units=int(unit.max()) + 1,
        provenance=Provenance(
            method="agreement of pairs of rows; intervals by the jackknife over "
            + ("rows" if groups is None else f"groups ({groups})"),
            settings={"outcome": outcome, "context": names, "probability": probability},
            rows_used=n_rows,
        ),
    )


def _rank(feature: FeatureAgreement) -> float:
    return -feature.gap if np.isfinite(feature.gap) else np.inf


def _coded(column: Any, name: str) -> IntArray:  # noqa: ANN401 - any column
    where = f"{_WHERE}, column {name!r}"
    values = as_column(column, where=where)
    if len(values) < 2:
        raise InputError(
            where=_WHERE,
            found=f"{len(values)} rows",
            needed="at least two rows",
            cure="Give the rows themselves, one per choice.",
        )
    return codes_of(values, distinct(values, where=where), where=where).astype(np.int64)


def _joined(codes: list[IntArray]) -> IntArray:
    """Return one code per combination of several."""
    joined = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        joined = np.unique(joined * (int(code.max()) + 1) + code, return_inverse=True)[1].reshape(
            -1
        )
    return joined


def _pairs(context: IntArray, outcome: IntArray, unit: IntArray) -> _Pairs:
    both = _joined([context, outcome])
    n_units = int(unit.max()) + 1
    counted, without = zip(
        *(_counted(code, unit, n_units) for code in (context, both)), strict=True
    )
    return _Pairs(counted[0], counted[1], without[0], without[1])


def _counted(code: IntArray, unit: IntArray, n_units: int) -> tuple[float, FloatArray]:
    """Return pairs of rows with one code, and how many are left without each unit."""
    n = np.bincount(code).astype(np.float64)
    total = float(np.sum(n * (n - 1)))
    # Rows of a unit with one code: leaving them out takes m (2 n - m - 1) ordered pairs away.
    cells, first, m = np.unique(code * n_units + unit, return_index=True, return_counts=True)
    gone = m * (2 * n[code[first]] - m - 1)
    lost = np.bincount(cells % n_units, weights=gone, minlength=n_units)
    return total, np.asarray(total - lost)


def _feature(
    name: str,
    names: list[str],
    codes: dict[str, IntArray],
    outcome: str,
    unit: IntArray,
    whole: _Pairs,
    probability: float,
) -> FeatureAgreement:
    others = _joined([codes[other] for other in names if other != name])
    differing = _pairs(others, codes[outcome], unit).less(whole)
    sizes = np.bincount(others)
    gap = whole.share - differing.share
    return FeatureAgreement(
        feature=name,
        same=whole.share,
        differing=differing.share,
        gap=gap,
        interval=_interval(gap, whole.shares_without - differing.shares_without, probability),
        pairs_same=round(whole.all / 2),
        pairs_differing=round(differing.all / 2),
        rows_per_context=len(others) / len(sizes),
        singleton_share=float(np.mean(sizes == 1)),
    )


def _interval(gap: float, without: FloatArray, probability: float) -> Interval | None:
    """Return the jackknife's interval; None where a single unit decides whether there are pairs."""
    n = len(without)
    if n < 3 or not np.isfinite(gap) or not np.isfinite(without).all():
        return None
    variance = (n - 1) / n * float(np.sum((without - without.mean()) ** 2))
    half = float(stdtrit(n - 1.0, (1 + probability) / 2)) * float(np.sqrt(variance))
    return Interval(
        lower=max(gap - half, -1.0), upper=min(gap + half, 1.0), probability=probability,
        kind="quantile",
    )  # fmt: skip
