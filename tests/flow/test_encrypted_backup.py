"""A backup that only the holder of the private key reads, and that restores completely."""

from datetime import UTC, datetime

import pyrage
import pytest
from click.testing import CliRunner
from tests.flow.hosting.conftest import SURVEY, Person

from howgood.cli.backup import command as backup
from howgood.cli.restore import command as restore
from howgood.errors import InputError
from howgood.flow.encrypted_backup import back_up_encrypted, is_encrypted, readable
from howgood.flow.hosting import Host, add_study, drill, open_host
from howgood.kinds.study import Study


@pytest.fixture
def keys(tmp_path):
    """A public key, and the file of the private one as age-keygen writes it."""
    identity = pyrage.x25519.Identity.generate()
    file = tmp_path / "key.txt"
    file.write_text(f"# created: today\n# public key: x\n{identity}\n", encoding="utf-8")
    return str(identity.to_public()), file


@pytest.fixture
def filled(tmp_path):
    """A database with the answers of two people."""
    address = str(tmp_path / "a.sqlite")
    host = open_host(address)
    add_study(host, Study.from_dict(SURVEY), folder=tmp_path, now=datetime.now(UTC))
    for seed in range(2):
        someone = Person(host, "doors", seed=seed)
        someone.begin()
        someone.finish()
    host.close()
    return address


def _count(address):
    from howgood.store import studies

    host: Host = open_host(address)
    with host.database.reading() as connection:
        counted = studies.everybody(connection)
    host.close()
    return counted


def test_it_is_unreadable_without_the_key_and_complete_with_it(filled, keys, tmp_path):
    public, private = keys
    target = tmp_path / "b.age"
    size = back_up_encrypted(filled, target, recipients=[public])
    content = target.read_bytes()
    assert size == len(content)
    assert is_encrypted(target)
    assert b"SQLite format" not in content
    assert b"doors" not in content
    assert target.stat().st_mode & 0o077 == 0
    with readable(target, private) as plain:
        done = drill(plain, now=datetime.now(UTC))
        assert (done.people, done.answers) == _count(filled)
        kept = plain
    assert not kept.exists()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".howgood")] == []


def test_the_wrong_key_a_damaged_file_and_no_key_are_said(filled, keys, tmp_path):
    public, private = keys
    target = tmp_path / "b.age"
    back_up_encrypted(filled, target, recipients=[public])
    other = tmp_path / "other.txt"
    other.write_text(str(pyrage.x25519.Identity.generate()), encoding="utf-8")
    with pytest.raises(InputError, match="does not open"), readable(target, other):
        pass
    with pytest.raises(InputError, match="--identity"), readable(target, None):
        pass
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="no private key"), readable(target, empty):
        pass
    content = bytearray(target.read_bytes())
    content[-20] ^= 1
    target.write_bytes(content)
    with pytest.raises(InputError, match="damaged"), readable(target, private):
        pass


def test_a_key_that_is_none_and_a_file_that_is_there_change_nothing(filled, keys, tmp_path):
    target = tmp_path / "b.age"
    with pytest.raises(InputError, match="age1"):
        back_up_encrypted(filled, target, recipients=["AGE-SECRET-KEY-1"])
    assert not target.exists()
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="a file of this name"):
        back_up_encrypted(filled, target, recipients=[keys[0]])
    assert target.read_text(encoding="utf-8") == "mine"


def test_backup_drill_and_restore_from_the_command_line(filled, keys, tmp_path):
    public, private = keys
    target, before = tmp_path / "b.age", _count(filled)
    run = CliRunner().invoke
    made = run(backup, [str(target), "--encrypt-to", public, "--database", filled])
    assert made.exit_code == 0, made.output
    drilled = run(backup, [str(target), "--verify", "--identity", str(private)])
    assert "restored in a drill" in drilled.output
    again = tmp_path / "again.sqlite"
    done = run(restore, [str(target), "--identity", str(private), "--database", str(again)])
    assert done.exit_code == 0, done.output
    assert _count(str(again)) == before
