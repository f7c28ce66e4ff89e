"""A ranking in words: what a team reading a leaderboard needs to hear first.

In: `Ranking`. Out: sentences and a `Report`. Absent: drawing (see `figures.ranking`).
"""

from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report, Section
from howgood.show.numbers import percent, plain, probability

CAUTIONS = (
    "A ranking says which system scores better on these people and items, not why.",
    "Feedback noise is not the only uncertainty: other people or other items may rank otherwise.",
    "A small error probability is not a large difference: look at the scores and the headroom.",
)


def findings(ranking: Ranking) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (_winner(ranking), *_ties(ranking), *_true_order(ranking), *_barrier(ranking))


def report(ranking: Ranking, *, svg: str) -> Report:
    """Return the whole report of a ranking."""
    sections = [
        Section(
            title="The ranking",
            text=(
                "Score: expected if everybody rated again, with its standard deviation. "
                "Error to next: probability that the next system would score at least as well."
            ),
            svg=svg,
            alt="Left: each system's score distribution. Right: probability of each rank.",
            table=ranking.table(),
        ),
        Section(
            title="Every pair",
            text='Row by column: probability that "the row is better than the column" is wrong.',
            table=ranking.error_table(),
        ),
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


def methods(ranking: Ranking) -> str:
    """Return a paragraph ready to paste into a paper."""
    pairing = (
        "Both systems of a comparison were scored on the same uncertain feedback (paired), so "
        "that the difference of their errors has a closed-form distribution."
        if ranking.paired
        else "Systems' scores were treated as independent Gaussians (Jasberg and Sizov, Eq. 5)."
    )
    return (
        f"We ranked {len(ranking.systems)} systems by {ranking.metric.upper()} on {ranking.n} "
        "person-item pairs whose feedback is a distribution with the given mean and standard "
        f"deviation. {pairing} Systems whose order has an error probability of "
        f"{percent(ranking.level)} or more form a tie group. Computed with howgood."
    )


def _winner(ranking: Ranking) -> Finding:
    best = ranking.order[0]
    group = ranking.tie_groups[0]
    p_best = ranking.best_probability[best]
    if len(ranking.order) == 1:
        return Finding(text=f"{best} is the only system: nothing to rank.")
    if len(group) == 1:
        error = max(ranking.error(best, other) for other in ranking.order[1:])
        return Finding(
            text=(
                f"{best} is best: asked again, people would put another system level or ahead "
                f"with probability {probability(error)} at most."
            ),
            tone="good",
        )
    others = ", ".join(name for name in group if name != best)
    return Finding(
        text=(
            f"No clear winner. {best} has the best expected score, but is best in only "
            f"{percent(p_best)} of re-ratings; it cannot be told from {others}."
        ),
        tone="unsure",
    )


def _ties(ranking: Ranking) -> list[Finding]:
    tied = [group for group in ranking.tie_groups[1:] if len(group) > 1]
    return [
        Finding(text=f"Practically one place: {', '.join(group)}.", tone="unsure") for group in tied
    ]


def _true_order(ranking: Ranking) -> list[Finding]:
    """Say apart that a re-rating flips the order and that the true order is the opposite."""
    if ranking.true_errors is None or len(ranking.order) < 2:
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


def _barrier(ranking: Ranking) -> list[Finding]:
    best = ranking.order[0]
    headroom = ranking.headroom[best]
    if headroom != headroom:  # NaN: a metric without a barrier
        return []
    return [
        Finding(
            text=(
                f"Human uncertainty alone costs {plain(ranking.barrier)} (magic barrier); only "
                f"{percent(headroom)} of {best}'s score is left to improve."
            )
        )
    ]
