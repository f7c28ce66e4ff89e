"""What templates see: one frozen page each, ready to print.

In: views and reasons from `flow.hosting`. Out: `ScreenPage` or `MessagePage`. Absent: HTML, and any
decision about what comes next.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import quote, urlencode

from howgood.ask.sentences import sentence
from howgood.flow.hosting import Form, Reason, View, way_back
from howgood.records.remembered import Remembered
from howgood.records.screen import Block, Button, Field, FieldKind, FieldOption, Screen

# A longer list of radio buttons would be a long way for thumbs and keyboards.
_MOST_RADIOS = 12
_ONE_LINE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """A field with what was chosen and what is wrong with it."""

    name: str
    kind: FieldKind
    widget: str
    label: str
    help: str
    options: tuple[FieldOption, ...]
    chosen: tuple[str, ...]
    problem: str
    longest: int
    whole: bool

    @property
    def text(self) -> str:
        """What was typed."""
        return self.chosen[0] if self.chosen else ""

    @property
    def described_by(self) -> str:
        """Ids of the lines that explain the field to a screen reader."""
        ids = [f"{self.name}-help"] if self.help else []
        return " ".join(ids + ([f"{self.name}-problem"] if self.problem else []))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPage:
    """One screen of a study; `own` is what differs for everybody who sees it."""

    language: str
    study: str
    style: str
    words: Mapping[str, str]
    blocks: tuple[Block, ...]
    fields: tuple[FieldView, ...]
    buttons: tuple[Button, ...]
    media: str
    own: Mapping[str, str]
    has_title: bool = True
    has_progress: bool = False
    is_pilot: bool = False
    problems: tuple[FieldView, ...] = ()
    other_problem: str = ""
    way_back: str = ""
    is_waiting: bool = False
    is_fresh: bool = True

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
    link: str = ""
    link_text: str = ""


_WORDS = ("skip_link", "problems_title", "pilot_banner", "way_back", "film_shows", "choose",
          "same_link", "look_again")  # fmt: skip


def screen_page(view: View, *, style: str, query: str = "") -> ScreenPage:
    """Return the page of a view; `query` is what a recruiting platform put into the address."""
    screen, language = view.screen, view.screen.language
    is_fresh = not view.sent and not view.problems
    fields = (
        _fresh_fields(screen.fields)
        if is_fresh
        else tuple(_field_view(each, view.sent, view.problems) for each in screen.fields)
    )
    named = {each.name for each in fields}
    others = [text for name, text in view.problems.items() if name not in named]
    is_inside = bool(view.token)
    address = step_address(view.token, view.step) if is_inside else f"/s/{quote(view.study.slug)}"
    return ScreenPage(
        language=language,
        study=view.study.title,
        style=style,
        words=_words(language),
        blocks=screen.blocks,
        fields=fields,
        buttons=screen.buttons,
        media=f"/media/{view.version}/",
        own={
            "title": screen.title,
            "screen": screen.key,
            "signature": view.signature,
            "visit": view.visit,
            "action": f"{address}?{query}" if query and not is_inside else address,
            **_progress(view),
        },
        has_title=screen.title != view.study.title,
        has_progress=_has_progress(screen),
        is_pilot=view.is_pilot,
        problems=tuple(each for each in fields if each.problem),
        other_problem=others[0] if others else "",
        way_back=(way_back(view.study, view.origin) or "") if screen.kind == "finished" else "",
        is_waiting=screen.kind == "wait",
        is_fresh=is_fresh,
    )


def step_address(token: str, step: int) -> str:
    """Return the address of a step; of a person's own link without one."""
    return f"/p/{token}/{step}" if step else f"/p/{token}"


@cache
def _words(language: str) -> Mapping[str, str]:
    return {key: sentence(language, key) for key in _WORDS}


def message_page(reason: Reason | str, *, language: str, style: str, link: str = "") -> MessagePage:
    """Return the page that says why there is no screen."""
    key = f"page_{reason}"
    return MessagePage(
        language=language,
        title=sentence(language, f"{key}_title"),
        style=style,
        text=sentence(language, f"{key}_text"),
        words={"skip_link": sentence(language, "skip_link")},
        link=link,
        link_text=sentence(language, "look_again") if link else "",
    )


def _progress(view: View) -> dict[str, str]:
    """Return how far, in numbers and words."""
    place = view.screen.place
    if place is None:
        return {}
    done, total = str(place.done), str(place.total)
    key = "progress_at_most" if place.at_most else "progress"
    text = sentence(view.screen.language, key, done=done, total=total)
    return {"done": done, "total": total, "progress": text}


def _has_progress(screen: Screen) -> bool:
    return screen.place is not None and screen.place.done > 0 and screen.awaits_answer


def kept_parameters(parameters: Mapping[str, str]) -> str:
    """Return an address's parameters as they were, to travel with the first form."""
    return urlencode(parameters)


def _field_view(each: Field, form: Form, problems: Mapping[str, str]) -> FieldView:
    sent = form.get(each.name, each.value if not form else "")
    chosen = (sent,) if isinstance(sent, str) else tuple(sent)
    return FieldView(
        name=each.name,
        kind=each.kind,
        widget=_widget(each),
        label=each.label,
        help=each.help,
        options=each.options,
        # Nothing chosen yet is not the same as having chosen the answer "prefer not to say".
        chosen=chosen if each.name in form or each.value else (),
        problem=problems.get(each.name, ""),
        longest=each.longest,
        whole=each.whole,
    )


def _as_fresh_fields(fields: tuple[Field, ...]) -> tuple[FieldView, ...]:
    return tuple(_field_view(each, {}, {}) for each in fields)


# The questions of a study are the same for everybody.
_fresh_fields = Remembered(_as_fresh_fields, most=512)


def _widget(each: Field) -> str:
    if each.kind == "choice" and len(each.options) > _MOST_RADIOS:
        return "select"
    if each.kind == "text" and each.longest > _ONE_LINE:
        return "textarea"
    return {
        "choice": "radios",
        "likert": "scale",
        "choices": "boxes",
        "number": "line",
        "text": "line",
        "agree": "box",
        "hidden": "hidden",
    }[each.kind]
