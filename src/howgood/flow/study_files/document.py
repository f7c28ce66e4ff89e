"""A study file as plain values that remember their lines.

In: the text of a TOML or YAML file. Out: `Document`, or the line where it cannot be read. Absent:
what the values mean (`flow.study_files.check`).

TOML is read by `tomllib`, which says no lines; `toml_lines` walks the text it has accepted once
more and notes where everything stands. YAML keeps no surprises: only the core types of YAML 1.2 are
known (`no` is text, not false), a key may stand once, and anchors are refused (a few lines of them
can stand for gigabytes).
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from howgood.errors import FileFormatError, MissingExtraError
from howgood.records.record import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Plain values and the line each of them is written on."""

    data: Mapping[str, Any]
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """Return the line of a value, or of the nearest thing around it that is written down."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class SyntaxProblemError(FileFormatError):
    """The text is not TOML or not YAML; `line` says where it stops making sense."""

    def __init__(self, *, file: str, line: int, found: str, format_name: str) -> None:
        super().__init__(
            where=f"{file}:{line}",
            found=found,
            needed=f"valid {format_name}",
            cure="Look at this line and the one above it: a quote, bracket or colon is missing.",
        )
        self.line = line


_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\r\n]+")
_STRINGS = (
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL),
    re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)


def toml_lines(text: str) -> dict[Path, int]:
    r"""Return the line, from 1, of everything in a valid TOML document.

    Examples
    --------
    >>> toml_lines('title = "x"\n[[item]]\nkey = [\n  1,\n  2]\n')[("item", 0, "key", 1)]
    5
    """
    reader = _TomlReader(text)
    reader.read()
    return reader.lines


class _TomlReader:
    """Walks the text once and notes where things are."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
        self.lines: dict[Path, int] = {(): 1}
        self.lengths: dict[Path, int] = {}

    def read(self) -> None:
        table: Path = ()
        self._skip(_GAP)
        while self.place < len(self.text):
            if self.text.startswith("[[", self.place):
                table = self._header(2)
            elif self.text[self.place] == "[":
                table = self._header(1)
            else:
                self._pair(table)
            self._skip(_GAP)

    def _header(self, brackets: int) -> Path:
        line = self._line()
        self.place += brackets
        parts = self._key()
        self._skip(_SPACE)
        self.place += brackets
        parent = self._resolved((), parts[:-1], line)
        path: Path = (*parent, parts[-1])
        if brackets == 2:
            self.lines.setdefault(path, line)
            self.lengths[path] = self.lengths.get(path, 0) + 1
            path = (*path, self.lengths[path] - 1)
        elif path in self.lengths:
            path = (*path, self.lengths[path] - 1)
        self.lines[path] = line
        return path

    def _resolved(self, path: Path, parts: list[str], line: int) -> Path:
        """Follow a dotted key; where it meets an array of tables, it means the last one."""
        for part in parts:
            path = (*path, part)
            self.lines.setdefault(path, line)
            if path in self.lengths:
                path = (*path, self.lengths[path] - 1)
        return path

    def _pair(self, table: Path) -> None:
        line = self._line()
        path = self._resolved(table, self._key(), line)
        self.lines[path] = line
        self._skip(_SPACE)
        self.place += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._skip(_SPACE)
            parts.append(self._key_part())
            self._skip(_SPACE)
            if self.text[self.place : self.place + 1] != ".":
                return parts
            self.place += 1

    def _key_part(self) -> str:
        if self.text[self.place] in "\"'":
            quoted = self._string()
            return str(tomllib.loads(f"key = {quoted}")["key"])
        return self._take(_BARE_KEY)

    def _value(self, path: Path) -> None:
        first = self.text[self.place]
        if first in "\"'":
            self._string()
        elif first == "[":
            self._array(path)
        elif first == "{":
            self._inline_table(path)
        else:
            self._take(_SCALAR)

    def _array(self, path: Path) -> None:
        self.place += 1
        index = 0
        self._skip(_GAP)
        while self.text[self.place] != "]":
            element = (*path, index)
            self.lines[element] = self._line()
            self._value(element)
            index += 1
            self._skip(_GAP)
            if self.text[self.place] == ",":
                self.place += 1
                self._skip(_GAP)
        self.place += 1

    def _inline_table(self, path: Path) -> None:
        self.place += 1
        self._skip(_GAP)
        while self.text[self.place] != "}":
            self._pair(path)
            self._skip(_GAP)
            if self.text[self.place] == ",":
                self.place += 1
                self._skip(_GAP)
        self.place += 1

    def _string(self) -> str:
        for pattern in _STRINGS:
            if pattern.match(self.text, self.place):
                return self._take(pattern)
        raise ValueError(f"line {self._line()}: no string")  # pragma: no cover - tomllib refused it

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.place)
        if match is None:  # pragma: no cover - tomllib has refused such text before
            raise ValueError(f"line {self._line()}: cannot be read")
        self.place = match.end()
        return match[0]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.place)
        self.place = match.end() if match else self.place

    def _line(self) -> int:
        return bisect_right(self.starts, self.place)


DEEPEST = 30
_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE, _FALSE = {"true", "True", "TRUE"}, {"false", "False", "FALSE"}
_YAML_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_YAML_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def document_from_yaml(text: str, *, file: str) -> Document:
    """Return the values of YAML text with their lines."""
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError(task="reading YAML", extra="web") from error

    reader = _YamlReader(file, yaml)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            reader.refuse_alias(event)
            reader.refuse_depth(event)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise reader.wrong(mark, str(error.problem or error.context)) from error
    except yaml.YAMLError as error:
        raise SyntaxProblemError(
            file=file, line=1, found=str(error).splitlines()[0], format_name="YAML"
        ) from error
    data = {} if root is None else reader.value(root, ())
    if not isinstance(data, dict):
        raise reader.wrong(root.start_mark, "a list or a single value, not keys")
    return Document(data=data, lines={(): 1, **reader.lines})


class _YamlReader:
    """Turns nodes into values and notes where they are."""

    def __init__(self, file: str, yaml: Any) -> None:  # noqa: ANN401 - a module
        self.file, self.yaml = file, yaml
        self.lines: dict[Path, int] = {}
        self.depth = 0

    def wrong(self, mark: Any, found: str) -> SyntaxProblemError:  # noqa: ANN401 - yaml's Mark
        line = mark.line + 1 if mark else 1
        return SyntaxProblemError(file=self.file, line=line, found=found, format_name="YAML")

    def refuse_alias(self, event: Any) -> None:  # noqa: ANN401 - yaml's Event
        if isinstance(event, self.yaml.AliasEvent):
            raise self.wrong(event.start_mark, f"an alias *{event.anchor}: write the value again")

    def refuse_depth(self, event: Any) -> None:  # noqa: ANN401 - yaml's Event
        """Stop while reading: what reads nested lists takes the square of their depth."""
        if isinstance(event, self.yaml.CollectionStartEvent):
            self.depth += 1
        elif isinstance(event, self.yaml.CollectionEndEvent):
            self.depth -= 1
        if self.depth > DEEPEST:
            raise self.wrong(event.start_mark, f"lists or keys more than {DEEPEST} deep")

    def value(self, node: Any, path: Path) -> Any:  # noqa: ANN401 - yaml's Node, plain values
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, self.yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, self.yaml.SequenceNode):
            return [self.value(entry, (*path, index)) for index, entry in enumerate(node.value)]
        return _scalar(node)

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:  # noqa: ANN401 - yaml's Node
        mapping: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, self.yaml.ScalarNode):
                raise self.wrong(key.start_mark, "a key that is a list or a table")
            if key.value in mapping:
                raise self.wrong(key.start_mark, f"the key {key.value!r} again")
            self.lines[(*path, key.value)] = key.start_mark.line + 1
            mapping[key.value] = self.value(value, (*path, key.value))
        return mapping


def _scalar(node: Any) -> str | int | float | bool | None:  # noqa: ANN401 - yaml's Node
    text = str(node.value)
    if node.style is not None:  # quoted, or a block of text
        return text
    if text in _NULL:
        return None
    if text in _TRUE | _FALSE:
        return text in _TRUE
    if _YAML_WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _YAML_NUMBER.fullmatch(text) else text


LARGEST = 500_000
# Python's TOML reader takes the square of the number of parts; no study has five.
_LONG_KEY = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*)"""
    f"{{{DEEPEST},}}"
)
_BITS = 63
_TOML_PLACE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def read_document(location: FilePath) -> Document:
    """Read a TOML or YAML file."""
    text = _read_text(location)
    if location.suffix.lower() == ".toml":
        return document_from_toml(text, file=str(location))
    return document_from_yaml(text, file=str(location))


def document_from_toml(text: str, *, file: str) -> Document:
    """Return the values of TOML text with their lines."""
    long_key = _LONG_KEY.search(text)
    if long_key:
        line = text.count("\n", 0, long_key.start()) + 1
        raise _too_deep(file, line)
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise _too_deep(file, 1) from error
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        last = text.count("\n") + 1
        line = int(place[1]) if place and place[1] else last
        found = _TOML_PLACE.sub("", str(error)).strip()
        raise SyntaxProblemError(file=file, line=line, found=found, format_name="TOML") from error
    except ValueError as error:  # a number of thousands of digits
        raise SyntaxProblemError(
            file=file, line=1, found=str(error).partition(";")[0], format_name="TOML"
        ) from error
    if _depth(data) > DEEPEST:
        raise _too_deep(file, 1)
    document = Document(data=data, lines=toml_lines(text))
    _refuse_huge(document, file)
    return document


def _refuse_huge(document: Document, file: str) -> None:
    """Refuse whole numbers that TOML does not know: Python cannot even write the largest down."""
    around: list[tuple[Path, Any]] = [((), document.data)]
    while around:
        path, value = around.pop()
        if isinstance(value, int) and value.bit_length() > _BITS:
            raise SyntaxProblemError(
                file=file,
                line=document.line(path),
                found="a whole number of more than 18 digits",
                format_name="TOML",
            )
        if isinstance(value, dict | list):
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            around += [((*path, key), pair) for key, pair in pairs]


def _depth(data: dict[str, Any]) -> int:
    """Return how deep lists and tables lie in each other."""
    depth = 0
    level: list[dict[str, Any] | list[Any]] = [data]
    while level:
        depth += 1
        inner = [entry.values() if isinstance(entry, dict) else entry for entry in level]
        level = [entry for held in inner for entry in held if isinstance(entry, dict | list)]
    return depth


def _too_deep(file: str, line: int) -> SyntaxProblemError:
    found = f"lists or tables in each other, more than {DEEPEST} deep"
    return SyntaxProblemError(file=file, line=line, found=found, format_name="TOML")


def _read_text(location: FilePath) -> str:
    if location.suffix.lower() not in (".toml", ".yaml", ".yml"):
        raise _unreadable(
            location,
            f"a file ending in {location.suffix!r}" if location.suffix else "no ending",
            "a study file ending in .toml, .yaml or .yml",
            "Rename it, or write one with: howgood new survey FILE.toml",
        )
    if not location.is_file():
        raise _unreadable(
            location,
            "a folder" if location.is_dir() else "no such file",
            "a readable study file",
            "Check the path, or write one with: howgood new survey FILE.toml",
        )
    if location.stat().st_size > LARGEST:
        raise _unreadable(
            location,
            f"{location.stat().st_size:,} bytes",
            f"at most {LARGEST:,} bytes of text",
            "Keep pictures and tables in files of their own.",
        )
    try:
        return location.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _unreadable(
            location, str(error.strerror), "a readable study file", "Check its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise _unreadable(
            location, f"bytes that are not text (byte {error.start})", "UTF-8", "Save it as UTF-8."
        ) from error


def _unreadable(location: FilePath, found: str, needed: str, cure: str) -> FileFormatError:
    return FileFormatError(where=str(location), found=found, needed=needed, cure=cure)
