"""A study file as plain values that remember their lines.

In: the text of a TOML or YAML file. Out: `Document`, or the line where it cannot be read. Absent:
what the values mean (`flow.study_files.check`).
"""

import re
import tomllib
from pathlib import Path as FilePath

from howgood.errors import FileFormatError
from howgood.flow.study_files.located import Document, SyntaxProblemError
from howgood.flow.study_files.toml_lines import toml_lines
from howgood.flow.study_files.yaml_lines import document_from_yaml

LARGEST = 2_000_000
_TOML_PLACE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def read_document(location: FilePath) -> Document:
    """Read a TOML or YAML file."""
    text = _read_text(location)
    if location.suffix.lower() == ".toml":
        return document_from_toml(text, file=str(location))
    return document_from_yaml(text, file=str(location))


def document_from_toml(text: str, *, file: str) -> Document:
    """Return the values of TOML text with their lines."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        last = text.count("\n") + 1
        line = int(place[1]) if place and place[1] else last
        found = _TOML_PLACE.sub("", str(error)).strip()
        raise SyntaxProblemError(file=file, line=line, found=found, format_name="TOML") from error
    return Document(data=data, lines=toml_lines(text))


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
    except UnicodeDecodeError as error:
        raise _unreadable(
            location, f"bytes that are not text (byte {error.start})", "UTF-8", "Save it as UTF-8."
        ) from error


def _unreadable(location: FilePath, found: str, needed: str, cure: str) -> FileFormatError:
    return FileFormatError(where=str(location), found=found, needed=needed, cure=cure)
