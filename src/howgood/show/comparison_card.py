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
from howgood.show.comparison_text import class_rates, described, outcome_lines, share

_WIDTH = 360
_BAR, _WIDEST = 10.0, 15
_LINE = 17.0
ERROR_LIGHT, ERROR_DARK = "#A84300", "#FFB184"

STYLE = (
    f".hg-card{{--hg-error:{ERROR_LIGHT};width:100%;height:auto;max-width:34rem;"
    "font:13px system-ui,sans-serif;fill:currentColor}"
    f"@media(prefers-color-scheme:dark){{.hg-card{{--hg-error:{ERROR_DARK}}}}}"
    ".hg-card .b{font-weight:600}.hg-card .e{fill:var(--hg-error)}"
    ".hg-card .right{fill:currentColor;fill-opacity:.22}"
    ".hg-card .better{fill:currentColor;fill-opacity:.7}"
    ".hg-card .track{fill:currentColor;fill-opacity:.08}"
    ".hg-card .l{font-size:16px;font-weight:600}"
    ".hg-card .hatch{stroke:var(--hg-error);stroke-width:2.2}"
    ".hg-card .n{font-weight:600;paint-order:stroke;stroke:Canvas;stroke-width:3px;"
    "stroke-linejoin:round}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """Where ribbons run: below `top`, as tall as all cases, the classes a gap apart."""

    top: float
    tall: float
    gap: float
    left: float
    right: float

    @property
    def bottom(self) -> float:
        return self.top + self.tall + self.gap


_FULL = _Frame(top=34.0, tall=170.0, gap=26.0, left=104.0, right=246.0)
# Two of these, with their buttons, fit on a telephone.
_COMPACT = _Frame(top=30.0, tall=96.0, gap=18.0, left=122.0, right=234.0)


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
    unit = _FULL.tall / matrix.total
    ribbons = _ribbons(matrix, unit, _FULL)
    flow = [
        *(_ribbon_path(ribbon, unit, name, _FULL) for ribbon in ribbons),
        *_blocks(matrix, unit, wording, language),
        *_counts(ribbons, unit, language, _FULL),
    ]
    rates = class_rates(matrix, wording, language=language)
    lines = outcome_lines(matrix, wording, language=language)
    text, height = _legend(lines, name, rates, y=_FULL.bottom + 42)
    chart: list[str] = []
    if bars:
        chart, height = _bar_chart(matrix, wording, name, language, y=height + 12)
    return _whole(
        [*flow, *text, *chart], matrix, wording, name, language, height=height, is_styled=is_styled
    )


def compact_card(
    matrix: ConfusionMatrix,
    other: ConfusionMatrix,
    wording: ComparisonWording,
    *,
    name: str = "A",
    language: str = "en",
    is_styled: bool = True,
) -> str:
    """Return a card that is small enough for two on a telephone.

    The flow chart has the share of each class that is treated rightly at its left; below it stand
    the errors, each with how it differs from the other system's. Parameters as `comparison_card`;
    `other` is the system on the other card.
    """
    unit = _COMPACT.tall / matrix.total
    ribbons = _ribbons(matrix, unit, _COMPACT)
    flow = [
        *(_ribbon_path(ribbon, unit, name, _COMPACT) for ribbon in ribbons),
        *_compact_blocks(matrix, unit, wording, language),
        *_counts(ribbons, unit, language, _COMPACT),
    ]
    errors, height = _errors(matrix, other, wording, name, language, y=_COMPACT.bottom + 24)
    return _whole(
        [*flow, *errors], matrix, wording, name, language, height=height, is_styled=is_styled
    )


def bar_card(
    matrix: ConfusionMatrix, wording: ComparisonWording, *, name: str = "A", language: str = "en"
) -> str:
    """Return the four counts of a system as bars alone, to be looked at next to its flow chart."""
    own = f"{name}-bars"
    bars, height = _bar_chart(matrix, wording, own, language, y=26.0)
    title = escape(sentence(language, "card_title", name=name))
    label = escape(described(matrix, wording, name=name, language=language))
    return "".join(
        [
            f'<svg class="hg-card" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
            f'aria-label="{label}" xmlns="http://www.w3.org/2000/svg">',
            f"<defs>{_hatching(own)}</defs>",
            f'<text class="b" x="0" y="16">{title}</text>',
            *bars,
            "</svg>",
        ]
    )


def _hatching(name: str) -> str:
    return (
        f'<pattern id="hg-p-{name}" width="6" height="6" patternTransform="rotate(45)" '
        'patternUnits="userSpaceOnUse"><rect width="6" height="6" class="e" '
        'fill-opacity=".22"/><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern>'
    )


def _whole(
    parts: list[str],
    matrix: ConfusionMatrix,
    wording: ComparisonWording,
    name: str,
    language: str,
    *,
    height: float,
    is_styled: bool,
) -> str:
    """Return the picture around its parts: names for screen readers, hatching, headings."""
    label = escape(described(matrix, wording, name=name, language=language))
    out_of = sentence(
        language, "card_out_of", total=whole(matrix.total, language=language), cases=wording.cases
    )
    title, says = (
        escape(sentence(language, f"card_{field}", name=name)) for field in ("title", "says")
    )
    return "".join(
        [
            f'<svg class="hg-card named" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
            f'aria-labelledby="hg-t-{name} hg-d-{name}" xmlns="http://www.w3.org/2000/svg">',
            f"<style>{STYLE}</style>" if is_styled else "",
            f'<title id="hg-t-{name}">{title}</title>',
            f'<desc id="hg-d-{name}">{label}</desc>',
            f"<defs>{_hatching(name)}</defs>",
            f'<text class="b" x="0" y="16">{escape(out_of)}</text>',
            f'<text class="b" x="{_WIDTH}" y="16" text-anchor="end">{says}</text>',
            *parts,
            "</svg>",
        ]
    )


def _ribbons(matrix: ConfusionMatrix, unit: float, frame: _Frame) -> list[_Ribbon]:
    positives, flagged, top = matrix.positives * unit, matrix.flagged * unit, frame.top
    second_class, second_column = top + positives + frame.gap, top + flagged + frame.gap
    tp, fn = matrix.true_positives, matrix.false_negatives
    fp, tn = matrix.false_positives, matrix.true_negatives
    return [
        _Ribbon(count=tp, start=top, end=top, is_error=False),
        _Ribbon(count=tn, start=second_class + fp * unit, end=second_column + fn * unit,
                is_error=False),
        _Ribbon(count=fn, start=top + tp * unit, end=second_column, is_error=True),
        _Ribbon(count=fp, start=second_class, end=top + tp * unit, is_error=True),
    ]  # fmt: skip


def _ribbon_path(ribbon: _Ribbon, unit: float, name: str, frame: _Frame) -> str:
    if ribbon.count == 0:
        return ""
    wide = max(ribbon.count * unit, 1.5)
    left, right = frame.left + _BAR, frame.right
    middle = (left + right) / 2
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

    def lines(count: float, words: str) -> list[str]:
        return [whole(count, language=language), *wrap(words, _WIDEST)]

    cleared = matrix.total - matrix.flagged
    return [
        *_side(
            ("left", _FULL), unit, (matrix.positives, matrix.negatives),
            (lines(matrix.positives, wording.positive), lines(matrix.negatives, wording.negative)),
        ),
        *_side(
            ("right", _FULL), unit, (matrix.flagged, cleared),
            (lines(matrix.flagged, wording.flagged), lines(cleared, wording.cleared)),
        ),
    ]  # fmt: skip


def _compact_blocks(
    matrix: ConfusionMatrix, unit: float, wording: ComparisonWording, language: str
) -> list[str]:
    """Draw the four totals; each true class says what share of it is treated rightly."""

    def lines(count: float, words: str) -> list[str]:
        return wrap(f"{whole(count, language=language)} {words}", _WIDEST)

    def treated(right: float, of: float, words: str) -> list[str]:
        return wrap(f"{share(right, of, language)} {words}".replace(" %", "\u00a0%"), _WIDEST)

    cleared = matrix.total - matrix.flagged
    upper = lines(matrix.positives, wording.positive)
    lower = lines(matrix.negatives, wording.negative)
    return [
        *_side(
            ("left", _COMPACT), unit, (matrix.positives, matrix.negatives),
            ([*upper, *treated(matrix.true_positives, matrix.positives, wording.found)],
             [*lower, *treated(matrix.true_negatives, matrix.negatives,
                               wording.correctly_cleared)]),
        ),
        *_side(
            ("right", _COMPACT), unit, (matrix.flagged, cleared),
            (lines(matrix.flagged, wording.flagged), lines(cleared, wording.cleared)),
        ),
    ]  # fmt: skip


def _side(
    place: tuple[str, _Frame],
    unit: float,
    counts: tuple[float, float],
    labels: tuple[list[str], list[str]],
) -> list[str]:
    """Draw two blocks above each other, with their labels towards the edge."""
    side, frame = place
    x, anchor, label_x = (
        (frame.left, "end", frame.left - 8)
        if side == "left"
        else (frame.right, "start", frame.right + _BAR + 8)
    )
    parts, centres, y = [], [], frame.top
    for count in counts:
        tall = count * unit
        parts.append(f'<rect x="{x:g}" y="{y:.1f}" width="{_BAR:g}" height="{max(tall, 1):.1f}"/>')
        centres.append(y + tall / 2)
        y += tall + frame.gap
    apart = (len(labels[0]) + len(labels[1])) * 7.5
    # Below the heading, whatever the height of the block.
    highest = frame.top - 6 + len(labels[0]) * 7.5
    lowest = max(frame.bottom + 6 - len(labels[1]) * 7.5, highest + apart)
    bottom = lowest if frame is _COMPACT else frame.bottom
    places = _spread(centres, [apart], top=highest, bottom=bottom)
    for centre, lines in zip(places, labels, strict=True):
        parts += _label(label_x, centre, lines, anchor)
    return parts


def _errors(
    matrix: ConfusionMatrix,
    other: ConfusionMatrix,
    wording: ComparisonWording,
    name: str,
    language: str,
    *,
    y: float,
) -> tuple[list[str], float]:
    """Write both errors large, each with its difference from the other system."""
    parts = []
    rows = (
        (matrix.false_negatives, other.false_negatives, wording.miss, wording.misses),
        (matrix.false_positives, other.false_positives, wording.alarm, wording.alarms),
    )
    for count, theirs, singular, plural in rows:
        word = singular if count == 1 else plural
        text = escape(f"{whole(count, language=language)} {word}")
        parts.append(
            f'<rect x="0" y="{y - 12:.1f}" width="14" height="14" fill="url(#hg-p-{name})"/>'
            f'<text class="l e" x="22" y="{y:.1f}">{text}</text>'
        )
        if count != theirs:
            key = "card_gap_fewer" if count < theirs else "card_gap_more"
            gap = sentence(language, key, n=whole(abs(count - theirs), language=language))
            parts.append(
                f'<text class="b" x="{_WIDTH}" y="{y:.1f}" text-anchor="end">{escape(gap)}</text>'
            )
        y += 22
    return parts, y - 12


def _label(x: float, centre: float, lines: list[str], anchor: str) -> list[str]:
    """Write lines around their centre; the number that begins them is bold."""
    first = centre - (len(lines) - 1) * 7.5 + 4.5
    number, space, rest = lines[0].partition(" ")
    written = [
        f'<tspan class="b">{escape(number)}</tspan>{space}{escape(rest)}',
        *(escape(line) for line in lines[1:]),
    ]
    return [
        f'<text x="{x:g}" y="{first + 15 * index:.1f}" text-anchor="{anchor}">{line}</text>'
        for index, line in enumerate(written)
    ]


def _counts(ribbons: list[_Ribbon], unit: float, language: str, frame: _Frame) -> list[str]:
    """Write each count on its ribbon, near the true class it belongs to."""
    shown = sorted(
        (ribbon for ribbon in ribbons if ribbon.count > 0), key=lambda ribbon: ribbon.start
    )
    centres = [ribbon.start + ribbon.count * unit / 2 for ribbon in shown]
    places = _spread(centres, [15.0] * (len(shown) - 1), top=frame.top + 4, bottom=frame.bottom)
    return [
        f'<text class="{"n e" if ribbon.is_error else "n"}" x="{frame.left + _BAR + 8:g}" '
        f'y="{place + 4.5:.1f}">{whole(ribbon.count, language=language)}</text>'
        for ribbon, place in zip(shown, places, strict=True)
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
    hits, missed, alarms, cleared = lines
    of_positive, of_negative = rates
    groups = (
        ((hits, False), (missed, True), of_positive),
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
