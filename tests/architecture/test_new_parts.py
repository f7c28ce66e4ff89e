"""Parts that this file alone defines, each with the one line that ARCHITECTURE.md promises.

Kinds of studies, types of questions, families of metrics and languages of pages have tests of
their own (tests/kinds/test_new_kind.py, tests/kinds/test_new_question_type.py,
tests/learn/elicitation/test_families.py, tests/show/test_translation.py); a page without its line
is refused (tests/web/test_roles.py).
"""

import base64
import json
import sys
import zlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import click
import numpy as np
from tests.flow.hosting.conftest import SURVEY, host, run  # noqa: F401 - fixtures

from howgood import decide
from howgood.ask import evaluation_logs, sentences
from howgood.cli import main
from howgood.flow import notices, registry
from howgood.records import Estimate
from howgood.records.evaluation_log import log_from_rows
from howgood.records.researcher import Researcher
from howgood.records.saved import RECORD
from howgood.score import list_metrics
from howgood.settings import Settings
from howgood.store import researchers, webhooks

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
    base = evaluation_logs.read_log(tmp_path / "base.json")
    candidate = evaluation_logs.read_log(tmp_path / "candidate.json")
    assert base.format == candidate.format == "Tally"
    assert decide.ship(base, candidate, metric="right", item="item").verdict == "ship"


def test_a_command_is_a_module_and_a_line(monkeypatch, capsys):
    module = ModuleType("howgood.cli.greet")
    module.command = click.Command("greet", callback=lambda: click.echo("hello"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(main.COMMANDS, "greet", (module.__name__, "Say hello."))
    assert main.run(["greet"]) == 0
    assert capsys.readouterr().out == "hello\n"


def test_a_language_for_participants_is_one_file(monkeypatch, tmp_path):
    english = (sentences.folder() / "en.toml").read_text()
    dutch = english.replace('continue = "Continue"', 'continue = "Verder"')
    assert dutch != english
    (tmp_path / "nl.toml").write_text(dutch)
    (tmp_path / "en.toml").write_text(english)
    monkeypatch.setattr(sentences, "folder", lambda: tmp_path)
    for cached in (sentences.languages, sentences.sentences):
        cached.cache_clear()
    try:
        assert sentences.languages() == ("en", "nl")
        assert sentences.sentence("nl", "continue") == "Verder"
    finally:
        for cached in (sentences.languages, sentences.sentences):
            cached.cache_clear()


def test_a_model_card_is_a_file(monkeypatch, tmp_path):
    name = "kay2015-answers-electricity"
    folder = tmp_path / "shipped_cards"
    folder.mkdir()
    values = registry.find_card(name).to_dict()
    (folder / "ours.json").write_text(json.dumps({**values, "name": "ours"}))
    monkeypatch.setattr(registry.resources, "files", lambda package: tmp_path)
    assert set(registry.cards()) == {"ours"}
    assert registry.predicting_card("ours").draws == registry.find_card("ours").draws


def test_an_event_of_webhooks_is_a_name_and_a_function_that_finds_it(monkeypatch, host, run):  # noqa: F811 - fixtures
    run(SURVEY)
    now = datetime(2026, 5, 4, 11, 0, tzinfo=UTC)
    host.database.write(
        lambda c: researchers.add(c, name="ada", password_hash="", role="owner", now=now)
    )

    def began(connection, webhook):
        if "study.began" in webhook.events:
            yield "study.began", webhook.study, {"at": now.isoformat()}

    monkeypatch.setitem(notices.EVENTS, "study.began", "the study has begun")
    monkeypatch.setattr(webhooks, "_FACTS", [*webhooks._FACTS, began])
    here = Settings(webhook_networks="127.0.0.0/8")
    ada = Researcher(number=1, name="ada", role="owner")
    notices.add_webhook(
        host, here, ada, "doors", target="http://127.0.0.1:1/", events=["study.began"], now=now
    )
    later = now + timedelta(hours=1)
    # Nobody listens there; looking twice makes one message all the same.
    assert [notices.deliver_due(host, here, now=later) for _ in range(2)] == [0, 0]
    (message,) = notices.notices_of(host, "doors").deliveries
    assert (message.event, message.content["study"]) == ("study.began", "doors")


def test_a_field_of_a_saved_result_has_a_default_and_older_files_are_read():
    made = replace(Estimate.from_draws(np.arange(100.0)), evidence="few people")
    saved = made.to_dict()
    packed = json.loads(zlib.decompress(base64.b64decode(saved[RECORD])))
    assert packed["fields"].pop("evidence") == "few people"  # as a file from before the field
    saved[RECORD] = base64.b64encode(zlib.compress(json.dumps(packed).encode())).decode()
    older = Estimate.from_dict(saved)
    assert older.evidence == Estimate.from_draws(np.arange(100.0)).evidence
    assert older.draws.tolist() == made.draws.tolist()
