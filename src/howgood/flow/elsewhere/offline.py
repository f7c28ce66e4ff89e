"""A survey as one HTML file that runs without a server and sends nothing anywhere.

In: a survey and its pictures. Out: the file. Absent: reading the answers back
(`flow.importing`), and comparisons, which need the computation behind each next pair.

The page walks the same path as the server: `offline.js` draws every order from the same hash of
the person's seed as `participate.chance`, and the import walks it again and compares.
"""

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import Any

from howgood.ask.sentences import sentence, sentences
from howgood.errors import InputError
from howgood.flow.elsewhere.source import SurveySource, picture_files
from howgood.flow.participate import conditions, next_screen
from howgood.flow.participate.path import CONSENT, path_steps
from howgood.kinds.screen_parts import Step, paragraphs
from howgood.kinds.survey.scenarios import scenarios_of
from howgood.kinds.survey.screens import (
    NONE,
    SYSTEMS,
    Page,
    check_field,
    introduction_step,
    scenario_key,
    scenario_step,
)
from howgood.records.plans import SurveyPlan
from howgood.records.screen import Answer, Screen
from howgood.records.study import Study

FORMAT = "howgood offline answers"
_LARGEST = 30_000_000
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = ("skip_link", "problems_title", "film_shows", "choose", "progress",
          "progress_at_most", "problem_required",
          "problem_fill", "problem_number", "problem_whole", "problem_range", "problem_least",
          "problem_most", "problem_long", "pilot_banner", "scenario_title", "offline_save",
          "offline_text", "offline_copy", "offline_copied", "offline_next",
          "offline_unsaved", "offline_discard", "offline_no_script")  # fmt: skip


def offline_page(source: SurveySource) -> bytes:
    """Return the survey as one self-contained HTML file."""
    pictures = {name: _data_address(source, name) for name in picture_files(source.plan)}
    if sum(map(len, pictures.values())) > _LARGEST:
        raise InputError(
            where=f"study {source.study.slug!r}",
            found="pictures and films of more than 20 MB",
            needed="a page that people can open",
            cure="Use smaller files, or run the study with howgood serve.",
        )
    data = {**outline(source.study, source.plan), "pictures": pictures}
    # Inside a script element only "<" could end it early.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    style = (files("howgood.web") / "static" / "howgood.css").read_text(encoding="utf-8")
    script = (files("howgood.flow.elsewhere") / "offline.js").read_text(encoding="utf-8")
    template = (files("howgood.flow.elsewhere") / "offline.html").read_text(encoding="utf-8")
    blanks = {
        "language": source.study.language,
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


def outline(study: Study, plan: SurveyPlan) -> dict[str, Any]:
    """Return what the page needs to know: every screen, and how the path is drawn."""
    return {
        "format": FORMAT,
        "study": study.slug,
        "version": study.version,
        "title": study.title,
        "pilot": study.pilot,
        "words": {key: _raw(study.language, key) for key in _WORDS},
        "conditions": list(conditions(study)),
        "branches": {each.key: list(each.applications) for each in plan.branches},
        "applications": [{"key": each.key, "name": each.name} for each in plan.applications],
        "scenarios": len(scenarios_of(plan)),
        "perApplication": plan.per_application,
        "applicationsEach": plan.applications_each,
        "microTask": plan.micro_task,
        "checks": [check_field(study, plan, each).to_dict() for each in plan.attention],
        "systems": [each.key for each in plan.real.systems] if plan.real else None,
        "noSystem": NONE,
        "screens": {key: screen.to_dict() for key, screen in _screens(study, plan).items()},
    }


def _screens(study: Study, plan: SurveyPlan) -> dict[str, Screen]:
    """Return every screen the survey can show; `key|system` where a system is to be imagined."""
    found = {screen.key: screen for screen in _frame(study, plan)}
    systems: dict[str, str | None] = {"": None}
    if plan.real is not None:
        systems |= {f"|{each.key}": each.name for each in plan.real.systems}
    for ending, system in systems.items():
        for step in _task_steps(study, plan, system):
            found[step.key + ending] = step.make()
    return found


def _task_steps(study: Study, plan: SurveyPlan, system: str | None) -> list[Step]:
    steps = []
    for application in plan.applications:
        steps.append(introduction_step(study, application, system))
        steps += [
            scenario_step(
                study,
                Page(
                    key=scenario_key(application, number),
                    application=application,
                    scenario=scenario,
                    number=1,
                    total=1,
                ),
                system,
            )
            for number, scenario in enumerate(scenarios_of(plan), start=1)
        ]
    return steps


def _frame(study: Study, plan: SurveyPlan) -> list[Screen]:
    """Return the screens around the task, made as the server makes them."""
    consent = next_screen(study, condition=None, seed=0, answers=(), now=_ANY_TIME)
    refused = Answer(screen=CONSENT, values={"consent": "no"}, at=_ANY_TIME)
    declined = next_screen(study, condition=None, seed=0, answers=(refused,), now=_ANY_TIME)
    every = [each.key for each in plan.real.systems] if plan.real else []
    answered = {SYSTEMS: Answer(screen=SYSTEMS, values={SYSTEMS: every}, at=_ANY_TIME)}
    steps = path_steps(
        study, condition=conditions(study)[0], seed=0, answered=answered, now=_ANY_TIME
    )
    return [consent, declined, *(step.make() for step in steps), _thanks(study)]


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


def _raw(language: str, key: str) -> str:
    """Return a sentence with its blanks, which the page fills in."""
    return str(sentences(language)[key])


def _data_address(source: SurveySource, name: str) -> str:
    picture = source.picture(name)
    content = base64.b64encode(picture.content).decode()
    return f"data:{picture.media_type};base64,{content}"


def _fingerprint(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
