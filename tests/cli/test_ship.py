"""`howgood ship`, from the outside."""

import json

import numpy as np
import pytest

from howgood import ask, learn
from howgood.cli.main import run

RNG = np.random.default_rng(3)
HARD = RNG.uniform(0, 1, 120)


def _log(folder, name, strength, cost):
    lines = ["item,correct,safe,cost,topic"]
    for place, hard in enumerate(HARD):
        right = int(RNG.uniform() < strength * hard)
        lines.append(f"q{place},{right},1,{cost},t{place % 12}")
    path = folder / f"{name}.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def logs(tmp_path):
    return {
        "base": _log(tmp_path, "base", 0.5, 2),
        "better": _log(tmp_path, "better", 2.0, 1),
        "same": _log(tmp_path, "same", 0.5, 1),
    }


@pytest.mark.parametrize(
    ("first", "second", "code", "verdict"),
    [
        ("base", "better", 0, "ship"),
        ("better", "base", 1, "do not ship"),
        ("base", "same", 2, "not enough evidence"),
    ],
)
def test_the_exit_code_is_the_verdict(logs, first, second, code, verdict, capsys):
    assert run(["ship", logs[first], logs[second], "--metric", "correct", "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == verdict
    assert found["difference"]["interval"]["probability"] == pytest.approx(0.9)


def test_the_same_log_twice_is_mentioned(logs, tmp_path, capsys):
    copy = tmp_path / "copy.csv"
    copy.write_bytes((tmp_path / "base.csv").read_bytes())
    for candidate, is_same in ((logs["base"], True), (str(copy), True), (logs["same"], False)):
        run(["ship", logs["base"], candidate, "--metric", "correct"])
        assert ("one log given twice, or a copy" in capsys.readouterr().out) == is_same


def test_a_tie_says_what_would_settle_it_and_what_is_cheaper(logs, capsys):
    assert (
        run(["ship", logs["base"], logs["same"], "--metric", "correct", "--allow-undecided"]) == 0
    )
    said = capsys.readouterr().out
    assert "Not enough evidence" in said
    assert "They tie, and the candidate is 50 % cheaper" in said


@pytest.mark.parametrize(("looks", "is_one"), [("one", True), ("many", False)])
def test_who_planned_many_looks_is_not_told_to_plan_them(logs, looks, is_one, tmp_path):
    words = ["ship", logs["base"], logs["better"], "--metric", "correct", "--looks", looks]
    report = tmp_path / "ship.md"
    run([*words, "--allow-undecided", "--out", str(report)])
    assert ("use --looks many" in report.read_text()) == is_one
    assert ("Student's t" in report.read_text()) == is_one


def test_it_writes_report_comment_badge_and_picture(logs, tmp_path):
    files = {name: tmp_path / f"ship.{name}" for name in ("html", "md", "json", "png")}
    arguments = ["ship", logs["base"], logs["better"], "--metric", "correct,safe"]
    arguments += ["--out", str(files["html"]), "--markdown", str(files["md"])]
    assert run([*arguments, "--badge", str(files["json"]), "--plot", str(files["png"])]) == 0
    assert "<svg" in files["html"].read_text(encoding="utf-8")
    assert files["md"].read_text(encoding="utf-8").startswith("### ✅ Ship")
    assert json.loads(files["json"].read_text())["message"] == "ship"
    assert files["png"].stat().st_size > 1000


def test_the_bar_that_howgood_bar_prints_decides(logs, tmp_path, capsys):
    bar = tmp_path / "bar.json"
    words = ["ship", logs["base"], logs["better"], "--metric", "correct", "--bar", str(bar)]
    bar.write_text('{"bar": {"together": {"safe": 0.5}}}')  # every row has safe = 1
    assert run(words) == 1
    assert "safe is more frequent than people tolerate (50 %)" in capsys.readouterr().out
    for wrong in ("{", '{"bar": {"together": null}}', '{"together": {"safe": 7}}'):
        bar.write_text(wrong)
        assert run(words) == 2
        assert str(bar) in capsys.readouterr().err


def test_a_fit_of_failures_is_a_bar_itself(logs, tmp_path, capsys):
    answers = ask.simulate_failure_answers({"safe": 1.0}, people=40, level=6.0, random_state=1)
    fit = tmp_path / "fit.npz"
    learn.fit_failures(answers, kinds=("safe",), draws=1000, random_state=1).save(fit)
    words = ["ship", logs["base"], logs["better"], "--metric", "correct", "--bar", str(fit)]
    assert run([*words, "--share", "0.3"]) == 1
    assert "safe is more frequent than people tolerate" in capsys.readouterr().out


def test_the_doctor_says_what_was_found_and_what_is_missing(logs, capsys):
    assert run(["ship", logs["base"], logs["better"], "--doctor"]) == 0
    said = capsys.readouterr().out
    assert "120 of 120 items are in both" in said
    assert "No latency in both logs" in said
    assert "--cluster topic" in said


def test_a_missing_metric_is_said_in_options(logs, capsys):
    assert run(["ship", logs["base"], logs["better"]]) == 2
    assert "--metric" in capsys.readouterr().err


def _promptfoo(folder, name, scores):
    rows = [
        {"score": float(score), "success": bool(score), "vars": {"id": f"q{place}"},
         "failureReason": reason, "provider": {"id": "model"}, "testIdx": place}
        for place, (score, reason) in enumerate(scores)
    ]  # fmt: skip
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"results": {"version": 3, "results": rows}}))
    return str(path)


def test_what_is_wrong_with_a_log_is_said_next_to_the_verdict(tmp_path, capsys):
    good = _promptfoo(tmp_path, "good", [(1, 0)] * 30 + [(0, 1)] * 10)
    cut = _promptfoo(tmp_path, "cut", [(1, 0)] * 20 + [(0, 2)] * 20)
    run(["ship", good, cut, "--metric", "score"])
    said = capsys.readouterr().out
    assert "20 of 40 tests ended with an error of the provider and count as failed" in said
    assert "good.json: " not in said
    run(["ship", good, cut, "--metric", "score", "--json"])
    assert "count as failed" in json.loads(capsys.readouterr().out)["findings"][-1]


def test_a_metric_whose_name_says_lower_is_better_is_asked_about(tmp_path, capsys):
    rows = "\n".join(f"q{place},{place % 3 / 3}" for place in range(60))
    less = "\n".join(f"q{place},{place % 3 / 9}" for place in range(60))
    paths = []
    for name, values in (("base", rows), ("candidate", less)):
        path = tmp_path / f"{name}.csv"
        path.write_text(f"item,Hallucination\n{values}\n")
        paths.append(str(path))
    assert run(["ship", *paths, "--metric", "Hallucination"]) == 1
    assert "--lower-is-better Hallucination" in capsys.readouterr().out
    words = ["ship", *paths, "--metric", "Hallucination", "--lower-is-better", "Hallucination"]
    assert run(words) == 0
    assert "counts as better here" not in capsys.readouterr().out


def test_a_column_with_a_text_among_its_numbers_is_named(tmp_path, capsys):
    rows = {"base": ("1", "error", "0"), "candidate": ("1", "1", "0")}
    for name, cells in rows.items():
        lines = [f"q{place},{cell},.{place}" for place, cell in enumerate(cells)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,acc,tox", *lines]))
    words = ["ship", *(str(tmp_path / f"{name}.csv") for name in rows)]
    for more in ([], ["--metric", "acc"]):
        assert run([*words, *more]) == 2
        assert "row 3 has 'error'" in capsys.readouterr().err
    for more in (["--doctor"], ["--metric", "tox"]):
        run([*words, *more])
        said = capsys.readouterr().out
        assert "column 'acc' is no metric" in said
        assert "--cluster acc" not in said


def test_a_metric_with_a_comma_in_its_name_can_be_named(tmp_path, capsys):
    paths = []
    for name, right in (("base", 2), ("candidate", 4)):
        lines = [
            {"doc_id": number, "doc_hash": f"d{number}", "filtered_resps": ["a"], "filter": kind,
             "metrics": ["exact_match"], "exact_match": float(number % 5 < right)}
            for number in range(40) for kind in ("strict-match", "flexible-extract")
        ]  # fmt: skip
        path = tmp_path / f"samples_gsm8k_{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        paths.append(str(path))
    metric = "exact_match,strict-match,exact_match,flexible-extract"
    assert run(["ship", *paths, "--metric", metric, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    named = [comparison["metric"] for comparison in found["comparisons"]]
    assert named == ["exact_match,strict-match", "exact_match,flexible-extract"]
    words = ["ship", *paths, "--metric", "exact_match,strict-match"]
    assert run([*words, "--lower-is-better", "exact_match,strict-match"]) == 1
