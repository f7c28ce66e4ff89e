"""A study file in YAML with a note beside every key.

In: the text of a study file in TOML. Out: the same study as commented YAML. Absent: a YAML library;
JSON's strings and numbers are YAML too.
"""

import dataclasses
import json
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from howgood.records.plain import field_types
from howgood.records.study import Study

_HEADING = """\
# Ready to run:
#   howgood check FILE      says what is wrong, line by line
#   howgood serve FILE      runs it in the browser
# Lines that begin with # are notes, or settings that are off. Text is plain text; **two stars**
# make bold, an empty line starts a new paragraph.
"""


def commented_yaml(toml_text: str) -> str:
    """Return the study in TOML text as YAML, every key with what it is for."""
    return yaml_text(tomllib.loads(toml_text))


def yaml_text(data: Mapping[str, Any]) -> str:
    """Return a study's plain values as YAML, every key with what it is for."""
    return "\n".join([_HEADING, *_record(data, Study, "", set())]) + "\n"


def _record(
    data: Mapping[str, Any],
    record: Any,  # noqa: ANN401 - a record type
    indent: str,
    explained: set[tuple[object, str]],
) -> Iterator[str]:
    for each in dataclasses.fields(record):
        if not each.init or each.metadata.get("filled"):
            continue
        note = each.metadata["note"]
        if each.name not in data:
            if (record, each.name) not in explained:
                yield f"{indent}# {each.name}: {note}"
        else:
            if (record, each.name) not in explained:
                yield f"{indent}# {note}"
            hint = field_types(record)[each.name]
            yield from _entry(each.name, data[each.name], hint, indent, explained)
        explained.add((record, each.name))


def _entry(
    name: str, value: object, hint: object, indent: str, explained: set[tuple[object, str]]
) -> Iterator[str]:
    inner = _record_in(hint)
    if isinstance(value, list) and inner is not None:
        yield f"{indent}{name}:"
        for each in value:
            lines = [*_record(each, inner, indent + "    ", explained)]
            # The dash stands before the first key; notes above it stay notes.
            first = next(i for i, line in enumerate(lines) if not line.lstrip().startswith("#"))
            lines[first] = indent + "  - " + lines[first].lstrip()
            yield from lines
    elif isinstance(value, dict) and inner is not None:
        yield f"{indent}{name}:"
        yield from _record(value, inner, indent + "  ", explained)
    elif isinstance(value, dict):
        yield f"{indent}{name}:"
        for key, each in value.items():
            yield from _entry(key, each, str, indent + "  ", explained)
    elif isinstance(value, str) and "\n" in value:
        yield f"{indent}{name}: |"
        for line in value.strip().splitlines():
            yield f"{indent}  {line}".rstrip()
    else:
        yield f"{indent}{name}: {json.dumps(value, ensure_ascii=False)}"


def _record_in(hint: object) -> type[Any] | None:
    """Return the record type an annotation holds, if any."""
    if typing.get_origin(hint) in (tuple, types.UnionType, typing.Union):
        return next((found for each in typing.get_args(hint) if (found := _record_in(each))), None)
    return hint if isinstance(hint, type) and dataclasses.is_dataclass(hint) else None
