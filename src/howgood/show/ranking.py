"""A ranking in words: what a team reading a leaderboard needs to hear first.

In: `Ranking`. Out: sentences and a `Report`. Absent: drawing (see `figures.ranking`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from howgood.decide.rating_noise import KNOWN, ONE_RATING, REPEATED, SOME_ONCE
from howgood.records.provenance import Provenance
from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.records.ties import tied_sets
from howgood.show.numbers import digits_for, percent, plain, probability, with_probability

# Ratings per pair -> how many of 100 intervals of a score (95 %) hold it when people rate again;
# four were not measured, and are as good as three at least.
HELD = {2: 88, 3: 92, 4: 92}

# Up to so many pairs and ratings each, errors below this are too small (`docs/howto`).
_FEW_PAIRS, _FEW_RATINGS, _SMALL_ERROR = 40, 5, 0.05

_FEEDBACK = {
    REPEATED: "mean and standard deviation estimated from repeated ratings, uncertainty counted "
    "(Student's t)",
    ONE_RATING: "the given standard deviation, of which each rating is one draw",
    SOME_ONCE: "mean and standard deviation estimated from repeated ratings, uncertainty counted "
    "(Student's t); pairs rated once are one draw with a standard deviation given",
}

# So many systems are named in a cell, so many sets of systems in sentences, and so many systems
# that may be first.
_MOST_NAMED, _MOST_SAID, _MOST_IN_FRONT = 3, 3, 12
# Closer than this, scores are the same but for the last digits of their computing.
_SAME = 1e-6

# Errors so many times those of the best system: hardly any prediction on the right scale is so bad.
_OFF_SCALE = 8.0

# An error below this is small whatever was expected beforehand.
_SURE = 0.01

# Names that people write in capitals.
_SHORT = ("rmse", "mse", "mae", "ndcg", "dcg", "map", "mrr")

CAUTIONS = (
    "A ranking says which system scores better on these people and items, not why.",
    "Feedback noise is not the only uncertainty: other people or other items may rank otherwise.",
    "A small error probability is not a large difference: look at the scores and the headroom.",
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (
        _winner(ranking),
        *tie_findings(ranking),
        *_true_order(ranking),
        *two_systems(ranking),
        *_significant(ranking),
        *_means(ranking),
        *_few_ratings(ranking),
        *_few_pairs(ranking),
        *_off_scale(ranking),
        *_barrier(ranking),
    )


def readable_table(ranking: Ranking) -> Table:
    """Return one row per system as people read it; the numbers behind it: `ranking.table()`."""
    rows = list(ranking.table().rows())
    if _nothing_varies(ranking):
        return _scores_alone(ranking, rows)
    return Table(
        {
            "rank": [row["rank"] for row in rows],
            "system": [row["system"] for row in rows],
            score_name(ranking): [_score(row["score"], row["sd"]) for row in rows],
            "P(best)": [percent(row["p_best"]) for row in rows],
            "ranks": [_places(row["rank_lower"], row["rank_upper"]) for row in rows],
            "tied with": tied_with(ranking.ties),
            "error against next": [_or_blank(row["error_to_next"], probability) for row in rows],
            **_above_barrier(ranking, rows),
        }
    )


def _scores_alone(ranking: Ranking, rows: list[dict[str, Any]]) -> Table:
    """Return the scores without chances: nothing says what would come out next time."""
    return Table(
        {
            "rank": [row["rank"] for row in rows],
            "system": [row["system"] for row in rows],
            score_name(ranking): [plain(row["score"], digits=2) for row in rows],
            **{name: ["not known"] * len(rows) for name in ("P(best)", "ranks", "tied with")},
            "error against next": ["" if at + 1 == len(rows) else "not known"
                                   for at in range(len(rows))],
        }
    )  # fmt: skip


def tied_with(ties: Mapping[str, Sequence[str]]) -> list[str]:
    """Return for each system, best first, which others it cannot be distinguished from.

    Up to three are named; of more it is said how many, and at which places.
    """
    places = {name: place for place, name in enumerate(ties, start=1)}
    tied = []
    for names in ties.values():
        said = ", ".join(names) or "none"
        if len(names) > _MOST_NAMED:
            said = f"{len(names)} others (places {places[names[0]]} to {places[names[-1]]})"
        tied.append(said)
    return tied


def listed(names: Sequence[str]) -> str:
    """Write names as a sentence does: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def tie_findings(
    ranking: Ranking, needed: Callable[[Ranking, tuple[str, ...]], str] | None = None
) -> list[Finding]:
    """Say who cannot be told apart behind the first place; `needed` adds what would settle it."""
    first = {ranking.order[0], *ranking.ties[ranking.order[0]]}
    sets = [names for names in tied_sets(ranking.ties) if not set(names) <= first]
    said = [
        Finding(
            text=f"{_all_named(names)} cannot be told apart."
            f"{needed(ranking, names) if needed else ''}",
            tone="unsure",
        )
        for names in sets[:_MOST_SAID]
    ]
    if len(sets) > _MOST_SAID:
        n_more = len(sets) - _MOST_SAID
        more = "1 more set" if n_more == 1 else f"{n_more} more sets"
        said.append(
            Finding(
                text=f"{more} of neighbours cannot be told apart either: the tables say who is "
                "tied with whom.",
                tone="unsure",
            )
        )
    return said


def two_systems(ranking: Ranking) -> list[Finding]:
    """Say what the probability of two systems' order takes for granted, unless it is settled."""
    is_known = ranking.doubt == "re-rating" and ranking.true_errors is None
    if len(ranking.order) != 2 or is_known or ranking.error(*ranking.order) < _SURE:
        return []
    again = (
        "a re-rating reverses the order half of the time"
        if ranking.doubt == "re-rating"
        else "either comes out ahead half of the time"
    )
    text = (
        "Two systems do not show how far such systems differ, so every difference counts as "
        "equally likely beforehand. If you expect them to be nearly equal, the probability is "
        f"larger than said: of two systems that are equally good, {again}."
    )
    return [Finding(text=text)]


_ROLES = {"item": "prompt", "repeats": "asked again"}


def columns_findings(provenance: Provenance) -> list[Finding]:
    """Say which columns of a file were taken as what, where nobody named them."""
    columns = dict(provenance.settings.get("read as", {}))
    kind = columns.pop("kind", "")
    lower = f"; less {columns['grade']} is better" if columns.pop("direction", "") else ""
    is_plain = kind == "grades" and all(role == name for role, name in columns.items())
    if not kind or is_plain:
        return []
    words = _ROLES if kind == "votes" else {}
    named = [f"{words.get(role, role)} is {name!r}" for role, name in columns.items()]
    return [Finding(text=f"Read as {kind}: {listed(named)}{lower}.")]


def score_name(ranking: Ranking) -> str:
    """Return the score's name as people write it: RMSE and NDCG@10, but mean grade."""
    if ranking.metric in ("srmse", "smae"):
        return f"s{ranking.metric[1:].upper()}"
    is_short = ranking.metric.partition("@")[0] in _SHORT
    return ranking.metric.upper() if is_short else ranking.metric


def score_axis(ranking: Ranking) -> str:
    """Return the score's name and which end of it is better."""
    return f"{score_name(ranking)} ({'higher' if ranking.greater_is_better else 'lower'} is better)"


def picture_title(ranking: Ranking) -> str:
    """Return what the distributions of scores are about."""
    if ranking.doubt == "re-rating":
        return "Score if everybody rated again: mean, 95 %"
    name, over = score_name(ranking), str(ranking.doubt)
    if ranking.metric == "strength":
        has_prompts = ranking.provenance.settings.get("items") is not None
        over = over.replace("items", "prompts" if has_prompts else "votes")
    return f"{name[0].upper()}{name[1:]} over {over} like these: 95 %"


def _above_barrier(ranking: Ranking, rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    if math.isnan(ranking.barrier):
        return {}
    return {"above barrier": [_or_blank(row["headroom"], percent) for row in rows]}


def readable_errors(ranking: Ranking) -> Table:
    """Return the error matrix as people read it: an empty diagonal, small numbers kept."""
    is_known = not _nothing_varies(ranking)
    return Table(
        {
            "system": list(ranking.order),
            **{
                column: [
                    ""
                    if row == column
                    else probability(ranking.error(row, column))
                    if is_known
                    else "not known"
                    for row in ranking.order
                ]
                for column in ranking.order
            },
        }
    )


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking."""
    sections = [
        Section(
            title="The ranking",
            text=(
                "Scores are what to expect if everybody rated again, and how far from that they "
                "may come out (standard deviation). Ranks: the places that hold all but the error "
                "level of the probability. Error against next: how likely the next system would "
                "score at least as well. Above barrier: the share of the score that a better "
                "system could save."
            ),
            svg=svg,
            alt="The distribution of each system's score, and the probability of each rank.",
            table=readable_table(ranking),
        ),
        errors_section(ranking),
    ]
    return Report(
        title=f"Ranking of {len(ranking.systems)} systems",
        question="Which places in this leaderboard are real?",
        findings=findings(ranking),
        sections=tuple(sections),
        methods=methods(ranking),
        provenance=ranking.provenance,
        cautions=CAUTIONS,
    )


def ahead_of_all(ranking: Ranking, another_is_ahead: str) -> Finding:
    """Say how surely the first, distinguished from the second, is ahead of ALL others at once."""
    best = ranking.order[0]
    error = _any_other_ahead(ranking)
    if error < ranking.level:
        return Finding(
            text=f"{best} is best: {another_is_ahead} {with_probability(error)}.", tone="good"
        )
    alone = max(ranking.error(best, other) for other in ranking.order[1:])
    return Finding(
        text=(
            f"{best} leads, but not surely: {another_is_ahead} {with_probability(error)}. Against "
            f"one other system alone the probability is {probability(alone)} or less."
        ),
        tone="unsure",
    )


def no_clear_winner(ranking: Ranking, *, score: str, best_with: str) -> Finding:
    """Say who is in front, how surely (`best_with`), and who cannot be distinguished from it."""
    has_best = ranking.places is None or int(np.argmax(ranking.scores)) == ranking.index(
        ranking.order[0]
    )
    best = ranking.order[0]
    group = (best, *ranking.ties[best])
    first = ranking.differences[ranking.index(best)]
    sharing = [name for name in group if abs(first[ranking.index(name)]) < _SAME]
    front = (
        f"{', '.join(sharing[:-1])} and {sharing[-1]} share the best {score}; {best}"
        if len(sharing) > 1
        else f"{best} has the best {score}, but"
        if has_best
        else f"{best} probably stands highest, but"
    )
    return Finding(
        text=f"No clear winner. {front} is best {best_with} and cannot be told apart from "
        f"{_named(ranking.ties[best])}.",
        tone="unsure",
    )


def _all_named(names: Sequence[str]) -> str:
    """Name the systems of a set as a sentence does, of many the first ones and how many more."""
    return listed(names) if len(names) <= _MOST_IN_FRONT else _named(names)


def _named(names: Sequence[str]) -> str:
    if len(names) <= _MOST_IN_FRONT:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_IN_FRONT])} and {len(names) - _MOST_IN_FRONT} more"


def _any_other_ahead(ranking: Ranking) -> float:
    """Return the probability that some other system is level or ahead of the first."""
    best = ranking.order[0]
    alone = [ranking.error(best, other) for other in ranking.order[1:]]
    # Where ranks are sampled, what is rarer than a draw counts as never: no less than the likeliest
    # other alone, and no more than all of them added up.
    return min(max(1 - ranking.best_probability[best], *alone, 0.0), sum(alone))


def errors_section(ranking: Ranking) -> Section:
    """Return the section of every pair's error."""
    return Section(
        title="Every pair",
        text='Row by column: probability that "the row is better than the column" is wrong.',
        table=readable_errors(ranking),
    )


def methods(ranking: Ranking) -> str:
    """Return a paragraph ready to paste into a paper."""
    draws = ranking.provenance.settings.get("draws")
    computed = (
        f"errors were counted in {draws:,} re-ratings that all systems share"
        if draws
        else "the difference of their errors has a closed-form mean and variance"
    )
    pairing = (
        "Both systems of a comparison were scored on the same uncertain feedback (paired); "
        f"{computed}."
        if ranking.paired
        else "Systems' scores were treated as independent Gaussians (Jasberg and Sizov, Eq. 5)."
    )
    known = _FEEDBACK.get(
        ranking.provenance.settings.get("means", ""), "the given mean and standard deviation"
    )
    return (
        f"We ranked {len(ranking.systems)} systems by {score_name(ranking)} on {ranking.n} "
        f"person-item pairs whose feedback is a distribution with {known}. {pairing} "
        f"Systems whose order has an error probability of {percent(ranking.level)} or more "
        "count as tied. Computed with howgood."
    )


def _score(mean: float, sd: float) -> str:
    digits = digits_for(sd, most=6) if sd > 0 else 2
    return f"{plain(mean, digits=digits)} ± {plain(sd, digits=digits)}"


def _places(lower: int, upper: int) -> str:
    return str(lower) if lower == upper else f"{lower} to {upper}"


def _or_blank(value: float, shown: Callable[[float], str]) -> str:
    return "" if math.isnan(value) else shown(value)


def _winner(ranking: Ranking) -> Finding:
    best = ranking.order[0]
    p_best = ranking.best_probability[best]
    if len(ranking.order) == 1:
        return Finding(text=f"{best} is the only system: nothing to rank.")
    if _nothing_varies(ranking):
        return Finding(
            text=f"{best} has the best score, but no rating varies here (every sd is 0), so "
            "nothing says what people would rate next time. Rows copied into the table look like "
            "that, too.",
            tone="unsure",
        )
    if not ranking.ties[best]:
        return ahead_of_all(ranking, "asked again, people would put another system level or ahead")
    return no_clear_winner(
        ranking, score="expected score", best_with=f"in only {percent(p_best)} of re-ratings"
    )


def _nothing_varies(ranking: Ranking) -> bool:
    return ranking.doubt == "re-rating" and not np.any(ranking.score_sds)


def _significant(ranking: Ranking) -> list[Finding]:
    """Say what a significant score takes for granted."""
    if "significance level" not in ranking.provenance.settings:
        return []
    level = ranking.provenance.settings["significance level"]
    text = (
        f"{score_name(ranking)} is the score of {ranking.n:,} deviations that all lie outside what "
        f"human uncertainty explains: to collect them takes about {round(ranking.n / level):,} "
        "ratings, so that errors are smaller than any experiment of this size could show. The "
        "paired RMSE on the same ratings separates systems better."
    )
    return [Finding(text=text, tone="unsure")]


def _true_order(ranking: Ranking) -> list[Finding]:
    """Say apart that a re-rating flips the order and that the true order is the opposite."""
    if ranking.true_errors is None or len(ranking.order) < 2 or _nothing_varies(ranking):
        return []
    first, second = ranking.order[:2]
    return [
        Finding(
            text=(
                f"{first} before {second}: a re-rating would flip this with probability "
                f"{probability(ranking.error(first, second))}; that people's mean opinions order "
                f"them the other way has probability "
                f"{probability(ranking.true_error(first, second))}."
            )
        )
    ]


def _means(ranking: Ranking) -> list[Finding]:
    """Say what the means are taken for: it decides how often a re-rating flips the order."""
    settings = ranking.provenance.settings
    borrowed = settings.get("sums", {}).get("borrowed")
    if borrowed:
        return [Finding(text=f"{borrowed}.", tone="unsure")]
    said = {
        KNOWN: "Each mean is taken as known. If it is a single rating, or the mean of a few, say "
        "so (trials=1, or --trials 1): a re-rating then flips the order more often than said here.",
        ONE_RATING: "Each pair was rated once. How far ratings vary (sd) was given, not measured "
        "here.",
        SOME_ONCE: "Some pairs were rated once. How far their ratings vary (sd) was given or "
        "borrowed, not measured.",
    }.get(settings.get("means", ""))
    return [Finding(text=said)] if said else []


def _few_pairs(ranking: Ranking) -> list[Finding]:
    """Say where small probabilities are rough: few ratings of few pairs."""
    n_ratings = _ratings_per_pair(ranking)
    small = ranking.errors[(ranking.errors > 0) & (ranking.errors < _SMALL_ERROR)]
    if not 2 <= n_ratings <= _FEW_RATINGS or ranking.n > _FEW_PAIRS or not small.size:
        return []
    return [
        Finding(
            text=(
                f"{ranking.n} pairs of about {n_ratings} ratings: probabilities below "
                f"{percent(_SMALL_ERROR)} are rough. In simulations with 15 to 40 pairs, orders "
                "said to flip that rarely flipped 2 to 10 times as often: read them as "
                f'"below {percent(2 * _SMALL_ERROR)}".'
            ),
            tone="unsure",
        )
    ]


def _ratings_per_pair(ranking: Ranking) -> int:
    """Return about how many ratings the means came from; 0 where that is unknown."""
    if ranking.mean_variances is None or ranking.provenance.settings.get("means") != REPEATED:
        return 0
    first, second = (ranking.index(name) for name in ranking.order[:2])
    doubt = float(ranking.mean_variances[first, second])
    spread = float(ranking.difference_variances[first, second])
    return round(spread / doubt) if doubt > 0 else 0


def _few_ratings(ranking: Ranking) -> list[Finding]:
    """Say what a handful of ratings per pair cannot tell."""
    n_ratings = _ratings_per_pair(ranking)
    if n_ratings not in HELD:
        return []
    return [
        Finding(
            text=(
                f"About {n_ratings} ratings per pair: how much ratings vary is hardly known. "
                f"95 % intervals of a score may hold what people say next time in only "
                f"{HELD[n_ratings]} of 100 cases."
            ),
            tone="unsure",
        )
    ]


def _off_scale(ranking: Ranking) -> list[Finding]:
    """Ask whether systems predict on another scale: the best one's errors are so much smaller."""
    power = {"rmse": 1, "mae": 1, "mse": 2}.get(ranking.metric)
    least = float(np.min(ranking.scores))
    if power is None or least <= 0 or _nothing_varies(ranking):
        return []
    far = [
        name
        for name in reversed(ranking.order)
        if (ranking.scores[ranking.index(name)] / least) ** (1 / power) > _OFF_SCALE
    ]
    if not far:
        return []
    times = (float(np.max(ranking.scores)) / least) ** (1 / power)
    text = (
        f"Errors of {listed(far[:_MOST_NAMED])} are up to {times:.0f} times those of "
        f"{ranking.order[0]}: are all predictions on the scale of the ratings?"
    )
    return [Finding(text=text, tone="unsure")]


def _barrier(ranking: Ranking) -> list[Finding]:
    best = ranking.order[0]
    headroom = ranking.headroom[best]
    if math.isnan(headroom) or _nothing_varies(ranking):  # a metric without a barrier
        return []
    if headroom < 0:
        text = (
            f"Human uncertainty alone costs {plain(ranking.barrier)} (magic barrier), and {best} "
            "scores below it: it was made from these very ratings, or their sd is smaller."
        )
        if ranking.metric == "mae" and ranking.mean_variances is not None:
            text += (
                " Then a re-rating flips its order more often than said: that is about systems "
                "made without these ratings."
            )
        return [Finding(text=text, tone="unsure")]
    return [
        Finding(
            text=(
                f"Human uncertainty alone costs {plain(ranking.barrier)} (magic barrier); "
                f"{percent(headroom)} of {best}'s score is left to improve."
            )
        )
    ]
