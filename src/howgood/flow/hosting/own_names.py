"""Every screen's own field names: what a browser restores cannot land on another screen.

In: a screen and a form. Out: names in the page, and a form by the names the screen knows. Absent:
whether the answers are right (`participate.parse_answer`).

Browsers put ticks and text back by the name of a field. If two screens shared a name, going back
and forth could put the answers to one of them into the other.
"""

from collections.abc import Mapping

from howgood.flow.hosting.view import Form
from howgood.records.screen import Screen

# What a page carries besides the answers: of participants, then of researchers who preview.
_FRAME = frozenset({"screen", "signature", "visit", "csrf", "condition", "walk"})


def own_name(screen: str, field: str) -> str:
    """Return the name a field of a screen has in the page.

    Examples
    --------
    >>> own_name("bell-s2", "acceptable")
    'bell-s2.acceptable'
    """
    return f"{screen}.{field}"


def own_form(screen: Screen, form: Form) -> Form | None:
    """Return a form by the names the screen knows; None if it holds fields of any other page."""
    known = {own_name(screen.key, each.name): each.name for each in screen.fields}
    known |= {own_name(screen.key, each.name): each.name for each in screen.all_buttons}
    sent = [name for name in form if name not in _FRAME]
    if any(name not in known for name in sent):
        return None
    return {known[name]: form[name] for name in sent}


def as_sent(screen: Screen, values: Mapping[str, str | list[str]]) -> dict[str, str | list[str]]:
    """Return the form a browser sends from a screen that is filled in like this."""
    return {own_name(screen.key, name): value for name, value in values.items()}
