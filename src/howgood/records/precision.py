"""How sure a stored result is about each share, and whether that is precise enough to stop.

In: a report as it is stored. Out: `ShareEvidence`. Absent: fitting, notifying (`flow.notices`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PRECISE = 10.0  # points to either side of a share that are usually precise enough


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareEvidence:
    """How sure a result is about one application.

    `people` of about `wanted` were asked; `half_width` is half the 95 % interval, in points.

    Examples
    --------
    >>> known = ShareEvidence(title="Alarm", people=25, wanted=25, half_width=9.0, is_enough=True)
    >>> known.is_precise
    True
    """

    title: str
    people: int
    wanted: int
    half_width: float
    is_enough: bool

    @property
    def is_precise(self) -> bool:
        """Whether the share is known to within the points usually wanted."""
        return self.is_enough and self.half_width <= PRECISE


def evidence_of(report: Mapping[str, Any]) -> tuple[ShareEvidence, ...]:
    """Return how sure a stored report is about the shares that it has a map of.

    Examples
    --------
    >>> evidence_of({"headlines": []})
    ()
    """
    return tuple(
        ShareEvidence(
            title=headline["title"],
            people=headline["people"],
            wanted=headline["wanted"],
            half_width=50 * (headline["share"][2] - headline["share"][0]),
            is_enough=headline["is_enough"],
        )
        for headline in report.get("headlines", ())
        if headline.get("acceptance") is not None
    )
