"""Rank systems by the grades people gave to their outputs.

In: a long table of item, system, rater, grade, on any engine. Out: `Ranking`. Absent: files, and
predictions of grades (see `decide.rank_ratings`).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.decide.combined_rows import combined_rows
from howgood.decide.ranking import check_level, ranking_of
from howgood.decide.scores import JointScores, refuse_huge
from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import complete_rows
from howgood.records.ranking import Ranking, Sources
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.crossed_components import CrossedMeans, crossed_means
from howgood.stats.joint_means import joint_means
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.steps import smallest_step
from howgood.stats.two_way_clusters import effective_raters

_WHERE = "grades"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grades:
    """One grade per system, item and rater, as codes; `names` are the systems.

    `step` is the smallest difference between two grades that were given.
    """

    values: FloatArray
    system: IntArray
    item: IntArray
    rater: IntArray | None
    step: float
    names: tuple[str, ...]
    n_rows: int
    n_combined: int
    dropped: dict[str, int]


def rank_grades(
    grades: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    system: str = "system",
    item: str = "item",
    rater: str | None = "rater",
    grade: str = "grade",
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
        `.needed(a, b)`: how many items with these raters, or raters on these items, would tell
        them apart.

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
    names = [name for name in (system, item, rater, grade) if name is not None]
    columns = frame_columns(grades, names, where=_WHERE)
    columns = {**columns, grade: as_numbers(columns[grade], where=f"{_WHERE}, column {grade!r}")}
    kept, n_missing = complete_rows(columns, missing=missing, where=_WHERE, numbers=[grade])
    refuse_huge(kept[grade], where=f"{_WHERE}, column {grade!r}", what="grade")
    found = _coded(kept, (system, item, rater, grade), missing, combine)
    found.dropped["missing or not finite"] = n_missing
    generator, seed = generator_and_seed(random_state)
    fitted = crossed_means(found.values, found.system, found.item, found.rater, step=found.step)
    scores = _scores(found, fitted, generator)
    settings = {**scores.settings, "combine": combine, "combined rows": found.n_combined}
    ranking = ranking_of(
        replace(scores, greater_is_better=greater_is_better, settings=settings),
        level,
        generator,
        seed,
        dropped=found.dropped,
    )
    provenance = replace(ranking.provenance, rows_used=found.n_rows)
    return replace(ranking, provenance=provenance, sources=_sources(found, fitted))


# The effects of the model, by their letters, as people call them.
_EFFECTS = {
    "i": "item",
    "r": "rater",
    "si": "system x item",
    "sr": "system x rater",
    "ir": "item x rater",
    "sir": "residual",
}


def _scores(grades: _Grades, fitted: CrossedMeans, generator: np.random.Generator) -> JointScores:
    n_raters = None if grades.rater is None else int(grades.rater.max()) + 1
    knows_raters = n_raters is not None and n_raters > 1
    joint = joint_means(fitted.means, fitted.components, generator=generator)
    # With two raters the uncertainty may exceed the scale, within which every mean lies.
    range_of_grades = float(np.ptp(grades.values)) or np.inf
    return JointScores(
        systems=grades.names,
        metric="mean grade",
        paired=True,
        method="items and raters as samples (crossed model)"
        if knows_raters
        else "items as a sample (crossed model)",
        n=int(grades.item.max()) + 1,
        means=fitted.means,
        sds=np.minimum(joint.own_sds, range_of_grades),
        differences=fitted.means[:, None] - fitted.means,
        difference_variances=joint.apart_sds**2,
        difference_scale="mean grade",
        draws=joint.draws,
        doubt="items and raters" if knows_raters else "items",
        settings={
            "grades": len(grades.values),
            "lowest grade": float(grades.values.min()),
            "highest grade": float(grades.values.max()),
            "raters": n_raters,
            **_effective(grades),
            "draws": len(joint.draws),
            "variances": {
                _EFFECTS[each.name]: max(each.variance, 0.0) for each in fitted.components
            },
        },
    )


def _sources(grades: _Grades, fitted: CrossedMeans) -> Sources:
    """Return what items, raters and both together add to the variances of differences.

    Where a design cannot tell system x item from the residual (an output has one grade), all of it
    counts as the items'; where it cannot tell system x rater, as the raters'.
    """
    parts = {name: np.zeros_like(fitted.components[0].shape) for name in ("i", "r", "ir")}
    names = {each.name for each in fitted.components}
    for each in fitted.components:
        own = np.diag(each.shape)
        apart = own[:, None] + own[None, :] - each.shape - each.shape.T
        kind = each.name.replace("s", "")
        if kind == "ir" and "si" not in names:
            kind = "i"
        elif kind == "ir" and "sr" not in names:
            kind = "r"
        parts[kind] += max(each.variance, 0.0) * apart
    return Sources(
        items=parts["i"],
        raters=parts["r"],
        both=parts["ir"],
        n_items=int(grades.item.max()) + 1,
        n_raters=None if grades.rater is None else int(grades.rater.max()) + 1,
    )


def _effective(grades: _Grades) -> dict[str, float]:
    if grades.rater is None:
        return {}
    return {"effective raters": effective_raters(grades.item, grades.rater)}


def _coded(
    columns: dict[str, NDArray[Any]],
    roles: tuple[str, str, str | None, str],
    missing: str,
    combine: str,
) -> _Grades:
    system, item, rater, grade = roles
    values = columns[grade]
    names, group = _levels(columns[system], f"{_WHERE}, column {system!r}")
    if len(names) < 2:
        raise InputError(
            where=f"{_WHERE}, column {system!r}",
            found=f"only {str(names[0])!r}",
            needed="grades of at least two systems",
            cure="Name the column that says whose output was graded.",
        )
    _, place = _levels(columns[item], f"{_WHERE}, column {item!r}")
    is_kept = _of_complete_items(group, place, len(names), missing, f"{_WHERE}, column {item!r}")
    person = None
    if rater is not None:
        _, person = _levels(columns[rater], f"{_WHERE}, column {rater!r}")
        person = person[is_kept]
    group, values = group[is_kept], values[is_kept]
    _, place = np.unique(place[is_kept], return_inverse=True)
    codes = [group, place]
    if person is not None:
        _refuse_single_raters(group, person, names, f"{_WHERE}, column {rater!r}")
        codes.append(np.unique(person, return_inverse=True)[1])
    of = "one output" if person is None else "one rater for one output"
    values, first, counts = combined_rows(values, codes, combine=combine, where=_WHERE, of=of)
    group, place, *known = (each[first] for each in codes)
    person = known[0] if known else None
    return _Grades(
        values=values,
        system=group,
        item=place,
        rater=person,
        step=smallest_step(values),
        names=tuple(str(name) for name in names.tolist()),
        n_rows=int(is_kept.sum()),
        n_combined=int(counts[counts > 1].sum()),
        dropped={"item without a grade of every system": int((~is_kept).sum())},
    )


def _levels(column: NDArray[Any], where: str) -> tuple[NDArray[Any], IntArray]:
    levels = distinct(column, where=_WHERE)
    return levels, codes_of(column, levels, where=_WHERE)


def _of_complete_items(
    group: IntArray, place: IntArray, n_systems: int, missing: str, where: str
) -> NDArray[np.bool_]:
    """Mark the rows of items that every system has a grade for; refuse the others or few items."""
    n_items = int(place.max()) + 1
    graded = np.zeros((n_items, n_systems), dtype=bool)
    graded[place, group] = True
    is_complete = np.asarray(graded.all(axis=1))
    n_complete = int(is_complete.sum())
    if n_complete < 2:
        raise InputError(
            where=where,
            found=f"{n_complete} of {n_items} items with a grade of every system",
            needed="at least two items that every system was graded on",
            cure="Grade more items, or leave out the system with few grades.",
        )
    if missing == "error" and n_complete < n_items:
        raise InputError(
            where=where,
            found=f"{n_items - n_complete} of {n_items} items without a grade of every system",
            needed="the same items for all systems, so that hard ones cost none of them more",
            cure="Grade them, or leave these items out by name: missing='drop'.",
        )
    if n_complete < n_items:
        announce(
            f"{where}: {n_items - n_complete} of {n_items} items left out, without a grade of "
            "every system",
            DroppedRowsWarning,
        )
    kept: NDArray[np.bool_] = is_complete[place]
    return kept


def _refuse_single_raters(
    group: IntArray, person: IntArray, names: NDArray[Any], where: str
) -> None:
    """Refuse a system with one rater among several: who is lenient and who is good looks alike."""
    if int(np.ptp(person)) == 0:
        return
    for each, name in enumerate(names.tolist()):
        if len(np.unique(person[group == each])) == 1:
            raise InputError(
                where=where,
                found=f"one rater for all of {str(name)!r}",
                needed="at least two raters per system: else a lenient rater looks like a good "
                "system",
                cure="Have others grade it too, or take raters as they are: rater=None.",
            )
