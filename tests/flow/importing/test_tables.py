"""Tables of other programs: mapped, checked cell by cell, stored once or not at all."""

import csv
import io

import pytest
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY

from howgood.errors import FileFormatError, InputError, ManyProblemsError, UnknownNameError
from howgood.flow.collected import data_file, tidy_rows
from howgood.flow.importing import import_files, read_sheet, suggested, wide_columns
from howgood.kinds.study import Study

HEADER = ["ResponseId", "application", "precision", "recall", "acceptable", "useful", "intent"]
QUESTIONS = [
    {"key": "age", "text": "How old are you?", "type": "number", "minimum": 18},
    {"key": "way", "text": "How do you travel?", "type": "choices",
     "options": [{"key": "bike", "text": "Bicycle"}, {"key": "bus", "text": "Bus"}]},
]  # fmt: skip


def _csv(*rows, header=HEADER):
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    return out.getvalue().encode()


def _import(host, content, *, slug="doors", name="answers.csv", **options):
    values = {"mapping": {}, "actor": "ada", "now": NOW} | options
    return import_files(host, slug, [(name, content)], **values)


GOOD = _csv(
    ["r1", "bell", "0.5", "1", "5", "4", "3"],
    ["r1", "Bell", "1", "1", "7", "7", "Extremely likely"],
    ["r2", "camera", "0.5", "0.5", "1", "2", "1"],
)


def test_a_long_table_becomes_people_and_their_rows(run, host):
    run(SURVEY)
    report = _import(host, GOOD)
    assert (report.people, report.answers, report.left_out) == (2, 3, {})
    rows = list(tidy_rows(host, "doors"))
    assert [(row["application"], row["precision"], row["recall"], row["rating"], row["intent"])
            for row in rows] == [("bell", 0.5, 1, 5, 3), ("bell", 1, 1, 7, 7),
                                 ("camera", 0.5, 0.5, 1, 1)]  # fmt: skip
    assert all(row["seconds"] is None for row in rows)  # the table knows no times
    people = list(tidy_rows(host, "doors", table="participants"))
    assert [row["condition"] for row in people] == ["a", "b"]
    assert {row["status"] for row in people} == {"complete"}


def test_importing_twice_doubles_nothing(run, host):
    run(SURVEY)
    _import(host, GOOD)
    again = _import(host, GOOD + b"r3,bell,1,0.5,2,2,2\r\n")
    assert (again.people, again.answers, again.people_here, again.answers_here) == (1, 1, 2, 3)
    assert len(list(tidy_rows(host, "doors"))) == 4


def test_what_was_exported_can_be_imported(run, host, person):
    run(SURVEY, demographics=QUESTIONS)
    for seed in range(3):
        someone = person("doors", seed=seed)
        someone.begin()
        someone.finish()
    run({**SURVEY, "slug": "copy"}, demographics=QUESTIONS)
    content = b"".join(data_file(host, "doors", kind="csv", table="answers").pieces)
    _import(host, content, slug="copy")
    kept = ("application", "true_positives", "false_positives", "rating", "useful", "seconds")
    mine, theirs = (
        [{name: row[name] for name in kept} for row in tidy_rows(host, slug)]
        for slug in ("doors", "copy")
    )
    assert mine == theirs


@pytest.mark.parametrize(("cell", "value", "says"), [
    (1, "doorbell", "line 3, column 'application': 'doorbell'; expected the key or name"),
    (2, "0.7", "line 3, column 'precision': '0.7 and 1'; expected the precision and"),
    (4, "9", "line 3, column 'acceptable': '9'; expected 1 to 7, or a label"),
    (4, "often", "line 3, column 'acceptable': 'often'; expected 1 to 7, or a label"),
    (5, "", "line 3, column 'useful': nothing; expected an answer, or leave such rows out"),
    (0, "", "line 3, column 'ResponseId': nothing; expected an id"),
])  # fmt: skip
def test_one_wrong_cell_refuses_the_whole_file(run, host, cell, value, says):
    run(SURVEY)
    wrong = ["r1", "bell", "1", "1", "5", "4", "3"]
    wrong[cell] = value
    with pytest.raises(ManyProblemsError) as caught:
        _import(host, _csv(["r0", "bell", "1", "1", "5", "4", "3"], wrong))
    assert says in str(caught.value.problems[0])
    assert "answers.csv:3" in str(caught.value)
    assert list(tidy_rows(host, "doors", table="participants")) == []


def test_rows_with_a_gap_are_left_out_by_name(run, host):
    run(SURVEY)
    gap, whole = ["r1", "bell", "1", "1", "5", "4", ""], ["r1", "bell", "1", "0.5", "5", "4", "3"]
    report = _import(host, _csv(gap, whole), missing="drop")
    assert report.left_out == {"rows with a gap": 1}
    assert report.answers == 1


def test_a_second_answer_about_the_same_is_a_problem(run, host):
    run(SURVEY)
    row = ["r1", "bell", "1", "1", "5", "4", "3"]
    with pytest.raises(ManyProblemsError, match="a second answer about 'bell-s4'"):
        _import(host, _csv(row, row))


def test_columns_are_suggested_and_can_be_named(run, host):
    study = Study.from_dict({**SURVEY, "demographics": QUESTIONS})
    sheet = read_sheet(GOOD, name="x.csv")
    assert suggested(study, sheet) == {
        "participant": "ResponseId", "application": "application", "precision": "precision",
        "recall": "recall", "acceptable": "acceptable", "useful": "useful", "intent": "intent",
    }  # fmt: skip
    run(SURVEY)
    header = ["Wer", "App", "P", "R", "Q1"]
    content = _csv(["r1", "bell", "1", "1", "5"], header=header)
    mapping = {"participant": "Wer", "precision": "P", "recall": "R", "acceptable": "Q1"}
    assert _import(host, content, mapping=mapping).people == 1
    with pytest.raises(InputError, match="no column for participant"):
        _import(host, content)
    with pytest.raises(UnknownNameError, match="no 'Wen'"):
        _import(host, content, mapping={"participant": "Wen"})
    with pytest.raises(UnknownNameError, match="no 'who'"):
        _import(host, content, mapping={"who": "Wer"})


def test_qualtrics_three_headers_codes_and_previews(run, host):
    check = {"key": "care", "text": "Choose the second.", "answer": 2}
    run(SURVEY, demographics=QUESTIONS, survey=SURVEY["survey"] | {"attention": [check]})
    header = ["Status", "ResponseId", "EndDate", "d1", "d2", "a1s1_1", "a1s1_2", "a1s1_3",
              "a1s4_1", "a1s4_2", "a1s4_3", "k1"]  # fmt: skip
    ids = [f'{{"ImportId":"{name}"}}' for name in header]
    content = _csv(
        [f"words of {name}" for name in header], ids,
        ["IP Address", "R_1", "2026-05-04 10:00:00", "34", "1,2", "5", "4", "3", "", "", "", "2"],
        ["IP Address", "R_2", "2026-05-04 11:00:00", "", "Bus", "", "", "",
         "Extremely likely", "7", "6", "1"],
        ["Survey Preview", "R_3", "", "", "", "1", "1", "1", "", "", "", ""],
        header=header,
    )  # fmt: skip
    sheet = read_sheet(content, name="q.csv")
    assert sheet.is_qualtrics
    assert sheet.questions["d1"] == "words of d1"
    assert sheet.rows[0].line == 4
    report = _import(host, content)
    assert report.people == 2
    assert report.left_out == {"previews and tests of Qualtrics": 1}
    rows = list(tidy_rows(host, "doors"))
    assert [(row["application"], row["recall"], row["rating"]) for row in rows] == [
        ("bell", 0.5, 5), ("bell", 1, 7)]  # fmt: skip
    people = list(tidy_rows(host, "doors", table="participants"))
    assert [(row["age"], row["way"], row["attention_passed"]) for row in people] == [
        (34, "bike;bus", 1), (None, "bus", 0)]  # fmt: skip
    assert people[0]["finished_at"].startswith("2026-05-04T10:00")


def test_limesurvey_columns_are_known_too(run, host):
    run(SURVEY, demographics=QUESTIONS)
    header = ["id", "submitdate", "d1", "d2[o1]", "d2[o2]", "a2s3[i1]", "a2s3[i2]", "a2s3[i3]"]
    content = _csv(["7", "2026-05-04 10:00:00", "", "Y", "", "5", "4", "3"], header=header)
    study = Study.from_dict({**SURVEY, "demographics": QUESTIONS})
    assert len(wide_columns(study, read_sheet(content, name="l.csv"))) == 6
    _import(host, content)
    (row,) = tidy_rows(host, "doors")
    assert (row["application"], row["rating"]) == ("camera", 5)
    (someone,) = tidy_rows(host, "doors", table="participants")
    assert (someone["way"], someone["condition"]) == ("bike", "b")


def test_an_option_of_thousands_of_digits_is_no_option(run, host):
    run(SURVEY, demographics=QUESTIONS)
    content = _csv(["r1", "9" * 5000, "5", "4", "3"],
                   header=["ResponseId", "d2", "a1s1_1", "a1s1_2", "a1s1_3"])  # fmt: skip
    with pytest.raises(InputError, match="one of bike, bus"):
        _import(host, content)


def test_a_page_with_a_gap_in_a_wide_table(run, host):
    run(SURVEY)
    content = _csv(["1", "5", "", "3"], header=["id", "a1s1_1", "a1s1_2", "a1s1_3"])
    with pytest.raises(ManyProblemsError, match="column 'a1s1_2': nothing"):
        _import(host, content)
    report = _import(host, content, missing="drop")
    assert report.left_out == {"pages with a gap": 1}


def test_ratings_of_several_rounds(run, host):
    run(RERATING)
    header = ["user", "item", "trial", "rating", "at"]
    content = _csv(["u1", "x", "1", "good", "2026-05-01T10:00:00+02:00"],
                   ["u1", "y", "1", "1", "2026-05-01T10:01:00+02:00"],
                   ["u1", "x", "2", "2", "2026-05-02T10:00:00+02:00"], header=header)  # fmt: skip
    _import(host, content, slug="songs")
    assert [(row["item"], row["trial"], row["rating"], row["position"], row["at"])
            for row in tidy_rows(host, "songs")] == [
        ("x", 1, 3, 1, "2026-05-01T08:00:00+00:00"), ("y", 1, 1, 2, "2026-05-01T08:01:00+00:00"),
        ("x", 2, 2, 1, "2026-05-02T08:00:00+00:00")]  # fmt: skip
    with pytest.raises(ManyProblemsError, match="column 'trial': '3'"):
        _import(host, _csv(["u2", "x", "3", "1", ""], header=header), slug="songs")


@pytest.mark.parametrize(("content", "says"), [
    (b"", "fewer than two lines"), (b"a,b\n1,2,3\n", "row 2: found 3 fields, expected 2"),
    (b"a,a\n1,2\n", "the column 'a' twice"), (b"a,,b\n1,2,3\n", "without a name"),
    (b"\xfc\xe9,b\n1,2\n", "neither UTF-8"), (b"a,b\n1,\x00\n", "no text"),
])  # fmt: skip
def test_what_is_no_table_is_refused_kindly(content, says):
    with pytest.raises(FileFormatError, match=says):
        read_sheet(content, name="x.csv")


def test_a_protected_cell_comes_back_as_it_was():
    sheet = read_sheet("a;b\n'=1+1;\"two\nlines\"\n'plain;x\n".encode("utf-16"), name="x.csv")
    assert [dict(row.cells) for row in sheet.rows] == [
        {"a": "=1+1", "b": "two\nlines"}, {"a": "'plain", "b": "x"}]  # fmt: skip
    assert [row.line for row in sheet.rows] == [2, 4]


def test_people_without_times_do_not_count_as_fast(run, host):
    from howgood.flow.watching import Watcher, watch

    run(SURVEY)
    _import(host, GOOD)
    seen = watch(host, "doors", now=NOW)
    assert [each.median_seconds for each in seen.pages] == [None] * len(seen.pages)
    assert seen.times is None
    assert Watcher(host).flags("doors", seconds=5).flagged == ()


FACTS = ["ResponseId", "application", "precision", "recall", "acceptable", "finished", "pilot"]


def _with_facts(*people):
    rows = [(name, "bell", "0.5", "1", "5", *facts) for name, *facts in people]
    return _csv(*rows, header=FACTS)


def test_who_did_not_finish_and_who_was_a_test_run_stay_so(run, host):
    run(SURVEY)
    table = _with_facts(
        ["r1", "true", "false"], ["r2", "false", "false"], ["r3", "TRUE", "yes"], ["r4", "", ""]
    )
    assert _import(host, table).people == 4
    people = list(tidy_rows(host, "doors", table="participants", pilots=True))
    assert [(row["status"], row["pilot"]) for row in people] == [
        ("complete", False), ("expired", False), ("complete", True), ("expired", False),
    ]  # fmt: skip
    assert [row["finished"] for row in tidy_rows(host, "doors")] == [True, False, False]
    assert _import(host, table).people_here == 4


def test_one_row_that_says_so_is_enough_and_anything_else_is_refused(run, host):
    run(SURVEY)
    rows = [["r1", "bell", "0.5", "1", "5", "false", ""], ["r1", "bell", "1", "1", "5", "1", ""]]
    _import(host, _csv(*rows, header=FACTS))
    (person,) = tidy_rows(host, "doors", table="participants")
    assert (person["status"], person["pilot"]) == ("complete", False)
    with pytest.raises(ManyProblemsError, match="rename the column"):
        _import(host, _with_facts(["r2", "true", "Ada"]))


def test_a_question_named_finished_is_a_question(run, host):
    question = {"key": "finished", "text": "What did you finish?", "type": "text"}
    run(SURVEY, demographics=[question])
    _import(host, _with_facts(["r1", "school", ""]))
    (person,) = tidy_rows(host, "doors", table="participants")
    assert (person["status"], person["finished"]) == ("complete", "school")


@pytest.mark.parametrize(
    ("first", "second"), [(("false", ""), ("true", "")), (("true", "false"), ("true", "true"))]
)
def test_who_finished_or_was_a_test_run_after_all_is_left_out_and_named(run, host, first, second):
    run(SURVEY)
    assert _import(host, _with_facts(["r1", *first])).people == 1
    again = _import(host, _with_facts(["r1", *second]))
    assert (again.people, again.people_here, again.differing) == (0, 0, ("r1",))
    assert "unfinished" in again.lines[-1]


def test_an_older_file_of_somebody_who_finished_since_is_here_already(run, host):
    run(SURVEY)
    _import(host, _with_facts(["r1", "true", ""]))
    assert _import(host, _with_facts(["r1", "false", ""])).people_here == 1
