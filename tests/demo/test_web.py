"""`howgood demo --serve`: studies of every kind, answered, with fits that wait."""

import re
from datetime import UTC, datetime

from howgood.cli.main import run
from howgood.demo import web
from howgood.flow.collected import tidy_rows
from howgood.flow.results.requests import overview
from howgood.flow.results.uploaded import read_upload


def test_the_demo_puts_answered_studies_into_a_database(tmp_path, monkeypatch):
    monkeypatch.setattr(web, "PEOPLE", {"survey": 2, "comparison": 2, "rerating": 2})
    demo = web.load_demo(tmp_path, now=datetime.now(UTC))
    try:
        assert [each.kind for each in demo.studies] == ["survey", "comparison", "rerating"]
        for study in demo.studies:
            assert len(overview(demo.host, study.slug).running) == 1
            people = list(tidy_rows(demo.host, study.slug, table="participants"))
            careless = web.CARELESS if study.kind == "survey" else 0
            assert [each["status"] for each in people] == ["complete"] * (2 + careless)
        scores, predictions = (read_upload(path.name, path.read_bytes()) for path in demo.uploads)
        assert scores.columns == ["y_true", "y_score"]
        items = {item.key for item in demo.studies[2].plan.items}
        assert set(predictions["item"]) == items
    finally:
        demo.host.close()


def test_the_command_serves_the_demo_and_prints_where_to_begin(monkeypatch, capsys):
    served = []

    def serve(host, settings, *, address, port, workers):
        served.append((settings.database, address, port, workers))
        host.close()

    monkeypatch.setattr(web, "PEOPLE", {"survey": 1, "comparison": 1, "rerating": 1})
    monkeypatch.setattr("howgood.web.server.run", serve)
    assert run(["demo", "--serve", "--port", "8123"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"http://127\.0\.0\.1:8123/setup/\S+", out)
    assert served[0][1:] == ("127.0.0.1", 8123, 1)
