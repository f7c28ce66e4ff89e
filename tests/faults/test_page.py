"""The page of faults is complete, current and made from its numbers; the counting can say no."""

import pytest
from tests.faults import ledger, page
from tests.faults.counting import Count
from tests.ledgers import still_there

from howgood.settings import BUSY_LIMIT

ROWS = ledger.read_rows()
BOTH, SERVER = ("PostgreSQL", "SQLite"), ("PostgreSQL",)
OWED = {
    "kill -9 of the server": BOTH,
    "kill -9 of one of two workers": SERVER,
    "kill -9 of the worker during a fit": BOTH,
    "kill -9 of PostgreSQL during a fit": SERVER,
    "kill -9 of PostgreSQL, 10 times": SERVER,
    "kill -9 of PostgreSQL, then of one of two workers": SERVER,
    "kill -9 within an update": BOTH,
    "disk full": BOTH,
    "the database becomes read-only": BOTH,
    "the clock jumps": BOTH,
    "3 x 300 slow clients": BOTH,
    "1,000 people at once": BOTH,
    "nothing but 30 minutes of load": BOTH,
}


@pytest.mark.parametrize("fault", OWED)
def test_every_fault_was_tried_on_every_database_it_can_befall(fault):
    found = {row.database for row in ROWS if row.fault.startswith(fault)}
    assert found == set(OWED[fault]), "run make slow"


def test_no_fault_lost_or_doubled_an_answer():
    assert [row.proof for row in ROWS if row.verdict != "holds" or not row.is_sound] == []


def test_every_row_belongs_to_a_proof_that_exists():
    assert [row.proof for row in ROWS if not still_there(row.proof)] == []


def test_the_page_is_made_from_the_numbers():
    assert ledger.PAGE.read_text(encoding="utf-8") == page.page(ROWS)


def test_the_page_names_the_setting_it_speaks_of():
    assert BUSY_LIMIT in page.page(ROWS)


def _count(**changes):
    facts = dict.fromkeys(("people", "acknowledged", "stored", "polite"), 3)
    return Count(**facts | {"lost": 0, "doubled": 0, "other": 0} | changes)


@pytest.mark.parametrize("trouble", ["lost", "doubled", "other"])
def test_one_answer_lost_doubled_or_met_by_an_error_fails_the_proof(trouble):
    proof = ledger.Ledger("a::b")
    proof.begin("trouble", "SQLite")
    with pytest.raises(AssertionError):
        proof.judge(_count(**{trouble: 1}))
    assert proof.row(has_failed=True).verdict == "fails"


def test_a_proof_that_ends_early_says_so():
    assert ledger.Ledger("a::b").row(has_failed=True).verdict == "did not finish"


def test_a_run_renews_its_own_row_and_leaves_the_others(tmp_path):
    path, text = tmp_path / "faults.json", tmp_path / "faults.md"
    here = "tests/faults/test_page.py::test_the_page_is_made_from_the_numbers"
    for database, lost in (("SQLite", 1), ("PostgreSQL", 0), ("SQLite", 0)):
        proof = ledger.Ledger(f"{here}[{database}]")
        proof.begin("trouble", database)
        if not lost:
            proof.judge(_count())
        ledger.write(proof.row(has_failed=bool(lost)), path, text)
    assert [row.verdict for row in ledger.read_rows(path)] == ["holds", "holds"]
    assert "trouble" in text.read_text(encoding="utf-8")
