"""Files that take long are run first, and every test is still run, in its file's order."""

from types import SimpleNamespace

from tests import order

NAMES = [
    "src/howgood/stats/shares.py::shares",
    "tests/ask/test_files.py::test_one",
    "tests/faults/test_clock.py::test_one",
    "tests/faults/test_crowd.py::test_one",
    "tests/journeys/test_arena.py::test_one",
    "tests/journeys/test_arena.py::test_two",
    "tests/journeys/test_logic.py::test_one",
]


def _sorted(names, **how):
    items = [SimpleNamespace(nodeid=name) for name in names]
    order.sort(items, **how)
    return [item.nodeid for item in items]


def test_browsers_and_faults_take_turns_and_docstrings_come_last():
    found = _sorted(NAMES, is_slow=False)
    assert found == [NAMES[place] for place in (4, 5, 2, 6, 3, 1, 0)]


def test_slow_proofs_go_by_the_seconds_of_the_last_time(tmp_path, monkeypatch):
    ledger = tmp_path / "calibration.json"
    # Two rows of one proof are one proof; the seconds of a file are those of its proofs.
    ledger.write_text(
        '[{"proof": "a.py::one", "seconds": 3}, {"proof": "a.py::one", "seconds": 3},'
        ' {"proof": "b.py::one", "seconds": 2}, {"proof": "b.py::two", "seconds": 2}]'
    )
    monkeypatch.setattr(order, "_LEDGER", ledger)
    names = ["a.py::one", "b.py::one", "b.py::two", "new.py::one"]
    found = _sorted(names, is_slow=True)
    assert found == ["new.py::one", "b.py::one", "b.py::two", "a.py::one"]
    monkeypatch.setattr(order, "_LEDGER", tmp_path / "none.json")
    assert _sorted(names, is_slow=True) == names
