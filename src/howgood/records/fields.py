"""A result's fields as plain values.

In: a frozen result. Out: a dict of all its fields; records inside become dicts too. Absent: the way
back (see `plain`, for records people write) and JSON text (see `show.text`).
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from howgood.records.table import Table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def field_values(record: "DataclassInstance") -> dict[str, Any]:
    """Return every field by name; anything with `to_dict` is asked for its own plain values."""
    return {each.name: _value(getattr(record, each.name)) for each in fields(record)}


def _value(value: Any) -> Any:  # noqa: ANN401 - any field
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping) and not isinstance(value, Table):
        return {name: _value(each) for name, each in value.items()}
    return value
