"""What templates see: one frozen page each, ready to print.

In: views and reasons from `flow.hosting`. Out: `ScreenPage` or `MessagePage`. Absent: HTML, and any
decision about what comes next.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from howgood.ask.sentences import sentence
from howgood.flow.hosting import AnswerReview, Form, Reason, View, tokens, way_back
from howgood.flow.participate.path import ending_of
from howgood.kinds.field_types import FIELD_TYPES
from howgood.records.screen import Block, Button, Field, FieldOption, Paragraph, Place

_MOST_IN_A_ROW = 7  # points of a scale next to each other on a phone


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """A field with what was chosen and what is wrong with it."""

    name: str
    kind: str
    widget: str
    label: str
    help: str
    options: tuple[FieldOption, ...]
    chosen: tuple[str, ...]
    problem: str
    longest: int
    whole: bool
    asked: Field

    @property
    def text(self) -> str:
        """What was typed."""
        return self.chosen[0] if self.chosen else ""

    @property
    def described_by(self) -> str:
        """Ids of the lines that explain the field to a screen reader."""
        ids = [f"{self.name}-heading"] if self.asked.heading else []
        ids += [f"{self.name}-help"] if self.help else []
        ids += [f"{self.name}-unit"] if self.asked.unit and self.widget == "line" else []
        return " ".join(ids + ([f"{self.name}-problem"] if self.problem else []))

    @property
    def fits_a_row(self) -> bool:
        """Whether a phone may show a scale with the labels of its ends alone.

        Not where the question asks for another label by name, as an attention check does.
        """
        between = [option.label.strip() for option in self.options[1:-1]]
        return len(self.options) <= _MOST_IN_A_ROW and not any(
            label and re.search(rf"(?<![a-z0-9]){re.escape(label)}(?![a-z0-9])", self.label, re.I)
            for label in between
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageLink:
    """A language in its own words, and where the page is in it."""

    code: str
    name: str
    address: str
    is_shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPage:
    """One screen of a study; `is_empty` until its reader has filled something in.

    `filled_in` holds the fields with what was sent and what is wrong with it, once something was.
    """

    language: str
    study: str
    title: str
    style: str
    words: Mapping[str, str]
    screen: str
    blocks: tuple[Block, ...]
    fields: tuple[Field, ...]
    filled_in: tuple[FieldView, ...]
    buttons: tuple[Button, ...]
    media: str
    signature: str
    visit: str
    action: str
    done: int = 0
    total: int = 0
    progress: str = ""
    has_title: bool = True
    is_pilot: bool = False
    problems: tuple[FieldView, ...] = ()
    other_problem: str = ""
    languages: tuple[LanguageLink, ...] = ()
    way_back: str = ""
    submit: Mapping[str, str] = field(default_factory=dict)
    framed_by: tuple[str, ...] = ()
    later: str = ""
    draw: str = ""
    withdrawal: tuple[str, str, str] | None = None  # what stands before the code, it, and after
    back: str = ""
    onward: str = ""
    is_waiting: bool = False
    has_keys: bool = False
    has_views: bool = False
    is_empty: bool = True

    @property
    def has_finished(self) -> bool:
        """Whether this is the page of who has done everything."""
        return self.screen == "finished"

    @property
    def has_problems(self) -> bool:
        """Whether something has to be put right before going on."""
        return bool(self.problems or self.other_problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """A short message instead of a screen."""

    language: str
    title: str
    style: str
    text: str
    words: Mapping[str, str] = field(default_factory=dict)
    blocks: tuple[Paragraph, ...] = ()
    link: str = ""
    link_text: str = ""
    framed_by: tuple[str, ...] = ()


_WORDS = ("skip_link", "problems_title", "pilot_banner", "way_back", "film_shows", "choose",
          "same_link", "look_again", "back", "change_note", "earlier_go_on",
          "withdraw_link", "to_platform", "language_choice",
          "later_link", "draw_link")  # fmt: skip


def screen_page(view: View, *, style: str, query: str = "") -> ScreenPage:
    """Return the page of a view; `query` is what a recruiting platform put into the address."""
    screen, language = view.screen, view.screen.language
    is_empty = not view.sent and not view.problems
    # Of fields that nobody has filled in, the content of the page is made once for everybody.
    filled_in = () if is_empty else field_views(screen.fields, view.sent, view.problems)
    named = {field.name for field in filled_in}
    others = [text for name, text in view.problems.items() if name not in named]
    place = screen.place
    return ScreenPage(
        language=language,
        study=view.study.title,
        title=screen.title,
        style=style,
        words=_words(language),
        screen=screen.key,
        blocks=screen.blocks,
        fields=screen.fields,
        filled_in=filled_in,
        buttons=_change_buttons(screen.buttons, language) if view.is_change else screen.buttons,
        media=f"/media/{view.version}/",
        signature=view.signature,
        visit=view.visit,
        action=_action(view, query),
        done=place.done if place else 0,
        total=place.total if place else 0,
        progress=_progress(place, language) if place and screen.awaits_answer else "",
        has_title=screen.title != view.study.title,
        is_pilot=view.is_pilot,
        problems=tuple(field for field in filled_in if field.problem),
        other_problem=others[0] if others else "",
        **_around(view, query),
        is_waiting=screen.kind == "wait",
        has_keys=any(button.key for button in screen.all_buttons),
        has_views=any(field.kind == "views" for field in screen.fields),
        is_empty=is_empty,
    )


def _around(view: View, query: str) -> dict[str, Any]:
    """Return what stands around a screen: its languages, and the ways back and onward."""
    is_last = view.screen.is_last
    return {
        "languages": _languages(view, query),
        "withdrawal": _withdrawal(view) if view.withdrawal else None,
        "way_back": _way_back(view) if is_last else "",
        "submit": _submit(view) if is_last else {},
        "framed_by": view.study.framed_by,
        "later": _later(view),
        "draw": _draw(view),
        "back": _back(view) if view.study.allow_back else "",
        "onward": tokens.step_address(view.token, view.here) if view.is_change else "",
    }


def _withdrawal(view: View) -> tuple[str, str, str]:
    """Return how to take one's answers back later."""
    said = sentence(view.screen.language, "withdrawal_code", code=view.withdrawal)
    return said.partition(view.withdrawal)


def _way_back(view: View) -> str:
    """Return the address of the platform, once the visit has ended."""
    ending = view.screen.ending or "finished"
    return way_back(view.study, view.origin, ending) or ""


def _later(view: View) -> str:
    """Return the address that says how to come back, for who has begun and not finished."""
    return f"/p/{view.token}/later" if view.token and not view.screen.is_last else ""


def _draw(view: View) -> str:
    """Return the address of the draw, for who has finished."""
    has_finished = view.token and view.screen.kind == "finished" and not view.is_pilot
    return f"/p/{view.token}/draw" if has_finished and view.study.draw else ""


def _submit(view: View) -> dict[str, str]:
    """Return the form by which Mechanical Turk takes a task back, once the visit has ended."""
    address, task = view.origin.get("submit", ""), view.origin.get("session", "")
    if not (view.screen.is_last and address and task):
        return {}
    code = ending_of(view.study, view.screen.ending or "finished").code
    own = {"assignmentId": task, "code": code or view.screen.ending or "finished"}
    return {"action": f"{address}/mturk/externalSubmit", **own}


def _back(view: View) -> str:
    """Return the address of the page before, where the study has a way back; never the consent."""
    has_way_back = view.study.allow_back and view.token and not view.screen.is_last
    return tokens.step_address(view.token, view.step - 1) if has_way_back and view.step > 2 else ""


def _change_buttons(buttons: tuple[Button, ...], language: str) -> tuple[Button, ...]:
    """Say on the button that an answer is changed, where it says no more than to go on."""
    label = sentence(language, "change_save")
    return tuple(button if button.name else button.changed(label=label) for button in buttons)


def _action(view: View, query: str) -> str:
    """Return where a screen's form goes: to the step of who has begun, else to the study."""
    if view.token:
        return tokens.step_address(view.token, view.step, query)
    address = f"/s/{quote(view.study.slug)}"
    return f"{address}?{query}" if query else address


def _progress(place: Place, language: str) -> str:
    """Say which step somebody is at; nothing at consent, which is done before the first of them."""
    if not place.done:
        return ""
    key = "progress_at_most" if place.at_most else "progress"
    steps = place.total - 1
    # A second try after the last step, or a wait, is no step of its own.
    return sentence(language, key, done=str(min(place.done, steps)), total=str(steps))


_REVIEW_WORDS = (
    "skip_link",
    "film_shows",
    "sound_says",
    "earlier_note",
    "earlier_hidden",
    "earlier_go_on",
    "back",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    """An answered screen; `onward` is the address of the page that waits for an answer."""

    language: str
    study: str
    title: str
    style: str
    words: Mapping[str, str]
    review: AnswerReview
    media: str
    onward: str
    is_pilot: bool
    back: str = ""
    framed_by: tuple[str, ...] = ()


def review_page(view: View, review: AnswerReview, *, style: str) -> ReviewPage:
    """Return the page of a step that has its answer."""
    language = view.screen.language
    return ReviewPage(
        language=language,
        study=view.study.title,
        title=view.screen.title,
        style=style,
        words={key: sentence(language, key) for key in (*_REVIEW_WORDS, "pilot_banner")},
        review=review,
        media=f"/media/{view.version}/",
        onward=tokens.step_address(view.token, view.here),
        is_pilot=view.is_pilot,
        back=_back(view),
        framed_by=view.study.framed_by,
    )


def _languages(view: View, query: str) -> tuple[LanguageLink, ...]:
    """Return the languages of the first page, each with the address that shows it."""
    if len(view.languages) < 2:
        return ()
    own = {name: value for name, value in parse_qsl(query) if name != "lang"}
    return tuple(
        LanguageLink(
            code=code,
            name=sentence(code, "language"),
            address=_action(view, kept_parameters(own, language=code)),
            is_shown=code == view.screen.language,
        )
        for code in view.languages
    )


@cache
def _words(language: str) -> Mapping[str, str]:
    return {key: sentence(language, key) for key in _WORDS}


def message_page(
    reason: Reason | str,
    *,
    language: str,
    style: str,
    link: str = "",
    blocks: tuple[Paragraph, ...] = (),
    way_back: str = "",
    framed_by: tuple[str, ...] = (),
) -> MessagePage:
    """Return the page that says why there is no screen; `link` is to look again."""
    key = f"page_{reason}"
    return MessagePage(
        language=language,
        title=sentence(language, f"{key}_title"),
        style=style,
        text=sentence(language, f"{key}_text"),
        words={"skip_link": sentence(language, "skip_link")},
        blocks=blocks,
        link=link or way_back,
        link_text=sentence(language, "look_again" if link else "to_platform"),
        framed_by=framed_by,
    )


def kept_parameters(parameters: Mapping[str, str], *, language: str = "") -> str:
    """Return an address's parameters as they were, to travel with the first form."""
    return urlencode({**parameters, "lang": language} if language else parameters)


def field_views(
    fields: tuple[Field, ...], form: Form, problems: Mapping[str, str]
) -> tuple[FieldView, ...]:
    """Return fields with what was sent in a form, and what is wrong with it."""
    return tuple(_field_view(field, form, problems) for field in fields)


def _field_view(field: Field, form: Form, problems: Mapping[str, str]) -> FieldView:
    sent = form.get(field.name, field.value if not form else "")
    chosen = (sent,) if isinstance(sent, str) else tuple(sent)
    return FieldView(
        name=field.name,
        kind=field.kind,
        widget=FIELD_TYPES[field.kind].widget(field),
        label=field.label,
        help=field.help,
        options=field.options,
        # Nothing chosen yet is not the same as having chosen the answer "prefer not to say".
        chosen=chosen if field.name in form or field.value else (),
        problem=problems.get(field.name, ""),
        longest=field.longest,
        whole=field.whole,
        asked=field,
    )
