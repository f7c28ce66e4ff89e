"""Studies made and changed by programs."""

from howgood.flow.remote.studies import (
    ExistingStudyError,
    StudyFacts,
    add_version,
    create_study,
    set_open,
    studies_within,
    study_facts,
)

__all__ = [
    "ExistingStudyError",
    "StudyFacts",
    "add_version",
    "create_study",
    "set_open",
    "studies_within",
    "study_facts",
]
