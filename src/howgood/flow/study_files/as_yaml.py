"""A study file in YAML with a note beside every key.

In: the text of a study file in TOML. Out: the same study as commented YAML. Absent: a YAML library;
JSON's strings and numbers are YAML too.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from howgood.kinds.study import Study
from howgood.records.record import Record, records_in, written_fields

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
    record: type[Record],
    indent: str,
    explained: set[tuple[object, str]],
) -> Iterator[str]:
    for name, field in written_fields(record):
        if name not in data:
            if (record, name) not in explained:
                yield f"{indent}# {name}: {field.description}"
        else:
            if (record, name) not in explained:
                yield f"{indent}# {field.description}"
            yield from _entry(name, data[name], field.annotation, indent, explained)
        explained.add((record, name))


def _entry(
    name: str, value: object, annotation: object, indent: str, explained: set[tuple[object, str]]
) -> Iterator[str]:
    inner = next(iter(records_in(annotation)), None)
    if isinstance(value, list) and inner is not None:
        yield f"{indent}{name}:"
        for each in value:
            lines = [*_record(each, inner.variant(each), indent + "    ", explained)]
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
