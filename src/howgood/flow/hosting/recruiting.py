"""Who sent this person: what recruiting platforms put into the address.

In: a study's platform and the address's parameters. Out: who the person is to the platform, and
where to send them at the end. Absent: talking to a platform.
"""

from collections.abc import Mapping

from howgood.flow.participate import completion_address
from howgood.records.study import Study

# Platform -> our word -> the names it may have in the address.
_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "none": {},
    "prolific": {
        "participant": ("PROLIFIC_PID",),
        "study": ("STUDY_ID",),
        "session": ("SESSION_ID",),
    },
    "mturk": {
        "participant": ("workerId",),
        "study": ("hitId",),
        "session": ("assignmentId",),
    },
    "sona": {"participant": ("survey_code", "id")},
}
_NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
_LONGEST = 128
# Where a platform should have put somebody's id and has not: {{%PROLIFIC_PID%}}, ${workerId}, <id>.
_PLACEHOLDER = frozenset("{}%$<>[]")


def origin_of(study: Study, parameters: Mapping[str, str]) -> dict[str, str]:
    """Return what the platform said about the person; anything else in the address is dropped."""
    found = {}
    for word, names in _NAMES[study.recruitment].items():
        value = next((parameters[name] for name in names if parameters.get(name)), "")
        if value and len(value) <= _LONGEST and value.isprintable() and not _is_left(value, names):
            found[word] = value
    return found


def _is_left(value: str, names: tuple[str, ...]) -> bool:
    """Return whether a value is what a platform should have replaced: everybody's is the same."""
    return value in names or not _PLACEHOLDER.isdisjoint(value)


def is_preview(origin: Mapping[str, str]) -> bool:
    """Return whether the person only looks at the task before accepting it."""
    return origin.get("session") == _NOT_ACCEPTED


def way_back(study: Study, origin: Mapping[str, str]) -> str | None:
    """Return the address at the platform that says this person has finished."""
    return completion_address(study, parameters=origin)
