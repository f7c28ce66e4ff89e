"""Every key a study file can have, from the records themselves.

In: nothing. Out: keys with type, default and what they are for. Absent: prose; the reference page
is written from this list and a test compares them.
"""

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from howgood.records.plain import field_types
from howgood.records.study import Study

_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key: `survey.items[].text`, what it holds, what it is when left out, what it is for."""

    name: str
    type: str
    default: str
    note: str


def study_keys() -> tuple[Key, ...]:
    """Return every key of a study file, in the order of the records."""
    return tuple(_keys(Study, ""))


def _keys(record: Any, prefix: str) -> Iterator[Key]:  # noqa: ANN401 - a record type
    for each in dataclasses.fields(record):
        if not each.init or each.metadata.get("filled"):
            continue
        hint = field_types(record)[each.name]
        inner, is_list = _inner(hint)
        name = f"{prefix}{each.name}" + ("[]" if is_list and inner else "")
        yield Key(
            name=name,
            type=_described(hint),
            default=_default(each),
            note=each.metadata["note"],
        )
        if inner:
            yield from _keys(inner, f"{name}.")


def _inner(hint: object) -> tuple[type[Any] | None, bool]:
    """Return the record inside an annotation, and whether there is a list of them."""
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return hint, False
    found = [_inner(each)[0] for each in typing.get_args(hint)]
    record = next((each for each in found if each), None)
    return record, typing.get_origin(hint) is tuple


def _described(hint: Any) -> str:  # noqa: ANN401 - an annotation
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return "table"
    if origin is tuple:
        inner = _described(arguments[0])
        return "list of tables" if inner == "table" else f"list: {inner}"
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_described(each) for each in arguments if each is not types.NoneType)
    if origin is not None and issubclass(origin, Mapping):
        return f"table: {_described(arguments[1])}"
    return _WORDS[hint]


def _default(each: dataclasses.Field[Any]) -> str:
    if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
        return "**needed**"
    if each.default in (None, "", ()) or each.default is dataclasses.MISSING:
        return ""
    shown = str(each.default).lower() if isinstance(each.default, bool) else each.default
    if isinstance(shown, tuple):
        return ", ".join(f"`{value}`" for value in shown)
    return f"`{shown}`"
