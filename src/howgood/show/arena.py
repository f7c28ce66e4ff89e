"""A board of votes in words: is the order settled, who ties, how steady are the people?

In: `Board` of `decide.arena`, and what else votes say. Out: sentences, a `Report`, a `LiveBoard`.
Absent: counting votes (`kinds.votes`).
"""

from collections.abc import Mapping, Sequence
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
from howgood.show.numbers import percent, probability
from howgood.show.ranking import errors_section, tied_with
from howgood.show.votes import (
    CAUTIONS,
    cycle_finding,
    few_votes_findings,
    groups_findings,
    shows_style,
    side_finding,
    some_named,
    style_finding,
)

# Fewer votes are on one side by chance now and then (6: 1 in 32).
_FEW_ON_ONE_SIDE = 6
_QUESTION = "Which system do people prefer, and is that settled?"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteCounts:
    """What happened to each system, by name: votes in all, won, lost, tied, and called bad.

    `unseen` are systems of the study on which nobody has voted.
    """

    votes: Mapping[str, int]
    won: Mapping[str, int]
    lost: Mapping[str, int]
    both_bad: Mapping[str, int]
    unseen: tuple[str, ...] = ()


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


_TIED = (
    "Tied with: systems that it cannot be separated from, by a rule that holds however often "
    "somebody looks; intervals and probabilities hold at a single look. "
)
_ERROR = " Error against next: the probability that the system below is as good or better."


def no_preference(ranking: Ranking) -> str:
    """Say that votes prefer no system at all; empty where some do."""
    said = ranking.provenance.settings.get("votes by answer")
    if said is None:  # a board saved before they were kept
        return ""
    left, right, ties = said["left"], said["right"], said["tie"]
    if left + right == 0:
        return f"None of {ties:,} votes prefers a system."
    if min(left, right) > 0 or left + right < _FEW_ON_ONE_SIDE:
        return ""
    side = "left" if left else "right"
    return (
        f"All {left + right:,} votes that prefer an output prefer the one on the {side}, whichever "
        "system it is from."
    )


def verdict(board: Board, unseen: Sequence[str] = ()) -> Finding:
    """Say whether the order is settled, and if not what would settle it.

    `unseen` are systems on which nobody has voted.
    """
    nothing = no_preference(board.ranking)
    if nothing:
        return Finding(text=f"Not settled yet. {nothing}", tone="unsure")
    if unseen:
        return _verdict_without(board, unseen)
    if board.verdict == "settled":
        order = ", then ".join(board.ranking.order)
        return Finding(text=f"The order is settled: {order}. You can stop here.", tone="good")
    ties = "; ".join(some_named(names) for names in tied_sets(board.ties))
    if board.verdict == "tied":
        return Finding(
            text=f"More votes would not settle it: {ties} tie. Whatever difference there is, it is "
            f"smaller than a win rate of {percent(0.5 + board.smallest)}. You can stop here.",
            tone="good",
        )
    return Finding(text=f"Not settled yet: the order of {ties}; {_more(board)}.", tone="unsure")


def _verdict_without(board: Board, unseen: Sequence[str]) -> Finding:
    """Say what is settled among the systems that people have voted on."""
    order = ", then ".join(board.ranking.order)
    known = f" Of the others the order is settled: {order}." if board.verdict == "settled" else ""
    return Finding(
        text=f"Not settled yet: nobody has voted on {some_named(unseen)}.{known}", tone="unsure"
    )


def _more(board: Board) -> str:
    """Say how many more votes would settle the order."""
    if board.ranking.provenance.settings["groups never compared"]:
        return "some of them were never compared, and no number of such votes would settle it"
    if board.more_votes is None:
        return "far more votes than there are would be needed"
    return (
        f"roughly {_rounded(board.more_votes):,} more votes would settle it, one way or the other"
    )


def headline(board: Board, counts: VoteCounts, again: AskedAgain) -> Headline:
    """Return the answer: who leads, how often it wins, and whether that is settled."""
    ranking = board.ranking
    leader = ranking.order[0]
    lower, middle, upper = _win_rate(ranking, leader)
    more = [verdict(board, counts.unseen).text]
    if again.pairs:
        more.append(
            f"Asked again with sides swapped, people gave the same answer in {again.alike} of "
            f"{again.pairs} pairs."
        )
    wins = (
        f"{percent(middle)} of the votes that prefer a side, against {_rival(ranking, 'one')} "
        f"(likely between {100 * lower:.0f} and {100 * upper:.0f} %)"
    )
    if board.ties[leader]:
        title, caption = "No clear winner", f"win rate of {leader}, first so far"
        text = (
            f"{leader} is first so far, and the best of {len(ranking.order)} systems with a "
            f"probability of {percent(ranking.best_probability[leader])}: it wins {wins}."
        )
    else:
        title, caption = leader, f"win rate against {_rival(ranking, 'system')}"
        text = f"{leader} leads {len(ranking.order)} systems: it wins {wins}."
    return Headline(
        title=title,
        caption=caption,
        text=text,
        share=(lower, middle, upper),
        point=(0.0, 0.0),
        people=int(ranking.provenance.settings["raters"]),
        wanted=USUAL_PEOPLE,
        more=tuple(more),
        is_enough=board.verdict != "open" and not counts.unseen,
    )


def _rival(ranking: Ranking, noun: str) -> str:
    """Return against whom win rates count: of two systems, the other one."""
    return f"the other {noun}" if len(ranking.systems) == 2 else f"an average {noun}"


def _win_rate(ranking: Ranking, name: str) -> tuple[float, float, float]:
    """Return how often a system wins against `_rival`: lower end, middle, upper end."""
    place = ranking.index(name)
    # Strengths are centred: of two systems, the other one is as far from it twice.
    away = 2.0 if len(ranking.systems) == 2 else 1.0
    score, sd = away * float(ranking.scores[place]), away * float(ranking.score_sds[place])
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
    findings = (*groups_findings(ranking), side_finding(settings), cycle_finding(settings))
    return LiveBoard(
        lines=_lines(board, counts),
        verdict=verdict(board, counts.unseen),
        against=_rival(ranking, "system"),
        notes=tuple(finding.text for finding in findings),
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
    findings = [
        verdict(board, counts.unseen),
        *groups_findings(ranking),
        *_again_finding(again),
        *few_votes_findings(ranking),
        side_finding(settings),
    ]
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
        headlines=(headline(board, counts, again),),
    )  # fmt: skip


def _again_finding(again: AskedAgain) -> list[Finding]:
    if again.share is None:
        return []
    ends = again.share.interval
    text = (
        f"Asked again with sides swapped, people gave the same answer in {again.alike} of "
        f"{again.pairs} pairs (likely between {100 * ends.lower:.0f} and {100 * ends.upper:.0f} %)."
        " No judge or metric can agree with them much more often than they do with themselves."
    )
    moved = again.left_twice + again.right_twice
    if moved:
        text += (
            f" {moved} chose one side both times, whoever stood there: {again.left_twice} the "
            f"left, {again.right_twice} the right."
        )
    return [Finding(text=text)]


def _length_finding(ranking: Ranking, with_length: Ranking) -> Finding:
    """Say what longer outputs gain; and which order that would leave, where there is an effect."""
    settings = with_length.provenance.settings
    finding = style_finding(settings, "the length of the output")
    if not shows_style(settings):
        return finding
    if with_length.order == ranking.order:
        return Finding(text=f"{finding.text} At equal length the order is the same.")
    text = f"{finding.text} At equal length the order would be {some_named(with_length.order)}."
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
        title=f"Strength over {ranking.doubt.replace('items', 'prompts')} like these: 95 %",
    ) as figure:
        svg = to_svg(figure, title="Strengths and rank probabilities")
    lines = _lines(board, counts)
    return Section(
        title="The board",
        text=f"{_TIED}Win rate: against {_rival(ranking, 'system')}, when one side wins.{_ERROR}",
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
