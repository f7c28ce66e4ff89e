"""How many people began and finished a study over time, as a small drawing in the page's colours.

In: counts by hour. Out: an <svg> element with classes and no styles of its own. Absent: who.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 480.0, 200.0, 40.0, 104.0, 14.0, 34.0
_TICKS = (1, 2, 5)


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
        f'<svg class="over-time" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" '
        f'aria-label="{escape(words)}">',
        *frame.axes(),
    ]
    if quota and quota <= frame.most:
        y = frame.y(quota)
        parts.append(
            f'<line class="goal" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
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
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * min(1.0, max(0.0, share))

    def y(self, people: float) -> float:
        """Return the height of a count."""
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * people / self.most

    def axes(self) -> list[str]:
        """Return ground, ticks, and the first and the last moment."""
        parts = []
        for people in (0, self.most // 2, self.most) if self.most > 2 else (0, 1, 2):
            y = self.y(people)
            parts.append(
                f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" '
                f'y2="{y:.1f}"/><text class="side" x="{_LEFT - 6}" y="{y + 4:.1f}">{people}</text>'
            )
        is_long = self.last - self.first > timedelta(days=2)
        for place in range(3):
            at = self.first + (self.last - self.first) * place / 2
            here = at.astimezone(UTC)
            text = _day(at) if is_long else f"{here:%H:%M}"
            anchor = "start" if place == 0 else "middle"
            parts.append(
                f'<text class="{anchor}" x="{self.x(at):.1f}" y="{_HEIGHT - 12}">{text}</text>'
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
        x = _WIDTH - _RIGHT + 8
        return [
            f'<text class="{name}-text" x="{x}" y="{y:.1f}">{counts[name]} {name}</text>'
            for name, y in heights.items()
        ]
