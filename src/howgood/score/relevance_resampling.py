"""The Relevance Score of other people: rows weighed anew, and the table counted anew with them.

In: coded test rows, whose rows they are, and the table made from them. Out: draws of the score at
infinite alpha and at infinite beta. Absent: tables made from other rows, which stay as they are
(see `score.relevance_reporting`).

Where the scored rows are themselves behind the table (references "all" and "cross-fit"), other
people would bring another table too. Every draw gives each unit (a person, or a row) one weight,
with which it counts in the table and in the score.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from howgood.records.levels import numbered
from howgood.score.relevance import CodedRows
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.bootstrap import MOST_UNITS

# So many counts of tables in one draw times draws: beyond, fewer draws are made, but no fewer.
_BUDGET, _LEAST_DRAWS = 100_000_000, 200
_CHUNK = 4_000_000


def resampled_ends(
    coded: CodedRows, units: IntArray | None, *, draws: int, generator: np.random.Generator
) -> FloatArray | None:
    """Return draws of both end scores, shape (draws, 2); None where the table is of other rows.

    Very large tables get fewer draws than asked for, 200 at least.
    """
    rows = _table_rows(coded)
    if rows is None:
        return None
    plan = _Plan.of(coded, _few_units(units, len(coded.codes), generator), rows)
    draws = int(np.clip(_BUDGET // plan.size, min(_LEAST_DRAWS, draws), draws))
    parts = [plan.scores(weights, generator) for weights in plan.weights(draws, generator)]
    return np.concatenate(parts)


def _few_units(
    units: IntArray | None, n_rows: int, generator: np.random.Generator
) -> tuple[IntArray, int]:
    """Return the unit of each row and their number; very many are thrown together at random."""
    units = np.arange(n_rows) if units is None else units
    n_units = int(units.max()) + 1
    if n_units <= MOST_UNITS:
        return units, n_units
    return (generator.permutation(n_units) % MOST_UNITS)[units], MOST_UNITS


@dataclass(frozen=True, slots=True)
class _TableRows:
    """What each scored row adds to the table, and what other rows left in it (context, outcome)."""

    mass: FloatArray
    others: FloatArray
    others_are_rows: bool


def _table_rows(coded: CodedRows) -> _TableRows | None:
    """Return the rows' part in the table, or None where they have none."""
    table = coded.table
    weighted = table.provenance.settings.get("weights") is not None
    if table.reference == "train" or (weighted and coded.weight is None):
        return None
    mass = coded.weight if weighted and coded.weight is not None else np.ones(len(coded.codes))
    width, n_labels = table.n_contexts + 1, len(coded.labels.values)
    blocks = table.weights.reshape(-1, width, len(table.outcomes))
    if table.folds is not None and len(blocks) < 2:
        return None
    # A block of a fold is the whole without that fold: all but one of them add to each cell.
    whole = blocks[0] if table.folds is None else blocks.sum(axis=0) / (len(blocks) - 1)
    whole = np.pad(whole, [(0, 0), (0, n_labels - len(table.outcomes))])
    whole[-1] = 0.0  # contexts never seen
    cells = (coded.codes % width) * n_labels + coded.labels.actual.astype(np.int64)
    inside = np.bincount(cells, weights=mass, minlength=whole.size).reshape(whole.shape)
    others: FloatArray = whole - inside.astype(np.float64)
    if others.min() < -1e-9 * max(float(whole.max()), 1.0):
        return None
    others[others < 1e-9] = 0.0
    return _TableRows(mass, others, not weighted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Everything that does not change from draw to draw.

    A key is a context as one scored row sees it: the table's, without what "cross-fit" takes out.
    A cell is a key with an actual and a predicted outcome.
    """

    n_units: int
    n_labels: int
    contexts: csr_array
    others: FloatArray
    others_are_rows: bool
    smoothing: FloatArray
    key_context: IntArray
    taken_out: csr_array | None
    from_marginal: NDArray[np.bool_]
    cell_key: IntArray
    cell_actual: IntArray
    cell_predicted: IntArray
    cell_counts: NDArray[np.bool_]
    cells: csr_array

    @classmethod
    def of(cls, coded: CodedRows, units: tuple[IntArray, int], rows: _TableRows) -> "_Plan":
        table, n_labels = coded.table, len(coded.labels.values)
        unit, n_units = units
        width = table.n_contexts + 1
        context = coded.codes % width
        actual, predicted = (
            codes.astype(np.int64) for codes in (coded.labels.actual, coded.labels.predicted)
        )
        keys, key, taken_out = _keys(coded, context, actual, unit, n_units, rows.mass)
        seen, alone = _seen(context, keys, taken_out, rows, n_units, n_labels, coded.unseen)
        distinct, cell = numbered((key * n_labels + actual) * n_labels + predicted)
        cell_key, cell_actual, cell_predicted = (
            distinct // n_labels**2, distinct // n_labels % n_labels, distinct % n_labels,
        )  # fmt: skip
        weight = np.ones(len(key)) if coded.weight is None else coded.weight
        smoothing = np.where(np.arange(n_labels) < len(table.outcomes), table.smoothing, 0.0)
        return cls(
            n_units=n_units,
            n_labels=n_labels,
            contexts=_by_unit(unit, context * n_labels + actual, rows.mass,
                              (n_units, width * n_labels)),
            others=rows.others,
            others_are_rows=rows.others_are_rows,
            smoothing=smoothing,
            key_context=keys,
            taken_out=taken_out,
            from_marginal=alone,
            cell_key=cell_key,
            cell_actual=cell_actual,
            cell_predicted=cell_predicted,
            cell_counts=(cell_actual == cell_predicted) | seen[cell_key],
            cells=_by_unit(unit, cell, weight, (n_units, len(distinct))),
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Numbers that one draw makes."""
        return len(self.key_context) * self.n_labels + int(self.cells.nnz)

    def weights(self, draws: int, generator: np.random.Generator) -> Iterator[FloatArray]:
        """Yield weights of the units, some draws at a time; they add up to their number."""
        whole = generator.dirichlet(np.ones(self.n_units), size=draws) * self.n_units
        step = max(1, _CHUNK // self.size)
        yield from (whole[start : start + step] for start in range(0, draws, step))

    def scores(self, weights: FloatArray, generator: np.random.Generator) -> FloatArray:
        """Return the scores at infinite alpha and at infinite beta, one row per draw."""
        n_draws = len(weights)
        total = (weights @ self.contexts).reshape(n_draws, -1, self.n_labels)
        if self.others.any():
            others = np.broadcast_to(self.others, total.shape)
            total = total + (generator.standard_gamma(others) if self.others_are_rows else others)
        counts = total[:, self.key_context]
        if self.from_marginal.any():
            counts[:, self.from_marginal] = total.sum(axis=1)[:, None]
        if self.taken_out is not None:
            counts -= (weights @ self.taken_out).reshape(counts.shape)
        counts = np.maximum(counts, 0.0) + self.smoothing
        sizes = counts.sum(axis=2, keepdims=True)
        shares = counts / np.where(sizes > 0, sizes, 1.0)
        predicted = shares[:, self.cell_key, self.cell_predicted]
        highest = shares.max(axis=2)[:, self.cell_key]
        actual = shares[:, self.cell_key, self.cell_actual]
        wrong = self.cell_actual != self.cell_predicted
        losses = np.stack([highest - predicted, np.abs(predicted - actual)]) * wrong
        mass = (weights @ self.cells) * self.cell_counts
        below = mass.sum(axis=1)
        return np.asarray(100.0 * (1.0 - (losses * mass).sum(axis=2) / below).T)


def _by_unit(
    unit: IntArray, column: IntArray, values: FloatArray, shape: tuple[int, int]
) -> csr_array:
    """Return a sparse matrix of units by columns; equal places add up."""
    return csr_array((values, (unit, column)), shape=shape)


def _keys(
    coded: CodedRows,
    context: IntArray,
    actual: IntArray,
    unit: IntArray,
    n_units: int,
    mass: FloatArray,
) -> tuple[IntArray, IntArray, csr_array | None]:
    """Return each key's context, each row's key, and what is taken out for it (units by counts)."""
    table, n_labels = coded.table, len(coded.labels.values)
    if not table.leaves_one_out and table.folds is None:
        distinct, key = numbered(context)
        return distinct, key, None
    if table.leaves_one_out:
        distinct, key = numbered((context * n_labels + actual) * n_units + unit)
        keys, labels, owner = (
            distinct // n_units // n_labels, distinct // n_units % n_labels, distinct % n_units,
        )  # fmt: skip
        column = np.arange(len(distinct)) * n_labels + labels
        shape = (n_units, len(distinct) * n_labels)
        return keys, key, _by_unit(owner, column, np.ones(len(distinct)), shape)
    width = table.n_contexts + 1
    distinct, key = numbered(coded.codes)  # the block of a fold, and the context in it
    shape = (n_units, len(distinct) * n_labels)
    return distinct % width, key, _by_unit(unit, key * n_labels + actual, mass, shape)


def _seen(
    context: IntArray,
    keys: IntArray,
    taken_out: csr_array | None,
    rows: _TableRows,
    n_units: int,
    n_labels: int,
    unseen: str,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which keys have anybody else's choices, and which take those of all contexts."""
    sizes = rows.others.sum(axis=1) + np.bincount(
        context, weights=rows.mass, minlength=len(rows.others)
    )
    sizes[-1] = 0.0
    out = np.zeros(len(keys))
    if taken_out is not None:
        out = (np.ones(n_units) @ taken_out).reshape(-1, n_labels).sum(axis=1)
    tiny = 1e-9 * max(float(sizes.max()), 1.0)
    alone = sizes[keys] - out <= tiny
    if unseen != "marginal":
        return ~alone, np.zeros_like(alone)
    return ~alone | (sizes.sum() - out > tiny), alone
