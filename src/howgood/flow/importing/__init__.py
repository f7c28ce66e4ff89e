"""Answers collected elsewhere, brought in as participants."""

from howgood.flow.importing.files import import_files, prepared_table
from howgood.flow.importing.mapping import Target, suggested, targets, wide_columns
from howgood.flow.importing.person import ImportReport, already_there
from howgood.flow.importing.prepare import Missing, Prepared, RowProblem
from howgood.flow.importing.sheet import Sheet, read_sheet
from howgood.flow.importing.uploads import ImportView, confirm, discard, look_at, take_upload

__all__ = [
    "ImportReport",
    "ImportView",
    "Missing",
    "Prepared",
    "RowProblem",
    "Sheet",
    "Target",
    "already_there",
    "confirm",
    "discard",
    "import_files",
    "look_at",
    "prepared_table",
    "read_sheet",
    "suggested",
    "take_upload",
    "targets",
    "wide_columns",
]
