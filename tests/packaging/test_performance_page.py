"""The page of ratios is written from measured rows, and keeps what did not run this time."""

from benchmarks.page import remember
from benchmarks.rows import Row


def _row(subject, ratio):
    return Row(subject=subject, size="N = 1", ours="1 s", peer="theirs", peer_value="2 s",
               ratio=ratio, target=">= 1x", met=ratio >= 1)  # fmt: skip


def test_a_second_run_renews_its_rows_and_keeps_the_others(tmp_path):
    memory = tmp_path / "kept.json"
    remember({"fit": [_row("draws", 9.0)], "server": [_row("answers", 0.5)]}, tmp_path, memory)
    page = remember({"fit": [_row("draws", 11.0)]}, tmp_path, memory).read_text()
    assert "| draws | N = 1 | 1 s | theirs | 2 s | 11.0 | >= 1x | yes |" in page
    assert "9.0" not in page
    assert "| answers | N = 1 | 1 s | theirs | 2 s | 0.5 | >= 1x | NO |" in page
    assert "11.0x  theirs: draws" in (tmp_path / "performance.svg").read_text()
