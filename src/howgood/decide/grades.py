"""Rank systems by the grades people gave to their outputs.

In: a long table of item, system, rater, grade, on any engine. Out: `Ranking`. Absent: files, and
predictions of grades (see `decide.rank_ratings`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from howgood.decide.grade_rows import (
    GradeRoles,
    Grades,
    checked_grades,
    grade_columns,
    graded_rows,
    refuse_one_system,
    segments_of,
    summed_grades,
)
from howgood.decide.grade_sums import GradeSums, sums_of_grades
from howgood.decide.ranking import check_level, ranking_of
from howgood.decide.scores import JointScores, refuse_huge
from howgood.errors import InputError
from howgood.records.missing import refuse_or_announce
from howgood.records.ranking import Ranking, Sources
from howgood.records.spark_blocks import PartRows, part_results, spark_rows
from howgood.stats.crossed_components import CrossedMeans, means_from_sums
from howgood.stats.crossed_sums import CrossedSums, blocks_of
from howgood.stats.joint_means import joint_means
from howgood.stats.randomness import RandomState, generator_and_seed

_WHERE = "grades"


def rank_grades(
    grades: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    system: str = "system",
    item: str = "item",
    rater: str | None = "rater",
    grade: str = "grade",
    cluster: str | None = None,
    segment: str | None = None,
    greater_is_better: bool = True,
    combine: str = "error",
    missing: str = "error",
    level: float = 0.05,
    random_state: RandomState = 0,
) -> Ranking:
    r"""Rank systems by the mean grade of their outputs, and say how far to trust each place.

    The score of a system is the mean over items of the item's mean grade. A grade is

    .. math:: y = m_s + \text{item}_i + \text{rater}_r + (si) + (sr) + (ir) + e,

    one crossed model in which items and raters are drawn from many, and variances are the same for
    all systems (pooled). On a full table of I items and R raters every score has, up to what all
    share, the variance :math:`v = (MS_{sr} + MS_{si} - MS_e) / (IR)`. How little few raters or
    items say about their own variance is drawn from the mean squares; with three systems or more
    so is how far systems differ (:math:`m_s` Gaussian with a flat prior on its sd), which tells
    small differences from noise. Errors, ranks, P(best) and ties come from the same draws of all
    scores, so that none of them can contradict another.

    Parameters
    ----------
    grades : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per grade.
    system, item, grade : str
        Columns: whose output was graded, the task or prompt it answers, and the grade (a number).
    rater : str or None
        Column that says who graded. None says it is not known: then only items are taken as a
        sample, and a rater who favours one system everywhere goes unnoticed.
    cluster : str or None
        Column: the document, conversation or topic that an item belongs to. Items of one cluster
        resemble each other, so that clusters are the sample: one more factor of the model, with
        its own effects on systems and raters. Items are named within their cluster.
    segment : str or None
        Column that divides the grades (a language, a kind of task, a group of raters). `.segments`
        then holds one ranking each, made from its rows alone.
    greater_is_better : bool
        False for grades where 1 is best.
    combine : {"error", "mean", "sum", "last"}
        What to do with several rows of one rater for one output (where raters are not known: of
        one output). "error" refuses them; "mean" is for repeated grades, "sum" for counts of
        errors, "last" for corrections.
    missing : {"error", "drop"}
        What to do with rows holding a missing value, and with items that not all systems have a
        grade for. "drop" leaves them out and counts them.
    level : float
        Error level of tie groups and rank intervals.
    random_state : None, int or Generator
        For the draws.

    Returns
    -------
    Ranking
        `.error(a, b)`: how likely it is that, over all items and raters like these, a's mean grade
        is not better than b's. Not the probability that a repetition flips the order.
        `.needed(a, b)`: how many items with these raters, raters on these items, or repeats of
        each grade (where some were repeated) would tell them apart.

    References
    ----------
    Clark (1973), "The language-as-fixed-effect fallacy". Box and Tiao (1973), "Bayesian Inference
    in Statistical Analysis", chapter 5. Henderson (1953), "Estimation of variance and covariance
    components".

    Notes
    -----
    With two or three raters, how much raters differ is hardly known: probabilities stay large. Few
    items say as little about how much items differ. Where all items show the same differences,
    their spread is hidden by the steps of the grades, and taken as if two more items had been a
    step above and below. Errors are shares of 32,768 draws; none is below 1 / 65,538.

    Stability: experimental

    Examples
    --------
    >>> grades = {
    ...     "item": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "system": ["a", "b"] * 4,
    ...     "grade": [4, 3, 5, 3, 3, 3, 4, 2],
    ... }
    >>> ranking = rank_grades(grades, rater=None)
    >>> ranking.order, round(ranking.error("a", "b"), 3)
    (('a', 'b'), 0.04)
    """
    check_level(level)
    roles = GradeRoles(
        system=system, item=item, rater=rater, grade=grade, cluster=cluster, segment=segment
    )
    rules = _Rules(
        greater_is_better=greater_is_better, combine=combine, missing=missing, level=level
    )
    summed = grades_on_spark(grades, roles, missing, combine)
    whole, segments, n_missing = _summed(grades, roles, rules) if summed is None else summed
    for part in (whole, *segments.values()):
        part.dropped["missing or not finite"] = n_missing if part is whole else 0
    ranking = _board(whole, rules, random_state)
    if segment is None:
        return ranking
    boards = {name: _board(part, rules, random_state) for name, part in segments.items()}
    return replace(ranking, segments=boards)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """How grades are read, and at which level ties are."""

    greater_is_better: bool
    combine: str
    missing: str
    level: float


def _summed(
    grades: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: GradeRoles,
    rules: _Rules,
) -> tuple[Grades, dict[str, Grades], int]:
    """Return the sums of all rows and of segments, and how many rows had a gap."""
    kept, n_missing = graded_rows(grades, roles, rules.missing)
    whole = summed_grades(kept, roles, rules.missing, rules.combine)
    segments = {}
    for name, rows in [] if roles.segment is None else segments_of(kept, roles.segment):
        try:
            segments[name] = summed_grades(rows, roles, rules.missing, rules.combine)
        except InputError as error:
            error.found_in(f"{error.where}, segment {name!r}")
            raise
    return whole, segments, n_missing


def _board(grades: Grades, rules: _Rules, random_state: RandomState) -> Ranking:
    generator, seed = generator_and_seed(random_state)
    fitted = means_from_sums(grades.crossed, step=grades.step)
    scores = _scores(grades, fitted, generator)
    settings = {**scores.settings, "combine": rules.combine, "combined rows": grades.n_combined}
    ranking = ranking_of(
        replace(scores, greater_is_better=rules.greater_is_better, settings=settings),
        rules.level,
        generator,
        seed,
        dropped=grades.dropped,
    )
    provenance = replace(ranking.provenance, rows_used=grades.n_rows)
    return replace(ranking, provenance=provenance, sources=_sources(grades, fitted))


# The effects of the model, by their letters, as people call them.
_EFFECTS = {
    "i": "item",
    "r": "rater",
    "si": "system x item",
    "sr": "system x rater",
    "ir": "item x rater",
    "c": "cluster",
    "sc": "system x cluster",
    "cr": "cluster x rater",
    "scr": "system x cluster x rater",
    "sir": "residual",
}


def _scores(grades: Grades, fitted: CrossedMeans, generator: np.random.Generator) -> JointScores:
    n_raters, n_clusters = grades.n_raters, grades.n_clusters
    knows_raters = n_raters is not None and n_raters > 1
    joint = joint_means(fitted.means, fitted.components, generator=generator)
    # With two raters the uncertainty may exceed the scale, within which every mean lies.
    range_of_grades = grades.crossed.highest - grades.crossed.lowest or np.inf
    return JointScores(
        systems=grades.names,
        metric="mean grade",
        paired=True,
        method=f"{_samples(grades, knows_raters=knows_raters)} (crossed model)",
        n=grades.n_items,
        means=fitted.means,
        sds=np.minimum(joint.own_sds, range_of_grades),
        differences=fitted.means[:, None] - fitted.means,
        difference_variances=joint.apart_sds**2,
        difference_scale="mean grade",
        draws=joint.draws,
        doubt="items and raters" if knows_raters else "items",
        settings={
            "grades": grades.n_grades,
            "lowest grade": grades.crossed.lowest,
            "highest grade": grades.crossed.highest,
            "raters": n_raters,
            **({} if n_clusters is None else {"clusters": n_clusters}),
            **({} if n_raters is None else {"effective raters": grades.effective_raters}),
            "draws": len(joint.draws),
            "variances": {
                _EFFECTS[component.name]: max(component.variance, 0.0)
                for component in fitted.components
            },
        },
    )


def _samples(grades: Grades, *, knows_raters: bool) -> str:
    items = "clusters of items" if grades.crossed.has_clusters else "items"
    if knows_raters:
        return f"{items} and raters as samples"
    return f"{items} as a sample"


def _sources(grades: Grades, fitted: CrossedMeans) -> Sources:
    """Return what items, raters and both together add to the variances of differences.

    Where a design cannot tell system x item from the residual (an output has one grade), all of it
    counts as the items'; where it cannot tell system x rater, as the raters'. More items come in
    more clusters, so that what clusters add counts as the items' too.
    """
    parts = {name: np.zeros_like(fitted.components[0].shape) for name in ("i", "r", "ir")}
    names = {component.name for component in fitted.components}
    repeated = np.zeros_like(parts["i"])
    for component in fitted.components:
        own = np.diag(component.shape)
        apart = own[:, None] + own[None, :] - component.shape - component.shape.T
        kind = component.name.replace("s", "").replace("c", "i").replace("ii", "i")
        if kind == "ir" and "si" not in names:
            kind = "i"
        elif kind == "ir" and "sr" not in names:
            kind = "r"
        parts[kind] += max(component.variance, 0.0) * apart
        if component.name == "sir" and grades.repeat_variance is not None:
            repeated = min(grades.repeat_variance, max(component.variance, 0.0)) * apart
    return Sources(
        items=parts["i"],
        raters=parts["r"],
        both=parts["ir"],
        n_items=grades.n_items,
        n_raters=grades.n_raters,
        repeated=None if grades.repeat_variance is None else repeated,
        n_repeats=grades.n_repeats,
        n_clusters=grades.n_clusters,
    )


# Grades that live on Spark, summed there: one pass over the rows, whatever their number.


def grades_on_spark(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    roles: GradeRoles,
    missing: str,
    combine: str,
) -> tuple[Grades, dict[str, Grades], int] | None:
    """Return the sums of all rows and of segments, and how many had a gap; None: not on Spark.

    "last" needs the order of the rows, which Spark does not keep.
    """
    names = grade_columns(roles)
    native = spark_rows(frame, names, [roles.grade], where=_WHERE)
    if native is None or combine == "last":
        return None
    by = [roles.item if roles.cluster is None else roles.cluster]

    def work(rows: PartRows) -> dict[str, Any]:
        return _worked(rows, roles, combine)

    parts = part_results(native, by, names, [roles.grade], work, where=_WHERE)
    gaps: Counter[str] = Counter()
    for part in parts:
        gaps.update(part["gaps"])
    n_gaps, n_rows = (sum(part[name] for part in parts) for name in ("n_gaps", "n_rows"))
    refuse_or_announce(dict(gaps), n_gaps, n_rows, missing=missing, where=_WHERE)
    whole = _joined([part["all"] for part in parts if part["all"]], roles, missing, combine)
    segments = {}
    for name in sorted({name for part in parts for name in part["segments"]}):
        some = [part["segments"][name] for part in parts if name in part["segments"]]
        try:
            segments[str(name)] = _joined(some, roles, missing, combine)
        except InputError as error:
            error.found_in(f"{error.where}, segment {str(name)!r}")
            raise
    return whole, segments, n_gaps


def _worked(rows: PartRows, roles: GradeRoles, combine: str) -> dict[str, Any]:
    """Return the sums of one part as plain values; runs where the rows are."""
    n_whole = rows.n_rows - rows.n_gaps
    every = np.arange(n_whole)
    segments = {}
    if roles.segment is not None and n_whole:
        column = rows.names[roles.segment]
        for place, name in enumerate(column.levels):
            segments[name] = _part_sums(rows, np.flatnonzero(column.codes == place), roles, combine)
    return {
        "all": _part_sums(rows, every, roles, combine) if n_whole else None,
        "segments": segments,
        "gaps": dict(rows.gaps),
        "n_gaps": rows.n_gaps,
        "n_rows": rows.n_rows,
    }


def _part_sums(rows: PartRows, chosen: Any, roles: GradeRoles, combine: str) -> dict[str, Any]:  # noqa: ANN401 - rows
    """Return systems, raters and sums of some rows, with codes of this part alone."""
    values = rows.numbers[roles.grade][chosen]
    levels, codes = {}, {}
    for role in ("system", "item", "rater", "cluster"):
        name = getattr(roles, role)
        if name is not None:
            seen, codes[role] = np.unique(rows.names[name].codes[chosen], return_inverse=True)
            if role in ("system", "rater"):
                levels[role] = [rows.names[name].levels[at] for at in seen]
    n_groups = len(levels["system"])
    parts = (
        sums_of_grades(
            values[block],
            codes["system"][block],
            codes["item"][block],
            *(codes[role][block] if role in codes else None for role in ("rater", "cluster")),
            n_groups=n_groups,
            combine=combine,
        )
        for block in _blocks(codes["cluster" if "cluster" in codes else "item"], n_groups)
    )
    return {"levels": levels, "sums": _plain(reduce(add, parts))}


def _blocks(codes: Any, n_groups: int) -> Any:  # noqa: ANN401 - arrays of codes and of rows
    return (slice(None) if rows is None else rows for rows in blocks_of(codes, n_groups))


def _plain(sums: GradeSums) -> dict[str, Any]:
    """Return sums as values that any machine can send."""
    plain = {field.name: getattr(sums, field.name) for field in fields(sums)}
    crossed = sums.crossed
    if crossed is not None:
        plain["crossed"] = {field.name: getattr(crossed, field.name) for field in fields(crossed)}
    return plain


def _joined(
    parts: Sequence[dict[str, Any]], roles: GradeRoles, missing: str, combine: str
) -> Grades:
    """Return the sums of all parts, each of which knows only its own systems and raters."""
    systems, raters = (
        sorted({name for part in parts for name in part["levels"].get(role, ())})
        for role in ("system", "rater")
    )
    refuse_one_system(systems, roles)
    place = {name: at for at, name in enumerate(raters)}
    made = []
    for part in parts:
        crossed = part["sums"]["crossed"]
        sums = GradeSums(
            **{
                **part["sums"],
                "crossed": None if crossed is None else CrossedSums(**crossed),
            }
        )
        if part["levels"]["system"] != systems:
            sums = sums.without_items()  # none of them has a grade of the system that is not here
        elif sums.crossed is not None and roles.rater is not None:
            own = np.array([place[name] for name in part["levels"]["rater"]])
            sums = replace(sums, crossed=replace(sums.crossed, raters=own[sums.crossed.raters]))
        made.append(sums)
    total = reduce(add, made)
    if total.crossed is not None:
        ends = np.array([total.crossed.lowest, total.crossed.highest])
        refuse_huge(ends, where=f"{_WHERE}, column {roles.grade!r}", what="grade")
    return checked_grades(total, tuple(map(str, systems)), roles, missing, combine)
