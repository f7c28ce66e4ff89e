"""Studies made and changed by programs."""

from howgood.flow.remote.studies import (
    ExistingStudyError,
    LiveNumbers,
    StudyFacts,
    add_version,
    create_study,
    live_numbers,
    set_open,
    set_places,
    studies_within,
    study_facts,
)

__all__ = [
    "ExistingStudyError",
    "LiveNumbers",
    "StudyFacts",
    "add_version",
    "create_study",
    "live_numbers",
    "set_open",
    "set_places",
    "studies_within",
    "study_facts",
]
