"""Is every text there that people read, and every picture a picture?

In: a study whose values are right one by one; the first bytes of a file. Out: problems that name
the field. Absent: whether a text is a good one.
"""

import re
from collections.abc import Mapping
from pathlib import PurePath

from howgood.kinds.study import Study
from howgood.records.record import Path, Problem, Record

HEAD = 64 * 1024  # bytes that say what a file is; an SVG may begin with long comments
# Short names in the data: their own check says more.
_KEYS = frozenset({"key", "slug", "kind"})
_WORDS = {
    "alternative": "what the picture shows, for those who cannot see it",
    "text": "what people read",
    "name": "the name people see",
    "description": "what people are told about it",
}
_SVG = re.compile(
    rb"^(\xef\xbb\xbf)?\s*(<\?xml.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(\[.*?\])?\s*>\s*)*<svg[\s>]",
    re.DOTALL,
)


def text_problems(study: Study) -> list[Problem]:
    """Return every text that a study needs and that is empty."""
    return _empty(study, ())


def _empty(record: object, path: Path) -> list[Problem]:
    if isinstance(record, list | tuple):
        return [
            problem
            for index, each in enumerate(record)
            for problem in (_missing((*path, index), "a label") if _is_blank(each)
                            else _empty(each, (*path, index)))
        ]  # fmt: skip
    if not isinstance(record, Record):
        return []
    found: list[Problem] = []
    for name, field in type(record).model_fields.items():
        value, place = getattr(record, name), (*path, name)
        if field.is_required() and name not in _KEYS and _is_blank(value):
            found += _missing(place, _WORDS.get(name, field.description or ""))
        elif not isinstance(value, Mapping):
            found += _empty(value, place)
    return found


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _missing(path: Path, needed: str) -> list[Problem]:
    return [Problem(path=path, found="no text", needed=needed, cure="Write it.")]


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
    }.get(ending, ("picture or film that browsers show", False))
    return None if is_one else f"a file that is no {kind}, whatever its name says"
