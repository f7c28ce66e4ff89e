"""What templates see: one frozen page each, ready to print.

In: views and reasons from `flow.hosting`. Out: `ScreenPage` or `MessagePage`. Absent: HTML, and any
decision about what comes next.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from urllib.parse import quote, urlencode

from howgood.ask.sentences import sentence
from howgood.flow.hosting import AnswerReview, Form, Reason, View, way_back
from howgood.kinds.field_types import field_type
from howgood.records.screen import Block, Button, Field, FieldOption, Paragraph, Place


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPage:
    """One screen of a study; `is_empty` until its reader has filled something in."""

    language: str
    study: str
    title: str
    style: str
    words: Mapping[str, str]
    screen: str
    blocks: tuple[Block, ...]
    fields: tuple[FieldView, ...]
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
    way_back: str = ""
    withdrawal: str = ""
    back: str = ""
    onward: str = ""
    is_waiting: bool = False
    has_keys: bool = False
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


_WORDS = ("skip_link", "problems_title", "pilot_banner", "way_back", "film_shows", "choose",
          "same_link", "look_again", "back", "change_note", "earlier_go_on",
          "withdraw_link", "to_platform")  # fmt: skip


def screen_page(view: View, *, style: str, query: str = "") -> ScreenPage:
    """Return the page of a view; `query` is what a recruiting platform put into the address."""
    screen, language = view.screen, view.screen.language
    is_empty = not view.sent and not view.problems
    fields = (
        _empty_fields(screen.fields)
        if is_empty
        else tuple(_field_view(field, view.sent, view.problems) for field in screen.fields)
    )
    named = {field.name for field in fields}
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
        fields=fields,
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
        problems=tuple(field for field in fields if field.problem),
        other_problem=others[0] if others else "",
        withdrawal=_withdrawal(view),
        way_back=_way_back(view),
        back=_back(view),
        onward=step_address(view.token, view.here) if view.is_change else "",
        is_waiting=screen.kind == "wait",
        has_keys=any(button.key for button in screen.all_buttons),
        is_empty=is_empty,
    )


def _withdrawal(view: View) -> str:
    """Return how to take one's answers back later; empty before the last page."""
    if not view.withdrawal:
        return ""
    return sentence(view.screen.language, "withdrawal_code", code=view.withdrawal)


def _way_back(view: View) -> str:
    """Return the address of the platform, once the visit has ended."""
    ending = view.screen.ending or "finished"
    return (way_back(view.study, view.origin, ending) or "") if view.screen.is_last else ""


def _back(view: View) -> str:
    """Return the address of the page before, where the study has a way back; never the consent."""
    has_way_back = view.study.allow_back and view.token and not view.screen.is_last
    return step_address(view.token, view.step - 1) if has_way_back and view.step > 2 else ""


def _change_buttons(buttons: tuple[Button, ...], language: str) -> tuple[Button, ...]:
    """Say on the button that an answer is changed, where it says no more than to go on."""
    label = sentence(language, "change_save")
    return tuple(each if each.name else each.changed(label=label) for each in buttons)


def _action(view: View, query: str) -> str:
    """Return where a screen's form goes: to the step of who has begun, else to the study."""
    if view.token:
        return step_address(view.token, view.step)
    address = f"/s/{quote(view.study.slug)}"
    return f"{address}?{query}" if query else address


def _progress(place: Place, language: str) -> str:
    """Say how far somebody is; nothing at the very beginning."""
    if not place.done:
        return ""
    key = "progress_at_most" if place.at_most else "progress"
    return sentence(language, key, done=str(place.done), total=str(place.total))


_REVIEW_WORDS = (
    "skip_link",
    "film_shows",
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
        onward=step_address(view.token, view.here),
        is_pilot=view.is_pilot,
        back=_back(view),
    )


def step_address(token: str, step: int) -> str:
    """Return the address of a step; of a person's own link without one."""
    return f"/p/{token}/{step}" if step else f"/p/{token}"


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
    )


def kept_parameters(parameters: Mapping[str, str]) -> str:
    """Return an address's parameters as they were, to travel with the first form."""
    return urlencode(parameters)


def _field_view(field: Field, form: Form, problems: Mapping[str, str]) -> FieldView:
    sent = form.get(field.name, field.value if not form else "")
    chosen = (sent,) if isinstance(sent, str) else tuple(sent)
    return FieldView(
        name=field.name,
        kind=field.kind,
        widget=field_type(field).widget(field),
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


@lru_cache(maxsize=512)
def _empty_fields(fields: tuple[Field, ...]) -> tuple[FieldView, ...]:
    """Return fields that nobody has filled in: the questions of a study are the same for all."""
    return tuple(_field_view(field, {}, {}) for field in fields)
