"""The Relevance Score: grade a prediction by how often people chose it, and the actual, here.

In: actual and predicted outcomes, contexts, and an `OutcomeTable`. Out: a number from 0 to 100; a
scorer for cross_validate and GridSearchCV. Absent: counting the table (`learn.outcomes`), the full
account (`score.relevance_reporting`), and scikit-learn itself; a scorer is any callable of
estimator, X and y.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, UnknownNameError
from howgood.learn.mismatch import Labels, Mismatch, label_codes, mismatch
from howgood.records.outcomes import OutcomeTable
from howgood.records.shown import Shown
from howgood.records.table import as_numbers
from howgood.stats.arrays import FloatArray

Unseen = Literal["exclude", "error", "marginal"]
_CHUNK = 1 << 16
_ROWS_AT_ONCE = 1 << 20


def relevance_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    contexts: Any,  # noqa: ANN401 - a frame, an array, or ContextCodes
    table: OutcomeTable,
    alpha: float = 2.0,
    beta: float = 1.0,
    sample_weight: ArrayLike | None = None,
    unseen: Unseen = "exclude",
) -> float:
    r"""Return the Relevance Score, 0 to 100; greater is better.

    A right prediction scores 100. A wrong one loses what separates it from the likeliest outcome
    of its context, and from the actual one:

    .. math::

        100 \left(1 - \frac{\alpha (P_H - P_P) + \beta |P_P - P_A|}{\alpha + \beta}\right)

    where P_H, P_P and P_A are the probabilities of the likeliest, the predicted and the actual
    outcome in the row's context. Only alpha : beta matters; either may be infinite.

    Parameters
    ----------
    y_true, y_pred : array of shape (n_rows,)
        Actual and predicted outcomes. A label the table never saw has probability 0.
    contexts : frame, array or ContextCodes
        One context per row: a frame with the table's context columns, an array with them in
        order, or what `table.encode` returned (encode once to score many models).
    table : OutcomeTable
        From `learn.outcome_probabilities`; its `reference` says which rows it was made from.
    alpha, beta : float
        Weight of the distance to the likeliest outcome, and of the distance to the actual one.
    sample_weight : array of shape (n_rows,), optional
        A weight of 3 equals the row three times.
    unseen : {"exclude", "error", "marginal"}
        A wrong prediction in a context the table never saw is left out (default), refused, or
        scored with the probabilities over all contexts. A right one scores 100 in any case.

    Notes
    -----
    The score largely measures how many rows each context has: read it next to the baselines of
    `relevance_report`.
    Stability: stable

    References
    ----------
    Gopalakrishna et al. (2013), Eq. 2 and 8.

    Examples
    --------
    >>> from howgood import learn
    >>> rows = {"room": ["x"] * 10, "light": [*"AAAABBBBCC"]}
    >>> table = learn.outcome_probabilities(rows, outcome="light", context=["room"])
    >>> round(relevance_score([*"ABCAB"], [*"ACABB"], contexts={"room": ["x"] * 5}, table=table), 4)
    94.6667
    """
    coded = coded_rows(
        y_true, y_pred, contexts=contexts, table=table, sample_weight=sample_weight, unseen=unseen
    )
    share = alpha_share(alpha, beta)
    total, counted = _totals(coded, share)
    if not counted > 0:
        raise nothing_to_score(len(coded.codes))
    return total / counted


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedRows:
    """Test rows ready to be scored: codes of context, actual and predicted, and weights."""

    table: OutcomeTable
    codes: NDArray[np.intp]
    labels: Labels
    weight: FloatArray | None
    unseen: Unseen

    @property
    def cells(self) -> int:
        """Number of distinct rows possible: contexts x labels x labels."""
        return len(self.table.weights) * len(self.labels.values) ** 2

    def mass(self, counted: NDArray[np.bool_]) -> FloatArray:
        """Return the weight of each row that counts, and 0 for the others."""
        return counted.astype(np.float64) if self.weight is None else self.weight * counted

    def mismatch(self, part: slice = slice(None)) -> Mismatch:
        """Return P_H, P_P and P_A row by row."""
        labels = self.labels
        return self._mismatch(self.codes[part], labels.actual[part], labels.predicted[part])

    def mismatch_by_cell(self) -> Mismatch:
        """Return P_H, P_P and P_A for every context, actual and predicted outcome."""
        labels = np.arange(len(self.labels.values))
        rows = np.arange(len(self.table.weights))
        grids = np.meshgrid(rows, labels, labels, indexing="ij")
        return self._mismatch(*(grid.ravel() for grid in grids))

    def _mismatch(
        self, codes: NDArray[np.intp], actual: NDArray[Any], predicted: NDArray[Any]
    ) -> Mismatch:
        return mismatch(
            self.table,
            codes,
            actual,
            predicted,
            n_labels=len(self.labels.values),
            marginal=self.unseen == "marginal",
        )


def coded_rows(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    contexts: Any,  # noqa: ANN401 - as in relevance_score
    table: OutcomeTable,
    sample_weight: ArrayLike | None,
    unseen: Unseen,
) -> CodedRows:
    """Check the rows and code them."""
    if unseen not in get_args(Unseen):
        raise UnknownNameError(where="unseen", name=unseen, names=get_args(Unseen))
    labels = label_codes(table, y_true, y_pred)
    codes = table.encode(contexts).codes
    n_rows = len(labels.actual)
    if n_rows == 0:
        raise InputError(
            where="relevance",
            found="a test set without rows",
            needed="at least one row",
            cure="Check how the rows were selected.",
        )
    if len(codes) != n_rows:
        raise LengthMismatchError(
            where="relevance", lengths={"y_true": n_rows, "contexts": len(codes)}
        )
    weight = None if sample_weight is None else checked_weights(sample_weight, n_rows)
    return CodedRows(table=table, codes=codes, labels=labels, weight=weight, unseen=unseen)


def checked_weights(sample_weight: ArrayLike, n_rows: int) -> FloatArray:
    """Return weights as floats, or say what is wrong with them."""
    needed = "finite weights of 0 or more, not all 0"
    weight = as_numbers(sample_weight, where="sample_weight", needed=needed)
    if weight.shape != (n_rows,):
        raise LengthMismatchError(
            where="relevance", lengths={"y_true": n_rows, "sample_weight": weight.size}
        )
    if not (np.all(np.isfinite(weight)) and weight.min() >= 0 and weight.sum() > 0):
        raise InputError(
            where="sample_weight",
            found="a weight that is negative, missing or infinite, or only zeros",
            needed=needed,
            cure="Correct the weights, or leave these rows out.",
        )
    return weight


def alpha_share(alpha: float, beta: float) -> float:
    """Return alpha / (alpha + beta), which is all of alpha and beta that matters.

    Examples
    --------
    >>> alpha_share(2, 1), alpha_share(float("inf"), 1), alpha_share(0, float("inf"))
    (0.6666666666666666, 1.0, 0.0)
    """
    numbers = all(isinstance(weight, int | float | np.number) for weight in (alpha, beta))
    valid = numbers and alpha >= 0 and beta >= 0 and alpha + beta > 0
    if not valid or (math.isinf(alpha) and math.isinf(beta)):
        raise InputError(
            where="alpha and beta",
            found=f"alpha {alpha} and beta {beta}",
            needed="numbers of 0 or more, not both 0 and not both infinite",
            cure="The paper uses alpha=2, beta=1.",
        )
    if math.isinf(alpha):
        return 1.0
    return alpha / (alpha + beta)


def row_scores(rows: Mismatch, share: float) -> FloatArray:
    """Return 100 (1 - [share (P_H - P_P) + (1 - share) |P_P - P_A|]), and 100 where right."""
    to_likeliest = share * (rows.highest - rows.predicted)
    error = to_likeliest + (1.0 - share) * np.abs(rows.predicted - rows.actual)
    return np.where(rows.right, 100.0, 100.0 * (1.0 - error))


def counted_rows(rows: Mismatch) -> NDArray[np.bool_]:
    """Tell which rows count: a wrong prediction in an unseen context cannot be graded."""
    return rows.right | rows.seen


def nothing_to_score(n_rows: int) -> InputError:
    """Return the error for a test set in which no row can be graded."""
    return InputError(
        where="relevance",
        found=f"{n_rows} rows, none of which can be graded",
        needed="a right prediction, or a wrong one in a context the table knows",
        cure="Make the table from more rows or fewer context columns, or set unseen='marginal'.",
    )


def _totals(coded: CodedRows, share: float) -> tuple[float, float]:
    """Return the weighted sum of scores and the weight that counted."""
    n_rows = len(coded.codes)
    if coded.cells > n_rows:
        return _totals_by_row(coded, share)
    rows = coded.mismatch_by_cell()
    left_out = ~counted_rows(rows) & ~rows.absent
    scores = np.where(left_out | rows.absent, 0.0, row_scores(rows, share))
    may_be_absent = bool(rows.absent.any())
    total, gone, faulty = 0.0, 0.0, False
    for part, cells in _cells_in_chunks(coded):
        weight = None if coded.weight is None else coded.weight[part]
        total += _weighted(scores, cells, weight)
        gone += _weighted(left_out, cells, weight)
        faulty |= may_be_absent and bool(rows.absent.take(cells).any())
    if faulty or (gone > 0 and coded.unseen == "error"):
        return _totals_by_row(coded, share)  # which names the row at fault
    return total, (float(n_rows) if coded.weight is None else float(coded.weight.sum())) - gone


def _totals_by_row(coded: CodedRows, share: float) -> tuple[float, float]:
    """Sum row by row, some rows at a time so that memory does not grow with them."""
    total = mass = 0.0
    counted_parts = []
    for start in range(0, len(coded.codes), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        rows = coded.mismatch(part)
        rows.require_rows_of_the_table(first_row=start)
        counted = counted_rows(rows)
        weight = counted * (1.0 if coded.weight is None else coded.weight[part])
        total += float(np.sum(row_scores(rows, share) * weight))
        mass += float(np.sum(weight))
        counted_parts.append(counted)
    refuse_unseen(coded, np.concatenate(counted_parts))
    return total, mass


def refuse_unseen(coded: CodedRows, counted: NDArray[np.bool_]) -> None:
    """With unseen="error", name the first wrong prediction in a context never seen."""
    if coded.unseen != "error" or counted.all():
        return
    raise InputError(
        where=f"contexts, row {int(np.argmin(counted)) + 1}",
        found=f"a context the table never saw ({int(np.sum(~counted))} such rows)",
        needed="every wrong prediction in a known context, because unseen='error'",
        cure="Make the table from more rows, or choose unseen='exclude' or 'marginal'.",
    )


def _weighted(values: NDArray[Any], cells: NDArray[np.intp], weight: FloatArray | None) -> float:
    taken = values.take(cells)
    return float(taken.sum() if weight is None else taken @ weight)


def _cells_in_chunks(coded: CodedRows) -> Any:  # noqa: ANN401 - a generator
    """Yield slices of rows with the cell of each, small enough to stay in the cache."""
    n_labels = len(coded.labels.values)
    cells = np.empty(_CHUNK, dtype=np.intp)
    scaled = np.empty(_CHUNK, dtype=np.intp)
    for start in range(0, len(coded.codes), _CHUNK):
        part = slice(start, start + _CHUNK)
        codes = coded.codes[part]
        here = cells[: len(codes)]
        np.multiply(codes, n_labels * n_labels, out=here)
        np.multiply(coded.labels.actual[part], n_labels, out=scaled[: len(codes)], dtype=np.intp)
        here += scaled[: len(codes)]
        # Unsigned labels of 64 bits would turn the sum into floats.
        np.add(here, coded.labels.predicted[part], out=here, dtype=np.intp, casting="unsafe")
        yield part, here


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceScorer(Shown):
    """A scikit-learn scorer; see `relevance_scorer`, which makes it.

    Stability: stable
    """

    table: OutcomeTable
    columns: tuple[int, ...] | None
    alpha: float
    beta: float
    unseen: Unseen

    def __call__(
        self,
        estimator: Any,  # noqa: ANN401 - any classifier
        X: Any,  # noqa: ANN401, N803 - scikit-learn's name, frame or array
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Predict X and return the Relevance Score of the predictions."""
        return relevance_score(
            y,
            np.asarray(estimator.predict(X)),
            contexts=self._contexts(X),
            table=self.table,
            alpha=self.alpha,
            beta=self.beta,
            sample_weight=sample_weight,
            unseen=self.unseen,
        )

    def _contexts(self, features: Any) -> Any:  # noqa: ANN401 - frame in, frame out
        if self.columns is None and not isinstance(features, np.ndarray):
            return features
        array = np.asarray(features)
        width = array.shape[1] if array.ndim == 2 else 0
        n_needed = len(self.table.encoded_columns)
        columns = range(n_needed) if self.columns is None else self.columns
        # Guessing which columns of a wider array are the context would score other contexts.
        guessed = self.columns is None and width != n_needed
        if guessed or not all(-width <= column < width for column in columns):
            raise InputError(
                where="relevance_scorer",
                found=f"X of shape {array.shape}",
                needed=f"columns {list(columns)} for {', '.join(self.table.encoded_columns)}",
                cure="Say which columns of the array hold the context: columns=[...].",
            )
        return array[:, list(columns)]


def relevance_scorer(
    table: OutcomeTable,
    *,
    columns: Sequence[int] | None = None,
    alpha: float = 2.0,
    beta: float = 1.0,
    unseen: Unseen = "exclude",
) -> RelevanceScorer:
    """Return a scikit-learn scorer that takes the contexts from the columns of X.

    Parameters
    ----------
    table : OutcomeTable
        Made from the rows to be scored: reference "cross-fit" keeps a row from vouching for
        itself, "all" is the paper's. (A scorer never sees the training rows of a split.)
    columns : list of int, optional
        Where the context columns are when X is an array, in the table's order; not needed when X
        holds these columns alone. With a frame, columns are found by name.
    alpha, beta, unseen
        As in `relevance_score`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from howgood import ask, learn
    >>> rows = ask.simulate_lighting(random_state=1)
    >>> names = ["activity", "area", "company"]
    >>> table = learn.outcome_probabilities(
    ...     rows, outcome="light", context=names, reference="cross-fit")
    >>> model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(random_state=0))
    >>> scores = cross_val_score(model, rows.to_pandas()[names], rows["light"],
    ...                          scoring=relevance_scorer(table), cv=KFold(5))
    >>> len(scores)
    5
    """
    alpha_share(alpha, beta)
    return RelevanceScorer(
        table=table,
        columns=None if columns is None else tuple(columns),
        alpha=alpha,
        beta=beta,
        unseen=unseen,
    )
