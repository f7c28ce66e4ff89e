"""Whatever is in a file, its reader returns or says kindly what is wrong: soon, and never more."""

import ast
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.damage import damaged
from tests.fuzz.readers import READERS, Reader

import howgood
from howgood.errors import HowgoodError, HowgoodWarning

# A case takes milliseconds; this is for a machine that is busy with other things.
_SECONDS = 20
SOURCE = Path(howgood.__file__).parent
_LONGEST_MESSAGE = 3_000
_CASES, _MANY_CASES = 30, 4_000

every_reader = pytest.mark.parametrize("reader", READERS, ids=lambda each: each.name)


@every_reader
def test_a_valid_file_is_read(reader: Reader, tmp_path: Path) -> None:
    for content in reader.valid():
        assert _refusal(reader, content, tmp_path) is None


# What opens a file by itself, and what hands a file's name or content to something that reads it.
_OPENS = {"read_text", "read_bytes", "open", "ZipFile", "scan_csv", "scan_parquet", "read_csv",
          "read_parquet", "genfromtxt", "loadtxt", "fromfile", "memmap", "open_table", "read_json",
          "read_study", "check_study", "read_card", "read_upload", "read_sheet", "read_offline",
          "read_fit", "load_fit", "load_ordinal_fit", "open_database", "copy_database"}  # fmt: skip
_PART_OF_THE_PACKAGE = "reads a file of the package"
_PICTURES = "bytes of pictures, which nothing looks into"
_WRITES = "writes"
_HANDS_ON = "hands on to a reader that is fuzzed"
_EXCUSED = {
    "ask/sentences.py:sentences": _PART_OF_THE_PACKAGE,
    "ask/wording.py:_data": _PART_OF_THE_PACKAGE,
    "flow/survey_export/offline.py:_packaged": _PART_OF_THE_PACKAGE,
    "flow/survey_export/offline.py:offline_page": _PART_OF_THE_PACKAGE,
    "show/translation.py:_read": _PART_OF_THE_PACKAGE,
    "kinds/protocol.py:packaged_template": _PART_OF_THE_PACKAGE,
    "demo/web.py:load_demo": _PART_OF_THE_PACKAGE,
    "lazy.py:names_of": _PART_OF_THE_PACKAGE,
    "flow/registry.py:_shipped": _PART_OF_THE_PACKAGE,
    "web/render.py:static_files": _PART_OF_THE_PACKAGE,
    "show/design.py:asset": _PART_OF_THE_PACKAGE,
    "cli/main.py:_drop": "os.devnull, for what nobody reads",
    "ask/files.py:_open_address": "Polars reads what lies on another machine",
    "reproduce/kay2015_study_one.py:read_study_one": "one published file, fitted for minutes",
    "reproduce/papers.py:fetch": "bytes known by their digest",
    "reproduce/ali2022.py:load_cases": "one published file",
    "reproduce/ali2022.py:_packaged_text": "a file of another package",
    "flow/authoring/publishing.py:download": _WRITES,
    "flow/collected/export.py:_zip": _WRITES,
    "flow/collected/export.py:_member": _WRITES,
    "cli/private_page.py:_wait_for_the_last_answer": "opens a page in a browser",
    "__main__.py:_is_written": "opens the place where output goes",
    "writing.py:_bring_to_disk": _WRITES,
    "writing.py:replacing": _WRITES,
    "writing.py:unfinished": _WRITES,
    "flow/collected/writers.py:close": "a file that it has just made",
    "flow/encrypted_backup.py:is_encrypted": "the first bytes alone",
    "flow/encrypted_backup.py:back_up_encrypted": "a file that it has just made",
    "flow/encrypted_backup.py:_identities": "a key file: tests/flow/test_encrypted_backup.py",
    "flow/remote_call.py:_opened": "over the network: tests/flow/remote/test_remote_call.py",
    "cli/remote.py:_body": "JSON that is handed on: tests/flow/remote/test_remote_call.py",
    "web/middleware.py:_memory": "a file of the system",
    "settings.py:_secret": "one line that whoever runs the server wrote",
    "flow/accounts/provider.py:_asked": "over the network: tests/journeys/test_signing_in.py",
    "store/server_lock.py:__init__": _WRITES,
    "store/server_lock.py:_noted": "what another server of ours wrote",
    "store/integrity.py:_head": "the first bytes, which are compared and not read",
    "cli/check.py:command": _HANDS_ON,
    "cli/import_.py:command": _HANDS_ON,
    "flow/authoring/publishing.py:start_from_file": _HANDS_ON,
    "flow/hosting/studies.py:back_up": _HANDS_ON,
    "flow/hosting/studies.py:open_studies": _HANDS_ON,
    "flow/hosting/studies.py:media_of": _PICTURES,
    "flow/survey_export/source.py:read": _PICTURES,
    "flow/study_files/attached_files.py:_fingerprint": _PICTURES,
    "flow/registry.py:cards": _HANDS_ON,
    "flow/registry.py:find_card": _HANDS_ON,
    "flow/results/requests.py:_given": _HANDS_ON,
    "flow/results/child.py:main": _HANDS_ON,
    "flow/results/tasks.py:_table": _HANDS_ON,
    "flow/study_files/check.py:read_study": _HANDS_ON,
    "flow/acceptability.py:open_model": _HANDS_ON,
    "flow/doctor.py:_database": _HANDS_ON,
    "flow/hosting/studies.py:drill": _HANDS_ON,
    "kinds/criteria/plan.py:fill_from_files": _HANDS_ON,
    "learn/acceptability_fit.py:load": _HANDS_ON,
    "learn/ordinal_fit.py:load": _HANDS_ON,
}


def _functions_that_open_files() -> set[str]:
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            calls = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
            names = {getattr(each, "attr", getattr(each, "id", "")) for each in calls}
            if names & _OPENS:
                found.add(f"{path.relative_to(SOURCE)}:{node.name}")
    return found


def _functions_that_run(work: Callable[[], object]) -> set[str]:
    found = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(SOURCE)):
            path = Path(frame.f_code.co_filename).relative_to(SOURCE)
            found.add(f"{path}:{frame.f_code.co_name}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


def test_every_function_that_opens_a_file_is_fuzzed(tmp_path: Path) -> None:
    """A new reader needs a line in the table of `readers.py`, or an excuse above."""
    run: set[str] = set()
    for reader in READERS:
        content = reader.valid()[0]
        run |= _functions_that_run(partial(_refusal, reader, content, tmp_path))
    opening = _functions_that_open_files()
    missing = opening - run - set(_EXCUSED)
    assert not missing, sorted(missing)
    assert set(_EXCUSED) <= opening  # no excuse for what is gone


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
