"""A survey as Qualtrics' advanced TXT format.

In: a survey. Out: the file: a block per section of the task, a matrix per page. Absent: random
orders, branches and pictures, which the format cannot say; they are set in Qualtrics' survey flow.

Qualtrics takes texts of questions, choices and answers for HTML, a line that begins with two square
brackets for a command, and `${...}` for something to be filled in. What a researcher wrote is
written so that it is shown and nothing else. Names of blocks are plain text, for researchers alone.
"""

from collections.abc import Iterable, Iterator

from howgood.ask.sentences import sentence
from howgood.flow.survey_export.codes import question_codes
from howgood.flow.survey_export.source import SurveySource
from howgood.flow.survey_export.wording import html_of, html_text
from howgood.kinds.questions import question_type
from howgood.kinds.screen_parts import paragraphs
from howgood.kinds.study import Study
from howgood.kinds.task_export import TaskExport


def qualtrics_file(source: SurveySource) -> bytes:
    """Return the survey as a file that Qualtrics imports."""
    lines = ["[[AdvancedFormat]]", *_lines(source.study, source.task)]
    return ("\n".join(lines) + "\n").encode()


def _lines(study: Study, task: TaskExport) -> Iterator[str]:
    language = study.language
    yield from _block(sentence(language, "consent_heading"))
    text = html_of((*paragraphs(study.introduction), *paragraphs(study.consent.text)))
    choices = [sentence(language, "agree"), sentence(language, "decline")]
    yield from _question("MC:SingleAnswer:Vertical", "consent", text, choices)
    yield from _questions(study, "d", "demographics")
    yield from _pages(task)
    yield from _questions(study, "c", "closing")


def _pages(task: TaskExport) -> Iterator[str]:
    checks = list(task.checks)
    block = ""
    for section in task.sections:
        if section.name != block:
            block = section.name
            yield from _block(block)
            yield from _question("DB", "", html_of(section.introduction))
        for page in section.pages:
            if page.number > 1:
                yield from ("", "[[PageBreak]]")
            yield from _question(
                "Matrix", page.code, html_of(page.blocks), page.statements, page.scale
            )
            if page.number == 2 and checks:
                check = checks.pop(0)
                text = html_text(check.text)
                yield from _question("MC:SingleAnswer:Horizontal", check.code, text, check.scale)


def _questions(study: Study, letter: str, title: str) -> Iterator[str]:
    asked = [(code, each) for code, _, each in question_codes(study) if code.startswith(letter)]
    if asked:
        yield from _block(sentence(study.language, f"{title}_title"))
    for code, question in asked:
        kind = question_type(question)
        text = html_text(question.text)
        yield from _question(kind.qualtrics, code, text, kind.choices(question))


def _block(title: str) -> Iterator[str]:
    plain = _one_line(title).replace("[[", "[ [").replace("]]", "] ]")
    yield from ("", f"[[Block:{plain}]]")


def _question(
    kind: str, code: str, text: str, choices: Iterable[str] = (), answers: Iterable[str] = ()
) -> Iterator[str]:
    yield from ("", f"[[Question:{kind}]]")
    if code:
        yield f"[[ID:{code}]]"
    yield _shown(text)
    for heading, texts in (("[[Choices]]", list(choices)), ("[[Answers]]", list(answers))):
        if texts:
            yield from ("", heading, *(_shown(html_text(each)) for each in texts))


def _shown(html: str) -> str:
    """Return HTML that stays on its line, is no command of the format and has nothing filled in."""
    line = _one_line(html).replace("${", "&#36;{")
    return line.replace("[[", "&#91;&#91;").replace("]]", "&#93;&#93;")


def _one_line(text: str) -> str:
    return " ".join(text.split())
