"""A study as a form: generated from the fields of its records, their types and notes.

In: plain values of a study, right or wrong, and what is wrong with them. Out: `Node`s that a
template can show without knowing any study: questions with examples instead of the keys of study
files. Absent: HTML, and reading the form (`reading`).
"""

import dataclasses
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic.fields import FieldInfo

from howgood.ask.sentences import languages, sentence
from howgood.flow.authoring.builder_questions import PHRASES, asked, choice_words
from howgood.flow.authoring.widgets import (
    Widget,
    columns,
    element,
    inner,
    options_of,
    shown,
    widget_of,
)
from howgood.kinds import KINDS
from howgood.kinds.questions import Question
from howgood.kinds.study import Study
from howgood.kinds.translation import is_optional, texts_of
from howgood.records.record import Path, Problem, Record, written_fields

_LONG_TEXT = 160  # characters that want more than two lines
_MISSING_KEY = re.compile(r"no (?:phrase |word )?'(\w+)'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One thing to fill in, or a group or list of such things.

    `kept` names the file of a picture and its fingerprint, so that the form can send both back.
    """

    name: str
    label: str
    note: str
    widget: Widget
    value: str = ""
    kept: str = ""
    options: tuple[str, ...] = ()
    words: Mapping[str, str] = dataclasses.field(default_factory=dict)
    problem: str = ""
    children: tuple["Node", ...] = ()
    is_optional: bool = False
    is_present: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A page of the form: some of the study's fields."""

    key: str
    label: str
    fields: tuple[str, ...]


def is_hidden(path: Path) -> bool:
    """Return whether a key is set when a study is made, or filled from files: no form edits it."""
    kind = KINDS.get(str(path[0]))
    is_file = kind is not None and len(path) == 2 and path[1] in kind.file_keys
    return path[-1] in ("kind", "slug") or (len(path) == 1 and path[0] in KINDS) or is_file


def parts_of(kind: str) -> tuple[Part, ...]:
    """Return the pages of a study's form."""
    return (
        Part(key="texts", label="Texts and consent",
             fields=("title", "language", "introduction", "consent", "notes")),
        Part(key="task", label="Task", fields=(kind,)),
        Part(key="questions", label="Questions",
             fields=("demographics", "closing", "blocks", "screen_outs", "quotas")),
        Part(key="ending", label="Ending and quota",
             fields=("completion", "draw", "endings", "recruitment", "framed_by", "quota",
                     "idle_minutes", "allow_back", "pilot")),
        Part(key="languages", label="Languages", fields=("translations",)),
    )  # fmt: skip


def form_of(part: Part, data: Mapping[str, Any]) -> tuple[Node, ...]:
    """Return the form of a part, filled in."""
    made: list[Node] = []
    if part.key == "languages":
        return tuple(_languages(data))
    for node in _nodes(Study, data, (), part.fields):
        # The task is the page; a frame around the whole page would say nothing.
        made += node.children if part.key == "task" else (node,)
    return tuple(made)


def _languages(data: Mapping[str, Any]) -> Iterator[Node]:
    """Yield a group per language: the text to translate above each field."""
    given = data.get("translations")
    written = given if isinstance(given, Mapping) else {}
    known = texts_of(data)
    own = data.get("language", "en")
    for code in (*written, *(code for code in languages() if code not in (*written, own))):
        texts = written.get(code, {})
        places = (*known, *(place for place in texts if place not in known))
        yield Node(
            name=f"translations.{code}",
            label=sentence(code, "language") if code in languages() else code,
            note="Every text that people read. Buttons and fixed sentences come with howgood."
            if code in written
            else "",
            widget="group",
            is_optional=True,
            is_present=code in written,
            children=tuple(_translation(code, place, known, texts) for place in places),
        )


def _translation(code: str, place: str, known: Mapping[str, str], texts: Mapping[str, str]) -> Node:
    original = known.get(place, "")
    is_long = len(original) > _LONG_TEXT or "\n" in original
    return Node(
        name=f"translations.{code}.{place}",
        label=original or place,
        note=place if original else "The study has no such text any more",
        widget="long" if is_long else "area",
        value=str(texts.get(place, "")),
        is_optional=is_optional(place),
    )


def _nodes(
    record: type[Record],
    data: Mapping[str, Any],
    path: Path,
    names: Sequence[str] | None = None,
) -> Iterator[Node]:
    for name, field in written_fields(record):
        if name in names if names else not is_hidden((*path, name)):
            yield _node(record, field, data.get(name), (*path, name))


def _node(record: type[Record], field: FieldInfo, value: object, path: Path) -> Node:
    hint, name = field.annotation, str(path[-1])
    widget = widget_of(hint, record=record, name=name)
    is_needed = field.is_required()
    label, note = asked(record, name) or (label_of(name), field.description or "")
    node = Node(
        name=dotted(path),
        label=label,
        note=note,
        widget=widget,
        is_optional=not is_needed,
        is_present=value is not None or is_needed or widget in ("list", "words"),
    )
    if widget == "list":
        return replace(node, children=tuple(_entries(element(hint), value, path)))
    if widget == "words":
        return replace(node, children=tuple(_words(name, value, path)))
    if widget in ("group", "picture"):
        return _group(
            node,
            inner(hint),
            value,
            path,
            is_shown=node.is_present or field.default_factory is not None,
        )
    if widget == "rows":
        note = f"{node.note}; one per line: {', '.join(columns(hint))}"
        return replace(node, note=note, value=shown(widget, hint, value))
    if widget == "choice":
        options = options_of(hint, record=record, name=name)
        node = replace(node, options=options, words=choice_words(record, name))
    usual = None if is_needed else field.get_default(call_default_factory=True)
    return replace(node, value=shown(widget, hint, usual if value is None else value))


def _group(node: Node, record: Any, value: object, path: Path, *, is_shown: bool) -> Node:  # noqa: ANN401 - a record type
    data = value if isinstance(value, Mapping) else {}
    if node.widget == "picture":
        file = data.get("file")
        children = tuple(_nodes(record, data, path, ("alternative",)))
        kept = f"{file} {data.get('digest', '')}" if file else ""
        return replace(node, value=str(file or ""), kept=kept, children=children)
    if not is_shown:
        return replace(node, is_present=False)
    return replace(node, is_present=True, children=tuple(_nodes(record, data, path)))


def _entries(record: Any, value: object, path: Path) -> Iterator[Node]:  # noqa: ANN401 - a record type
    for index, entry in enumerate(value if isinstance(value, list | tuple) else ()):
        data = entry if isinstance(entry, Mapping) else {}
        title = str(data.get("name") or data.get("text") or data.get("key") or "")
        yield Node(
            name=dotted((*path, index)),
            label=f"{index + 1}. {_short(title)}".strip(),
            note="",
            widget="group",
            children=tuple(
                node
                for node in _nodes(record.variant(data), data, (*path, index))
                # A value that the type does not use is kept, and shown only where it is wrong.
                if not issubclass(record, Question)
                or is_of_type(node.name.rpartition(".")[2], data.get("type", "choice"))
            ),
        )


def _words(name: str, value: object, path: Path) -> Iterator[Node]:
    data = value if isinstance(value, Mapping) else {}
    known = next((k.text_keys[name] for k in KINDS.values() if name in k.text_keys), ())
    for key in (*known, *(entry for entry in data if entry not in known)):
        yield Node(
            name=dotted((*path, key)),
            label=PHRASES.get(key, label_of(key)) if name == "phrases" else label_of(key),
            note="",
            widget="phrase" if name == "phrases" else "area",
            value=str(data.get(key, "")),
        )


def with_problems(
    nodes: Sequence[Node], problems: Sequence[Problem]
) -> tuple[tuple[Node, ...], tuple[Problem, ...]]:
    """Return the nodes with what is wrong with each, and the problems that belong to none."""
    names = set(_names(nodes))
    texts: dict[str, str] = {}
    others = []
    for problem in problems:
        place = _place(problem, names)
        if place:
            texts.setdefault(place, message(problem))
        else:
            others.append(problem)
    return tuple(_marked(node, texts) for node in nodes), tuple(others)


def message(problem: Problem) -> str:
    """Return a problem in words for somebody who fills in a form."""
    if problem.cure == "Write it without quotes.":
        return f"{problem.found} is not {problem.needed}."
    if problem.found == "no 'file'":
        return "There is no file yet. Choose one, or remove its description."
    if problem.found in ("no text", "''"):
        return f"This is still empty; it needs {problem.needed}. {problem.cure}"
    return f"{problem.found}; expected {problem.needed}. {problem.cure}"


def problem_nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield what is wrong on a page of the form, in order."""
    for node in nodes:
        if node.problem:
            yield node
        yield from problem_nodes(node.children)


def _place(problem: Problem, names: set[str]) -> str:
    missing = _MISSING_KEY.match(problem.found)
    path = (*problem.path, missing[1]) if missing else problem.path
    while path and dotted(path) not in names:
        path = path[:-1]
    return dotted(path) if path else ""


def _names(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        yield node.name
        yield from _names(node.children)


def _marked(node: Node, texts: Mapping[str, str]) -> Node:
    children = tuple(_marked(child, texts) for child in node.children)
    return replace(node, problem=texts.get(node.name, ""), children=children)


def _short(title: str, most: int = 60) -> str:
    return title if len(title) <= most else f"{title[: most - 1].rstrip()}…"


def question_at(path: Path) -> str:
    """Return what the form asks for at a place in a study, in its own words.

    Examples
    --------
    >>> question_at(("survey", "applications_each"))
    'How many applications does each person judge?'
    >>> question_at(("survey", "applications", 0, "phrases", "found"))
    '… and the system noticed'
    """
    record: Any = Study
    for part in path[:-1]:
        hint = dict(_annotations(record)).get(str(part))
        record = record if isinstance(part, int) else _held(hint)
    name = str(path[-1])
    if "phrases" in path[:-1] and name in PHRASES:
        return PHRASES[name]
    question = asked(record, name) if record is not None else None
    return question[0] if question else label_of(name)


def _annotations(record: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - a record type
    return (
        ((name, field.annotation) for name, field in written_fields(record)) if record else iter(())
    )


def _held(hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """Return the record that a field holds, once or in a list; None where it holds none."""
    bare = inner(hint)
    arguments = typing.get_args(bare)
    bare = arguments[0] if typing.get_origin(bare) is tuple and arguments else bare
    return bare if isinstance(bare, type) and issubclass(bare, Record) else None


def label_of(name: str) -> str:
    """Return a field's name as people read it."""
    return name.replace("_", " ").capitalize()


def dotted(path: Path) -> str:
    """Return a path as the name of a form's field: survey.items.0.text."""
    return ".".join(str(part) for part in path)


_WITH_OPTIONS = frozenset({"choice", "choices", "pictures", "ranking", "sum"})
_TYPES: Mapping[str, frozenset[str]] = {
    "options": _WITH_OPTIONS,
    "shuffle_options": _WITH_OPTIONS | {"matrix"},
    "scale": frozenset({"scale", "matrix"}),
    "minimum": frozenset({"number", "slider"}),
    "maximum": frozenset({"number", "slider"}),
    "unit": frozenset({"number", "slider", "sum"}),
}
_KNOWN_TYPES = _WITH_OPTIONS | {"scale", "number", "text", "slider", "date", "matrix"}


def is_of_type(name: str, kind: object) -> bool:
    """Return whether a question of this type uses a key; types added later use every key.

    Examples
    --------
    >>> is_of_type("options", "choice"), is_of_type("options", "number"), is_of_type("help", "text")
    (True, False, True)
    """
    return kind not in _KNOWN_TYPES or name not in _TYPES or kind in _TYPES[name]
