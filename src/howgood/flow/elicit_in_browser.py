"""An interview on one's own machine, in the browser instead of the terminal.

In: an interview about a file of scores, and the words of its questions. Out: a comparison study
for one person, and the interview as they have answered it so far. Absent: sockets (see `web`),
and how pairs are chosen (see `participate`).
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from howgood.errors import InputError
from howgood.flow import hosting
from howgood.flow.elicit import Interview
from howgood.flow.hosting.tokens import digest
from howgood.kinds import pair_choices
from howgood.kinds.comparison import screens as comparison
from howgood.kinds.comparison.interview import replayed
from howgood.kinds.criteria import screens as criteria
from howgood.kinds.study import Study
from howgood.learn.elicitation.elicitor import Elicitor
from howgood.learn.elicitation.weights_search import WeightsSearch
from howgood.records.comparison import ComparisonWording, CostText
from howgood.records.confusion import ConfusionMatrix, Range, ThresholdMatrices
from howgood.records.elicitation import AnsweredQuery
from howgood.records.elicited_metric import Choice
from howgood.records.participant import Status
from howgood.records.screen import Answer
from howgood.store import answers, participants

# What is around the task of a private study.
_AROUND: Mapping[str, Any] = {
    "slug": "elicit",
    "consent": {"text": "I am ready. My choices stay on this computer."},
    "completion": {"text": "Thank you. The result is in the terminal; close this page."},
    "idle_minutes": 60 * 24.0,
}
_ERRORS = ("miss", "alarm")  # in the order in which a wording gives their costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """The one place in a private study: whose link it is, and what is asked there."""

    host: hosting.Host
    study: Study
    token: str


def take_seat(study: Study, *, database: Path, seed: int | None = None) -> Seat:
    """Prepare a private study and the one link that leads into it."""
    now = datetime.now(UTC)
    host = hosting.open_host(str(database))
    hosting.add_study(host, study, folder=database.parent, now=now)
    link = hosting.make_links(host, study.slug, people=1, seed=seed, now=now)[0]
    return Seat(host=host, study=study, token=link.token)


def interview_seat(interview: Interview, words: ComparisonWording, database: Path) -> Seat:
    """Return the seat of an interview, at the page where it was interrupted."""
    asked = interview.elicitor
    seat = take_seat(private_study(interview, words), database=database, seed=asked.seed)
    _fill_in(seat, asked.answers, direct=asked.settings["direct_ratio"])
    _check_same(asked.answers, interview_so_far(seat, interview).elicitor.answers)
    return seat


def criteria_seat(asked: WeightsSearch, database: Path) -> Seat:
    """Return the seat of an interview about alternatives, at the page where it was interrupted."""
    seat = take_seat(private_criteria_study(asked), database=database, seed=asked.seed)
    _fill_in(seat, asked.answers)
    fresh = asked.anew(random_state=asked.seed, **asked.settings)
    for answer in criteria_so_far(seat, asked).answers if asked.answers else ():
        fresh.answer(answer.choice)
    _check_same(asked.answers, fresh.answers)
    return seat


def _check_same(earlier: Sequence[AnsweredQuery], filled: Sequence[AnsweredQuery]) -> None:
    """Refuse answers that would be taken for those to other questions."""
    if [_as_asked(answer) for answer in earlier] != [_as_asked(answer) for answer in filled]:
        raise InputError(
            where="resume",
            found=f"an interview of {len(earlier)} answers, begun with settings that pages lack",
            needed="one that was begun in the browser, or with its settings",
            cure='Go on with ui="terminal" or ui="notebook", or name another file.',
        )


def _as_asked(answer: AnsweredQuery) -> tuple[object, ...]:
    query = answer.query
    return (query.first, query.second, query.kind, answer.choice)


def _fill_in(seat: Seat, earlier: Sequence[AnsweredQuery], *, direct: float | None = None) -> None:
    """Answer the pages up to where an earlier sitting ended, with what was said then."""
    if not earlier:
        return
    # A notebook has an event loop of its own in this thread.
    with ThreadPoolExecutor(1) as thread:
        choices = [answer.choice for answer in earlier]
        thread.submit(asyncio.run, _filled(seat, choices, direct)).result()


async def _filled(seat: Seat, choices: list[Choice], direct: float | None) -> None:
    waiting = list(choices)
    while waiting:
        now = datetime.now(UTC)
        view = await hosting.look(seat.host, seat.token, now=now)
        screen, given = view.screen, dict[str, str | list[str]]()
        if screen.is_last:
            return
        if screen.kind == "consent":
            given["consent"] = "yes"
        elif comparison.shows_pair(screen):
            given[pair_choices.CHOICE] = waiting.pop(0)
        elif screen.key == comparison.BEFORE and direct is not None:
            given[comparison.RATIO] = f"{direct:g}"
        form = {"screen": screen.key, "signature": view.signature, "visit": view.visit}
        filled = form | hosting.filled_form(screen, given)
        await hosting.send(seat.host, seat.token, form=filled, now=now)


def is_finished(seat: Seat) -> bool:
    """Has the last question been answered?"""
    with seat.host.database.reading() as connection:
        position = participants.position(connection, digest(seat.token))
    return position is not None and position.participant.status is Status.COMPLETE


def given_so_far(seat: Seat) -> tuple[int, dict[str, Answer]] | None:
    """Return the participant's seed and every answer that is stored; None before the first."""
    with seat.host.database.reading() as connection:
        position = participants.position(connection, digest(seat.token))
        if position is None or position.participant.status is Status.INVITED:
            return None
        stored = answers.answers_of(connection, position.participant.number)
    return position.participant.seed, {
        answer.screen: Answer(
            screen=answer.screen,
            values=answer.content,
            at=answer.answered_at,
            seconds=(answer.answered_at - answer.shown_at).total_seconds(),
        )
        for answer in stored
    }


def interview_so_far(seat: Seat, interview: Interview) -> Interview:
    """Return the interview with every choice that is stored."""
    stored = given_so_far(seat)
    if stored is None:
        return interview
    seed, given = stored
    ratio = comparison.direct_ratio(given, comparison.BEFORE)
    asked = replayed(seat.study, seed=seed, ratio=ratio, choices=()).search
    if not isinstance(asked, Elicitor):
        raise TypeError("a private study is always asked by the mixture")
    # The same questions about the same systems, but with the counts a study does not hold.
    elicitor = Elicitor(interview.elicitor.matrices, random_state=asked.seed, **asked.settings)
    standing = pair_choices.standing_answers(given)
    earlier = [answer.milliseconds for answer in interview.elicitor.answers]
    for place, (choice, answer) in enumerate(
        zip(pair_choices.choices_so_far(given), standing, strict=True)
    ):
        # What an earlier sitting has answered was filled in at once: its own times count.
        spent = earlier[place] if place < len(earlier) else _milliseconds(answer)
        elicitor.answer(choice, milliseconds=spent)
    return replace(
        interview,
        elicitor=elicitor,
        direct_after=comparison.direct_ratio(given, comparison.AFTER),
    )


def criteria_so_far(seat: Seat, asked: WeightsSearch) -> WeightsSearch:
    """Return the interview about alternatives with every choice that is stored."""
    stored = given_so_far(seat)
    if stored is None:
        return asked
    seed, given = stored
    elicitor = criteria.begun(seat.study, seed).elicitor
    standing = pair_choices.standing_answers(given)
    for choice, answer in zip(pair_choices.choices_so_far(given), standing, strict=True):
        elicitor.answer(choice, milliseconds=_milliseconds(answer))
    return elicitor


def private_criteria_study(asked: WeightsSearch) -> Study:
    """Return an interview's alternatives and settings as a study for one person."""
    table = asked.table
    measures = [
        {
            "key": f"c{place}",
            "text": criterion.title,
            **{name: getattr(criterion, name) for name in ("direction", "unit", "scale")},
        }
        for place, criterion in enumerate(table.criteria, start=1)
    ]
    return Study.from_dict(
        {
            "kind": "criteria",
            **_AROUND,
            "title": "Which one would you choose?",
            "criteria": {
                "task": asked.task,
                "question": "Which one would you choose?",
                "queries": max(6, asked.settings["max_queries"]),
                "checks": asked.settings["catch_pairs"],
                "evaluation": min(30, asked.settings["held_out"]),
                "imagined": bool(asked.settings["imagined"]),
                "until": asked.until,
                "common_unit": table.common_unit,
                "measures": measures,
                "alternatives": [
                    {"key": name, "scores": scores, "sds": sds}
                    for name, scores, sds in zip(
                        table.names, table.scores.tolist(), table.sds.tolist(), strict=True
                    )
                ],
            },
        }
    )


def _milliseconds(answer: Answer) -> int | None:
    """Return how long the page was open, as far as it is known."""
    return None if answer.seconds is None else round(1000 * answer.seconds)


def private_study(interview: Interview, words: ComparisonWording) -> Study:
    """Return the interview's systems and settings as a study for one person."""
    asked, own = interview.elicitor.settings, words.to_dict()
    plan = {
        "task": own.pop("task"),
        "question": own.pop("question"),
        "matrices": _matrices(interview.elicitor.matrices),
        "queries": max(6, asked["max_queries"]),
        "families": asked["families"],
        "checks": asked["catch_pairs"],
        "repeats": asked["repeats"],
        "evaluation": asked["held_out"],
        "practice": False,
        "interview": False,
    }
    own.pop("costs")
    if len(words.costs) == len(_ERRORS):
        plan["costs"] = dict(zip(_ERRORS, map(_cost, words.costs), strict=True))
    return Study.from_dict(
        {
            "kind": "comparison",
            **_AROUND,
            "title": "Which errors are worse?",
            "comparison": plan | {"words": own},
        }
    )


def _cost(text: CostText) -> dict[str, str]:
    return {
        "health": text.health,
        "money": text.money,
        "time": text.time,
        "feelings": text.feelings,
    }


def _matrices(
    known: Sequence[ConfusionMatrix],
) -> list[dict[str, float]]:
    ranges: tuple[Range | None, ...] = (
        known.ranges if isinstance(known, ThresholdMatrices) else (None,) * len(known)
    )
    return [
        {name: int(count) for name, count in matrix.to_dict().items()} | _between(thresholds)
        for matrix, thresholds in zip(known, ranges, strict=True)
    ]


def _between(thresholds: Range | None) -> dict[str, float]:
    if thresholds is None:
        return {}
    upper = {} if math.isinf(thresholds.upper) else {"upper": thresholds.upper}
    return {"lower": max(0.0, thresholds.lower)} | upper
