"""Read a form back into the plain values of a study, and do what its buttons say.

In: the values before, what the browser sent, files as they were stored. Out: the values after.
Absent: checking them (`draft`): a value that makes no sense is kept as it was typed.

A field that shows what it showed before keeps its value untouched, so saving a form without
changing it changes nothing, not even how a number was written.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic.fields import FieldInfo

from howgood.ask.sentences import languages
from howgood.errors import InputError
from howgood.flow.authoring.shape import Part, dotted, is_hidden
from howgood.flow.authoring.widgets import element, inner, read, shown, widget_of
from howgood.kinds.study import Study
from howgood.names import plain_letters
from howgood.records.record import Path, Record, bounds, written_fields

Values = dict[str, Any]
_ABSENT = object()
_DIGITS = 9  # of the place in a list
_MOST_LINES = 200  # that are pasted at once


@dataclass(frozen=True, slots=True, kw_only=True)
class SentForm:
    """What a browser sent: texts by field, and the names and digests of files stored for it."""

    texts: Mapping[str, Sequence[str]]
    files: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """Return the last text of a field (a tick box follows its hidden twin), or None."""
        value = self.texts.get(name)
        return value[-1].replace("\r\n", "\n").replace("\r", "\n") if value else None

    def holds(self, prefix: str) -> bool:
        """Return whether anything inside a group was sent."""
        names = (*self.texts, *self.files)
        return any(name.startswith(prefix + ".") for name in names)

    def indices(self, prefix: str) -> list[int]:
        """Return which entries of a list were sent."""
        places = {
            int(head)
            for name in (*self.texts, *self.files)
            if name.startswith(prefix + ".")
            and (head := name[len(prefix) + 1 :].partition(".")[0]).isdecimal()
            and len(head) <= _DIGITS
        }
        return sorted(places)


def read_part(part: Part, before: Mapping[str, Any], sent: SentForm) -> Values:
    """Return the study's values after a part of the form was sent."""
    return _record(Study, before, (), sent, part.fields)


def _record(
    record: type[Record],
    before: Mapping[str, Any],
    path: Path,
    sent: SentForm,
    names: Sequence[str] | None = None,
) -> Values:
    after = dict(before)
    for name, info in written_fields(record):
        if name not in names if names else is_hidden((*path, name)):
            continue
        value = _value(record, info, before.get(name), (*path, name), sent)
        if value is _ABSENT:
            after.pop(name, None)
        else:
            after[name] = value
    return {name: value for name, value in after.items() if value is not None}


def _value(
    record: type[Record],
    info: FieldInfo,
    before: Any,  # noqa: ANN401 - plain values
    path: Path,
    sent: SentForm,
) -> Any:  # noqa: ANN401 - plain values
    hint = info.annotation
    widget = widget_of(hint, record=record, name=str(path[-1]))
    if widget == "list":
        return _list(element(hint), before, path, sent)
    if widget == "words":
        return _words(before, path, sent)
    if widget == "translations":
        return _translations(before, path, sent) or _ABSENT
    if widget == "picture":
        return _picture(before, path, sent)
    if widget == "group":
        if not sent.holds(dotted(path)):
            return before
        data = before if isinstance(before, Mapping) else {}
        return _record(inner(hint), data, path, sent) or _blank_group(info)
    text = sent.text(dotted(path))
    usual = None if info.is_required() else info.default
    if text is None or text == shown(widget, hint, usual if before is None else before):
        return before
    value = read(widget, hint, text)
    if value in (None, [], {}):
        return "" if info.is_required() and hint is str else _ABSENT
    is_usual = type(value) is type(usual) and value == usual
    return _ABSENT if is_usual else value


def _blank_group(info: FieldInfo) -> Any:  # noqa: ANN401 - plain values
    """Return an empty group: left out where it may be, empty where it is needed."""
    return {} if info.default_factory is None else _ABSENT


def _list(record: Any, before: Any, path: Path, sent: SentForm) -> Any:  # noqa: ANN401 - plain values
    if sent.text(dotted(path)) is None:
        return before
    old = before if isinstance(before, list) else []
    entries = []
    for index in sent.indices(dotted(path)):
        data = old[index] if index < len(old) and isinstance(old[index], Mapping) else {}
        # An undone move sends another entry to this place, perhaps of another type.
        kind = sent.text(dotted((*path, index, "type")))
        if kind is not None and kind != data.get("type", "choice"):
            known = record.variant({"type": kind}).model_fields
            data = {name: value for name, value in data.items() if name in known}
        sort = record.variant(data if kind is None else {**data, "type": kind})
        entries.append(_record(sort, data, (*path, index), sent))
    return entries or _ABSENT


def _words(before: Any, path: Path, sent: SentForm) -> Values:  # noqa: ANN401 - plain values
    after = dict(before) if isinstance(before, Mapping) else {}
    prefix = dotted(path) + "."
    for name in sent.texts:
        key = name.removeprefix(prefix)
        if name.startswith(prefix) and "." not in key:
            after[key] = sent.text(name)
    return {key: text for key, text in after.items() if text}


def _translations(before: Any, path: Path, sent: SentForm) -> Values:  # noqa: ANN401 - plain values
    """Return the texts of every language by their places; one without any text stays."""
    after: Values = {}
    for code, texts in (before if isinstance(before, Mapping) else {}).items():
        prefix = dotted((*path, code)) + "."
        typed = {
            name.removeprefix(prefix): sent.text(name)
            for name in sent.texts
            if name.startswith(prefix)
        }
        after[code] = {place: text for place, text in {**texts, **typed}.items() if text}
    return after


def _act_on_language(data: Values, verb: str, name: str) -> tuple[Values, str]:
    """Add a language to translate into, or remove it with its texts."""
    table, _, code = name.partition(".")
    if code not in languages() and code not in data.get(table, {}):
        raise _unknown(name)
    written = data.setdefault(table, {})
    if verb == "add":
        written.setdefault(code, {})
    else:
        written.pop(code, None)
    return {key: value for key, value in data.items() if key != table or value}, name


def _picture(before: Any, path: Path, sent: SentForm) -> Any:  # noqa: ANN401 - plain values
    after = dict(before) if isinstance(before, Mapping) else {}
    kept = sent.text(dotted((*path, "kept")))
    if kept is not None:
        # The file that the form showed: the entry at this place may be another one by now.
        names = zip(("file", "digest"), kept.rsplit(" ", 1), strict=False)
        after = {name: text for name, text in names if text}
    stored = sent.files.get(dotted((*path, "file")))
    if stored:
        after["file"], after["digest"] = stored
    text = sent.text(dotted((*path, "alternative")))
    if text or "file" in after:
        after["alternative"] = after.get("alternative", "") if text is None else text
    return after if after.get("file") or after.get("alternative") else _ABSENT


def act(data: Mapping[str, Any], action: str, *, pasted: str = "") -> tuple[Values, str]:
    """Add, remove or move what a button names; return the values and the field to go to.

    `to:NAME:PLACE` moves an entry to a place of its list; `paste:NAME` adds an entry for every line
    of `pasted`, a column of a spreadsheet.
    """
    verb, _, name = action.partition(":")
    name, _, target = name.partition(":")
    if name.startswith("translations.") and verb in ("add", "remove"):
        return _act_on_language(_copied(data), verb, name)
    steps = name.split(".")
    record, path, is_list = _walked(steps, data)
    copied: Values = _copied(data)
    if verb == "paste" and is_list:
        return copied, _paste(copied, record, path, pasted)
    if verb == "add":
        return copied, _add(copied, record, path, is_list=is_list)
    holder, last = _holder(copied, path)
    if isinstance(holder, dict) and verb == "remove":
        holder.pop(str(last), None)
    elif isinstance(holder, list) and isinstance(last, int) and last < len(holder):
        place = _move(holder, last, verb, target)
        if place is not None:
            return copied, dotted((*path[:-1], place))
    return copied, dotted(path[:-1])


def _paste(data: Values, record: Any, path: Path, pasted: str) -> str:  # noqa: ANN401 - a record type
    """Add an entry per line; of two cells the first is the key, of one the text makes it."""
    holder, last = _holder(data, path)
    if not isinstance(holder, dict):
        raise _unknown(dotted(path))
    entries = holder.setdefault(str(last), [])
    for line in pasted.splitlines()[:_MOST_LINES]:
        cells = [cell.strip() for cell in line.split("\t") if cell.strip()]
        if not cells:
            continue
        entry = blank(record, taken=entries)
        entry["text"] = cells[-1]
        key = re.sub(r"[^a-z0-9]+", "_", plain_letters(cells[0])).strip("_")[:40]
        taken = {one_entry.get("key") for one_entry in entries if isinstance(one_entry, Mapping)}
        if key and key[0].isalpha() and key not in taken:
            entry["key"] = key
        entries.append(entry)
    return dotted(path)


def _move(entries: list[Any], index: int, verb: str, target: str) -> int | None:
    """Move an entry and return its new place; without a place to go to it is removed."""
    entry = entries.pop(index)
    places = {"up": max(index - 1, 0), "down": index + 1}
    if verb == "to" and target.isdecimal() and len(target) <= _DIGITS:
        places[verb] = int(target)
    if verb not in places:
        return None
    place = min(places[verb], len(entries))
    entries.insert(place, entry)
    return place


def _add(data: Values, record: Any, path: Path, *, is_list: bool) -> str:  # noqa: ANN401 - a record type
    holder, last = _holder(data, path)
    if not isinstance(holder, dict):
        raise _unknown(dotted(path))
    if is_list:
        entries = holder.setdefault(str(last), [])
        entries.append(blank(record, taken=entries))
        return dotted((*path, len(entries) - 1))
    holder.setdefault(str(last), blank(record, taken=[]))
    return dotted(path)


def blank(record: type[Record], *, taken: Sequence[Any]) -> Values:
    """Return a new entry with everything that is needed, to be filled in."""
    made: Values = {}
    for name, info in record.model_fields.items():
        if not info.is_required():
            continue
        widget = widget_of(info.annotation, record=record, name=name)
        if widget == "group":
            made[name] = blank(inner(info.annotation), taken=[])
        elif name == "key":
            made[name] = _free_key(taken)
        else:
            made[name] = {
                "number": bounds(info)[0] or 1, "lines": [], "list": [],
                "words": {}, "pairs": {}, "picture": {"file": "", "alternative": ""},
            }.get(widget, "")  # fmt: skip
    return made


def _free_key(taken: Sequence[Any]) -> str:
    used = {entry.get("key") for entry in taken if isinstance(entry, Mapping)}
    return next(key for n in range(1, len(used) + 2) if (key := f"new{n}") not in used)


def _walked(steps: Sequence[str], data: Mapping[str, Any]) -> tuple[Any, Path, bool]:
    """Return the record at a path, the path, whether it is a list's; refuse unknown steps."""
    record: Any = Study
    path: list[str | int] = []
    is_list = False
    for step in steps:
        if is_list and step.isdecimal() and len(step) <= _DIGITS:
            path.append(int(step))
            record = record.variant(_entry(data, path))  # a matrix has rows, other questions none
            is_list = False
            continue
        info = record.written_as().model_fields.get(step) if not is_list else None
        hint = info.annotation if info is not None else str
        widget = widget_of(hint, record=record, name=step)
        if widget not in ("list", "group", "picture"):
            raise _unknown(".".join(steps))
        record = element(hint) if widget == "list" else inner(hint)
        path.append(step)
        is_list = widget == "list"
    return record, tuple(path), is_list


def _entry(data: Any, path: Sequence[str | int]) -> Any:  # noqa: ANN401 - plain values
    """Return what is written at a path; nothing where there is nothing."""
    for step in path:
        if isinstance(data, Mapping):
            data = data.get(str(step))
        elif isinstance(data, list | tuple) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _holder(data: Values, path: Path) -> tuple[Any, str | int]:
    holder: Any = data
    for step in path[:-1]:
        if isinstance(holder, dict):
            holder = holder.setdefault(str(step), {})
        elif isinstance(holder, list) and isinstance(step, int) and step < len(holder):
            holder = holder[step]
        else:
            raise _unknown(dotted(path))
    return holder, path[-1]


def _copied(value: Any) -> Any:  # noqa: ANN401 - plain values
    if isinstance(value, Mapping):
        return {name: _copied(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(entry) for entry in value]
    return value


def _unknown(name: str) -> InputError:
    return InputError(
        where="form",
        found=f"a button for {name!r}",
        needed="a list or a group of this study",
        cure="Reload the page and press it again.",
    )
