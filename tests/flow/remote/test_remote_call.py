"""A server that is asked from the command line and by a written client, with a token alone."""

import json
import os
import re
import shutil
import subprocess
import urllib.error
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from tests.flow.hosting.conftest import SURVEY, Person
from tests.journeys.in_process import Running

from howgood.cli.main import run as howgood
from howgood.cli.remote import command
from howgood.errors import InputError
from howgood.flow.api_access import issue_token
from howgood.flow.hosting import Host, add_study
from howgood.flow.remote_call import RemoteServer
from howgood.kinds.study import Study
from howgood.records.api_token import SCOPES
from howgood.store.database import open_database
from howgood.store.migrate import upgrade
from howgood.web.api.clients import client_program
from howgood.web.api.openapi import OPERATIONS, openapi


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remote")
    database = open_database(str(folder / "a.sqlite"))
    upgrade(database)
    host = Host(database)
    add_study(host, Study.from_dict(SURVEY), folder=folder, now=datetime.now(UTC))
    made = Running(host)
    someone = Person(host, "doors", now=datetime.now(UTC))
    someone.begin()
    someone.finish()
    made.token = issue_token(host, made.ada, name="n", scopes=tuple(SCOPES), study=None, days=None,
                             now=datetime.now(UTC)).secret  # fmt: skip
    yield made
    made.stop()


def _run(running, *given, token=None):
    wanted = {"HOWGOOD_TOKEN": running.token if token is None else token}
    return CliRunner().invoke(command, ["--server", running.home, *given], env=wanted)


def test_a_study_is_listed_counted_and_exported(running, tmp_path):
    listed = json.loads(_run(running, "listStudies").stdout)
    assert "doors" in json.dumps(listed)
    target = tmp_path / "a.csv"
    done = _run(
        running, "export", "slug=doors", "format=csv", "table=answers", "--out", str(target)
    )
    assert done.exit_code == 0, done.output
    assert target.read_text(encoding="utf-8").startswith("participant,")
    assert target.stat().st_mode & 0o077 == 0


def test_every_operation_is_listed(running):
    text = _run(running).stdout
    for operation in OPERATIONS:
        assert operation.name in text


def test_what_is_wrong_is_said_without_the_token(running, capsys, monkeypatch):
    for arguments, words in (
        (["listStudy"], "listStudies"), (["getStudy"], "slug"), (["getStudy", "x"], "NAME=VALUE"),
        (["getStudy", "slug=doors", "more=1"], "more"), (["getStudy", "slug=nothing"], "server"),
    ):  # fmt: skip
        monkeypatch.setenv("HOWGOOD_TOKEN", running.token)
        assert howgood(["--server", running.home, *arguments]) == 2
        said = capsys.readouterr().err
        assert words in said
        assert running.token not in said
    monkeypatch.setenv("HOWGOOD_TOKEN", "howgood_wrong")
    assert howgood(["--server", running.home, "listStudies"]) == 2
    assert "HOWGOOD_TOKEN" in capsys.readouterr().err


def test_a_token_is_sent_over_https_or_to_this_machine_alone():
    with pytest.raises(InputError, match="https"):
        RemoteServer(home="http://studies.example.org", token="t").operations()  # noqa: S106 - none
    with pytest.raises(InputError, match="no answer"):
        RemoteServer(home="http://127.0.0.1:9", token="t").operations()  # noqa: S106 - none


def test_the_written_python_client_has_every_operation_and_works(running):
    made: dict[str, object] = {}
    text = client_program(openapi(), "python")
    exec(compile(text, "client.py", "exec"), made)  # noqa: S102 - our own text
    client = made["Client"](running.home, running.token)
    methods = {re.sub(r"_(\w)", lambda m: m[1].upper(), name).rstrip("_")
               for name in dir(client) if not name.startswith("_")}  # fmt: skip
    assert methods == {operation.name for operation in OPERATIONS}
    assert "doors" in json.dumps(client.list_studies())
    assert client.export("doors", "csv", table="answers").startswith(b"participant,")
    book = client.get_codebook("doors")
    assert book["study"] == "doors"
    with pytest.raises(urllib.error.HTTPError):
        made["Client"](running.home, "wrong").list_studies()


def test_the_written_r_script_has_every_operation_and_can_be_read(tmp_path):
    text = client_program(openapi(), "r")
    functions = re.findall(r"^howgood_(\w+) <- function", text, re.MULTILINE)
    assert len(functions) == len(OPERATIONS) + 1
    for pair in ("()", "{}", "[]"):
        assert text.count(pair[0]) == text.count(pair[1])
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed: its own reader of the script is not asked")
    script = tmp_path / "client.R"
    script.write_text(text, encoding="utf-8")
    subprocess.run([program, "-e", f"invisible(parse('{script}'))"], check=True)


_IN_R = """
source(commandArgs(TRUE)[1])
server <- howgood(commandArgs(TRUE)[2], Sys.getenv("HOWGOOD_TOKEN"))
studies <- howgood_list_studies(server)
table <- read.csv(text = rawToChar(howgood_export(server, "doors", "csv", table = "answers")))
book <- howgood_get_codebook(server, "doors")
refused <- inherits(try(howgood_get_study(server, "nothing"), silent = TRUE), "try-error")
cat("doors" %in% unlist(studies), nrow(table) > 0, names(table)[1], book$study, refused)
"""


def test_the_written_r_script_asks_a_server(running, tmp_path):
    program = shutil.which("Rscript")
    asked = program and subprocess.run(
        [program, "-e", "library(httr2); library(jsonlite)"], capture_output=True
    )
    if not program or asked.returncode != 0:
        pytest.skip("R with httr2 and jsonlite is not installed")
    for name, text in (("client.R", client_program(openapi(), "r")), ("ask.R", _IN_R)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = [program, str(tmp_path / "ask.R"), str(tmp_path / "client.R"), running.home]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300,
                          env=os.environ | {"HOWGOOD_TOKEN": running.token})  # fmt: skip
    assert done.stdout.split() == ["TRUE", "TRUE", "participant", "doors", "TRUE"], done.stderr
