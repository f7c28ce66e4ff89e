"""Results and metrics as plain values and back: one mechanism for all of them.

In: a result. Out: `to_dict` with its readable values and, under "record", all of it packed into
one string; `from_dict`, which unpacks that string. Absent: files (`save` and `load` look up
`flow.saved_results`), pickles: nothing in a string runs when it is read, and only classes of
howgood are made from it.

A class gets all of it by deriving from `Saved` (as `Shown` and `Tabular` do), and may write a
`to_dict` with the values that people want to read; "record" is added to it. A class whose `to_dict`
already holds every field, such as a metric, sets `is_plain = True` and goes without.
"""

import base64
import json
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import cached_property, partial, wraps
from importlib import import_module
from types import FunctionType
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError

RECORD = "record"
# Where classes that may be unpacked live.
_PACKAGES = ("records", "stats", "ask", "learn", "score", "decide")
_ARRAY_KINDS = "biufcUSmM"
_MOST_BYTES = 500_000_000
_inside: ContextVar[bool] = ContextVar("inside another result", default=False)


class Packed(str):
    """A packed record: text like any other, shown by its size alone."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{max(1, len(self) // 1000)} kB for from_dict>"


def _with_record(written: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    """Return a `to_dict` that adds the packed record once, not again for every part."""

    @wraps(written)
    def to_dict(self: Any) -> dict[str, Any]:  # noqa: ANN401 - the result
        if _inside.get():
            return written(self)
        token = _inside.set(True)
        try:
            values = plain_value(written(self))
        finally:
            _inside.reset(token)
        return {**values, **_record(self)}

    return to_dict


def _record(result: object) -> dict[str, Any]:
    """Return the packed record; nothing where a part is of a class that somebody else wrote."""
    try:
        return {RECORD: pack(result)}
    except InputError:
        return {}


def readable_values(result: "Saved") -> dict[str, Any]:
    """Return what `to_dict` says to people, without the packed record."""
    return {name: value for name, value in result.to_dict().items() if name != RECORD}


class Saved:
    """A result or metric that becomes plain values or a file, and comes back from either.

    Examples
    --------
    >>> from howgood.records import Estimate
    >>> estimate = Estimate.from_draws([1.0, 2.0, 3.0])
    >>> again = Estimate.from_dict(json.loads(json.dumps(estimate.to_dict())))
    >>> again == estimate, again.draws.tolist()
    (True, [1.0, 2.0, 3.0])
    """

    __slots__ = ()
    is_plain: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        written = cls.__dict__.get("to_dict")
        if written is not None and not cls.is_plain and not hasattr(written, "__wrapped__"):
            cls.to_dict = _with_record(written)  # type: ignore[method-assign]  # wrapped

    @_with_record
    def to_dict(self) -> dict[str, Any]:
        """Return readable values, ready for JSON, and the whole packed under "record"."""
        return field_values(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the result or metric whose `to_dict` is given."""
        if cls.is_plain:
            return cls._from_fields(values)
        made = unpack(values.get(RECORD))
        if not isinstance(made, cls):
            raise _unreadable(f"a packed {type(made).__name__}", f"a {cls.__name__}")
        return made

    def save(self, path: Any) -> None:  # noqa: ANN401 - a path
        """Write everything to a JSON file that `load` reads."""
        import_module("howgood.flow.saved_results").save_result(self, path)

    @classmethod
    def load(cls, path: Any) -> Self:  # noqa: ANN401 - a path
        """Return what `save` wrote to the file."""
        return cast(Self, import_module("howgood.flow.saved_results").load_result(cls, path))

    @classmethod
    def _from_fields(cls, values: Mapping[str, Any]) -> Self:
        """Return a class whose plain values are its fields, from these."""
        names = [field.name for field in fields(cast(Any, cls)) if field.init]
        given = {name: _as_tuple(values[name]) for name in names if name in values}
        try:
            return cls(**given)
        except (TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise _unreadable(f"{sorted(values)}", f"the values of a {cls.__name__}") from error


def field_values(record: Any) -> dict[str, Any]:  # noqa: ANN401 - a dataclass
    """Return every field by name; parts are asked for their own plain values."""
    return {field.name: plain_value(getattr(record, field.name)) for field in fields(record)}


def plain_value(value: Any) -> Any:  # noqa: ANN401 - any value
    """Return a value as JSON has it: tables as rows, arrays as lists, parts as they say themselves.

    Examples
    --------
    >>> plain_value({0: np.array([0.5]), (1, 2): np.float64(3.0)})
    {'0': [0.5], '(1, 2)': 3.0}
    """
    if isinstance(value, np.ndarray | np.generic):
        return plain_value(value.tolist())
    if value is None or isinstance(value, bool | str | float | int):
        return value
    if isinstance(value, Mapping) and hasattr(value, "rows"):  # a table
        return [plain_value(row) for row in value.rows()]
    if hasattr(value, "to_dict"):
        return plain_value(value.to_dict())
    if isinstance(value, Mapping):
        return {
            name if isinstance(name, str) else str(name): plain_value(entry)
            for name, entry in value.items()
        }
    if hasattr(value, "_asdict"):
        return plain_value(value._asdict())
    if isinstance(value, list | tuple):
        return [plain_value(entry) for entry in value]
    return field_values(value) if is_dataclass(value) else str(value)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and hasattr(value, "to_frame")


def pack(value: object) -> Packed:
    """Return a result as one line of text that `unpack` reads."""
    text = json.dumps(_packed(value), separators=(",", ":"), allow_nan=False)
    return Packed(base64.b64encode(zlib.compress(text.encode())).decode())


def unpack(text: object) -> Any:  # noqa: ANN401 - any result
    """Return the result that `pack` made text of.

    Examples
    --------
    >>> unpack(pack((1, [2.5, float("inf")], {(0, 1): None})))
    (1, [2.5, inf], {(0, 1): None})
    """
    if not isinstance(text, str):
        raise _unreadable("no packed record", f"the {RECORD!r} that to_dict gave")
    try:
        unzip = zlib.decompressobj()
        plain = unzip.decompress(base64.b64decode(text.encode(), validate=True), _MOST_BYTES)
        if unzip.unconsumed_tail or not unzip.eof:
            raise ValueError("too long or cut off")
        return _unpacked(json.loads(plain))
    except InputError:
        raise
    except Exception as error:  # whatever it is, the text is at fault: ours is read without any
        raise _unreadable(f"a packed record that cannot be read ({error!s:.120})") from error


def _packed(value: Any) -> Any:  # noqa: ANN401 - any value
    if value is None or isinstance(value, bool | str) or type(value) is int:
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _packed_array(np.asarray(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, list):
        return [_packed(entry) for entry in value]
    if hasattr(value, "_asdict"):  # a named tuple
        return {"class": _name(type(value)), "values": [_packed(entry) for entry in value]}
    if isinstance(value, tuple):
        return {"tuple": [_packed(entry) for entry in value]}
    if isinstance(value, Mapping):
        pairs = [[_packed(key), _packed(entry)] for key, entry in value.items()]
        return (
            {"class": _name(type(value)), "table": pairs} if _is_table(value) else {"dict": pairs}
        )
    if isinstance(value, partial):  # a later step of a computation in `stats`
        return {"call": _name(value.func), "with": [_packed(given) for given in value.args]}
    return {"class": _name(type(value)), "fields": _state(value)}


def _packed_array(array: NDArray[Any]) -> dict[str, Any]:
    if array.dtype.kind == "O":
        return {"objects": [_packed(entry) for entry in array.ravel()], "shape": [*array.shape]}
    packed = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"array": packed, "dtype": array.dtype.str, "shape": [*array.shape]}


def _state(value: Any) -> dict[str, Any]:  # noqa: ANN401 - an object of ours
    """Return what makes an object: fields of a dataclass, else attributes that are not computed."""
    kind = type(value)
    if is_dataclass(kind):
        names = [field.name for field in fields(kind) if field.init]
    else:
        names = [name for name in vars(value) if not _is_computed(kind, name)]
    return {name: _packed(getattr(value, name)) for name in names}


def _is_computed(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), cached_property)


def _name(kind: Any) -> str:  # noqa: ANN401 - a class or function
    """Return where a class of ours is, such as "records.estimate:Estimate"."""
    top, _, module = kind.__module__.partition(".")
    if top != "howgood" or module.partition(".")[0] not in _PACKAGES:
        raise InputError(
            where="to_dict",
            found=f"a {kind.__module__}.{kind.__qualname__}",
            needed="numbers, text, arrays and results",
            cure="Convert it first.",
        )
    return f"{module}:{kind.__qualname__}"


def _named(name: str, *, packages: Sequence[str] = _PACKAGES, kind: type = type) -> Any:  # noqa: ANN401 - a class of ours
    """Return what `_name` named: a class of our library, or a function of `stats`, and no other."""
    module, _, attribute = name.partition(":")
    if module.partition(".")[0] in packages and ".." not in module:
        named = getattr(import_module(f"howgood.{module}"), attribute)
        if isinstance(named, kind) and named.__module__ == f"howgood.{module}":
            return named
    raise ValueError(f"no class of results: {name:.80}")


def _unpacked(value: Any) -> Any:  # noqa: ANN401 - plain values in, anything out
    if isinstance(value, list):
        return [_unpacked(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float(value["float"])
    if "tuple" in value:
        return tuple(_unpacked(entry) for entry in value["tuple"])
    if "dict" in value:
        return {_unpacked(key): _unpacked(entry) for key, entry in value["dict"]}
    if "array" in value or "objects" in value:
        return _unpacked_array(value)
    if "call" in value:
        function = _named(str(value["call"]), packages=("stats",), kind=FunctionType)
        return partial(function, *(_unpacked(given) for given in value["with"]))
    return _made(_named(str(value["class"])), value)


def _unpacked_array(value: Mapping[str, Any]) -> Any:  # noqa: ANN401 - an array or one number
    shape = tuple(int(size) for size in value["shape"])
    if "objects" in value:
        objects = np.empty(len(value["objects"]), dtype=object)
        objects[:] = [_unpacked(entry) for entry in value["objects"]]
        return objects.reshape(shape)
    dtype = np.dtype(str(value["dtype"]))
    if dtype.kind not in _ARRAY_KINDS:
        raise ValueError(f"an array of {dtype}")
    entries = np.frombuffer(base64.b64decode(value["array"]), dtype=dtype)
    array = entries.reshape(shape).copy()
    return array if shape else array[()]


def _made(kind: Any, value: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a class and its object
    if "values" in value:
        return kind(*(_unpacked(entry) for entry in value["values"]))
    if "table" in value:
        return kind({_unpacked(key): _unpacked(entry) for key, entry in value["table"]})
    state = {str(name): _unpacked(entry) for name, entry in value["fields"].items()}
    if hasattr(kind, "__dataclass_fields__"):
        return kind(**state)
    made = kind.__new__(kind)
    vars(made).update(state)
    return made


def _as_tuple(value: Any) -> Any:  # noqa: ANN401 - any plain value
    """Return lists, as JSON has them, as the tuples that records hold."""
    return tuple(_as_tuple(entry) for entry in value) if isinstance(value, list) else value


def _unreadable(found: str, needed: str = "what to_dict or save gave") -> InputError:
    return InputError(
        where="from_dict", found=found, needed=needed, cure="Save the result again, whole."
    )
