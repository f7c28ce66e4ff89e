"""Study files: read, check with line numbers, write new ones."""

from howgood.flow.study_files.check import (
    CheckedStudy,
    FileProblem,
    check_study,
    pages_per_person,
    read_study,
)
from howgood.flow.study_files.new import new_study

__all__ = [
    "CheckedStudy",
    "FileProblem",
    "check_study",
    "new_study",
    "pages_per_person",
    "read_study",
]
