"""From a draft to a version that newcomers get, and the doors of a study.

In: a host, a study's short name, the owner who acts. Out: what would change, then a new version.
Absent: anything that changes a version: people stay on the one they began with.
"""

import io
import re
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.errors import InputError, ManyProblemsError
from howgood.flow.authoring.changes import Change, changes
from howgood.flow.authoring.draft import (
    Checked,
    StaleDraftError,
    Upload,
    Written,
    checked,
    draft_picture,
    picture_names,
    written,
)
from howgood.flow.hosting import Host, Reason, RefusedError
from howgood.flow.hosting.studies import media_of, new_version
from howgood.flow.study_files import check_study, pages_per_person
from howgood.flow.study_files.as_text import toml_text, yaml_text
from howgood.kinds import KINDS, Kind, pictures_of
from howgood.kinds.protocol import StudyTemplate
from howgood.kinds.study import RESERVED, SLUG, Study
from howgood.names import plain_letters
from howgood.records.researcher import Researcher
from howgood.store import audit, drafts, sharing, studies
from howgood.store.studies import MediaFile, NewVersion, StudyHead, VersionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What publishing would do."""

    head: StudyHead
    edition: int
    changes: tuple[Change, ...]
    result: Checked
    pages: dict[str, int]
    inside: int

    @property
    def is_draft(self) -> bool:
        """Whether there is a draft."""
        return self.edition > 0

    @property
    def can_publish(self) -> bool:
        """Whether there is something to publish and nothing wrong with it."""
        is_new = self.head.version is None
        return self.result.study is not None and (bool(self.changes) or is_new)


def review(host: Host, slug: str) -> Review:
    """Return what would change for newcomers, and how many people stay on the old version."""
    given = written(host, slug)
    result = checked(given)
    before = host.study(given.head.version).to_dict() if given.head.version else {}
    after = result.study.to_dict() if result.study else given.content
    with host.database.reading() as connection:
        inside = sum(version.active for version in studies.history(connection, given.head.number))
    return Review(
        head=given.head,
        edition=given.edition,
        changes=changes(before, after),
        result=result,
        pages=pages_per_person(result.study) if result.study else {},
        inside=inside,
    )


def publish(host: Host, person: Researcher, slug: str, *, edition: int, now: datetime) -> None:
    """Make the draft, as it was looked through, the version newcomers get."""
    given = written(host, slug)
    result = checked(given)
    if given.edition != edition or not given.is_draft:
        raise StaleDraftError(done="published")
    if result.study is None:
        raise ManyProblemsError(result.problems[0].error(where="draft"), result.problems)
    study = result.study

    def store(connection: Connection) -> None:
        studies.hold(connection, slug)
        if _edition(connection, given) != edition:
            raise StaleDraftError(done="published")
        _save(connection, given, study, now)
        drafts.remove(connection, given.head.number)
        audit.note(
            connection, actor=person.name, action="published", study=slug,
            detail={"version": study.version}, now=now,
        )  # fmt: skip

    host.database.write(store)


def _edition(connection: Connection, given: Written) -> int:
    draft = drafts.find(connection, given.head.number)
    return draft.edition if draft else 0


def _save(connection: Connection, given: Written, study: Study, now: datetime) -> None:
    names = list(dict.fromkeys(picture.file for picture in pictures_of(study)))
    media: tuple[MediaFile, ...] = drafts.media_files(connection, given.head.number, names)
    studies.save(connection, new_version(study, media), now=now)


def republish(host: Host, person: Researcher, slug: str, version: int, *, now: datetime) -> None:
    """Make an earlier version the one newcomers get."""

    def store(connection: Connection) -> None:
        head = studies.head(connection, slug)
        known = studies.history(connection, head.number) if head else ()
        chosen = next((row for row in known if row.number == version), None)
        if chosen is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        studies.renew(connection, version, now=now)
        detail = {"version": chosen.digest}
        audit.note(
            connection, actor=person.name, action="published again", study=slug, detail=detail,
            now=now,
        )  # fmt: skip

    host.database.write(store)


def history(host: Host, slug: str) -> tuple[StudyHead, tuple[VersionRow, ...]]:
    """Return the versions of a study, the newest first."""
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
        if head is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        return head, studies.history(connection, head.number)


def set_open(host: Host, person: Researcher, slug: str, *, is_open: bool, now: datetime) -> None:
    """Open or close a study to newcomers; those inside may finish."""
    action = "opened" if is_open else "closed"

    def store(connection: Connection) -> None:
        head = studies.head(connection, slug)
        if head is None or head.version is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        studies.set_open(connection, [slug], is_open=is_open)
        audit.note(connection, actor=person.name, action=action, study=slug, now=now)

    host.database.write(store)


def set_places(
    host: Host, slug: str, *, pilot: bool, quota: int | None, actor: str, now: datetime
) -> None:
    """Change pilot mode and quota alone: a new version, and the draft follows."""

    def store(connection: Connection) -> None:
        head = studies.hold(connection, slug)
        if head is None or head.version is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        before = Study.from_dict(studies.content(connection, head.version))
        study = before.changed(pilot=pilot, quota=quota)
        names = {picture.file for picture in pictures_of(study)}
        media = studies.media_files(connection, head.version, names)
        studies.save(connection, new_version(study, media), now=now)
        draft = drafts.find(connection, head.number)
        if draft is not None:
            content = {**draft.content, "pilot": pilot, "quota": quota}
            drafts.save(connection, head.number, content, edition=draft.edition, now=now)
        detail = {"pilot": pilot, "quota": quota}
        audit.note(
            connection, actor=actor, action="places changed", study=slug, detail=detail, now=now
        )

    host.database.write(store)


# A study as files to keep, to send, or to serve from another server.

Format = Literal["toml", "yaml"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFiles:
    """What a browser is to save."""

    name: str
    media_type: str
    content: bytes


def download(host: Host, slug: str, *, file_format: Format) -> StudyFiles:
    """Return what is written of a study, draft or newest version, as a file."""
    content = _without_fingerprints(written(host, slug).content)
    text = yaml_text(content) if file_format == "yaml" else toml_text(content)
    pictures = sorted(_picture_names(content))
    if not pictures:
        return StudyFiles(
            name=f"{slug}.{file_format}", media_type="text/plain", content=text.encode()
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{slug}.{file_format}", text)
        for name in pictures:
            archive.writestr(name, draft_picture(host, slug, name).content)
    return StudyFiles(name=f"{slug}.zip", media_type="application/zip", content=packed.getvalue())


def _without_fingerprints(value: Any) -> Any:  # noqa: ANN401 - plain values
    """Leave out what howgood fills in itself while reading a file."""
    if isinstance(value, Mapping):
        is_picture = {"file", "alternative"} <= set(value)
        return {
            name: _without_fingerprints(entry)
            for name, entry in value.items()
            if not (is_picture and name == "digest")
        }
    if isinstance(value, list | tuple):
        return [_without_fingerprints(entry) for entry in value]
    return value


def _picture_names(value: object) -> set[str]:
    if isinstance(value, Mapping):
        own = {str(value["file"])} if {"file", "alternative"} <= set(value) else set()
        return own.union(*(_picture_names(entry) for entry in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(_picture_names(entry) for entry in value))
    return set()


# New studies: from a template, or from a study file that somebody uploads.


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A new study's short name, or what stood in its way, by field."""

    slug: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)
    file_problems: tuple[str, ...] = ()


_LONGEST_NAME = 256  # bytes: what file systems take
_LONGEST_PROPOSAL = 40
_MOST_NAMES = 1000


def templates() -> tuple[StudyTemplate, ...]:
    """Return the studies one can begin with: one of each kind, then what the kinds add."""
    plain = tuple(
        StudyTemplate(
            key=kind.name,
            title=kind.title,
            about=kind.about,
            content=partial(_content, kind),
        )
        for kind in KINDS.values()
    )
    return (*plain, *(template for kind in KINDS.values() for template in kind.more_templates()))


def _content(kind: Kind) -> dict[str, Any]:
    return tomllib.loads(kind.template())


def start_from_template(
    host: Host, person: Researcher, key: str, *, slug: str, title: str, now: datetime
) -> Started:
    """Make a study from a template under a short name of its own."""
    wrong = {}
    chosen = next((template for template in templates() if template.key == key), None)
    if chosen is None:
        wrong["template"] = "Choose one of these."
    if not slug and title.strip():
        slug = _free_name(host, title)
    if not slug and not title.strip():
        wrong["title"] = "Write a title."
    elif not SLUG.fullmatch(slug):
        wrong["slug"] = f"Use up to 60 of a-z, 0-9 and hyphens, such as {_proposal(slug or title)}."
    if wrong or chosen is None:
        return Started(problems=wrong)
    content = {**chosen.content(), "slug": slug}
    if title.strip():
        content["title"] = title.strip()
    return _start(host, person, content, (), now)


def _proposal(text: str, *, otherwise: str = "smart-alarm-2") -> str:
    """Return a short name made of somebody's words."""
    words = "-".join(re.findall(r"[a-z0-9]+", plain_letters(text)))[:_LONGEST_PROPOSAL].strip("-")
    return words if SLUG.fullmatch(words) else otherwise


def _free_name(host: Host, title: str) -> str:
    """Return a short name made of a title that no study has yet."""
    first = _proposal(title, otherwise="study")  # a title in other letters than ours
    with host.database.reading() as connection:
        names = (first if n == 1 else f"{first}-{n}" for n in range(1, _MOST_NAMES))
        free = (name for name in names if studies.head(connection, name) is None)
        return next((name for name in free if name not in RESERVED), first)


def copy_study(host: Host, person: Researcher, slug: str, *, now: datetime) -> Started:
    """Make a new draft of what is written in another study, with its pictures and films."""
    given = written(host, slug)
    title = f"Copy of {given.content.get('title') or slug}"
    content = {**given.content, "slug": _free_name(host, title), "title": title}
    names = picture_names(given.content)
    with host.database.reading() as connection:
        files = drafts.media_files(connection, given.head.number, names)
        media = {file.name: file for file in files}
        if given.head.version is not None:
            old = studies.media_files(connection, given.head.version, names)
            media = {file.name: file for file in old} | media
    return _start(host, person, content, tuple(media.values()), now)


def start_from_file(
    host: Host, person: Researcher, files: Sequence[Upload], *, now: datetime
) -> Started:
    """Make a study from a study file and the files it names."""
    with TemporaryDirectory(prefix="howgood-") as name:
        folder = Path(name)
        paths = [_write(folder, file) for file in files if file.file_name]
        if not paths:
            return Started(problems={"file": "Choose a study file."})
        try:
            checked = check_study(paths[0])
        except InputError as error:
            message = str(error).replace(f"{folder}/", "")
            return Started(problems={"file": message})
        if checked.study is None:
            lines = tuple(str(problem).replace(f"{folder}/", "") for problem in checked.problems)
            return Started(file_problems=lines)
        media = tuple(media_of(checked.study, folder))
        return _start(host, person, checked.study.to_dict(), media, now)


def _write(folder: Path, upload: Upload) -> Path:
    """Put an uploaded file where a study file looks for it; its name leads to no other folder."""
    name = PurePath(upload.file_name.replace("\\", "/")).name
    is_usable = name not in ("", "..") and "\0" not in name and len(name.encode()) < _LONGEST_NAME
    path = folder / (name if is_usable else "file")
    path.write_bytes(upload.content)
    return path


def _start(
    host: Host,
    person: Researcher,
    content: Mapping[str, Any],
    media: Sequence[MediaFile],
    now: datetime,
) -> Started:
    slug = str(content["slug"])
    new = NewVersion(
        slug=slug, title=str(content["title"]), kind=str(content["kind"]), digest="", content={}
    )

    def store(connection: Connection) -> Started:
        drafts.free_name(connection, slug)
        if slug in RESERVED or studies.head(connection, slug) is not None:
            return _slug_in_use(slug)
        number = studies.add_study(connection, new, is_open=False, now=now)
        drafts.begin(connection, number, content, version=None, now=now)
        if not person.is_owner:  # who owns the server needs no role in a study
            sharing.give_role(connection, number, "owner", researcher=person.number, now=now)
        for picture in media:
            drafts.add_media(connection, number, picture)
        audit.note(connection, actor=person.name, action="study made", study=slug, now=now)
        return Started(slug=slug)

    try:
        return host.database.write(store)
    except sa.exc.IntegrityError:  # somebody took the name between looking and writing
        return _slug_in_use(slug)


def _slug_in_use(slug: str) -> Started:
    message = f"There is a study called {slug} already: choose another short name."
    return Started(problems={"slug": message, "file": message})
