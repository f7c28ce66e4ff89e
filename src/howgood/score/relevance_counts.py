"""Counts from which the Relevance Score follows: one pass over a table of any size, parts add up.

In: a frame with contexts, actual and predicted outcomes. Out: `RelevanceSums`: how many rows each
context, actual and predicted outcome has, and from that the table of probabilities, the score, its
cases and the accuracy. Absent: intervals and baselines (`score.relevance_report`), which need rows.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, UnknownNameError
from howgood.learn.outcomes import checked_names, counted_choices, table_of_counts
from howgood.records.levels import codes_of, distinct, numbered
from howgood.records.outcomes import OutcomeTable
from howgood.records.provenance import Provenance, versions_of
from howgood.records.shown import Shown
from howgood.score.relevance import coded_rows, counted_rows, relevance_score
from howgood.score.relevance_reporting import CASES, case_codes
from howgood.stats.arrays import FloatArray

_WHERE = "relevance_sums"
_Unseen = Literal["exclude", "marginal"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RelevanceSums(Shown):
    """How many rows have each context, actual and predicted outcome; counts of parts add up.

    Attributes
    ----------
    outcome, predicted : str
        Columns of the actual and of the predicted outcome.
    context : tuple of str
        Columns of the context.
    cells : tuple of arrays
        The distinct combinations: one array per context column, then actual, then predicted.
    counts : array of shape (n_cells,)
        Rows of each combination.
    provenance : Provenance

    Notes
    -----
    Counts of two parts of the data add: `first + second`.

    Stability: experimental
    """

    outcome: str
    predicted: str
    context: tuple[str, ...]
    cells: tuple[NDArray[Any], ...] = field(repr=False)
    counts: FloatArray = field(repr=False)
    provenance: Provenance = field(repr=False)

    @property
    def n(self) -> int:
        """Rows counted."""
        return int(self.counts.sum())

    @property
    def accuracy(self) -> float:
        """Share of rows whose prediction is the actual outcome."""
        actual, predicted = self.cells[-2:]
        return float(self.counts[actual == predicted].sum() / self.counts.sum())

    def table(
        self, *, reference: Literal["all", "cross-fit"] = "all", smoothing: float = 0.0
    ) -> OutcomeTable:
        """Return P(outcome | context) of all rows counted, as `learn.outcome_probabilities` does.

        Examples
        --------
        >>> rows = {"room": [*"xxxxx"], "light": [*"AABBC"], "guess": [*"ABBBA"]}
        >>> sums = relevance_sums(rows, outcome="light", predicted="guess", context=["room"])
        >>> sums.table().lookup({"room": ["x"]})
        array([[0.4, 0.4, 0.2]])
        """
        if reference not in ("all", "cross-fit"):
            raise UnknownNameError(where="reference", name=reference, names=("all", "cross-fit"))
        columns = dict(zip((*self.context, self.outcome), self.cells[:-1], strict=True))
        return table_of_counts(
            columns,
            self.counts,
            self.counts,
            outcome=self.outcome,
            context=self.context,
            smoothing=smoothing,
            reference=reference,
            settings={"dropped": [], "weights": None},
        )

    def score(
        self,
        table: OutcomeTable | None = None,
        *,
        alpha: float = 2.0,
        beta: float = 1.0,
        unseen: _Unseen = "exclude",
    ) -> float:
        """Return the Relevance Score of all rows, by their own table or another one.

        Examples
        --------
        >>> rows = {"room": [*"xxxxx"], "light": [*"AABBC"], "guess": [*"ABBBA"]}
        >>> sums = relevance_sums(rows, outcome="light", predicted="guess", context=["room"])
        >>> round(sums.score(), 4), sums.accuracy
        (98.6667, 0.6)
        """
        return relevance_score(
            *self.cells[-2:],
            contexts=self._contexts(),
            table=self.table() if table is None else table,
            alpha=alpha,
            beta=beta,
            sample_weight=self.counts,
            unseen=_checked_unseen(unseen),
        )

    def cases(
        self,
        table: OutcomeTable | None = None,
        *,
        unseen: _Unseen = "exclude",
    ) -> dict[str, int]:
        """Return how many rows are of each case of the paper's Table 2.

        Examples
        --------
        >>> rows = {"room": [*"xxxxx"], "light": [*"AABBC"], "guess": [*"ABBBA"]}
        >>> sums = relevance_sums(rows, outcome="light", predicted="guess", context=["room"])
        >>> [(case[:1], n_rows) for case, n_rows in sums.cases().items() if n_rows]
        [('1', 3), ('2', 1), ('t', 1)]
        """
        coded = coded_rows(
            *self.cells[-2:],
            contexts=self._contexts(),
            table=self.table() if table is None else table,
            sample_weight=self.counts,
            unseen=_checked_unseen(unseen),
        )
        rows = coded.mismatch()
        rows.require_rows_of_the_table()
        codes = np.where(counted_rows(rows), case_codes(rows), 0)
        totals = np.bincount(codes, weights=self.counts, minlength=len(CASES))
        return {CASES[case]: int(totals[case]) for case in [*range(1, len(CASES)), 0]}

    def __add__(self, other: "RelevanceSums") -> "RelevanceSums":
        """Join the counts of two parts of the data."""
        mine, theirs = ((sums.context, sums.outcome, sums.predicted) for sums in (self, other))
        if mine != theirs:
            raise InputError(
                where="sums of relevance",
                found=f"columns {_columns_of(self)} and {_columns_of(other)}",
                needed="the same columns in both parts, in the same order",
                cure="Name the columns alike in both parts.",
            )
        names = (*self.context, self.outcome, self.predicted)
        joined = [
            _joined(one, more, name)
            for name, one, more in zip(names, self.cells, other.cells, strict=True)
        ]
        cells, counts = _distinct_cells(joined, np.concatenate([self.counts, other.counts]))
        used = int(counts.sum())
        dropped = Counter(self.provenance.rows_dropped) + Counter(other.provenance.rows_dropped)
        provenance = replace(self.provenance, rows_used=used, rows_dropped=dict(dropped))
        return replace(self, cells=cells, counts=counts, provenance=provenance)

    def _contexts(self) -> dict[str, NDArray[Any]]:
        return dict(zip(self.context, self.cells[:-2], strict=True))


def relevance_sums(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    outcome: str,
    predicted: str,
    context: Iterable[str],
) -> RelevanceSums:
    """Count what the Relevance Score needs, in one pass on any engine.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per choice and its prediction. Lazy frames are counted by their own engine, and one
        row per distinct combination comes back.
    outcome, predicted : str
        Columns: the outcome that was chosen, and the predicted one.
    context : list of str
        Columns that make up the observed context.

    Returns
    -------
    RelevanceSums
        With `score`, `cases`, `accuracy` and `table`; sums of parts add up.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> rows = {"room": [*"xxxxx"], "light": [*"AABBC"], "guess": [*"ABBBA"]}
    >>> sums = relevance_sums(rows, outcome="light", predicted="guess", context=["room"])
    >>> sums.n, len(sums.counts), round(sums.score(), 4)
    (5, 4, 98.6667)
    """
    names, _ = checked_names(frame, outcome, context, ())
    keys = [*names, outcome, predicted]
    columns, rows, _ = counted_choices(frame, list(dict.fromkeys(keys)), None, where=_WHERE)
    cells, counts = _distinct_cells([columns[name] for name in keys], rows)
    # Raises where one of them is text and the other numbers: all predictions would be wrong.
    codes_of(cells[-1], distinct(cells[-2], where=_WHERE), where=f"{_WHERE}, column {predicted!r}")
    return RelevanceSums(
        outcome=outcome,
        predicted=predicted,
        context=names,
        cells=cells,
        counts=counts,
        provenance=Provenance(
            method="rows of each context, actual and predicted outcome",
            rows_used=int(counts.sum()),
            versions=versions_of("numpy"),
        ),
    )


def _distinct_cells(
    columns: list[NDArray[Any]], counts: FloatArray
) -> tuple[tuple[NDArray[Any], ...], FloatArray]:
    """Return the distinct combinations of the columns' values and the sum of counts of each."""
    place = np.zeros(len(counts), dtype=np.int64)
    for column in columns:
        levels = distinct(column, where=_WHERE)
        codes = codes_of(column, levels, where=_WHERE)
        # Numbered anew after every column, so that no key can overflow.
        _, place = numbered(place * len(levels) + codes)
    _, first = np.unique(place, return_index=True)
    total: FloatArray = np.bincount(place, weights=counts).astype(np.float64)
    return tuple(column[first] for column in columns), total


def _joined(one: NDArray[Any], other: NDArray[Any], name: str) -> NDArray[Any]:
    """Put a column's two parts together; numbers never turn into text."""
    codes_of(one, distinct(other, where=_WHERE), where=f"sums of relevance, column {name!r}")
    return np.concatenate([one, other])


def _columns_of(sums: RelevanceSums) -> str:
    return ", ".join((*sums.context, sums.outcome, sums.predicted))


def _checked_unseen(unseen: _Unseen) -> _Unseen:
    if unseen not in get_args(_Unseen):
        raise UnknownNameError(where="unseen", name=unseen, names=get_args(_Unseen))
    return unseen
