"""Answers collected by other tools, brought in as participants."""

from howgood.flow.importing.files import import_files, prepared_table
from howgood.flow.importing.mapping import suggested, targets, wide_columns
from howgood.flow.importing.prepare import Prepared, RowProblem
from howgood.flow.importing.recognise import Comparison, compared
from howgood.flow.importing.sheet import Sheet, read_sheet
from howgood.flow.importing.storing import (
    ImportReport,
    Undone,
    find_import,
    imports_of,
    undo_import,
)
from howgood.flow.importing.uploaded_tables import (
    ImportView,
    confirm,
    discard,
    look_at,
    take_offline_files,
    take_upload,
)
from howgood.kinds.table_import import Missing, Target

__all__ = [
    "Comparison",
    "ImportReport",
    "ImportView",
    "Missing",
    "Prepared",
    "RowProblem",
    "Sheet",
    "Target",
    "Undone",
    "compared",
    "confirm",
    "discard",
    "find_import",
    "import_files",
    "imports_of",
    "look_at",
    "prepared_table",
    "read_sheet",
    "suggested",
    "take_offline_files",
    "take_upload",
    "targets",
    "undo_import",
    "wide_columns",
]
