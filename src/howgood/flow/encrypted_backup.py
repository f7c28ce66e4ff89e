"""Backups that only the holder of a key can read, in the format of age (age-encryption.org).

In: a database and public keys, or a backup and a file of a private key. Out: a file, or a readable
copy for as long as it is needed. Absent: making keys (`age-keygen` does it), and the copy itself
(`store.backup`).

The server needs the public key alone: whoever steals it or its backups reads nothing. Any program
that knows age opens the file, so that a backup does not depend on howgood.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from howgood.errors import FileFormatError, InputError, MissingExtraError
from howgood.flow.hosting import back_up
from howgood.writing import replacing

_HEADER = b"age-encryption.org/"
_PIECE = 1_000_000


def is_encrypted(backup: Path) -> bool:
    """Return whether a file begins as encrypted ones do."""
    with backup.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


def back_up_encrypted(address: str, target: Path, *, recipients: Sequence[str]) -> int:
    """Copy the database into a new file that only holders of the keys can read; return its size.

    Parameters
    ----------
    address : str
        The SQLite database; its server may run.
    target : Path
        A file that does not exist yet.
    recipients : sequence of str
        Public keys, each beginning with age1 as `age-keygen` prints them.

    Notes
    -----
    Stability: experimental
    """
    pyrage = _program()
    keys = [_recipient(pyrage, text) for text in recipients]
    if target.exists():
        raise InputError(
            where=str(target), found="a file of this name", needed="a new file",
            cure="Choose another name: a backup is never overwritten.",
        )  # fmt: skip
    # Next to the target: the same disk, and no copy stays readable anywhere else.
    with tempfile.TemporaryDirectory(prefix=".howgood-", dir=target.absolute().parent) as folder:
        plain, sealed = Path(folder) / "plain.sqlite", Path(folder) / "sealed"
        back_up(address, plain)
        pyrage.encrypt_file(str(plain), str(sealed), keys)
        with replacing(target, private=True) as file, sealed.open("rb") as made:
            while piece := made.read(_PIECE):
                file.write(piece)
    return target.stat().st_size


@contextmanager
def readable(backup: Path, identity: Path | None) -> Iterator[Path]:
    """Yield a readable copy of a backup, or the backup itself if everybody can read it.

    The copy is in a folder that nobody else can enter, and is gone afterwards.
    """
    if not backup.is_file() or not is_encrypted(backup):
        yield backup
        return
    if identity is None:
        raise InputError(
            where=str(backup), found="an encrypted backup", needed="the private key for it",
            cure="Name its file with --identity.",
        )  # fmt: skip
    pyrage = _program()
    keys = _identities(pyrage, identity)
    with tempfile.TemporaryDirectory(prefix="howgood-") as folder:
        plain = Path(folder) / "plain.sqlite"
        try:
            pyrage.decrypt_file(str(backup), str(plain), keys)
        except (pyrage.DecryptError, OSError) as error:
            raise FileFormatError(
                where=str(backup), found="a backup that this key does not open, or that is damaged",
                needed="the private key it was made for", cure="Name another key or backup.",
            ) from error  # fmt: skip
        yield plain


def _identities(pyrage: Any, file: Path) -> list[object]:  # noqa: ANN401 - a module without types
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            where=str(file), found=f"a file that cannot be read ({type(error).__name__})",
            needed="the file that age-keygen wrote", cure="Name another file.",
        ) from error  # fmt: skip
    texts = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    try:
        keys: list[object] = [pyrage.x25519.Identity.from_str(text) for text in texts]
    except pyrage.IdentityError:
        keys = []
    if not keys:
        raise InputError(
            where=str(file), found="no private key", needed="a line AGE-SECRET-KEY-1…",
            cure="Name the file that age-keygen wrote.",
        )  # fmt: skip
    return keys


def _recipient(pyrage: Any, text: str) -> object:  # noqa: ANN401 - a module without types
    try:
        key: object = pyrage.x25519.Recipient.from_str(text.strip())
    except pyrage.RecipientError as error:
        raise InputError(
            where="--encrypt-to", found=repr(text[:20]), needed="a public key, age1…",
            cure="Take the one that age-keygen printed; keep the private key on another machine.",
        ) from error  # fmt: skip
    return key


def _program() -> Any:  # noqa: ANN401 - a module without types
    try:
        import pyrage
    except ImportError as error:
        raise MissingExtraError(task="encrypting backups", extra="encryption") from error
    return pyrage
