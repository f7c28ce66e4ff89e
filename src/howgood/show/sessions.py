"""Sessions of the same people in words: who won which, and are sessions alike?

In: `Sessions`. Out: sentences, a table, a `Report`. Absent: drawing (see `figures.ranking`).
"""

from howgood.records.report import Finding, Report, Section
from howgood.records.sessions import Sessions
from howgood.records.table import Table
from howgood.show.figures.ranking import ranking_frequencies, score_histograms
from howgood.show.numbers import percent, plain, probability
from howgood.show.ranking import listed

_QUESTIONS = {
    "level": "the mean rating changes between sessions",
    "spread": "some sessions are noisier than others",
    "order": "ratings of neighbouring sessions are more alike than others: people remember, or "
    "change slowly",
}
# So many systems can be drawn apart.
_MOST_DRAWN = 7


def findings(sessions: Sessions) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (_winners(sessions), _again(sessions), _exchangeability(sessions))


def _winners(sessions: Sessions) -> Finding:
    n = len(sessions.sessions)
    firsts = list(dict.fromkeys(ordering.order[0] for ordering in sessions.observed))
    if len(sessions.observed) == 1:
        order = ", then ".join(sessions.observed[0].order)
        return Finding(text=f"All {n} sessions give the same ranking: {order}.", tone="good")
    best = "the winner is always " + firsts[0] if len(firsts) == 1 else (
        f"{listed(firsts)} each win at least once"
    )  # fmt: skip
    return Finding(
        text=f"{n} sessions of the same people give {len(sessions.observed)} different rankings; "
        f"{best}.",
        tone="unsure",
    )


def _again(sessions: Sessions) -> Finding:
    first = sessions.resampled[0]
    return Finding(
        text="If everybody had answered as in any one of their sessions, the most frequent "
        f"ranking ({', '.join(first.order)}) would come out in {percent(first.probability)} of "
        "re-evaluations."
    )


def _exchangeability(sessions: Sessions) -> Finding:
    if sessions.are_exchangeable is None:
        return Finding(
            text=f"Whether sessions are alike cannot be said: with {sessions.n_people} people even "
            f"the clearest change has a p-value of {probability(sessions.least_p)}.",
            tone="unsure",
        )
    if sessions.are_exchangeable:
        return Finding(
            text="Nothing says that sessions differ "
            f"(p = {plain(sessions.p_value)}, all tests together): they may be taken together."
        )
    limit = sessions.level / len(sessions.p_values)
    changed = [_QUESTIONS[name] for name, p in sessions.p_values.items() if p < limit]
    return Finding(
        text=f"Sessions are not alike (p = {probability(sessions.p_value)}): {'; '.join(changed)}. "
        "Rankings that take all sessions together count this change as noise.",
        tone="unsure",
    )


def readable_sessions(sessions: Sessions) -> Table:
    """Return one row per session as people read it."""
    rows = list(sessions.table().rows())
    return Table(
        {
            "session": [row["session"] for row in rows],
            "mean rating": [plain(row["mean_rating"]) for row in rows],
            **{
                f"{name} ({sessions.metric.upper()})": [plain(row[name], digits=3) for row in rows]
                for name in sessions.systems
            },
            "first": [row["first"] for row in rows],
        }
    )


def readable_orderings(sessions: Sessions) -> Table:
    """Return rankings, how many sessions gave them, and how often they would come out."""
    observed = {ordering.order: ordering.probability for ordering in sessions.observed}
    expected = {ordering.order: ordering.probability for ordering in sessions.resampled}
    orders = list(dict.fromkeys([*expected, *observed]))
    n = len(sessions.sessions)
    return Table(
        {
            "ranking": [" < ".join(order) for order in orders],
            "sessions": [round(n * observed.get(order, 0.0)) for order in orders],
            "re-evaluations": [
                percent(expected[order]) if order in expected else "rarer" for order in orders
            ],
        }
    )  # fmt: skip


def report(sessions: Sessions) -> Report:
    """Return the report with the paper's two pictures."""
    frequencies = {
        " < ".join(ordering.order): ordering.probability for ordering in sessions.resampled[:8]
    }
    drawn = {
        name: sessions.score_draws[:, place]
        for place, name in enumerate(sessions.systems[:_MOST_DRAWN])
    }
    return Report(
        title=f"{len(sessions.sessions)} sessions of the same people",
        question="Does the ranking depend on when people were asked?",
        findings=findings(sessions),
        sections=(
            Section(
                title="And the winner is",
                text="How often each ranking would come out if every answer were that of any one "
                "of the person's sessions; best on the left.",
                svg=ranking_frequencies(frequencies),
                alt="Bars: share of re-evaluations with each ranking.",
                table=readable_orderings(sessions),
            ),
            Section(
                title="Scores of these re-evaluations",
                text="Each histogram holds one system's scores on the same people and items.",
                svg=score_histograms(drawn, score_name=sessions.metric.upper()),
                alt="Histograms of every system's score.",
            ),
            Section(
                title="Every session",
                text="Scores on the pairs that were rated in all sessions.",
                table=readable_sessions(sessions),
            ),
        ),
        methods=_methods(sessions),
        provenance=sessions.provenance,
        cautions=(
            "Sessions that look alike may still differ by less than so few people can show.",
            "A system made from these very ratings is favoured in the session it was made from.",
        ),
    )


def _methods(sessions: Sessions) -> str:
    settings = sessions.provenance.settings
    return (
        f"{len(sessions.systems)} systems were scored by {sessions.metric.upper()} in each of "
        f"{len(sessions.sessions)} sessions, on {sessions.n_pairs:,} pairs of "
        f"{sessions.n_people:,} people rated in all of them "
        f"({settings['pairs not rated in all sessions']:,} pairs were not). Exchangeability was "
        f"tested by {settings['permutations']:,} random exchanges of each person's sessions "
        "(differences in level, in spread, and likeness of neighbouring sessions; Bonferroni). "
        "Computed with howgood."
    )
