"""Correct a judge by people: what would people like these say of outputs like these?

In: few labels of people, many scores of a judge. Out: `JudgeReport`; `JudgeDrift`. Absent: files,
sentences, and calling a judge.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howgood.errors import InputError
from howgood.records.estimate import Estimate
from howgood.records.judged import JudgeAgreement, JudgeDrift, JudgeReport, LabelVariances
from howgood.records.provenance import Provenance
from howgood.records.table import Table, as_numbers, frame_columns
from howgood.score.judge_rows import (
    JudgeColumns,
    JudgeRows,
    agreement,
    bias_table,
    judge_rows,
    student_estimate,
)
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import clustered_variance, satterthwaite
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.rectified_means import (
    LabelledRows,
    PredictedRows,
    RectifiedMeans,
    rectified_means,
)

N_DRAWS = 8_192
_FEWEST_IN_SEGMENT = 5


def judge(
    labels: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    item: str = "item",
    rater: str | None = "rater",
    label: str = "label",
    judge: str = "judge",
    scores: Any | None = None,  # noqa: ANN401 - the same as labels
    system: str | None = None,
    cluster: str | None = None,
    segment: str | None = None,
    bias: Sequence[str] = (),
    levels: Sequence[str] | None = None,
    cut: float | None = None,
    judge_cut: float = 0.5,
    probability: float = 0.95,
    missing: str = "error",
    random_state: RandomState = 0,
) -> JudgeReport:
    r"""Correct a judge's scores by people's labels: pass rate or mean of each system.

    With y people's labels, f the judge's score of the same output and :math:`\lambda` the weight
    that leaves least variance (chosen on other items than it is used for),

    .. math:: \hat\theta = \lambda\, \bar f_{\text{all}}
              + \sum_{i,r} w_{ir} (y_{ir} - \lambda f_i),

    which is unbiased for what all people would say on average, whatever the judge does. Both items
    and raters are samples: the variance is clustered by both, and the part of raters has as many
    degrees of freedom (Student's t) as raters, less one.

    Parameters
    ----------
    labels : pandas, Polars, PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per label, with the judge's score of the same output. Rows whose label is missing
        are outputs that only the judge scored.
    item, label, judge : str
        Columns: which task or prompt, what the person said, what the judge said. Labels are
        numbers, words such as pass and fail, or the names in `levels`.
    rater : str or None
        Column: who labelled. None says it is not known: then only items are taken as a sample.
    scores : frame, optional
        All outputs the judge scored, with the columns `item`, `judge` (and `system`).
    system : str, optional
        Column: whose output it is. Without it there is one system, "all".
    cluster, segment : str, optional
        Columns: what items come from (document, conversation), and what to report apart.
    bias : sequence of str
        Columns the judge's error may go along with, such as length or position.
    levels : sequence of str, optional
        Names of ordered labels from worst to best; they count 1, 2, 3 and so on.
    cut : float, optional
        Labels from here on count as passed: a pass rate instead of a mean.
    judge_cut : float
        From which score on the judge's verdict counts as passed, for agreement.
    probability : float
        Probability of the intervals.
    missing : {"error", "drop"}
        What to do with labels whose row has a gap.
    random_state : None, int or Generator
        For the folds of items, and the draws.

    Returns
    -------
    JudgeReport
        `.corrected`, `.judge_alone`, `.off`, `.agreement`, `.segments`, `.bias`, `.plan(width=)`.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), "Prediction-powered inference";
    Angelopoulos, Duchi, Zrnic (2023), "PPI++"; Cameron, Gelbach, Miller (2011), "Robust inference
    with multiway clustering".

    Notes
    -----
    Corrections that take labels as the truth leave the raters out: with three raters of differing
    leniency their 95 % intervals hold the truth about half of the time. Two or three raters say
    hardly how far raters differ, so intervals are wide; more raters narrow them, more labels do
    not.

    Stability: experimental

    Examples
    --------
    >>> labels = {
    ...     "item": [1, 2, 3, 4, 5, 6, 7, 8],
    ...     "rater": ["ann", "bo", "cy", "di"] * 2,
    ...     "label": [1, 1, 0, 1, 0, 1, 1, None],
    ...     "judge": [1, 1, 1, 1, 0, 1, 0, 1],
    ... }
    >>> report = judge(labels)
    >>> report.judge_alone["all"].mean, report.n_labels, report.n_raters
    (0.75, 7, 4)
    >>> 0.5 < report.corrected["all"].mean < 0.8
    True
    """
    columns = JudgeColumns(
        item=item,
        rater=rater,
        label=label,
        judge=judge,
        system=system,
        cluster=cluster,
        segment=segment,
        bias=tuple(bias),
    )
    rows = judge_rows(labels, scores, columns, levels=levels, cut=cut, missing=missing)
    _require_labels_of_all(rows)
    generator, seed = generator_and_seed(random_state)
    chosen: dict[str, Any] = {"cut": cut, "levels": None if levels is None else list(levels)}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    agreed = agreement(rows, judge_cut=judge_cut, probability=probability)
    return _report(rows, agreed, probability, generator, (seed, chosen))


def _report(
    rows: JudgeRows,
    agreed: JudgeAgreement,
    probability: float,
    generator: np.random.Generator,
    said: tuple[int | None, dict[str, Any]],
) -> JudgeReport:
    fitted = _fitted(rows, rows.system, generator)
    n_items = _trials(rows, rows.system, len(rows.systems))
    n_raters = None if rows.rater is None else len(np.unique(rows.rater))
    weights = dict(zip(rows.systems, fitted.weights.tolist(), strict=True))
    return JudgeReport(
        kind="pass rate" if rows.is_binary else "mean",
        corrected=_estimates(rows.systems, fitted, _ends(rows), n_items, probability, generator),
        judge_alone=_judge_alone(rows, probability),
        labels_alone=_labels_alone(rows, probability),
        off=_off(rows.systems, fitted, rows, probability) if rows.is_one_scale else None,
        weights=weights,
        agreement=agreed,
        segments=_segments(rows, probability, generator),
        bias=bias_table(rows, probability=probability),
        n_items=len(np.unique(rows.item)),
        n_labelled=len(np.unique(rows.output)),
        n_labels=len(rows.value),
        n_raters=n_raters,
        variances=_variances(rows, fitted),
        provenance=Provenance(
            method="prediction-powered mean, items and raters as samples"
            if n_raters is not None and n_raters > 1
            else "prediction-powered mean, items as a sample",
            settings={
                "labels": len(rows.value),
                "raters": n_raters,
                "outputs scored": len(rows.score),
                "outputs scored more than once": rows.n_rescored,
                "weight of the judge": weights,
                "probability": probability,
                **said[1],
            },
            seed=said[0],
            rows_used=len(rows.value),
            rows_dropped=rows.dropped,
        ),
    )


def judge_drift(
    earlier: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    later: Any,  # noqa: ANN401 - the same
    *,
    item: str = "item",
    judge: str = "judge",
    system: str | None = None,
    probability: float = 0.95,
) -> JudgeDrift:
    """Say whether a judge changed: the same anchor outputs scored earlier and later.

    Every output is compared with itself; the mean change has Student's interval over outputs.

    Parameters
    ----------
    earlier, later : frames
        One row per scored output; several rows of one output count with their mean.
    item, judge, system : str
        Columns, as in `judge`.
    probability : float
        Probability of the intervals.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> before = {"item": [1, 2, 3, 4], "judge": [3, 4, 2, 5]}
    >>> after = {"item": [1, 2, 3, 4], "judge": [4, 5, 3, 5]}
    >>> drift = judge_drift(before, after)
    >>> drift.change["all"].mean, drift.has_drifted
    (0.75, False)
    """
    first, second = (
        _anchor_scores(frame, item, judge, system, where)
        for frame, where in ((earlier, "earlier"), (later, "later"))
    )
    shared = [key for key in first if key in second]
    if len(shared) < 2:
        raise InputError(
            where="earlier and later",
            found=f"{len(shared)} outputs in both",
            needed="at least two outputs scored at both times",
            cure="Score the same anchor set again, with the same names of items.",
        )
    systems = tuple(dict.fromkeys(name for name, _ in shared))
    change, changed, rows = {}, {}, []
    for name in systems:
        keys = [key for key in shared if key[0] == name]
        before, after = (np.array([side[key] for key in keys]) for side in (first, second))
        change[name] = _paired_mean(after - before, probability)
        changed[name] = float(np.mean(after != before))
        ends = change[name].interval
        rows.append(
            (name, len(keys), float(before.mean()), float(after.mean()), change[name].mean,
             ends.lower, ends.upper, changed[name])
        )  # fmt: skip
    names = ("system", "items", "earlier", "later", "change", "lower", "upper", "changed")
    return JudgeDrift(
        change=change,
        changed=changed,
        table=Table({column: [row[place] for row in rows] for place, column in enumerate(names)}),
        provenance=Provenance(
            method="mean change of each output's score, Student's t over outputs",
            settings={
                "only earlier": len(first) - len(shared),
                "only later": len(second) - len(shared),
            },
            rows_used=len(shared),
        ),
    )


def _anchor_scores(
    frame: Any,  # noqa: ANN401 - any frame
    item: str,
    judge: str,
    system: str | None,
    where: str,
) -> dict[tuple[str, str], float]:
    names = [item, judge, *([system] if system else [])]
    table = frame_columns(frame, names, where=where)
    numbers = as_numbers(table[judge], where=f"{where}, column {judge!r}")
    whose = ["all"] * len(numbers) if system is None else [str(value) for value in table[system]]
    sums: dict[tuple[str, str], list[float]] = {}
    for key, number in zip(zip(whose, table[item].tolist(), strict=True), numbers, strict=True):
        if np.isfinite(number):
            sums.setdefault((key[0], str(key[1])), []).append(float(number))
    return {key: float(np.mean(values)) for key, values in sums.items()}


def _paired_mean(gaps: FloatArray, probability: float) -> Estimate:
    n = len(gaps)
    mean = float(gaps.mean())
    if n < 2:
        return _student(mean, ((np.inf, 1.0),), probability)
    piece = (float(gaps.var(ddof=1)) / n, n - 1.0)
    return _student(mean, (piece,), probability)


def _require_labels_of_all(rows: JudgeRows) -> None:
    n_items = _n_labelled_items(rows, rows.system, len(rows.systems))
    bare = [name for name, n in zip(rows.systems, n_items, strict=True) if n < 2]
    if bare:
        raise InputError(
            where="labels",
            found=f"fewer than two labelled items of {', '.join(map(repr, bare[:5]))}",
            needed="some labels of every system: how far the judge is off may differ",
            cure="Label some of its outputs, or leave the system out of the scores.",
        )


def _n_labelled_items(rows: JudgeRows, group: IntArray, n_groups: int) -> IntArray:
    """Return how many different items (or clusters of them) have labels, by group of outputs."""
    key = group[rows.output] * (int(rows.cluster.max()) + 1) + rows.cluster[rows.output]
    of_group = np.unique(key) // (int(rows.cluster.max()) + 1)
    return np.bincount(of_group[of_group >= 0], minlength=n_groups)


def _trials(rows: JudgeRows, group: IntArray, n_groups: int) -> IntArray | None:
    """Return how many items are labelled by group where labels pass or fail, else None."""
    return _n_labelled_items(rows, group, n_groups) if rows.is_binary else None


def _fitted(rows: JudgeRows, group: IntArray, generator: np.random.Generator) -> RectifiedMeans:
    """Estimate the means of the outputs' groups; those of group -1 are left out."""
    used = group >= 0
    return rectified_means(
        _label_rows(rows, group, rows.score),
        PredictedRows(predicted=rows.score[used], group=group[used], cluster=rows.cluster[used]),
        generator=generator,
    )


def _label_rows(rows: JudgeRows, group: IntArray, predicted: FloatArray) -> LabelledRows:
    """Return one label per output and rater: the mean of those a rater gave to one output."""
    value, output, rater = rows.value, rows.output, rows.rater
    if rater is not None:
        key = output * (int(rater.max()) + 1) + rater
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        value = np.bincount(cell, weights=value) / np.bincount(cell)
        output, rater = output[first], rater[first]
    kept = group[output] >= 0
    return LabelledRows(
        value=value[kept],
        predicted=predicted[output][kept],
        group=group[output][kept],
        cluster=rows.cluster[output][kept],
        rater=None if rater is None else rater[kept],
        step=rows.step,
    )


def _ends(rows: JudgeRows) -> tuple[float, float]:
    """Return the ends of the labels' scale where it has some, within which every mean lies."""
    if rows.is_binary:
        return 0.0, 1.0
    if rows.step > 0:
        return float(rows.value.min()), float(rows.value.max())
    return -np.inf, np.inf


def _estimates(
    names: Sequence[str],
    fitted: RectifiedMeans,
    ends: tuple[float, float],
    n_items: IntArray | None,
    probability: float,
    generator: np.random.Generator,
) -> dict[str, Estimate]:
    """Return estimates whose draws are paired: raters' and units' parts each of Student's t.

    `n_items` are the labelled items of each rate, None where the estimates are no rates.
    """
    parts = [
        _joint_draws(covariance, float(freedom.min()), generator)
        for covariance, freedom in (
            (fitted.by_raters, fitted.rater_freedom),
            (fitted.by_units, fitted.unit_freedom),
        )
    ]
    draws = np.clip(fitted.means + parts[0] + parts[1], *ends)
    estimates = {}
    for place, name in enumerate(names):
        mean = float(np.clip(fitted.means[place], *ends))
        pieces = _pieces(fitted.by_raters, fitted.by_units, fitted, place)
        trials = None if n_items is None else float(n_items[place])
        sure = _student(mean, pieces, probability, ends=ends, trials=trials)
        estimates[name] = replace(sure, draws=draws[:, place])
    return estimates


def _pieces(
    by_raters: FloatArray, by_units: FloatArray, fitted: RectifiedMeans, place: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    return (
        (float(by_raters[place, place]), float(fitted.rater_freedom[place])),
        (float(by_units[place, place]), float(fitted.unit_freedom[place])),
    )


def _joint_draws(
    covariance: FloatArray, freedom: float, generator: np.random.Generator
) -> FloatArray:
    """Return draws of multivariate Student's t around zero, each with its opposite."""
    values, vectors = np.linalg.eigh(covariance)
    noise = generator.standard_normal((N_DRAWS // 2, len(values)))
    scale = np.sqrt(freedom / generator.chisquare(freedom, N_DRAWS // 2))[:, None]
    moved = (noise * np.sqrt(np.maximum(values, 0.0)) * scale) @ vectors.T
    return np.concatenate([moved, -moved])


def _student(
    mean: float,
    pieces: tuple[tuple[float, float], ...],
    probability: float,
    *,
    ends: tuple[float, float] = (-np.inf, np.inf),
    trials: float | None = None,
) -> Estimate:
    """Return an estimate whose variance is the sum of pieces (variance, degrees of freedom)."""
    variance, freedom = sum(size for size, _ in pieces), satterthwaite(*pieces)
    return student_estimate(mean, variance, freedom, probability, ends=ends, trials=trials)


def _judge_alone(rows: JudgeRows, probability: float) -> dict[str, Estimate]:
    """Return the mean of the judge's scores, with items as a sample: what one would report."""
    estimates = {}
    for place, name in enumerate(rows.systems):
        mine = rows.system == place
        scores, n = rows.score[mine], int(mine.sum())
        weight = np.full(n, 1.0 / n)
        moved = (scores - scores.mean()) / n
        piece = clustered_variance(moved, weight, rows.cluster[mine]) if n > 1 else (0.0, 1.0)
        is_rate = bool(np.all((scores == 0) | (scores == 1)))
        trials = float(len(np.unique(rows.cluster[mine]))) if is_rate else None
        estimates[name] = _student(float(scores.mean()), (piece,), probability, trials=trials)
    return estimates


def _labels_alone(rows: JudgeRows, probability: float) -> dict[str, Estimate]:
    """Return the mean of the labels alone: the same where the judge says the same of everything."""
    nothing = np.zeros_like(rows.score)
    plain = rectified_means(
        _label_rows(rows, rows.system, nothing),
        PredictedRows(predicted=nothing, group=rows.system, cluster=rows.cluster),
        generator=np.random.default_rng(0),
    )
    ends, n_items = _ends(rows), _trials(rows, rows.system, len(rows.systems))
    return {
        name: _student(
            float(plain.means[place]),
            _pieces(plain.by_raters, plain.by_units, plain, place),
            probability,
            ends=ends,
            trials=None if n_items is None else float(n_items[place]),
        )
        for place, name in enumerate(rows.systems)
    }


def _off_ends(rows: JudgeRows) -> tuple[float, float]:
    """Return how far a judge can be off at most: from the lowest score to the highest label."""
    lowest, highest = _ends(rows)
    scores = [float(rows.score.min()), float(rows.score.max())]
    return min(lowest, *scores) - highest, max(highest, *scores) - lowest


def _off(
    names: Sequence[str], fitted: RectifiedMeans, rows: JudgeRows, probability: float
) -> dict[str, Estimate]:
    """Return how far the judge's mean lies from people's, which stays within their labels."""
    people = np.clip(fitted.means, *_ends(rows))
    return {
        name: _student(
            float(fitted.predicted_only[place] - people[place]),
            _pieces(fitted.excess_by_raters, fitted.excess_by_units, fitted, place),
            probability,
            ends=_off_ends(rows),
        )
        for place, name in enumerate(names)
    }


def _segments(rows: JudgeRows, probability: float, generator: np.random.Generator) -> Table | None:
    """Return corrected, judge alone and off for every system and segment with enough labels."""
    if rows.segment is None:
        return None
    keys = [f"{system}\0{name}" for system, name in zip(rows.system, rows.segment, strict=True)]
    names, group = np.unique(np.array(keys), return_inverse=True)
    n_labels = np.bincount(group[rows.output], minlength=len(names))
    enough = n_labels >= _FEWEST_IN_SEGMENT
    enough &= _n_labelled_items(rows, group, len(names)) > 1
    kept = [str(name) for name, is_enough in zip(names, enough, strict=True) if is_enough]
    estimates: dict[str, Estimate] = {}
    off: dict[str, Estimate] = {}
    if kept:
        codes = np.where(enough, np.cumsum(enough) - 1, -1)
        fitted = _fitted(rows, codes[group], generator)
        n_items = _trials(rows, codes[group], len(kept))
        estimates = _estimates(kept, fitted, _ends(rows), n_items, probability, generator)
        off = _off(kept, fitted, rows, probability) if rows.is_one_scale else {}
    lines = []
    for place, name in enumerate(names.tolist()):
        system, _, segment = name.partition("\0")
        lines.append(
            {
                "system": rows.systems[int(system)],
                "segment": segment,
                "outputs": int(np.sum(group == place)),
                "labels": int(n_labels[place]),
                **_cells(("corrected", "lower", "upper"), estimates.get(name)),
                "judge alone": float(rows.score[group == place].mean()),
                **_cells(("judge is off by", "off, lower", "off, upper"), off.get(name)),
            }
        )
    return Table({column: [line[column] for line in lines] for column in lines[0]})


def _cells(columns: tuple[str, str, str], estimate: Estimate | None) -> dict[str, float]:
    if estimate is None:
        return dict.fromkeys(columns, float("nan"))
    ends = estimate.interval
    return dict(zip(columns, (estimate.mean, ends.lower, ends.upper), strict=True))


def _variances(rows: JudgeRows, fitted: RectifiedMeans) -> LabelVariances:
    per_system = len(rows.score) / len(rows.systems)
    return LabelVariances(
        raters=fitted.rater_effect,
        labels=fitted.label_noise,
        predictions=fitted.unit_noise,
        weight=float(np.abs(fitted.weights).mean()),
        n_everything=max(int(per_system), 2),
    )
