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
from howgood.kinds import kind_of, pictures_of
from howgood.kinds.question_pages import piped_in
from howgood.kinds.questions import question_type
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


def refuse_logic(study: Study, program: str) -> None:
    """Refuse to write a study for a program that would ask everybody everything."""
    questions = (*study.demographics, *study.closing)
    depends = any(question.show_if or piped_in(question) for question in questions)
    several = [part.key for part in questions if question_type(part).has_several_answers]
    if several:
        raise InputError(
            where=f"study {study.slug!r}, {several[0]}",
            found=f"a question of type {next(q.type for q in questions if q.key == several[0])!r}",
            needed=f"a type that {program} files can hold",
            cure="Use the offline page, or run it with howgood serve.",
        )
    if depends or study.blocks or study.screen_outs or study.quotas:
        raise InputError(
            where=f"study {study.slug!r}",
            found="questions that depend on earlier answers, random blocks, screen-outs or quotas",
            needed=f"a study that {program} asks as it stands in the file",
            cure="Use the offline page, which has all but quotas, or run it with howgood serve.",
        )


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
    return tuple(dict.fromkeys(picture.file for picture in pictures_of(study)))
