"""The interview as a user types it."""

import io
import json
import re

import numpy as np
import pytest

from howgood import ask
from howgood.cli.main import run
from howgood.flow import elicit as flow


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    rng = np.random.default_rng(1)
    chance = rng.beta(0.5, 0.9, 500)
    truth = rng.random(500) < chance
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    rows = [f"{'ill' if t else 'well'},{s:.4f}" for t, s in zip(truth, chance, strict=True)]
    path.write_text("\n".join(["y,s", *rows]))
    return path


def columns(scores):
    return ["elicit", str(scores), "--truth", "y", "--score", "s", "--positive", "ill"]


def test_a_simulated_respondent_is_recovered_with_all_outputs(scores, tmp_path, capsys):
    log, report, picture = tmp_path / "log.json", tmp_path / "r.html", tmp_path / "p.svg"
    simulate = ["--simulate", "a0=.2,noise=.05", "--seed", "3", "--held-out", "5"]
    files = ["--log", str(log), "--out", str(report), "--plot", str(picture)]
    assert run([*columns(scores), *simulate, *files, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert abs(result["a0"]["mean"] - 0.2) < 0.08
    assert result["agreement"]["n_questions"] <= 5
    drawn = report.read_text()
    assert drawn.count("<svg") - drawn.count('class="for-phone"') == 2
    assert "What one miss is worth" in report.read_text()
    assert picture.read_text().startswith("<?xml")

    assert run(["elicit", "--replay", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result

    assert run(["elicit", "--replay", str(log)]) == 0
    printed = re.search(r"Flag scores of at least ([\d.]+) \(any", capsys.readouterr().out)
    assert printed is not None
    ends = result["thresholds"]
    assert ends["lower"] < float(printed[1]) <= ends["upper"]


def test_keys_undo_and_stopping_resume_from_the_log(scores, tmp_path, capsys, monkeypatch):
    log = tmp_path / "log.json"
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n?\nx\n2\nu\n0\nq\n"))
    assert run([*columns(scores), "--seed", "1", "--log", str(log)]) == 0
    shown = capsys.readouterr()
    assert "Question 3 of at most 55" in shown.err
    assert "[1] A" in shown.err
    answers = [each["choice"] for each in json.loads(log.read_text())["answers"]]
    assert answers == ["first", "same"]

    monkeypatch.setattr("sys.stdin", io.StringIO("2\n"))  # then the input ends
    assert run([*columns(scores), "--log", str(log)]) == 0
    assert "resuming" in capsys.readouterr().err
    assert [each["choice"] for each in json.loads(log.read_text())["answers"]] == [
        "first",
        "same",
        "second",
    ]


def test_the_study_owners_words_are_used(scores, tmp_path, capsys, monkeypatch):
    words = tmp_path / "words.json"
    words.write_text(json.dumps(ask.CANCER_WORDING.to_dict()))
    monkeypatch.setattr("sys.stdin", io.StringIO("?\n1\n2\n1\n2\n1\nq\n"))
    assert run([*columns(scores), "--wording", str(words), "--seed", "1"]) == 0
    shown = capsys.readouterr()
    assert "Which system would you prefer your doctor to use?" in shown.err
    assert "biopsy" in shown.err
    assert "missed cancer" in shown.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--truth", "z", "--score", "s"], "no column 'z'"),
        (["--truth", "y", "--score", "s"], "--positive"),
        (["--truth", "y", "--score", "s", "--positive", "ill", "--simulate", "size=3"], "a0="),
        (["--truth", "y", "--score", "s", "--positive", "ill", "--simulate", "a0=2"], "between 0"),
        (["--truth", "y", "--score", "s", "--positive", "ill", "--direct", "-1"], "in the range"),
        (["--replay", "nowhere.json"], "no such file"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_two(scores, arguments, words, capsys):
    assert run(["elicit", str(scores), *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


@pytest.mark.parametrize("content", ["", "[]", '{"format": "x"}', "not json"])
def test_a_file_that_is_no_log_is_refused(content, tmp_path, capsys):
    path = tmp_path / "log.json"
    path.write_text(content)
    assert run(["elicit", "--replay", str(path)]) == 2
    assert "log" in capsys.readouterr().err


def test_scores_beyond_probabilities_can_be_recalibrated(tmp_path, capsys):
    rng = np.random.default_rng(1)
    raw = rng.normal(size=300)
    truth = rng.random(300) < 1 / (1 + np.exp(-2 * raw))
    path = tmp_path / "scores.csv"
    path.write_text(
        "\n".join(["y,s", *(f"{int(t)},{s:.4f}" for t, s in zip(truth, raw, strict=True))])
    )
    simulate = ["--truth", "y", "--score", "s", "--simulate", "cap=.05", "--seed", "1"]
    assert run(["elicit", str(path), *simulate]) == 2
    assert "--recalibrate" in capsys.readouterr().err
    assert run(["elicit", str(path), *simulate, "--recalibrate", "--held-out", "0"]) == 0
    assert "at most 5 misses" in capsys.readouterr().out


def test_gaps_in_the_truth_are_not_taken_as_negatives(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("y,s\n1,0.9\n,0.3\n0,0.2\n1,0.4\n0,0.5\n")
    assert run(["elicit", str(path), "--truth", "y", "--score", "s", "--simulate", "a0=.2"]) == 2
    assert "missing" in capsys.readouterr().err


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """Five thousand cases of which four in a thousand are positive."""
    rng = np.random.default_rng(2)
    truth = np.arange(5000) < 20
    logit = np.log(0.004 / 0.996) + 2 * (rng.normal(size=5000) + 2 * truth) - 2
    chance = 1 / (1 + np.exp(-logit))
    path = tmp_path_factory.mktemp("rare") / "rare.csv"
    rows = [f"{int(t)},{s:.6f}" for t, s in zip(truth, chance, strict=True)]
    path.write_text("\n".join(["y,s", *rows]))
    return path


def test_a_rare_class_is_shown_out_of_as_many_cases_as_it_takes(
    rare, tmp_path, capsys, monkeypatch
):
    log, report = tmp_path / "log.json", tmp_path / "report.html"
    command = ["elicit", str(rare), "--truth", "y", "--score", "s", "--seed", "1",
               "--held-out", "3"]  # fmt: skip
    simulate = ["--simulate", "a0=.05", "--log", str(log), "--out", str(report)]
    assert run([*command, *simulate]) == 0
    said = capsys.readouterr().out
    assert re.search(r"Of the 20 that are positive: \d+ found", said)
    assert "Only 20 cases that are positive decide this" in said
    assert "whole numbers out of 10,000" in report.read_text()
    assert run(["elicit", "--replay", str(log)]) == 0
    # Calibration needs the scores, which a log does not hold; everything else is the same.
    assert capsys.readouterr().out.splitlines()[:2] == said.splitlines()[:2]
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert run(command) == 0
    assert "out of 10,000 cases" in capsys.readouterr().err


def test_a_log_without_counts_says_what_its_threshold_rests_on(scores, tmp_path, capsys):
    """As earlier versions wrote them."""
    log = tmp_path / "log.json"
    simulate = ["--simulate", "a0=.2", "--seed", "3", "--held-out", "0", "--log", str(log)]
    assert run([*columns(scores), *simulate]) == 0
    assert "log holds no counts" not in capsys.readouterr().out
    earlier = json.loads(log.read_text())
    del earlier["counts"]
    log.write_text(json.dumps(earlier))
    assert run(["elicit", "--replay", str(log)]) == 0
    said = capsys.readouterr().out
    assert "judged by the numbers out of 100 that were shown: the log holds no counts" in said


def test_no_preference_throughout_gives_no_metric_and_no_threshold(
    scores, tmp_path, capsys, monkeypatch
):
    picture, report = tmp_path / "p.svg", tmp_path / "r.html"
    monkeypatch.setattr("sys.stdin", io.StringIO("0\n" * 60))
    files = ["--plot", str(picture), "--out", str(report), "--held-out", "3"]
    assert run([*columns(scores), "--seed", "1", *files]) == 0
    shown = capsys.readouterr()
    assert "Not enough evidence" in shown.out
    assert "Flag scores" not in shown.out
    assert "linear" not in shown.out
    assert "p.svg is not written: not enough evidence" in shown.err
    assert not picture.exists()
    assert "<svg" not in report.read_text()


def test_the_log_holds_how_long_each_answer_took_and_replay_ignores_it(
    scores, tmp_path, capsys, monkeypatch
):
    log = tmp_path / "log.json"
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n2\nq\n"))
    assert run([*columns(scores), "--seed", "1", "--log", str(log), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    kept = json.loads(log.read_text())
    assert all(each["milliseconds"] >= 0 for each in kept["answers"])
    for each in kept["answers"]:
        each["milliseconds"] = 12345
    log.write_text(json.dumps(kept))
    assert run(["elicit", "--replay", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_times_are_those_of_the_clock(scores):
    interview = flow.start(scores, truth="y", score="s", positive="ill", random_state=1)
    replies = iter(["first", "stop"])
    ticks = iter([10.0, 11.25, 20.0])
    flow.hold(interview, lambda _: next(replies), clock=lambda: next(ticks))
    assert [each.milliseconds for each in interview.elicitor.answers] == [1250]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at_terminal(monkeypatch, lines, keys):
    pressed = iter(keys)
    monkeypatch.setattr("sys.stdin", Terminal(lines))
    monkeypatch.setattr("click.getchar", lambda: next(pressed))


SHORT = ["--seed", "1", "--questions", "3", "--held-out", "2", "--no-checks"]


def test_a_person_at_the_terminal_guesses_before_and_after(scores, tmp_path, capsys, monkeypatch):
    log = tmp_path / "log.json"
    at_terminal(monkeypatch, "many\n5000000\n7\n4\n", "12112")
    assert run([*columns(scores), *SHORT, "--log", str(log)]) == 0
    shown = capsys.readouterr()
    assert shown.err.count("is as bad as how many") == 4  # two refused, one before, one after
    assert "A number from 0.001 to 100,000, please." in shown.err
    assert "said 7 before the choices and 4 after the choices" in shown.out
    assert json.loads(log.read_text())["settings"]["direct_ratio"] == 7
    assert run(["elicit", "--replay", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["direct"] == {"before": 7, "after": 4}


def test_enter_skips_the_guess_and_an_unfinished_interview_asks_none_after(
    scores, capsys, monkeypatch
):
    at_terminal(monkeypatch, "\n", "1q")
    assert run([*columns(scores), *SHORT, "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err.count("is as bad as how many") == 1
    assert json.loads(shown.out)["direct"] == {"before": None, "after": None}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("1,.9\n1,.2\n1,.4", "two classes"),
        ("1,.9\n0,2.5\n1,.4", "between 0 and 1"),
        ("1,.9\n0,nan\n1,.4", "column 's': 1 of 3"),
        ("1,high\n0,low\n1,low", "column 's': text such as 'high'"),
        ("1,.5\n0,.5\n1,.5", "All scores are equal"),
    ],
)
def test_a_file_without_a_trade_off_is_refused_by_name(tmp_path, rows, words, capsys):
    path = tmp_path / "scores.csv"
    path.write_text(f"y,s\n{rows}\n")
    assert run(["elicit", str(path), "--truth", "y", "--score", "s", "--simulate", "a0=.2"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "scores.csv" in error
    assert "out_of" not in error  # no option of the command
    assert "Traceback" not in error


@pytest.mark.parametrize("more", [[], ["--classes", "cat,dog,fox"]])
def test_a_log_whose_questions_another_version_asked_is_refused_by_its_name(
    more, scores, tmp_path, capsys
):
    if more:
        chances = np.random.default_rng(3).dirichlet([1, 1, 1], 300)
        lines = [f"{row.argmax()},{row[0]:.4f},{row[1]:.4f},{row[2]:.4f}" for row in chances]
        scores = tmp_path / "classes.csv"
        names = ("cat", "dog", "fox")
        rows = [names[int(line[0])] + line[1:] for line in lines]
        scores.write_text("y_true,cat,dog,fox\n" + "\n".join(rows) + "\n")
    columns = [] if more else ["--truth", "y", "--score", "s", "--positive", "ill"]
    who = [*columns, "--simulate", "cat=.5,dog=.3,fox=.2" if more else "a0=.2"]
    log = tmp_path / "log.json"
    asked = ["elicit", str(scores), *more, "--log", str(log), "--seed", "1", "--questions", "6"]
    assert run([*asked, *who]) == 0
    capsys.readouterr()
    kept = json.loads(log.read_text())
    entry = kept["answers"][2]
    entry["first"], entry["second"] = entry["second"], entry["first"]
    log.write_text(json.dumps(kept))
    before = log.read_bytes()
    assert run([*asked, *who]) == 2
    error = capsys.readouterr().err
    assert f"{log}, answer 3" in error
    assert "another version" in error
    assert "Begin a new interview under another name" in error
    assert log.read_bytes() == before


def test_a_log_about_other_systems_is_not_resumed(scores, tmp_path, capsys):
    log, others = tmp_path / "log.json", tmp_path / "others.csv"
    simulate = ["--simulate", "a0=.2", "--seed", "1", "--log", str(log)]
    assert run([*columns(scores), *simulate, *SHORT[2:]]) == 0
    others.write_text("".join(scores.read_text().splitlines(keepends=True)[:200]))
    capsys.readouterr()
    assert run([*columns(others), *simulate]) == 2
    assert "other systems" in capsys.readouterr().err
    assert run(["elicit", "--log", str(log), "--simulate", "a0=.2", "--json"]) == 0


def test_several_negative_labels_are_said_aloud(tmp_path, capsys):
    rng = np.random.default_rng(4)
    scores = rng.random(200)
    names = np.where(rng.random(200) < scores, "ill", rng.choice(["well", "unclear"], 200))
    path = tmp_path / "three.csv"
    path.write_text(
        "\n".join(["y,s", *(f"{n},{s:.3f}" for n, s in zip(names, scores, strict=True))])
    )
    command = [*columns(path), "--simulate", "a0=.3", "--seed", "1", "--questions", "6"]
    assert run(command) == 0
    assert "'unclear', 'well' as negative" in capsys.readouterr().err


@pytest.mark.parametrize("more", [["--plot", "x.png"], ["--families", "linear"], ["--no-checks"]])
def test_options_that_classes_have_no_use_for_are_refused(more, tmp_path, capsys):
    assert run(["elicit", str(tmp_path / "none.csv"), "--classes", "p_a,p_b,p_c", *more]) == 2
    assert "has no use with --classes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "cure"),
    [
        ("0,.1\n0,.2\n0,.3", "Use cases of both labels"),
        ("0,.1\n1,\n0,.3\n1,.4", "remove these rows from the file"),
    ],
)
def test_what_an_interview_cannot_use_is_refused_with_a_cure_that_exists(
    tmp_path, capsys, rows, cure
):
    path = tmp_path / "scores.csv"
    path.write_text(f"y,s\n{rows}\n")
    assert run(["elicit", str(path), "--truth", "y", "--score", "s"]) == 2
    assert cure in capsys.readouterr().err


def test_a_gate_by_an_elicited_metric_that_is_not_there_says_so(tmp_path, capsys):
    path = tmp_path / "predictions.csv"
    path.write_text("y,new,old\n1,1,0\n0,0,0\n")
    words = ["gate", str(tmp_path / "nobody.json"), str(path), "--truth", "y", "--predicted", "new"]
    assert run([*words, "--than", "old"]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.fixture(scope="module")
def gated(scores, tmp_path_factory):
    """Give a saved interview, and cases with the labels of a good system and of an idle one."""
    folder = tmp_path_factory.mktemp("gated")
    simulate = ["--simulate", "a0=.2", "--seed", "1", "--held-out", "5"]
    assert run([*columns(scores), *simulate, "--save", str(folder / "metric.json")]) == 0
    rows = [line.split(",") for line in scores.read_text().split()[1:]]
    labels = [f"{truth},{'ill' if float(s) > 0.2 else 'well'},well" for truth, s in rows]
    (folder / "labels.csv").write_text("\n".join(["y,new,idle", *labels]))
    return folder


def test_a_gate_takes_the_interview_as_threshold_and_rank_do(gated, capsys):
    metric, labels = str(gated / "metric.json"), str(gated / "labels.csv")
    asked = ["--truth", "y", "--predicted", "new", "--than", "idle", "--json"]
    assert run(["gate", labels, "--elicited", metric, *asked]) == 0
    one = json.loads(capsys.readouterr().out)
    assert run(["gate", metric, labels, *asked]) == 0
    assert json.loads(capsys.readouterr().out) == one
    assert one["verdict"] == "pass"
    assert run(["gate", metric, labels, "--elicited", metric, *asked]) == 2
    assert "not both" in capsys.readouterr().err
    assert run(["gate"]) == 2
    assert "--elicited FILE" in capsys.readouterr().err


def test_a_gate_may_ask_for_more_than_better_or_for_not_much_worse(gated, capsys):
    words = ["gate", str(gated / "labels.csv"), "--elicited", str(gated / "metric.json")]
    words += ["--truth", "y", "--than", "new"]
    assert run([*words, "--predicted", "new"]) == 0  # as good as itself: nobody can say
    assert capsys.readouterr().out.startswith("investigate")
    assert run([*words, "--predicted", "new", "--margin", "-.02"]) == 0
    assert capsys.readouterr().out.startswith("pass")
    assert run([*words, "--predicted", "new", "--margin", ".02"]) == 1
    assert "by more than 0.02" in capsys.readouterr().out


def test_a_gate_refuses_what_would_change_nothing(gated, capsys):
    words = ["gate", str(gated / "labels.csv"), "--elicited", str(gated / "metric.json")]
    assert run([*words, "--truth", "y", "--predicted", "new", "--share", ".6"]) == 2
    assert "--share asks people" in capsys.readouterr().err
    card = ["gate", "kay2015-answers-electricity", "--counts", "85,15,10,890"]
    assert run([*card, "--margin", ".1"]) == 2
    assert "--margin compares by an elicited metric" in capsys.readouterr().err
