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
from howgood.flow.hosting.files import back_up
from howgood.flow.results.uploaded import read_upload
from howgood.flow.study_files.new import template

ELSEWHERE = ("../../evil.toml", "/tmp/evil.toml", "..\\..\\evil.toml", "C:\\evil.toml",  # noqa: S108 - where an attacker would write
             "a/../../evil.toml", "~/evil.toml", ".", "..", "x" * 300 + ".toml")  # fmt: skip
OUTSIDE = ("/etc/hostname", "../../../../../../etc/hostname", "/proc/self/environ.png",
           "../answers.sqlite", "file:///etc/passwd", "/etc/hostname.png",
           "~/.ssh/id_rsa.png", "pictures/../../x.png")  # fmt: skip


def _around(folder):
    return {each for each in folder.rglob("*") if "sqlite" not in each.name}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_uploaded_files_stay_in_their_folder(owner, host, tmp_path, monkeypatch, name):
    kept = tmp_path / "kept"
    (kept / "deep" / "er").mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(kept / "deep" / "er"))
    before = _around(tmp_path)
    form = hidden_fields(owner.get("/studies/new"))
    files = [("file", ("study.toml", template("rerating").encode())), ("beside", (name, b"evil")),
             ("file", (name, b"evil"))]  # fmt: skip
    assert owner.post("/studies/upload", data=form, files=files).status_code < 500
    read_upload(name, b"a,b\n1,2\n")
    assert _around(tmp_path) == before
    assert not Path("/tmp/evil.toml").exists()  # noqa: S108 - where an attacker would write


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_study_that_is_uploaded_cannot_have_files_of_the_machine_read(owner, host, name):
    text = template("rerating")
    picture = f"{{ file = {json.dumps(name)}, alternative = 'x' }}"
    text = text.replace("[[rerating.items]]", f"[[rerating.items]]\npicture = {picture}", 1)
    person = type("Somebody", (), {"name": "ada"})()
    made = authoring.start_from_file(
        host, person, [Upload(file_name="s.toml", content=text.encode())], now=datetime.now(UTC)
    )
    assert not made.slug
    scores = f"[comparison]\nscores = {{ file = {json.dumps(name)}, truth = 'y', score = 's' }}\n"
    made = authoring.start_from_file(
        host, person, [Upload(file_name="s.toml", content=scores.encode())], now=datetime.now(UTC)
    )
    assert not made.slug
    assert "root:" not in str(made)


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_program_cannot_have_files_of_the_machine_read(host, name):
    picture = {"file": name, "alternative": "x", "digest": "0" * 16}
    items = [each | {"picture": picture} for each in RERATING["rerating"]["items"]]
    content = RERATING | {"slug": "new-songs", "rerating": RERATING["rerating"] | {"items": items}}
    with pytest.raises(InputError, match="picture"):
        remote.create_study(host, content, is_open=True, actor="a", now=datetime.now(UTC))
    with pytest.raises(InputError, match="picture"):
        remote.add_version(host, "songs", content | {"slug": "songs"}, actor="a",
                           now=datetime.now(UTC))  # fmt: skip


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
