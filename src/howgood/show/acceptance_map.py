"""The map of equal acceptance as a small drawing that takes its colours from the page.

In: draws of people, perhaps one accuracy. Out: an <svg> element with classes and no styles of its
own (a page's policy allows none). Absent: reports (their maps are in `figures.decisions`).
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape

import numpy as np

from howgood.records.acceptance import AcceptanceDraws
from howgood.records.estimate import Estimate
from howgood.show.design import asset
from howgood.show.numbers import as_given, percent, share_text

_LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
_LEAST = 0.4
_SIZE, _LEFT, _TOP = 360.0, 52.0, 14.0
# No level's name stands lower: below it are the numbers of the axis.
_LOWEST = _TOP + _SIZE - 6
_HATCH = 0.016
_TICKS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def map_lines(draws: AcceptanceDraws) -> dict[float, list[tuple[float, float]]]:
    """Return for each share the (precision, recall) points at which that share accepts.

    Acceptance rises with recall, so each precision has at most one such recall.
    """
    kept = draws.thinned(200)
    parts = (kept.p, kept.alpha, kept.intercept, kept.slope, kept.person_sd)
    return _lines(_Drawn(values=tuple(part.tobytes() for part in parts), draws=kept))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """Draws that are the same if their numbers are: pages ask for the same lines again."""

    values: tuple[bytes, ...]
    draws: AcceptanceDraws = field(compare=False)


@lru_cache(maxsize=64)
def _lines(drawn: _Drawn) -> dict[float, list[tuple[float, float]]]:
    ticks = np.linspace(_LEAST, 1.0, 41)
    shares = drawn.draws.shares(ticks[None, :], ticks[:, None]).mean(axis=0)
    lines = {}
    for level in _LEVELS:
        points = [
            (float(precision), float(np.interp(level, shares[:, place], ticks)))
            for place, precision in enumerate(ticks)
            if shares[0, place] <= level <= shares[-1, place]
        ]
        if len(points) > 1:
            lines[level] = points
    return lines


def acceptance_map(
    lines: dict[float, list[tuple[float, float]]],
    *,
    application: str,
    point: tuple[float, float] | None = None,
    accepting: Estimate | None = None,
    lowest_shown: float | None = None,
) -> str:
    """Draw lines of equal acceptance and, where given, one accuracy with its share.

    Where precision and recall are on average below `lowest_shown`, nobody was asked: hatched.
    """
    words = _described(lines, application, point, accepting)
    parts = [
        f'<svg class="hg-map" viewBox="0 0 460 420" role="img" aria-label="{escape(words)}">',
        f'<rect class="ground" x="{_LEFT}" y="{_TOP}" width="{_SIZE}" height="{_SIZE}"/>',
        *_beyond(lowest_shown),
        *_axes(),
    ]
    for level, points in lines.items():
        path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
        end = points[-1]
        parts.append(f'<polyline class="line" points="{path}"/>')
        parts.append(
            f'<text class="level" x="{_x(end[0]) + 4:.1f}" y="{min(_y(end[1]), _LOWEST) + 4:.1f}">'
            f"{percent(level)}</text>"
        )
    if point is not None:
        parts += _point(point, accepting)
    return "".join([*parts, "</svg>"])


def standalone_map(drawing: str, caption: str) -> str:
    """Return a map as a file of its own, with its colours in it, light and dark."""
    rules = "".join(re.findall(r"^\.hg-map[^}]*}", asset("components.css"), flags=re.MULTILINE))
    style = f"<style>{asset('tokens.css')}:root{{color:var(--ink)}}{rules}</style>"
    ground = '<rect width="460" height="452" fill="var(--paper)"/>'
    wide = drawing.replace('viewBox="0 0 460 420"', _TALLER, 1)
    end = wide.index(">") + 1
    text = f'<text x="230" y="440" class="name">{escape(caption)}</text></svg>'
    return f"{wide[:end]}{style}{ground}{wide[end:].removesuffix('</svg>')}{text}"


_TALLER = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 452"'


def _beyond(lowest_shown: float | None) -> list[str]:
    """Hatch what lies below the accuracies that people were asked about: an extrapolation."""
    if lowest_shown is None:
        return []
    width = 1 - _LEAST
    reach = min(2 * (lowest_shown - _LEAST), 2 * width)
    parts = []
    for along in np.arange(_HATCH, reach + _HATCH / 2, _HATCH):
        near, far = min(along, width), max(along - width, 0.0)
        parts.append(
            f'<line class="hatch" x1="{_x(_LEAST + far):.1f}" y1="{_y(_LEAST + near):.1f}" '
            f'x2="{_x(_LEAST + near):.1f}" y2="{_y(_LEAST + far):.1f}"/>'
        )
    return parts


def _axes() -> list[str]:
    parts = []
    for tick in _TICKS:
        x, y = _x(tick), _y(tick)
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{_TOP + _SIZE + 20}">{tick * 100:.0f}</text>'
        )
        parts.append(
            f'<text class="tick side" x="{_LEFT - 6}" y="{y + 4:.1f}">{tick * 100:.0f}</text>'
        )
    middle = _LEFT + _SIZE / 2
    parts.append(f'<text class="name" x="{middle}" y="{_TOP + _SIZE + 40}">precision, %</text>')
    turned = f"translate(16 {_TOP + _SIZE / 2}) rotate(-90)"
    parts.append(f'<text class="name" transform="{turned}">recall, %</text>')
    return parts


def _point(point: tuple[float, float], accepting: Estimate | None) -> list[str]:
    shown = tuple(min(1.0, max(_LEAST, coordinate)) for coordinate in point)
    x, y = _x(shown[0]), _y(shown[1])
    text = share_text(accepting) if accepting is not None else "here"
    anchor, label_x, label_y = _label_place(x, y)
    return [
        f'<circle class="here" cx="{x:.1f}" cy="{y:.1f}" r="6"/>',
        f'<text class="here-text {anchor}" x="{label_x:.1f}" y="{label_y:.1f}">'
        f"{escape(text)} accept</text>",
    ]


def _label_place(x: float, y: float) -> tuple[str, float, float]:
    """Return where the words of a point stand: in the map, also in the letters of a phone."""
    is_low = y > _y(0.5)
    if x < _x(0.55):
        return "start", x + 10, y + (-10 if is_low else 18)
    if x > _x(0.85):
        return "end", x - 10, y + (-10 if is_low else 18)
    middle = _LEFT + _SIZE / 2
    return "middle", min(max(x, middle - 55), middle + 55), y + (-14 if is_low else 29)


def _described(
    lines: dict[float, list[tuple[float, float]]],
    application: str,
    point: tuple[float, float] | None,
    accepting: Estimate | None,
) -> str:
    shares = ", ".join(percent(level) for level in lines) or "no share between 10 % and 90 %"
    words = (
        f"Lines of equal acceptance of {application} over precision and recall, for {shares} of "
        "people."
    )
    if point is not None and accepting is not None:
        precision, recall = map(as_given, point)
        words += (
            f" A point at {precision} precision and {recall} recall, accepted by "
            f"{share_text(accepting)}."
        )
    return words


def _x(precision: float) -> float:
    return _LEFT + _SIZE * (precision - _LEAST) / (1 - _LEAST)


def _y(recall: float) -> float:
    return _TOP + _SIZE * (1 - (recall - _LEAST) / (1 - _LEAST))
