"""How one value of a study is shown in a form and read back from it.

In: a type annotation, a value, a text. Out: which widget fits, the text in it, the value typed.
Absent: records inside records (`shape` shows them, `reading` reads them).

What cannot be read as the type it should have stays the text that was typed: nothing is lost, and
checking the draft says what is wrong with it.
"""

import re
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from howgood.ask.sentences import languages
from howgood.kinds.plan import Picture
from howgood.kinds.questions import names_of_types
from howgood.records.record import Record

Widget = Literal[
    "line", "area", "long", "number", "tick", "choice", "lines", "rows", "pairs",
    "words", "group", "list", "picture", "phrase", "translations",
]  # fmt: skip
_LONG = {"introduction", "description", "task", "instructions", "notes"}
_LONG_TEXTS = {"Consent", "Completion"}
_AREA = {"text", "question", "redirect"}
_LONGEST_NUMBER = 40
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
# A thousand to some and one to others; where whole numbers are asked for, with a point as well.
_AMBIGUOUS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_GROUPED = re.compile(r"[-+]?\d+[.,]\d{3}")


def inner(hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """Return an annotation without its None."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        left = [argument for argument in typing.get_args(hint) if argument is not types.NoneType]
        return left[0] if len(left) == 1 else hint
    return hint


def widget_of(hint: Any, *, record: type, name: str) -> Widget:  # noqa: ANN401 - an annotation
    """Return the widget for a field of a record."""
    hint = inner(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Picture:
        return "picture"
    if name == "translations":
        return "translations"
    if _is_record(hint):
        return "group"
    if origin is tuple:
        if _is_record(arguments[0]):
            return "rows" if _is_numeric(arguments[0]) else "list"
        return "lines"
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        return "words" if arguments[1] is str else "pairs"
    if origin is Literal or name == "language" or names_of_types(record, name):
        return "choice"
    if hint in (int, float):
        return "number"
    return "tick" if hint is bool else _text_widget(record, name)


def _text_widget(record: type, name: str) -> Widget:
    if name in _LONG or (name == "text" and record.__name__ in _LONG_TEXTS):
        return "long"
    return "area" if name in _AREA else "line"


def _is_record(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, Record)


def _is_numeric(record: type[Record]) -> bool:
    return all(inner(field.annotation) in (int, float) for field in record.model_fields.values())


def options_of(hint: Any, *, record: type[Record], name: str) -> tuple[str, ...]:  # noqa: ANN401 - an annotation
    """Return what can be chosen."""
    own = languages() if name == "language" else names_of_types(record, name)
    return own or typing.get_args(inner(hint))


def element(hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """Return what a list holds."""
    return typing.get_args(inner(hint))[0]


def shown(widget: Widget, hint: Any, value: object) -> str:  # noqa: ANN401 - an annotation
    """Return a value as the text in its widget."""
    if value is None:
        return ""
    if widget == "tick":
        return "yes" if value is True else ""
    if widget == "lines":
        return "\n".join(_number_text(item) for item in _items(value))
    if widget == "rows":
        names = columns(hint)
        return "\n".join(
            ", ".join(_number_text(row.get(name)) for name in names).rstrip(", ")
            for row in _items(value)
        )
    if widget == "pairs":
        table = value if isinstance(value, Mapping) else {}
        return "\n".join(
            f"{key}: {', '.join(_number_text(item) for item in _items(row))}"
            for key, row in table.items()
        )
    return _number_text(value)


def columns(hint: Any) -> tuple[str, ...]:  # noqa: ANN401 - an annotation
    """Return the columns of a table of numbers."""
    return tuple(element(hint).model_fields)


def read(widget: Widget, hint: Any, text: str) -> Any:  # noqa: ANN401 - an annotation, plain values
    """Return what a text in a widget means; blank is None, or an empty list."""
    if widget == "tick":
        return text == "yes"
    if widget == "number":
        return _number(text.strip(), whole=inner(hint) is int) if text.strip() else None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if widget == "lines":
        takes_numbers = element(hint) is not str
        return [_number(line, whole=False) if takes_numbers else line for line in lines]
    if widget == "rows":
        return [_row(columns(hint), line) for line in lines]
    if widget == "pairs":
        parts = [line.partition(":") for line in lines]
        return {key.strip(): _cells(cells) for key, _, cells in parts}
    return text or None


def _row(names: Sequence[str], line: str) -> dict[str, Any]:
    cells = _cells(line)
    more = [f"column {number}" for number in range(len(names) + 1, len(cells) + 1)]
    return dict(zip([*names, *more], cells, strict=False))


def _cells(text: str) -> list[Any]:
    parts = re.split(r"[\s,;]+", text.strip())
    return [_number(part, whole=part.lstrip("+-").isdecimal()) for part in parts if part]


def _number(text: str, *, whole: bool) -> int | float | str:
    """Return the number a person wrote, or the text when it is none, or could be two."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return text
    if (_GROUPED if whole else _AMBIGUOUS).fullmatch(text):
        return text
    if whole and text.lstrip("+-").isdecimal():
        return int(text)
    return float(text.replace(",", "."))


def _number_text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def _items(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
