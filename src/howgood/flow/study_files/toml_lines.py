"""On which line each value of a TOML document is written.

In: text that `tomllib` has already accepted. Out: a line number for every table, key and list
element, by path. Absent: values and faults; both are tomllib's work, so this reader may trust what
it reads.
"""

import re
import tomllib
from bisect import bisect_right

from howgood.records.record import Path

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
    reader = _Reader(text)
    reader.read()
    return reader.lines


class _Reader:
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
