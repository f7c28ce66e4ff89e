"""A ranking by votes in words: who is ahead, what the sides and styles do, does one scale fit?

In: `Ranking` of `decide.rank_votes`. Out: sentences and a `Report`. Absent: drawing.
"""

from typing import Any

from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.show.numbers import percent
from howgood.show.ranking import ahead_of_all, errors_section, no_clear_winner, readable_table

_SIDE, _STYLE = "order effect (left, log odds)", "effect of one sd of style (log odds)"
_RARE = 0.05

CAUTIONS = (
    "It holds for prompts and raters like these: other tasks or other people may rank otherwise.",
    "A vote says which output was preferred, not whether either is good enough.",
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    tied = [group for group in ranking.tie_groups[1:] if len(group) > 1]
    ties = [
        Finding(text=f"Practically one place: {', '.join(each)}.", tone="unsure") for each in tied
    ]
    return (_winner(ranking), *ties[:3], *_sides(ranking), *_samples(ranking), *_circles(ranking))


def _winner(ranking: Ranking) -> Finding:
    if len(ranking.tie_groups[0]) == 1:
        return ahead_of_all(
            ranking, f"over {ranking.doubt} like these, another system is level or ahead"
        )
    best = ranking.order[0]
    return no_clear_winner(
        ranking,
        score="strength",
        best_with=f"over {ranking.doubt} like these only with probability "
        f"{percent(ranking.best_probability[best])}",
    )


def _sides(ranking: Ranking) -> list[Finding]:
    settings = ranking.provenance.settings
    found = []
    for name, what in (
        (_SIDE, "Standing on the left"),
        (_STYLE, "One standard deviation of style"),
    ):
        effect: dict[str, Any] | None = settings.get(name)
        if effect is None or effect["lower"] <= 0 <= effect["upper"]:
            continue
        text = (
            f"{what} changes the log odds of winning by {effect['estimate']:+.2f} (likely "
            f"{effect['lower']:+.2f} to {effect['upper']:+.2f}); the ranking is at equal terms."
        )
        found.append(Finding(text=text))
    return found


def _samples(ranking: Ranking) -> list[Finding]:
    settings = ranking.provenance.settings
    lacking = [word for word in ("items", "raters") if settings[word] is None]
    if not lacking:
        return []
    what = " and ".join({"items": "prompts", "raters": "raters"}[word] for word in lacking)
    text = (
        f"Which {what} votes belong to is not known: votes are taken as independent of them, so "
        "places look surer than they are."
    )
    return [Finding(text=text, tone="unsure")]


def _circles(ranking: Ranking) -> list[Finding]:
    settings = ranking.provenance.settings
    if settings["share of chance with as many circles"] >= _RARE:
        return []
    text = (
        f"{settings['circular triples']:,} triples of systems go round in a circle (a beats b, b "
        f"beats c, c beats a); by chance {settings['circular triples by chance']:,.0f} would. One "
        "scale does not tell everything: look at single pairs or segments."
    )
    return [Finding(text=text, tone="unsure")]


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking by votes."""
    settings = ranking.provenance.settings
    return Report(
        title=f"Leaderboard of {len(ranking.systems)} systems, by votes",
        question="Which places in this leaderboard are real?",
        findings=findings(ranking),
        sections=(
            Section(
                title="The ranking",
                text="Strengths are log odds against the average system.",
                svg=svg,
                alt="Left: each system's strength, with interval. Right: probability of each rank.",
                table=readable_table(ranking),
            ),
            errors_section(ranking),
        ),
        methods=f"We ranked {len(ranking.systems)} systems by {settings['votes']:,} votes with a "
        "Bradley-Terry model with ties (Davidson) and an effect of the side. The covariance was "
        "clustered by prompts and raters where these were known; systems' own spread has a flat "
        f"prior; ranks were counted in {settings['draws']:,} draws. Computed with howgood.",
        provenance=ranking.provenance,
        cautions=CAUTIONS,
    )
