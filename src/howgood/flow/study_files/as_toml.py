"""A study as a study file in TOML.

In: plain values of a study. Out: TOML that reads back as the same values. Absent: notes; the
reference page explains every key.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def toml_text(data: Mapping[str, Any]) -> str:
    """Return plain values as TOML: keys first, then tables, then lists of tables.

    Examples
    --------
    >>> print(toml_text({"title": "One", "items": [{"key": "a"}], "part": {"n": 2}}))
    title = "One"
    <BLANKLINE>
    [part]
    n = 2
    <BLANKLINE>
    [[items]]
    key = "a"
    <BLANKLINE>
    """
    return "\n".join(_table(data, "")) + "\n"


def _table(data: Mapping[str, Any], prefix: str) -> Iterator[str]:
    tables = {name: value for name, value in data.items() if isinstance(value, Mapping)}
    lists = {name: value for name, value in data.items() if _is_tables(value)}
    for name, value in data.items():
        if name not in tables and name not in lists and value is not None:
            yield f"{_key(name)} = {_value(value)}"
    for name, value in tables.items():
        yield f"\n[{prefix}{_key(name)}]"
        yield from _table(value, f"{prefix}{_key(name)}.")
    for name, entries in lists.items():
        for entry in entries:
            yield f"\n[[{prefix}{_key(name)}]]"
            yield from _table(entry, f"{prefix}{_key(name)}.")


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, Mapping) for each in value)


def _key(name: str) -> str:
    is_bare = bool(name) and all(each.isalnum() or each in "-_" for each in name)
    return name if is_bare and name.isascii() else _string(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value) if "\n" in value else _string(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    return repr(value)


def _text(value: str) -> str:
    """Return several lines as they are read; a line break after the quotes does not count."""
    lines = "\n".join(_string(line)[1:-1] for line in value.split("\n"))
    return f'"""\n{lines}"""'


def _string(value: str) -> str:
    # JSON's strings are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
