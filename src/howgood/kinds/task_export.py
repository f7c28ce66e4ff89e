"""A task as fixed pages, for programs that only show questions: LimeSurvey, Qualtrics, one file.

In: what a kind says about its pages. Out: records that every format is written from, and that tell
an import what a column asks. Absent: the formats (`flow.survey_export`) and reading cells
(`flow.importing`).

A kind whose next page depends on every answer before has no such form.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from howgood.kinds.screen_parts import Step
from howgood.records.screen import Block


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPage:
    """One page: text, then statements that are all rated on one scale.

    `code` names it in other programs, which allow few letters; `screen` is its key here and
    `fields` are the names of the statements. `condition` is one in which the page is shown.
    """

    code: str
    screen: str
    number: int
    blocks: tuple[Block, ...]
    fields: tuple[str, ...]
    statements: tuple[str, ...]
    scale: tuple[str, ...]
    condition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSection:
    """Pages about one thing, shown in any order; `branches` (from 1) are those that see them."""

    code: str
    name: str
    introduction: tuple[Block, ...]
    pages: tuple[ExportPage, ...]
    branches: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportCheck:
    """An attention check, which has a page of its own in other programs."""

    code: str
    field: str
    text: str
    scale: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskExport:
    """A whole task; people are drawn into one of `n_branches`, where there are any."""

    sections: tuple[ExportSection, ...]
    checks: tuple[ExportCheck, ...] = ()
    n_branches: int = 0

    @property
    def pages(self) -> dict[str, ExportPage]:
        """Every page by its code."""
        return {page.code: page for section in self.sections for page in section.pages}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineTask:
    """What the page that needs no server has to know: how the path is drawn, and every screen."""

    outline: Mapping[str, Any]
    steps: Mapping[str, Step]
