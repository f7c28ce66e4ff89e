"""What one fit of a stored study says, small enough to keep beside the study.

In: a report and what decisions need later (model cards, weights). Out: `StudyResult`, as plain
values and back. Absent: fitting, drawing, storing; and answers: a result holds none.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howgood.records.card import ModelCard
from howgood.records.provenance import Provenance
from howgood.records.record import read_record
from howgood.records.report import Finding, Report, Section
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
            cards=tuple(read_record(ModelCard, each, where="model card") for each in data["cards"]),
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
        "findings": [{"text": each.text, "tone": each.tone} for each in report.findings],
        "sections": [_section_values(each) for each in report.sections],
        "methods": report.methods,
        "provenance": _plain(report.provenance.to_dict()),
        "cautions": list(report.cautions),
    }


def report_from(data: Mapping[str, Any]) -> Report:
    """Return the report that `report_values` described."""
    return Report(
        title=data["title"],
        question=data["question"],
        findings=tuple(Finding(**each) for each in data["findings"]),
        sections=tuple(_section_from(each) for each in data["sections"]),
        methods=data["methods"],
        provenance=Provenance(**data["provenance"]),
        cautions=tuple(data["cautions"]),
    )


def _section_values(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "text": section.text,
        "svg": section.svg,
        "alt": section.alt,
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
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
