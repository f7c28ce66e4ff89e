"""People whose answers come from a file, as they are stored.

In: reading (`offline`, `prepare`). Out: records. Absent: who of them is known already
(`recognise`), and storing (`storing`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from howgood.kinds.study import Study
from howgood.records.screen import AnswerValue, Screen


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """One answer as it is to be stored."""

    screen: Screen
    values: Mapping[str, AnswerValue]
    shown_at: datetime
    answered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPerson:
    """One person of a file: `name` as the file has it, `external_id` as it is stored.

    `is_finished` is None where the file does not say; such people count as finished.
    """

    name: str
    external_id: str
    version: int
    seed: int
    condition: str
    answers: tuple[GivenAnswer, ...]
    last: Screen
    is_finished: bool | None = None
    is_pilot: bool = False


def bare_screen(study: Study, key: str, title: str) -> Screen:
    """Return what is known of a page that was shown by another program."""
    return Screen(key=key, kind="task", title=title, language=study.language)
