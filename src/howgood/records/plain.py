"""Frozen records to plain values and back, with every fault named by its place.

In: a record, or plain values (dicts, lists, numbers, text) and the record type they should become.
Out: plain values, or the record and a list of `Problem`s. Absent: files and line numbers (see
`ask.study_files`), and anything about what a record means: types and field notes say it all.
"""

import dataclasses
import hashlib
import json
import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, TypeVar

from howgood.errors import InputError, ManyProblemsError

Path = tuple[str | int, ...]
Record = TypeVar("Record")
_LARGEST = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong, the place it is at, and what to do about it."""

    path: Path
    found: str
    needed: str
    cure: str

    def error(self, *, where: str) -> InputError:
        """Return it as an exception."""
        place = f"{where}, {written(self.path)}" if self.path else where
        return InputError(where=place, found=self.found, needed=self.needed, cure=self.cure)


class _Broken:
    """Stands in for a value that could not be read; its problem is in the list."""


BROKEN = _Broken()


def about(
    note: str, *, minimum: float | None = None, maximum: float | None = None, filled: bool = False
) -> dict[str, Any]:
    """Return field metadata: what the field is for, and the numbers it may take.

    `filled` marks a field that howgood fills in while reading a file; nobody writes it.
    """
    return {"note": note, "minimum": minimum, "maximum": maximum, "filled": filled}


def plain(value: object) -> Any:  # noqa: ANN401 - the plain form of any record
    """Return a record as dicts, lists, numbers and text; fields at their defaults are left out."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: plain(inner)
            for name, default in _written_fields(type(value))
            if (inner := getattr(value, name)) != default
        }
    return value


@cache
def _written_fields(record: type) -> tuple[tuple[str, object], ...]:
    """Return the fields that are written, each with the value at which it is left out."""
    return tuple(
        # `block` says which record it is, so it is never left out.
        (each.name, dataclasses.MISSING if each.name == "block" else _default(each))
        for each in dataclasses.fields(record)
        if each.init or each.name == "block"
    )


def digest(value: object) -> str:
    """Return a short fingerprint of plain values that does not depend on the order of keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record_from(data: object, record: type[Record], *, where: str) -> Record:
    """Return plain values as a record, or raise the first problem."""
    problems: list[Problem] = []
    made = decode(data, record, path=(), problems=problems)
    raise_problems(problems, where=where)
    return typing.cast(Record, made)


def raise_problems(problems: Sequence[Problem], *, where: str) -> None:
    """Raise them all as one exception, if there are any."""
    if problems:
        raise ManyProblemsError(problems[0].error(where=where), problems)


def decode(
    data: object,
    hint: Any,  # noqa: ANN401 - a type annotation
    *,
    path: Path,
    problems: list[Problem],
) -> Any:  # noqa: ANN401 - what the annotation says
    """Return plain values as the annotated type; add what is wrong to `problems`."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _decode_record(data, hint, path, problems)
    if origin is tuple:
        return _decode_tuple(data, arguments, path, problems)
    if origin is Literal:
        if data in arguments:
            return data
        return _report(problems, path, data, f"one of {_listed(arguments)}", _near(data, arguments))
    if origin in (typing.Union, types.UnionType):
        return _decode_union(data, arguments, path, problems)
    if origin is not None and issubclass(origin, Mapping):
        return _decode_mapping(data, arguments[1], path, problems)
    return _decode_scalar(data, hint, path, problems)


def written(path: Path) -> str:
    """Return a path as people write it: `survey.items[2].text`, counting from 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


@cache
def field_types(record: Any) -> dict[str, Any]:  # noqa: ANN401 - a record type
    """Return the annotations of a record's fields, resolved."""
    return typing.get_type_hints(record)


def _default(each: dataclasses.Field[Any]) -> object:
    if each.default_factory is not dataclasses.MISSING:
        return each.default_factory()
    return each.default


def _decode_record(data: object, record: Any, path: Path, problems: list[Problem]) -> Any:  # noqa: ANN401 - decodes any record
    if not isinstance(data, Mapping):
        return _report(problems, path, data, "a table of keys", "Write its keys one by one.")
    before = len(problems)
    known = {each.name: each for each in dataclasses.fields(record) if each.init}
    misspelt = set()
    for name in data:
        if name not in known:
            meant = _nearest(name, [each for each in known if each not in data])
            misspelt.add(meant)
            cure = f"Did you mean {meant!r}?" if meant else f"Known here: {', '.join(known)}."
            _add(problems, (*path, str(name)), f"an unknown key {name!r}", "only known keys", cure)
    values: dict[str, Any] = {}
    for name, each in known.items():
        if name in data:
            value = decode(
                data[name], field_types(record)[name], path=(*path, name), problems=problems
            )
            _check_range(value, each, (*path, name), problems)
            values[name] = value
        elif _default(each) is dataclasses.MISSING and name not in misspelt:
            note = each.metadata.get("note", "")
            _add(problems, path, f"no {name!r}", f"{name!r} is needed: {note}", f"Add {name}.")
    return _made(record, values, path, problems) if len(problems) == before else BROKEN


def _made(record: Any, values: dict[str, Any], path: Path, problems: list[Problem]) -> Any:  # noqa: ANN401 - decodes any record
    """Make a record whose values are all right by themselves; it may still contradict itself."""
    try:
        made = record(**values)
    except ManyProblemsError as error:
        problems += [
            dataclasses.replace(each, path=path + each.path)
            for each in error.problems
            if isinstance(each, Problem)
        ]
        return BROKEN
    own = getattr(made, "problems", None)
    problems += own(path) if callable(own) else []
    return made


def _check_range(
    value: object, each: dataclasses.Field[Any], path: Path, problems: list[Problem]
) -> None:
    low, high = each.metadata.get("minimum"), each.metadata.get("maximum")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if (low is not None and value < low) or (high is not None and value > high):
        needed = f"at least {low}" if high is None else f"from {low} to {high}"
        _add(problems, path, str(value), needed, "Change the number.")


def _decode_tuple(
    data: object, arguments: tuple[Any, ...], path: Path, problems: list[Problem]
) -> Any:  # noqa: ANN401 - decodes any record
    if isinstance(data, str) or not isinstance(data, Sequence):
        return _report(problems, path, data, "a list", "Put the values in [ ].")
    return tuple(
        decode(each, arguments[0], path=(*path, index), problems=problems)
        for index, each in enumerate(data)
    )


def _decode_union(
    data: object, arguments: tuple[Any, ...], path: Path, problems: list[Problem]
) -> Any:  # noqa: ANN401 - decodes any record
    options = [each for each in arguments if each is not types.NoneType]
    if data is None and len(options) < len(arguments):
        return None
    tagged = [each for each in options if dataclasses.is_dataclass(each)]
    if len(tagged) > 1:
        return _decode_tagged(data, tagged, path, problems)
    for each in options[:-1]:
        attempt: list[Problem] = []
        value = decode(data, each, path=path, problems=attempt)
        if not attempt:
            return value
    return decode(data, options[-1], path=path, problems=problems)


def _decode_tagged(data: object, options: list[Any], path: Path, problems: list[Problem]) -> Any:  # noqa: ANN401 - decodes any record
    """Choose the record by its `block` field, which names it."""
    by_name = {typing.get_args(field_types(each)["block"])[0]: each for each in options}
    name = data.get("block") if isinstance(data, Mapping) else None
    if not isinstance(name, str) or name not in by_name:
        return _report(problems, path, name, f"a block: one of {_listed(by_name)}", "Name it.")
    return _decode_record(data, by_name[name], path, problems)


def _decode_mapping(data: object, hint: Any, path: Path, problems: list[Problem]) -> Any:  # noqa: ANN401 - decodes any record
    if not isinstance(data, Mapping):
        return _report(problems, path, data, "a table of keys", "Write its keys one by one.")
    return {
        str(name): decode(each, hint, path=(*path, str(name)), problems=problems)
        for name, each in data.items()
    }


_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _decode_scalar(data: object, hint: Any, path: Path, problems: list[Problem]) -> Any:  # noqa: ANN401 - decodes any record
    if isinstance(data, bool) and hint is not bool:
        return _report(problems, path, data, _WORDS[hint], "")
    if hint in (int, float) and isinstance(data, int | float) and not _is_usable(data):
        return _report(problems, path, data, f"{_WORDS[hint]} of a sensible size", "")
    if hint is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if isinstance(data, str) and "\x00" in data:
        _add(problems, path, "a character zero", "text that can be stored", "Take it out.")
        return BROKEN
    if isinstance(data, hint):
        return data
    cure = 'Put it in quotes: "...".' if hint is str else "Write it without quotes."
    return _report(problems, path, data, _WORDS[hint], cure)


def _is_usable(number: float) -> bool:
    """Whether a number is neither NaN nor infinite nor too large for a machine's own numbers."""
    return -_LARGEST < number < _LARGEST if isinstance(number, int) else math.isfinite(number)


def _report(problems: list[Problem], path: Path, data: object, needed: str, cure: str) -> _Broken:
    _add(problems, path, _shown(data), needed, cure or "Change it.")
    return BROKEN


def _add(problems: list[Problem], path: Path, found: str, needed: str, cure: str) -> None:
    problems.append(Problem(path=path, found=found, needed=needed, cure=cure))


def _shown(data: object) -> str:
    if isinstance(data, Mapping):
        return "a table"
    if isinstance(data, list | tuple):
        return f"a list of {len(data)}"
    if isinstance(data, int) and not _is_usable(data):
        return "a whole number of more than 18 digits"
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."


def _nearest(name: object, names: typing.Iterable[object]) -> str:
    return next(iter(get_close_matches(str(name), [str(each) for each in names], n=1)), "")


def _near(name: object, names: typing.Iterable[object]) -> str:
    nearest = _nearest(name, names)
    return f"Did you mean {nearest!r}?" if nearest else ""


def _listed(names: typing.Iterable[object]) -> str:
    return ", ".join(str(each) for each in names)
