"""Several leaderboards in words: criteria of one run, and segments of the grades.

In: `Ranking` by name. Out: sentences, a table and a `Report`. Absent: single boards (see
`leaderboard` and `votes`), drawing (see `figures.boards`).
"""

from collections.abc import Mapping
from itertools import permutations
from types import ModuleType

from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show import leaderboard as words_of_grades
from howgood.show import votes as words_of_votes
from howgood.show.numbers import percent
from howgood.show.ranking import listed, readable_table

_MOST_SAID = 3


def board_findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return what to say of one board, of grades or of votes."""
    said: tuple[Finding, ...] = _words(ranking).findings(ranking)
    return said


def needed_table(ranking: Ranking) -> Table | None:
    """Return what would settle each tie of one board; None without ties."""
    table: Table | None = _words(ranking).needed_rows(ranking)
    return table


def scores_of(boards: Mapping[str, Ranking]) -> str:
    """Return what boards rank by, as a heading has it."""
    is_votes = next(iter(boards.values())).metric == "strength"
    return "Strengths" if is_votes else "Mean grades"


def _words(ranking: Ranking) -> ModuleType:
    return words_of_votes if ranking.metric == "strength" else words_of_grades


def findings(boards: Mapping[str, Ranking]) -> tuple[Finding, ...]:
    """Say who is first on which board, and who is ahead here and behind there."""
    firsts = [f"{name}: {_first(ranking)}" for name, ranking in boards.items()]
    return (
        Finding(text=f"First places. {'; '.join(firsts)}."),
        *_reversals(boards),
        _by_chance(boards),
    )


def _first(ranking: Ranking) -> str:
    best = ranking.order[0]
    if not ranking.ties[best]:
        return best
    return f"not settled between {listed((best, *ranking.ties[best]))}"


def _reversals(boards: Mapping[str, Ranking]) -> list[Finding]:
    """Name pairs whose order is settled on two boards, and is not the same."""
    unique: dict[frozenset[str], tuple[str, str, str, str]] = {}
    for (here, one), (there, other) in permutations(boards.items(), 2):
        for ahead, behind in permutations(one.systems, 2):
            if not {ahead, behind} <= set(other.systems):
                continue
            if one.error(ahead, behind) < one.level and other.error(behind, ahead) < other.level:
                pair = frozenset((f"system {ahead}", f"system {behind}", here, there))
                unique.setdefault(pair, (here, there, ahead, behind))
    said = [
        Finding(text=f"{ahead} is better than {behind} on {here}, and worse on {there}.")
        for here, there, ahead, behind in list(unique.values())[:_MOST_SAID]
    ]
    if len(unique) > _MOST_SAID:
        said.append(Finding(text=f"{len(unique) - _MOST_SAID} more pairs turn round like that."))
    if not said:
        said.append(
            Finding(text="No pair of systems has a settled order on two boards that differs.")
        )
    return said


def _by_chance(boards: Mapping[str, Ranking]) -> Finding:
    level = max(ranking.level for ranking in boards.values())
    return Finding(
        text=f"These are {len(boards)} boards, each judged by itself at {percent(level)}: the more "
        "boards, the more orders look settled by chance.",
        tone="unsure",
    )


def summary(boards: Mapping[str, Ranking]) -> Table:
    """Return one row per board: how many items or votes, who is first, and how surely."""
    rankings = list(boards.values())
    counted = "votes" if rankings[0].metric == "strength" else "items"
    return Table(
        {
            "board": list(boards),
            counted: [ranking.n for ranking in rankings],
            "raters": [
                str(ranking.provenance.settings["raters"] or "not known") for ranking in rankings
            ],
            "first": [_first(ranking) for ranking in rankings],
            "best with": [
                percent(ranking.best_probability[ranking.order[0]]) for ranking in rankings
            ],
        }
    )


def report(boards: Mapping[str, Ranking], *, svg: str) -> Report:
    """Return one report of all boards: the overview, then each board's own sentences and table."""
    first = next(iter(boards.values()))
    words, scores = _words(first), scores_of(boards)
    lenient = (
        " Lenient raters move all systems alike, so that differences are surer than these "
        "intervals suggest."
    )
    sections = [
        Section(
            title="All boards",
            text=f"{scores} with 95 % intervals. Filled dots: the first of a board, and who "
            f"cannot be told apart from it.{lenient if words is words_of_grades else ''}",
            svg=svg,
            alt=f"One panel per board: {scores.lower()} of all systems with their intervals.",
            table=summary(boards),
        ),
        *(
            Section(
                title=name,
                text=" ".join(finding.text for finding in board_findings(ranking)),
                table=readable_table(ranking),
            )
            for name, ranking in boards.items()
        ),
    ]
    return Report(
        title=f"{len(boards)} leaderboards of {len(first.systems)} systems",
        question="Which places are real, and do they depend on what is asked?",
        findings=findings(boards),
        sections=tuple(sections),
        methods=f"{words.methods(first)} Every board was judged by itself.",
        provenance=first.provenance,
        cautions=words.CAUTIONS,
    )
