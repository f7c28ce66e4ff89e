"""What the server's records have in common, and what is wrong with values that should become one.

In: plain values (dicts, lists, numbers, text) and the record they should become. Out: the record,
or `Problem`s: the place, what was found, what is needed, what to do. Pydantic parses, checks and
describes; this module says its findings in our words. Absent: files and line numbers (see
`flow.study_files`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Self, TypeVar, cast, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from howgood.errors import InputError, ManyProblemsError

Path = tuple[str | int, ...]
_LARGEST = 2**63
_DEEPEST = 100


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


class Record(BaseModel):
    """A frozen record that takes what its annotations say and nothing else.

    Values are never converted on the way in: "5" is no number. A field's description says what it
    is for; it stands in the reference, in forms, in messages and in the JSON Schema.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @classmethod
    def written_as(cls) -> "type[Record]":
        """Return the record whose fields people write, where that is another one."""
        return cls

    @classmethod
    def variant(cls, data: object) -> "type[Record]":
        """Return the record that the data describe, where a tag in them says which."""
        return cls

    def changed(self, **changes: object) -> Self:
        """Return the record with other values, checked like a new one."""
        before = {name: getattr(self, name) for name in type(self).model_fields}
        return read_record(type(self), before | changes, where=type(self).__name__)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; fields at their defaults are left out."""
        return self.model_dump(mode="json", exclude_defaults=True)


class CoherentRecord(Record):
    """A record whose values must also fit together; `problems` lists what does not."""

    def problems(self) -> list[Problem]:
        """Return what single values cannot show; paths begin at this record."""
        return []

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        problems = self.problems()
        if problems:
            raise PydanticCustomError("incoherent", "parts do not fit", {"problems": problems})
        return self


SomeRecord = TypeVar("SomeRecord", bound=Record)


def read_record(record: type[SomeRecord], data: object, *, where: str) -> SomeRecord:
    """Return plain values as a record, or raise everything that is wrong with them."""
    made, problems = check_record(record, data)
    raise_problems(problems, where=where)
    return cast(SomeRecord, made)


def check_record(record: type[SomeRecord], data: object) -> tuple[SomeRecord | None, list[Problem]]:
    """Return plain values as a record, or None and everything that is wrong with them."""
    problems: list[Problem] = []
    prepared = _prepared(data, (), problems)
    try:
        made = record.model_validate(prepared)
    except ValidationError as error:
        return None, problems + _in_our_words(error, record, prepared)
    return (None, problems) if problems else (made, [])


def raise_problems(problems: Sequence[Problem], *, where: str) -> None:
    """Raise them all as one exception, if there are any."""
    if problems:
        raise ManyProblemsError(problems[0].error(where=where), problems)


def written(path: Path) -> str:
    """Return a path as people write it: `survey.items[2].text`, counting from 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def records_in(annotation: object) -> list[type[Record]]:
    """Return the records that an annotation names: `tuple[Item, ...] | None` names Item."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return [annotation]
    return [record for inner in get_args(annotation) for record in records_in(inner)]


def bounds(field: FieldInfo) -> tuple[Any, Any]:
    """Return the smallest and the largest number a field takes; None where it does not say."""
    low = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), None)
    high = next((rule.le for rule in field.metadata if hasattr(rule, "le")), None)
    return low, high


def written_fields(record: type[Record]) -> Iterable[tuple[str, FieldInfo]]:
    """Return the fields people write; one marked `filled` is filled in while a file is read."""
    for name, field in record.written_as().model_fields.items():
        extra = field.json_schema_extra
        if not (isinstance(extra, dict) and extra.get("filled")):
            yield name, field


def _prepared(value: Any, path: Path, problems: list[Problem]) -> Any:  # noqa: ANN401 - plain values
    """Return lists as the tuples records hold; add text and numbers that cannot be stored."""
    if len(path) > _DEEPEST:
        _add(problems, path, "lists or tables in each other", f"at most {_DEEPEST}", "Use fewer.")
    elif isinstance(value, Mapping):
        return {
            str(name): _prepared(inner, (*path, str(name)), problems)
            for name, inner in value.items()
        }
    elif isinstance(value, list | tuple):
        return tuple(
            _prepared(inner, (*path, index), problems) for index, inner in enumerate(value)
        )
    elif isinstance(value, str) and "\x00" in value:
        _add(problems, path, "a character zero", "text that can be stored", "Take it out.")
    elif isinstance(value, int) and not -_LARGEST < value < _LARGEST:
        found = "a whole number of more than 18 digits"
        _add(problems, path, found, "a number of a sensible size", "Change it.")
    return value


def _in_our_words(error: ValidationError, record: type[Record], data: object) -> list[Problem]:
    """Return what Pydantic found as problems, one per place and unknown keys before the rest."""
    details = error.errors(include_url=False)
    problems: dict[Path, list[Problem]] = {}
    misspelt: set[Path] = set()
    for detail in sorted(details, key=lambda error: error["type"] != "extra_forbidden"):
        path = _path(detail, data)
        if detail["type"] == "incoherent":
            inside = detail["ctx"]["problems"]
            problems[path] = [replace(problem, path=path + problem.path) for problem in inside]
        elif detail["type"] == "extra_forbidden":
            problem, meant = _unknown_key(path, _records_at(record, path[:-1], data), data)
            problems[path] = [problem]
            misspelt.add((*path[:-1], meant))
        elif detail["type"] == "missing":
            if path not in misspelt:
                problems[path] = [_missing(path, _records_at(record, path[:-1], data))]
        else:  # of a union's complaints about one value, the last is about its widest type
            problems[path] = [_wrong_value(path, detail, record, data)]
    return [problem for at_place in problems.values() for problem in at_place]


def _path(detail: ErrorDetails, data: object) -> Path:
    """Return where people wrote the value; Pydantic also names the member of a union it tried."""
    path: list[str | int] = []
    here: Any = data
    for step in detail["loc"]:
        is_entry = isinstance(here, tuple) and isinstance(step, int)
        if is_entry or (isinstance(here, Mapping) and step in here):
            path, here = [*path, step], here[step]
    return (*path, detail["loc"][-1]) if detail["type"] == "missing" else tuple(path)


def _records_at(record: type[Record], path: Path, data: object) -> list[type[Record]]:
    """Return the records that may stand at a path: one, or the members of a union."""
    records = [record.written_as()]
    here: Any = data
    for step in path:
        here = here[step]
        fields = [model.model_fields[str(step)] for model in records if step in model.model_fields]
        if fields:
            inner = [inner for field in fields for inner in records_in(field.annotation)]
            records = [model.written_as() for model in inner]
        else:  # an entry of a list, whose values may say which record it is
            records = [model.variant(here) for model in records]
    return records


def _unknown_key(path: Path, records: Sequence[type[Record]], data: object) -> tuple[Problem, str]:
    """Return the problem of a key that is not known, and the key that was probably meant."""
    here: Any = data
    for step in path[:-1]:
        here = here[step]
    known = list(dict.fromkeys(name for record in records for name in record.model_fields))
    name = str(path[-1])
    meant = _nearest(name, [entry for entry in known if entry not in here])
    cure = f"Did you mean {meant!r}?" if meant else f"Known here: {', '.join(known)}."
    problem = Problem(
        path=path, found=f"an unknown key {name!r}", needed="only known keys", cure=cure
    )
    return problem, meant


def _missing(path: Path, records: Sequence[type[Record]]) -> Problem:
    name = str(path[-1])
    fields = [record.model_fields[name] for record in records if name in record.model_fields]
    note = fields[0].description or "" if fields else ""
    return Problem(
        path=path[:-1],
        found=f"no {name!r}",
        needed=f"{name!r}: {note}" if note else repr(name),
        cure=f"Add {name}.",
    )


_QUOTE, _UNQUOTE = 'Put it in quotes: "...".', "Write it without quotes."
_TABLE = ("a table of keys", "Write its keys one by one.")
_NEEDED = {
    "string_type": ("text", _QUOTE),
    "string_unicode": ("text that can be stored", "Take half characters out."),
    "int_type": ("a whole number", _UNQUOTE),
    "float_type": ("a number", _UNQUOTE),
    "bool_type": ("true or false", _UNQUOTE),
    "int_parsing": ("a whole number", "Change it."),
    "bool_parsing": ("yes or no", "Change it."),
    "finite_number": ("a number of a sensible size", "Change it."),
    "tuple_type": ("a list", "Put the values in [ ]."),
    "dict_type": _TABLE,
    "mapping_type": _TABLE,
    "model_type": _TABLE,
    "model_attributes_type": _TABLE,
}


def _wrong_value(path: Path, detail: ErrorDetails, record: type[Record], data: object) -> Problem:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    found = _shown(value)
    if kind in _NEEDED:
        needed, cure = _NEEDED[kind]
        cure = "Change it." if isinstance(value, bool) else cure
    elif kind in ("greater_than_equal", "less_than_equal"):
        field = next(
            model.model_fields[str(path[-1])] for model in _records_at(record, path[:-1], data)
        )
        low, high = bounds(field)
        found, cure = str(value), "Change the number."
        needed = f"from {low} to {high}"
        if low is None or high is None:
            needed = f"at most {high}" if low is None else f"at least {low}"
    elif kind == "literal_error":
        names = re.findall(r"'([^']*)'", context["expected"])
        meant = _nearest(value, names)
        needed, cure = f"one of {', '.join(names)}", f"Did you mean {meant!r}?" if meant else ""
    elif kind.startswith("union_tag"):
        found, cure = _shown(context.get("tag")), "Name it."
        needed = f"{context['discriminator']}, which says what it is"
    else:
        needed, cure = detail["msg"], ""
    return Problem(path=path, found=found, needed=needed, cure=cure or "Change it.")


def _add(problems: list[Problem], path: Path, found: str, needed: str, cure: str) -> None:
    problems.append(Problem(path=path, found=found, needed=needed, cure=cure))


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _nearest(name: object, names: Iterable[str]) -> str:
    return next(iter(get_close_matches(str(name), list(names), n=1)), "")
