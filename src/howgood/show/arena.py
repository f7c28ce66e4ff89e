"""A board of votes in words: is the order settled, who ties, how steady are the people?

In: `Board` of `decide.arena`, and what else votes say. Out: sentences, a `Report`, a `LiveBoard`.
Absent: counting votes (`kinds.votes`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from howgood.decide.arena import Board
from howgood.records.estimate import Estimate
from howgood.records.live_board import BoardLine, LiveBoard
from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.records.ties import tied_sets
from howgood.show.figures.ranking import gaussian_curve, ranking_figure
from howgood.show.figures.theme import to_svg
from howgood.show.group import USUAL_PEOPLE
from howgood.show.numbers import percent, probability, share_text
from howgood.show.ranking import errors_section, listed, tied_with
from howgood.show.votes import CAUTIONS, cycle_finding, side_finding, style_finding

_QUESTION = "Which system do people prefer, and is that settled?"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteCounts:
    """What happened to each system, by name: votes in all, won, lost, tied, and called bad."""

    votes: Mapping[str, int]
    won: Mapping[str, int]
    lost: Mapping[str, int]
    both_bad: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """Pairs that came again with sides swapped: the share answered alike, and what became of it.

    `left_twice` and `right_twice` count those who chose one side both times, whoever stood there.
    """

    share: Estimate | None
    pairs: int
    alike: int
    left_twice: int
    right_twice: int


_HOW_TO_READ = (
    "Tied with: systems that it cannot be separated from, by a rule that holds however often "
    "somebody looks; intervals and probabilities hold at a single look. Win rate: against an "
    "average system, when one side wins. Error against next: the probability that the system below "
    "is as good or better."
)


def verdict(board: Board) -> Finding:
    """Say whether the order is settled, and if not what would settle it."""
    if board.verdict == "settled":
        order = ", then ".join(board.ranking.order)
        return Finding(text=f"The order is settled: {order}. You can stop here.", tone="good")
    ties = "; ".join(listed(names) for names in tied_sets(board.ties))
    if board.verdict == "tied":
        return Finding(
            text=f"More votes would not settle it: {ties} tie. Whatever difference there is, it is "
            f"smaller than a win rate of {percent(0.5 + board.smallest)}. You can stop here.",
            tone="good",
        )
    more = (
        "far more votes than there are would be needed"
        if board.more_votes is None
        else f"roughly {_rounded(board.more_votes):,} more votes would settle it, one way or the "
        "other"
    )
    return Finding(text=f"Not settled yet: the order of {ties}; {more}.", tone="unsure")


def headline(board: Board, again: AskedAgain) -> Headline:
    """Return the answer: who leads, how often it wins, and whether that is settled."""
    ranking = board.ranking
    leader = ranking.order[0]
    lower, middle, upper = _win_rate(ranking, leader)
    more = [verdict(board).text]
    if again.share is not None:
        steady = f"{percent(again.share.mean)} of {again.pairs} pairs"
        more.append(f"Asked again with sides swapped, people gave the same answer in {steady}.")
    return Headline(
        title=leader,
        caption="win rate against an average system",
        text=f"{leader} leads {len(ranking.order)} systems: it wins {percent(middle)} of the votes "
        f"that prefer a side, against an average one (likely between {100 * lower:.0f} and "
        f"{100 * upper:.0f} %).",
        share=(lower, middle, upper),
        point=(0.0, 0.0),
        people=int(ranking.provenance.settings["raters"]),
        wanted=USUAL_PEOPLE,
        more=tuple(more),
        is_enough=board.verdict != "open",
    )


def _win_rate(ranking: Ranking, name: str) -> tuple[float, float, float]:
    """Return how often a system wins against an average one: lower end, middle, upper end."""
    place = ranking.index(name)
    score, sd = float(ranking.scores[place]), float(ranking.score_sds[place])
    low, middle, high = (float(expit(score + times * sd)) for times in (-1.96, 0.0, 1.96))
    return low, middle, high


def _rounded(votes: int) -> int:
    """Return a rough number as one: one digit, then zeros."""
    size = int("1".ljust(len(str(votes)), "0"))
    return max(round(votes / size) * size, 1)


def live_board(board: Board, counts: VoteCounts, *, people: int) -> LiveBoard:
    """Return the board as a page shows it while votes come in."""
    ranking = board.ranking
    settings = ranking.provenance.settings
    notes = [side_finding(settings).text, cycle_finding(settings).text]
    return LiveBoard(
        lines=_lines(board, counts),
        verdict=verdict(board),
        notes=tuple(notes),
        votes=int(settings["votes"]),
        people=people,
    )


def _lines(board: Board, counts: VoteCounts) -> tuple[BoardLine, ...]:
    ranking = board.ranking
    ties = dict(zip(board.ties, tied_with(board.ties), strict=True))
    below = dict(zip(ranking.order, ranking.order[1:], strict=False))
    lines = []
    for name in ranking.order:
        lower, win_rate, upper = _win_rate(ranking, name)
        lines.append(
            BoardLine(
                system=name,
                tied_with=ties[name],
                votes=counts.votes.get(name, 0),
                win_rate=win_rate,
                lower=lower,
                upper=upper,
                best=percent(ranking.best_probability[name]),
                error_to_next=ranking.error(name, below[name]) if name in below else None,
            )
        )
    return tuple(lines)


def report(
    board: Board,
    counts: VoteCounts,
    again: AskedAgain,
    *,
    with_length: Ranking | None,
) -> Report:
    """Return the report of a study of votes; `with_length` ranks at equal length of outputs."""
    ranking = board.ranking
    settings = ranking.provenance.settings
    findings = [verdict(board), *_again_finding(again), side_finding(settings)]
    if with_length is not None:
        findings.append(_length_finding(ranking, with_length))
    findings.append(cycle_finding(settings))
    return Report(
        title=f"Votes on {len(ranking.systems)} systems",
        question=_QUESTION,
        findings=tuple(findings),
        sections=(_board_section(board, counts), _counts_section(counts, ranking),
                  errors_section(ranking)),
        methods=_methods(board, again),
        provenance=ranking.provenance,
        cautions=CAUTIONS,
        headlines=(headline(board, again),),
    )  # fmt: skip


def _again_finding(again: AskedAgain) -> list[Finding]:
    if again.share is None:
        return []
    text = (
        f"Asked again with sides swapped, people gave the same answer in {share_text(again.share)} "
        f"of {again.pairs} pairs. No judge or metric can agree with them much more often than "
        "they do with themselves."
    )
    moved = again.left_twice + again.right_twice
    if moved:
        text += (
            f" {moved} chose one side both times, whoever stood there: {again.left_twice} the "
            f"left, {again.right_twice} the right."
        )
    return [Finding(text=text)]


def _length_finding(ranking: Ranking, with_length: Ranking) -> Finding:
    finding = style_finding(with_length.provenance.settings, "the length of the output")
    if with_length.order == ranking.order:
        return Finding(text=f"{finding.text} At equal length the order is the same.")
    order = ", ".join(with_length.order)
    text = f"{finding.text} At equal length the order would be {order}."
    return Finding(text=text, tone="unsure")


def _board_section(board: Board, counts: VoteCounts) -> Section:
    ranking = board.ranking
    curves = [
        gaussian_curve(name, float(ranking.scores[at]), float(ranking.score_sds[at]))
        for name in ranking.order
        for at in (ranking.index(name),)
    ]
    ranks = np.stack([ranking.rank_probabilities[name] for name in ranking.order])
    with ranking_figure(
        curves,
        rank_probabilities=ranks,
        barrier=None,
        score_name="strength (log odds, higher is better)",
        title=f"Strength over {ranking.doubt} like these: 95 %",
    ) as figure:
        svg = to_svg(figure, title="Strengths and rank probabilities")
    lines = _lines(board, counts)
    return Section(
        title="The board",
        text=_HOW_TO_READ,
        svg=svg,
        alt="Each system's strength with its interval, and the probability of each rank.",
        table=Table(
            {
                "system": [line.system for line in lines],
                "win rate": [
                    f"{percent(line.win_rate)} [{100 * line.lower:.0f}–{100 * line.upper:.0f}]"
                    for line in lines
                ],
                "P(best)": [line.best for line in lines],
                "tied with": [line.tied_with for line in lines],
                "error against next": [
                    "" if line.error_to_next is None else probability(line.error_to_next)
                    for line in lines
                ],
                "votes": [line.votes for line in lines],
            }
        ),
    )


def _counts_section(counts: VoteCounts, ranking: Ranking) -> Section:
    names = list(ranking.order)
    votes = [counts.votes.get(name, 0) for name in names]
    won, lost, bad = (
        [of.get(name, 0) for name in names] for of in (counts.won, counts.lost, counts.both_bad)
    )
    tied = [n - w - x - b for n, w, x, b in zip(votes, won, lost, bad, strict=True)]
    return Section(
        title="Votes by system",
        about="How often each system won, lost, tied, or was called bad.",
        text="A system that is often called bad together with its rival is not good, whatever its "
        "rank. In the ranking both bad counts as a tie.",
        table=Table(
            {"system": names, "votes": votes, "won": won, "lost": lost, "tied": tied,
             "both bad": bad}
        ),
        is_detail=True,
    )  # fmt: skip


def _methods(board: Board, again: AskedAgain) -> str:
    settings = board.ranking.provenance.settings
    return (
        f"{settings['votes']:,} blind votes on {settings['items']:,} prompts by "
        f"{settings['raters']:,} people were ranked with a Bradley-Terry model with ties "
        "(Davidson) and an effect of the side; the covariance is clustered by prompts and people. "
        "Pairs were chosen by chance in proportion to what a vote was expected to say about the "
        "differences that were open. A difference counts as settled when an interval excludes "
        f"zero that holds at all looks together with {percent(1 - board.ranking.level)} for each "
        f"pair (normal mixture; Robbins, 1970). {again.pairs:,} pairs asked again with sides "
        "swapped are not in the ranking. Computed with howgood."
    )
