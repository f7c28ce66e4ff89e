"""The ledger of faults: what was acknowledged, stored, lost and doubled each time.

In: counts. Out: a table in the terminal; after slow runs docs/_data/faults.json and the page
made from it. A run renews the rows of the proofs that ran and leaves the others.
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.faults import page
from tests.faults.counting import Count
from tests.ledgers import alone, still_there

DOCS = Path(__file__).parents[2] / "docs"
ROWS = DOCS / "_data" / "faults.json"
PAGE = DOCS / "explanation" / "faults.md"
NOTHING = Count(people=0, acknowledged=0, stored=0, lost=0, doubled=0, polite=0, other=0)


@dataclass(frozen=True, kw_only=True)
class Row(Count):
    """One fault on one database, and what became of the answers."""

    proof: str  # file::test[database]
    fault: str
    database: str
    seconds: float
    found: str = ""  # what else was measured
    verdict: str = "did not finish"

    def cells(self) -> tuple[str, ...]:
        """Return the row as it is shown."""
        numbers = (self.people, self.acknowledged, self.stored, self.lost, self.doubled,
                   self.polite, self.other)  # fmt: skip
        return (self.fault, self.database, *(f"{each:,}" for each in numbers), self.found,
                f"{self.seconds:.0f}", self.verdict)  # fmt: skip


class Ledger:
    """Takes in what one proof found; `judge` fails the proof if an answer was lost or doubled."""

    def __init__(self, proof: str) -> None:
        self._proof, self._begun = proof, time.monotonic()
        self._facts = {"fault": proof, "database": ""}
        self._count, self._verdict = NOTHING, "did not finish"

    def begin(self, fault: str, database: str) -> None:
        """Say what is about to happen."""
        self._facts = {"fault": fault, "database": database}

    def judge(self, count: Count, *, found: str = "") -> None:
        """Take in the counts; fail if they are not sound."""
        self._count, self._facts["found"] = count, found
        self._verdict = "holds" if count.is_sound else "fails"
        assert count.is_sound, count

    def row(self, *, has_failed: bool) -> Row:
        """Return what is known so far."""
        seconds = round(time.monotonic() - self._begun, 1)
        verdict = "fails" if has_failed and self._verdict == "holds" else self._verdict
        return Row(
            proof=self._proof, seconds=seconds, verdict=verdict,
            **self._facts, **asdict(self._count),
        )  # fmt: skip


def read_rows(path: Path = ROWS) -> list[Row]:
    """Return the stored rows."""
    if not path.is_file():
        return []
    return [Row(**each) for each in json.loads(path.read_text(encoding="utf-8"))]


def write(row: Row, path: Path = ROWS, text: Path = PAGE) -> None:
    """Renew one row and the page."""
    with alone(path.parent):
        others = [each for each in read_rows(path) if each.proof != row.proof]
        rows = [each for each in others if still_there(each.proof)]
        rows = sorted([*rows, row], key=lambda each: each.proof)
        numbers = json.dumps([asdict(each) for each in rows], indent=1, ensure_ascii=False)
        path.write_text(numbers + "\n", encoding="utf-8")
        text.write_text(page.page(rows), encoding="utf-8")
