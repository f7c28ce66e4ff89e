"""`--out` of every command that reports: the same findings as HTML, Markdown and JSON."""

import csv
import json

import numpy as np
import pytest

from howgood import ask
from howgood.cli.main import run


def _write(path, table):
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """Give each reporting command with small data of its own."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(1)
    people = {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}
    _write(folder / "a.csv", ask.simulate_answers(people, people=10, per_person=6, random_state=1))
    mean = rng.uniform(1, 5, 100)
    systems = {name: mean + rng.normal(0, sd, 100) for name, sd in (("svd", 0.5), ("knn", 0.9))}
    _write(folder / "r.csv", {"mean": mean, "sd": np.full(100, 0.8), **systems})
    lighting = dict(ask.simulate_lighting(rows=150, random_state=1))
    _write(folder / "l.csv", lighting | {"guess": rng.permutation(lighting["light"])})
    truth = rng.integers(0, 2, 300)
    _write(folder / "s.csv", {"y": truth, "s": 1 / (1 + np.exp(1 - rng.normal(2 * truth)))})
    return {
        "fit": ["fit", f"{folder}/a.csv"],
        "rank": ["rank", f"{folder}/r.csv", "--mean", "mean", "--sd", "sd", "--system", "svd",
                 "--system", "knn"],
        "relevance": ["relevance", f"{folder}/l.csv", "--outcome", "light", "--predicted", "guess",
                      "--context", "activity,area"],
        "elicit": ["elicit", f"{folder}/s.csv", "--truth", "y", "--score", "s", "--simulate",
                   "a0=.2,noise=.05", "--seed", "3"],
        "threshold": ["threshold", f"{folder}/s.csv", "--truth", "y", "--score", "s", "--alpha",
                      ".3"],
    }  # fmt: skip


@pytest.mark.parametrize("name", ["fit", "rank", "relevance", "elicit", "threshold"])
def test_a_report_says_the_same_in_every_form(commands, name, tmp_path, capsys):
    texts = {}
    for ending in ("html", "md", "json"):
        path = tmp_path / f"report.{ending}"
        assert run([*commands[name], "--out", str(path)]) == 0
        texts[ending] = path.read_text(encoding="utf-8")
    values = json.loads(texts["json"])
    assert values["findings"]
    assert values["methods"]
    assert values["provenance"]["versions"]["howgood"]
    for finding in values["findings"]:
        assert f"- {finding}" in texts["md"]
    assert texts["html"].count("<li class=") == len(values["findings"])
    for heading in ("Methods", "Provenance"):
        assert f"<summary>{heading} " in texts["html"]
        assert f"## {heading}" in texts["md"]


@pytest.mark.parametrize("name", ["fit", "rank", "relevance", "elicit", "threshold"])
def test_a_report_of_another_kind_is_refused(commands, name, tmp_path, capsys):
    assert run([*commands[name], "--out", str(tmp_path / "report.docx")]) == 2
    assert ".html, .md" in capsys.readouterr().err
