"""A metric of lists, a format of logs and a command that this file alone defines: one line each.

Kinds of studies, types of questions and families of metrics have tests of their own
(tests/kinds/test_new_kind.py, tests/kinds/test_new_question_type.py,
tests/learn/elicitation/test_families.py); a page without its line is refused
(tests/web/test_roles.py).
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import click
import numpy as np

from howgood import decide
from howgood.ask import evaluation_logs
from howgood.cli import main
from howgood.records.evaluation_log import log_from_rows
from howgood.score import list_metrics

RATINGS = """user,item,rating,sd,A,B
ann,x,5,.5,2,1
ann,y,1,.5,1,2
bob,x,4,.5,2,1
bob,y,2,.5,1,2
"""


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The feedback of the item in the first place."""

    cutoff: int | None
    needs_relevant = False
    is_linear = True
    highest = 5.0

    def weights(self, lists):
        return lists.weights((np.arange(1, lists.longest + 1) == 1).astype(float))

    def scores(self, feedback, relevant, lists):
        return np.einsum("bdl,bkl->bdk", feedback, self.weights(lists))


def test_a_metric_of_lists_is_a_class_and_a_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(list_metrics.ANY_PLACES, "first", FirstPlace)
    table = tmp_path / "ratings.csv"
    table.write_text(RATINGS)
    columns = {"user": ["ann", "ann", "bob", "bob"], "item": ["x", "y", "x", "y"]}
    ranking = decide.rank_lists(
        {"A": [2.0, 1.0, 2.0, 1.0], "B": [1.0, 2.0, 1.0, 2.0]},
        {**columns, "rating": [5.0, 1.0, 4.0, 2.0]},
        metric="first",
        sd=0.5,
    )
    # By hand: A shows x first (5 and 4), B shows y (1 and 2).
    assert dict(zip(ranking.systems, ranking.scores, strict=True)) == {"A": 4.5, "B": 1.5}
    systems = ["--system", "A=A", "--system", "B=B"]
    assert main.run(["rank", str(table), "--metric", "first", "--sd", "sd", *systems]) == 0
    assert "4.5" in capsys.readouterr().out


def test_a_format_of_logs_is_a_module_and_its_name(monkeypatch, tmp_path):
    ours = ModuleType("tally")
    ours.NAME = "Tally"
    ours.recognises = lambda path, document: isinstance(document, dict) and "tally" in document
    ours.read = lambda path, document, system: log_from_rows(
        [{"item": item, "metrics": {"right": right}} for item, right in document["tally"].items()],
        source=str(path),
        kind=ours.NAME,
        system=system or Path(path).stem,
    )
    monkeypatch.setattr(evaluation_logs, "_FORMATS", (*evaluation_logs._FORMATS, ours))
    for name, right in (("base", 0), ("candidate", 1)):
        answers = {f"q{number}": right or number % 2 for number in range(60)}
        (tmp_path / f"{name}.json").write_text(json.dumps({"tally": answers}))
    verdict = decide.ship(
        evaluation_logs.read_log(tmp_path / "base.json"),
        evaluation_logs.read_log(tmp_path / "candidate.json"),
        metric="right",
        item="item",
    )
    assert "Tally" in evaluation_logs.formats()
    assert verdict.verdict == "ship"


def test_a_command_is_a_module_and_a_line(monkeypatch, capsys):
    module = ModuleType("howgood.cli.greet")
    module.command = click.Command("greet", callback=lambda: click.echo("hello"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(main.COMMANDS, "greet", (module.__name__, "Say hello."))
    assert main.run(["greet"]) == 0
    assert capsys.readouterr().out == "hello\n"
