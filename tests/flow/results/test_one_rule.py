"""Whose answers count: one rule for the dashboard, for `howgood export` and `howgood fit`."""

import csv
import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flow.results.conftest import NOW, SURVEY

from howgood import learn
from howgood.cli.main import run
from howgood.errors import DroppedRowsWarning, InputError, UnknownNameError
from howgood.flow.collected import data_file, tidy_rows
from howgood.flow.hosting import add_study
from howgood.flow.importing import import_files
from howgood.flow.results import requests
from howgood.flow.results.tasks import run_task
from howgood.flow.watching import review
from howgood.kinds.study import Study
from howgood.records.inclusion import POLICIES
from howgood.store.reviews import Review
from howgood.store.schema import answers, participants

REAL = {
    "question": "Which do you use?",
    "systems": [{"key": "old", "name": "Old bell", "accuracy": {"rings": [0.8, 0.9]}}],
    "items": [{"key": "rings", "text": "It rings when it should."}],
}


# The rules differ in whom they count, which every rule's export is asked; the rest repeats.
ONE_RULE = [
    each if each == "attentive" else pytest.param(each, marks=pytest.mark.slow) for each in POLICIES
]


@pytest.fixture
def database_address(tmp_path):
    """SQLite alone: the rows are the same on both, and they are tested on both."""
    return str(tmp_path / "answers.sqlite")


@pytest.fixture
def mixed(host, asked):
    """Twelve people: number 1 failed the check, number 2 was a test run, number 3 stopped early."""
    row = asked(SURVEY, 12)

    def change(connection):
        of_first = sa.select(answers).where(answers.c.participant_id == 1)
        for each in connection.execute(of_first).all():
            if "attention-care" in each.content:
                same = (answers.c.participant_id == 1, answers.c.screen == each.screen)
                wrong = each.content | {"attention-care": 5}
                connection.execute(sa.update(answers).where(*same).values(content=wrong))
        person = sa.update(participants)
        connection.execute(person.where(participants.c.id == 2).values(is_pilot=True))
        connection.execute(person.where(participants.c.id == 3).values(status="expired"))

    host.database.write(change)
    return row


def _exported(host, path, **options):
    made = data_file(host, "doors", kind="csv", table="answers", **options)
    path.write_bytes(b"".join(made.pieces))
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("policy", "pilots"),
    [
        *[(each, each != "finished") for each in POLICIES],
        *[pytest.param(each, each == "finished", marks=pytest.mark.slow) for each in POLICIES],
    ],
)
def test_export_and_fit_give_what_the_dashboard_gives(host, mixed, tmp_path, policy, pilots):
    shown = run_task(host, mixed.number, "fit", {"people": policy, "seed": 5})
    file = _exported(host, tmp_path / "answers.csv", pilots=pilots)
    fit = learn.fit_acceptability(file, people=policy, random_state=5)
    assert (
        fit.n_respondents
        == shown.people
        == {"attentive": 10, "finished": 9, "everyone": 11}[policy]
    )
    assert shown.cards[0].alpha.mean == pytest.approx(fit.estimate("alpha", "bell").mean)
    made = shown.report.provenance
    assert made.rows_used == fit.provenance.rows_used == 9 * shown.people
    assert fit.provenance.settings["people"] == made.settings["people"] == POLICIES[policy]
    assert shown.summary == f"{shown.people} people, {made.rows_used} judgements"


@pytest.mark.filterwarnings("ignore")
def test_every_output_names_the_rule_and_the_counts(host, mixed, tmp_path, capsys):
    file, report = _exported(host, tmp_path / "answers.csv"), tmp_path / "report.html"
    assert run(["fit", str(file), "--out", str(report)]) == 0
    said = (
        "Whose answers count: everyone but those who failed attention checks. 10 people, 90 "
        "judgements. Left out: 1 (failed an attention check)."
    )
    spoken = capsys.readouterr()
    assert said in " ".join(spoken.out.split())
    assert "left out 1 person (failed an attention check; 9 rows)" in spoken.err
    assert said in report.read_text()
    assert run(["fit", str(file), "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert said in values["findings"]
    assert values["provenance"]["rows_used"] == 90
    assert values["provenance"]["rows_dropped"] == {"failed an attention check": 9}
    assert POLICIES["attentive"] in values["methods"]
    assert run(["fit", str(file), "--people", "everyone", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["rows_used"] == 99
    shown = run_task(host, mixed.number, "fit", {})
    last = shown.report.findings[-1].text
    assert last.startswith(said.removesuffix("Left out: 1 (failed an attention check)."))
    assert "1 (test runs)" in last
    assert sum("Whose answers count" in each.text for each in shown.report.findings) == 1


def test_the_export_says_who_counts_on_every_row(host, mixed, tmp_path):
    text = _exported(host, tmp_path / "a.csv", pilots=True).read_text()
    rows = list(csv.DictReader(text.splitlines()))
    facts = {row["participant"]: (row["passed_checks"], row["finished"], row["pilot"])
             for row in rows}  # fmt: skip
    assert facts["1"] == ("false", "true", "false")
    assert facts["2"] == ("true", "true", "true")
    assert facts["3"] == ("true", "false", "false")
    given = {row["attention-care"] for row in rows if row["participant"] == "1"}
    assert given == {"", "5"}


def test_an_import_elsewhere_keeps_who_failed_a_check(host, mixed, tmp_path):
    file = _exported(host, tmp_path / "answers.csv")
    add_study(host, Study.from_dict({**SURVEY, "slug": "copy"}), folder=Path(), now=NOW)
    import_files(
        host, "copy", [("answers.csv", file.read_bytes())], mapping={}, actor="ada", now=NOW
    )
    failed = {
        row["participant"] for row in tidy_rows(host, "copy") if row["passed_checks"] is False
    }
    assert len(failed) == 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("policy", ONE_RULE)
def test_an_import_elsewhere_is_fitted_to_the_same_people(host, mixed, tmp_path, policy):
    file = _exported(host, tmp_path / "answers.csv", pilots=True)
    copy = add_study(host, Study.from_dict({**SURVEY, "slug": "copy"}), folder=Path(), now=NOW)
    import_files(
        host, "copy", [("answers.csv", file.read_bytes())], mapping={}, actor="ada", now=NOW
    )
    shown, again = (
        run_task(host, row.number, "fit", {"people": policy, "seed": 5}) for row in (mixed, copy)
    )
    assert (again.people, again.summary) == (shown.people, shown.summary)
    assert again.left_out == shown.left_out


def _frame(**columns):
    rows = {"participant": ["a", "a", "b", "b"], "application": ["x"] * 4,
            "precision": [0.5, 1, 0.5, 1], "recall": [1, 0.5, 1, 0.5],
            "rating": [2, 6, 3, 7]}  # fmt: skip
    return rows | columns


def test_one_failed_row_leaves_the_whole_person_out():
    from howgood.ask import read_answers

    frame = _frame(passed_checks=[None, False, True, True])
    with pytest.warns(DroppedRowsWarning, match="1 person"):
        read = read_answers(frame)
    assert read["participant"].tolist() == ["b", "b"]
    assert read.provenance.rows_dropped == {"failed an attention check": 2}
    assert len(read_answers(frame, people="everyone")) == 4


def test_a_rule_that_cannot_be_applied_is_refused_and_a_silent_table_is_named_as_such():
    from howgood.ask import read_answers

    with pytest.raises(InputError, match="no column 'finished'"):
        read_answers(_frame(), people="finished")
    with pytest.raises(UnknownNameError):
        read_answers(_frame(), people="friends")
    with pytest.raises(InputError, match="nobody whose answers count"):
        read_answers(_frame(pilot=["yes"] * 4))
    with pytest.raises(InputError, match="Rename the column"):
        read_answers(_frame(pilot=["Ada"] * 4))
    rule = read_answers(_frame()).provenance.settings["people"]
    assert rule == "everyone in the table, which says nothing of attention checks or test runs"


@pytest.mark.filterwarnings("ignore")
def test_the_counts_shown_are_the_counts_fitted(host, asked):
    """Ratings of systems in use are in no binary fit, and so in none of its counts."""
    study = {**SURVEY, "survey": {**SURVEY["survey"], "real": REAL}}
    row = asked(study, 8)
    shown = run_task(host, row.number, "fit", {})
    assert len(list(tidy_rows(host, "doors"))) > shown.report.provenance.rows_used
    assert shown.summary == f"8 people, {shown.report.provenance.rows_used} judgements"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("policy", ONE_RULE)
def test_whom_a_researcher_excluded_counts_nowhere_and_every_output_says_so(
    host, mixed, tmp_path, policy
):
    before = run_task(host, mixed.number, "fit", {"people": policy, "seed": 5})
    exclude = Review(excluded_because="said that the page broke")
    review(host, "doors", 7, exclude, actor="ada", now=NOW)
    shown = run_task(host, mixed.number, "fit", {"people": policy, "seed": 5})
    fit = learn.fit_acceptability(
        _exported(host, tmp_path / "answers.csv"), people=policy, random_state=5
    )
    assert shown.people == fit.n_respondents == before.people - 1
    assert shown.left_out["excluded by hand"] == 1
    assert any("1 (excluded by hand)" in each.text for each in shown.report.findings)
    assert fit.provenance.settings["people_left_out"]["excluded by hand"] == 1
    rows = {row["participant"]: row for row in tidy_rows(host, "doors", table="participants")}
    assert rows["7"]["excluded"] is True
    assert rows["7"]["excluded_because"] == "said that the page broke"
    assert rows["8"]["excluded"] is False
    seen = requests.overview(host, "doors")
    assert seen.is_stale(before)
    assert not seen.is_stale(shown)
    review(host, "doors", 7, Review(), actor="ada", now=NOW)
    again = run_task(host, mixed.number, "fit", {"people": policy, "seed": 5})
    assert again.people == before.people
