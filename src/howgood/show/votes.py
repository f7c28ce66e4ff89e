"""A ranking by votes in words: who is ahead, what the sides and styles do, does one scale fit?

In: `Ranking` of `decide.rank_votes`. Out: sentences and a `Report`. Absent: drawing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scipy.special import expit

from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.leaderboard import (
    Nouns,
    can_be_told,
    limits_findings,
    needed_sections,
    needed_sentence,
    needed_table,
)
from howgood.show.numbers import percent
from howgood.show.ranking import (
    ahead_of_all,
    columns_findings,
    errors_section,
    listed,
    no_clear_winner,
    readable_table,
    tie_findings,
    two_systems,
)

_SIDE, _STYLE = "order effect (left, log odds)", "effect of one sd of style (log odds)"
_RARE = 0.05
# A system with fewer votes is named; of long lists so many names are.
_FEW_VOTES, _MOST_NAMED = 10, 4

CAUTIONS = (
    "It holds for prompts and raters like these: other tasks or other people may rank otherwise.",
    "A vote says which output was preferred, not whether either is good enough.",
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (
        _winner(ranking),
        *groups_findings(ranking),
        *tie_findings(ranking, _needed),
        *two_systems(ranking),
        *limits_findings(ranking, _nouns(ranking)),
        *few_votes_findings(ranking),
        *_effects(ranking),
        *_again(ranking),
        *_samples(ranking),
        *columns_findings(ranking.provenance),
    )


def _winner(ranking: Ranking) -> Finding:
    best = ranking.order[0]
    over = f"over {ranking.doubt} like these".replace("items", f"{_nouns(ranking).item}s")
    if not ranking.ties[best]:
        return ahead_of_all(ranking, f"{over}, another system is level or ahead")
    finding = no_clear_winner(
        ranking,
        score="strength",
        best_with=f"{over} only with probability {percent(ranking.best_probability[best])}",
    )
    needed = _needed(ranking, (best, *ranking.ties[best]))
    return replace(finding, text=f"{finding.text}{needed}")


def _nouns(ranking: Ranking) -> Nouns:
    has_prompts = ranking.provenance.settings["items"] is not None
    return Nouns("prompt" if has_prompts else "vote", "asking")


def _needed(ranking: Ranking, group: tuple[str, ...]) -> str:
    """Say what would settle a tie, as long as votes connect its systems and their order is one."""
    first, last = group[0], group[-1]
    leads = ranking.differences[ranking.index(first), ranking.index(last)] > 0
    groups = ranking.provenance.settings["groups never compared"]
    if any((first in names) != (last in names) for names in groups):
        return ""
    if not leads:
        return f" Nothing puts {first} before {last} so far: only more votes on them can tell."
    if not can_be_told(ranking, first, last):
        return " More votes like these would not tell them apart."
    return needed_sentence(ranking, group, _nouns(ranking))


def needed_rows(ranking: Ranking) -> Table | None:
    """Return what would settle each tie; None without ties."""
    return needed_table(ranking, _nouns(ranking))


def groups_findings(ranking: Ranking) -> list[Finding]:
    """Say which systems no vote connects: nothing but a guess puts one before the other."""
    groups = ranking.provenance.settings["groups never compared"]
    if not groups:
        return []
    shown = "; ".join(some_named(names) for names in groups[:_MOST_NAMED])
    more = f"; and {len(groups) - _MOST_NAMED} more groups" if len(groups) > _MOST_NAMED else ""
    text = (
        f"No vote connects these groups of systems, not even by way of others: {shown}{more}. "
        "Places within a group rest on votes; which group is better, nobody was asked. Let people "
        "vote on pairs across groups, or rank each group by itself."
    )
    return [Finding(text=text, tone="unsure")]


def some_named(names: Sequence[str]) -> str:
    """Write names as a sentence does; of many the first ones, and how many more."""
    if len(names) <= _MOST_NAMED:
        return listed(names)
    return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"


def few_votes_findings(ranking: Ranking) -> list[Finding]:
    """Name systems with so few votes that their strength is mostly chance."""
    votes = ranking.provenance.settings["votes by system"]
    few = [name for name in ranking.order if votes[name] < _FEW_VOTES]
    if not few:
        return []
    counts = [f"{name} ({votes[name]})" for name in few[:_MOST_NAMED]]
    more = f" and {len(few) - _MOST_NAMED} more" if len(few) > _MOST_NAMED else ""
    text = (
        f"Fewer than {_FEW_VOTES} votes: {', '.join(counts)}{more}. Their strength is mostly "
        "chance, so they are placed nearer to the middle than it says."
    )
    return [Finding(text=text, tone="unsure")]


def _again(ranking: Ranking) -> list[Finding]:
    """Say how often raters agree with themselves, and that some voted twice on the same two."""
    settings = ranking.provenance.settings
    said, again = [], settings.get("asked again")
    n_again = ranking.provenance.rows_dropped.get("asked again", 0)
    if again is not None:
        share = again["alike"] / again["votes"]
        text = (
            f"{again['votes']:,} votes ask an earlier pair again: they are not counted as new, and "
            f"say the same as before in {percent(share)} (likely {100 * again['lower']:.0f} to "
            f"{100 * again['upper']:.0f}). No judge or metric can agree with these raters much "
            "more often than they do with themselves."
        )
        said.append(Finding(text=text))
    elif n_again:
        text = (
            "1 vote asks an earlier pair again and does not count."
            if n_again == 1
            else f"{n_again:,} votes ask an earlier pair again and do not count."
        )
        said.append(Finding(text=text))
    same = settings["votes on the same pair again"]
    if same:
        votes, them = (
            (
                "1 vote is",
                "It counts, but not as an independent one; if it is a copy, leave it out.",
            )
            if same == 1
            else (
                f"{same:,} votes are",
                "They count, but not as independent ones; if they are copies, leave them out.",
            )
        )
        who = "by a rater who had already voted on the same two outputs of one prompt"
        text = f"{votes} {who}. {them}"
        said.append(Finding(text=text))
    return said


_ONE_WAY_ROUND = (
    "These votes cannot separate a favoured side from better systems, because every pair was shown "
    "one way round only: between systems on different sides, more votes like these settle nothing. "
    "Show pairs both ways round. If the order of the columns means nothing (AlpacaEval writes its "
    "base first), swap both sides, and the winner, in half of the rows at random."
)


def side_finding(settings: Mapping[str, Any]) -> Finding:
    """Say what standing on the left does to the chance of winning."""
    if settings.get("every pair one way round"):
        return Finding(text=_ONE_WAY_ROUND, tone="unsure")
    said = settings.get("votes by answer")  # saved boards of before have none
    if said is not None and min(said["left"], said["right"]) == 0:
        # Nothing to estimate from: the model's interval would be everything there is.
        text = (
            f"Of {said['left'] + said['right']:,} votes that prefer an output, {said['left']:,} "
            f"prefer the left and {said['right']:,} the right one: what the side does cannot be "
            "estimated."
        )
        return Finding(text=text, tone="unsure")
    return _effect(settings[_SIDE], "Standing on the left", "the ranking is at equal sides")


def shows_style(settings: Mapping[str, Any]) -> bool:
    """Return whether votes show an effect of style."""
    effect = settings[_STYLE]
    return not effect["lower"] <= 0 <= effect["upper"]


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
    names = {"items": "--item COLUMN", "raters": "--rater COLUMN"}
    options = " and ".join(names[word] for word in lacking)
    text = (
        f"Which {what} votes belong to is not known: votes are taken as independent of them, so "
        f"places look surer than they are. If the file says it, write {options}."
    )
    return [Finding(text=text, tone="unsure")]


def _effects(ranking: Ranking) -> list[Finding]:
    """Say next to every ranking what sides and style do, and whether one scale fits."""
    settings = ranking.provenance.settings
    style = [style_finding(settings)] if _STYLE in settings else []
    lengths = settings.get("lengths of outputs")
    if lengths:
        text = f"What longer outputs gain says --style {','.join(lengths)}."
        style = [Finding(text=text)]
    return [side_finding(settings), *style, cycle_finding(settings)]


def cycle_finding(settings: Mapping[str, Any]) -> Finding:
    """Say whether systems beat each other in circles more often than chance makes them."""
    circles, chance = settings["circular triples"], settings["circular triples by chance"]
    if not circles and round(chance) == 0:
        return Finding(
            text="Whether one scale fits cannot be tested here: among so few systems and votes, "
            "chance makes no circles (a beats b, b beats c, c beats a) either."
        )
    if settings["share of chance with as many circles"] >= _RARE:
        return Finding(
            text=f"One scale fits: triples of systems that beat each other in a circle: "
            f"{circles:,}; by chance there would be {chance:,.1f}."
        )
    text = (
        "Triples of systems that go round in a circle (a beats b, b beats c, c beats a): "
        f"{circles:,}; by chance there would be {chance:,.1f}. One scale does not "
        "say everything: look at single pairs or segments."
    )
    return Finding(text=text, tone="unsure")


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking by votes."""
    return Report(
        title=f"Leaderboard of {len(ranking.systems)} systems, by votes",
        question="Which places in this leaderboard are real?",
        findings=findings(ranking),
        sections=(
            Section(
                title="The ranking",
                text="Strengths are log odds against the average system.",
                svg=svg,
                alt="Each system's strength with its interval, and the probability of each rank.",
                table=readable_table(ranking),
            ),
            *needed_sections(ranking, _nouns(ranking)),
            errors_section(ranking),
        ),
        methods=methods(ranking),
        provenance=ranking.provenance,
        cautions=CAUTIONS,
    )


def methods(ranking: Ranking) -> str:
    """Return a paragraph ready to paste into a paper."""
    settings = ranking.provenance.settings
    return (
        f"We ranked {len(ranking.systems)} systems by {settings['votes']:,} votes with a "
        "Bradley-Terry model with ties (Davidson) and an effect of the side. The covariance was "
        "clustered by prompts and raters where these were known; systems' own spread has a flat "
        "prior, and each system shrinks by its own variance; ranks were counted in "
        f"{settings['draws']:,} draws. Computed with howgood."
    )
