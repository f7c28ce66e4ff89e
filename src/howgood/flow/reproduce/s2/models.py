"""Six rule learners for the Relevance Score's experiments, or their nearest maintained kin.

In: text features and outcomes. Out: fitted models with `predict`. Absent: Weka, which the paper
used. What each stands for is said in `STANDS_FOR`; JRip is RIPPER itself.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from howgood.errors import MissingExtraError

Texts = NDArray[np.str_]

STANDS_FOR = {
    "DecisionTable": "a decision table (Kohavi 1995), features chosen by leave-one-out",
    "JRip": "RIPPER (wittgenstein), classes from rare to frequent as in Cohen 1995",
    "NNge": "stand-in: nearest neighbour without generalisation (scikit-learn)",
    "PART": "stand-in: a decision tree, one rule per leaf (scikit-learn)",
    "ConjunctiveRule": "stand-in: one split, one rule (scikit-learn)",
    "Ridor": "stand-in: IREP exceptions to the commonest outcome (wittgenstein)",
}


class Model(Protocol):
    """A fitted model."""

    def predict(self, features: Texts) -> Texts:
        """Return one outcome per row."""


def fit_all(
    features: Texts, outcomes: Texts, *, seed: int, only: tuple[str, ...] = tuple(STANDS_FOR)
) -> dict[str, Model]:
    """Fit the named models on the same rows."""
    if find_spec("sklearn") is None or find_spec("wittgenstein") is None:
        raise MissingExtraError(task="the rule learners of this paper", extra="reproduce")
    return {name: _FITTERS[name](features, outcomes, seed) for name in only}


@dataclass(frozen=True, slots=True, kw_only=True)
class _DecisionTable:
    """The commonest outcome of each cell of the chosen columns; elsewhere the commonest of all."""

    columns: tuple[int, ...]
    cells: dict[tuple[str, ...], str]
    default: str

    def predict(self, features: Texts) -> Texts:
        keys = map(tuple, features[:, list(self.columns)].tolist())
        return np.array([self.cells.get(key, self.default) for key in keys])


def _decision_table(features: Texts, outcomes: Texts, seed: int) -> Model:
    subsets = [
        columns
        for size in range(1, features.shape[1] + 1)
        for columns in combinations(range(features.shape[1]), size)
    ]
    kinds, codes = np.unique(outcomes, return_inverse=True)
    right = [_left_out_right(features[:, list(columns)], codes, len(kinds)) for columns in subsets]
    columns = subsets[int(np.argmax(right))]
    cells, place = np.unique(features[:, list(columns)], axis=0, return_inverse=True)
    counts = np.zeros((len(cells), len(kinds)))
    np.add.at(counts, (place.ravel(), codes), 1)
    best = kinds[counts.argmax(axis=1)]
    return _DecisionTable(
        columns=columns,
        cells=dict(zip(map(tuple, cells.tolist()), best.tolist(), strict=True)),
        default=str(kinds[np.bincount(codes).argmax()]),
    )


def _left_out_right(features: Texts, codes: NDArray[np.intp], n_kinds: int) -> int:
    """Count the rows that the rest of their cell would predict."""
    _, place = np.unique(features, axis=0, return_inverse=True)
    counts = np.zeros((place.max() + 1, n_kinds))
    np.add.at(counts, (place.ravel(), codes), 1)
    rest = counts[place.ravel()]
    rest[np.arange(len(codes)), codes] -= 1
    empty = rest.sum(axis=1) == 0
    rest[empty] = np.bincount(codes, minlength=n_kinds)
    return int(np.sum(rest.argmax(axis=1) == codes))


@dataclass(frozen=True, slots=True, kw_only=True)
class _OrderedRules:
    """Rule sets tried in order; the first that fires names the outcome."""

    sets: list[tuple[str, Any]]
    default: str

    def predict(self, features: Texts) -> Texts:
        found = np.full(len(features), self.default, dtype=object)
        for outcome, rules in reversed(self.sets):
            found[_fires(rules, features)] = outcome
        return found.astype(str)


def _ordered_rules(learner: str, features: Texts, outcomes: Texts, seed: int) -> Model:
    """Learn rules for each outcome against the commoner ones, from rare to frequent."""
    import wittgenstein

    kinds, counts = np.unique(outcomes, return_counts=True)
    order = kinds[np.argsort(counts, kind="stable")]
    left = np.ones(len(outcomes), dtype=bool)
    sets = []
    for outcome in order[:-1]:
        wanted = (outcomes[left] == outcome).astype(int)
        if not 0 < wanted.sum() < len(wanted):
            continue
        rules = getattr(wittgenstein, learner)(random_state=seed)
        with _quietly():
            rules.fit(_frame(features[left]), wanted, pos_class=1)
        sets.append((str(outcome), rules))
        left &= ~_fires(rules, features)  # what a rule covers is settled; the rest is learned on
    return _OrderedRules(sets=sets, default=str(order[-1]))


def _fires(rules: Any, features: Texts) -> NDArray[np.bool_]:  # noqa: ANN401 - wittgenstein's
    with _quietly():
        return np.asarray(rules.predict(_frame(features)), dtype=bool)


def _quietly() -> Any:  # noqa: ANN401 - a context manager
    # wittgenstein warns whenever no rule was worth keeping, which is an ordinary result.
    return warnings.catch_warnings(record=True)


def _frame(features: Texts) -> Any:  # noqa: ANN401 - wittgenstein reads pandas frames
    import pandas as pd

    return pd.DataFrame(
        {f"feature {number}": column.astype(object) for number, column in enumerate(features.T)},
        dtype=object,
    )


def _scikit(name: str) -> Callable[[Texts, Texts, int], Model]:
    def fit(features: Texts, outcomes: Texts, seed: int) -> Model:
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder
        from sklearn.tree import DecisionTreeClassifier

        model = {
            "NNge": lambda: KNeighborsClassifier(n_neighbors=1),
            "PART": lambda: DecisionTreeClassifier(min_samples_leaf=2, random_state=seed),
            "ConjunctiveRule": lambda: DecisionTreeClassifier(max_leaf_nodes=2, random_state=seed),
        }[name]()
        coded = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        fitted: Model = make_pipeline(coded, model).fit(features, outcomes)
        return fitted

    return fit


_FITTERS: dict[str, Callable[[Texts, Texts, int], Model]] = {
    "DecisionTable": _decision_table,
    "JRip": lambda x, y, seed: _ordered_rules("RIPPER", x, y, seed),
    "NNge": _scikit("NNge"),
    "PART": _scikit("PART"),
    "ConjunctiveRule": _scikit("ConjunctiveRule"),
    "Ridor": lambda x, y, seed: _ordered_rules("IREP", x, y, seed),
}
