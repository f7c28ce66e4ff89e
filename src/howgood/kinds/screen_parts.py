"""Pieces that screens of every kind are made of: text with bold, fields, buttons.

In: a researcher's text, questions and labels. Out: blocks, fields and buttons. Absent: which screen
comes when (`path`, `survey`, `comparison`, `rerating`).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from howgood.ask.sentences import sentence
from howgood.kinds.plan import Picture
from howgood.kinds.study import Study
from howgood.records.screen import Button, Field, FieldOption, Media, Paragraph, Screen, Words

_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_FILMS = (".mp4", ".webm")
_SOUNDS = (".mp3", ".ogg", ".wav", ".m4a")
_MOCK_UPS = (".html",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A screen on the path that is made only when it is shown.

    `advance` is how far it moves the progress: nothing for a wait, a second try or a pair that was
    undone; more than one where pages that might have come after it were left out. So the whole way
    keeps its length, and nobody is ever moved backwards. One that `may_fall_away` depends on
    answers that are not known yet.
    """

    key: str
    make: Callable[[], Screen]
    advance: int = 1
    may_fall_away: bool = False


def unreached(key: str, *, advance: int = 1) -> Step:
    """Return a place on the path that counts for progress and is never shown from here."""

    def make() -> Screen:
        raise LookupError(f"screen {key!r} is not the next one")

    return Step(key=key, make=make, advance=advance)


def spread_over(steps: Sequence[Step], length: int) -> list[Step]:
    """Return steps that take as much of the way as `length` of them would, evenly.

    Examples
    --------
    >>> [step.advance for step in spread_over([unreached("a"), unreached("b")], 5)]
    [2, 3]
    """
    ends = [round(place * length / len(steps)) for place in range(1, len(steps) + 1)]
    return [
        replace(step, advance=end - start)
        for step, start, end in zip(steps, [0, *ends], ends, strict=False)
    ]


def words(text: str) -> tuple[Words, ...]:
    """Return text as plain and bold pieces: **two stars** make bold.

    Examples
    --------
    >>> [(word.text, word.bold) for word in words("saw **8** of 10")]
    [('saw ', False), ('8', True), (' of 10', False)]
    """
    # `re.split` with one group alternates: outside, inside, outside, ...
    pieces = enumerate(_BOLD.split(" ".join(text.split())))
    return tuple(Words(text=piece, bold=index % 2 == 1) for index, piece in pieces if piece)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return a paragraph for each run of text between empty lines."""
    parts = re.split(r"\n\s*\n", text.strip())
    return tuple(Paragraph(words=words(part)) for part in parts if part.strip())


def media(picture: Picture | None, caption: str = "") -> tuple[Media, ...]:
    """Return a picture, film, sound or mock-up as a block, if there is one."""
    if picture is None:
        return ()
    name = picture.file.lower()
    return (
        Media(
            file=picture.file,
            alternative=picture.alternative,
            film=name.endswith(_FILMS),
            sound=name.endswith(_SOUNDS),
            mock_up=name.endswith(_MOCK_UPS),
            caption=caption,
        ),
    )


@cache
def continue_button(language: str) -> tuple[Button, ...]:
    """Return the one button of a page that is simply sent."""
    return (Button(label=sentence(language, "continue")),)


def introduction(study: Study, text: str) -> Step:
    """Return the page that says what a task is about."""

    def make() -> Screen:
        return Screen(
            key="task",
            kind="text",
            title=sentence(study.language, "task_title"),
            language=study.language,
            blocks=paragraphs(text),
            buttons=continue_button(study.language),
        )

    return Step(key="task", make=make)


def likert(name: str, label: str, scale: Sequence[str]) -> Field:
    """Return a row of points from lowest to highest, with values 1, 2, ..."""
    options = tuple(
        FieldOption(value=str(number), label=one_label)
        for number, one_label in enumerate(scale, start=1)
    )
    return Field(name=name, kind="likert", label=label, options=options)
