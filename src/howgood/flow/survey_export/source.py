"""The study that is to run in other programs: from the database or its file, pictures included.

In: a short name and a database, or a study file. Out: the study and its pictures. Absent: formats.
"""

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host, open_existing, picture
from howgood.flow.study_files import read_study
from howgood.kinds import kind_of, pictures_of
from howgood.kinds.question_pages import piped_in
from howgood.kinds.questions import question_type
from howgood.kinds.study import Study
from howgood.kinds.task_export import TaskExport
from howgood.kinds.translation import in_language, offered

_FILES = (".toml", ".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture or film of the study."""

    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySource:
    """A study and the way to its pictures."""

    study: Study
    picture: Callable[[str], Picture]
    # Of the study as it was published, whatever language it is read in here.
    version: str = ""

    def task(self, program: str) -> TaskExport:
        """Return the task as fixed pages for another program; a kind that has none is refused."""
        refuse_logic(self.study, program)
        task_export = kind_of(self.study).task_export
        if task_export is None:
            raise InputError(
                where=f"study {self.study.slug!r}",
                found=f"a study of the kind {self.study.kind!r}, which {program} cannot ask",
                needed="a survey",
                cure="Use the offline page (--format html), or run it with howgood serve.",
            )
        return task_export(self.study)

    def read_in(self, language: str) -> "StudySource":
        """Return the study in one of its languages; empty: in its own."""
        if not language:
            return self
        if language not in offered(self.study):
            raise UnknownNameError(
                where=f"language of study {self.study.slug!r}",
                name=language,
                names=offered(self.study),
            )
        own = self.study.version
        return replace(self, study=in_language(self.study, language), version=own)


def refuse_logic(study: Study, program: str) -> None:
    """Refuse to write a study for a program that would ask everybody everything."""
    questions = (*study.demographics, *study.closing)
    depends = any(question.show_if or piped_in(question) for question in questions) or any(
        rules for _, rules in kind_of(study).task_rules(study)
    )
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
            found="parts that depend on earlier answers, random blocks, screen-outs or quotas",
            needed=f"a study that {program} asks as it stands in the file",
            cure="Use the offline page, which has all but quotas, or run it with howgood serve.",
        )


def source_in_host(host: Host, slug: str) -> StudySource:
    """Return a survey of the database, in the version new participants get."""
    row = find_study(host, slug)

    def read(name: str) -> Picture:
        media = picture(host, row.version, name)
        return Picture(media_type=media.media_type, content=media.content)

    return StudySource(study=host.study(row.version), picture=read)


def source_in_file(path: Path) -> StudySource:
    """Return the survey in a study file; pictures lie next to it."""

    def read(name: str) -> Picture:
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Picture(media_type=media_type, content=(path.parent / name).read_bytes())

    return StudySource(study=read_study(path), picture=read)


def named_source(name: str, *, address: str) -> StudySource:
    """Return the survey that a short name or a file name means.

    A database survey is read whole, pictures included, so that the database can be closed.
    """
    if Path(name).suffix.lower() in _FILES:
        return source_in_file(Path(name))
    host = open_existing(address)
    try:
        source = source_in_host(host, name)
        kept = {file: source.picture(file) for file in picture_files(source.study)}
        return StudySource(study=source.study, picture=kept.__getitem__)
    finally:
        host.close()


def picture_files(study: Study) -> tuple[str, ...]:
    """Return the names of a study's pictures, each once."""
    return tuple(dict.fromkeys(picture.file for picture in pictures_of(study)))
