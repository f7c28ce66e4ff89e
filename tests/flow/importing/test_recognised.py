"""A file that is here already is recognised row by row, and an import can be undone."""

import csv
import io

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY
from tests.flow.importing.test_tables import GOOD, _csv, _import

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected import data_file, tidy_rows
from howgood.flow.importing import import_files, imports_of, undo_import
from howgood.flow.results.requests import overview
from howgood.flow.watching.counts import deeds
from howgood.store.schema import answers, imports, screens


def _export(host, slug):
    return b"".join(data_file(host, slug, kind="csv", table="answers").pieces)


def _everything(host, slug="doors"):
    tables = ("answers", "participants", "screens")
    return {table: list(tidy_rows(host, slug, table=table)) for table in tables}


@pytest.mark.parametrize("study", [SURVEY, RERATING], ids=["survey", "rerating"])
def test_a_studys_own_export_adds_nobody(run, host, person, study):
    run(study)
    for seed in range(8):
        someone = person(study["slug"], seed=seed)
        someone.begin()
        someone.finish()
    before, exported = _everything(host, study["slug"]), _export(host, study["slug"])
    report = _import(host, exported, slug=study["slug"])
    assert (report.people, report.answers, report.people_here) == (0, 0, 8)
    assert report.answers_here == len(before["answers"])
    assert report.number is None
    assert _everything(host, study["slug"]) == before


def test_an_export_made_earlier_is_still_recognised(run, host, person):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    while not list(tidy_rows(host, "doors")):
        someone.send()
    exported = _export(host, "doors")
    someone.finish()
    report = _import(host, exported)
    assert (report.people, report.people_here, report.answers_here) == (0, 1, 1)


def test_another_persons_answers_under_the_same_number_are_new(run, host, person):
    run(SURVEY)
    someone = person("doors", seed=4)
    someone.begin()
    someone.finish()
    (number,) = {row["participant"] for row in tidy_rows(host, "doors")}
    first = next(iter(tidy_rows(host, "doors")))
    other = 1 if first["acceptable"] > 3 else 7
    row = [number, first["application"], first["precision"], first["recall"], other, other, other]
    report = _import(host, _csv(row), mapping={"participant": "ResponseId"})
    assert (report.people, report.people_here) == (1, 0)


def test_the_same_answers_at_another_pace_are_another_person(run, host, person):
    run(SURVEY)
    someone = person("doors", seed=4)
    someone.begin()
    someone.finish()
    slower = _export(host, "doors").replace(b",3.0,", b",4.25,")
    assert slower != _export(host, "doors")
    assert _import(host, slower).people == 1


def test_what_an_imported_person_answered_since_is_added(run, host):
    run(SURVEY)
    first = _import(host, GOOD)
    again = _import(host, GOOD + b"r1,bell,1,0.5,2,2,2\r\n")
    assert (again.people, again.answers, again.people_here, again.answers_here) == (0, 1, 1, 3)
    rows = [row for row in tidy_rows(host, "doors") if row["application"] == "bell"]
    assert len(rows) == 3
    assert len({row["participant"] for row in rows}) == 1
    assert again.number != first.number


def test_other_answers_under_an_imported_id_are_left_out_and_named(run, host):
    run(SURVEY)
    _import(host, GOOD)
    before = _everything(host)
    changed = _import(host, GOOD.replace(b"r2,camera,0.5,0.5,1,2,1", b"r2,camera,0.5,0.5,7,2,1"))
    assert (changed.people, changed.people_here, changed.differing) == (0, 1, ("r2",))
    assert "'r2'" in " ".join(changed.lines)
    assert _everything(host) == before


def test_looking_stores_nothing_and_says_what_storing_does(run, host):
    run(SURVEY)
    looked = _import(host, GOOD, store=False)
    assert _everything(host)["participants"] == []
    done = _import(host, GOOD)
    assert (looked.people, looked.answers) == (done.people, done.answers) == (2, 3)
    assert looked.lines[0] == "will add 2 people with 3 answers"
    assert done.lines[0] == "added 2 people with 3 answers"


def test_undoing_an_import_leaves_everything_as_it_was_and_a_line_in_the_history(run, host, person):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    someone.finish()
    before = _everything(host)
    report = _import(host, GOOD)
    (listed,) = imports_of(host, "doors")
    assert (listed.number, listed.people, listed.answers) == (report.number, 2, 3)
    assert (listed.source, listed.actor) == ("answers.csv", "ada")
    gone = undo_import(host, "doors", report.number, actor="ada", now=NOW)
    assert (gone.people, gone.answers) == (2, 3)
    assert _everything(host) == before
    assert imports_of(host, "doors") == ()
    assert [each.what for each in deeds(host, study="doors")][:2] == [
        "undid an import", "imported answers",
    ]  # fmt: skip
    assert _import(host, GOOD).people == 2  # and it can be imported again


def test_undoing_one_of_two_imports_keeps_the_others_answers(run, host):
    run(SURVEY)
    first = _import(host, GOOD)
    second = _import(host, GOOD + b"r1,bell,1,0.5,2,2,2\r\nr3,bell,1,1,5,5,5\r\n")
    undo_import(host, "doors", second.number, actor="ada", now=NOW)
    assert len(list(tidy_rows(host, "doors"))) == 3
    again = _import(host, GOOD + b"r1,bell,1,0.5,2,2,2\r\nr3,bell,1,1,5,5,5\r\n")
    undo_import(host, "doors", first.number, actor="ada", now=NOW)
    assert len(list(tidy_rows(host, "doors"))) == 2
    undo_import(host, "doors", again.number, actor="ada", now=NOW)
    assert _everything(host)["participants"] == []


def test_undoing_keeps_answers_of_imports_made_before_they_were_noted(run, host):
    run(SURVEY)
    _import(host, GOOD)
    host.database.write(lambda connection: connection.execute(sa.delete(imports)))
    before = _everything(host)
    more = GOOD + b"r1,bell,1,0.5,2,2,2\r\nr3,bell,1,1,5,5,5\r\n"
    added = _import(host, more)
    assert (added.people, added.answers) == (1, 2)
    undo_import(host, "doors", added.number, actor="ada", now=NOW)
    assert _everything(host) == before
    assert len(before["answers"]) == 3


def test_no_import_gets_the_number_of_one_that_was_undone(run, host):
    """So results know that answers they rest on are gone, though as many came since."""
    run(SURVEY)
    first = _import(host, GOOD).number
    assert overview(host, "doors").imports == (first,)
    undo_import(host, "doors", first, actor="ada", now=NOW)
    assert overview(host, "doors").imports == ()
    second = _import(host, GOOD).number
    assert overview(host, "doors").imports == (second,)
    assert second != first


def test_an_import_that_is_not_there_or_of_another_study_cannot_be_undone(run, host):
    run(SURVEY)
    run({**SURVEY, "slug": "copy"})
    number = _import(host, GOOD).number
    for slug, wrong in (("copy", number), ("doors", number + 1), ("doors", 10**30)):
        with pytest.raises(UnknownNameError):
            undo_import(host, slug, wrong, actor="ada", now=NOW)
    assert len(list(tidy_rows(host, "doors"))) == 3


def test_one_person_in_two_files_is_put_together(run, host):
    run(SURVEY)
    more = _csv(["r1", "bell", "1", "0.5", "2", "2", "2"])
    files = [("one.csv", GOOD), ("two.csv", more)]
    report = import_files(host, "doors", files, mapping={}, actor="ada", now=NOW)
    assert (report.people, report.answers) == (2, 4)
    other = _csv(["r1", "bell", "0.5", "1", "1", "1", "1"])
    with pytest.raises(InputError, match="two different answers"):
        import_files(
            host, "doors", [("one.csv", GOOD), ("two.csv", other)], mapping={}, actor="ada", now=NOW
        )


def test_rows_about_systems_in_use_are_left_out_by_name(run, host):
    run(SURVEY)
    header = ["ResponseId", "application", "precision", "recall", "acceptable", "part"]
    rows = _csv(["r1", "bell", "1", "1", "5", "hypothetical"], ["r1", "x", "", "", "4", "used"],
                header=header)  # fmt: skip
    report = _import(host, rows)
    assert report.answers == 1
    assert report.left_out == {"rows about systems in use, which no import can take": 1}


def _answer_some(host, person, count, **options):
    """Let somebody answer this many judgements; return them."""
    someone = person("doors", **options)
    someone.begin()
    while sum(1 for _ in tidy_rows(host, "doors")) < count:
        someone.send()
    return someone


def test_somebody_who_is_here_with_fewer_answers_is_left_out_and_named(run, host, person):
    """As after restoring yesterday's backup: today's export has more of the same person."""
    run(SURVEY)
    someone = _answer_some(host, person, 1)
    someone.finish()
    exported = _export(host, "doors")
    rows = list(tidy_rows(host, "doors"))
    assert len(rows) == 2
    (number,) = {int(row["participant"]) for row in rows}
    last = sa.select(answers.c.screen).where(answers.c.participant_id == number)
    last = last.order_by(answers.c.answered_at.desc()).limit(1).scalar_subquery()
    host.database.write(
        lambda connection: connection.execute(
            sa.delete(screens).where(screens.c.participant_id == number, screens.c.name == last)
        )
    )
    before = _everything(host)
    assert len(before["answers"]) == 1
    report = _import(host, exported)
    assert (report.people, report.people_here, report.differing) == (0, 0, (str(number),))
    assert f"left out: 1 person ({str(number)!r}) already here" in report.lines[-1]
    assert _everything(host) == before


@pytest.mark.parametrize("judgements", [1, 2])
def test_a_corrected_cell_of_an_export_doubles_nobody(run, host, person, judgements):
    run(SURVEY)
    _answer_some(host, person, judgements)
    rows = list(csv.reader(io.StringIO(_export(host, "doors").decode("utf-8-sig"))))
    assert len(rows) == 1 + judgements
    for place, name in enumerate(rows[0]):
        if name in ("rating", "acceptable"):
            rows[1][place] = "1" if rows[1][place] != "1" else "2"
    before = _everything(host)
    report = _import(host, _csv(*rows[1:], header=rows[0]))
    assert (report.people, len(report.differing)) == (0, 1)
    assert _everything(host) == before


def test_a_corrected_cell_of_somebody_imported_without_times_doubles_nobody(run, host):
    run(SURVEY)
    _import(host, GOOD)
    rows = list(csv.reader(io.StringIO(_export(host, "doors").decode("utf-8-sig"))))
    place = rows[0].index("acceptable")
    assert rows[1][place] == "5"
    rows[1][place] = "6"
    report = _import(host, _csv(*rows[1:], header=rows[0]))
    assert (report.people, report.people_here, report.differing) == (0, 1, (rows[1][0],))
