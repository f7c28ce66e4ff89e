"""`howgood agreement`: a leaderboard's file is read as one, and that is said."""

import json

from click.testing import CliRunner

from howgood.cli.agreement import command


def test_a_column_of_systems_is_found_and_said(tmp_path):
    rows = [
        f"{item},{system},{rater},{1 + (item + 'ABC'.index(system)) % 5}"
        for item in range(5)
        for system in "ABC"
        for rater in "xy"
    ]
    path = tmp_path / "grades.csv"
    path.write_text("\n".join(["item,system,rater,grade", *rows]), encoding="utf-8")
    printed = CliRunner().invoke(command, [str(path)], standalone_mode=False)
    assert printed.exception is None
    assert "Nobody graded an item twice" in printed.output
    assert "Each system's output counts as an item of its own (column 'system')." in printed.output
    as_json = CliRunner().invoke(command, [str(path), "--json"], standalone_mode=False)
    assert json.loads(as_json.output)["n_items"] == 15


def test_usual_names_of_columns_are_found_and_said(tmp_path):
    rows = [f"q{item},{who},{1 + item % 5}" for item in range(6) for who in "xy"]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(["question_id,annotator,score", *rows]), encoding="utf-8")
    printed = CliRunner().invoke(command, [str(path)], standalone_mode=False)
    assert printed.exception is None
    said = "Read as grades: item is 'question_id', rater is 'annotator' and grade is 'score'."
    assert said in printed.output


def test_parts_of_documents_are_items_within_these(tmp_path):
    """Segments numbered from 1 in every document: six items, not three graded twice."""
    rows = [f"d{doc},{part},{who},{doc + part}" for doc in (1, 2) for part in (1, 2, 3)
            for who in "xy"]  # fmt: skip
    path = tmp_path / "mqm.csv"
    path.write_text("\n".join(["doc,segment,rater,penalty", *rows]), encoding="utf-8")
    printed = CliRunner().invoke(command, [str(path), "--json"], standalone_mode=False)
    assert printed.exception is None
    found = json.loads(printed.output)
    assert (found["n_items"], found["self_agreement"]) == (6, None)
