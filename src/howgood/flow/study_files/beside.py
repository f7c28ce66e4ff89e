"""What a study file takes from the files beside it: pictures, films, a classifier's scores.

In: the values of a study file and its folder. Out: the values with fingerprints of pictures and
matrices made from scores; every file that is not as it should be is a problem. Absent: serving
pictures (`web`).
"""

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from howgood.ask.files import open_table
from howgood.errors import HowgoodError, InputError
from howgood.flow.study_files.complete import HEAD, media_problem
from howgood.learn import table_matrices, threshold_matrices
from howgood.records.confusion import ConfusionMatrix
from howgood.records.record import Path, Problem
from howgood.records.table import frame_columns

_PICTURE, _FILM = 2_000_000, 50_000_000
PICTURES = {
    **dict.fromkeys((".svg", ".png", ".jpg", ".jpeg", ".webp", ".gif"), _PICTURE),
    **dict.fromkeys((".mp4", ".webm"), _FILM),
}

MATRICES = ("comparison", "matrices")
MATRIX_FILES = (("comparison", "scores"), ("comparison", "table"))


_OUTSIDE = ("a file outside the study's folder", "a file in it or below", "Move it there.")


def filled_from_files(
    data: Mapping[str, Any], *, folder: FilePath, problems: list[Problem]
) -> dict[str, Any]:
    """Return the values with what the files beside the study say."""
    filled: dict[str, Any] = _replaced(data, (), folder, problems)
    comparison = filled.get("comparison")
    if isinstance(comparison, dict):
        for _, source in MATRIX_FILES:
            _fill_matrices(comparison, source, folder, problems)
    return filled


def picture_problem(location: FilePath, folder: FilePath) -> tuple[str, str, str] | None:
    """Return found, needed and cure when a picture cannot be used, else None."""
    largest = PICTURES.get(location.suffix.lower())
    if largest is None:
        endings = ", ".join(PICTURES)
        return f"a file ending in {location.suffix!r}", f"one of {endings}", "Convert it."
    if not is_inside(location, folder):
        return _OUTSIDE
    if not location.is_file():
        return "no such file", f"a file in {folder}", "Put it there, or correct the name."
    if location.stat().st_size > largest:
        size = location.stat().st_size
        return f"{size:,} bytes", f"at most {largest:,} bytes", "Make it smaller."
    with location.open("rb") as file:
        wrong = media_problem(location.name, file.read(HEAD))
    if wrong:
        return wrong, "a picture or film of the kind its name says", "Save it again from a program."
    return None


def is_inside(location: FilePath, folder: FilePath) -> bool:
    """Whether a file lies in the folder or below, wherever links lead."""
    try:
        return location.resolve().is_relative_to(folder.resolve()) and len(location.name) < 256
    except (OSError, ValueError, RuntimeError):  # a name no file can have, or links in a circle
        return False


def _beside(name: str, folder: FilePath) -> FilePath:
    """Return where a table lies; a study file cannot have any other file read."""
    if not is_inside(folder / name, folder):
        found, needed, cure = _OUTSIDE
        raise InputError(where=repr(name[:60]), found=found, needed=needed, cure=cure)
    return folder / name


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


def _fill_matrices(
    comparison: dict[str, Any], source: str, folder: FilePath, problems: list[Problem]
) -> None:
    """Put in the matrices a file gives; values of a wrong type are reported elsewhere."""
    try:
        made = _SOURCES[source](comparison.get(source), folder)
    except HowgoodError as error:
        found, needed, cure = str(error), "a readable table", "Save it as CSV."
        if isinstance(error, InputError):
            found, needed, cure = f"{error.where}: {error.found}", error.needed, error.cure
        path = ("comparison", source)
        problems.append(Problem(path=path, found=found, needed=needed, cure=cure))
        return
    if made:
        comparison["matrices"] = made


def _from_table(name: object, folder: FilePath) -> list[dict[str, Any]]:
    if not isinstance(name, str) or not name:
        return []
    table = open_table(_beside(name, folder))
    return [_counts(each) for each in table_matrices(table, out_of="auto")]


def _from_scores(scores: object, folder: FilePath) -> list[dict[str, Any]]:
    if not isinstance(scores, Mapping):
        return []
    file, truth, score = (scores.get(each) for each in ("file", "truth", "score"))
    if not (isinstance(file, str) and isinstance(truth, str) and isinstance(score, str)):
        return []
    return _matrices(_beside(file, folder), truth=truth, score=score)


_SOURCES = {"scores": _from_scores, "table": _from_table}


def _counts(matrix: ConfusionMatrix) -> dict[str, Any]:
    return {name: int(count) for name, count in matrix.to_dict().items()}


def _matrices(location: FilePath, *, truth: str, score: str) -> list[dict[str, Any]]:
    columns = frame_columns(open_table(location), [truth, score], where=location.name)
    found = threshold_matrices(columns[truth], columns[score], out_of="auto")
    return [
        {
            **_counts(matrix),
            "lower": each.lower,
            "upper": None if math.isinf(each.upper) else each.upper,
        }
        for matrix, each in zip(found.matrices, found.ranges, strict=True)
    ]
