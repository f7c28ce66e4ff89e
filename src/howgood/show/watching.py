"""A system in use, over time: sentences, and the chart in the page's colours.

In: `AcceptanceWatch`; rows of answers in use. Out: findings, an <svg> element with classes and no
styles of its own. Absent: deciding.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from html import escape
from typing import Any

from howgood.records.report import Finding
from howgood.records.watch import AcceptanceChange, AcceptanceWatch
from howgood.show.numbers import percent

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 500.0, 250.0, 52.0, 12.0, 42.0, 34.0
_LABEL = 16.0
_MEANING = {
    "pass": "Enough people accept it",
    "fail": "Too few people accept it",
    "investigate": "Not enough answers to say whether enough people accept it",
}
_TONES = {"pass": "good", "fail": "bad", "investigate": "unsure"}


def watch_findings(seen: AcceptanceWatch) -> tuple[Finding, ...]:
    """Say whether enough people accept a system in use, and whether that has changed."""
    ends = seen.accepting.interval
    since = f" since {_day(seen.since)}" if seen.since else ""
    text = (
        f"{_MEANING[seen.verdict]}. {percent(seen.accepting.mean)} accepted it "
        f"when first asked{since} (between {percent(ends.lower)} and {percent(ends.upper)}, "
        f"however often you look); {percent(seen.share)} are needed. {seen.n_answers:,} answers of "
        f"{seen.n_people:,} people."
    )
    first = Finding(text=text, tone=_TONES[seen.verdict])
    if seen.changes:
        said = " ".join(map(change_text, seen.changes))
        return Finding(text=f"{said} {_promise(seen.level)}", tone="bad"), first
    return first, Finding(text=f"No change was noticed. {_promise(seen.level)}")


def change_text(change: AcceptanceChange) -> str:
    """Say what changed, and about when."""
    who = {
        "new people": "people who were asked for the first time",
        "the same people": "people who had been asked before",
    }[change.whose]
    return (
        f"Acceptance {change.direction}: the answers of {who} changed around "
        f"{_day(change.began_at)} (noticed on {_day(change.noticed_at)})."
    )


def _promise(level: float) -> str:
    return (
        "Where nothing changes, a warning ever comes with a probability of at most "
        f"{percent(level)}."
    )


def _day(text: str) -> str:
    here = datetime.fromisoformat(text)
    return f"{here.day} {here:%B %Y}"


def in_use_findings(
    said: Sequence[Mapping[str, Any]], used: Sequence[Mapping[str, Any]], *, cut: int | None
) -> list[Finding]:
    """Say what of the answers from inside products entered a fit, and as what."""
    if not said:
        return []
    people = len({row["participant"] for row in used})
    text = (
        f"The part “in use” holds {len(used):,} answers of {people:,} people from inside a product."
    )
    if len(used) < len(said):
        text += (
            f" {len(said) - len(used):,} more were left out: nothing had happened or nothing was "
            "reported, so their counts define no accuracy."
        )
    if cut is not None:
        text += (
            f" Some were yes or no, so every rating counts as yes from {cut} on and as no below."
        )
    return [Finding(text=text)]


def acceptance_chart(seen: AcceptanceWatch) -> str:
    """Draw the share accepting by period with 95 % intervals, the needed share, and changes."""
    rows = list(seen.periods.rows())
    days = [date.fromisoformat(row["begins"]) for row in rows]
    span = max((days[-1] - days[0]).days, 1)

    def x(day: date) -> float:
        inner = _WIDTH - _LEFT - _RIGHT - 32
        place = (day - days[0]).days / span if len(days) > 1 else 0.5
        return _LEFT + 16 + inner * min(1.0, max(0.0, place))

    words = (
        f"Share of people accepting by {seen.period}, from {percent(rows[0]['accepting'])} to "
        f"{percent(rows[-1]['accepting'])}; {percent(seen.share)} are needed"
    )
    parts = [
        f'<svg class="acceptance-chart" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" '
        f'aria-label="{escape(words)}">',
        *_ground(seen),
        *(_warned(x, change, place) for place, change in enumerate(seen.changes)),
    ]
    line = " ".join(
        f"{x(day):.1f},{_y(row['accepting']):.1f}" for day, row in zip(days, rows, strict=True)
    )
    parts.append(f'<polyline points="{line}"/>')
    for day, row in zip(days, rows, strict=True):
        at = x(day)
        parts.append(
            f'<line class="interval" x1="{at:.1f}" x2="{at:.1f}" y1="{_y(row["lower"]):.1f}" '
            f'y2="{_y(row["upper"]):.1f}"/>'
            f'<circle cx="{at:.1f}" cy="{_y(row["accepting"]):.1f}" r="4.5">'
            f"<title>{escape(_tip(day, row, seen.period))}</title></circle>"
        )
    parts += _dates(days, x)
    return "".join([*parts, "</svg>"])


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share


def _ground(seen: AcceptanceWatch) -> list[str]:
    end, parts = _WIDTH - _RIGHT, []
    for share in (0.0, 0.5, 1.0):
        y = _y(share)
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{end}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="side" x="{_LEFT - 6}" y="{y + 4:.1f}">{100 * share:.0f} %</text>'
        )
    y = _y(seen.share)
    parts.append(
        f'<line class="goal" x1="{_LEFT}" x2="{end}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text class="goal-text" x="{_LEFT + 4}" y="{y + 15:.1f}">'
        f"needed {percent(seen.share)}</text>"
    )
    return parts


def _warned(x: Callable[[date], float], change: AcceptanceChange, place: int) -> str:
    at = x(datetime.fromisoformat(change.began_at).date())
    is_late = at > _WIDTH / 2
    return (
        f'<line class="change" x1="{at:.1f}" x2="{at:.1f}" y1="{_LABEL * (place + 0.4):.0f}" '
        f'y2="{_HEIGHT - _BOTTOM}"/><text class="change-text{" late" if is_late else ""}" '
        f'x="{at + (-6 if is_late else 6):.1f}" y="{_LABEL * (place + 1):.0f}">'
        f"{change.whose}: {change.direction}</text>"
    )


def _tip(day: date, row: Mapping[str, Any], period: str) -> str:
    return (
        f"{period} of {day}: {percent(row['accepting'])} (between {percent(row['lower'])} and "
        f"{percent(row['upper'])}), {row['people']} people"
    )


def _dates(days: Sequence[date], x: Callable[[date], float]) -> list[str]:
    shown = [days[0], days[-1]] if len(days) > 1 else [days[0]]
    if len(days) > 4:
        shown.insert(1, days[len(days) // 2])
    return [f'<text x="{x(day):.1f}" y="{_HEIGHT - 12}">{day.day} {day:%b}</text>' for day in shown]
