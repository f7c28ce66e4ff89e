"""Answers collected elsewhere, brought in as participants."""

from howgood.flow.importing.files import import_files, prepared_table
from howgood.flow.importing.mapping import Target, suggested, targets, wide_columns
from howgood.flow.importing.person import ImportReport, already_there
from howgood.flow.importing.prepare import Missing, Prepared, RowProblem
from howgood.flow.importing.sheet import Sheet, read_sheet

__all__ = [
    "ImportReport",
    "Missing",
    "Prepared",
    "RowProblem",
    "Sheet",
    "Target",
    "already_there",
    "import_files",
    "prepared_table",
    "read_sheet",
    "suggested",
    "targets",
    "wide_columns",
]
