"""A survey as LimeSurvey's tab-separated survey structure (.txt).

In: a survey. Out: the file, one row per group, question, subquestion and answer, as the LimeSurvey
manual describes under "Tab Separated Value survey structure". Absent: pictures, and subsets of
pages; both are settings inside LimeSurvey.

Each page is a group of its own, so that LimeSurvey shows one at a time and mixes those of one
section. Branches are drawn by a hidden equation at the start.

LimeSurvey takes every text for HTML, and whatever stands in braces for an expression to compute.
What a researcher wrote is written so that it is shown and nothing else.
"""

import csv
import io
from collections.abc import Iterable, Iterator

from howgood.ask.sentences import sentence
from howgood.flow.survey_export.codes import question_codes
from howgood.flow.survey_export.source import SurveySource
from howgood.flow.survey_export.wording import html_of, html_text
from howgood.kinds.questions import Question, question_type
from howgood.kinds.screen_parts import paragraphs
from howgood.kinds.study import Study
from howgood.kinds.task_export import ExportSection, TaskExport

_COLUMNS = ("id", "related_id", "class", "type/scale", "name", "relevance", "text", "help",
            "language", "validation", "mandatory", "encrypted", "other", "default",
            "same_default", "hidden", "random_group", "min_num_value_n",
            "max_num_value_n")  # fmt: skip
_BRANCH = "branch"
Row = dict[str, str]


def limesurvey_file(source: SurveySource) -> bytes:
    """Return the survey as a file that LimeSurvey imports."""
    study, task = source.study, source.task
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, _COLUMNS, restval="", delimiter="\t", lineterminator="\r\n")
    writer.writeheader()
    for row in _numbered(_rows(study, task)):
        writer.writerow(row)
    # The mark at the beginning tells LimeSurvey and spreadsheets that it is UTF-8.
    return buffer.getvalue().encode("utf-8-sig")


def _numbered(rows: Iterable[Row]) -> Iterator[Row]:
    """Give groups, questions and subquestions numbers; answers carry their question's."""
    counts = {"G": 0, "Q": 0}
    question = ""
    for row in rows:
        counted = {"G": "G", "Q": "Q", "SQ": "Q"}.get(row["class"])
        if counted is not None:
            counts[counted] += 1
        if row["class"] == "Q":
            question = str(counts["Q"])
        own = question if row["class"] == "A" else str(counts[counted]) if counted else ""
        yield row | {"id": own}


def _rows(study: Study, task: TaskExport) -> Iterator[Row]:
    language = study.language
    settings = {"language": language, "format": "G", "anonymized": "Y", "datestamp": "Y"}
    for name, value in settings.items():
        yield {"class": "S", "name": name, "text": value}
    consent = html_of((*paragraphs(study.introduction), *paragraphs(study.consent.text)))
    texts = {
        "surveyls_title": _shown_text(study.title),
        "surveyls_welcometext": _shown(consent),
        "surveyls_endtext": _shown(html_of(paragraphs(study.completion.text))),
    }
    for name, value in texts.items():
        yield {"class": "SL", "name": name, "text": value, "language": language}
    groups = (
        *_branching(study, task),
        *_questions(study, "d", "demographics"),
        *_pages(task),
        *_checks(task),
        *_questions(study, "c", "closing"),
    )
    yield from (row | {"language": language} for row in groups)


def _branching(study: Study, task: TaskExport) -> Iterator[Row]:
    yield {"class": "G", "name": sentence(study.language, "consent_heading")}
    yield {
        "class": "Q",
        "type/scale": "Y",
        "name": "consent",
        "relevance": "1",
        "text": sentence(study.language, "agree"),
        "mandatory": "Y",
    }
    if task.n_branches:
        equation = f"{{if(is_empty({_BRANCH}), rand(1,{task.n_branches}), {_BRANCH})}}"
        yield {
            "class": "Q",
            "type/scale": "*",
            "name": _BRANCH,
            "relevance": "1",
            "text": equation,
            "hidden": "1",
        }


def _pages(task: TaskExport) -> Iterator[Row]:
    for section in task.sections:
        for page in section.pages:
            yield {
                "class": "G",
                "name": _shown_text(f"{section.name} {page.number}"),
                "relevance": _shown_to(task, section),
                "random_group": section.code,
            }
            text = html_of((*section.introduction, *page.blocks))
            yield _question("F", page.code, _shown(text), mandatory=True)
            for place, statement in enumerate(page.statements, start=1):
                yield {"class": "SQ", "type/scale": "0", "name": f"i{place}", "relevance": "1",
                       "text": _shown_text(statement)}  # fmt: skip
            yield from _answers(page.scale)


def _shown_to(task: TaskExport, section: ExportSection) -> str:
    """Return the condition under which a group is shown: to everybody, or to its branches."""
    branches = [f"{_BRANCH}=={number}" for number in section.branches]
    return " or ".join(branches) if task.n_branches else "1"


def _checks(task: TaskExport) -> Iterator[Row]:
    if task.checks:
        yield {"class": "G", "name": "…", "relevance": "1"}
    for check in task.checks:
        yield _question("L", check.code, _shown_text(check.text), mandatory=True)
        yield from _answers(check.scale)


def _questions(study: Study, letter: str, title: str) -> Iterator[Row]:
    asked = [(code, each) for code, _, each in question_codes(study) if code.startswith(letter)]
    if asked:
        yield {"class": "G", "name": sentence(study.language, f"{title}_title"), "relevance": "1"}
    for code, question in asked:
        yield from _one_question(code, question)


def _one_question(code: str, question: Question) -> Iterator[Row]:
    kind = question_type(question)
    limits = {
        "min_num_value_n": "" if question.minimum is None else f"{question.minimum:g}",
        "max_num_value_n": "" if question.maximum is None else f"{question.maximum:g}",
    }
    row = _question(kind.limesurvey, code, _shown_text(question.text), mandatory=False)
    yield (
        row
        | {"help": _shown_text(question.help)}
        | (limits if kind.column_type == "number" else {})
    )
    texts = kind.choices(question)
    if kind.choices_as_subquestions:
        for place, text in enumerate(texts, start=1):
            yield {"class": "SQ", "type/scale": "0", "name": f"o{place}", "relevance": "1",
                   "text": _shown_text(text)}  # fmt: skip
    else:
        yield from _answers(texts)


def _question(kind: str, code: str, text: str, *, mandatory: bool) -> Row:
    return {
        "class": "Q",
        "type/scale": kind,
        "name": code,
        "relevance": "1",
        "text": text,
        "mandatory": "Y" if mandatory else "N",
        "other": "N",
    }


def _answers(labels: Iterable[str]) -> Iterator[Row]:
    for place, label in enumerate(labels, start=1):
        yield {"class": "A", "type/scale": "0", "name": str(place), "relevance": "0",
               "text": _shown_text(label)}  # fmt: skip


def _shown_text(text: str) -> str:
    return _shown(html_text(text))


def _shown(html: str) -> str:
    """Return HTML that holds no expression."""
    return html.replace("{", "&#123;").replace("}", "&#125;")
