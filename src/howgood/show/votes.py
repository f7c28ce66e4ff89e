"""A ranking by votes in words: who is ahead, what the sides and styles do, does one scale fit?

In: `Ranking` of `decide.rank_votes`. Out: sentences and a `Report`. Absent: drawing.
"""

from collections.abc import Mapping
from typing import Any

from scipy.special import expit

from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.show.numbers import percent
from howgood.show.ranking import (
    ahead_of_all,
    errors_section,
    no_clear_winner,
    readable_table,
    tie_findings,
    two_systems,
)

_SIDE, _STYLE = "order effect (left, log odds)", "effect of one sd of style (log odds)"
_RARE = 0.05

CAUTIONS = (
    "It holds for prompts and raters like these: other tasks or other people may rank otherwise.",
    "A vote says which output was preferred, not whether either is good enough.",
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (
        _winner(ranking),
        *tie_findings(ranking),
        *two_systems(ranking),
        *_effects(ranking),
        *_samples(ranking),
    )


def _winner(ranking: Ranking) -> Finding:
    if not ranking.ties[ranking.order[0]]:
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


def side_finding(settings: Mapping[str, Any]) -> Finding:
    """Say what standing on the left does to the chance of winning."""
    return _effect(settings[_SIDE], "Standing on the left", "the ranking is at equal sides")


def style_finding(settings: Mapping[str, Any], what: str = "style") -> Finding:
    """Say what one standard deviation more of a style does to the chance of winning."""
    return _effect(
        settings[_STYLE], f"One standard deviation more of {what}", "taken out of the ranking here"
    )


def _effect(effect: Mapping[str, float], what: str, done: str) -> Finding:
    """Say how many wins of 100 an effect gives to one of two equal systems."""
    share, lower, upper = (
        100.0 * float(expit(effect[end])) for end in ("estimate", "lower", "upper")
    )
    likely = f"(likely {lower:.0f} to {upper:.0f})"
    if effect["lower"] <= 0 <= effect["upper"]:
        return Finding(
            text=f"{what} has no effect that these votes show: it wins {share:.0f} of 100 against "
            f"an equal system {likely}."
        )
    return Finding(text=f"{what} wins {share:.0f} of 100 against an equal system {likely}; {done}.")


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


def _effects(ranking: Ranking) -> list[Finding]:
    """Say next to every ranking what sides and style do, and whether one scale fits."""
    settings = ranking.provenance.settings
    style = [style_finding(settings)] if _STYLE in settings else []
    return [side_finding(settings), *style, cycle_finding(settings)]


def cycle_finding(settings: Mapping[str, Any]) -> Finding:
    """Say whether systems beat each other in circles more often than chance makes them."""
    circles, chance = settings["circular triples"], settings["circular triples by chance"]
    if settings["share of chance with as many circles"] >= _RARE:
        return Finding(
            text=f"One scale fits: {circles:,} triples of systems beat each other in a circle, "
            f"{chance:,.0f} would by chance."
        )
    text = (
        f"{circles:,} triples of systems go round in a circle (a beats b, b beats c, c beats a); "
        f"by chance {chance:,.0f} would. One scale does not say everything: look at single pairs "
        "or segments."
    )
    return Finding(text=text, tone="unsure")


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
