"""A ranking by grades in words: what a team reading a leaderboard of human ratings needs to hear.

In: `Ranking` of `decide.rank_grades`. Out: sentences and a `Report`. Absent: drawing (see
`figures.ranking`).
"""

from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.show.numbers import percent
from howgood.show.ranking import ahead_of_all, errors_section, no_clear_winner, readable_table

# Below so many of them, how much raters (or items) differ is hardly known.
_FEW = 5
# Raters -> how many of 100 intervals of 95 % hold the truth where taste differs most;
# four were not measured, and are as good as three at least.
HELD = {2: 87, 3: 92, 4: 92}

CAUTIONS = (
    "A ranking says whose outputs got better grades from these raters, not why.",
    "It holds for items and raters like these: other tasks or other people may rank otherwise.",
    "A small probability of error is not a large difference: look at the mean grades.",
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    tied = [group for group in ranking.tie_groups[1:] if len(group) > 1]
    ties = (
        Finding(text=f"Practically one place: {', '.join(each)}.", tone="unsure") for each in tied
    )
    return (_winner(ranking), *ties, *_about_raters(ranking), *_about_items(ranking))


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking by grades."""
    sections = (
        Section(
            title="The ranking",
            text=(
                "Scores are mean grades over items, with their standard error (wider for few "
                "raters). Ranks: the places that hold all but the error level of the probability. "
                "Error against next: how likely the next system is at least as good over all "
                f"{ranking.doubt} like these."
            ),
            svg=svg,
            alt="Left: each system's mean grade, with interval. Right: probability of each rank.",
            table=readable_table(ranking),
        ),
        errors_section(ranking),
    )
    return Report(
        title=f"Leaderboard of {len(ranking.systems)} systems",
        question="Which places in this leaderboard are real?",
        findings=findings(ranking),
        sections=sections,
        methods=methods(ranking),
        provenance=ranking.provenance,
        cautions=CAUTIONS,
    )


def methods(ranking: Ranking) -> str:
    """Return a paragraph ready to paste into a paper."""
    n_grades, n_raters = (ranking.provenance.settings[name] for name in ("grades", "raters"))
    compared = (
        "items and raters as crossed random effects: the variance of a difference adds what items "
        "and what raters contribute (Clark, 1973), with Satterthwaite's degrees of freedom"
        if ranking.doubt == "items and raters"
        else "items as a sample: paired differences, Student's t"
    )
    by_whom = f" by {n_raters} raters" if n_raters and n_raters > 1 else ""
    return (
        f"We ranked {len(ranking.systems)} systems by the mean of {n_grades} grades{by_whom} on "
        f"{ranking.n} items that all systems were graded on. Differences were judged with "
        f"{compared}. Systems whose order has an error probability of {percent(ranking.level)} or "
        "more form a tie group. Computed with howgood."
    )


def _winner(ranking: Ranking) -> Finding:
    best, group = ranking.order[0], ranking.tie_groups[0]
    if len(group) == 1:
        return ahead_of_all(
            ranking, f"over {ranking.doubt} like these, another system is level or ahead"
        )
    return no_clear_winner(
        ranking,
        score="mean grade",
        best_with=(
            f"over {ranking.doubt} like these only with probability "
            f"{percent(ranking.best_probability[best])}"
        ),
    )


def _about_raters(ranking: Ranking) -> list[Finding]:
    n_raters = ranking.provenance.settings["raters"]
    if n_raters is None or n_raters == 1:
        who = "Who graded is not known" if n_raters is None else "One rater graded everything"
        text = f"{who}: this says nothing about what other raters would say."
    elif n_raters < _FEW:
        text = (
            f"Only {n_raters} raters: how far others would differ is hardly known, and 95 % "
            f"intervals may hold the truth in only {HELD[n_raters]} of 100 studies. More raters "
            "help more than more items."
        )
    else:
        return []
    return [Finding(text=text, tone="unsure")]


def _about_items(ranking: Ranking) -> list[Finding]:
    if ranking.n >= _FEW:
        return []
    text = (
        f"Only {ranking.n} items: how far others would differ is hardly known. If all of them "
        "look alike, that may be chance; the probabilities allow for it only roughly."
    )
    return [Finding(text=text, tone="unsure")]
