"""`howgood export` and `howgood import` from the command line."""

import json
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.faults.disks import full, small_disk
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.cli.main import run
from howgood.flow.hosting import add_study, open_host
from howgood.kinds.study import Study

TABLE = "who,application,precision,recall,acceptable\nr1,bell,1,1,5\nr2,camera,0.5,1,4\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOWGOOD_DATABASE", raising=False)
    host = open_host("howgood.sqlite")
    for study in (SURVEY, RERATING):
        add_study(host, Study.from_dict(study), folder=Path(), now=datetime.now(UTC))
    host.close()
    (tmp_path / "answers.csv").write_text(TABLE)
    return tmp_path


def test_answers_go_in_and_come_out(folder, capsys):
    words = ["import", "answers.csv", "--study", "doors", "--map", "participant=who"]
    assert run(words) == 0
    said = capsys.readouterr().out
    assert "added 2 people with 2 answers" in said
    assert "howgood import --study doors --undo 1" in said
    assert run([*words, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["people"], again["people_here"], again["number"]) == (0, 2, None)
    assert run(["export", "doors"]) == 0
    assert "answers.csv" in zipfile.ZipFile("doors.zip").namelist()
    assert run(["export", "doors", "--format", "csv", "--out", "a.csv"]) == 0
    assert Path("a.csv").read_text().count("\n") == 3
    assert "rating" in Path("a.codebook.csv").read_text()
    assert run(["export", "doors", "--format", "parquet", "--out", "a.parquet"]) == 0
    assert run(["export", "doors", "--format", "json"]) == 0
    assert len(json.loads(Path("doors.json").read_text())["answers"]) == 2
    assert not list(folder.glob("*.unfinished"))


def test_exported_data_are_read_by_their_owner_alone_and_surveys_by_everybody(folder):
    assert run(["import", "answers.csv", "--study", "doors", "--map", "participant=who"]) == 0
    Path("a.csv").write_text("an export of yesterday")
    Path("a.csv").chmod(0o644)
    for words in (["--out", "a.csv"], ["--format", "json"], []):
        assert run(["export", "doors", *words]) == 0
    for name in ("a.csv", "a.codebook.csv", "doors.json", "doors.zip"):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600, name
    assert run(["export", "doors", "--format", "html", "--out", "page.html"]) == 0
    assert stat.S_IMODE(Path("page.html").stat().st_mode) & 0o400
    assert Path("page.html").stat().st_mode == Path("answers.csv").stat().st_mode


def test_an_export_without_room_is_said_and_the_old_one_is_kept(folder, capsys):
    with small_disk(1) as disk:
        if disk is None:
            pytest.skip("mounting a small disk is not allowed here")
        (disk / "a.json").write_text("old")
        with full(disk):
            words = ["export", "doors", "--format", "json", "--out", str(disk / "a.json")]
            assert run(words) == 2
        assert "No space left on device" in capsys.readouterr().err
        assert (disk / "a.json").read_text() == "old"


def test_the_studys_own_export_adds_nothing_and_an_import_is_undone(folder, capsys):
    words = ["import", "answers.csv", "--study", "doors", "--map", "participant=who"]
    assert run([*words, "--dry-run"]) == 0
    assert capsys.readouterr().out == "will add 2 people with 2 answers\n"
    assert run(["import", "--study", "doors", "--list"]) == 0
    assert capsys.readouterr().out == "no imports\n"
    assert run(words) == 0
    assert run(["export", "doors", "--table", "answers", "--out", "own.csv"]) == 0
    capsys.readouterr()
    assert run(["import", "own.csv", "--study", "doors"]) == 0
    assert capsys.readouterr().out == ("nothing to add\nalready here: 2 people with 2 answers\n")
    assert run(["import", "--study", "doors", "--list", "--json"]) == 0
    (made,) = json.loads(capsys.readouterr().out)["imports"]
    assert (made["source"], made["who"], made["people"]) == ("answers.csv", "command line", 2)
    assert run(["import", "--study", "doors", "--undo", str(made["number"])]) == 0
    assert "took out 2 answers of 2 people" in capsys.readouterr().out
    assert run(["import", "--study", "doors", "--undo", str(made["number"])]) == 2
    assert run(["import", "--study", "doors"]) == 2
    assert run([*words, "--undo", "1"]) == 2


def test_standard_output_gets_the_file_alone(folder, capfdbinary):
    assert run(["export", "doors", "--table", "answers", "--out", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(b"participant,condition,application")
    assert err == b""


@pytest.mark.parametrize("kind", ["html", "limesurvey", "qualtrics"])
def test_a_survey_leaves_from_the_database_or_from_its_file(folder, kind):
    assert run(["new", "survey", "my.toml"]) == 0
    assert run(["export", "my.toml", "--format", kind, "--out", "one"]) == 0
    assert run(["export", "doors", "--format", kind, "--out", "two"]) == 0
    assert Path("one").stat().st_size > 1000
    assert Path("two").stat().st_size > 1000


@pytest.mark.parametrize(("words", "says"), [
    (["export", "door"], "Did you mean 'doors'?"),
    (["export", "songs", "--format", "limesurvey"], "which LimeSurvey cannot ask"),
    (["export", "doors", "--out", "no/such/folder.csv"], "no/such"),
    (["import", "answers.csv", "--study", "doors"], "no column for participant"),
    (["import", "answers.csv", "--study", "doors", "--map", "participant=Who"], "Did you mean"),
    (["import", "nothing.csv", "--study", "doors"], "nothing.csv"),
])  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(folder, capsys, words, says):
    assert run(words) == 2
    err = capsys.readouterr().err
    assert says in err
    assert "Traceback" not in err


def test_every_wrong_cell_is_named(folder, capsys):
    Path("wrong.csv").write_text(TABLE.replace(",5", ",9").replace("camera", "kamera"))
    assert run(["import", "wrong.csv", "--study", "doors", "--map", "participant=who"]) == 2
    err = capsys.readouterr().err
    assert "line 2, column 'acceptable': '9'" in err
    assert "line 3, column 'application': 'kamera'" in err


def test_people_and_studies_can_be_erased(folder, capsys):
    assert run(["import", "answers.csv", "--study", "doors", "--map", "participant=who"]) == 0
    assert run(["erase", "doors", "import-r1"]) == 0
    assert "erased 1 participant\n" in capsys.readouterr().out
    assert run(["erase", "doors", "import-r1"]) == 2
    assert "no participant 'import-r1'" in capsys.readouterr().err
    assert run(["erase", "doors"]) == 2
    assert run(["erase", "doors", "--whole-study", "door"]) == 2
    assert run(["erase", "doors", "--whole-study", "doors"]) == 0
    assert run(["export", "doors"]) == 2
