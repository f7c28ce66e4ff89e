"""The survey that is to run elsewhere: from the database or from its file, pictures included.

In: a short name and a database, or a study file. Out: the study and its pictures. Absent: formats.
"""

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from howgood.errors import InputError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host, open_host, picture
from howgood.flow.study_files import read_study
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.kinds.task_export import TaskExport

_FILES = (".toml", ".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture or film of the study."""

    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveySource:
    """A survey and the way to its pictures."""

    study: Study
    task: TaskExport
    picture: Callable[[str], Picture]


def survey_source(study: Study, picture: Callable[[str], Picture]) -> SurveySource:
    """Return a survey with its pictures; a kind that has no fixed pages is refused."""
    task_export = kind_of(study).task_export
    if task_export is None:
        raise InputError(
            where=f"study {study.slug!r}",
            found=f"a {study.kind}, which asks differently after every answer",
            needed="a survey",
            cure="Run it with howgood serve; its data can be exported as csv, parquet or json.",
        )
    return SurveySource(study=study, task=task_export(study), picture=picture)


def source_in_host(host: Host, slug: str) -> SurveySource:
    """Return a survey of the database, in the version new participants get."""
    row = find_study(host, slug)

    def read(name: str) -> Picture:
        found = picture(host, row.version, name)
        return Picture(media_type=found.media_type, content=found.content)

    return survey_source(host.study(row.version), read)


def source_in_file(path: Path) -> SurveySource:
    """Return the survey in a study file; pictures lie beside it."""

    def read(name: str) -> Picture:
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Picture(media_type=media_type, content=(path.parent / name).read_bytes())

    return survey_source(read_study(path), read)


def named_source(name: str, *, address: str) -> SurveySource:
    """Return the survey that a short name or a file name means.

    A database survey is read whole, pictures included, so that the database can be closed.
    """
    if Path(name).suffix.lower() in _FILES:
        return source_in_file(Path(name))
    host = open_host(address)
    try:
        found = source_in_host(host, name)
        kept = {file: found.picture(file) for file in picture_files(found.study)}
        return survey_source(found.study, kept.__getitem__)
    finally:
        host.close()


def picture_files(study: Study) -> tuple[str, ...]:
    """Return the names of a study's pictures, each once."""
    return tuple(dict.fromkeys(picture.file for picture in kind_of(study).pictures(study)))
