"""Rank systems by votes between two of their outputs.

In: a table of left, right, winner, on any engine. Out: `Ranking`. Absent: files, rows and what
their words mean (see `decide.vote_rows`), and grades of single outputs (see `decide.grades`).

Votes that live on Spark are counted and summed there (see `decide.spark_votes`).
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from howgood.decide.ranking import check_level, ranking_of
from howgood.decide.scores import JointScores
from howgood.decide.spark_votes import votes_on_spark
from howgood.decide.vote_rows import (
    AskedAgain,
    VoteRoles,
    rows_of_votes,
    segments_of_votes,
)
from howgood.errors import DroppedRowsWarning, InputError
from howgood.records.ranking import Ranking, Sources
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import half_width
from howgood.stats.joint_means import JointMeans, Unequal, joint_means
from howgood.stats.paired_votes import (
    PRIOR_SD,
    VoteFit,
    fitted_votes,
    heights_of_sides,
    mode_of_votes,
    seen_from_shrunk,
)
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.shares import share_draws
from howgood.stats.vote_clusters import (
    LEFT,
    RIGHT,
    VoteCells,
    cells_of,
    sums_of_votes,
)

_SIMULATED, _SHARES = 200, 4000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fitted:
    """A fit with what its words need: counts by pair, and how many there are of everything."""

    systems: tuple[str, ...]
    cells: VoteCells
    fit: VoteFit
    seen_from_shrunk: Unequal | None
    n_votes: int
    n_items: int | None
    n_raters: int | None
    n_missing: int
    n_again: int = 0
    again: AskedAgain | None = None
    n_same: int | None = None


def rank_votes(
    votes: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    left: str = "left",
    right: str = "right",
    winner: str = "winner",
    item: str | None = None,
    rater: str | None = None,
    style: str | None = None,
    repeats: str | None = None,
    segment: str | None = None,
    level: float = 0.05,
    missing: str = "error",
    random_state: RandomState = 0,
) -> Ranking:
    r"""Rank systems by who wins votes, and say how far to trust each place.

    With :math:`d = \theta_{left} - \theta_{right} + \delta` the chances of left, right and a tie
    are as :math:`e^{d/2} : e^{-d/2} : \nu`, the model of Bradley and Terry with Davidson's ties and
    an advantage :math:`\delta` of the left side. Prompts and raters are samples: the covariance is
    clustered by both, with Student's t by their numbers. Systems' own spread has a flat prior, as
    in `rank_grades`, but each system shrinks by its own variance: one with few votes does not lead
    by chance, nor make others less sure. Errors, ranks, P(best) and ties come from the same draws.

    Parameters
    ----------
    votes : pandas, Polars, PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per vote.
    left, right : str
        Columns: the two systems.
    winner : str
        Column: "left", "right" or "tie"; also "model_a", "model_b", "tie (bothbad)", "A", "B", 1,
        2, or the winner's name.
    item, rater : str, optional
        Columns: which prompt, and who voted. Without them votes are taken as independent, which
        they are not where people or prompts come back.
    style : str, optional
        Column of numbers, the left output's style less the right one's (difference in length,
        say): strengths are then those at equal style.
    repeats : str, optional
        Column that is empty for a new pair, and filled where a rater sees an earlier pair again.
        Such votes are no evidence of their own: they are not ranked by, but say how often raters
        agree with themselves.
    segment : str, optional
        Column that divides the votes (a language, a kind of prompt). `.segments` then holds one
        ranking each, made from its rows alone.
    level : float
        Error level of tie groups and rank intervals.
    missing : {"error", "drop"}
        What to do with rows holding a missing value.
    random_state : None, int or Generator
        For the draws.

    Returns
    -------
    Ranking
        Scores are log odds, 0 is the average system. Its provenance holds the order effect, the
        tie parameter, the effect of style, how well the model fits, and how many triples of
        systems go round in a circle, next to how many would by chance.

    References
    ----------
    Bradley, Terry (1952); Davidson (1970), "On extending the Bradley-Terry model to accommodate
    ties"; Cameron, Gelbach, Miller (2011).

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> votes = {"left": ["a", "a", "b", "b", "c", "a"] * 5,
    ...          "right": ["b", "c", "c", "a", "a", "b"] * 5,
    ...          "winner": ["left", "left", "tie", "right", "right", "left"] * 5}
    >>> rank_votes(votes).order[0]
    'a'
    """
    check_level(level)
    roles = VoteRoles(
        left=left, right=right, winner=winner, item=item, rater=rater, style=style,
        repeats=repeats, segment=segment,
    )  # fmt: skip
    whole = _ranked(votes, roles, level, missing, random_state)
    if segment is None:
        return whole
    boards, own = {}, replace(roles, segment=None)
    for name, rows in segments_of_votes(votes, segment):
        try:
            # Gaps were refused or announced of all rows.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DroppedRowsWarning)
                boards[name] = _ranked(rows, own, level, missing, random_state)
        except InputError as error:
            error.found_in(f"{error.where}, segment {name!r}")
            raise
    return replace(whole, segments=boards)


def _ranked(
    votes: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: VoteRoles,
    level: float,
    missing: str,
    random_state: RandomState,
) -> Ranking:
    generator, seed = generator_and_seed(random_state)
    found = _on_spark(votes, roles, missing) or _in_memory(votes, roles, missing)
    joint = joint_means(
        found.fit.strengths,
        found.fit.components,
        generator=generator,
        unequal=found.seen_from_shrunk,
    )
    scores = _scores(found, joint, generator)
    dropped = {"missing": found.n_missing, "asked again": found.n_again}
    ranking = ranking_of(scores, level, generator, seed, dropped=dropped)
    return replace(
        ranking,
        provenance=replace(ranking.provenance, rows_used=found.n_votes),
        sources=_sources(found),
        places=_places(ranking, joint.middles),
    )


def _in_memory(votes: Any, roles: VoteRoles, missing: str) -> _Fitted:  # noqa: ANN401 - any table
    rows = rows_of_votes(votes, roles, missing)
    cells = cells_of(rows.votes)
    mode = mode_of_votes(cells, len(rows.systems))
    codes = (rows.votes.item, rows.votes.rater)
    n_items, n_raters = (None if places is None else int(places.max()) + 1 for places in codes)
    n_again = 0 if rows.again is None else int(rows.again.by_rater[:, 1].sum())
    sums = sums_of_votes(mode.model, rows.votes)
    fit = fitted_votes(mode, sums)
    return _Fitted(
        systems=rows.systems,
        cells=cells,
        fit=fit,
        seen_from_shrunk=seen_from_shrunk(cells, mode, fit),
        n_votes=len(rows.votes.left),
        n_items=n_items,
        n_raters=n_raters,
        n_missing=rows.n_missing,
        n_again=n_again + (0 if rows.again is None else rows.again.left_over),
        again=rows.again,
        n_same=sums.n_same,
    )


def _on_spark(votes: Any, roles: VoteRoles, missing: str) -> _Fitted | None:  # noqa: ANN401 - any table
    found = votes_on_spark(votes, roles, missing)
    if found is None:
        return None
    fit = fitted_votes(found.mode, found.sums)
    return _Fitted(
        systems=found.systems,
        cells=found.cells,
        fit=fit,
        seen_from_shrunk=seen_from_shrunk(found.cells, found.mode, fit),
        n_votes=found.sums.n_votes,
        n_items=found.n_items,
        n_raters=found.n_raters,
        n_missing=found.n_missing,
        n_again=found.n_again,
    )


def _places(ranking: Ranking, middles: FloatArray) -> IntArray | None:
    """Return each system's place where it is not that of its score; None: all are.

    Every system is at least as likely ahead of the next one as behind it.
    """
    path: list[int] = []
    # Rounded, so that equal systems stay as they were given.
    for system in np.argsort(-np.round(middles, 9), kind="stable").tolist():
        beaten = [at for at, other in enumerate(path) if ranking.errors[system, other] < 0.5]
        path.insert(beaten[0] if beaten else len(path), system)
    names = [ranking.systems[system] for system in path]
    return None if names == list(ranking.order) else np.argsort(path)


def _sources(found: _Fitted) -> Sources:
    """Return which part of every difference's variance falls with more prompts and raters.

    Without prompts, single votes take their place.
    """
    by = (found.fit.by_items, found.fit.by_raters, found.fit.by_both)
    items, raters, both = (np.maximum(_of_differences(part), 0.0) for part in by)
    return Sources(
        items=items,
        raters=raters,
        both=both,
        n_items=found.n_votes if found.n_items is None else found.n_items,
        n_raters=found.n_raters,
    )


def _of_differences(covariance: FloatArray) -> FloatArray:
    own = np.diag(covariance)
    differences: FloatArray = own[:, None] + own - 2.0 * covariance
    return differences


def _scores(found: _Fitted, joint: JointMeans, generator: np.random.Generator) -> JointScores:
    strengths, n_raters = found.fit.strengths, found.n_raters
    return JointScores(
        systems=found.systems,
        metric="strength",
        paired=True,
        method="Bradley-Terry with ties and sides, votes clustered by items and raters",
        n=found.n_votes,
        means=strengths,
        sds=joint.own_sds,
        differences=strengths[:, None] - strengths,
        difference_variances=joint.apart_sds**2,
        difference_scale="log odds",
        draws=joint.draws,
        greater_is_better=True,
        doubt="items and raters" if n_raters is not None and n_raters > 1 else "items",
        settings={
            "votes": found.n_votes,
            "items": found.n_items,
            "raters": n_raters,
            "draws": len(joint.draws),
            "prior sd of strengths": PRIOR_SD,
            **_shared(found.fit),
            **_checked(found, generator),
            **_asked_again(found, generator),
        },
    )


def _asked_again(found: _Fitted, generator: np.random.Generator) -> dict[str, Any]:
    """Return what votes asked again say, and how many look as if they were."""
    settings: dict[str, Any] = {"votes on the same pair again": found.n_same}
    if found.again is not None and len(found.again.by_rater):
        alike, asked = found.again.by_rater.astype(np.float64).T
        draws = share_draws(alike, asked, weights=asked, draws=_SHARES, generator=generator)
        lower, upper = np.quantile(draws, [0.025, 0.975])
        settings["asked again"] = {
            "votes": int(asked.sum()),
            "alike": int(alike.sum()),
            "lower": float(lower),
            "upper": float(upper),
        }
    return settings


def _shared(fitted: VoteFit) -> dict[str, Any]:
    """Return order effect, ties and style, each with its 95 % interval."""
    words = {"side": "order effect (left, log odds)", "tie": "log tie parameter",
             "covariate": "effect of one sd of style (log odds)"}  # fmt: skip
    shared = {}
    for name, (value, variance, freedom) in fitted.shared.items():
        half = half_width(variance, freedom, 0.95)
        shared[words[name]] = {"estimate": value, "lower": value - half, "upper": value + half}
    return shared


def _checked(found: _Fitted, generator: np.random.Generator) -> dict[str, Any]:
    """Return how well one strength per system describes the pairs, and circles among triples."""
    k, fitted, cells = len(found.systems), found.fit, found.cells
    key = cells.left * k + cells.right
    of_cells = fitted.probabilities(cells.left, cells.right, 0.0 if cells.x is None else cells.x)
    of_cells = of_cells * cells.counts.sum(axis=1)[:, None]
    table, likely = (
        np.column_stack([np.bincount(key, each, k * k) for each in values.T])
        for values in (cells.counts, of_cells)
    )
    seen = np.nonzero(table.sum(axis=1))[0]
    heights = heights_of_sides(seen // k, seen % k)
    counts, left, right = table[seen].astype(np.float64), seen // k, seen % k
    n, expected = counts.sum(axis=1), likely[seen]
    chances = expected / n[:, None]
    ratio = np.log(np.where(counts > 0, counts / np.maximum(expected, 1e-300), 1.0))
    deviance = 2.0 * float(np.sum(counts * ratio))
    n_outcomes = 3 if "tie" in fitted.shared else 2
    freedom = len(seen) * (n_outcomes - 1) - (k - 1) - len(fitted.shared)
    circles = _circles(counts, left, right, k)
    drawn = [
        _circles(generator.multinomial(n.astype(np.int64), chances), left, right, k)
        for _ in range(_SIMULATED if k <= 100 else _SIMULATED // 10)
    ]
    return {
        **_connected(found.systems, counts, left, right),
        "every pair one way round": heights is not None,
        "sides of systems": {found.systems[at]: step for at, step in (heights or {}).items()},
        "deviance": deviance,
        "deviance, degrees of freedom": freedom,
        "deviance, p-value": float(chdtrc(freedom, deviance)) if freedom > 0 else None,
        "circular triples": circles,
        "circular triples by chance": float(np.mean(drawn)),
        "share of chance with as many circles": float(np.mean(np.array(drawn) >= circles)),
    }


def _connected(
    systems: tuple[str, ...], counts: FloatArray, left: IntArray, right: IntArray
) -> dict[str, Any]:
    """Return how many votes each system and each answer has, and groups no vote connects."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    k, n = len(systems), counts.sum(axis=1)
    votes = np.bincount(left, n, k) + np.bincount(right, n, k)
    answers = counts.sum(axis=0).astype(int).tolist()
    _, group = connected_components(coo_matrix((n, (left, right)), shape=(k, k)), directed=False)
    groups = [
        [name for name, own in zip(systems, group, strict=True) if own == number]
        for number in np.unique(group)
    ]
    return {
        "votes by system": dict(zip(systems, votes.astype(int).tolist(), strict=True)),
        "votes by answer": dict(zip(("left", "right", "tie"), answers, strict=True)),
        "groups never compared": groups if len(groups) > 1 else [],
    }


def _circles(counts: NDArray[Any], left: IntArray, right: IntArray, k: int) -> int:
    """Count triples a beats b, b beats c, c beats a, by the majority of direct votes."""
    gained = counts[:, LEFT] - counts[:, RIGHT]
    lead = np.bincount(left * k + right, gained, k * k).reshape(k, k)
    beats = ((lead - lead.T) > 0).astype(np.float64)
    return round(float(np.trace(beats @ beats @ beats)) / 3.0)
