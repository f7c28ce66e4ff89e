"""One system as a picture: who is ill, who is flagged, and where the errors flow.

In: a displayed matrix and a wording. Out: one accessible <svg> element that takes its ink from
the page. Absent: the page around it (see `participate.cards`).

True classes stand on the left and predictions on the right, ribbons are as wide as their count,
errors are coloured and hatched, and every number is also written out with its words.
"""

from dataclasses import dataclass
from html import escape
from itertools import pairwise
from textwrap import wrap

from howgood.ask.sentences import sentence, whole
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.show.comparison_text import class_rates, described, outcome_lines

_WIDTH = 360
_TOP, _TALL, _GAP = 34.0, 170.0, 26.0
_LEFT, _RIGHT, _BAR = 104.0, 246.0, 10.0
_LINE = 17.0
ERROR_LIGHT, ERROR_DARK = "#A84300", "#FFB184"

STYLE = (
    f".hg-card{{--hg-error:{ERROR_LIGHT};width:100%;height:auto;max-width:34rem;"
    "font:13px system-ui,sans-serif;fill:currentColor}"
    f"@media(prefers-color-scheme:dark){{.hg-card{{--hg-error:{ERROR_DARK}}}}}"
    ".hg-card .b{font-weight:600}.hg-card .e{fill:var(--hg-error)}"
    ".hg-card .right{fill:currentColor;fill-opacity:.22}"
    ".hg-card .hatch{stroke:var(--hg-error);stroke-width:2.2}"
    ".hg-card .n{font-weight:600;paint-order:stroke;stroke:Canvas;stroke-width:3px;"
    "stroke-linejoin:round}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ribbon:
    """One outcome: how many, where it starts on the left, where it ends on the right."""

    count: float
    start: float
    end: float
    is_error: bool


def comparison_card(
    matrix: ConfusionMatrix,
    wording: ComparisonWording,
    *,
    name: str = "A",
    bars: bool = False,
    language: str = "en",
    is_styled: bool = True,
) -> str:
    """Return the card of one system; `bars` adds a bar chart of the four counts below.

    Parameters
    ----------
    matrix : ConfusionMatrix
        Whole numbers, as displayed.
    wording : ComparisonWording
        The respondent's words.
    name : str
        What the system is called, also part of the identifiers inside the picture.
    bars : bool
        People look at the flow chart alone after a few questions, so bars are off by default.
    language : str
        Language of the sentences around the wording.
    is_styled : bool
        Whether the picture brings `STYLE` along; a page that forbids inline styles has its own.
    """
    unit = _TALL / matrix.total
    ribbons = _ribbons(matrix, unit)
    flow = [
        *(_ribbon_path(each, unit, name) for each in ribbons),
        *_blocks(matrix, unit, wording, language),
        *_counts(ribbons, unit, language),
    ]
    rates = class_rates(matrix, wording, language=language)
    lines = outcome_lines(matrix, wording, language=language)
    text, height = _legend(lines, name, rates, y=_TOP + _TALL + _GAP + 42)
    chart: list[str] = []
    if bars:
        chart, height = _bar_chart(matrix, wording, name, language, y=height + 12)
    label = escape(described(matrix, wording, name=name, language=language))
    out_of = sentence(
        language, "card_out_of", total=whole(matrix.total, language=language), cases=wording.cases
    )
    title, says = (
        escape(sentence(language, f"card_{each}", name=name)) for each in ("title", "says")
    )
    return "".join(
        [
            f'<svg class="hg-card" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
            f'aria-labelledby="hg-t-{name} hg-d-{name}" xmlns="http://www.w3.org/2000/svg">',
            f"<style>{STYLE}</style>" if is_styled else "",
            f'<title id="hg-t-{name}">{title}</title>',
            f'<desc id="hg-d-{name}">{label}</desc>',
            f'<defs><pattern id="hg-p-{name}" width="6" height="6" patternTransform="rotate(45)" '
            'patternUnits="userSpaceOnUse"><rect width="6" height="6" class="e" '
            'fill-opacity=".22"/><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern>'
            "</defs>",
            f'<text class="b" x="0" y="16">{escape(out_of)}</text>',
            f'<text class="b" x="{_WIDTH}" y="16" text-anchor="end">{says}</text>',
            *flow,
            *text,
            *chart,
            "</svg>",
        ]
    )


def _ribbons(matrix: ConfusionMatrix, unit: float) -> list[_Ribbon]:
    positives, flagged = matrix.positives * unit, matrix.flagged * unit
    second_class, second_column = _TOP + positives + _GAP, _TOP + flagged + _GAP
    tp, fn = matrix.true_positives, matrix.false_negatives
    fp, tn = matrix.false_positives, matrix.true_negatives
    return [
        _Ribbon(count=tp, start=_TOP, end=_TOP, is_error=False),
        _Ribbon(count=tn, start=second_class + fp * unit, end=second_column + fn * unit,
                is_error=False),
        _Ribbon(count=fn, start=_TOP + tp * unit, end=second_column, is_error=True),
        _Ribbon(count=fp, start=second_class, end=_TOP + tp * unit, is_error=True),
    ]  # fmt: skip


def _ribbon_path(ribbon: _Ribbon, unit: float, name: str) -> str:
    if ribbon.count == 0:
        return ""
    wide = max(ribbon.count * unit, 1.5)
    left, right, middle = _LEFT + _BAR, _RIGHT, (_LEFT + _BAR + _RIGHT) / 2
    a, b = ribbon.start, ribbon.end
    fill = f'fill="url(#hg-p-{name})"' if ribbon.is_error else 'class="right"'
    return (
        f'<path {fill} d="M{left:g} {a:.1f}C{middle:g} {a:.1f} {middle:g} {b:.1f} {right:g} {b:.1f}'
        f"V{b + wide:.1f}C{middle:g} {b + wide:.1f} {middle:g} {a + wide:.1f} "
        f'{left:g} {a + wide:.1f}Z"/>'
    )


def _blocks(
    matrix: ConfusionMatrix, unit: float, wording: ComparisonWording, language: str
) -> list[str]:
    """Draw the four totals: true classes on the left, predictions on the right."""
    parts = []
    sides = (
        (_LEFT, "end", _LEFT - 8, (matrix.positives, wording.positive),
         (matrix.negatives, wording.negative)),
        (_RIGHT, "start", _RIGHT + _BAR + 8, (matrix.flagged, wording.flagged),
         (matrix.total - matrix.flagged, wording.cleared)),
    )  # fmt: skip
    for x, anchor, label_x, upper, lower in sides:
        y = _TOP
        centres, labels = [], []
        for count, words in (upper, lower):
            tall = count * unit
            parts.append(
                f'<rect x="{x:g}" y="{y:.1f}" width="{_BAR:g}" height="{max(tall, 1):.1f}"/>'
            )
            centres.append(y + tall / 2)
            labels.append([whole(count, language=language), *wrap(words, 15)])
            y += tall + _GAP
        apart = (len(labels[0]) + len(labels[1])) * 7.5
        # Below the heading, whatever the height of the block.
        highest = _TOP - 6 + len(labels[0]) * 7.5
        places = _spread(centres, [apart], top=highest, bottom=_TOP + _TALL + _GAP)
        for place, lines in zip(places, labels, strict=True):
            parts += _label(label_x, place, lines, anchor)
    return parts


def _label(x: float, centre: float, lines: list[str], anchor: str) -> list[str]:
    first = centre - (len(lines) - 1) * 7.5 + 4.5
    return [
        f'<text x="{x:g}" y="{first + 15 * index:.1f}" text-anchor="{anchor}"'
        f"{' class=' + chr(34) + 'b' + chr(34) if index == 0 else ''}>{escape(line)}</text>"
        for index, line in enumerate(lines)
    ]


def _counts(ribbons: list[_Ribbon], unit: float, language: str) -> list[str]:
    """Write each count on its ribbon, near the true class it belongs to."""
    shown = sorted((each for each in ribbons if each.count > 0), key=lambda each: each.start)
    centres = [each.start + each.count * unit / 2 for each in shown]
    places = _spread(centres, [15.0] * (len(shown) - 1), top=_TOP + 4, bottom=_TOP + _TALL + _GAP)
    return [
        f'<text class="{"n e" if each.is_error else "n"}" x="{_LEFT + _BAR + 8:g}" '
        f'y="{place + 4.5:.1f}">{whole(each.count, language=language)}</text>'
        for each, place in zip(shown, places, strict=True)
    ]


def _spread(
    centres: list[float], distances: list[float], *, top: float, bottom: float
) -> list[float]:
    """Move labels apart until neighbours keep their distance, and stay inside the chart."""
    places = list(centres)
    for _ in range(60):
        for index, (upper, lower) in enumerate(pairwise(places)):
            lack = distances[index] - (lower - upper)
            if lack > 0:
                places[index], places[index + 1] = upper - lack / 2, lower + lack / 2
        places = [min(max(place, top), bottom) for place in places]
    return places


def _legend(
    lines: tuple[str, ...], name: str, rates: tuple[str, str], *, y: float
) -> tuple[list[str], float]:
    """Write every outcome out in words, the class's rate below its two outcomes."""
    found, missed, alarms, cleared = lines
    of_positive, of_negative = rates
    groups = (
        ((found, False), (missed, True), of_positive),
        ((alarms, True), (cleared, False), of_negative),
    )
    parts = []
    for one, other, rate in groups:
        for words, is_error in (one, other):
            fill = f'fill="url(#hg-p-{name})"' if is_error else 'class="right"'
            parts.append(f'<rect x="0" y="{y - 10:.1f}" width="12" height="12" {fill}/>')
            # Widths allow for the widest of the usual system fonts.
            for line in wrap(words, 43):
                parts.append(
                    f'<text x="18" y="{y:.1f}"{_error_class(is_error)}>{escape(line)}</text>'
                )
                y += _LINE
        for line in wrap(rate.replace(" %", "\u00a0%"), 40):
            parts.append(f'<text class="b" x="0" y="{y:.1f}">{escape(line)}</text>')
            y += _LINE
        y += 6
    return parts, y - 8


def _bar_chart(
    matrix: ConfusionMatrix, wording: ComparisonWording, name: str, language: str, *, y: float
) -> tuple[list[str], float]:
    """Four bars on the scale of all cases, labelled at their ends."""
    rows = (
        (wording.found, matrix.true_positives, False),
        (wording.misses, matrix.false_negatives, True),
        (wording.alarms, matrix.false_positives, True),
        (wording.correctly_cleared, matrix.true_negatives, False),
    )
    parts = []
    for words, count, is_error in rows:
        long = count / matrix.total * 190
        fill = f'fill="url(#hg-p-{name})"' if is_error else 'class="right"'
        parts.append(f'<text x="0" y="{y + 11:.1f}">{escape(words)}</text>')
        parts.append(f'<rect x="130" y="{y:.1f}" width="{max(long, 1):.1f}" height="14" {fill}/>')
        number = whole(count, language=language)
        parts.append(f'<text class="b" x="{136 + long:.1f}" y="{y + 11:.1f}">{number}</text>')
        y += 20
    return parts, y


def _error_class(is_error: bool) -> str:
    return ' class="e"' if is_error else ""
