"""What is counted about a server: in Prometheus' format, for who has the token, about nobody."""

import json
import logging
import re

import pytest
from starlette.testclient import TestClient
from tests.flow.hosting.conftest import Person

from howgood.settings import Settings
from howgood.web.app import make_app
from howgood.web.middleware import Metrics, request_lines
from howgood.web.server import JsonFormatter

TOKEN = "a-token-for-tests"  # noqa: S105 - of a test
_LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+')


@pytest.fixture
def watched(host):
    app = make_app(host, Settings(metrics_token=TOKEN))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def _read(client):
    return client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text


def _value(text, name):
    return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)[1])


def test_nobody_reads_them_without_the_token(watched, browser):
    assert browser.get("/metrics").status_code == 404  # no token is set
    assert watched.get("/metrics").status_code == 401
    wrong = watched.get("/metrics", headers={"Authorization": "Bearer wrong"})
    assert wrong.status_code == 401
    assert TOKEN not in wrong.text


def test_every_line_is_in_the_format_and_every_metric_is_explained(watched):
    watched.get("/s/doors")
    lines = _read(watched).splitlines()
    helped = {line.split()[2] for line in lines if line.startswith("# HELP")}
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert helped == typed
    for line in lines:
        if line.startswith("#"):
            continue
        assert _LINE.fullmatch(line), line
        name = re.sub(r"_(bucket|sum|count)$", "", re.match(r"[a-z_]+", line)[0])
        assert name in helped or re.match(r"[a-z_]+", line)[0] in helped


def test_requests_and_answers_are_counted(watched, host):
    before = _read(watched)
    for _ in range(3):
        watched.get("/s/doors")
    watched.get("/studies")
    someone = Person(host, "doors")
    someone.begin()
    someone.finish()
    after = _read(watched)
    visits = 'howgood_requests_total{kind="participant",method="GET",status="200"}'
    assert visits not in before
    assert _value(after, visits) == 3
    assert _value(after, 'howgood_request_seconds_count{kind="participant"}') == 3
    assert _value(after, 'howgood_participants{status="complete"}') == 1
    assert _value(after, "howgood_answers") > _value(before, "howgood_answers")
    assert _value(after, "howgood_up") == 1
    assert "doors" not in after


def test_buckets_add_up_by_hand():
    metrics = Metrics()
    for seconds in (0.004, 0.3, 0.31, 99):
        metrics.note("GET", "/s/x", 200, seconds)
    text = "\n".join(request_lines(metrics))
    for end, wanted in (("0.005", 1), ("0.1", 1), ("0.3", 2), ("0.5", 3), ("10.0", 3), ("+Inf", 4)):
        bucket = f'howgood_request_seconds_bucket{{kind="participant",le="{end}"}}'
        assert _value(text, bucket) == wanted
    assert _value(text, 'howgood_request_seconds_sum{kind="participant"}') == pytest.approx(99.614)


def _logged(name, text, *given, error=None):
    record = logging.LogRecord(name, logging.ERROR, "", 0, text, given, error)
    line = JsonFormatter().format(record)
    assert "\n" not in line
    return json.loads(line)


def test_a_line_of_the_log_is_one_json_object():
    made = _logged("howgood.worker", "job_ended number=%d outcome=%s", 4, "done")
    assert (made["event"], made["number"], made["outcome"]) == ("job_ended", "4", "done")
    assert (made["level"], made["logger"]) == ("error", "howgood.worker")
    assert "text" not in made
    other = _logged("uvicorn.error", "Started\nserver")
    assert other["text"] == "Started\nserver"


def test_the_text_of_an_error_is_not_logged():
    try:
        raise ValueError("what somebody sent")
    except ValueError as error:
        given = (type(error), error, error.__traceback__)
    made = _logged("uvicorn.error", "Exception", error=given)
    assert made["error"] == "ValueError"
    assert "somebody" not in json.dumps(made)
