"""A study as one HTML file that runs without a server and sends nothing anywhere.

In: a study and its pictures. Out: the file. Absent: reading the answers back (`flow.importing`).

The page walks the same path as the server: `offline_path.js` draws every order from the same hash
of the person's seed as `kinds.seeded`, and the import walks it again and compares. What would need
computation lies in the page beforehand (`kinds.offline_pairs`).
"""

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import Any

from howgood.ask.sentences import direction, sentence, sentences
from howgood.errors import InputError
from howgood.flow.participate import conditions, next_screen
from howgood.flow.participate.path import CONSENT, question_screen, screened_out
from howgood.flow.survey_export.source import StudySource, picture_files
from howgood.kinds import kind_of
from howgood.kinds.question_pages import CLOSING, DEMOGRAPHICS, QuestionPage, piped_in
from howgood.kinds.questions import Question, question_fields, what_shuffles
from howgood.kinds.rules import ScreenOut
from howgood.kinds.screen_parts import paragraphs
from howgood.kinds.study import Study
from howgood.records.screen import Answer, Screen
from howgood.show.design import asset

FORMAT = "howgood offline answers"
_LARGEST = 30_000_000
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = ("skip_link", "problems_title", "film_shows", "sound_says", "choose", "progress",
          "progress_at_most", "problem_required",
          "problem_fill", "problem_number", "problem_whole", "problem_range", "problem_least",
          "problem_most", "problem_long", "problem_slider", "problem_sum", "problem_places",
          "problem_earliest", "problem_latest", "pilot_banner", "scenario_title", "item_title",
          "wait_title", "wait_text", "look_again", "offline_save",
          "offline_text", "offline_copy", "offline_copied", "offline_next",
          "offline_unsaved", "offline_discard", "offline_no_script", "offline_kept",
          "offline_save_all", "offline_remove", "offline_remove_ask", "offline_remove_sure",
          "offline_resume", "offline_code")  # fmt: skip
_SCRIPTS = ("offline_path.js", "offline.js")


def offline_page(source: StudySource) -> bytes:
    """Return the study as one self-contained HTML file."""
    pictures = {name: _data_address(source, name) for name in picture_files(source.study)}
    if sum(map(len, pictures.values())) > _LARGEST:
        raise InputError(
            where=f"study {source.study.slug!r}",
            found="pictures and films of more than 20 MB",
            needed="a page that people can open",
            cure="Use smaller files, or run the study with howgood serve.",
        )
    data = {**outline(source.study), "pictures": pictures}
    data["version"] = source.version or source.study.version
    # Inside a script element only "<" could end it early.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    sheet = (files("howgood.web") / "static" / "howgood.css").read_text(encoding="utf-8")
    style = asset("tokens.css") + sheet
    script = "".join(map(_packaged, _SCRIPTS))
    template = _packaged("offline.html")
    blanks = {
        "language": source.study.language,
        "direction": direction(source.study.language),
        "title": escape(source.study.title),
        "no_script": escape(sentence(source.study.language, "offline_no_script")),
        "skip": escape(sentence(source.study.language, "skip_link")),
        "style_hash": _fingerprint(style),
        "script_hash": _fingerprint(script),
        "style": style,
        "survey": text,
        "script": script,
    }
    # In one pass: what a researcher wrote is never looked at for blanks.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: blanks[match[1]], template).encode()


def outline(study: Study) -> dict[str, Any]:
    """Return what the page needs to know: every screen, and how the path is drawn."""
    offline_task = kind_of(study).offline_task
    if offline_task is None:
        raise InputError(
            where=f"study {study.slug!r}",
            found=f"a {study.kind}",
            needed="a kind of study that the offline page can walk through",
            cure="Run it with howgood serve.",
        )
    task = offline_task(study)
    screens = {screen.key: screen for screen in _frame(study)}
    screens |= {key: step.make() for key, step in task.steps.items()}
    return {
        "format": FORMAT,
        "study": study.slug,
        "version": study.version,
        "language": study.language,
        "title": study.title,
        "pilot": study.pilot,
        "words": {key: _raw(study.language, key) for key in _WORDS},
        "conditions": list(conditions(study)),
        **task.outline,
        "blocks": [block.to_dict() for block in study.blocks],
        "screenOuts": [_screen_out(rule) for rule in study.screen_outs],
        "sections": {section: _section(study, section) for section in (DEMOGRAPHICS, CLOSING)},
        "screens": {key: _plain(screen) for key, screen in screens.items()},
    }


def _frame(study: Study) -> list[Screen]:
    """Return the screens around the task, made as the server makes them."""
    consent = next_screen(study, condition=None, seed=0, answers=(), now=_ANY_TIME)
    refused = Answer(screen=CONSENT, values={"consent": "no"}, at=_ANY_TIME)
    declined = next_screen(study, condition=None, seed=0, answers=(refused,), now=_ANY_TIME)
    reasons = [screened_out(study, rule) for rule in study.screen_outs]
    return [consent, declined, *reasons, _thanks(study)]


def _screen_out(rule: ScreenOut) -> dict[str, Any]:
    when = [condition.to_dict() for condition in rule.when]
    return {"screen": f"screened-out-{rule.key}", "when": when}


def _section(study: Study, section: str) -> dict[str, Any]:
    """Return the questions of a section, and the page they stand on."""
    questions: tuple[Question, ...] = getattr(study, section)
    page = QuestionPage(key=section, questions=())
    screen = question_screen(study, section, 0, page, {})
    return {
        "screen": {"fields": [], **screen.to_dict()},
        "questions": [
            {
                "fields": [
                    field.to_dict() for field in question_fields([question], study.language)
                ],
                "rules": [rule.to_dict() for rule in question.show_if],
                "needs": sorted({rule.question for rule in question.show_if} | piped_in(question)),
                "block": question.block,
                "newPage": question.new_page,
                "shuffle": what_shuffles(question),
                "required": question.required,
            }
            for question in questions
        ],
    }


def _thanks(study: Study) -> Screen:
    language, code = study.language, study.completion.code
    code_line = sentence(language, "completion_code", code=code) if code else ""
    return Screen(
        key="finished",
        kind="finished",
        title=sentence(language, "finished_title"),
        language=language,
        blocks=(
            *paragraphs(sentence(language, "offline_finished")),
            *paragraphs(study.completion.text),
            *paragraphs(code_line),
        ),
    )


def _packaged(name: str) -> str:
    return (files("howgood.flow.survey_export") / name).read_text(encoding="utf-8")


def _plain(screen: Screen) -> dict[str, Any]:
    """Return a screen without what it keeps for the record: it could say whose output is which.

    What was opened is not logged there either.
    """
    fields = tuple(field for field in screen.fields if field.kind not in ("hidden", "views"))
    return screen.changed(fields=fields).to_dict()


def _raw(language: str, key: str) -> str:
    """Return a sentence with its blanks, which the page fills in."""
    return str(sentences(language)[key])


def _data_address(source: StudySource, name: str) -> str:
    picture = source.picture(name)
    content = base64.b64encode(picture.content).decode()
    return f"data:{picture.media_type};base64,{content}"


def _fingerprint(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
