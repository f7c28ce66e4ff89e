"""The Relevance Score inside scikit-learn's model selection.

In: an `OutcomeTable`. Out: a scorer for cross_validate and GridSearchCV. Absent: scikit-learn
itself; a scorer is any callable of estimator, X and y.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.outcomes import OutcomeTable
from howgood.score.relevance import Unseen, alpha_share, relevance_score


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceScorer:
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
