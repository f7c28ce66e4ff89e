"""A ranking by lists in words.

In: `Ranking` of `decide.rank_lists`. Out: sentences and a `Report`. Absent: drawing.
"""

from howgood.decide.rating_noise import KNOWN, ONE_RATING
from howgood.records.ranking import Needed, Ranking
from howgood.records.report import Finding, Report, Section
from howgood.show.numbers import percent, probability
from howgood.show.ranking import (
    ahead_of_all,
    errors_section,
    no_clear_winner,
    readable_table,
    score_name,
    tie_findings,
    two_systems,
)

CAUTIONS = (
    "A list is judged by the items its user rated: what nobody rated is not in it, or counts 0.",
    "A small probability of error is not a large difference: look at the scores.",
)
# Below so many users a small probability rests on few lists.
_FEW_USERS = 50


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (
        _winner(ranking),
        *tie_findings(ranking, _needed),
        *_true_order(ranking),
        *two_systems(ranking),
        *_noise(ranking),
        *_relevant(ranking),
        *_few_users(ranking),
    )


def _winner(ranking: Ranking) -> Finding:
    best = ranking.order[0]
    group = (best, *ranking.ties[best])
    of_users = ranking.doubt == "users"
    if len(group) == 1:
        return ahead_of_all(
            ranking,
            "over users like these, another system is level or ahead"
            if of_users
            else "asked again, these people would put another system level or ahead",
        )
    share = percent(ranking.best_probability[best])
    finding = no_clear_winner(
        ranking,
        score=score_name(ranking),
        best_with=f"over users like these only with probability {share}"
        if of_users
        else f"in only {share} of re-ratings",
    )
    return Finding(text=f"{finding.text}{_needed(ranking, group)}", tone=finding.tone)


def _needed(ranking: Ranking, group: tuple[str, ...]) -> str:
    first, last = group[0], group[-1]
    needed = ranking.needed(first, last, error=ranking.level)
    if not isinstance(needed, Needed) or needed.rerating.status != "needed":
        return ""
    number = needed.rerating.pairs
    return f" To tell {first} from {last} takes about {number:,} users like these."


def _true_order(ranking: Ranking) -> list[Finding]:
    if ranking.true_errors is None:
        return []
    first, second = ranking.order[:2]
    text = (
        f"{first} before {second}: a re-rating would flip this with probability "
        f"{probability(ranking.error(first, second))}; that people's mean opinions order them the "
        f"other way has probability {probability(ranking.true_error(first, second))}."
    )
    return [Finding(text=text)]


def _noise(ranking: Ranking) -> list[Finding]:
    said = {
        KNOWN: "Each value is taken as a mean that is known. If it is a single rating, say so "
        "(trials): a re-rating then flips the order more often than said here.",
        ONE_RATING: "Each item was rated once. How far ratings vary (sd) was given, not measured "
        "here.",
    }.get(ranking.provenance.settings["means"])
    return [Finding(text=said)] if said and ranking.doubt == "re-rating" else []


def _relevant(ranking: Ranking) -> list[Finding]:
    least = ranking.provenance.settings.get("relevant from")
    if least is None:
        return []
    chosen = (
        ""
        if ranking.provenance.settings["relevant was given"]
        else ", above the middle of the scale that was used"
    )
    return [Finding(text=f"Relevant is what was rated {least:g} or more{chosen}.")]


def _few_users(ranking: Ranking) -> list[Finding]:
    if ranking.n >= _FEW_USERS:
        return []
    text = (
        f"Only {ranking.n} users: where systems are close, orders flip more often than said here, "
        "as the one in front is so partly by luck."
    )
    return [Finding(text=text, tone="unsure")]


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking by lists."""
    what = (
        "over all users like these" if ranking.doubt == "users" else "if these people rated again"
    )
    return Report(
        title=f"Ranking of {len(ranking.systems)} systems by their lists",
        question="Which places in this leaderboard are real?",
        findings=findings(ranking),
        sections=(
            Section(
                title="The ranking",
                text=f"Scores are the mean {score_name(ranking)} over {ranking.n:,} users, and how "
                f"far from that it may come out {what} (standard deviation). Error against next: "
                "how likely the next system is at least as good then.",
                svg=svg,
                alt="Each system's score with its interval, and the probability of each rank.",
                table=readable_table(ranking),
            ),
            errors_section(ranking),
        ),
        methods=methods(ranking),
        provenance=ranking.provenance,
        cautions=CAUTIONS,
    )


def methods(ranking: Ranking) -> str:
    """Return a paragraph ready to paste into a paper."""
    settings = ranking.provenance.settings
    draws = settings.get("draws")
    how = (
        "Users were taken as a sample (paired by user, Student's t)."
        if ranking.doubt == "users"
        else f"Scores were computed on {draws:,} re-ratings that all systems share."
        if draws
        else "The score is linear in the ratings, so that differences have a closed form."
    )
    return (
        f"We ranked {len(ranking.systems)} systems by {score_name(ranking)} of their lists for "
        f"{ranking.n:,} users ({settings['ratings']:,} ratings; feedback: {settings['means']}). "
        f"{how} Systems whose order has an error probability of {percent(ranking.level)} or more "
        "count as tied. Computed with howgood."
    )
