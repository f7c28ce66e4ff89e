"""New studies: from a template, or from a study file that somebody uploads.

In: a host, a template's name or files. Out: a study with a draft, closed and without any version.
Absent: editing it (`draft`).
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.errors import InputError
from howgood.flow.authoring.draft import Upload
from howgood.flow.hosting import Host
from howgood.flow.hosting.studies import media_of
from howgood.flow.study_files import check_study
from howgood.kinds import KINDS, Kind
from howgood.kinds.protocol import StudyTemplate
from howgood.kinds.study import RESERVED, SLUG
from howgood.records.researcher import Researcher
from howgood.store import audit, drafts, studies
from howgood.store.studies import MediaFile, NewVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A new study's short name, or what stood in its way, by field."""

    slug: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)
    file_problems: tuple[str, ...] = ()


_LONGEST_NAME = 256  # bytes: what file systems take
_LONGEST_PROPOSAL = 40


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
    return (*plain, *(each for kind in KINDS.values() for each in kind.more_templates()))


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
    if not SLUG.fullmatch(slug):
        wrong["slug"] = f"Use up to 60 of a-z, 0-9 and hyphens, such as {_proposal(slug or title)}."
    if wrong or chosen is None:
        return Started(problems=wrong)
    content = {**chosen.content(), "slug": slug}
    if title.strip():
        content["title"] = title.strip()
    return _start(host, person, content, (), now)


def _proposal(text: str) -> str:
    """Return a short name made of somebody's words."""
    words = "-".join(re.findall(r"[a-z0-9]+", text.casefold()))[:_LONGEST_PROPOSAL].strip("-")
    return words if SLUG.fullmatch(words) else "smart-alarm-2"


def start_from_file(
    host: Host, person: Researcher, files: Sequence[Upload], *, now: datetime
) -> Started:
    """Make a study from a study file and the files it names."""
    with TemporaryDirectory(prefix="howgood-") as name:
        folder = Path(name)
        paths = [_write(folder, each) for each in files if each.file_name]
        if not paths:
            return Started(problems={"file": "Choose a study file."})
        try:
            found = check_study(paths[0])
        except InputError as error:
            told = str(error).replace(f"{folder}/", "")
            return Started(problems={"file": told})
        if found.study is None:
            lines = tuple(str(each).replace(f"{folder}/", "") for each in found.problems)
            return Started(file_problems=lines)
        media = tuple(media_of(found.study, folder))
        return _start(host, person, found.study.to_dict(), media, now)


def _write(folder: Path, upload: Upload) -> Path:
    """Put an uploaded file where a study file looks for it; its name cannot lead elsewhere."""
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
            return _taken(slug)
        number = studies.add_study(connection, new, is_open=False, now=now)
        drafts.begin(connection, number, content, version=None, now=now)
        for each in media:
            drafts.add_media(connection, number, each)
        audit.note(connection, actor=person.name, action="study made", study=slug, now=now)
        return Started(slug=slug)

    try:
        return host.database.write(store)
    except sa.exc.IntegrityError:  # somebody took the name between looking and writing
        return _taken(slug)


def _taken(slug: str) -> Started:
    told = f"There is a study called {slug} already: choose another short name."
    return Started(problems={"slug": told, "file": told})
