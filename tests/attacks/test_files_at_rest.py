"""What somebody else on the machine can read."""

import stat
from contextlib import closing
from pathlib import Path

from howgood.flow.hosting import back_up
from howgood.store.database import open_database
from howgood.store.migrate import upgrade


def _others(path):
    return stat.S_IMODE(path.stat().st_mode) & 0o077


def test_databases_and_backups_are_readable_by_their_owner_alone(tmp_path):
    # Made by howgood itself: the fixture copies a file, with the rights of the test.
    address, copy = str(tmp_path / "answers.sqlite"), tmp_path / "copy.sqlite"
    with closing(open_database(address)) as database:
        upgrade(database)
        back_up(address, copy)
        paths = (copy, *Path(tmp_path).glob("answers.sqlite*"))
        assert len(paths) > 1
        for path in paths:
            assert _others(path) == 0, path.name


def test_every_locked_package_has_a_digest():
    root = Path(__file__).parents[2]
    for name in (
        "requirements.lock",
        "requirements-demo.lock",
        "requirements-library.lock",
        "requirements-server.lock",
    ):
        text = (root / name).read_text(encoding="utf-8").replace("\\\n", " ")
        packages = [line for line in text.splitlines() if "==" in line and line[0].isalnum()]
        assert packages
        assert not [line for line in packages if "--hash=sha256:" not in line]
