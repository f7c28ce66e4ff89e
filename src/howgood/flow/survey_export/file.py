"""A study that runs in other programs: LimeSurvey, Qualtrics, or one offline page.

In: a survey's name and a format. Out: a finished file, texts as the simple HTML that other programs
show. Absent: the offline page itself (`offline`), pictures inside LimeSurvey and Qualtrics, which
want them in their own library, and whatever a format cannot say: subsets of pages in LimeSurvey;
random orders and branches in Qualtrics, where they are set in its survey flow.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape

from howgood.ask.sentences import sentence
from howgood.flow.hosting import Host
from howgood.flow.survey_export.codes import question_codes
from howgood.flow.survey_export.offline import offline_page
from howgood.flow.survey_export.source import StudySource, named_source, source_in_host
from howgood.kinds.questions import Question, question_type
from howgood.kinds.screen_parts import paragraphs
from howgood.kinds.study import Study
from howgood.kinds.task_export import ExportSection, TaskExport
from howgood.records.codebook import SurveyFormat
from howgood.records.screen import Block, Bullets, Details, Heading, Paragraph, Words


def qualtrics_file(source: StudySource) -> bytes:
    """Return the survey as a file that Qualtrics imports."""
    lines = ["[[AdvancedFormat]]", *_lines(source.study, source.task("Qualtrics"))]
    return ("\n".join(lines) + "\n").encode()


def _lines(study: Study, task: TaskExport) -> Iterator[str]:
    language = study.language
    yield from _qualtrics_block(sentence(language, "consent_heading"))
    text = html_of((*paragraphs(study.introduction), *paragraphs(study.consent.text)))
    choices = [sentence(language, "agree"), sentence(language, "decline")]
    yield from _qualtrics_question("MC:SingleAnswer:Vertical", "consent", text, choices)
    yield from _qualtrics_questions(study, "d", "demographics")
    yield from _qualtrics_pages(task)
    yield from _qualtrics_questions(study, "c", "closing")


def _qualtrics_pages(task: TaskExport) -> Iterator[str]:
    checks = list(task.checks)
    block = ""
    for section in task.sections:
        if section.name != block:
            block = section.name
            yield from _qualtrics_block(block)
            yield from _qualtrics_question("DB", "", html_of(section.introduction))
        for page in section.pages:
            if page.number > 1:
                yield from ("", "[[PageBreak]]")
            yield from _qualtrics_question(
                "Matrix", page.code, html_of(page.blocks), page.statements, page.scale
            )
            if page.number == 2 and checks:
                check = checks.pop(0)
                text = html_text(check.text)
                yield from _qualtrics_question(
                    "MC:SingleAnswer:Horizontal", check.code, text, check.scale
                )


def _qualtrics_questions(study: Study, letter: str, title: str) -> Iterator[str]:
    asked = [
        (code, one_code) for code, _, one_code in question_codes(study) if code.startswith(letter)
    ]
    if asked:
        yield from _qualtrics_block(sentence(study.language, f"{title}_title"))
    for code, question in asked:
        kind = question_type(question)
        text = html_text(question.text)
        yield from _qualtrics_question(kind.qualtrics, code, text, kind.choices(question))


def _qualtrics_block(title: str) -> Iterator[str]:
    plain = _one_line(title).replace("[[", "[ [").replace("]]", "] ]")
    yield from ("", f"[[Block:{plain}]]")


def _qualtrics_question(
    kind: str, code: str, text: str, choices: Iterable[str] = (), answers: Iterable[str] = ()
) -> Iterator[str]:
    yield from ("", f"[[Question:{kind}]]")
    if code:
        yield f"[[ID:{code}]]"
    yield _qualtrics_text(text)
    for heading, texts in (("[[Choices]]", list(choices)), ("[[Answers]]", list(answers))):
        if texts:
            yield from ("", heading, *(_qualtrics_text(html_text(one_text)) for one_text in texts))


def _qualtrics_text(html: str) -> str:
    """Return HTML that stays on its line, is no command of the format and has nothing filled in."""
    line = _one_line(html).replace("${", "&#36;{")
    return line.replace("[[", "&#91;&#91;").replace("]]", "&#93;&#93;")


def _one_line(text: str) -> str:
    return " ".join(text.split())


_COLUMNS = ("id", "related_id", "class", "type/scale", "name", "relevance", "text", "help",
            "language", "validation", "mandatory", "encrypted", "other", "default",
            "same_default", "hidden", "random_group", "min_num_value_n",
            "max_num_value_n")  # fmt: skip
_BRANCH = "branch"
Row = dict[str, str]


def limesurvey_file(source: StudySource) -> bytes:
    """Return the survey as a file that LimeSurvey imports."""
    study, task = source.study, source.task("LimeSurvey")
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
    asked = [
        (code, one_code) for code, _, one_code in question_codes(study) if code.startswith(letter)
    ]
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


_Maker = Callable[[StudySource], bytes]
_MAKERS: dict[SurveyFormat, tuple[_Maker, str, str]] = {
    "html": (offline_page, ".html", "text/html; charset=utf-8"),
    "limesurvey": (limesurvey_file, "-limesurvey.txt", "text/plain; charset=utf-8"),
    "qualtrics": (qualtrics_file, "-qualtrics.txt", "text/plain; charset=utf-8"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyFile:
    """A survey, ready to be given to people or to another program."""

    name: str
    media_type: str
    content: bytes


def survey_file(name: str, *, kind: SurveyFormat, address: str, language: str = "") -> SurveyFile:
    """Return a study, named by its file or by its short name in the database.

    `language` is one of the study's; left out: its own.

    Notes
    -----
    Stability: experimental
    """
    return _made(named_source(name, address=address).read_in(language), kind)


def hosted_survey_file(
    host: Host, slug: str, *, kind: SurveyFormat, language: str = ""
) -> SurveyFile:
    """Return a study of a running host, in one of its languages.

    Notes
    -----
    Stability: experimental
    """
    return _made(source_in_host(host, slug).read_in(language), kind)


def _made(source: StudySource, kind: SurveyFormat) -> SurveyFile:
    make, ending, media_type = _MAKERS[kind]
    return SurveyFile(name=source.study.slug + ending, media_type=media_type, content=make(source))


# A survey's texts as the simple HTML that other programs show.


def html_text(text: str) -> str:
    """Return a text that a program which takes HTML shows as it was written.

    Quotes stay: texts stand between tags, and many programs show a label as it was sent.
    """
    return escape(text, quote=False)


def html_of(blocks: Iterable[Block]) -> str:
    """Return the texts of blocks on one line of HTML."""
    return "".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<p><strong>{html_text(block.text)}</strong></p>"
    if isinstance(block, Paragraph):
        return f"<p>{_words(block.words)}</p>"
    if isinstance(block, Details):
        return "".join(f"<p>{_words(paragraph.words)}</p>" for paragraph in block.paragraphs)
    if isinstance(block, Bullets):
        lines = (
            f"<li>{_words(entry.words)}{_inner(entry.entries)}</li>" for entry in block.entries
        )
        return f"<ul>{''.join(lines)}</ul>"
    return ""


def _inner(entries: tuple[tuple[Words, ...], ...]) -> str:
    return (
        f"<ul>{''.join(f'<li>{_words(entry)}</li>' for entry in entries)}</ul>" if entries else ""
    )


def _words(words: Iterable[Words]) -> str:
    return "".join(
        f"<strong>{html_text(word.text)}</strong>" if word.bold else html_text(word.text)
        for word in words
    )
