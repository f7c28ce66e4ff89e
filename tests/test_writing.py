"""Every file howgood writes is there whole or not at all, and a full disk is said in one line."""

import errno
import os
import stat
import subprocess
import sys

import pytest
from tests.faults.disks import full, small_disk

from howgood.cli.main import run
from howgood.errors import FileWriteError
from howgood.writing import replacing, unfinished, write_text

CARD = "kay2015-answers-electricity"
COUNTS = ["--counts", "90,5,5,100"]
SCORES = "y,s\n" + "".join(f"{i % 2},{(i * 37 + 50 * (i % 2)) % 100 / 100}\n" for i in range(60))


def _mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def _listed(folder):
    return {path.name for path in folder.iterdir()}


def test_a_file_has_its_old_content_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "report.md"
    write_text(path, "old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert _listed(tmp_path) == {"report.md"}


def _break_off(path, error):
    with replacing(path) as file:
        file.write(b"half")
        raise error


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), ValueError, SystemExit])
def test_whatever_breaks_off_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = write_text(tmp_path / "report.md", "old")
    with pytest.raises((FileWriteError, ValueError, SystemExit)):
        _break_off(path, error)
    assert path.read_text() == "old"
    assert _listed(tmp_path) == {"report.md"}


def test_errors_of_other_files_are_not_said_of_this_one(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), replacing(tmp_path / "report.md"):
        (tmp_path / "other").read_text()


def test_the_content_reaches_the_disk_before_the_name(tmp_path, monkeypatch):
    path, done = tmp_path / "report.md", []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (done.append(path.exists()), sync(handle)))
    write_text(path, "new")
    assert done == [False, True]  # the file without its name, then the folder with it


def test_a_private_file_is_read_by_its_owner_alone_from_its_first_byte(tmp_path):
    path = write_text(tmp_path / "answers.csv", "old")
    path.chmod(0o644)
    with unfinished(path, private=True) as partial:
        assert _mode(partial) == 0o600
    assert _mode(path) == 0o600


def test_an_ordinary_file_keeps_the_rights_it_had_and_a_link_stays_one(tmp_path):
    path = write_text(tmp_path / "report.md", "old")
    path.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert _mode(path) == 0o640


def test_a_new_file_never_replaces_another(tmp_path):
    path = write_text(tmp_path / "study.toml", "mine", is_new=True)
    with pytest.raises(FileWriteError, match="a file of that name"):
        write_text(path, "other", is_new=True)
    late = tmp_path / "late.toml"
    with pytest.raises(FileWriteError, match="that name"), replacing(late, is_new=True):
        late.write_text("mine")  # somebody else, while we were writing
    assert path.read_text() == late.read_text() == "mine"


@pytest.mark.parametrize(
    ("path", "said"),
    [("no/folder.md", "Make the folder first"), (".", "Is a directory"), ("/dev/full", "room")],
)
def test_what_cannot_be_written_is_said_with_what_to_do(tmp_path, path, said):
    with pytest.raises(FileWriteError, match=said) as caught:
        write_text(tmp_path / path, "new")
    assert isinstance(caught.value, OSError)
    assert "unchanged" not in str(caught.value)
    assert _listed(tmp_path) == set()


def test_what_is_no_file_is_written_directly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_text(tmp_path / "pipe", "new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert _listed(tmp_path) == {"pipe"}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "s.csv").write_text(SCORES)
    (folder / "a.csv").write_text(
        "participant,application,precision,recall,rating\n"
        + "".join(
            f"p{i},alarm,{p},{r},{min(7, 1 + round(6 * p * r))}\n"
            for i in range(10)
            for p, r in ((0.5, 1), (1, 0.5), (0.8, 0.7), (1, 1))
        )
    )
    return folder


def _commands(data):
    threshold = ["threshold", f"{data}/s.csv", "--truth", "y", "--score", "s", "--alpha", "0.5"]
    elicit = ["elicit", f"{data}/s.csv", "--truth", "y", "--score", "s", "--simulate", "a0=.2"]
    return {
        "report.html": [*threshold, "--out"],
        "report.md": [*threshold, "--out"],
        "plot.png": [*threshold, "--plot"],
        "plot.svg": [*threshold, "--plot"],
        "badge.json": ["gate", CARD, *COUNTS, "--badge"],
        "fit.npz": ["fit", f"{data}/a.csv", "--seed", "1", "--save"],
        "prior.json": ["registry", "prior", CARD, "--application", "x", "--out"],
        "log.json": [*elicit, "--seed", "3", "--log"],
        "study.toml": ["new", "survey"],
    }


def test_on_a_full_disk_every_command_says_so_with_2_and_keeps_the_old_file(data, capsys):
    with small_disk(1) as disk:
        if disk is None:
            pytest.skip("mounting a small disk is not allowed here; /dev/full is tried")
        for name in _commands(data):
            (disk / name).write_text("old")
        # A log that exists is resumed, and a study file is never replaced.
        for name in ("log.json", "study.toml"):
            (disk / name).unlink()
        with full(disk):
            for name, command in _commands(data).items():
                is_old = (disk / name).exists()
                assert run([*command, str(disk / name)]) == 2, name
                said = capsys.readouterr().err
                assert f"{disk / name}: not written (No space left on device)" in said
                assert ("the file that was there is unchanged" in said) == is_old
                assert (disk / name).exists() == is_old
                assert not is_old or (disk / name).read_text() == "old"
            assert not list(disk.glob("*.unfinished"))


@pytest.mark.parametrize(
    "words",
    [["gate", CARD, *COUNTS], ["gate", CARD, *COUNTS, "--json"], ["registry", "list"], ["--help"]],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output_is_no_verdict(words, unbuffered, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    command = [sys.executable, "-m", "howgood", *words]
    with open("/dev/full", "wb") as nowhere:
        done = subprocess.run(command, stdout=nowhere, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
        assert b"standard output: not written" in done.stderr
        done = subprocess.run([*command[:3], "--nonsense"], stderr=nowhere, check=False)
        assert done.returncode == 2


def test_a_reader_that_has_gone_is_no_verdict():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "howgood", "gate", CARD, "--counts", "5,50,50,5"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_fault_of_ours_is_no_verdict():
    program = (
        "import sys, howgood.__main__ as program\n"
        "program.run = lambda words: 1 / 0\n"
        "program.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 70
    assert b"ZeroDivisionError" in done.stderr


def test_a_file_whose_name_is_no_text_is_named(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    command = [sys.executable, "-m", "howgood", "rank", name, "--system", "a"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"howgood: ")
    assert b"\\udce9.csv: no such file" in done.stderr
