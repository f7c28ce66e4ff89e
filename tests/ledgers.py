"""What the ledgers of proofs and of faults share: when a row goes, and who writes when."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


def still_there(proof: str, root: Path = ROOT) -> bool:
    """Does this test (`file::name[case]`) still exist? Rows of removed ones are dropped."""
    file, _, test = proof.partition("::")
    path = root / file
    name = test.partition("[")[0]
    return path.is_file() and f"def {name}(" in path.read_text(encoding="utf-8")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process renews a ledger in this folder: `make slow` runs two."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
