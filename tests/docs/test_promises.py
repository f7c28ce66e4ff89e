"""What pages say is tested is tested: the files they name are there, and each holds tests."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("docs/explanation/promises.md", "docs/howto/operate.md", "docs/howto/go-live.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_tests_a_page_names_are_there(page):
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / page).read_text("utf-8")))
    assert named
    for name in named:
        assert "\ndef test_" in (ROOT / name).read_text("utf-8"), name


def test_every_word_about_others_has_a_source():
    """A cell about oTree, JATOS or LimeSurvey ends with a footnote, and each footnote is there."""
    text = (ROOT / PAGES[0]).read_text("utf-8")
    cells = [line.split(" | ")[-1] for line in text.splitlines() if line.startswith("| ")]
    about = [cell for cell in cells if re.search(r"oTree|JATOS|LimeSurvey", cell)]
    assert about
    assert [cell for cell in about if "[^" not in cell] == []
    used, given = (
        set(re.findall(r"\[\^([\w-]+)\](?!:)", text)),
        set(re.findall(r"^\[\^([\w-]+)\]:", text, re.MULTILINE)),
    )
    assert used == given
