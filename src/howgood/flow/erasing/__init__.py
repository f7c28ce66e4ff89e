"""The right to be forgotten: one person, or a whole study."""

from howgood.flow.erasing.erase import (
    Erasure,
    UnknownParticipantError,
    delete_study,
    erase_participant,
)

__all__ = ["Erasure", "UnknownParticipantError", "delete_study", "erase_participant"]
