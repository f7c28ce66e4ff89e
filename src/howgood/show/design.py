"""The look of everything: sizes, colours, components, the mark, the script of the map.

In: files in `assets/`. Out: their text, and single values of the list of tokens. Absent: pages.
"""

import re
from functools import cache
from importlib.resources import files
from urllib.parse import quote

_VALUE = re.compile(r"--([a-z0-9-]+):\s*([^;]+);")


@cache
def asset(name: str) -> str:
    """Return a file of the design as text."""
    return (files("howgood.show") / "assets" / name).read_text(encoding="utf-8")


@cache
def tokens(*, is_dark: bool = False) -> dict[str, str]:
    """Return sizes and colours by name.

    Examples
    --------
    >>> tokens()["paper"], tokens(is_dark=True)["paper"], tokens()["data-1"]
    ('#fff', '#15161a', '#0072b2')
    """
    light, _, dark = asset("tokens.css").partition("@media")
    values = dict(_VALUE.findall(light))
    return values | dict(_VALUE.findall(dark)) if is_dark else values


@cache
def mark_address() -> str:
    """Return the mark as an address that needs no server, for the icon of a page."""
    return f"data:image/svg+xml,{quote(asset('mark.svg').strip())}"
