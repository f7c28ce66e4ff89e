"""Is a study file ready to run, and if not, what is wrong on which line?

In: a study file and the files next to it. Out: `CheckedStudy`: the study, or every problem with its
line; advice from the literature, and how many pages people answer. Absent: running it
(`flow.participate`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from howgood.ask.sentences import languages
from howgood.errors import InputError, ManyProblemsError
from howgood.flow.participate import conditions, take_part
from howgood.flow.study_files.attached_files import filled_from_files
from howgood.flow.study_files.document import Document, SyntaxProblemError, read_document
from howgood.kinds import kind_of
from howgood.kinds.logic import logic_problems
from howgood.kinds.study import Study
from howgood.kinds.translation import in_language, translation_problems
from howgood.records.record import Path as ValuePath
from howgood.records.record import Problem, Record, check_record, written

_MOST_CONDITIONS = 12
# Short names in the data: their own check says more.
_KEYS = frozenset({"key", "slug", "kind"})
_NEEDED_TEXTS = {
    "alternative": "what the picture shows, for those who cannot see it",
    "text": "what people read",
    "name": "the name people see",
    "description": "what people are told about it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProblem:
    """One thing that is wrong with a file, and the line it is on."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStudy:
    """A study file after checking: `study` is None exactly when there are problems."""

    file: str
    study: Study | None
    problems: tuple[FileProblem, ...] = ()
    advice: tuple[str, ...] = ()


def check_study(location: str | Path) -> CheckedStudy:
    """Check a study file and the files it names.

    Parameters
    ----------
    location : str or Path
        A file ending in .toml, .yaml or .yml.

    Raises
    ------
    FileFormatError
        When there is no such file or it is not text; anything inside it is a problem, not an error.

    Notes
    -----
    Stability: experimental
    """
    path = Path(location)
    try:
        document = read_document(path)
    except SyntaxProblemError as error:
        message = f"{error.found}; expected {error.needed}. {error.cure}"
        problem = FileProblem(file=str(path), line=error.line, message=message)
        return CheckedStudy(file=str(path), study=None, problems=(problem,))
    return check_document(document, file=str(path), folder=path.parent)


def check_document(document: Document, *, file: str, folder: Path) -> CheckedStudy:
    """Check a study that was read from anywhere; the files it names lie in `folder`."""
    problems: list[Problem] = []
    attached = filled_from_files(document.data, folder=folder, problems=problems)
    study = study_from(attached.data, problems=problems)
    # A file that cannot be read is what is wrong; that it gave nothing goes without saying.
    problems = [problem for problem in problems if problem.path not in attached.unfilled]
    if study is None:
        return _with_problems(document, file, problems)
    return CheckedStudy(file=file, study=study, advice=advice_on(study))


def study_from(data: Mapping[str, Any], *, problems: list[Problem]) -> Study | None:
    """Return plain values as a study that can run; add what is wrong to `problems`."""
    study, wrong = check_record(Study, data)
    problems += wrong
    if study is not None and not problems:
        problems += text_problems(study)
        problems += _language_problems(study) or kind_of(study).problems(study)
        problems += [] if problems else translation_problems(study, kind_of(study))
        problems += _back_problems(study) + logic_problems(study, kind_of(study).task_rules(study))
    return None if problems else study


def read_study(location: str | Path) -> Study:
    """Return the study in a file, or raise everything that is wrong with it.

    Notes
    -----
    Stability: experimental
    """
    checked = check_study(location)
    if checked.study is None:
        first = checked.problems[0]
        error = InputError(
            where=f"{first.file}:{first.line}",
            found=first.message.rstrip("."),
            needed="a study file without problems",
            cure=f"See them all with: howgood check {first.file}",
        )
        raise ManyProblemsError(error, checked.problems)
    return checked.study


def advice_on(study: Study) -> tuple[str, ...]:
    """Return what experience says about a study that is formally right; it stops nothing."""
    advice = list(kind_of(study).advice(study))
    for language in study.translations:
        own = kind_of(study).advice(in_language(study, language))
        advice += [f"{language}: {line}" for line in own if line not in advice]
    if study.recruitment != "none" and not (study.completion.code or study.completion.redirect):
        advice.append(
            f"people from {study.recruitment} need a completion code or a redirect to be paid."
        )
    if not study.consent.contact:
        advice.append("consent.contact is empty: most ethics boards want a name and an address.")
    return tuple(advice)


def _with_problems(document: Document, file: str, problems: list[Problem]) -> CheckedStudy:
    all_problems = [
        FileProblem(file=file, line=document.line(problem.path), message=_message(problem))
        for problem in problems
    ]
    return CheckedStudy(
        file=file,
        study=None,
        problems=tuple(sorted(all_problems, key=lambda problem: problem.line)),
    )


def _message(problem: Problem) -> str:
    place = f"{written(problem.path)}: " if problem.path else ""
    return f"{place}{problem.found}; expected {problem.needed}. {problem.cure}"


def _language_problems(study: Study) -> list[Problem]:
    if study.language in languages():
        return []
    return [
        Problem(
            path=("language",),
            found=repr(study.language),
            needed=f"one of {', '.join(languages())}",
            cure="Choose one of these.",
        )
    ]


def _back_problems(study: Study) -> list[Problem]:
    if not study.allow_back or kind_of(study).can_go_back:
        return []
    return [
        Problem(
            path=("allow_back",),
            found=f"true in a {study.kind}",
            needed="a task whose pages do not depend on the answers before, or hide them",
            cure="Remove it: earlier pages can be read again, not changed.",
        )
    ]


def text_problems(study: Study) -> list[Problem]:
    """Return every text that a study needs and that is empty."""
    return _empty(study, ())


def _empty(record: object, path: ValuePath) -> list[Problem]:
    if isinstance(record, list | tuple):
        return [
            problem
            for index, entry in enumerate(record)
            for problem in (_missing((*path, index), "a label") if _is_blank(entry)
                            else _empty(entry, (*path, index)))
        ]  # fmt: skip
    if not isinstance(record, Record):
        return []
    problems: list[Problem] = []
    for name, field in type(record).model_fields.items():
        value = getattr(record, name)
        # A study file has the plan in the table that the kind names.
        place = (record.kind,) if isinstance(record, Study) and name == "plan" else (*path, name)
        if field.is_required() and name not in _KEYS and _is_blank(value):
            problems += _missing(place, _NEEDED_TEXTS.get(name, field.description or ""))
        elif not isinstance(value, Mapping):
            problems += _empty(value, place)
    return problems


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _missing(path: ValuePath, needed: str) -> list[Problem]:
    return [Problem(path=path, found="no text", needed=needed, cure="Write it.")]


def pages_per_person(study: Study) -> dict[str, int]:
    """Return how many pages a participant answers in each condition (the first twelve)."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return {
        condition: len(take_part(study, seed=1, now=start, condition=condition)[1].answers)
        for condition in conditions(study)[:_MOST_CONDITIONS]
    }
