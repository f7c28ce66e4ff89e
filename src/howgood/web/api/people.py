"""Operations on participants.

In: checked calls. Out: records. Absent: what happens (`flow`).
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from howgood.flow import collected, erasing, hosting
from howgood.records.codebook import TableName
from howgood.records.record import Record
from howgood.web.api.operation import Call, Operation
from howgood.web.api.studies import Gone

MOST_PEOPLE = 200
_LARGEST_NUMBER = 2**53


class PeoplePage(Record):
    """Which participants to list."""

    after: int = Field(
        default=0,
        description="only participants with a larger number",
        ge=0,
        le=_LARGEST_NUMBER,
    )
    limit: int = Field(default=50, description="at most this many people", ge=1, le=MOST_PEOPLE)
    pilots: bool = Field(default=False, description="include test runs")


class Rows(Record):
    """Rows of a table, whole people at a time; the codebook names the columns."""

    rows: tuple[Mapping[str, Any], ...]
    next: int | None = Field(description="`after` of the next page; null: this was the last")


class Invitations(Record):
    """How many personal links to make."""

    people: int = Field(description="how many", ge=1, le=1000)
    pilot: bool = Field(default=False, description="for test runs")


class Links(Record):
    """Personal links; they are shown once, here."""

    links: tuple[str, ...]


def _list(call: Call) -> Rows:
    return page_of(call, "participants")


def page_of(call: Call, table: TableName) -> Rows:
    """Return a page of a table: the rows of the next few people."""
    rows, following = collected.page_of_rows(
        call.host,
        call.slug,
        table=table,
        pilots=call.query.pilots,
        after=call.query.after,
        people_at_most=call.query.limit,
    )
    return Rows(rows=tuple(rows), next=following)


def _invite(call: Call) -> Links:
    made = hosting.make_links(
        call.host, call.slug, people=call.body.people, is_pilot=call.body.pilot, now=call.now
    )
    return Links(links=tuple(f"{call.home}/p/{link.token}" for link in made))


def _erase(call: Call) -> Gone:
    done = erasing.erase_participant(
        call.host, call.slug, call.path["participant"], actor=call.actor, now=call.now
    )
    return Gone(participants=done.participants, is_off_disk=done.is_off_disk)


OPERATIONS = (
    Operation(method="GET", path="/studies/{slug}/participants", name="listParticipants",
              summary="List participants, page by page", run=_list, scope="participants:read",
              answer=Rows, query=PeoplePage, group="Participants"),
    Operation(method="POST", path="/studies/{slug}/invitations", name="invite",
              summary="Make personal links", run=_invite, scope="participants:write",
              answer=Links, body=Invitations, status=201, group="Participants"),
    Operation(method="DELETE", path="/studies/{slug}/participants/{participant}",
              name="eraseParticipant", summary="Erase a participant for good", run=_erase,
              scope="participants:write", answer=Gone, group="Participants"),
)  # fmt: skip
