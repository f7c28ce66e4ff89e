"""One page as data: what a participant reads and what they can answer.

In: nothing but text and numbers. Out: a frozen `Screen` that a template, a terminal or a bot can
show without knowing the study. Absent: HTML, addresses, tokens; a `Drawing` holds finished SVG.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Discriminator, field_serializer

from howgood.records.record import Record, read_record

Tone = Literal["neutral", "good", "warning"]
ScreenKind = Literal[
    "consent", "questions", "text", "task", "wait", "finished", "declined", "screened_out"
]
_LAST = ("finished", "declined", "screened_out")


class Words(Record):
    """Plain text of one weight; a time says which one it means, for readers in other zones."""

    text: str
    bold: bool = False
    moment: str = ""


class _Block(Record):
    """A part of a page; its `block` says which one, and is always written."""

    block: str

    # A field with a serializer of its own is written even where it has its default.
    @field_serializer("block")
    def _name(self, block: str) -> str:
        return block


class Heading(_Block):
    """A heading inside the page, below its title."""

    text: str
    block: Literal["heading"] = "heading"


class Paragraph(_Block):
    """Running text, with bold where it matters."""

    words: tuple[Words, ...]
    block: Literal["paragraph"] = "paragraph"


class Entry(Record):
    """One line of a list, with the lines that belong under it."""

    words: tuple[Words, ...]
    entries: tuple[tuple[Words, ...], ...] = ()


class Bullets(_Block):
    """A list, at most two levels deep: a scenario's frequencies."""

    entries: tuple[Entry, ...]
    block: Literal["bullets"] = "bullets"


class Notice(_Block):
    """A short message that stands out: feedback on practice, a passed or failed try."""

    words: tuple[Words, ...]
    tone: Tone = "neutral"
    block: Literal["notice"] = "notice"


class Media(_Block):
    """A picture, film, sound or mock-up that lies with the study; `file` is relative to it."""

    file: str
    alternative: str
    film: bool = False
    sound: bool = False
    mock_up: bool = False
    caption: str = ""
    block: Literal["media"] = "media"


class Storyboard(_Block):
    """A story in numbered steps; `label` names it, `step` counts: Step 1 of 3."""

    label: str
    steps: tuple[Media, ...]
    names: tuple[str, ...]
    block: Literal["storyboard"] = "storyboard"


class Drawing(_Block):
    """Finished SVG made by howgood, safe to put into a page as it is, and what it says in words."""

    svg: str
    alternative: str
    block: Literal["drawing"] = "drawing"


class Grid(_Block):
    """A small table; the first column names the rows."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    block: Literal["grid"] = "grid"


class Details(_Block):
    """Something to open when wanted: the description again, the costs of errors.

    Where `logged` names a field of the kind "views", that field keeps how often and for how long
    it was open.
    """

    summary: str
    paragraphs: tuple[Paragraph, ...] = ()
    grid: Grid | None = None
    drawings: tuple[Drawing, ...] = ()
    open: bool = False
    logged: str = ""
    block: Literal["details"] = "details"


class Button(Record):
    """Sends the page; `name` and `value` go with it when it is one of several."""

    label: str
    name: str = ""
    value: str = ""
    main: bool = True
    key: str = ""


class Card(Record):
    """One of two things to compare, with the button that prefers it.

    What it shows is a drawing, a text as it is (line breaks and all), a picture or film.
    """

    title: str
    drawing: Drawing | None = None
    text: str = ""
    media: Media | None = None
    lines: tuple[tuple[Words, ...], ...] = ()
    button: Button | None = None


class Cards(_Block):
    """Things to compare, side by side where there is room; `between` says how they differ."""

    cards: tuple[Card, ...]
    between: tuple[Words, ...] = ()
    block: Literal["cards"] = "cards"


class Pinned(_Block):
    """What the questions of a page are about: it stays in view while they are answered.

    `label` names it to those who do not see that it stands apart.
    """

    label: str
    blocks: tuple[
        Annotated[Paragraph | Bullets | Media | Drawing | Grid, Discriminator("block")], ...
    ]
    block: Literal["pinned"] = "pinned"


Block = Annotated[
    Heading
    | Paragraph
    | Bullets
    | Notice
    | Media
    | Storyboard
    | Drawing
    | Grid
    | Details
    | Cards
    | Pinned,
    Discriminator("block"),
]


class FieldOption(Record):
    """One value a field can take; `file` is a picture of it."""

    value: str
    label: str
    file: str = ""
    alternative: str = ""


class Field(Record):
    """Something to fill in; `kind` names one of `kinds.field_types`.

    `heading` stands above the first of several fields that belong together. Fields of one `group`
    are checked together: every place once, or numbers that add up to `total`.
    """

    name: str
    kind: str
    label: str
    options: tuple[FieldOption, ...] = ()
    required: bool = True
    help: str = ""
    minimum: float | None = None
    maximum: float | None = None
    whole: bool = False
    longest: int = 2000
    value: str = ""
    heading: str = ""
    unit: str = ""
    step: float = 1.0
    earliest: str = ""
    latest: str = ""
    group: str = ""
    total: float | None = None


class Place(Record):
    """How far along the participant is; `at_most` where the way may turn out shorter."""

    done: int
    total: int
    at_most: bool = False

    @property
    def share(self) -> float:
        """Part of the way, from 0 to 1."""
        return self.done / self.total if self.total else 1.0


class Screen(Record):
    """One page. `key` is unique on a participant's path and stays the same on every reload.

    `kind` "wait" has nothing to send: it ends by itself at `until`. "finished", "declined" and
    "screened_out" are the last page; `ending` names whose words and codes it has. Everything else
    is answered by sending its fields with one of its buttons (a card's button counts too).

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> page = Screen(key="hello", kind="text", title="Hello", language="en",
    ...               buttons=(Button(label="Continue"),))
    >>> page.is_last, Screen.from_dict(page.to_dict()) == page
    (False, True)
    """

    key: str
    kind: ScreenKind
    title: str
    language: str
    blocks: tuple[Block, ...] = ()
    fields: tuple[Field, ...] = ()
    buttons: tuple[Button, ...] = ()
    place: Place | None = None
    until: str = ""
    ending: str = ""

    @property
    def is_last(self) -> bool:
        """Whether nothing follows."""
        return self.kind in _LAST

    @property
    def awaits_answer(self) -> bool:
        """Whether the participant is to send something from here."""
        return self.kind not in ("wait", *_LAST)

    @property
    def all_buttons(self) -> tuple[Button, ...]:
        """Every button of the page, those on cards first."""
        on_cards = tuple(
            card.button
            for block in self.blocks
            if isinstance(block, Cards)
            for card in block.cards
            if card.button is not None
        )
        return on_cards + self.buttons

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the screen that `to_dict` described."""
        return read_record(cls, data, where="screen")


AnswerValue = str | int | float | list[str] | None


class Answer(NamedTuple):
    """What a participant sent from one screen, and when; times are UTC."""

    screen: str
    values: Mapping[str, AnswerValue]
    at: datetime
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """One person's way through a study, as rows and screens are made from it."""

    participant: str
    condition: str | None
    seed: int
    answers: tuple[Answer, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class FormResult:
    """A form that was read: values where it is right, a message per field where it is not."""

    values: Mapping[str, AnswerValue]
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_valid(self) -> bool:
        """Whether everything needed was given."""
        return not self.problems
