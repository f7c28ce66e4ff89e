"""What a study file takes from other files of its folder: pictures, films, tables.

In: the values of a study file and its folder. Out: the values with fingerprints of pictures and
what the kind of study reads from tables; every file that is not as it should be is a problem.
Absent: serving pictures (`web`).
"""

import hashlib
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path as FilePath
from pathlib import PurePath
from typing import Any

from howgood.ask.files import open_table
from howgood.errors import InputError
from howgood.kinds import KINDS
from howgood.records.record import Path, Problem

HEAD = 64 * 1024  # bytes that say what a file is; an SVG may begin with long comments
_SVG = re.compile(
    rb"^(\xef\xbb\xbf)?\s*(<\?xml.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(\[.*?\])?\s*>\s*)*<svg[\s>]",
    re.DOTALL,
)
_MP3 = re.compile(rb"^\xff[\xe2-\xff]")
_HTML = re.compile(rb"(?is)^(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(!doctype html|html)[\s>]")
_PICTURE, _SOUND, _FILM = 2_000_000, 20_000_000, 50_000_000
PICTURES = {
    **dict.fromkeys((".svg", ".png", ".jpg", ".jpeg", ".webp", ".gif"), _PICTURE),
    **dict.fromkeys((".mp4", ".webm"), _FILM),
    **dict.fromkeys((".mp3", ".ogg", ".wav", ".m4a"), _SOUND),
    ".html": _PICTURE,
}

_OUTSIDE = ("a file outside the study's folder", "a file in it or below", "Move it there.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A study's values with what files say; `unfilled` are gaps that a wrong file left."""

    data: dict[str, Any]
    unfilled: frozenset[Path] = frozenset()


def filled_from_files(
    data: Mapping[str, Any], *, folder: FilePath, problems: list[Problem]
) -> Attached:
    """Return the values with fingerprints of pictures, and what the kind takes from tables."""
    filled: dict[str, Any] = deepcopy(dict(data))
    unfilled: set[Path] = set()
    for kind in KINDS.values():
        plan = filled.get(kind.name)
        if isinstance(plan, dict):
            keys = kind.fill_from_files(plan, partial(_table, folder=folder), problems)
            unfilled |= {(kind.name, key) for key in keys}
    # Last: tables may name pictures too.
    filled = _replaced(filled, (), folder, problems)
    return Attached(data=filled, unfilled=frozenset(unfilled))


def picture_problem(location: FilePath, folder: FilePath) -> tuple[str, str, str] | None:
    """Return found, needed and cure when a picture cannot be used, else None."""
    largest = PICTURES.get(location.suffix.lower())
    if largest is None:
        endings = ", ".join(PICTURES)
        return f"a file ending in {location.suffix!r}", f"one of {endings}", "Convert it."
    if not is_inside(location, folder):
        return _OUTSIDE
    if not location.is_file():
        place = "the study file's folder" if folder == FilePath() else folder
        return "no such file", f"a file in {place}", "Put it there, or correct the name."
    if location.stat().st_size > largest:
        size = location.stat().st_size
        return f"{size:,} bytes", f"at most {largest:,} bytes", "Make it smaller."
    with location.open("rb") as file:
        wrong = media_problem(location.name, file.read(HEAD))
    if wrong:
        return wrong, "a file of the kind its name says", "Save it again from a program."
    return None


def is_inside(location: FilePath, folder: FilePath) -> bool:
    """Whether a file lies in the folder or below, wherever links lead."""
    try:
        return location.resolve().is_relative_to(folder.resolve()) and len(location.name) < 256
    except (OSError, ValueError, RuntimeError):  # a name no file can have, or links in a circle
        return False


def _table(name: str, *, folder: FilePath) -> Any:  # noqa: ANN401 - a table of any engine
    """Return a table of the study's folder; a study file cannot have any other file read."""
    if not is_inside(folder / name, folder):
        found, needed, cure = _OUTSIDE
        raise InputError(where=repr(name[:60]), found=found, needed=needed, cure=cure)
    return open_table(folder / name)


def _replaced(data: Any, path: Path, folder: FilePath, problems: list[Problem]) -> Any:  # noqa: ANN401 - whatever a study file holds
    """Copy plain values; every picture that names a file gets its fingerprint."""
    if isinstance(data, Mapping):
        copied = {
            str(name): _replaced(value, (*path, str(name)), folder, problems)
            for name, value in data.items()
        }
        is_picture = bool(path) and path[-1] == "picture" and isinstance(data.get("file"), str)
        return (
            {**copied, **_fingerprint(data["file"], path, folder, problems)}
            if is_picture
            else copied
        )
    if isinstance(data, list | tuple):
        return [
            _replaced(value, (*path, index), folder, problems) for index, value in enumerate(data)
        ]
    return data


def _fingerprint(
    name: str, path: Path, folder: FilePath, problems: list[Problem]
) -> dict[str, str]:
    location = folder / name
    wrong = picture_problem(location, folder)
    if wrong:
        found, needed, cure = wrong
        problems.append(
            Problem(path=(*path, "file"), found=f"{name!r}: {found}", needed=needed, cure=cure)
        )
        return {}
    return {"digest": hashlib.sha256(location.read_bytes()).hexdigest()[:16]}


def media_problem(name: str, head: bytes) -> str | None:
    """Return what is wrong with a picture's or film's content, by its first bytes; None: nothing.

    Examples
    --------
    >>> media_problem("door.png", b"just text")
    'a file that is no PNG picture, whatever its name says'
    >>> media_problem("door.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>") is None
    True
    """
    ending = PurePath(name).suffix.lower()
    kind, is_one = {
        ".png": ("PNG picture", head.startswith(b"\x89PNG\r\n\x1a\n")),
        ".jpg": ("JPEG picture", head.startswith(b"\xff\xd8\xff")),
        ".jpeg": ("JPEG picture", head.startswith(b"\xff\xd8\xff")),
        ".gif": ("GIF picture", head.startswith((b"GIF87a", b"GIF89a"))),
        ".webp": ("WebP picture", head[:4] == b"RIFF" and head[8:12] == b"WEBP"),
        ".svg": ("SVG picture", _SVG.match(head) is not None),
        ".mp4": ("MP4 film", head[4:8] == b"ftyp"),
        ".webm": ("WebM film", head.startswith(b"\x1a\x45\xdf\xa3")),
        ".mp3": ("MP3 sound", head.startswith(b"ID3") or _MP3.match(head) is not None),
        ".ogg": ("Ogg sound", head.startswith(b"OggS")),
        ".wav": ("WAV sound", head[:4] == b"RIFF" and head[8:12] == b"WAVE"),
        ".m4a": ("MPEG-4 sound", head[4:8] == b"ftyp"),
        ".html": ("HTML page", _HTML.match(head) is not None),
    }.get(ending, ("picture, film, sound or mock-up that browsers show", False))
    return None if is_one else f"a file that is no {kind}, whatever its name says"
