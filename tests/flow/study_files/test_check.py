"""Checking study files: the right line, what was found, what is needed, what to do."""

import json
from datetime import UTC, datetime

import pytest

from howgood.cli.main import run
from howgood.errors import FileFormatError, ManyProblemsError
from howgood.flow.participate import take_part
from howgood.flow.study_files import check_study, new_study, read_study
from howgood.records.screen import Cards

GOOD = """\
kind = "rerating"
slug = "songs"
title = "Songs"

[consent]
text = "I agree."

[rerating]
question = "How much do you like it?"
scale = ["1", "2", "3"]

[[rerating.items]]
key = "a"
text = "First"

[[rerating.items]]
key = "b"
text = "Second"
"""

SURVEY = """\
kind: survey
slug: alarm
title: Alarm
consent: {text: I agree.}
survey:
  per_application: 2
  applications:
    - key: alarm
      name: Alarm
      description: It rings.
      phrases:
        happened: "{n} times a stranger came."
        found: "{n} of the {real} times it rang."
        missed: "{n} of the {real} times it did not."
        false_alarm: "{n} other {time|times} it rang."
"""


def _written(tmp_path, text, name="study.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def _problems(tmp_path, text, name="study.toml"):
    checked = check_study(_written(tmp_path, text, name))
    assert (checked.study is None) == bool(checked.problems)
    return [(each.line, each.message) for each in checked.problems]


def test_a_good_file_has_no_problems(tmp_path):
    assert _problems(tmp_path, GOOD) == []
    assert _problems(tmp_path, SURVEY, "study.yaml") == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('title = "Songs"', "title = 3", 3, ["title: 3", "text", "quotes"]),
        ('title = "Songs"', 'titel = "Songs"', 3, ["'titel'", "Did you mean 'title'"]),
        ('title = "Songs"\n', "", 1, ["no 'title'", "Add title"]),
        ('kind = "rerating"', 'kind = "reratings"', 1, ["'reratings'", "survey, comparison"]),
        ('slug = "songs"', 'slug = "My Songs!"', 2, ["'My Songs!'", "a-z"]),
        ('scale = ["1", "2", "3"]', 'scale = ["1", 2, "3"]', 10, ["rerating.scale[2]: 2", "text"]),
        ('scale = ["1", "2", "3"]', 'scale = ["1"]', 10, ["at least 2 labels"]),
        ('scale = ["1", "2", "3"]', 'scale = ["1", "2"]\nrounds = 1', 11, ["from 2 to 50"]),
        ('key = "b"', 'key = "a"', 17, ["rerating.items[2].key", "'a' again"]),
        ('text = "Second"', "", 16, ["neither text nor picture"]),
        ('text = "Second"', 'picture = { file = "no.svg", alternative = "x" }', 18, ["no such"]),
        ('text = "Second"', 'picture = { file = "../x.svg", alternative = "x" }', 18, ["outside"]),
        ('text = "Second"', 'picture = { file = "x.exe", alternative = "x" }', 18, ["'.exe'"]),
        ('title = "Songs"', 'title = "Songs"\nlanguage = "xx"', 4, ["'xx'", "de, en"]),
        ('title = "Songs"', 'title = "Songs"\nquota = 0', 4, ["at least 1"]),
        ('title = "Songs"', 'title = "Songs', 3, ["valid TOML"]),
        ('[consent]\ntext = "I agree."', "consent = 5", 5, ["consent: 5", "a table of keys"]),
    ],
)  # fmt: skip
def test_a_fault_in_toml_is_named_with_its_line(tmp_path, old, new, line, words):
    assert old in GOOD
    found = _problems(tmp_path, GOOD.replace(old, new))
    assert [each[0] for each in found] == [line]
    for word in words:
        assert word in found[0][1]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("title: Alarm", "title: 3", 3, ["title: 3", "text"]),
        ("title: Alarm", "title: no", None, []),  # text in YAML 1.2, not false
        ("title: Alarm", "title: Alarm\ntitle: Again", 4, ["'title' again"]),
        ("title: Alarm", "title: [unclosed", 4, ["valid YAML"]),
        ("title: Alarm", "title: &a Alarm\nnotes: *a", 4, ["alias"]),
        ("per_application: 2", "per_application: two", 6, ["'two'", "whole number"]),
        ("per_application: 2", "recall: [0.5, 1.5]", 6, ["survey.recall[2]", "at most 1"]),
        ("per_application: 2", "per_application: 17", 6, ["17", "at most 16", "leave it out"]),
        ("per_application: 2", "applications_each: 2", 6, ["at most 1, the number of appl"]),
        ("per_application: 2", "cases: 12", 6, ["together at most cases = 12"]),
        ('happened: "{n} times', 'happened: "many times', 12, ["{n}"]),
        ("{time|times}", "{times}", 15, ["{times}"]),
        ("        missed:", "        mised:", 11, ["no phrase 'missed'"]),
        ("survey:\n", "rerating:\n", 5, ["unknown key"]),
    ],
)  # fmt: skip
def test_a_fault_in_yaml_is_named_with_its_line(tmp_path, old, new, line, words):
    assert old in SURVEY
    found = _problems(tmp_path, SURVEY.replace(old, new), "study.yaml")
    if line is None:
        assert found == []
        return
    assert found[0][0] == line
    for word in words:
        assert any(word in message for _, message in found)


def test_all_problems_come_at_once_in_the_order_of_lines(tmp_path):
    text = GOOD.replace('title = "Songs"', "title = 3").replace('key = "b"', 'key = "a"')
    text = text.replace('"1", "2", "3"', '"1"')
    assert [line for line, _ in _problems(tmp_path, text)] == [3, 10, 17]


def test_a_file_that_is_no_study_file_is_refused_kindly(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path, _written(tmp_path, "x", "study.txt")):
        with pytest.raises(FileFormatError):
            check_study(path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="UTF-8"):
        check_study(tmp_path / "bytes.toml")


def test_reading_a_wrong_study_raises_the_first_problem_and_keeps_them_all(tmp_path):
    assert read_study(_written(tmp_path, GOOD, "good.toml")).slug == "songs"
    with pytest.raises(ManyProblemsError, match=r"study\.toml:3") as caught:
        read_study(_written(tmp_path, GOOD.replace('title = "Songs"', "title = 3"), "study.toml"))
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("kind", ["survey", "comparison", "rerating"])
def test_new_files_are_ready_and_the_same_study_in_toml_and_yaml(tmp_path, kind, capsys):
    versions = []
    for ending in ("toml", "yaml"):
        file = str(tmp_path / f"{kind}.{ending}")
        assert run(["new", kind, file]) == 0
        assert run(["check", file]) == 0
        versions.append(read_study(file).version)
        assert run(["new", kind, file]) == 2  # nothing is overwritten
    assert versions[0] == versions[1]
    assert "ready" in capsys.readouterr().out


def test_the_command_prints_every_problem_with_file_and_line(tmp_path, capsys):
    path = _written(tmp_path, GOOD.replace('title = "Songs"', "title = 3"))
    assert run(["check", str(path)]) == 2
    assert f"{path}:3: title: 3; expected text." in capsys.readouterr().err
    assert run(["check", "--json", str(path)]) == 2
    assert json.loads(capsys.readouterr().out)[0]["problems"][0]["line"] == 3


def test_an_unknown_kind_or_ending_is_refused(tmp_path):
    assert run(["new", "poll", str(tmp_path / "x.toml")]) == 2
    with pytest.raises(FileFormatError):
        new_study("survey", tmp_path / "x.txt")


COMPARISON = """\
kind: comparison
slug: pairs
title: Pairs
consent: {text: I agree.}
comparison:
  task: Systems look for something.
  question: Which one?
  words: {cases: people, positive: have it, negative: do not, with_positive: with it,
          with_negative: without, flagged: named, cleared: not named, found: found,
          correctly_cleared: left alone, miss: miss, misses: misses, alarm: alarm, alarms: alarms}
  scores: {file: scores.csv, truth: y, score: p}
"""
SCORES = "y,p\n" + "".join(f"{number % 3 == 0:d},{number / 40}\n" for number in range(40))


def test_matrices_come_from_a_file_of_scores(tmp_path):
    (tmp_path / "scores.csv").write_text(SCORES)
    study = read_study(_written(tmp_path, COMPARISON, "study.yaml"))
    matrices = study.plan.matrices
    assert len(matrices) > 10
    for each in matrices:
        cells = each.true_positives, each.false_negatives, each.false_positives, each.true_negatives
        assert sum(cells) == 100
    assert matrices[0].lower == 0
    assert matrices[-1].upper is None


@pytest.mark.parametrize(("every", "total"), [(9, 100), (40, 1000), (250, 10_000)])
def test_a_rare_class_is_shown_to_participants_out_of_more_cases(tmp_path, every, total):
    rows = "".join(f"{number % every == 0:d},{(number * 7 % 500) / 500}\n" for number in range(500))
    (tmp_path / "scores.csv").write_text("y,p\n" + rows)
    study = read_study(_written(tmp_path, COMPARISON, "study.yaml"))
    first = study.plan.matrices[0]
    assert first.true_positives + first.false_negatives >= 10
    assert first.false_positives + first.true_positives == total  # the lowest threshold flags all
    screens, _ = take_part(study, seed=1, now=datetime(2026, 5, 4, tzinfo=UTC))
    (shown,) = [each for each in screens if each.key == "compare-1"]
    cards = next(each for each in shown.blocks if isinstance(each, Cards))
    for card in cards.cards:
        assert f">Out of {total:,} people</text>" in card.drawing.svg
        assert f"Of {total:,} people" in card.drawing.alternative


def test_matrices_come_from_a_table_of_systems(tmp_path):
    header = "true_positives,false_negatives,false_positives,true_negatives\n"
    (tmp_path / "systems.csv").write_text(header + "70,0,60,70\n60,10,20,110\n40,30,5,125\n")
    text = COMPARISON.replace(
        "scores: {file: scores.csv, truth: y, score: p}", "table: systems.csv"
    )
    matrices = read_study(_written(tmp_path, text, "study.yaml")).plan.matrices
    # 70 of 200 are 35 of 100; 20 of 200 false alarms are 10.
    assert [(each.true_positives, each.false_positives) for each in matrices][1] == (30, 10)
    (tmp_path / "systems.csv").write_text(header + "70,0,60,70\n")
    found = _problems(tmp_path, text, "study.yaml")
    assert any(line == 11 and "at least 3" in message for line, message in found)
    (tmp_path / "systems.csv").unlink()
    ((line, message),) = _problems(tmp_path, text, "study.yaml")
    assert line == 11
    assert "systems.csv" in message
    assert "no such file" in message


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("scores.csv", "nothing.csv", 11, ["nothing.csv", "no such file"]),
        ("truth: y", "truth: z", 11, ["'z'"]),
        ("score: p", "score: 5", 11, ["5", "text"]),
        ("cases: people, ", "", 8, ["no word 'cases'"]),
        ("cases: people", "cases: people, thing: x", 8, ["a word 'thing'"]),
        ("  scores:", "  matrices: []\n  score:", 12, ["unknown key 'score'"]),
    ],
)
def test_a_fault_in_a_comparison_is_named_with_its_line(tmp_path, old, new, line, words):
    (tmp_path / "scores.csv").write_text(SCORES)
    assert old in COMPARISON
    found = _problems(tmp_path, COMPARISON.replace(old, new), "study.yaml")
    assert line in [each for each, _ in found]
    for word in words:
        assert any(word in message for _, message in found)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("[consent]", '[[demographics]]\nkey = "pages"\ntext = "?"\ntype = "text"\n\n[consent]', 6,
         ["a column that is taken"]),
        ("[rerating]", '[[closing]]\nkey = "a0"\ntext = "?"\ntype = "text"\n\n[rerating]', 9,
         ["a column that is taken"]),
        ("[rerating]", "[rerating]\ndelay_minutes = -1", 9, ["at least 0"]),
        ('title = "Songs"', 'title = "Songs"\n[completion]\nredirect = "http://x.org"', 5, ["https://"]),
        ('kind = "rerating"', 'kind = "survey"', 8, ["a rerating part in a survey study"]),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_together_are_named(tmp_path, old, new, line, words):
    assert old in GOOD
    found = _problems(tmp_path, GOOD.replace(old, new))
    assert line in [each for each, _ in found]
    for word in words:
        assert any(word in message for _, message in found)


def test_levels_that_are_the_same_in_whole_counts_are_named(tmp_path):
    levels = "  precision: [0.9, 0.92, 0.95, 1]\n  recall: [0.5, 0.55, 0.6, 1]\n"
    text = SURVEY + levels + "  real_positives: 2\n"
    advice = check_study(_written(tmp_path, text, "study.yaml")).advice
    # Of 2 events, recall .5 finds 1, .55 and .6 find 1 too, 1 finds 2: two distinct recalls, and
    # one or two found leave no false alarm at any of these precisions.
    (said,) = [each for each in advice if "distinct scenarios" in each]
    assert said.startswith("2 distinct scenarios of 16")
    assert "0.9/0.5 = 0.92/0.5" in said
    assert "real_positives" in said
    usual = check_study(_written(tmp_path, SURVEY, "study.yaml")).advice
    assert not any("distinct scenarios" in each for each in usual)
