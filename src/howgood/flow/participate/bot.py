"""A bot that takes part: previews, tests and load come from it.

In: a study and a seed. Out: the forms a browser would send, the screens seen, the answers given.
Absent: preferences; it fills in whatever its seed says (see `ask.simulate_answers` for people).
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from howgood.flow.participate.forms import parse_answer
from howgood.flow.participate.path import choose_condition, next_screen
from howgood.kinds.field_types import FIELD_TYPES, field_groups
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Study
from howgood.kinds.translation import offered
from howgood.records.screen import Answer, Participation, Screen

Filler = Callable[[Screen], Mapping[str, str | list[str]]]
_PACE = timedelta(seconds=5)


def fill(screen: Screen, *, seed: int) -> dict[str, str | list[str]]:
    """Return a form that a person could send from this screen; main buttons only."""
    form: dict[str, str | list[str]] = {
        field.name: FIELD_TYPES[field.kind].fill(field, seed, screen.key) for field in screen.fields
    }
    for group in field_groups(screen.fields):
        sent = FIELD_TYPES[group[0].kind].fill_group(group, seed, screen.key)
        form |= {field.name: text for field, text in zip(group, sent, strict=True)}
    named = [button for button in screen.all_buttons if button.name]
    main = [button for button in named if button.main] or named
    if main:
        pressed = shuffled(main, seed, screen.key, "button")[0]
        form[pressed.name] = pressed.value
    return form


def take_part(
    study: Study,
    *,
    seed: int,
    now: datetime,
    condition: str | None = None,
    filler: Filler | None = None,
    language: str = "",
    most: int = 5000,
) -> tuple[tuple[Screen, ...], Participation]:
    """Walk a study from the first page to the last, and return the screens and the answers.

    A wait is sat out; a page takes five seconds. `filler` chooses the answers, else `fill` does.
    """
    filler = filler or (lambda screen: fill(screen, seed=seed))
    # People choose their language; so does a bot.
    language = language or shuffled(offered(study), seed, "language")[0]
    condition = condition or choose_condition(study, {}, seed)
    answers: list[Answer] = []
    screens: list[Screen] = []
    while len(screens) < most:
        screen = next_screen(
            study, condition=condition, seed=seed, answers=answers, now=now, language=language
        )
        screens.append(screen)
        if screen.is_last:
            break
        if screen.kind == "wait":
            now = datetime.fromisoformat(screen.until)
            continue
        result = parse_answer(screen, filler(screen))
        if not result.is_valid:
            raise ValueError(f"screen {screen.key!r} refused: {dict(result.problems)}")
        now += _PACE
        answers.append(Answer(screen=screen.key, values=result.values, at=now, seconds=5.0))
    participation = Participation(
        participant=f"bot-{seed}", condition=condition, seed=seed, answers=tuple(answers)
    )
    return tuple(screens), participation
