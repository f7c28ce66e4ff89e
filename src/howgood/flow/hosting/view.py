"""What a participant is shown, and why someone cannot take part.

In: facts from `visit`. Out: frozen records a page is made of. Absent: HTML.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from howgood.errors import HowgoodError
from howgood.flow.hosting.recap import Recap
from howgood.records.screen import Screen
from howgood.records.study import Study

Form = Mapping[str, str | Sequence[str]]


class Reason(StrEnum):
    """Why there is no screen to show."""

    UNKNOWN_LINK = "unknown_link"
    UNKNOWN_STUDY = "unknown_study"
    CLOSED = "closed"
    FULL = "full"
    NO_IDENTITY = "no_identity"  # the study is for people of a platform, which named nobody
    PREVIEW = "preview"  # a recruiting platform shows the page before the person has accepted
    UNSIGNED = "unsigned"  # the form was not written by this server


# What a study counts: people who would have begun.
COUNTED = (Reason.FULL, Reason.NO_IDENTITY)


class RefusedError(HowgoodError):
    """Someone cannot go on here; the reason is a value, the words are the page's.

    `study` is the number of a study that counts this refusal, 0 if none does.
    """

    def __init__(self, reason: Reason, *, language: str = "en", study: int = 0) -> None:
        super().__init__(f"refused: {reason.value}")
        self.reason, self.language, self.study = reason, language, study


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One screen for one person, at their `step`, counted from 1.

    `token` is empty before a person has begun: their form goes to the study's start then, with
    `visit`, a number that makes sending it twice the same as sending it once. `recap` is there when
    the screen has its answer already; it can only be read then, and `here` is where they are.
    """

    study: Study
    version: int
    screen: Screen
    signature: str
    token: str = ""
    step: int = 1
    here: int = 1
    recap: Recap | None = None
    visit: str = ""
    is_pilot: bool = False
    origin: Mapping[str, str] = field(default_factory=dict)
    sent: Form = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Someone at a study's door: a view to begin from, or the token of who they are already."""

    view: View | None = None
    token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What became of a form: go on by the token, or look at the view again.

    `step` is the page to go to, 0 for wherever the person is. `seconds` is how long a saved screen
    was in front of the person; `is_new` is False for a screen that already had its answer.
    """

    token: str = ""
    step: int = 0
    view: View | None = None
    is_new: bool = False
    seconds: float | None = None
