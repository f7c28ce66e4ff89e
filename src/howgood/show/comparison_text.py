"""Two systems in words: what each does, and how they differ.

In: displayed matrices and a wording. Out: sentences for screens, terminals and screen readers.
Absent: layout.
"""

from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix


def difference(first: ConfusionMatrix, second: ConfusionMatrix, wording: ComparisonWording) -> str:
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
    misses = _gap(second.false_negatives - first.false_negatives, wording.miss, wording.misses)
    alarms = _gap(second.false_positives - first.false_positives, wording.alarm, wording.alarms)
    return f"Compared with A, system B has {misses} and {alarms}."


def class_rates(matrix: ConfusionMatrix, wording: ComparisonWording) -> tuple[str, str]:
    """Say what share of each true class is treated rightly; rates are of the displayed numbers.

    Examples
    --------
    >>> from howgood.ask.comparison import CANCER_WORDING
    >>> matrix = ConfusionMatrix(
    ...     true_positives=32, false_negatives=3, false_positives=7, true_negatives=58
    ... )
    >>> class_rates(matrix, CANCER_WORDING)[0]
    'Of the 35 with cancer, 32 are found (91 %)'
    """
    return (
        f"Of the {matrix.positives:g} {wording.with_positive}, {matrix.true_positives:g} are "
        f"{wording.found}{_rate(matrix.true_positives, matrix.positives)}",
        f"Of the {matrix.negatives:g} {wording.with_negative}, {matrix.true_negatives:g} are "
        f"{wording.correctly_cleared}{_rate(matrix.true_negatives, matrix.negatives)}",
    )


def outcome_lines(matrix: ConfusionMatrix, wording: ComparisonWording) -> tuple[str, ...]:
    """Name the four outcomes with their counts: found, missed, false alarms, cleared."""
    return (
        f"{wording.positive}, {wording.flagged}: {matrix.true_positives:g}",
        f"{wording.positive}, {wording.cleared}: {matrix.false_negatives:g} — "
        f"{_named(matrix.false_negatives, wording.miss, wording.misses)}",
        f"{wording.negative}, {wording.flagged}: {matrix.false_positives:g} — "
        f"{_named(matrix.false_positives, wording.alarm, wording.alarms)}",
        f"{wording.negative}, {wording.cleared}: {matrix.true_negatives:g}",
    )


def described(matrix: ConfusionMatrix, wording: ComparisonWording, *, name: str) -> str:
    """Say everything a card shows, as its text alternative."""
    found, missed, alarms, cleared = outcome_lines(matrix, wording)
    of_positive, of_negative = class_rates(matrix, wording)
    return (
        f"System {name}. Of {matrix.total:g} {wording.cases}, {matrix.positives:g} "
        f"{wording.positive} and {matrix.negatives:g} {wording.negative}. "
        f"{found}; {missed}; {alarms}; {cleared}. "
        f"{matrix.flagged:g} are {wording.flagged}, {matrix.total - matrix.flagged:g} "
        f"{wording.cleared}. {of_positive}. {of_negative}."
    )


def _gap(count: float, singular: str, plural: str) -> str:
    if count == 0:
        return f"as many {plural}"
    more = "more" if count > 0 else "fewer"
    return f"{abs(count):g} {more} {_named(abs(count), singular, plural)}"


def _named(count: float, singular: str, plural: str) -> str:
    return singular if count == 1 else plural


def _rate(part: float, whole: float) -> str:
    return f" ({100 * part / whole:.0f} %)" if whole else ""
