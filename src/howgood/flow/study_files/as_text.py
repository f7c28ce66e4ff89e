"""A study as a study file: in TOML, or in YAML with a note above every key.

In: plain values of a study. Out: text that reads back as the same values. Absent: a YAML library;
JSON's strings and numbers are YAML too.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from howgood.kinds.study import Study
from howgood.records.record import Record, records_in, written_fields


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
    return isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value)


def _key(name: str) -> str:
    is_bare = bool(name) and all(character.isalnum() or character in "-_" for character in name)
    return name if is_bare and name.isascii() else _string(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value) if "\n" in value else _string(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    return repr(value)


def _text(value: str) -> str:
    """Return several lines as they are read; a line break after the quotes does not count."""
    lines = "\n".join(_string(line)[1:-1] for line in value.split("\n"))
    return f'"""\n{lines}"""'


def _string(value: str) -> str:
    # JSON's strings are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


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
    return "\n".join([_HEADING, *_yaml_record(data, Study, "", set())]) + "\n"


def _yaml_record(
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
            yield from _yaml_entry(name, data[name], field.annotation, indent, explained)
        explained.add((record, name))


def _yaml_entry(
    name: str, value: object, annotation: object, indent: str, explained: set[tuple[object, str]]
) -> Iterator[str]:
    inner = next(iter(records_in(annotation)), None)
    if isinstance(value, list) and inner is not None:
        yield f"{indent}{name}:"
        for entry in value:
            lines = [*_yaml_record(entry, inner.variant(entry), indent + "    ", explained)]
            # The dash stands before the first key; notes above it stay notes.
            first = next(i for i, line in enumerate(lines) if not line.lstrip().startswith("#"))
            lines[first] = indent + "  - " + lines[first].lstrip()
            yield from lines
    elif isinstance(value, dict) and inner is not None:
        yield f"{indent}{name}:"
        yield from _yaml_record(value, inner, indent + "  ", explained)
    elif isinstance(value, dict):
        yield f"{indent}{name}:"
        for key, entry in value.items():
            yield from _yaml_entry(key, entry, str, indent + "  ", explained)
    elif isinstance(value, str) and "\n" in value:
        yield f"{indent}{name}: |"
        for line in value.strip().splitlines():
            yield f"{indent}  {line}".rstrip()
    else:
        yield f"{indent}{name}: {json.dumps(value, ensure_ascii=False)}"
