"""What somebody else on the machine can read."""

import stat
from pathlib import Path

from howgood.flow.hosting import back_up


def _others(path):
    return stat.S_IMODE(path.stat().st_mode) & 0o077


def test_databases_and_backups_are_readable_by_their_owner_alone(
    database, database_address, tmp_path
):
    copy = tmp_path / "copy.sqlite"
    back_up(database_address, copy)
    for path in (copy, *Path(tmp_path).glob("answers.sqlite*")):
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
