"""Text, JSON and pages."""

import json
import re

import numpy as np
import pytest

from howgood.records import Finding, Provenance, Report, Section, Table
from howgood.show import page
from howgood.show.numbers import digits_for, percent, plain
from howgood.show.text import text_table, to_json

REPORT = Report(
    title="A <title> & more",
    question="Which one?",
    findings=(Finding(text="A < B", tone="good"),),
    sections=(
        Section(title="Scores", text="One.\n\nTwo.", svg="<svg></svg>", alt="a | b",
                table=Table({"name": ["a|b", "<c>"], "score": [1.0, float("nan")]})),
    ),
    methods="We did <this>.",
    provenance=Provenance(method="test", settings={"level": 0.05}, seed=1, rows_used=2),
    cautions=("Do not overread.",),
)  # fmt: skip


def test_the_page_escapes_everything_and_needs_no_other_host():
    html = page.to_html(REPORT)
    assert "A &lt;title&gt; &amp; more" in html
    assert "&lt;c&gt;" in html
    assert "<script" not in html
    assert not re.search(r'(?:src|href|action)="(?:https?:)?//|@import|url\(', html)
    assert "What not to conclude" in html
    assert "not known" in html


def test_markdown_and_plain_values_hold_the_same_findings():
    markdown = page.to_markdown(REPORT)
    assert "- A < B" in markdown
    assert "a\\|b" in markdown
    values = json.loads(to_json(page.to_plain(REPORT)))
    assert values["findings"] == ["A < B"]
    assert values["sections"][0]["table"][1] == {"name": "<c>", "score": None}


def test_json_has_no_nan_and_no_numpy():
    text = to_json({"a": np.float64("nan"), "b": [np.int64(3), float("-inf")], "c": np.eye(2)})
    assert json.loads(text) == {"a": None, "b": [3, "-inf"], "c": [[1.0, 0.0], [0.0, 1.0]]}


def test_text_tables_align_and_round():
    text = text_table(Table({"name": ["x"], "score": [0.123456]}))
    assert "0.123" in text
    assert "0.1235" not in text


@pytest.mark.parametrize(
    ("value", "shown"), [(-0.0001, "0.000"), (-1.5, "-1.500"), (float("-inf"), "minus infinite")]
)
def test_plain_numbers(value, shown):
    assert plain(value) == shown


def test_percentages_never_pretend_certainty():
    assert percent(1e-9) == "< 1 %"
    assert percent(1 - 1e-9) == "> 99 %"
    assert percent(0.0) == "0 %"
    assert (percent(0.005), percent(0.995)) == ("< 1 %", "> 99 %")
    assert digits_for(float("nan")) == 6


def test_heads_of_a_wide_table_break_between_words_and_lose_no_letter():
    names = [f"held_out_log_score_{number}" for number in range(6)]
    shown = text_table(Table({name: [1.5] for name in names}), width=90)
    assert "…" not in shown
    words = " ".join(shown.split("─")[0].split())
    assert [words.count(word) for word in ("held", "score")] == [6, 6]
    assert "held_out_log_score_0" in text_table(Table({names[0]: [1.5]}), width=90)
