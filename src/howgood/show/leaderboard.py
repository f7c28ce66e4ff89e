"""A ranking over items and raters in words: what a team reading a leaderboard needs to hear.

In: `Ranking` of `decide.rank_grades`, or of predictions compared with several raters' ratings.
Out: sentences and a `Report`. Absent: drawing (see `figures.ranking`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from howgood.records.ranking import Needed, NeededGrades, Ranking
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.records.ties import tied_sets
from howgood.show.numbers import percent, probability
from howgood.show.ranking import (
    ahead_of_all,
    columns_findings,
    errors_section,
    no_clear_winner,
    readable_table,
    score_name,
    tie_findings,
    two_systems,
)

# Below so many of them, how much raters (or items) differ is hardly known.
_FEW = 5
# Of more pairs than this, only the first and the last of those that tie are shown.
_MOST_PAIRS = 100
# Raters -> how many of 100 orders distinguished at 5 % were wrong in simulated boards of grades: 8
# systems that differ less than raters' tastes, on 40 items; four raters were not measured, and are
# as good as three at least.
WRONG = {2: 12, 3: 8, 4: 8}

_WHAT = {
    True: "A ranking says whose outputs got better grades from these raters, not why.",
    False: "A ranking says whose predictions are closer to these raters' ratings, not why.",
}
CAUTIONS = (
    "It holds for items and raters like these: other tasks or other people may rank otherwise.",
    "A small probability of error is not a large difference: look at the mean grades.",
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (
        _winner(ranking),
        *tie_findings(ranking, _needed),
        *two_systems(ranking),
        *_limits(ranking),
        *_about_raters(ranking),
        *_about_items(ranking),
        *_about_rows(ranking),
        *columns_findings(ranking.provenance),
    )


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking by grades."""
    sections = (
        Section(
            title="The ranking",
            text=(
                f"Scores are {_scored(ranking)} over items, with their standard error (wider for "
                "few raters). Ranks: the places that hold all but the error level of the "
                "probability. "
                "Error against next: how likely the next system is at least as good over all "
                f"{ranking.doubt} like these."
            ),
            svg=svg,
            alt="Each system's score with its interval, and the probability of each rank.",
            table=readable_table(ranking),
        ),
        *needed_sections(ranking, Nouns()),
        errors_section(ranking),
    )
    return Report(
        title=f"Leaderboard of {len(ranking.systems)} systems",
        question="Which places in this leaderboard are real?",
        findings=findings(ranking),
        sections=sections,
        methods=methods(ranking),
        provenance=ranking.provenance,
        cautions=(_WHAT[_is_of_grades(ranking)], *CAUTIONS),
    )


def methods(ranking: Ranking) -> str:
    """Return a paragraph ready to paste into a paper."""
    settings = ranking.provenance.settings
    n_raters = settings["raters"]
    by_whom = f" by {n_raters} raters" if n_raters and n_raters > 1 else ""
    what = (
        f"the mean of {settings['grades']} grades{by_whom}"
        if _is_of_grades(ranking)
        else f"{score_name(ranking)} against {settings['ratings']} ratings{by_whom}"
    )
    samples = "items and raters as crossed random effects" if by_whom else "items as a sample"
    pooled = (
        ", variances pooled over systems (moments) and themselves drawn from their mean squares"
        if _is_of_grades(ranking)
        else ", the covariance of systems clustered by both and scaled by draws of their mean "
        "squares"
    )
    tau = "; systems' own spread has a flat prior" if len(ranking.systems) > 2 else ""
    return (
        f"We ranked {len(ranking.systems)} systems by {what} on {ranking.n} items. Differences "
        f"were judged with {samples}{pooled}{tau}; orders and ranks were counted in "
        f"{settings['draws']:,} draws. Systems whose order has an error probability of "
        f"{percent(ranking.level)} or more count as tied. Computed with howgood."
    )


def _is_of_grades(ranking: Ranking) -> bool:
    return ranking.metric == "mean grade"


def _scored(ranking: Ranking) -> str:
    return "mean grades" if _is_of_grades(ranking) else f"the {score_name(ranking)} of predictions"


def _winner(ranking: Ranking) -> Finding:
    best = ranking.order[0]
    group = (best, *ranking.ties[best])
    if len(group) == 1:
        return ahead_of_all(
            ranking, f"over {ranking.doubt} like these, another system is level or ahead"
        )
    finding = no_clear_winner(
        ranking,
        score=score_name(ranking),
        best_with=(
            f"over {ranking.doubt} like these only with probability "
            f"{percent(ranking.best_probability[best])}"
        ),
    )
    return replace(finding, text=f"{finding.text}{_needed(ranking, group)}")


@dataclass(frozen=True, slots=True)
class Nouns:
    """What a board counts: "items" that are graded, or "prompts" that are voted on."""

    item: str = "item"
    verb: str = "grading"


def _needed(ranking: Ranking, group: tuple[str, ...]) -> str:
    """Say what would tell the first of a tie from the last, which lies furthest behind."""
    return needed_sentence(ranking, group, Nouns())


def needed_sentence(ranking: Ranking, group: tuple[str, ...], nouns: Nouns) -> str:
    """Say how many items, raters or repeats would tell the first of a tie from the last."""
    if ranking.sources is None:
        return ""
    first, last = group[0], group[-1]
    needed = ranking.needed(first, last, error=ranking.level)
    if not isinstance(needed, NeededGrades) or needed.status == "reached":
        return ""
    n_raters, n_items = ranking.sources.n_raters, ranking.sources.n_items
    apart = " in clusters of their own" if ranking.sources.n_clusters else ""
    items = (
        None
        if needed.items is None
        else f"about {_rough(needed.items)} {nouns.item}s like these{apart}"
    )
    raters = None if needed.raters is None else f"about {_rough(needed.raters)} raters"
    again = "" if needed.repeats is None else f", or {nouns.verb} each {needed.repeats} times"
    if items and raters:
        text = f"{items}{_whom(n_raters)}, or {raters} on these {n_items} {nouns.item}s"
    elif items:
        text = f"{items}{_whom(n_raters)}"
    elif raters:
        again = ""
        text = f"{raters}: with these {n_raters} no number of {nouns.item}s is enough"
    elif needed.error_now >= 0.5:
        return ""
    elif needed.together is not None:
        text, again = f"about {_both(needed.together, nouns)}: neither alone is enough", ""
    else:
        return (
            f" More {nouns.item}s alone, or more raters alone, would not tell {first} from {last}."
        )
    return f" To tell {first} from {last} takes {text}{again}."


FIRST_AND_LAST = (
    " Each row is the first and the last of neighbours that tie; pairs between them take more."
)


def needed_of_ties(ranking: Ranking) -> list[NeededGrades]:
    """Return what would settle every pair that ties, best first."""
    if ranking.sources is None:
        return []
    place = {name: at for at, name in enumerate(ranking.order)}
    found = [
        ranking.needed(ahead, behind, error=ranking.level)
        for ahead, names in ranking.ties.items()
        for behind in names
        if place[behind] > place[ahead] and can_be_told(ranking, ahead, behind)
    ]
    return [needed for needed in found if isinstance(needed, NeededGrades)]


def needed_rows(ranking: Ranking) -> Table | None:
    """Return what would settle each tie of grades; None without ties."""
    return needed_table(ranking, Nouns())


def needed_table(ranking: Ranking, nouns: Nouns) -> Table | None:
    """Return what would settle each tie: the first of each set of neighbours against the last.

    The pairs between them are closer, and take more.
    """
    sets = [
        names
        for tied in tied_sets(ranking.ties)
        for names in _on_one_side(ranking, tied)
        if len(names) > 1
    ]
    if ranking.sources is None or not sets:
        return None
    return _needed_rows(
        [ranking.needed(names[0], names[-1], error=ranking.level) for names in sets], nouns
    )


def _on_one_side(ranking: Ranking, names: Sequence[str]) -> list[list[str]]:
    """Return names apart that more votes cannot tell: each pair was shown one way round only."""
    sides = ranking.provenance.settings.get("sides of systems", {})
    apart: dict[int, list[str]] = {}
    for name in names:
        apart.setdefault(sides.get(name, 0), []).append(name)
    return list(apart.values())


def can_be_told(ranking: Ranking, first: str, second: str) -> bool:
    """Return whether more votes like these would ever tell two systems apart."""
    return len(_on_one_side(ranking, (first, second))) == 1


def needed_sections(ranking: Ranking, nouns: Nouns) -> list[Section]:
    """Return the section of what would settle every tie; none without ties.

    Pair by pair, unless there are hundreds: then first and last of each set of neighbours.
    """
    sets, pairs = needed_table(ranking, nouns), needed_of_ties(ranking)
    if sets is None:
        return []
    is_short = len(pairs) <= _MOST_PAIRS
    text = (
        f"How many {nouns.item}s in all with the raters there are, or raters in all on the "
        f"{nouns.item}s there are, or both together, would tell the two apart at "
        f"{percent(ranking.level)}, if the difference seen is the true one. "
        'Either is enough; "-": no number of them is. '
        f"Numbers are rough.{'' if is_short else FIRST_AND_LAST}"
    )
    return [
        Section(
            title="What would settle each tie",
            text=text,
            table=_needed_rows(pairs, nouns) if is_short else sets,
        )
    ]


def _needed_rows(pairs: Sequence[Needed | NeededGrades], nouns: Nouns) -> Table:
    known = [needed for needed in pairs if isinstance(needed, NeededGrades)]
    columns = {
        "to tell": [needed.first for needed in known],
        "from": [needed.second for needed in known],
        "error now": [probability(needed.error_now) for needed in known],
        f"{nouns.item}s": [_or_none(needed.items) for needed in known],
    }
    if any(needed.together is not None for needed in known):  # raters are known
        columns["or raters"] = [_or_none(needed.raters) for needed in known]
        columns["or both"] = [
            "-" if needed.together is None else _both(needed.together, nouns) for needed in known
        ]
    if any(needed.repeats is not None for needed in known):
        columns["or repeats"] = [_or_none(needed.repeats) for needed in known]
    return Table(columns)


def _both(numbers: tuple[int, int], nouns: Nouns) -> str:
    return f"{_rough(numbers[0])} {nouns.item}s and {_rough(numbers[1])} raters"


def _or_none(number: int | None) -> str:
    return "-" if number is None else _rough(number)


def _whom(n_raters: int | None) -> str:
    if n_raters is None:
        return ""
    return f" with these {n_raters} raters" if n_raters > 1 else " with this rater"


def _rough(number: int) -> str:
    """Write a number that is not known to its digits: two of them."""
    digits = max(len(str(number)) - 2, 0)
    return f"{math.ceil(number / 10**digits) * 10**digits:,}"


_ORDINALS = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _ordinal(number: int) -> str:
    """Write which rater would come next: a fourth, an eighth; beyond ten, one more."""
    if not 3 <= number <= 10:
        return "one more"
    word = _ORDINALS[number - 3]
    return f"{'an' if word[0] == 'e' else 'a'} {word}"


def _limits(ranking: Ranking) -> list[Finding]:
    return limits_findings(ranking, Nouns())


def limits_findings(ranking: Ranking, nouns: Nouns) -> list[Finding]:
    """Say whether one more rater or more items would narrow differences more."""
    ties = tied_sets(ranking.ties)
    if ranking.sources is None or not ties:
        return []
    place = ranking.index(ties[0][0]), ranking.index(ties[0][-1])
    sources = ranking.sources
    if not any(float(part[place]) for part in (sources.items, sources.raters, sources.both)):
        return []
    worth = ranking.sources.one_rater_in_items(place)
    if worth is None:
        return []
    another = _ordinal((ranking.sources.n_raters or 0) + 1)
    if math.isinf(worth):
        text = (
            f"What limits this is the raters: {another} one narrows it more than any number of "
            f"{nouns.item}s."
        )
    elif not round(worth):
        text = f"What limits this is the {nouns.item}s: {another} rater adds next to nothing."
    else:
        items = (
            f"1 more {nouns.item}"
            if round(worth) == 1
            else f"{_rough(round(worth))} more {nouns.item}s"
        )
        text = f"{another[0].upper()}{another[1:]} rater narrows this as much as {items} would."
    return [Finding(text=text)]


def _about_raters(ranking: Ranking) -> list[Finding]:
    n_raters = ranking.provenance.settings["raters"]
    if n_raters is None or n_raters == 1:
        verb = "graded" if _is_of_grades(ranking) else "rated"
        who = f"Who {verb} is not known" if n_raters is None else f"One rater {verb} everything"
        text = f"{who}: this says nothing about what other raters would say."
    elif _counting_as(ranking) < _FEW:
        text = (
            f"{_few_raters(ranking)}: how far others would differ is hardly known, so little can "
            f"be said.{_simulated(ranking)} More raters help more than more items."
        )
    else:
        return []
    return [Finding(text=text, tone="unsure")]


def _counting_as(ranking: Ranking) -> float:
    """Return how many raters with equal shares these count as."""
    settings = ranking.provenance.settings
    return round(float(settings.get("effective raters", settings["raters"])), 1)


def _few_raters(ranking: Ranking) -> str:
    n_raters, counting = ranking.provenance.settings["raters"], _counting_as(ranking)
    what = "grades" if _is_of_grades(ranking) else "ratings"
    # Fewer than two: one of them has more than half.
    uneven = f"one rater gave most {what}" if counting < 2 else f"they gave unequally many {what}"
    only = "Only " if n_raters < _FEW else ""
    if counting == n_raters:
        return f"{only}{n_raters} raters"
    return f"{only}{n_raters} raters, who count as {counting:.1f} because {uneven}"


def _simulated(ranking: Ranking) -> str:
    """Say how often simulated boards of grades were wrong; no others were simulated so."""
    wrong = WRONG.get(ranking.provenance.settings["raters"])
    if wrong is None or not _is_of_grades(ranking):
        return ""
    return (
        " In simulated boards of 8 systems and 40 items, all graded by so many raters, where "
        f"systems differed less than tastes, up to {wrong} of 100 orders said to be wrong with "
        "less than 5 % were wrong."
    )


def _about_items(ranking: Ranking) -> list[Finding]:
    if ranking.n >= _FEW:
        return []
    text = (
        f"Only {ranking.n} items: how far others would differ is hardly known. If all of them "
        "look alike, that may be chance; the probabilities allow for it only roughly."
    )
    return [Finding(text=text, tone="unsure")]


def _about_rows(ranking: Ranking) -> list[Finding]:
    """Say that several rows of one rater were made one."""
    settings = ranking.provenance.settings
    if not settings["combined rows"]:
        return []
    rule = {"mean": "their mean", "sum": "their sum", "last": "the last of them"}
    of = "one output" if settings["raters"] is None else "one rater for one output"
    text = (
        f"{settings['combined rows']} rows are several of {of}: {rule[settings['combine']]} counts."
    )
    return [Finding(text=text)]
