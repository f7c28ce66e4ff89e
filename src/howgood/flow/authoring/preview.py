"""See a draft as a participant would: every page real, nothing stored.

In: a draft, and the answers given so far, which travel with the page. Out: the next page. Absent:
participants, the database: the next screen is a pure function, so a walk needs no place of its own.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from howgood.flow.authoring.draft import Written, checked, written
from howgood.flow.authoring.shape import message
from howgood.flow.hosting import Host, View, form_fields
from howgood.flow.hosting.view import Form
from howgood.flow.participate import conditions, fill, next_screen, parse_answer
from howgood.flow.participate.path import finished_screen
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.screen import Answer, Screen
from howgood.store.studies import StudyHead

_SEED, _MOST_PAGES, _LONGEST_WALK = 1, 400, 200_000
_START, _PACE = datetime(2026, 1, 1, tzinfo=UTC), timedelta(seconds=5)
# Rounds of a rerating may be days apart; nobody who looks through a draft should wait.
_LATER = timedelta(days=10_000)
_SHOWS = {"texts": "consent", "questions": "questions"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A page of a draft; `walk` holds the answers before it, `page` counts from 1.

    `introduced` are pages that lead to it and are about the same part of the form. Without a view,
    `problems` say why there is none.
    """

    head: StudyHead
    problems: tuple[str, ...] = ()
    view: View | None = None
    introduced: tuple[View, ...] = ()
    walk: str = ""
    page: int = 1
    condition: str = ""
    conditions: tuple[str, ...] = ()


def preview(host: Host, slug: str, *, condition: str, page: int) -> Preview:
    """Return a page of the draft; the pages before it are answered by a bot."""
    given = written(host, slug)
    study = checked(given).study
    if study is None:
        return _nothing(given)
    chosen = _chosen(study, condition)
    answers: list[Answer] = []
    screen = _next(study, chosen, answers)
    while len(answers) < min(page, _MOST_PAGES) - 1 and not screen.is_last:
        values = parse_answer(screen, fill(screen, seed=_SEED)).values
        answers.append(_answer(screen.key, dict(values), len(answers)))
        screen = _next(study, chosen, answers)
    return _shown(given, study, chosen, answers, screen)


def step(host: Host, slug: str, *, condition: str, walk: str, form: Form) -> Preview:
    """Return the page after a form was sent from a preview, or the same with what is wrong."""
    given = written(host, slug)
    study = checked(given).study
    if study is None:
        return _nothing(given)
    chosen = _chosen(study, condition)
    answers = _walked(walk)
    screen = _next(study, chosen, answers)
    sent = form_fields(screen, form) or {}
    result = parse_answer(screen, sent)
    if not result.is_valid:
        again = _shown(given, study, chosen, answers, screen)
        view = replace(again.view, sent=sent, problems=result.problems) if again.view else None
        return replace(again, view=view)
    answers.append(_answer(screen.key, dict(result.values), len(answers)))
    return _shown(given, study, chosen, answers, _next(study, chosen, answers))


def glance(given: Written, part: str) -> Preview:
    """Return the page that a part of the form is about, while it is being typed.

    The task comes with the page that introduces it: both show what its form says.
    """
    study = checked(given).study
    if study is None:
        return _nothing(given)
    chosen = _chosen(study, "")
    if part == "ending":
        return _shown(given, study, chosen, [], finished_screen(study))
    answers: list[Answer] = []
    introduced: list[View] = []
    screen = _next(study, chosen, answers)
    while not _is_about(screen, study, part) and not screen.is_last:
        if screen.kind == "text" and part == "task":
            introduced.append(_view(study, screen))
        values = parse_answer(screen, fill(screen, seed=_SEED)).values
        answers.append(_answer(screen.key, dict(values), len(answers)))
        screen = _next(study, chosen, answers)
    seen = _shown(given, study, chosen, answers, screen)
    return replace(seen, introduced=tuple(introduced))


def _is_about(screen: Screen, study: Study, part: str) -> bool:
    """Return whether a screen is what a part of the form is about; practice is not the task."""
    if part == "task":
        return kind_of(study).is_task(screen)
    return screen.kind == _SHOWS[part]


def _nothing(given: Written) -> Preview:
    problems = tuple(message(each) for each in checked(given).problems)
    return Preview(head=given.head, problems=problems)


def _chosen(study: Study, condition: str) -> str:
    known = conditions(study)
    return condition if condition in known else known[0]


def _next(study: Study, condition: str, answers: Sequence[Answer]) -> Screen:
    now = _START + _LATER
    return next_screen(study, condition=condition, seed=_SEED, answers=answers, now=now)


def _answer(screen: str, values: dict[str, Any], number: int) -> Answer:
    return Answer(screen=screen, values=values, at=_START + number * _PACE, seconds=5.0)


def _walked(text: str) -> list[Answer]:
    """Return the answers that came back with a page; what we did not write counts as none."""
    try:
        steps = json.loads(text[:_LONGEST_WALK])
        return [
            _answer(str(key), dict(values), number)
            for number, (key, values) in enumerate(steps[:_MOST_PAGES])
        ]
    except (ValueError, TypeError):
        return []


def _shown(
    given: Written, study: Study, condition: str, answers: Sequence[Answer], screen: Screen
) -> Preview:
    return Preview(
        head=given.head,
        view=_view(study, screen),
        walk=json.dumps([[each.screen, each.values] for each in answers], ensure_ascii=False),
        page=len(answers) + 1,
        condition=condition,
        conditions=conditions(study),
    )


def _view(study: Study, screen: Screen) -> View:
    return View(study=study, version=0, screen=screen, signature="", is_pilot=study.pilot)
