"""A page somebody has answered before: to be read, with the way on to where they are.

In: a view with a recap. Out: `EarlierPage`. Absent: forms; there is nothing to send from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from howgood.ask.sentences import sentence
from howgood.flow.hosting import Recap, View
from howgood.web.pages import step_address

_WORDS = ("skip_link", "film_shows", "earlier_note", "earlier_hidden", "earlier_go_on")


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierPage:
    """An answered screen; `onward` is the address of the page that waits for an answer."""

    language: str
    study: str
    title: str
    style: str
    words: Mapping[str, str]
    recap: Recap
    media: str
    onward: str
    is_pilot: bool


def earlier_page(view: View, recap: Recap, *, style: str) -> EarlierPage:
    """Return the page of a step that has its answer."""
    language = view.screen.language
    return EarlierPage(
        language=language,
        study=view.study.title,
        title=view.screen.title,
        style=style,
        words={key: sentence(language, key) for key in (*_WORDS, "pilot_banner")},
        recap=recap,
        media=f"/media/{view.version}/",
        onward=step_address(view.token, view.here),
        is_pilot=view.is_pilot,
    )
