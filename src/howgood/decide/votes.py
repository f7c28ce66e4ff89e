"""Rank systems by votes between two of their outputs.

In: a table of left, right, winner, on any engine. Out: `Ranking`. Absent: files, and grades of
single outputs (see `decide.grades`).
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from howgood.decide.ranking import check_level, ranking_of
from howgood.decide.scores import JointScores
from howgood.errors import InputError
from howgood.records.engine_codes import CodedColumn, coded_columns
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import check_policy, complete_rows
from howgood.records.ranking import Ranking
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import half_width
from howgood.stats.joint_means import joint_means
from howgood.stats.paired_votes import LEFT, PRIOR_SD, RIGHT, TIE, VoteFit, Votes, fit_votes
from howgood.stats.randomness import RandomState, generator_and_seed

_WHERE = "votes"
_OUTCOMES = {"left": LEFT, "right": RIGHT, "tie": TIE}
_SIMULATED = 200


def rank_votes(
    votes: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    left: str = "left",
    right: str = "right",
    winner: str = "winner",
    item: str | None = None,
    rater: str | None = None,
    style: str | None = None,
    level: float = 0.05,
    missing: str = "error",
    random_state: RandomState = 0,
) -> Ranking:
    r"""Rank systems by who wins votes, and say how far to trust each place.

    With :math:`d = \theta_{left} - \theta_{right} + \delta` the chances of left, right and a tie
    are as :math:`e^{d/2} : e^{-d/2} : \nu`, the model of Bradley and Terry with Davidson's ties and
    an advantage :math:`\delta` of the left side. Prompts and raters are samples: the covariance is
    clustered by both, with Student's t by their numbers. Systems' own spread has a flat prior, as
    in `rank_grades`, and errors, ranks, P(best) and ties come from the same draws.

    Parameters
    ----------
    votes : pandas, Polars, PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per vote.
    left, right : str
        Columns: the two systems.
    winner : str
        Column: "left", "right" or "tie".
    item, rater : str, optional
        Columns: which prompt, and who voted. Without them votes are taken as independent, which
        they are not where people or prompts come back.
    style : str, optional
        Column of numbers, the left output's style less the right one's (difference in length,
        say): strengths are then those at equal style.
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
    names = [column for column in (left, right, winner, item, rater, style) if column is not None]
    kept, n_missing = _rows_of_votes(votes, names, style, missing)
    systems, coded = coded_votes(kept, (left, right, winner), (item, rater, style))
    generator, seed = generator_and_seed(random_state)
    fitted = fit_votes(coded)
    scores = _scores(systems, coded, fitted, generator)
    ranking = ranking_of(scores, level, generator, seed, dropped={"missing": n_missing})
    return replace(ranking, provenance=replace(ranking.provenance, rows_used=len(coded.left)))


def _rows_of_votes(
    votes: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    names: list[str],
    style: str | None,
    missing: str,
) -> tuple[dict[str, Any], int]:
    """Return the complete rows, as codes where the engine can make them, and how many had a gap."""
    check_policy(missing)
    numbers = [style] if style is not None else []
    others = [name for name in names if name != style]
    coded = coded_columns(votes, others, numbers, where=_WHERE)
    if coded is not None:
        return coded, 0
    columns = frame_columns(votes, names, where=_WHERE)
    if style is not None:
        columns[style] = as_numbers(columns[style], where=f"{_WHERE}, column {style!r}")
    return complete_rows(columns, missing=missing, where=_WHERE, numbers=numbers)


def coded_votes(
    columns: dict[str, Any],
    pair: tuple[str, str, str],
    others: tuple[str | None, str | None, str | None],
) -> tuple[tuple[str, ...], Votes]:
    """Return the systems' names, and votes as codes: left, right, winner; item, rater, style."""
    left, right, winner = (columns[name] for name in pair)
    levels, (one, two) = _systems(left, right)
    if np.any(one == two):
        raise InputError(
            where=f"{_WHERE}, row {int(np.argmax(one == two)) + 1}",
            found=f"{str(levels[one[int(np.argmax(one == two))]])!r} on both sides",
            needed="two different systems",
            cure="Leave such rows out.",
        )
    item, rater, style = others
    places = [None if name is None else _places(columns[name]) for name in (item, rater)]
    return tuple(str(level) for level in levels.tolist()), Votes(
        left=one,
        right=two,
        outcome=_outcomes(winner, pair[2]),
        n_competitors=len(levels),
        covariate=None if style is None else _standard(columns[style]),
        item=places[0],
        rater=places[1],
    )


def _systems(
    left: NDArray[Any] | CodedColumn, right: NDArray[Any] | CodedColumn
) -> tuple[NDArray[Any], list[IntArray]]:
    """Return the sorted systems of both sides, and which one each row has."""
    sides = [side.levels if isinstance(side, CodedColumn) else side for side in (left, right)]
    levels = distinct(np.concatenate(sides), where=_WHERE)
    places = [codes_of(side, levels, where=_WHERE) for side in sides]
    codes = [
        place[side.codes] if isinstance(side, CodedColumn) else place
        for side, place in zip((left, right), places, strict=True)
    ]
    return levels, codes


def _places(column: NDArray[Any] | CodedColumn) -> IntArray:
    places: IntArray
    if isinstance(column, CodedColumn):
        places = column.codes.astype(np.int64)
    else:
        places = np.unique(column, return_inverse=True)[1]
    return places


def _outcomes(winner: NDArray[Any] | CodedColumn, name: str) -> IntArray:
    if isinstance(winner, CodedColumn):
        outcomes: IntArray = _outcomes(winner.levels, name)[winner.codes]
        return outcomes
    given = list(map(str, winner.tolist()))
    # What a winner is called is looked at once for each way it is written.
    said = {value: value.strip().lower() for value in set(given)}
    strange = sorted(text for text in said.values() if text not in _OUTCOMES)
    if strange:
        raise InputError(
            where=f"{_WHERE}, column {name!r}",
            found=", ".join(map(repr, strange[:4])),
            needed="left, right or tie",
            cure="Say on which side the winner stood.",
        )
    codes = {value: _OUTCOMES[text] for value, text in said.items()}
    return np.fromiter(map(codes.__getitem__, given), dtype=np.int64, count=len(given))


def _standard(values: FloatArray) -> FloatArray:
    spread = float(values.std())
    return values / spread if spread > 0 else values


def _scores(
    systems: tuple[str, ...], votes: Votes, fitted: VoteFit, generator: np.random.Generator
) -> JointScores:
    joint = joint_means(fitted.strengths, fitted.components, generator=generator)
    n_items, n_raters = (
        None if codes is None else int(codes.max()) + 1 for codes in (votes.item, votes.rater)
    )
    return JointScores(
        systems=systems,
        metric="strength",
        paired=True,
        method="Bradley-Terry with ties and sides, votes clustered by items and raters",
        n=len(votes.left),
        means=fitted.strengths,
        sds=joint.own_sds,
        differences=fitted.strengths[:, None] - fitted.strengths,
        difference_variances=joint.apart_sds**2,
        difference_scale="log odds",
        draws=joint.draws,
        greater_is_better=True,
        doubt="items and raters" if n_raters is not None and n_raters > 1 else "items",
        settings={
            "votes": len(votes.left),
            "items": n_items,
            "raters": n_raters,
            "draws": len(joint.draws),
            "prior sd of strengths": PRIOR_SD,
            **_shared(fitted),
            **_checked(votes, fitted, generator),
        },
    )


def _shared(fitted: VoteFit) -> dict[str, Any]:
    """Return order effect, ties and style, each with its 95 % interval."""
    words = {"side": "order effect (left, log odds)", "tie": "log tie parameter",
             "covariate": "effect of one sd of style (log odds)"}  # fmt: skip
    shared = {}
    for name, (value, variance, freedom) in fitted.shared.items():
        half = half_width(variance, freedom, 0.95)
        shared[words[name]] = {"estimate": value, "lower": value - half, "upper": value + half}
    return shared


def _checked(votes: Votes, fitted: VoteFit, generator: np.random.Generator) -> dict[str, Any]:
    """Return how well one strength per system describes the pairs, and circles among triples."""
    k = votes.n_competitors
    table = np.bincount(
        (votes.left * k + votes.right) * 3 + votes.outcome, minlength=3 * k * k
    ).reshape(-1, 3)
    seen = np.nonzero(table.sum(axis=1))[0]
    counts, left, right = table[seen].astype(np.float64), seen // k, seen % k
    chances = fitted.probabilities(left, right)
    n = counts.sum(axis=1)
    expected = n[:, None] * chances
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
        "deviance": deviance,
        "deviance, degrees of freedom": freedom,
        "deviance, p-value": float(chi2.sf(deviance, freedom)) if freedom > 0 else None,
        "circular triples": circles,
        "circular triples by chance": float(np.mean(drawn)),
        "share of chance with as many circles": float(np.mean(np.array(drawn) >= circles)),
    }


def _circles(counts: NDArray[Any], left: IntArray, right: IntArray, k: int) -> int:
    """Count triples a beats b, b beats c, c beats a, by the majority of direct votes."""
    gained = counts[:, LEFT] - counts[:, RIGHT]
    lead = np.bincount(left * k + right, gained, k * k).reshape(k, k)
    beats = ((lead - lead.T) > 0).astype(np.float64)
    return round(float(np.trace(beats @ beats @ beats)) / 3.0)
