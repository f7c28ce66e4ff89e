"""Every key a study file can have, from the records themselves.

In: nothing. Out: keys with type, default and what they are for. Absent: prose; the reference page
is written from this list and a test compares them.
"""

import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic.fields import FieldInfo

from howgood.kinds.questions import names_of_types
from howgood.kinds.study import Study
from howgood.records.record import Record, records_in, written_fields

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


def _keys(record: type[Record], prefix: str) -> Iterator[Key]:
    for field_name, field in written_fields(record):
        inner = records_in(field.annotation)
        is_list = bool(inner) and typing.get_origin(field.annotation) is tuple
        name = f"{prefix}{field_name}" + ("[]" if is_list else "")
        yield Key(
            name=name,
            type=_listed(names_of_types(record, field_name)) or _described(field.annotation),
            default=_default(field),
            note=field.description or "",
        )
        if inner:
            yield from _keys(inner[0], f"{name}.")


def _described(hint: Any) -> str:  # noqa: ANN401 - an annotation
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return "table"
    if origin is tuple:
        inner = _described(arguments[0])
        return "list of tables" if inner == "table" else f"list: {inner}"
    if origin is Literal:
        return _listed(arguments)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(
            _described(argument) for argument in arguments if argument is not types.NoneType
        )
    if origin is not None and issubclass(origin, Mapping):
        return f"table: {_described(arguments[1])}"
    return _WORDS[hint]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**needed**"
    if field.default_factory is not None or field.default in (None, "", ()):
        return ""
    if isinstance(field.default, tuple):
        return ", ".join(f"`{value}`" for value in field.default)
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"
