"""A study file as plain values that remember their lines.

In: the text of a TOML or YAML file. Out: `Document`, or the line where it cannot be read. Absent:
what the values mean (`flow.study_files.check`).
"""

import re
import tomllib
from pathlib import Path as FilePath
from typing import Any

from howgood.errors import FileFormatError
from howgood.flow.study_files.located import Document, SyntaxProblemError
from howgood.flow.study_files.toml_lines import toml_lines
from howgood.flow.study_files.yaml_lines import DEEPEST, document_from_yaml
from howgood.records.record import Path

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
            around += [((*path, key), each) for key, each in pairs]


def _depth(data: dict[str, Any]) -> int:
    """Return how deep lists and tables lie in each other."""
    depth = 0
    level: list[dict[str, Any] | list[Any]] = [data]
    while level:
        depth += 1
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for held in inner for each in held if isinstance(each, dict | list)]
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
