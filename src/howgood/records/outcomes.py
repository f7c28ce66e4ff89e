"""Which outcomes people chose in which observed context, and how often.

In: counts per context and outcome, made by `learn.outcome_probabilities`. Out: `OutcomeTable`,
which finds the row of any new context, and `ContextCodes`, the rows it found.
Absent: counting (see `learn.outcomes`) and scoring (see `score.relevance`).
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError
from howgood.records.levels import codes_of, places
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular, frame_columns
from howgood.stats.arrays import FloatArray

Reference = Literal["all", "train", "cross-fit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCodes:
    """Observed contexts, each replaced by its row in an `OutcomeTable`.

    Encode once, score many models: pass it as `contexts` wherever contexts are asked for.

    Stability: stable
    """

    codes: NDArray[np.intp]
    n_rows: int
    n_table_rows: int

    def __len__(self) -> int:
        return self.n_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeTable(Tabular):
    """How often people chose each outcome in each observed context: P(outcome | context).

    `weights` has one row per context and one column per outcome, and after the contexts one row
    with the totals over all contexts (the marginal, for contexts never seen). With folds there is
    one such block per fold, each made without the rows of that fold. `rows` counts the rows
    behind each context. `outcomes` are the labels, sorted.

    Stability: stable
    """

    frame_of: ClassVar[str] = "to_table"

    outcome: str
    context: tuple[str, ...]
    dropped: tuple[str, ...]
    outcomes: NDArray[Any]
    levels: tuple[NDArray[Any], ...]
    prefixes: tuple[NDArray[np.int64], ...] = field(repr=False)
    weights: FloatArray = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)
    smoothing: float
    reference: Reference
    folds: str | None
    fold_levels: NDArray[Any]
    provenance: Provenance = field(repr=False)

    @property
    def n_contexts(self) -> int:
        """Number of distinct observed contexts."""
        return len(self.rows)

    @property
    def n_rows(self) -> int:
        """Number of rows the table was counted from."""
        return int(self.rows.sum())

    @property
    def leaves_one_out(self) -> bool:
        """Whether a scored row is taken out of the table, one by one, before it is scored."""
        return self.reference == "cross-fit" and self.folds is None

    @property
    def encoded_columns(self) -> tuple[str, ...]:
        """Columns `encode` reads, in the order it expects them in an array."""
        return self.context if self.folds is None else (*self.context, self.folds)

    def encode(
        self,
        contexts: Any,  # noqa: ANN401 - any frame, or an array
    ) -> ContextCodes:
        """Find the row of each context; contexts never seen get the marginal row.

        `contexts` is a frame or dict with the columns in `encoded_columns`, or an array of shape
        (n_rows, n_columns) in that order.

        Examples
        --------
        >>> from howgood import learn
        >>> table = learn.outcome_probabilities(
        ...     {"room": ["a", "a", "b"], "light": ["on", "off", "on"]},
        ...     outcome="light", context=["room"])
        >>> table.encode({"room": ["b", "a", "cellar"]}).codes
        array([1, 0, 2])
        """
        if isinstance(contexts, ContextCodes):
            return self._checked(contexts)
        columns = self._columns_of(contexts)
        n_rows = len(columns[self.context[0]])
        rows = np.zeros(n_rows, dtype=np.int64)
        unseen = np.zeros(n_rows, dtype=bool)
        for name, levels, prefixes in zip(self.context, self.levels, self.prefixes, strict=True):
            codes = codes_of(columns[name], levels, where=f"contexts, column {name!r}")
            rows = places(rows * (len(levels) + 1) + codes, prefixes)
            unseen |= (codes < 0) | (rows < 0)
            rows[unseen] = 0
        rows[unseen] = self.n_contexts
        rows += self._first_row_of_fold(columns)
        return ContextCodes(
            codes=rows.astype(np.intp), n_rows=n_rows, n_table_rows=len(self.weights)
        )

    def lookup(
        self,
        contexts: Any,  # noqa: ANN401 - any frame, or an array
    ) -> FloatArray:
        """Return P(outcome | context), shape (n_rows, n_outcomes); NaN for contexts never seen.

        Examples
        --------
        >>> from howgood import learn
        >>> table = learn.outcome_probabilities(
        ...     {"room": ["a", "a", "b"], "light": ["on", "off", "on"]},
        ...     outcome="light", context=["room"])
        >>> table.lookup({"room": ["a", "cellar"]})
        array([[0.5, 0.5],
               [nan, nan]])
        """
        codes = self.encode(contexts).codes
        probabilities = self._probabilities()[codes]
        probabilities[codes % (self.n_contexts + 1) == self.n_contexts] = np.nan
        return probabilities

    def to_table(self) -> Table:
        """Return one row per context and outcome: probability, its 95 % interval, rows behind it.

        The interval is the Jeffreys interval of a share; with one row per context it spans
        nearly everything, which is the point of showing it. It treats weights as counts and rows
        as independent: where a person gave several rows of a context, it is too narrow. An outcome
        never seen reaches down to 0, one that is always seen up to 1.
        """
        # Imported here: records load fast, and only this table needs it.
        from howgood.stats.shares import jeffreys_ends

        n_contexts, n_outcomes = self.n_contexts, len(self.outcomes)
        context_codes = self._level_codes()
        columns: dict[str, ArrayLike] = {
            name: np.repeat(levels[codes], n_outcomes)
            for name, levels, codes in zip(self.context, self.levels, context_codes, strict=True)
        }
        chosen = self.weights[:n_contexts]
        columns["outcome"] = np.tile(self.outcomes, n_contexts)
        columns["probability"] = self._probabilities()[:n_contexts].ravel()
        ends = jeffreys_ends(chosen, chosen.sum(axis=1, keepdims=True), probability=0.95)
        columns["lower"], columns["upper"] = (end.ravel() for end in ends)
        columns["rows"] = np.repeat(self.rows, n_outcomes)
        return Table(columns)

    def _probabilities(self) -> FloatArray:
        smoothed = self.weights + self.smoothing
        totals = smoothed.sum(axis=1, keepdims=True)
        shares = np.full_like(smoothed, np.nan)
        np.divide(smoothed, totals, out=shares, where=totals > 0)
        return shares

    def _level_codes(self) -> list[NDArray[np.int64]]:
        """Return the level of every context, column by column, by walking the prefixes back."""
        rows = np.arange(self.n_contexts)
        codes = []
        for levels, prefixes in zip(reversed(self.levels), reversed(self.prefixes), strict=True):
            rows, code = np.divmod(prefixes[rows], len(levels) + 1)
            codes.append(code)
        return codes[::-1]

    def _first_row_of_fold(self, columns: dict[str, NDArray[Any]]) -> NDArray[np.int64] | int:
        if self.folds is None:
            return 0
        folds = codes_of(columns[self.folds], self.fold_levels, where=f"column {self.folds!r}")
        if np.any(folds < 0):
            first = int(np.argmax(folds < 0))
            fold = columns[self.folds][first : first + 1].tolist()[0]
            raise InputError(
                where=f"contexts, column {self.folds!r}, row {first + 1}",
                found=f"fold {fold!r}, which the table does not hold",
                needed="the rows that the cross-fitted table was made from",
                cure="Make the table from these rows, or use reference='train'.",
            )
        return folds * (self.n_contexts + 1)

    def _columns_of(self, contexts: Any) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - as encode
        names = self.encoded_columns
        if not isinstance(contexts, np.ndarray | list | tuple):
            return frame_columns(contexts, names, where="contexts")
        # A list of rows may mix text and numbers, which one plain array would turn into text.
        array = np.asarray(contexts, dtype=None if isinstance(contexts, np.ndarray) else object)
        array = array[:, np.newaxis] if array.ndim == 1 else array
        if array.ndim != 2 or array.shape[1] != len(names):
            raise InputError(
                where="contexts",
                found=f"an array of shape {array.shape}",
                needed=f"{len(names)} column(s), in this order: {', '.join(names)}",
                cure="Pass a frame with these columns, or the array in this order.",
            )
        return {name: array[:, number] for number, name in enumerate(names)}

    def _checked(self, contexts: ContextCodes) -> ContextCodes:
        if contexts.n_table_rows != len(self.weights):
            raise LengthMismatchError(
                where="contexts (encoded with another table)",
                lengths={"that table": contexts.n_table_rows, "this table": len(self.weights)},
            )
        return contexts
