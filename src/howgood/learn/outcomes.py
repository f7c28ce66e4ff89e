"""Count which outcomes people chose in each observed context.

In: any supported frame with an outcome column and context columns. Out: `OutcomeTable`.
Absent: scoring predictions (see `score.relevance`). Lazy frames (Polars, DuckDB, Spark) are
counted by their own engine; only one row per context and outcome comes back.
"""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, UnknownNameError
from howgood.records.engine_frame import grouped_counts
from howgood.records.levels import as_column, codes_of, distinct, missing_values, numbered
from howgood.records.outcomes import OutcomeTable, Reference
from howgood.records.provenance import Provenance
from howgood.records.table import as_numbers, frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray

_WHERE = "outcome_probabilities"


def outcome_probabilities(
    frame: Any,  # noqa: ANN401 - any supported frame, or a dict of columns
    *,
    outcome: str,
    context: Iterable[str],
    drop: Iterable[str] = (),
    weights: str | None = None,
    smoothing: float = 0.0,
    reference: Reference = "all",
    folds: str | None = None,
) -> OutcomeTable:
    r"""Return P(outcome | context) from what people chose, one row per observed context.

    .. math:: P(y \mid x) = \frac{n_{xy} + s}{\sum_{y'} (n_{xy'} + s)}

    Parameters
    ----------
    frame : frame
        pandas, Polars, PyArrow, DuckDB, Spark, or a dict of columns: one row per choice.
    outcome : str
        Column with the outcome that was chosen.
    context : list of str
        Columns that make up the observed context.
    drop : list of str
        Columns to leave out of the context: the features behind the randomness, such as user
        identity. A column of the frame that is not in `context` is left out anyway.
    weights : str, optional
        Column of weights; a weight of 3 equals the row three times.
    smoothing : float
        Added to the count of every outcome in every context (s above); 0 is the paper's.
    reference : {"all", "train", "cross-fit"}
        What `frame` holds. "all": every row, the ones to be scored included (the paper; a row
        then vouches for itself). "train": other rows than those to be scored. "cross-fit": the
        rows to be scored, and each is scored by the table without itself.
    folds : str, optional
        With "cross-fit": a column (a fold number, a user); each row is then scored by the table
        without any row of its fold.

    Returns
    -------
    OutcomeTable
        Usable on new rows: pass it to `score.relevance_score`, or call its `lookup`.

    Notes
    -----
    Memory: contexts x outcomes (x folds) x 8 bytes.
    Stability: stable

    References
    ----------
    Gopalakrishna et al. (2013), "Relevance as a Metric for Evaluating Machine Learning
    Algorithms", section 3.1.

    Examples
    --------
    >>> choices = {"activity": ["read"] * 5, "light": ["A", "A", "B", "B", "C"]}
    >>> table = outcome_probabilities(choices, outcome="light", context=["activity"])
    >>> table.lookup({"activity": ["read"]})
    array([[0.4, 0.4, 0.2]])
    """
    names, dropped = checked_names(frame, outcome, context, drop)
    _check_settings(smoothing, reference, folds, weights)
    keys = [*names, outcome] + ([folds] if folds else [])
    columns, counts, mass = counted_choices(frame, keys, weights, where=_WHERE)
    return table_of_counts(
        columns,
        counts,
        mass,
        outcome=outcome,
        context=names,
        smoothing=smoothing,
        reference=reference,
        folds=folds,
        settings={"dropped": list(dropped), "weights": weights},
    )


def table_of_counts(
    columns: Mapping[str, NDArray[Any]],
    counts: FloatArray,
    mass: FloatArray,
    *,
    outcome: str,
    context: tuple[str, ...],
    smoothing: float = 0.0,
    reference: Reference = "all",
    folds: str | None = None,
    settings: Mapping[str, Any],
) -> OutcomeTable:
    """Return the table of choices already counted: entries, the rows behind each, their weight."""
    keys = [*context, outcome] + ([folds] if folds else [])
    levels = {name: distinct(columns[name], where=_place(name)) for name in keys}
    codes = {name: codes_of(columns[name], levels[name], where=_place(name)) for name in keys}
    prefixes, rows = _context_rows([codes[n] for n in context], [levels[n] for n in context])
    blocks = _stacked(
        rows, codes[outcome], mass, len(levels[outcome]), codes[folds] if folds else None
    )
    common = {"reference": reference, "context": list(context)}
    return OutcomeTable(
        outcome=outcome,
        context=context,
        dropped=tuple(settings["dropped"]),
        outcomes=levels[outcome],
        levels=tuple(levels[name] for name in context),
        prefixes=prefixes,
        weights=blocks,
        rows=np.bincount(rows, weights=counts, minlength=len(prefixes[-1])).astype(np.int64),
        smoothing=float(smoothing),
        reference=reference,
        folds=folds,
        fold_levels=levels[folds] if folds else np.array([]),
        provenance=Provenance(
            method="share of each outcome among the rows of each observed context",
            settings={**common, **settings, "smoothing": float(smoothing), "folds": folds},
            rows_used=int(counts.sum()),
        ),
    )


def counted_choices(
    frame: Any,  # noqa: ANN401 - any supported frame
    keys: list[str],
    weights: str | None,
    *,
    where: str,
) -> tuple[dict[str, NDArray[Any]], FloatArray, FloatArray]:
    """Return key columns, the rows behind each entry, and their weight."""
    grouped = None if isinstance(frame, Mapping) else grouped_counts(frame, keys, weights, where)
    if grouped is not None:
        columns, counts, mass = grouped.keys, grouped.rows, grouped.weight
        smallest = grouped.smallest_weight
        _refuse_gaps(columns, counts, where)
    else:
        wanted = [*keys, weights] if weights else keys
        columns = frame_columns(frame, wanted, where=where)
        counts = np.ones(len(columns[keys[0]]))
        mass = smallest = _weights(columns[weights], weights, where) if weights else counts
    if len(counts) == 0:
        raise InputError(
            where=where,
            found="a table without rows",
            needed="at least one row",
            cure="Check how the rows were selected.",
        )
    _check_weights(mass, smallest, weights, where)
    return (
        {name: as_column(columns[name], where=_place(name, where)) for name in keys},
        counts,
        mass,
    )


def _refuse_gaps(columns: Mapping[str, NDArray[Any]], counts: FloatArray, where: str) -> None:
    """Count the rows without a value; the engine that grouped them knows no row numbers."""
    for name, column in columns.items():
        missing = missing_values(column)
        if missing.any():
            raise InputError(
                where=_place(name, where),
                found=f"{int(counts[missing].sum())} of {int(counts.sum())} values missing",
                needed="a value in every row",
                cure="Leave these rows out, or give the gap a name of its own, such as 'unknown'.",
            )


def _weights(values: NDArray[Any], name: str, where: str) -> FloatArray:
    cure = "Name the column that holds the weights."
    return as_numbers(values, where=_place(name, where), needed="weights of 0 or more", cure=cure)


def _check_weights(mass: FloatArray, smallest: FloatArray, name: str | None, where: str) -> None:
    bad = ~np.isfinite(mass) | (smallest < 0)
    if np.any(bad) or mass.sum() <= 0:
        raise InputError(
            where=_place(str(name), where),
            found="a weight that is negative, missing or infinite" if np.any(bad) else "only zeros",
            needed="finite weights of 0 or more, not all 0",
            cure="Correct the weights, or leave these rows out.",
        )


def _context_rows(
    codes: list[NDArray[np.int64]], levels: list[NDArray[Any]]
) -> tuple[tuple[NDArray[np.int64], ...], NDArray[np.int64]]:
    """Give each distinct context a number, column by column, so that no key can overflow."""
    rows = np.zeros(len(codes[0]), dtype=np.int64)
    prefixes = []
    for column, known in zip(codes, levels, strict=True):
        distinct, rows = numbered(rows * (len(known) + 1) + column)
        prefixes.append(distinct)
    return tuple(prefixes), rows


def _stacked(
    rows: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    mass: FloatArray,
    n_outcomes: int,
    folds: NDArray[np.int64] | None,
) -> FloatArray:
    """Return the weights per context and outcome with a marginal row, one block per fold."""
    n_contexts = int(rows.max()) + 1
    cells = rows * n_outcomes + outcomes
    size = n_contexts * n_outcomes
    if folds is None:
        blocks = np.bincount(cells, weights=mass, minlength=size)[np.newaxis]
    else:
        inside = np.bincount(folds * size + cells, weights=mass, minlength=size * (folds.max() + 1))
        within = inside.reshape(-1, size)
        blocks = within.sum(axis=0) - within
        # Weights are sums of floats: what is left of a cell all in one fold must be exactly 0.
        blocks[np.isclose(blocks, 0.0, atol=1e-12 * mass.max())] = 0.0
    contexts = blocks.reshape(-1, n_contexts, n_outcomes)
    marginal = contexts.sum(axis=1, keepdims=True)
    return np.concatenate([contexts, marginal], axis=1).reshape(-1, n_outcomes)


def checked_names(
    frame: Any,  # noqa: ANN401 - any supported frame
    outcome: str,
    context: Iterable[str],
    drop: Iterable[str],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the context columns without those to drop, and the dropped; refuse senseless ones."""
    given = (context,) if isinstance(context, str) else tuple(dict.fromkeys(context))
    dropped = (drop,) if isinstance(drop, str) else tuple(dict.fromkeys(drop))
    for name in dropped:
        if name not in given and name not in (present := frame_column_names(frame)):
            raise UnknownNameError(where="drop", name=name, names=present)
    names = tuple(name for name in given if name not in dropped)
    if outcome in names:
        raise InputError(
            where=_WHERE,
            found=f"the outcome {outcome!r} among the context columns",
            needed="a context that is known before the outcome is chosen",
            cure="Leave the outcome out of the context.",
        )
    if not names:
        raise InputError(
            where=_WHERE,
            found="no context columns" + (" left after drop" if dropped else ""),
            needed="at least one",
            cure="Name the columns that make up the observed context.",
        )
    return names, dropped


def _check_settings(
    smoothing: float, reference: Reference, folds: str | None, weights: str | None
) -> None:
    if reference not in get_args(Reference):
        raise UnknownNameError(where="reference", name=reference, names=get_args(Reference))
    number = isinstance(smoothing, int | float | np.number)
    if not (number and np.isfinite(smoothing) and smoothing >= 0):
        raise InputError(
            where="smoothing",
            found=str(smoothing),
            needed="a finite number of 0 or more",
            cure="0 keeps the counts as they are; 1 adds one choice of every outcome.",
        )
    if folds is not None and reference != "cross-fit":
        raise InputError(
            where="folds",
            found=f"folds={folds!r} with reference={reference!r}",
            needed="folds belong to reference='cross-fit'",
            cure="Set reference='cross-fit', or leave folds out.",
        )
    if weights is not None and reference == "cross-fit" and folds is None:
        raise InputError(
            where="weights",
            found="weights with reference='cross-fit' and no folds",
            needed="no weights, which do not say how many rows to take out of the table",
            cure="Name a column of folds, or repeat the rows instead of weighting them.",
        )


def _place(name: str, where: str = _WHERE) -> str:
    return f"{where}, column {name!r}"
