"""The result of a study of votes: the board, and how steady the people are.

In: who counts. Out: `StudyResult`, or the board so far. Absent: the statistics (`decide`) and the
words and pictures (`show`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howgood import decide
from howgood.decide.arena import Board, board
from howgood.kinds.fit import Respondent, Sample, insufficient_evidence
from howgood.kinds.study import Study, plan_of
from howgood.kinds.votes.plan import VotesPlan
from howgood.records.estimate import Estimate
from howgood.records.inclusion import POLICIES
from howgood.records.live_board import LiveBoard
from howgood.records.progress import Progress
from howgood.records.ranking import Ranking
from howgood.records.result import StudyResult
from howgood.records.table import Table
from howgood.show import arena as words
from howgood.show.people import people_text
from howgood.show.results import whole_report
from howgood.stats.shares import share_draws

_QUESTION = "Which system do people prefer, and is that settled?"
_CURE = "Let more people vote: 20 votes of a dozen people are a beginning."
_NOTHING_CURE = (
    "Look at single votes on the Data page: do people read both outputs, and do the outputs differ?"
)
_LEAST_VOTES, _DRAWS = 5, 4000
_LEVEL = 0.05
Rows = Sequence[Mapping[str, Any]]


def result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    """Rank the systems and return the report, or what is missing for one."""
    votes = _votes(sample)
    if not _is_enough(votes):
        return insufficient_evidence(sample, question=_QUESTION, why=_lacking(votes), cure=_CURE)
    seed = int(settings.get("seed", 1))
    progress(0.1, "ranking")
    made = _board(votes, study, seed)
    if nothing := words.no_preference(made.ranking):
        return insufficient_evidence(sample, question=_QUESTION, why=nothing, cure=_NOTHING_CURE)
    progress(0.6, "drawing the pictures")
    report = words.report(
        made,
        _counts(votes, study),
        _asked_again(sample.people, seed),
        with_length=_at_equal_length(votes),
    )
    return StudyResult(
        report=whole_report(
            report,
            title=study.title,
            first=(),
            left_out=sample.left_out,
            policy=POLICIES[sample.policy],
        ),
        summary=people_text(len(sample.people), len(votes)),
        people=len(sample.people),
        answers=sample.held,
        left_out=sample.left_out,
    )


def live_board(sample: Sample, study: Study) -> LiveBoard | None:
    """Return the board so far; None while there are too few votes for one."""
    votes = _votes(sample)
    if not _is_enough(votes):
        return None
    made = _board(votes, study, seed=1)
    return words.live_board(made, _counts(votes, study), people=len(sample.people))


def _votes(sample: Sample) -> Rows:
    """Return every vote on a new pair: those asked again say how steady people are."""
    return [row for person in sample.people for row in person.rows if not row["repeats"]]


def _is_enough(votes: Rows) -> bool:
    return len(votes) >= _LEAST_VOTES and len({row["participant"] for row in votes}) > 1


def _lacking(votes: Rows) -> str:
    """Say what is missing for a board."""
    if not votes:
        return "Nobody has voted yet."
    if len({row["participant"] for row in votes}) == 1:
        return "Only one person has voted."
    return f"There are only {len(votes)} votes."


def _board(votes: Rows, study: Study, seed: int) -> Board:
    names = {"left": "left", "right": "right", "winner": "winner", "item": "prompt",
             "rater": "participant"}  # fmt: skip
    table = Table(
        {name: np.array([row[of] for row in votes], dtype=object) for name, of in names.items()}
    )
    smallest = plan_of(study, VotesPlan).smallest
    return board(table, level=_LEVEL, smallest=smallest, random_state=seed)


def _at_equal_length(votes: Rows) -> Ranking | None:
    """Return the ranking at equal length of outputs; None where they have none, or all the same."""
    known = [row for row in votes if row["left_length"] and row["right_length"]]
    longer = np.array([row["left_length"] - row["right_length"] for row in known], dtype=float)
    if len(known) < len(votes) or not np.ptp(longer):
        return None
    names = ("left", "right", "winner", "prompt", "participant")
    columns = {name: np.array([row[name] for row in known], dtype=object) for name in names}
    return decide.rank_votes(
        Table({**columns, "longer": longer}), item="prompt", rater="participant", style="longer"
    )


def _counts(votes: Rows, study: Study) -> words.VoteCounts:
    seen: Counter[str] = Counter()
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    for row in votes:
        sides = (row["left"], row["right"])
        seen.update(sides)
        if row["winner"] != "tie":
            winner, loser = sides if row["winner"] == "left" else sides[::-1]
            won[winner] += 1
            lost[loser] += 1
        elif row["choice"] == "both_bad":
            bad.update(sides)
    unseen = tuple(name for name in plan_of(study, VotesPlan).systems if name not in seen)
    return words.VoteCounts(votes=seen, won=won, lost=lost, both_bad=bad, unseen=unseen)


def _asked_again(people: Sequence[Respondent], seed: int) -> words.AskedAgain:
    by_person: list[tuple[int, int]] = []
    sides: Counter[str] = Counter()
    for person in people:
        first = {row["number"]: row for row in person.rows if not row["repeats"]}
        pairs = [(first[row["repeats"]], row) for row in person.rows
                 if row["repeats"] in first]  # fmt: skip
        alike = [_preferred(before) == _preferred(after) for before, after in pairs]
        if pairs:
            by_person.append((sum(alike), len(pairs)))
        sides.update(
            str(after["winner"])
            for before, after in pairs
            if before["winner"] == after["winner"] != "tie"
        )
    alike_all, asked = (
        (sum(entry) for entry in zip(*by_person, strict=True)) if by_person else (0, 0)
    )
    return words.AskedAgain(
        share=_share(by_person, seed) if by_person else None,
        pairs=asked,
        alike=alike_all,
        left_twice=sides["left"],
        right_twice=sides["right"],
    )


def _preferred(row: Mapping[str, Any]) -> str:
    return str(row[row["winner"]]) if row["winner"] != "tie" else ""


def _share(by_person: Sequence[tuple[int, int]], seed: int) -> Estimate:
    alike, asked = np.array(by_person, dtype=np.float64).T
    draws = share_draws(
        alike, asked, weights=asked, draws=_DRAWS, generator=np.random.default_rng(seed)
    )
    return Estimate.from_draws(draws, kind="quantile")
