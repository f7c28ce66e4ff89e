"""Record types as JSON Schema, so that one declaration checks and documents.

In: a dataclass or any annotation that `records.plain.decode` reads. Out: JSON Schema (2020-12, the
dialect of OpenAPI 3.1). Absent: values; `decode` reads those by the same annotations.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from howgood.records.plain import field_types

Schema = dict[str, Any]
_SCALARS: dict[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    Any: {},
    object: {},
}


def schema_of(hint: Any, parts: dict[str, Schema]) -> Schema:  # noqa: ANN401 - an annotation
    """Return the schema of an annotation; records are put into `parts` and referred to."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _reference(hint, parts)
    if origin is tuple:
        return {"type": "array", "items": schema_of(arguments[0], parts)}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_alternative(each, parts) for each in arguments]}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1], parts)}
    return dict(_SCALARS[hint])


def _alternative(hint: Any, parts: dict[str, Schema]) -> Schema:  # noqa: ANN401 - an annotation
    return {"type": "null"} if hint is types.NoneType else schema_of(hint, parts)


def _reference(record: type[Any], parts: dict[str, Schema]) -> Schema:
    name = record.__name__
    if name not in parts:
        parts[name] = {}  # holds the place while the fields are looked at
        parts[name] = _record(record, parts)
    return {"$ref": f"#/components/schemas/{name}"}


def _record(record: Any, parts: dict[str, Schema]) -> Schema:  # noqa: ANN401 - a record type
    fields = [each for each in dataclasses.fields(record) if each.init]
    properties = {
        each.name: schema_of(field_types(record)[each.name], parts) | limits(each)
        for each in fields
    }
    needed = [each.name for each in fields if _is_needed(each)]
    schema: Schema = {
        "type": "object",
        "description": (record.__doc__ or "").split("\n")[0],
        "properties": properties,
        "additionalProperties": False,
    }
    return schema | ({"required": needed} if needed else {})


def _is_needed(each: "dataclasses.Field[Any]") -> bool:
    return each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING


def limits(each: "dataclasses.Field[Any]") -> Schema:
    """Return what a field's notes say: meaning, smallest and largest value."""
    notes = each.metadata
    found: Schema = {}
    if notes.get("note"):
        found["description"] = notes["note"]
    for name in ("minimum", "maximum"):
        if notes.get(name) is not None:
            found[name] = notes[name]
    return found
