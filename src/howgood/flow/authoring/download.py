"""A study as files to keep, to send, or to serve elsewhere.

In: a host, a study's short name, a format. Out: a study file, in a zip with its pictures if it has
any. Absent: answers (`flow.collected`).
"""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from howgood.flow.authoring.draft import draft_picture, written
from howgood.flow.hosting import Host
from howgood.flow.study_files.as_text import toml_text, yaml_text

Format = Literal["toml", "yaml"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFiles:
    """What a browser is to save."""

    name: str
    media_type: str
    content: bytes


def download(host: Host, slug: str, *, file_format: Format) -> StudyFiles:
    """Return what is written of a study, draft or newest version, as a file."""
    content = _without_fingerprints(written(host, slug).content)
    text = yaml_text(content) if file_format == "yaml" else toml_text(content)
    pictures = sorted(_picture_names(content))
    if not pictures:
        return StudyFiles(
            name=f"{slug}.{file_format}", media_type="text/plain", content=text.encode()
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{slug}.{file_format}", text)
        for name in pictures:
            archive.writestr(name, draft_picture(host, slug, name).content)
    return StudyFiles(name=f"{slug}.zip", media_type="application/zip", content=packed.getvalue())


def _without_fingerprints(value: Any) -> Any:  # noqa: ANN401 - plain values
    """Leave out what howgood fills in itself while reading a file."""
    if isinstance(value, Mapping):
        is_picture = {"file", "alternative"} <= set(value)
        return {
            name: _without_fingerprints(each)
            for name, each in value.items()
            if not (is_picture and name == "digest")
        }
    if isinstance(value, list | tuple):
        return [_without_fingerprints(each) for each in value]
    return value


def _picture_names(value: object) -> set[str]:
    if isinstance(value, Mapping):
        own = {str(value["file"])} if {"file", "alternative"} <= set(value) else set()
        return own.union(*(_picture_names(each) for each in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(_picture_names(each) for each in value))
    return set()
