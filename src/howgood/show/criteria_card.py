"""Two alternatives as cards with bars, and in words.

In: alternatives as displayed, their table, a language. Out: SVG that takes its ink from the page,
sentences for screens, terminals and screen readers. Absent: the page around them.

Only what differs is drawn. A bar shows the amount, from the lowest to the highest of the table, and
the better side of each criterion says so in words: longer is not always better.
"""

from html import escape
from textwrap import shorten

from howgood.ask.sentences import sentence
from howgood.records.criteria import Alternative, CriteriaTable, Criterion

_WIDTH, _ROW, _BAR = 360, 46, 10
_MOST_SAID = 2
_LEAST_BAR = 0.04  # the lowest of the table still has a bar


def shown(criterion: Criterion, value: float, language: str = "en") -> str:
    """Return a value with its unit as people of a language read it.

    Examples
    --------
    >>> price = Criterion(name="price", direction="min", unit="EUR")
    >>> shown(price, 1250.5), shown(price, 1250.5, "de")
    ('1,250.5 EUR', '1.250,5 EUR')
    """
    text = criterion.shown(value)
    if sentence(language, "thousands") != ",":
        number, space, unit = text.partition(" ")
        text = number.translate(str.maketrans(",.", ".,")) + space + unit
    return text.replace(" %", "\u00a0%")


def differing(one: Alternative, other: Alternative, table: CriteriaTable) -> list[Criterion]:
    """Return the criteria in which two alternatives look different."""
    return [
        criterion
        for criterion in table.criteria
        if one.values[criterion.name] != other.values[criterion.name]
    ]


def is_better(criterion: Criterion, one: Alternative, other: Alternative) -> bool:
    """Return whether the first of two is better on a criterion."""
    gap = one.values[criterion.name] - other.values[criterion.name]
    return gap > 0 if criterion.direction == "max" else gap < 0


def criteria_card(
    one: Alternative, other: Alternative, table: CriteriaTable, *, name: str, language: str = "en"
) -> str:
    """Return the card of the first alternative, next to the card of the other."""
    rows = differing(one, other, table)
    parts = []
    for number, row in enumerate(rows):
        better = is_better(row, one, other)
        parts.append(_row(row, one, table, better=better, y=number * _ROW, language=language))
    label = escape(described(one, other, table, name=name, language=language))
    title = escape(sentence(language, "option_title", name=name))
    return (
        f'<svg class="hg-card" viewBox="0 0 {_WIDTH} {_ROW * len(rows)}" role="img" '
        f'aria-labelledby="hg-t-{name} hg-d-{name}" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="hg-t-{name}">{title}</title><desc id="hg-d-{name}">{label}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _row(
    criterion: Criterion,
    one: Alternative,
    table: CriteriaTable,
    *,
    better: bool,
    y: int,
    language: str,
) -> str:
    place = table.criteria.index(criterion)
    low, high = float(table.lowest[place]), float(table.highest[place])
    value = one.values[criterion.name]
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    long = (_LEAST_BAR + (1 - _LEAST_BAR) * share) * _WIDTH
    mark = f"\u2713 {sentence(language, 'option_better')}, " if better else ""
    amount = escape(f"{mark}{shown(criterion, value, language)}")
    label = escape(shorten(criterion.title, 30, placeholder="…"))
    return (
        f'<text x="0" y="{y + 17}">{label}</text>'
        f'<text class="b" x="{_WIDTH}" y="{y + 17}" text-anchor="end">{amount}</text>'
        f'<rect class="track" x="0" y="{y + 24}" width="{_WIDTH}" height="{_BAR}" rx="3"/>'
        f'<rect class="{"better" if better else "right"}" x="0" y="{y + 24}" '
        f'width="{long:.1f}" height="{_BAR}" rx="3"/>'
    )


def described(
    one: Alternative, other: Alternative, table: CriteriaTable, *, name: str, language: str = "en"
) -> str:
    """Say everything a card shows, as its text alternative."""
    values = "; ".join(
        f"{criterion.title}: {shown(criterion, one.values[criterion.name], language)}"
        + (f" ({sentence(language, 'option_better')})" if is_better(criterion, one, other) else "")
        for criterion in differing(one, other, table)
    )
    return f"{sentence(language, 'option_title', name=name)}. {values}."


def trade_off(
    first: Alternative, second: Alternative, table: CriteriaTable, *, language: str = "en"
) -> str:
    """Say in one sentence what each side is better in."""
    # More numbers than two criteria have are read off the cards.
    is_short = len(differing(first, second, table)) <= _MOST_SAID
    said = {
        name: [
            _gain(criterion, one, other, language) if is_short else criterion.title
            for criterion in differing(one, other, table)
            if is_better(criterion, one, other)
        ]
        for name, one, other in (("A", first, second), ("B", second, first))
    }
    if not said["A"] or not said["B"]:
        name = "A" if said["A"] else "B"
        gain = _joined(said[name], language)
        return sentence(language, "option_dominates", name=name, gain=gain)
    return sentence(
        language,
        "option_trade_off",
        first=_joined(said["A"], language),
        second=_joined(said["B"], language),
    )


def _gain(criterion: Criterion, one: Alternative, other: Alternative, language: str) -> str:
    return sentence(
        language,
        "option_gain",
        criterion=criterion.title,
        own=shown(criterion, one.values[criterion.name], language),
        other=shown(criterion, other.values[criterion.name], language),
    )


def same_for_both(
    first: Alternative, second: Alternative, table: CriteriaTable, *, language: str = "en"
) -> str:
    """Say what does not differ; empty when everything does."""
    differ = differing(first, second, table)
    same = [
        f"{criterion.title} {shown(criterion, first.values[criterion.name], language)}"
        for criterion in table.criteria
        if criterion not in differ
    ]
    return sentence(language, "option_same", values=", ".join(same)) if same else ""


def _joined(parts: list[str], language: str) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {sentence(language, 'and')} {parts[-1]}"
