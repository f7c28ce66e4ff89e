"""A confusion matrix in the words of its study: cards, rates, and how two differ.

In: matrices and the study's words. Out: cards and sentences. Absent: choosing the matrices.
"""

from collections.abc import Mapping

from howgood.ask.sentences import sentence
from howgood.flow.participate.pieces import words
from howgood.records.confusion import ConfusionMatrix
from howgood.records.plans import ComparisonPlan
from howgood.records.screen import Button, Card, Cards, Drawing, Words

# What a study calls its cases, the two true classes, the two predictions and the two errors.
WORDS = frozenset(
    {"cases", "positive", "negative", "flagged", "passed", "miss", "misses", "alarm", "alarms"}
)
OPTIONAL_WORDS = frozenset({"use"})


def counts_of(matrix: ConfusionMatrix) -> dict[str, int]:
    """Return the whole numbers that sentences about a matrix need."""
    return {
        "total": int(matrix.total),
        "positives": int(matrix.positives),
        "negatives": int(matrix.negatives),
        "found": int(matrix.true_positives),
        "missed": int(matrix.false_negatives),
        "alarmed": int(matrix.false_positives),
        "cleared": int(matrix.true_negatives),
        "all_flagged": int(matrix.flagged),
    }


def card(
    plan: ComparisonPlan,
    matrix: ConfusionMatrix,
    *,
    title: str,
    language: str,
    button: Button | None = None,
) -> Card:
    """Return one system as a flow chart with its rates, and the button that prefers it."""
    lines = rate_lines(plan.words, matrix, language)
    alternative = " ".join(each.replace("**", "") for each in lines)
    return Card(
        title=title,
        drawing=Drawing(svg=_chart(plan, matrix), alternative=f"{title}. {alternative}"),
        lines=tuple(words(each) for each in lines),
        button=button,
    )


def two_cards(
    plan: ComparisonPlan,
    left: ConfusionMatrix,
    right: ConfusionMatrix,
    *,
    language: str,
    buttons: tuple[Button, Button] | None = None,
) -> Cards:
    """Return two systems side by side, and how the second differs from the first."""
    first, second = buttons or (None, None)
    return Cards(
        cards=(
            card(plan, left, title=sentence(language, "system_a"), language=language, button=first),
            card(
                plan, right, title=sentence(language, "system_b"), language=language, button=second
            ),
        ),
        between=difference(plan.words, left, right, language),
    )


def rate_lines(own: Mapping[str, str], matrix: ConfusionMatrix, language: str) -> tuple[str, ...]:
    """Return the share found of the positives and the share cleared of the negatives (G4)."""
    counts = counts_of(matrix)
    lines = []
    if counts["positives"]:
        rate = _percent(counts["found"], counts["positives"])
        lines.append(sentence(language, "of_positives", rate=rate, **{**own, **counts}))
    if counts["negatives"]:
        rate = _percent(counts["cleared"], counts["negatives"])
        lines.append(sentence(language, "of_negatives", rate=rate, **{**own, **counts}))
    return tuple(lines)


def difference(
    own: Mapping[str, str], left: ConfusionMatrix, right: ConfusionMatrix, language: str
) -> tuple[Words, ...]:
    """Return one line on how the right system differs from the left one."""
    misses = int(right.false_negatives - left.false_negatives)
    alarms = int(right.false_positives - left.false_positives)
    return words(
        sentence(
            language,
            "difference",
            misses=_more_or_fewer(misses, own["miss"], own["misses"], language),
            alarms=_more_or_fewer(alarms, own["alarm"], own["alarms"], language),
        )
    )


def _more_or_fewer(n: int, one: str, many: str, language: str) -> str:
    word = one if abs(n) == 1 else many
    if n == 0:
        return sentence(language, "difference_same", word=many)
    key = "difference_more" if n > 0 else "difference_fewer"
    return sentence(language, key, n=abs(n), word=word)


def _percent(part: int, whole: int) -> int:
    """Rates of the displayed whole numbers, rounded half up."""
    return (200 * part + whole) // (2 * whole)


def _chart(plan: ComparisonPlan, matrix: ConfusionMatrix) -> str:
    counts = counts_of(matrix)
    bars = "".join(
        f'<rect x="0" y="{20 * row}" width="{2 * counts[name]}" height="16"/>'
        for row, name in enumerate(("found", "missed", "alarmed", "cleared"))
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 80">{bars}</svg>'
