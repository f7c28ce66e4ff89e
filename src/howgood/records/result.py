"""What one fit of a stored study says, small enough to keep with the study.

In: a report and what decisions need later (model cards, weights). Out: `StudyResult`, as plain
values and back. Absent: fitting, drawing, storing; and answers: a result holds none.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howgood.records.acceptance import AcceptanceDraws
from howgood.records.card import ModelCard
from howgood.records.provenance import Provenance
from howgood.records.record import read_record
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult:
    """A report, whom it rests on, and what later questions about it need.

    `is_enough` is False when the answers allow no result yet: the report then says what is
    missing. `answers` counts what the study held when it was fitted, whoever gave it, so that
    later answers show; `imports` numbers the imports among them, so that undoing one shows though
    as many answers came since. `left_out` names each reason for leaving people out, with their
    number. `cards` (surveys) and `weight_draws` (comparisons: the group's mean a0) let a classifier
    be judged without fitting again.

    Notes
    -----
    Stability: experimental
    """

    report: Report
    summary: str
    people: int
    answers: int
    is_enough: bool = True
    left_out: Mapping[str, int] = field(default_factory=dict)
    imports: tuple[int, ...] = ()
    cards: tuple[ModelCard, ...] = ()
    weight_draws: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "format": FORMAT,
            "report": report_values(self.report),
            "summary": self.summary,
            "people": self.people,
            "answers": self.answers,
            "is_enough": self.is_enough,
            "left_out": dict(self.left_out),
            "imports": list(self.imports),
            "cards": [card.to_dict() for card in self.cards],
            "weight_draws": self.weight_draws.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "StudyResult":
        """Return the result that `to_dict` described."""
        return cls(
            report=report_from(data["report"]),
            summary=data["summary"],
            people=data["people"],
            answers=data["answers"],
            is_enough=data["is_enough"],
            left_out=data["left_out"],
            imports=tuple(data.get("imports", ())),  # results of earlier versions have none
            cards=tuple(
                read_record(ModelCard, entry, where="model card") for entry in data["cards"]
            ),
            weight_draws=np.array(data["weight_draws"], dtype=np.float64),
        )


def report_values(report: Report) -> dict[str, Any]:
    """Return a report as plain values, pictures included; what is no number becomes None.

    Examples
    --------
    >>> report = Report(title="T", question="Q", findings=(Finding(text="F"),), sections=(
    ...     Section(title="S", table=Table({"x": [1.0, float("nan")]})),), methods="M",
    ...     provenance=Provenance(method="by hand"))
    >>> report_values(report)["sections"][0]["table"]
    {'x': [1.0, None]}
    >>> report_from(report_values(report)).findings == report.findings
    True
    """
    return {
        "title": report.title,
        "question": report.question,
        "findings": [{"text": finding.text, "tone": finding.tone} for finding in report.findings],
        "sections": [_section_values(section) for section in report.sections],
        "methods": report.methods,
        "provenance": _plain(report.provenance.to_dict()),
        "cautions": list(report.cautions),
        "headlines": [_headline_values(headline) for headline in report.headlines],
    }


def report_from(data: Mapping[str, Any]) -> Report:
    """Return the report that `report_values` described."""
    return Report(
        title=data["title"],
        question=data["question"],
        findings=tuple(Finding(**entry) for entry in data["findings"]),
        sections=tuple(_section_from(entry) for entry in data["sections"]),
        methods=data["methods"],
        provenance=Provenance(**data["provenance"]),
        cautions=tuple(data["cautions"]),
        # Results of earlier versions have none.
        headlines=tuple(_headline_from(entry) for entry in data.get("headlines", ())),
    )


_DRAWN = ("p", "alpha", "intercept", "slope", "person_sd")
_MOST_DRAWS = 400  # as many as a model card holds


def _headline_values(headline: Headline) -> dict[str, Any]:
    draws = headline.acceptance
    kept = None if draws is None else draws.thinned(_MOST_DRAWS)
    return {
        "title": headline.title,
        "text": headline.text,
        "share": list(headline.share),
        "point": list(headline.point),
        "people": headline.people,
        "wanted": headline.wanted,
        "more": list(headline.more),
        "is_enough": headline.is_enough,
        "hero": headline.hero,
        "caption": headline.caption,
        "ends": list(headline.ends),
        "acceptance": None
        if kept is None
        else {
            "application": kept.application,
            "lowest_shown": kept.lowest_shown,
            **{name: getattr(kept, name).tolist() for name in _DRAWN},
        },
    }


def _headline_from(data: Mapping[str, Any]) -> Headline:
    draws = data["acceptance"]
    return Headline(
        **{
            **data,
            "share": tuple(data["share"]),
            "point": tuple(data["point"]),
            "more": tuple(data["more"]),
            "ends": tuple(data.get("ends", ("0", "50 %", "100 %"))),  # none in earlier versions
            "acceptance": None if draws is None else AcceptanceDraws(**draws),
        }
    )


def _section_values(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "text": section.text,
        "svg": section.svg,
        "alt": section.alt,
        "is_detail": section.is_detail,
        "about": section.about,
        "table": None
        if section.table is None
        else {name: _plain(values.tolist()) for name, values in section.table.items()},
    }


def _section_from(data: Mapping[str, Any]) -> Section:
    table = data["table"]
    return Section(**{**data, "table": None if table is None else Table(table)})


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever a report holds, made plain
    """Return plain values: databases know no infinity, and JSON none of NumPy's numbers."""
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
