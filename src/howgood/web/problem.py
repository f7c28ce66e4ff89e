"""What went wrong, as `application/problem+json` (RFC 9457): where, found, needed, cure.

In: errors. Out: responses. Absent: answers, tokens and stack traces; none of them is ever in one.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field
from starlette.responses import JSONResponse

from howgood.errors import (
    HowgoodError,
    InputError,
    ManyProblemsError,
    MissingExtraError,
    UnknownNameError,
)
from howgood.flow.erasing import UnknownParticipantError
from howgood.flow.in_use import DifferentAnswerError
from howgood.flow.remote import ExistingStudyError
from howgood.records.record import Problem as RecordProblem
from howgood.records.record import Record, written

MEDIA = "application/problem+json"
_IN_ADDRESS = frozenset({"study", "result", "import", "fit", "product", "person"})
_TITLES = {
    400: "The request cannot be read",
    401: "A token is needed",
    403: "The token does not allow this",
    404: "There is no such thing",
    405: "This method is not for this address",
    409: "It conflicts with what is there",
    413: "That is too much",
    415: "The body must be JSON",
    422: "Something in the request is wrong",
    429: "Too many requests",
    500: "The fault is ours",
    501: "This server lacks a package",
    503: "Just a moment",
}


class Detail(Record):
    """One thing that is wrong."""

    where: str = Field(description="the place")
    found: str = Field(description="what is there")
    needed: str = Field(description="what is needed")
    cure: str = Field(description="what to do")


class Problem(Record):
    """Why a request failed; `problems` lists everything that is wrong with a body."""

    type: str = Field(description="always about:blank")
    title: str = Field(description="the kind of problem")
    status: int = Field(description="the HTTP status")
    where: str = Field(description="the place")
    found: str = Field(description="what is there")
    needed: str = Field(description="what is needed")
    cure: str = Field(description="what to do")
    problems: tuple[Detail, ...] = Field(default=(), description="all of them")


class ApiError(HowgoodError):
    """A request that is refused before the use case is called."""

    def __init__(
        self,
        status: int,
        *,
        where: str,
        found: str,
        needed: str,
        cure: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{where}: {found}; {needed}. {cure}")
        self.status, self.headers = status, dict(headers or {})
        self.facts = {"where": where, "found": found, "needed": needed, "cure": cure}


def problem(
    status: int, facts: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return a problem as a response."""
    content = {"type": "about:blank", "title": _TITLES[status], "status": status, **facts}
    return JSONResponse(
        content,
        status_code=status,
        media_type=MEDIA,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def problem_of(error: Exception) -> JSONResponse:
    """Return the response that says what an error says."""
    if isinstance(error, ApiError):
        return problem(error.status, error.facts, error.headers)
    if isinstance(error, InputError):
        return problem(_status(error), _facts(error))
    if isinstance(error, MissingExtraError):
        facts = {
            "where": "server",
            "found": f"{error.task} is not installed",
            "needed": f'the "{error.extra}" extra',
            "cure": "Ask whoever runs the server to install it.",
        }
        return problem(501, facts)
    raise error


def _status(error: InputError) -> int:
    if isinstance(error, ExistingStudyError | DifferentAnswerError):
        return 409
    # A name in the address is not found; one in the body or a parameter is wrong.
    is_address = isinstance(error, UnknownNameError) and error.where in _IN_ADDRESS
    return 404 if is_address or isinstance(error, UnknownParticipantError) else 422


def _facts(error: InputError) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "where": error.where,
        "found": error.found,
        "needed": error.needed,
        "cure": error.cure,
    }
    if isinstance(error, ManyProblemsError):
        facts["problems"] = [
            {
                "where": written(problem.path),
                "found": problem.found,
                "needed": problem.needed,
                "cure": problem.cure,
            }
            for problem in error.problems
            if isinstance(problem, RecordProblem)
        ][:100]
    return facts
