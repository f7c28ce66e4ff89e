"""The confusion matrices a respondent can be shown, from scores, a classifier or a table.

In: labels and scores, a fitted scikit-learn classifier, or a frame of counts. Out:
`ThresholdMatrices` or a tuple of displayed `ConfusionMatrix`. Absent: asking anybody.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, MissingValueError
from howgood.records.confusion import (
    ConfusionMatrix,
    Range,
    ThresholdCounts,
    ThresholdMatrices,
    display_total,
)
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.arrays import FloatArray

OutOf = int | Literal["auto"]
_FEWEST = 3
_COUNTS = ("true_positives", "false_negatives", "false_positives", "true_negatives")


def threshold_matrices(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    out_of: OutOf = 100,
    pos_label: object = 1,
    missing: Literal["error", "drop"] = "error",
) -> ThresholdMatrices:
    """Return the distinct confusion matrices, as they are displayed, that thresholds reach.

    A case is flagged when its score is at least the threshold. Positives, false negatives and
    false positives are rounded half up to whole numbers out of `out_of`; totals add up.

    Parameters
    ----------
    y_true : array of shape (n,)
        Labels; `pos_label` is the positive one.
    scores : array of shape (n,)
        Probabilities of the positive class, between 0 and 1.
    out_of : int or "auto"
        How many cases the respondent imagines; "auto" is the first of 100, 1,000 and 10,000 that
        shows at least 10 cases of the rarer class.
    pos_label : object
        The label that counts as positive.
    missing : {"error", "drop"}
        What to do with NaN in either array.

    Returns
    -------
    ThresholdMatrices
        A sequence of `ConfusionMatrix` from the lowest threshold to the highest, with the
        range of thresholds that gives each, and the counts of the cases themselves.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> matrices = threshold_matrices([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> [(matrix.false_negatives, matrix.false_positives) for matrix in matrices]
    [(0, 50), (0, 25), (25, 25), (25, 0), (50, 0)]
    >>> matrices.thresholds_of(matrices[1])
    Range(lower=0.1, upper=0.4)
    """
    positive, probability, dropped = labels_and_scores(
        y_true, scores, pos_label=pos_label, missing=missing, where="threshold_matrices"
    )
    total = imagined_total(out_of, float(positive.mean()), where="threshold_matrices")
    check_probabilities(probability, where="threshold_matrices")
    cuts, first = np.unique(np.sort(probability), return_index=True)
    in_order = positive[np.argsort(probability, kind="stable")]
    missed_before = np.append(np.concatenate([[0], np.cumsum(in_order)])[first], in_order.sum())
    cleared_before = np.append(first, len(in_order)) - missed_before
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    shown = [
        ConfusionMatrix(
            true_positives=n_positive - missed,
            false_negatives=missed,
            false_positives=n_negative - cleared,
            true_negatives=cleared,
        ).displayed(out_of=total)
        for missed, cleared in zip(missed_before.tolist(), cleared_before.tolist(), strict=True)
    ]
    ends = np.concatenate([[0.0], cuts, [np.inf]])
    matrices, ranges = _merged(shown, ends.tolist())
    check_enough(matrices, where="threshold_matrices", cure=_of_scores(len(cuts), out_of, total))
    return ThresholdMatrices(
        matrices=matrices,
        ranges=ranges,
        out_of=total,
        rows_used=len(positive),
        rows_dropped=dropped,
        counts=_worth_choosing(missed_before, cleared_before, ends),
    )


def imagined_total(out_of: OutOf, positive_share: float, *, where: str) -> int:
    """Return out of how many cases to show systems, chosen by the share of positives if "auto"."""
    if out_of == "auto":
        return display_total(positive_share)
    if isinstance(out_of, bool) or not isinstance(out_of, int | np.integer) or out_of < 2:
        raise InputError(
            where=where,
            found=f"out_of = {out_of!r:.60}",
            needed='a whole number of imagined cases, at least 2, or "auto"',
            cure="Leave it at 100, or raise it.",
        )
    return int(out_of)


def _worth_choosing(
    missed: NDArray[np.int64], cleared: NDArray[np.int64], ends: FloatArray
) -> ThresholdCounts:
    """Keep the thresholds that no neighbour beats: the only ones a metric can like best."""
    alarms_fall = np.append(np.diff(missed) == 0, False)  # the next one clears more, misses as many
    misses_fell = np.insert(np.diff(cleared) == 0, 0, False)
    kept = np.flatnonzero(~alarms_fall & ~misses_fell)
    lower, upper = ends[:-1][kept].tolist(), ends[1:][kept].tolist()
    return ThresholdCounts(
        positives=int(missed[-1]),
        negatives=int(cleared[-1]),
        missed=tuple(missed[kept].tolist()),
        cleared=tuple(cleared[kept].tolist()),
        ranges=tuple(map(Range, lower, upper)),
    )


def classifier_matrices(
    classifier: Any,  # noqa: ANN401 - any scikit-learn classifier
    features: Any,  # noqa: ANN401 - whatever the classifier takes
    y_true: ArrayLike,
    *,
    out_of: OutOf = 100,
    pos_label: object = 1,
    missing: Literal["error", "drop"] = "error",
) -> ThresholdMatrices:
    """Return the displayed matrices of a fitted scikit-learn classifier on given cases.

    Parameters
    ----------
    classifier : object
        A fitted binary classifier with `predict_proba`.
    features : array or frame of shape (n, n_features)
        Cases the classifier was not trained on.
    y_true : array of shape (n,)
        Their labels.
    out_of, pos_label, missing
        As in `threshold_matrices`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> x, y = np.arange(20.0)[:, None], np.tile([0, 0, 1, 1], 5)
    >>> len(classifier_matrices(LogisticRegression().fit(x, y), x, y)) > 3
    True
    """
    if not hasattr(classifier, "predict_proba"):
        raise InputError(
            where="classifier_matrices",
            found=f"a {type(classifier).__name__} without predict_proba",
            needed="probabilities of the positive class",
            cure="Wrap it in sklearn.calibration.CalibratedClassifierCV.",
        )
    classes = list(classifier.classes_)
    if len(classes) != 2 or pos_label not in classes:
        raise InputError(
            where="classifier_matrices",
            found=f"classes {classes}",
            needed=f"two classes, one of them {pos_label!r}",
            cure="Name the positive class: pos_label=...",
        )
    probability = np.asarray(classifier.predict_proba(features))[:, classes.index(pos_label)]
    return threshold_matrices(
        y_true, probability, out_of=out_of, pos_label=pos_label, missing=missing
    )


def table_matrices(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    *,
    columns: Mapping[str, str] | None = None,
    out_of: OutOf = 100,
) -> tuple[ConfusionMatrix, ...]:
    """Return the distinct displayed matrices of a table of counts, one system per row.

    Systems that look the same are listed once. To choose among the systems themselves, score their
    own counts with what was elicited: `result.metric.of(counts)`.

    Parameters
    ----------
    frame : frame
        Columns true_positives, false_negatives, false_positives, true_negatives.
    columns : mapping, optional
        Other names for these columns: {"true_positives": "tp", ...}.
    out_of : int or "auto"
        As in `threshold_matrices`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> counts = {"tp": [9, 8, 6], "fn": [1, 2, 4], "fp": [9, 4, 1], "tn": [11, 16, 19]}
    >>> names = dict(zip(
    ...     ("true_positives", "false_negatives", "false_positives", "true_negatives"), counts
    ... ))
    >>> [matrix.false_positives for matrix in table_matrices(counts, columns=names)]
    [30, 13, 3]
    """
    named = {name: (columns or {}).get(name, name) for name in _COUNTS}
    read = frame_columns(frame, named.values(), where="table_matrices")
    cells = {name: np.asarray(read[named[name]], dtype=np.float64) for name in _COUNTS}
    for name, values in cells.items():
        check_finite(values, column=named[name], where="table_matrices")
    rows = zip(*(cells[name].tolist() for name in _COUNTS), strict=True)
    systems = [ConfusionMatrix(**dict(zip(_COUNTS, row, strict=True))) for row in rows]
    share = systems[0].positives / systems[0].total if systems else 0.5
    total = imagined_total(out_of, share, where="table_matrices")
    matrices = tuple(dict.fromkeys(system.displayed(out_of=total) for system in systems))
    check_enough(
        matrices, where="table_matrices", cure=f"Add systems that differ{_finer(out_of, total)}."
    )
    if len({matrix.positives for matrix in matrices}) > 1:
        raise InputError(
            where="table_matrices",
            found="systems with different shares of real positives",
            needed="systems evaluated on the same cases",
            cure="Evaluate every system on one test set.",
        )
    return matrices


def _of_scores(n_scores: int, out_of: OutOf, total: int) -> str:
    """Say what to do about scores whose thresholds lead to hardly any systems."""
    if n_scores == 1:
        return "All scores are equal: name the column of the model's own probabilities."
    return f"Use scores with more distinct values, or more cases{_finer(out_of, total)}."


def _finer(out_of: OutOf, total: int) -> str:
    """Say what shows more, where somebody chose out of how many cases systems are shown."""
    return "" if out_of == "auto" else f', or show them out of more than {total:,}: out_of="auto"'


def check_enough(matrices: tuple[ConfusionMatrix, ...], *, where: str, cure: str) -> None:
    """Refuse fewer than three distinct matrices: there would be nothing to learn."""
    if len(set(matrices)) < _FEWEST:
        raise InputError(
            where=where,
            found=f"{len(set(matrices))} distinct confusion matrices as displayed",
            needed=f"at least {_FEWEST}, else there is no trade-off to ask about",
            cure=cure,
        )


def labels_and_scores(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    pos_label: object,
    missing: Literal["error", "drop"],
    where: str,
) -> tuple[NDArray[np.bool_], FloatArray, int]:
    """Return which cases are positive, their scores, and how many rows were dropped."""
    truth, score = np.asarray(y_true).ravel(), as_numbers(scores, where=f"{where}, scores").ravel()
    if truth.size != score.size:
        raise LengthMismatchError(where=where, lengths={"y_true": truth.size, "scores": score.size})
    gap = np.array([value is None or value != value for value in truth.tolist()], dtype=bool)
    if missing == "error":
        check_finite(np.where(gap, np.nan, 0.0), column="y_true", where=where)
        check_finite(score, column="scores", where=where)
    keep = ~gap & np.isfinite(score)
    truth, score = truth[keep], score[keep]
    positive = np.asarray(truth == pos_label, dtype=bool)
    labels = np.unique(truth.astype(str))
    if len(labels) != 2 or positive.all() or not positive.any():
        raise InputError(
            where=where,
            found=f"labels {', '.join(labels[:6]) or '(none)'} with positive label {pos_label!r}",
            needed="two classes, each with at least one case",
            cure="Use cases of both classes, and name the positive one (pos_label, --positive).",
        )
    return positive, score, int((~keep).sum())


def check_finite(values: FloatArray, *, column: str, where: str) -> None:
    """Refuse gaps, and say where the first one is."""
    bad = ~np.isfinite(values)
    if bad.any():
        raise MissingValueError(
            where=where,
            column=column,
            n_missing=int(bad.sum()),
            n_rows=values.size,
            first=int(np.argmax(bad)),
        )


def check_probabilities(probability: FloatArray, *, where: str) -> None:
    """Refuse scores that cannot be probabilities."""
    lowest, highest = float(probability.min()), float(probability.max())
    if lowest < 0 or highest > 1:
        raise InputError(
            where=f"{where}, scores",
            found=f"values from {lowest:g} to {highest:g}",
            needed="probabilities between 0 and 1",
            cure="Turn scores into probabilities first: learn.fit_recalibration, or --recalibrate.",
        )


def _merged(
    shown: list[ConfusionMatrix], ends: list[float]
) -> tuple[tuple[ConfusionMatrix, ...], tuple[Range, ...]]:
    """Join neighbouring thresholds that look the same on the screen."""
    matrices: list[ConfusionMatrix] = []
    ranges: list[Range] = []
    for matrix, lower, upper in zip(shown, ends[:-1], ends[1:], strict=True):
        if matrices and matrices[-1] == matrix:
            ranges[-1] = Range(ranges[-1].lower, upper)
        else:
            matrices.append(matrix)
            ranges.append(Range(lower, upper))
    return tuple(matrices), tuple(ranges)
