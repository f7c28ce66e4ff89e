"""How the choice of alpha and beta moves the Relevance Score of several models.

In: one report per model. Out: `RelevanceSweep`: a line per model, and where lines
cross. Absent: sentences and pictures about it (see `show`).

Only the share alpha / (alpha + beta) matters, and the score is linear in it: from the score at
infinite beta (share 0) to the score at infinite alpha (share 1). Two numbers per model hold the
whole sweep, and any change of order happens at one computable share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from howgood.errors import InputError
from howgood.records.table import Table, Tabular
from howgood.score.relevance_reporting import RelevanceReport
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceSweep(Tabular):
    """Relevance Scores over alpha / (alpha + beta), and where two models change places.

    `lines` has a row per model and share (score, lower, upper); `crossings` a row per pair of
    models: the share at which they are level (NaN where one is ahead at every share), who leads
    on either side, and how probable each lead is over resampled test rows.

    Stability: stable
    """

    frame_of: ClassVar[str] = "lines"

    lines: Table
    crossings: Table

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "lines": list(self.lines.rows()),
            "crossings": list(self.crossings.rows()),
        }


def relevance_sweep(reports: Mapping[str, RelevanceReport], *, steps: int = 21) -> RelevanceSweep:
    """Return each model's score over every alpha and beta, and where the order changes.

    Parameters
    ----------
    reports : mapping of str to RelevanceReport
        One report per model, all of the same test rows and made with the same `random_state`,
        so that their resamples are paired.
    steps : int
        Number of shares from 0 to 1.

    Notes
    -----
    Stability: stable

    References
    ----------
    Gopalakrishna et al. (2013), sections 4.2 and 4.3.

    Examples
    --------
    >>> from howgood import learn, score
    >>> rows = {"room": ["x"] * 10, "light": [*"AAAABBBBCC"]}
    >>> table = learn.outcome_probabilities(rows, outcome="light", context=["room"])
    >>> report = score.relevance_report([*"CCCC"], [*"ABAB"], contexts={"room": ["x"] * 4},
    ...                                 table=table, random_state=0)
    >>> relevance_sweep({"model": report}, steps=3).lines["score"].round(6).tolist()
    [80.0, 90.0, 100.0]
    """
    _check(reports)
    shares = np.linspace(0.0, 1.0, steps)
    lines = [_line(name, report, shares) for name, report in reports.items()]
    pairs = [_pair(a, b, reports[a], reports[b]) for a, b in combinations(reports, 2)]
    return RelevanceSweep(
        lines=Table({name: np.concatenate([line[name] for line in lines]) for name in lines[0]}),
        crossings=_crossings(pairs),
    )


def _line(name: str, report: RelevanceReport, shares: FloatArray) -> Table:
    alpha, beta = report.at_infinite_alpha, report.at_infinite_beta
    draws = np.outer(shares, alpha.draws) + np.outer(1.0 - shares, beta.draws)
    tail = (1.0 - report.estimate.interval.probability) / 2.0
    tails = [tail, 1.0 - tail]
    # Rows not seen yet widen the intervals at both ends beyond their draws (all rows right leave
    # doubt about the next one): in between in proportion.
    beyond = [
        [end.interval.lower, end.interval.upper] - np.quantile(end.draws, tails)
        for end in (alpha, beta)
    ]
    band = np.quantile(draws, tails, axis=1)
    band += np.outer(beyond[0], shares) + np.outer(beyond[1], 1.0 - shares)
    lower, upper = np.clip(band, 0.0, 100.0)
    return Table(
        {
            "model": [name] * len(shares),
            "alpha_share": shares,
            "score": shares * alpha.mean + (1.0 - shares) * beta.mean,
            "lower": lower,
            "upper": upper,
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    first: str
    second: str
    share: float
    leader_at_beta: str
    sure_at_beta: float
    leader_at_alpha: str
    sure_at_alpha: float


def _pair(a: str, b: str, first: RelevanceReport, second: RelevanceReport) -> _Pair:
    gap_alpha = first.at_infinite_alpha.mean - second.at_infinite_alpha.mean
    gap_beta = first.at_infinite_beta.mean - second.at_infinite_beta.mean
    crosses = gap_alpha * gap_beta < 0
    leader_beta, sure_beta = _leader(a, b, gap_beta, first.at_infinite_beta.draws,
                                     second.at_infinite_beta.draws)  # fmt: skip
    leader_alpha, sure_alpha = _leader(a, b, gap_alpha, first.at_infinite_alpha.draws,
                                       second.at_infinite_alpha.draws)  # fmt: skip
    return _Pair(
        first=a,
        second=b,
        share=gap_beta / (gap_beta - gap_alpha) if crosses else float("nan"),
        leader_at_beta=leader_beta,
        sure_at_beta=sure_beta,
        leader_at_alpha=leader_alpha,
        sure_at_alpha=sure_alpha,
    )


def _leader(a: str, b: str, gap: float, first: FloatArray, second: FloatArray) -> tuple[str, float]:
    """Return who leads and the share of paired resamples that agree, ties counting one half."""
    ahead = float(np.mean(first > second) + 0.5 * np.mean(first == second))
    return (a, ahead) if gap >= 0 else (b, 1.0 - ahead)


def _crossings(pairs: list[_Pair]) -> Table:
    return Table(
        {
            "first": [pair.first for pair in pairs],
            "second": [pair.second for pair in pairs],
            "level at alpha share": np.array([pair.share for pair in pairs], dtype=np.float64),
            "leads at infinite beta": [pair.leader_at_beta for pair in pairs],
            "p lead (beta)": np.array([pair.sure_at_beta for pair in pairs], dtype=np.float64),
            "leads at infinite alpha": [pair.leader_at_alpha for pair in pairs],
            "p lead (alpha)": np.array([pair.sure_at_alpha for pair in pairs], dtype=np.float64),
        }
    )


def _check(reports: Mapping[str, RelevanceReport]) -> None:
    sizes = {(report.n_rows, len(report.estimate.draws)) for report in reports.values()}
    if len(sizes) != 1:
        raise InputError(
            where="relevance_sweep",
            found=f"reports of {len(sizes)} different sets of rows" if sizes else "no reports",
            needed="at least one report, all of the same rows and resamples",
            cure="Make every report from the same test rows with the same random_state.",
        )
