"""The engineer's journey, J2: from a fitted model to a threshold, as the how-to prints it."""

import queue
import re
import threading
from pathlib import Path

import numpy as np
import pytest

from howgood import score
from howgood.records.confusion import ConfusionMatrix

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "elicit-a-metric.md"
CELLS = ("true_positives", "false_negatives", "false_positives", "true_negatives")


@pytest.fixture
def blocks():
    """Give the two first blocks of the page: the data, and the journey itself."""
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return found[0], found[1]


def test_the_journey_runs_as_printed_with_a_person_in_the_browser(
    blocks, chromium, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    opened, ended, names = queue.Queue(), queue.Queue(), {}
    monkeypatch.setattr("webbrowser.open", opened.put)
    exec(compile(blocks[0], str(PAGE), "exec"), names)  # noqa: S102 - our own page
    names["ui"] = "browser"
    assert len([line for block in blocks for line in block.splitlines() if line.strip()]) <= 18

    def journey():
        exec(compile(blocks[1], str(PAGE), "exec"), names)  # noqa: S102 - our own page
        ended.put(True)

    threading.Thread(target=journey, daemon=True).start()
    page = chromium.new_page()
    page.goto(opened.get(timeout=120))
    person = score.LinearMetric(a0=0.2)
    for _ in range(70):
        if not page.locator("main button").count():
            break
        answer(page, person)
    page.close()
    assert ended.get(timeout=120)
    assert names["pref"].fits
    assert 0.2 in names["pref"].interval
    assert names["pref"].agreement.percent >= 80
    assert 0.1 < names["model"].best_threshold_ < 0.35
    assert names["choice"].threshold.interval.lower < 0.2 < names["choice"].threshold.interval.upper
    assert np.isclose(sum(names["choice"].variance_shares.values()), 1)
    assert Path("threshold.png").read_bytes()[:4] == b"\x89PNG"
    assert Path("metric.json").exists()


def answer(page, person):
    """Choose by the counts the page itself says, else go on."""
    said = page.evaluate(
        "[...document.querySelectorAll('.card [role=img]')]"
        ".map(each => each.getAttribute('aria-label') || each.textContent)"
    )
    counts = [re.findall(r"flagged: ([\d,]+)", text) for text in said]
    if [len(each) for each in counts] != [4, 4]:
        for box in page.locator("input[type=checkbox]").all():
            box.check()
        with page.expect_navigation():
            page.locator("main button").first.click()
        return
    sides = [
        ConfusionMatrix(**dict(zip(CELLS, (int(n.replace(",", "")) for n in side), strict=True)))
        for side in counts
    ]
    key = {"first": "1", "second": "2", "same": "0"}[person.prefers(*sides)]
    with page.expect_navigation():
        page.keyboard.press(key)
