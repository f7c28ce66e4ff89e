"""Rate the same things again and again: rounds, new orders, waits between rounds.

In: study, seed, answers, time. Out: the steps of the task. Absent: earlier ratings; nothing of them
is on any screen, and there is no way back.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from howgood.ask.sentences import sentence
from howgood.kinds.plan import Picture
from howgood.kinds.rerating.plan import RatedItem, ReratingPlan
from howgood.kinds.screen_parts import (
    Step,
    continue_button,
    likert,
    media,
    paragraphs,
    unreached,
    words,
)
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Study, plan_of
from howgood.kinds.task_export import OfflineTask
from howgood.records.screen import Answer, Media, Paragraph, Pinned, Screen, Words

RATING = "rating"


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> list[Step]:
    """Return the steps of every round; a round that may not begin yet is a wait."""
    plan = plan_of(study, ReratingPlan)
    reached = max((n for n in range(1, plan.rounds + 1) if _round_key(n) in answered), default=1)
    # Rounds behind are answered and rounds ahead are out of sight: no more than places on the way,
    # so that the thousandth rating takes no longer than the first.
    pages = 1 + len(plan.items)
    task_steps = [unreached(_round_key(1))] * (pages * (reached - 1))
    task_steps.append(_opening(study, plan, reached))
    order = _order(study, seed, reached)
    task_steps += [
        _rating(study, plan, item, reached, place) for place, item in enumerate(order, start=1)
    ]
    if reached == plan.rounds:
        return task_steps
    opens = _next_round_opens(plan, reached, answered)
    if opens is not None and now < opens:
        task_steps.append(_wait(study, plan, reached + 1, opens))
    task_steps.append(_opening(study, plan, reached + 1))
    return task_steps + [unreached("ahead")] * (pages * (plan.rounds - reached) - 1)


def _next_round_opens(
    plan: ReratingPlan, number: int, answered: Mapping[str, Answer]
) -> datetime | None:
    """Return when the pause after a round is over; None if there is none."""
    keys = (item_key(number, item) for item in plan.items)
    ends = [answered[key].at for key in keys if key in answered] if plan.delay_minutes else []
    return max(ends) + timedelta(minutes=plan.delay_minutes) if ends else None


def pause_minutes(study: Study) -> float:
    """Return the shortest time between two rounds."""
    return plan_of(study, ReratingPlan).delay_minutes


def pictures(study: Study) -> tuple[Picture, ...]:
    """Return the pictures and films of the items."""
    items = plan_of(study, ReratingPlan).items
    return tuple(item.picture for item in items if item.picture is not None)


def offline_task(study: Study) -> OfflineTask:
    """Return the opening of every round and the page of every item; the page draws the orders."""
    plan = plan_of(study, ReratingPlan)
    openings = [_opening(study, plan, number) for number in range(1, plan.rounds + 1)]
    return OfflineTask(
        outline={
            "walk": "rounds",
            "rounds": plan.rounds,
            "items": [item.key for item in plan.items],
            "delayMinutes": plan.delay_minutes,
        },
        steps={step.key: step for step in openings}
        | {f"item|{item.key}": _rating(study, plan, item, 1, 1) for item in plan.items},
    )


def items_in_round(plan: ReratingPlan, seed: int, number: int) -> tuple[RatedItem, ...]:
    """Return the items in the order of one round."""
    return shuffled(plan.items, seed, "round", number)


@lru_cache(maxsize=1024)
def _order(study: Study, seed: int, number: int) -> tuple[RatedItem, ...]:
    """Remember the order for those who are here: they ask again with every answer."""
    return items_in_round(plan_of(study, ReratingPlan), seed, number)


def _round_key(number: int) -> str:
    return f"round-{number}"


def item_key(number: int, item: RatedItem) -> str:
    """Return the key of the screen that asks for an item in a round."""
    return f"round-{number}-{item.key}"


def _opening(study: Study, plan: ReratingPlan, number: int) -> Step:
    language = study.language

    def make() -> Screen:
        first = paragraphs(plan.instructions) if number == 1 else ()
        text = sentence(language, "round_text", count=len(plan.items))
        return Screen(
            key=_round_key(number),
            kind="text",
            title=sentence(language, "round_title", number=number, total=plan.rounds),
            language=language,
            blocks=(*first, *paragraphs(text)),
            buttons=continue_button(language),
        )

    return Step(key=_round_key(number), make=make)


def _rating(study: Study, plan: ReratingPlan, item: RatedItem, number: int, place: int) -> Step:
    key, language = item_key(number, item), study.language

    def make() -> Screen:
        return Screen(
            key=key,
            kind="task",
            title=sentence(
                language,
                "item_title",
                round=number,
                rounds=plan.rounds,
                number=place,
                total=len(plan.items),
            ),
            language=language,
            blocks=_shown(item, language),
            fields=(likert(RATING, plan.question, plan.scale),),
            buttons=continue_button(language),
        )

    return Step(key=key, make=make)


def _shown(item: RatedItem, language: str) -> tuple[Pinned, ...]:
    blocks: tuple[Media | Paragraph, ...] = (*media(item.picture), *paragraphs(item.text))
    return (Pinned(label=sentence(language, "pinned"), blocks=blocks),) if blocks else ()


def _wait(study: Study, plan: ReratingPlan, number: int, opens: datetime) -> Step:
    language = study.language
    # Shown to the minute, so never earlier than it is true.
    shown = (opens + timedelta(seconds=59, microseconds=999_999)).astimezone(UTC)
    when = sentence(
        language,
        "wait_when",
        year=shown.year,
        month=shown.month,
        day=shown.day,
        hour=shown.hour,
        minute=shown.minute,
    )

    def make() -> Screen:
        text = sentence(language, "wait_text", number=number, total=plan.rounds, when=when)
        pieces = [
            Words(text=word.text, bold=word.bold, moment=shown.isoformat(timespec="minutes"))
            if word.text == when
            else word
            for word in words(text)
        ]
        return Screen(
            key=f"wait-{number}",
            kind="wait",
            title=sentence(language, "wait_title"),
            language=language,
            blocks=(Paragraph(words=tuple(pieces)),),
            until=opens.astimezone(UTC).isoformat(),
        )

    return Step(key=f"wait-{number}", make=make, advance=0)
