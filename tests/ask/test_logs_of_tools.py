"""Logs that the tools themselves wrote a moment ago: Inspect; and, slowly, lm-eval and DeepEval."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from howgood import ask, decide

SCRIPTS = Path(__file__).parent / "real_tools"
TOOLS = Path(__file__).parents[2] / ".venv-tools" / "bin"
WITHOUT_NETWORK = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def _ran(words, folder):
    ran = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, **WITHOUT_NETWORK},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout


def _inspect_logs(folder, right):
    printed = _ran([sys.executable, SCRIPTS / "run_inspect.py", folder, right], folder)
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


@pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="not among the packages of make test-library"
)
def test_real_logs_of_inspect_give_its_own_accuracy_and_are_compared(tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "new").mkdir()
    logs = {name: _inspect_logs(tmp_path / name, n) for name, n in (("base", 2), ("new", 4))}
    for made in (*logs["base"], *logs["new"]):
        log = ask.read_log(made["path"])
        assert log.format == "Inspect"
        assert log.metrics["match"].mean() == pytest.approx(made["accuracy"])
        assert (log.n_items, len(log.items)) == (6, 12)
    decision = decide.ship(logs["base"][0]["path"], logs["new"][1]["path"], metric="match")
    assert decision.difference.mean == pytest.approx(
        logs["new"][1]["accuracy"] - logs["base"][0]["accuracy"]
    )


@pytest.mark.slow
def test_a_real_run_of_lm_eval_gives_its_own_numbers(tmp_path):
    questions = [
        {"q": f"question {number}", "choices": ["a", "bb", "ccc"], "label": number % 3}
        for number in range(30)
    ]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, questions)))
    shutil.copy(SCRIPTS / "capitals.yaml", tmp_path)
    words = "--model dummy --tasks capitals --include_path . --log_samples --output_path out"
    _ran([TOOLS / "lm_eval", *words.split()], tmp_path)
    (summary,) = (tmp_path / "out").rglob("results_*.json")
    results = json.loads(summary.read_text())
    log = ask.read_log(tmp_path / "out")
    assert log.format == "lm-eval samples"
    assert log.system == results["model_name"]
    for metric in ("acc", "acc_norm"):
        assert log.metrics[metric].mean() == pytest.approx(
            results["results"]["capitals"][f"{metric},none"]
        )


@pytest.mark.slow
def test_a_real_run_of_deepeval_gives_its_own_scores(tmp_path):
    _ran([TOOLS / "python", SCRIPTS / "run_deepeval.py", tmp_path / "results"], tmp_path)
    (made,) = (tmp_path / "results").glob("test_run_*.json")
    log = ask.read_log(made)
    assert log.format == "DeepEval"
    assert log.items == tuple(f"q{number}" for number in range(6))
    assert log.metrics["Exact"].tolist() == [1.0, 0.0, 0.0] * 2
    assert log.metrics["success"].tolist() == log.metrics["Exact"].tolist()
