"""A board that people look at while votes come in: what is settled, what ties, what is open?

In: votes so far. Out: `Board`. Absent: which pair is shown next (see `kinds.votes`), and boards of
votes that are complete (`rank_votes` says more with them: it need not hold at every look).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from howgood.decide.ranking import check_level
from howgood.decide.vote_rows import VoteRoles, coded_votes
from howgood.decide.votes import rank_votes
from howgood.records.ranking import Ranking
from howgood.records.table import frame_columns
from howgood.records.ties import ties_among
from howgood.stats.arrays import FloatArray
from howgood.stats.clustered_influence import satterthwaite
from howgood.stats.paired_votes import VoteFit, fit_votes
from howgood.stats.randomness import RandomState
from howgood.stats.sequential import lasting_half_width, sd_that_settles, widened_sd

Verdict = Literal["settled", "tied", "open"]
# Nobody collects so many times the votes there are.
_MOST_TIMES = 50.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """Systems in order, and which of their differences are settled at every look.

    `ties` says of each system, best first, from which others it is not settled apart. `verdict` is
    "settled" when every pair is, "tied" when all pairs that are not are known to differ by less
    than what matters, else "open". `more_votes` is a rough number
    of votes until one of the first two; None: too many to name, or none are needed. `lower` and
    `upper` (K, K) are the ends of the differences' intervals (log odds), which hold at all looks.
    """

    ranking: Ranking
    ties: Mapping[str, tuple[str, ...]]
    verdict: Verdict
    more_votes: int | None
    lower: FloatArray
    upper: FloatArray
    smallest: float

    def is_settled(self, first: str, second: str) -> bool:
        """Return whether the first is settled to be better than the second."""
        return bool(self.lower[self.ranking.index(first), self.ranking.index(second)] > 0)


def board(
    votes: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    item: str | None = "item",
    rater: str | None = "rater",
    level: float = 0.05,
    smallest: float = 0.1,
    random_state: RandomState = 0,
) -> Board:
    """Rank systems by votes so far, and say what is settled however often somebody looks.

    Parameters
    ----------
    votes : table with columns left, right, winner, and perhaps item and rater
    item, rater : str or None
        Columns: which prompt, and who voted.
    level : float
        Probability, at most, that two equal systems are ever called different.
    smallest : float
        Differences in win rate from one half that matter: 0.1 is 60 to 40.
    random_state : None, int or Generator
        For the draws of the ranking.
    """
    check_level(level)
    ranking = rank_votes(votes, item=item, rater=rater, level=level, random_state=random_state)
    roles = VoteRoles(item=item, rater=rater)
    _, coded = coded_votes(frame_columns(votes, roles.names, where="votes"), roles)
    fitted = fit_votes(coded)
    sds = lasting_sds(fitted)
    half = lasting_half_width(sds, level=level)
    gaps = fitted.strengths[:, None] - fitted.strengths
    np.fill_diagonal(half, 0.0)
    margin = float(np.log((0.5 + smallest) / (0.5 - smallest)))
    lower, upper = gaps - half, gaps + half
    ties = ties_among(
        ranking.order,
        lambda ahead, behind: bool(lower[ranking.index(ahead), ranking.index(behind)] > 0),
    )
    open_pairs = _open(lower, upper, margin)
    is_settled = not any(ties.values())
    return Board(
        ranking=ranking,
        ties=ties,
        verdict="settled" if is_settled else "open" if open_pairs else "tied",
        more_votes=_more_votes(open_pairs, gaps, sds, margin, level, len(coded.left)),
        lower=lower,
        upper=upper,
        smallest=smallest,
    )


def lasting_sds(fitted: VoteFit) -> FloatArray:
    """Return sds (K, K) of all differences, as wide as few prompts and raters make them.

    Votes that happen to agree within every prompt and rater are no surer than single ones: the
    larger of the clustered variance and that of the model alone counts.
    """
    parts = [
        (_of_differences(component.shape), component.freedom) for component in fitted.components
    ]
    plain = _of_differences(fitted.unclustered)
    k = len(fitted.strengths)
    sds = np.zeros((k, k))
    for i, j in combinations(range(k), 2):
        sizes = [(max(float(part[i, j]), 0.0), freedom) for part, freedom in parts]
        clustered = sum(size for size, _ in sizes)
        freedom = satterthwaite(*sizes) if clustered > 0 else 1.0
        variance = max(clustered, float(plain[i, j]))
        sds[i, j] = sds[j, i] = float(widened_sd(np.sqrt(variance), freedom))
    return sds


def _of_differences(covariance: FloatArray) -> FloatArray:
    own = np.diag(covariance)
    return own[:, None] + own - 2.0 * covariance


def _open(lower: FloatArray, upper: FloatArray, margin: float) -> list[tuple[int, int]]:
    """Return pairs that are neither settled nor known to differ too little."""
    return [
        (i, j)
        for i, j in combinations(range(len(lower)), 2)
        if lower[i, j] <= 0 <= upper[i, j] and not (lower[i, j] > -margin and upper[i, j] < margin)
    ]


def _more_votes(
    pairs: list[tuple[int, int]],
    gaps: FloatArray,
    sds: FloatArray,
    margin: float,
    level: float,
    n_votes: int,
) -> int | None:
    """Return about how many more votes settle the pairs, one way or the other, if gaps stay."""
    if not pairs:
        return None
    first, second = np.array(pairs).T
    away = np.abs(gaps[first, second])
    wanted = sd_that_settles(np.maximum(away, margin - away), level=level)
    times = float(np.max((sds[first, second] / np.maximum(wanted, 1e-9)) ** 2)) - 1.0
    return int(np.ceil(times * n_votes)) if times <= _MOST_TIMES else None
