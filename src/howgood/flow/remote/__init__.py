"""Studies made and changed by programs."""

from howgood.flow.remote.studies import (
    ExistingStudyError,
    LiveNumbers,
    StudyFacts,
    VersionFacts,
    add_version,
    create_study,
    live_numbers,
    set_open,
    set_places,
    studies_within,
    study_facts,
    versions_of,
)

__all__ = [
    "ExistingStudyError",
    "LiveNumbers",
    "StudyFacts",
    "VersionFacts",
    "add_version",
    "create_study",
    "live_numbers",
    "set_open",
    "set_places",
    "studies_within",
    "study_facts",
    "versions_of",
]
