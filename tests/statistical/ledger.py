"""The ledger of proofs: what each slow proof found, kept beside the page that shows it.

In: judgements. Out: docs/_data/calibration.json, the page and its picture. A run renews the
rows of the proofs that ran and leaves the others, so that a partial run erases nothing. Absent:
judging (see `judging`), drawing (see `calibration_page`).
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.ledgers import alone, still_there
from tests.statistical import calibration_page
from tests.statistical.judging import LEVEL, Judgement

DOCS = Path(__file__).parents[2] / "docs"
ROWS = DOCS / "_data" / "calibration.json"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One claim and what became of it."""

    proof: str  # file::test
    kind: str
    quantity: str
    setting: str
    n: int
    found: str
    p_value: float
    notices: str
    verdict: str  # "holds", "fails", "did not finish"
    seed: int
    seconds: float
    histogram: tuple[int, ...] = ()


class Proof:
    """Collects the rows of one test; `settle` fails the test if a claim failed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start = time.process_time()
        self._found: list[tuple[str, str, str, int, Judgement]] = []

    def add(self, kind: str, quantity: str, judgement: Judgement, *, setting: str, seed: int):
        """Take in one judgement; nothing is raised before all of a proof are in."""
        if kind not in calibration_page.KINDS:
            raise ValueError(f"{kind!r} is none of {list(calibration_page.KINDS)}")
        self._found.append((kind, quantity, setting, seed, judgement))

    def settle(self) -> None:
        """Fail if any claim failed."""
        failed = [
            f"{quantity}: {each.found}, p = {each.p_value:.2g}"
            for _, quantity, _, _, each in self._found
            if not each.holds
        ]
        assert not failed, f"below p = {LEVEL}: " + "; ".join(failed)

    def rows(self) -> list[Row]:
        """Return the rows; a proof that ended without any says so."""
        seconds = round(time.process_time() - self._start, 1)
        if not self._found:
            nothing = Judgement(n=0, found="did not finish", p_value=0.0, notices="")
            self._found.append(("coverage", self._name, "", 0, nothing))
        return [
            Row(
                proof=self._name,
                kind=kind,
                quantity=quantity,
                setting=setting,
                n=each.n,
                found=each.found,
                p_value=float(f"{each.p_value:.3g}"),
                notices=each.notices,
                verdict="did not finish" if each.n == 0 else "holds" if each.holds else "fails",
                seed=seed,
                seconds=seconds,
                histogram=each.histogram,
            )
            for kind, quantity, setting, seed, each in self._found
        ]


def read_rows(path: Path = ROWS) -> list[Row]:
    """Return the stored rows."""
    if not path.is_file():
        return []
    stored = json.loads(path.read_text(encoding="utf-8"))
    return [Row(**each | {"histogram": tuple(each["histogram"])}) for each in stored]


def renewed(rows: list[Row], found: list[Row]) -> list[Row]:
    """Replace the rows of the proofs that ran, keep the others, in a stable order."""
    ran = {row.proof for row in found}
    kept = [row for row in rows if row.proof not in ran]
    order = list(calibration_page.KINDS)
    return sorted(kept + found, key=lambda row: (order.index(row.kind), row.quantity, row.proof))


def write(found: list[Row], path: Path = ROWS) -> None:
    """Renew the stored rows, the page and its picture."""
    with alone(path.parent):
        rows = [row for row in renewed(read_rows(path), found) if still_there(row.proof)]
        text = json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
        calibration_page.write(rows, path.parents[1])
