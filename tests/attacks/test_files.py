"""Names of files that lead elsewhere: in uploads, in what programs send, in commands."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import RERATING
from tests.web.conftest import hidden_fields

from howgood.errors import HowgoodError, InputError
from howgood.flow import authoring, registry, remote
from howgood.flow.authoring import Upload
from howgood.flow.hosting import back_up
from howgood.flow.results.uploaded import read_upload
from howgood.flow.study_files.new import template

ELSEWHERE = ("../../evil.toml", "/tmp/evil.toml", "..\\..\\evil.toml", "C:\\evil.toml",  # noqa: S108 - where an attacker would write
             "a/../../evil.toml", "~/evil.toml", ".", "..", "x" * 300 + ".toml")  # fmt: skip
OUTSIDE = ("/etc/hostname", "../../../../../../etc/hostname", "/proc/self/environ.png",
           "../answers.sqlite", "file:///etc/passwd", "/etc/hostname.png",
           "pictures/../../x.png")  # fmt: skip


def _around(folder):
    return {each for each in folder.rglob("*") if "sqlite" not in each.name}


def test_uploaded_files_stay_in_their_folder(owner, host, tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    (kept / "deep" / "er").mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(kept / "deep" / "er"))
    before = _around(tmp_path)
    form = hidden_fields(owner.get("/studies/new"))
    for name in ELSEWHERE:
        files = [("file", ("study.toml", template("rerating").encode())),
                 ("attached", (name, b"evil")), ("file", (name, b"evil"))]  # fmt: skip
        assert owner.post("/studies/upload", data=form, files=files).status_code < 500, name
        read_upload(name, b"a,b\n1,2\n")
    assert _around(tmp_path) == before
    assert not Path("/tmp/evil.toml").exists()  # noqa: S108 - where an attacker would write


def test_a_study_that_is_uploaded_cannot_have_files_of_the_machine_read(host):
    person = type("Somebody", (), {"name": "ada"})()
    for name in map(json.dumps, OUTSIDE):
        shown = f"[[rerating.items]]\npicture = {{ file = {name}, alternative = 'x' }}"
        picture = template("rerating").replace("[[rerating.items]]", shown, 1)
        scores = f"[comparison]\nscores = {{ file = {name}, truth = 'y', score = 's' }}\n"
        table = f"[comparison]\ntable = {name}\n"
        for text in (picture, scores, table):
            sent = [Upload(file_name="s.toml", content=text.encode())]
            made = authoring.start_from_file(host, person, sent, now=datetime.now(UTC))
            assert not made.slug
            assert "outside" in str(made) or "ending" in str(made), name
            assert "root:" not in str(made)


def test_a_program_cannot_have_files_of_the_machine_read(host):
    task, now = RERATING["rerating"], datetime.now(UTC)
    for name in OUTSIDE:
        picture = {"file": name, "alternative": "x", "digest": "0" * 16}
        items = [each | {"picture": picture} for each in task["items"]]
        content = RERATING | {"slug": "new-songs", "rerating": task | {"items": items}}
        with pytest.raises(InputError, match="picture"):
            remote.create_study(host, content, is_open=True, actor="a", now=now)
        with pytest.raises(InputError, match="picture"):
            remote.add_version(host, "songs", content | {"slug": "songs"}, actor="a", now=now)


def test_a_backup_overwrites_nothing(host, database_address, tmp_path):
    there = tmp_path / "there.sqlite"
    there.write_bytes(b"mine")
    (tmp_path / "link.sqlite").symlink_to(there)
    for target in (there, tmp_path / "link.sqlite", tmp_path, tmp_path / "none" / "x.sqlite"):
        with pytest.raises(InputError):
            back_up(database_address, target)
    assert there.read_bytes() == b"mine"


def test_a_database_whose_name_holds_signs_of_an_address_is_backed_up(tmp_path):
    from howgood.flow.hosting import open_host

    source = tmp_path / "a?mode=memory#100%.sqlite"
    open_host(str(source)).close()
    assert back_up(str(source), tmp_path / "copy.sqlite") > 0
    assert source.is_file()


@pytest.mark.parametrize("name", ["../evil", "a/b", "/evil", "..", "a\\b", "", "a\0b", "a.json"])
def test_a_card_whose_name_leads_elsewhere_is_no_card(tmp_path, name):
    card = registry.cards()["kay2015-weather"].to_dict() | {"name": name}
    path = tmp_path / "card.json"
    path.write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(HowgoodError, match="name"):
        registry.read_card(path)
