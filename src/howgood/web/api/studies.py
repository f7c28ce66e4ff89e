"""Operations on studies.

In: checked calls. Out: records. Absent: what happens (`flow.remote`, `flow.erasing`).
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from howgood.flow import accounts, erasing, remote
from howgood.flow.remote import LiveNumbers, StudyFacts, VersionFacts
from howgood.kinds.study import Study
from howgood.records.record import Record
from howgood.web.api.operation import Call, Operation
from howgood.web.problem import ApiError

_LARGEST_STUDY = 2_000_000
_MOST = 1_000_000_000


class StudyList(Record):
    """Studies that the token reaches."""

    studies: tuple[StudyFacts, ...] = Field(description="by title")


class StudyWithContent(Record):
    """A study and everything in its newest version."""

    slug: str
    title: str
    kind: str
    is_open: bool
    version: str = Field(description="fingerprint of the content")
    pilot: bool
    quota: int | None
    study: Mapping[str, Any] = Field(description="the content, as in a study file")


class VersionList(Record):
    """The versions of a study; nothing about one ever changes."""

    versions: tuple[VersionFacts, ...] = Field(description="the one newcomers get first")


class NewStudy(Record):
    """A study to create."""

    study: Study = Field(description="the content, as in a study file")
    is_open: bool = Field(default=False, description="let participants in at once")


class NewVersion(Record):
    """A new version of a study."""

    study: Study = Field(description="the whole content, changed where you want")


class Opening(Record):
    """Whether a study takes new participants."""

    is_open: bool = Field(description="false closes it; those inside may finish")


class Places(Record):
    """How many people may take part, and whether they count."""

    pilot: bool = Field(description="true: everybody is a test run from now on")
    quota: int | None = Field(
        description="so many people and no more; null: no limit", ge=1, le=_MOST
    )


class Confirmation(Record):
    """The word that makes it real."""

    confirmation: str = Field(description="the study's short name once more")


class Gone(Record):
    """What was erased."""

    participants: int = Field(description="how many people")
    is_off_disk: bool = Field(description="whether the database file holds nothing of it")


def _list(call: Call) -> StudyList:
    only = call.token.study if call.token else None
    known = remote.studies_within(call.host, only)
    shared = accounts.shared_with(call.host, call.token.holder) if call.token else {}
    return StudyList(
        studies=tuple(
            study_row for study_row in known if shared is None or study_row.slug in shared
        )
    )


def _create(call: Call) -> StudyFacts:
    if call.token is not None and call.token.study is not None:
        raise ApiError(
            403,
            where="token",
            found=f"one that is bound to study {call.token.study!r}",
            needed="a token for every study",
            cure="Make another token.",
        )
    return remote.create_study(
        call.host,
        call.body.study.to_dict(),
        is_open=call.body.is_open,
        actor=call.actor,
        holder=call.token.holder if call.token else None,
        now=call.now,
    )


def _get(call: Call) -> StudyWithContent:
    facts, content = remote.study_facts(call.host, call.slug)
    return StudyWithContent(**dict(facts), study=content)


def _add_version(call: Call) -> StudyFacts:
    return remote.add_version(
        call.host, call.slug, call.body.study.to_dict(), actor=call.actor, now=call.now
    )


def _versions(call: Call) -> VersionList:
    return VersionList(versions=remote.versions_of(call.host, call.slug))


def _set_open(call: Call) -> StudyFacts:
    return remote.set_open(
        call.host, call.slug, is_open=call.body.is_open, actor=call.actor, now=call.now
    )


def _set_places(call: Call) -> StudyFacts:
    return remote.set_places(
        call.host,
        call.slug,
        pilot=call.body.pilot,
        quota=call.body.quota,
        actor=call.actor,
        now=call.now,
    )


def _numbers(call: Call) -> LiveNumbers:
    return remote.live_numbers(call.host, call.slug, now=call.now)


def _delete(call: Call) -> Gone:
    done = erasing.delete_study(
        call.host,
        call.slug,
        confirmation=call.query.confirmation,
        actor=call.actor,
        now=call.now,
    )
    return Gone(participants=done.participants, is_off_disk=done.is_off_disk)


OPERATIONS = (
    Operation(method="GET", path="/studies", name="listStudies", summary="List studies",
              run=_list, scope="studies:read", answer=StudyList),
    Operation(method="POST", path="/studies", name="createStudy", summary="Create a study",
              run=_create, scope="studies:write", answer=StudyFacts, body=NewStudy, status=201,
              largest=_LARGEST_STUDY),
    Operation(method="GET", path="/studies/{slug}", name="getStudy",
              summary="Read a study with its content", run=_get, scope="studies:read",
              answer=StudyWithContent),
    Operation(method="PATCH", path="/studies/{slug}", name="openStudy",
              summary="Open or close a study", run=_set_open, scope="studies:write",
              answer=StudyFacts, body=Opening),
    Operation(method="DELETE", path="/studies/{slug}", name="deleteStudy",
              summary="Delete a study with everybody in it", run=_delete, scope="studies:write",
              answer=Gone, query=Confirmation),
    Operation(method="GET", path="/studies/{slug}/counts", name="getCounts",
              summary="How a study is going: people, conditions, drop-out by page, times",
              run=_numbers, scope="participants:read", answer=LiveNumbers),
    Operation(method="PUT", path="/studies/{slug}/places", name="setPlaces",
              summary="Change quota and pilot mode", run=_set_places, scope="studies:write",
              answer=StudyFacts, body=Places),
    Operation(method="GET", path="/studies/{slug}/versions", name="listVersions",
              summary="List a study's versions and who is on them", run=_versions,
              scope="studies:read", answer=VersionList),
    Operation(method="POST", path="/studies/{slug}/versions", name="addVersion",
              summary="Give a study a new version", run=_add_version, scope="studies:write",
              answer=StudyFacts, body=NewVersion, status=201, largest=_LARGEST_STUDY),
)  # fmt: skip
