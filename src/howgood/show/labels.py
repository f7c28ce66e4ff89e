"""A ranking of predicted labels by what somebody values, in words.

In: `Ranking` of `decide.rank_predictions`. Out: sentences and a `Report`. Absent: drawing.
"""

from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.show.numbers import percent
from howgood.show.ranking import (
    ahead_of_all,
    errors_section,
    no_clear_winner,
    readable_table,
    score_name,
    tie_findings,
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    best = ranking.order[0]
    if not ranking.ties[best]:
        winner = ahead_of_all(ranking, "on cases like these, another system is level or ahead")
    else:
        winner = no_clear_winner(
            ranking,
            score=score_name(ranking),
            best_with=f"on cases like these only with probability "
            f"{percent(ranking.best_probability[best])}",
        )
    return (winner, *tie_findings(ranking))


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking of labels."""
    return Report(
        title=f"Ranking of {len(ranking.systems)} systems",
        question="Which system is better by what this person values?",
        findings=findings(ranking),
        sections=(
            Section(
                title="The ranking",
                text=f"Scores are the {score_name(ranking)} on {ranking.n} cases, with the spread "
                "that other cases like these and the interview leave.",
                svg=svg,
                alt="Each system's score with its interval, and the probability of each rank.",
                table=readable_table(ranking),
            ),
            errors_section(ranking),
        ),
        methods=f"We ranked {len(ranking.systems)} systems by their labels on {ranking.n} cases. "
        "Cases were resampled together for all systems (Bayesian bootstrap); the weight of an "
        "elicited linear metric was drawn from its posterior. Computed with howgood.",
        provenance=ranking.provenance,
        cautions=(
            "It holds for the person who was asked; others may value errors otherwise.",
            "A small probability of error is not a large difference: look at the scores.",
        ),
    )
