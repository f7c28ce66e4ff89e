"""Two systems in words: what each does, and how they differ.

In: displayed matrices, a wording, a language. Out: sentences for screens, terminals and screen
readers. Absent: layout.
"""

from functools import partial

from howgood.ask.comparison import matrix_blanks
from howgood.ask.sentences import sentence, whole
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix


def difference(
    first: ConfusionMatrix,
    second: ConfusionMatrix,
    wording: ComparisonWording,
    *,
    language: str = "en",
) -> str:
    """Say how the second system (B) differs from the first (A).

    Examples
    --------
    >>> from howgood.ask.comparison import CANCER_WORDING
    >>> cells = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    >>> a, b = (
    ...     ConfusionMatrix(**dict(zip(cells, row))) for row in [(30, 5, 2, 63), (32, 3, 9, 56)]
    ... )
    >>> difference(a, b, CANCER_WORDING)
    'Compared with A, system B has 2 fewer missed cancers and 7 more false alarms.'
    """
    misses, alarms = (
        second.false_negatives - first.false_negatives,
        second.false_positives - first.false_positives,
    )
    return sentence(
        language,
        "card_difference",
        misses=_gap(misses, wording.miss, wording.misses, language),
        alarms=_gap(alarms, wording.alarm, wording.alarms, language),
    )


def class_rates(
    matrix: ConfusionMatrix, wording: ComparisonWording, *, language: str = "en"
) -> tuple[str, str]:
    """Say what share of each true class is treated rightly; rates are of the displayed numbers.

    Examples
    --------
    >>> from howgood.ask.comparison import CANCER_WORDING
    >>> matrix = ConfusionMatrix(
    ...     true_positives=32, false_negatives=3, false_positives=7, true_negatives=58
    ... )
    >>> class_rates(matrix, CANCER_WORDING)[0]
    'Of the 35 with cancer: 32 found (91 %)'
    """
    blanks = matrix_blanks(matrix, wording, language=language)
    recall = _rate(matrix.true_positives, matrix.positives, language)
    cleared = _rate(matrix.true_negatives, matrix.negatives, language)
    return (
        sentence(language, "card_rate_positive", rate=recall, **blanks),
        sentence(language, "card_rate_negative", rate=cleared, **blanks),
    )


def outcome_lines(
    matrix: ConfusionMatrix, wording: ComparisonWording, *, language: str = "en"
) -> tuple[str, ...]:
    """Name the four outcomes with their counts: found, missed, false alarms, cleared."""
    number = partial(whole, language=language)
    return (
        f"{wording.positive}, {wording.flagged}: {number(matrix.true_positives)}",
        f"{wording.positive}, {wording.cleared}: {number(matrix.false_negatives)} — "
        f"{_named(matrix.false_negatives, wording.miss, wording.misses)}",
        f"{wording.negative}, {wording.flagged}: {number(matrix.false_positives)} — "
        f"{_named(matrix.false_positives, wording.alarm, wording.alarms)}",
        f"{wording.negative}, {wording.cleared}: {number(matrix.true_negatives)}",
    )


def described(
    matrix: ConfusionMatrix, wording: ComparisonWording, *, name: str, language: str = "en"
) -> str:
    """Say everything a card shows, as its text alternative."""
    of_positive, of_negative = class_rates(matrix, wording, language=language)
    return sentence(
        language,
        "card_described",
        name=name,
        outcomes="; ".join(outcome_lines(matrix, wording, language=language)),
        of_positive=of_positive,
        of_negative=of_negative,
        **matrix_blanks(matrix, wording, language=language),
    )


def _gap(count: float, singular: str, plural: str, language: str) -> str:
    if count == 0:
        return sentence(language, "card_as_many", word=plural)
    key = "card_more" if count > 0 else "card_fewer"
    n = whole(abs(count), language=language)
    return sentence(language, key, n=n, word=_named(abs(count), singular, plural))


def _named(count: float, singular: str, plural: str) -> str:
    return singular if count == 1 else plural


def share(part: float, all_cases: float, language: str = "en") -> str:
    """Return a share in percent; nearly all is not all, and one of thousands is not none.

    Examples
    --------
    >>> share(32, 35), share(9999, 10_000), share(0, 0)
    ('91 %', '> 99 %', '')
    """
    if not all_cases:
        return ""
    rounded = f"{100 * part / all_cases:.0f}"
    if rounded == "100" and part < all_cases:
        rounded = "> 99"
    if rounded == "0" and part > 0:
        rounded = "< 1"
    return sentence(language, "card_percent", percent=rounded)


def _rate(part: float, all_cases: float, language: str) -> str:
    return f" ({share(part, all_cases, language)})" if all_cases else ""
