"""Whatever is in a file, its reader returns or says kindly what is wrong: soon, and never more."""

import os
import time
import traceback
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.damage import damaged
from tests.fuzz.readers import READERS, Reader

from howgood.errors import HowgoodError, HowgoodWarning

# A case takes milliseconds; this is for a machine that is busy with other things.
_SECONDS = 20
_LONGEST_MESSAGE = 3_000
_CASES, _MANY_CASES = 200, 4_000

every_reader = pytest.mark.parametrize("reader", READERS, ids=lambda each: each.name)


@every_reader
def test_a_valid_file_is_read(reader: Reader, tmp_path: Path) -> None:
    for content in reader.valid():
        assert _refusal(reader, content, tmp_path) is None


@every_reader
def test_a_damaged_file_is_read_or_refused_kindly(reader: Reader, tmp_path: Path) -> None:
    _fuzz(reader, tmp_path, cases=_CASES)


@pytest.mark.slow
@every_reader
def test_thousands_of_damaged_files_are_read_or_refused_kindly(
    reader: Reader, tmp_path: Path
) -> None:
    _fuzz(reader, tmp_path, cases=int(os.environ.get("HOWGOOD_FUZZ_CASES", _MANY_CASES)))


def _fuzz(reader: Reader, folder: Path, *, cases: int) -> None:
    """Read many damaged files; list every distinct fault at the end, not the first alone."""
    contents = [damaged(each, reader.kind) for each in reader.valid()]
    faults: dict[str, bytes] = {}

    @settings(max_examples=cases, derandomize=True, database=None)
    @given(content=st.one_of(contents))
    def check(content: bytes) -> None:
        fault = _fault(reader, content, folder)
        if fault:
            faults.setdefault(fault, content)

    check()
    listed = [f"{fault}\n    {content!r:.300}" for fault, content in faults.items()]
    assert not faults, f"{reader.name}: {len(faults)} faults\n" + "\n".join(listed)


def _fault(reader: Reader, content: bytes, folder: Path) -> str | None:
    """Read one file; say what is wrong with how it was read or refused."""
    start = time.process_time()
    try:
        error = _refusal(reader, content, folder)
    except BaseException as error:  # Polars' panics are no Exceptions
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        ours = [each for each in frames if "howgood" in each.filename] or frames
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        return f"{type(error).__name__} at {place}: {error!s:.150}"
    taken = time.process_time() - start
    if taken > _SECONDS:
        return f"{taken:.0f} s of computing for {len(content):,} bytes"
    if error is not None and not 0 < len(str(error)) < _LONGEST_MESSAGE:
        return f"a message of {len(str(error)):,} characters: {error!s:.150}"
    return None


def _refusal(reader: Reader, content: bytes, folder: Path) -> HowgoodError | None:
    path = folder / f"file{reader.suffix}"
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowgoodWarning)
            reader.read(path)
    except HowgoodError as error:
        return error
    return None
