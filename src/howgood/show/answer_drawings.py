"""Small drawings in the page's colours: one person's answers, and a study's people over time.

In: `records.answer_checks` and numbers; counts by hour. Out: <svg> elements with classes, without
styles. Absent: what is a reason to look (`flow.watching`).
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import escape

from howgood.records.answer_checks import JudgedMap, JudgedPoint, Repetition, longest_run

_WIDTH, _HEIGHT = 320.0, 84.0
_SIDE, _EDGE = 200.0, 34.0
# Times beyond this many times the middle one are cut: one pause would flatten everything else.
_MOST_TIMES = 4.0
_WIDE, _HIGH, _LEFT, _RIGHT, _TOP, _BOTTOM = 480.0, 200.0, 40.0, 136.0, 14.0, 34.0
_TICKS = (1, 2, 5)


def page_times(seconds: Sequence[float], *, fast: float) -> str:
    """Draw a bar per page, as high as it took; those under `fast` seconds stand out."""
    if not seconds:
        return ""
    middle = sorted(seconds)[len(seconds) // 2]
    top = max(fast * 1.5, min(max(seconds), _MOST_TIMES * middle))
    step = _WIDTH / len(seconds)
    bars = []
    for place, spent in enumerate(seconds):
        height = max(1.5, (_HEIGHT - 4) * min(spent, top) / top)
        kind = "fast" if spent < fast else "cut" if spent > top else "page"
        bars.append(
            f'<rect class="{kind}" x="{place * step:.1f}" y="{_HEIGHT - height:.1f}" '
            f'width="{max(1.0, step - 1.5):.1f}" height="{height:.1f}"/>'
        )
    y = _HEIGHT - (_HEIGHT - 4) * fast / top
    hurried = sum(spent < fast for spent in seconds)
    words = f"{hurried} of {len(seconds)} pages in less than {fast:.0f} s"
    line = f'<line class="limit" x1="0" x2="{_WIDTH:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return _svg("pages", _WIDTH, _HEIGHT, words, [*bars, line])


def ratings_in_order(ratings: Sequence[float], *, least: int) -> str:
    """Draw ratings as a line, and the longest run of equal ones, if it has at least `least`."""
    if not ratings:
        return ""
    low, high = min(ratings), max(max(ratings), min(ratings) + 1)
    start, length = longest_run(tuple(ratings))

    def points(values: Sequence[tuple[int, float]]) -> str:
        return " ".join(
            f"{4 + (_WIDTH - 8) * place / max(1, len(ratings) - 1):.1f},"
            f"{_HEIGHT - 8 - (_HEIGHT - 16) * (value - low) / (high - low):.1f}"
            for place, value in values
        )

    every = list(enumerate(ratings))
    lines = [f'<polyline class="rating" points="{points(every)}"/>']
    if length >= least:
        lines.append(f'<polyline class="run" points="{points(every[start : start + length])}"/>')
    words = f"{len(ratings)} ratings; longest run of the same answer: {length}"
    return _svg("ratings", _WIDTH, _HEIGHT, words, lines)


def judged_map(drawn: JudgedMap, *, is_small: bool = False) -> str:
    """Draw what was accepted and refused, with a line between two that contradict each other."""
    edge = 14.0 if is_small else _EDGE
    low = min([0.4, *(value for point in drawn.points for value in (point.x, point.y))])

    def at(point: JudgedPoint) -> tuple[float, float]:
        inner = _SIDE - 2 * edge
        return (
            edge + inner * (point.x - low) / (1 - low),
            _SIDE - edge - inner * (point.y - low) / (1 - low),
        )

    lines = []
    for accepted, refused in drawn.contradictions:
        (x1, y1), (x2, y2) = at(drawn.points[accepted]), at(drawn.points[refused])
        lines.append(
            f'<line class="against" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        )
    kinds = {True: "accepted", False: "refused", None: "between"}
    size = 9 if is_small else 5.5
    marks = []
    for point in drawn.points:
        x, y = at(point)
        kind = kinds[point.is_accepted]
        marks.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>')
    words = (
        f"{drawn.title}: {len(drawn.contradictions)} of {drawn.n_comparable} comparable pairs "
        "contradict each other"
    )
    inner = _SIDE - 2 * edge
    start, wide = (0.0, _SIDE) if is_small else (edge, inner)
    ground = f'<rect class="ground" x="{start}" y="{start}" width="{wide}" height="{wide}"/>'
    axes = [] if is_small else _axes(drawn, low)
    return _svg("judged", _SIDE, _SIDE, words, [ground, *axes, *lines, *marks])


def _axes(drawn: JudgedMap, low: float) -> list[str]:
    middle, last = _SIDE / 2, _SIDE - _EDGE
    texts = [
        (middle, _SIDE - 6, "", f"{drawn.x_label} →"),
        (_EDGE, last + 14, "", f"{100 * low:.0f}"),
        (last, last + 14, "", "100 %"),
        (_EDGE - 5, last, "side", f"{100 * low:.0f}"),
        (_EDGE - 5, _EDGE + 8, "side", "100"),
        (_EDGE, _EDGE - 10, "start", f"↑ {drawn.y_label}"),
    ]
    return [
        f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'
        for x, y, kind, text in texts
    ]


def repetition(drawn: Repetition) -> str:
    """Draw how often which rating was given to the same item: wide is unsteady."""
    width, height = 160.0, 22.0

    def x(rating: float) -> float:
        return 10 + (width - 20) * (rating - 1) / max(1.0, drawn.highest - 1)

    low, high = min(drawn.ratings), max(drawn.ratings)
    kind = "wide" if 2 * (high - low) >= drawn.highest - 1 else "steady"
    parts = [
        f'<line class="scale-line" x1="10" x2="{width - 10}" y1="11" y2="11"/>',
        f'<line class="{kind}" x1="{x(low):.1f}" x2="{x(high):.1f}" y1="11" y2="11"/>',
    ]
    for rating in sorted(set(drawn.ratings)):
        times = drawn.ratings.count(rating)
        parts.append(f'<circle class="{kind}" cx="{x(rating):.1f}" cy="11" r="{2 + 1.5 * times}"/>')
    words = f"{drawn.title}: rated {', '.join(f'{rating:g}' for rating in drawn.ratings)}"
    return _svg("repeated", width, height, words, parts)


def _svg(kind: str, width: float, height: float, words: str, parts: Sequence[str]) -> str:
    return (
        f'<svg class="drawn {kind}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg>'
    )


def people_over_time(
    by_hour: Sequence[tuple[datetime, int, int]], *, now: datetime, quota: int | None = None
) -> str:
    """Draw how many had begun and finished at each hour, with the quota as a line.

    `by_hour` holds (hour, how many began, how many finished), in order.
    """
    if not by_hour:
        return ""
    first, last = by_hour[0][0], max(now, by_hour[-1][0] + timedelta(hours=1))
    begun = _summed([(at, people) for at, people, _ in by_hour])
    finished = _summed([(at, people) for at, _, people in by_hour])
    most = max(begun[-1][1], finished[-1][1], 1)
    top = max(most, quota or 0) if quota and quota <= 3 * most else most
    frame = _Frame(first=first, last=last, most=_round_up(top))
    words = f"{finished[-1][1]} finished of {begun[-1][1]} who began, from {_day(first)} to now"
    parts = [
        f'<svg class="over-time" viewBox="0 0 {_WIDE:.0f} {_HIGH:.0f}" role="img" '
        f'aria-label="{escape(words)}">',
        *frame.axes(),
    ]
    if quota and quota <= frame.most:
        y = frame.y(quota)
        parts.append(
            f'<line class="goal" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="goal-text" x="{_LEFT + 6}" y="{y - 5:.1f}">quota {quota}</text>'
        )
    parts += [frame.steps(begun, "began"), frame.steps(finished, "finished")]
    parts += frame.ends({"began": begun[-1][1], "finished": finished[-1][1]})
    return "".join([*parts, "</svg>"])


def _summed(by_hour: Sequence[tuple[datetime, int]]) -> list[tuple[datetime, int]]:
    """Return how many there were at the end of every hour, from nobody on."""
    total, points = 0, [(by_hour[0][0], 0)]
    for hour, people in by_hour:
        total += people
        points += [(hour, points[-1][1]), (hour + timedelta(hours=1), total)]
    return points


def _round_up(value: int) -> int:
    """Return the next 1, 2 or 5 times a power of ten, so that ticks are round.

    Examples
    --------
    >>> _round_up(7), _round_up(25), _round_up(51), _round_up(1)
    (10, 50, 100, 2)
    """
    power = 1
    while True:
        for step in (*_TICKS, 10):
            if step * power >= max(value, 2):
                return step * power
        power *= 10


def _day(at: datetime) -> str:
    here = at.astimezone(UTC)
    return f"{here.day} {here:%b}"


class _Frame:
    """Where moments and counts lie in the drawing."""

    def __init__(self, *, first: datetime, last: datetime, most: int) -> None:
        self.first, self.last, self.most = first, last, most

    def x(self, at: datetime) -> float:
        """Return the place of a moment; what is ahead ends at the edge."""
        share = (at - self.first) / (self.last - self.first)
        return _LEFT + (_WIDE - _LEFT - _RIGHT) * min(1.0, max(0.0, share))

    def y(self, people: float) -> float:
        """Return the height of a count."""
        return _HIGH - _BOTTOM - (_HIGH - _TOP - _BOTTOM) * people / self.most

    def axes(self) -> list[str]:
        """Return ground, ticks, and the first and the last moment."""
        parts = []
        for people in (0, self.most // 2, self.most) if self.most > 2 else (0, 1, 2):
            y = self.y(people)
            parts.append(
                f'<line class="grid" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{y:.1f}" '
                f'y2="{y:.1f}"/><text class="side" x="{_LEFT - 6}" y="{y + 4:.1f}">{people}</text>'
            )
        is_long = self.last - self.first > timedelta(days=2)
        for place in range(3):
            at = self.first + (self.last - self.first) * place / 2
            here = at.astimezone(UTC)
            text = _day(at) if is_long else f"{here:%H:%M}"
            anchor = "start" if place == 0 else "middle"
            parts.append(
                f'<text class="{anchor}" x="{self.x(at):.1f}" y="{_HIGH - 12}">{text}</text>'
            )
        return parts

    def steps(self, points: Sequence[tuple[datetime, int]], name: str) -> str:
        """Return a line through the counts."""
        ended = [*points, (self.last, points[-1][1])]
        path = " ".join(f"{self.x(at):.1f},{self.y(people):.1f}" for at, people in ended)
        return f'<polyline class="{name}" points="{path}"/>'

    def ends(self, counts: dict[str, int]) -> list[str]:
        """Return the names at the ends of the lines, apart from each other."""
        heights = {name: self.y(people) + 4 for name, people in counts.items()}
        if abs(heights["began"] - heights["finished"]) < 16:
            heights["finished"] = heights["began"] + 16
        x = _WIDE - _RIGHT + 8
        return [
            f'<text class="{name}-text" x="{x}" y="{y:.1f}">{counts[name]} {name}</text>'
            for name, y in heights.items()
        ]
