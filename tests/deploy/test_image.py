"""What the image and compose.yaml start, started here without a container engine.

Out: proof that their commands, health check, settings and backup work with what is in this
checkout. Absent: the engine itself; CI builds the image and asks for its health.
"""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from tests.postgresql import _programs, empty_postgresql_database

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


def _command(word):
    """Return the last command of this kind in the Dockerfile, as a list."""
    return json.loads(re.findall(rf"^{word}\b.*?(\[.*\])", DOCKERFILE, re.MULTILINE)[-1])


def _here(words, port):
    """Our own Python instead of the image's, another port, and this machine alone."""
    python = {"howgood": [sys.executable, "-m", "howgood"], "python": [sys.executable]}
    told = [*python[words[0]], *(word.replace("8000", str(port)) for word in words[1:])]
    return [word.replace("0.0.0.0", "127.0.0.1") for word in told]  # noqa: S104 - taken away


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
def started(tmp_path):
    """A function that starts a command with the surroundings of a container."""
    running = []

    def start(words, **settings):
        environment = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path),
            "MPLCONFIGDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", **settings,
        }  # fmt: skip
        running.append(
            subprocess.Popen(
                words,
                env=environment,
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return running[-1]

    yield start
    for each in running:
        each.send_signal(signal.SIGTERM)
        each.communicate(timeout=60)


def _is_healthy(server, port):
    check = _here(_command("HEALTHCHECK"), port)
    for _ in range(120):
        assert server.poll() is None, server.communicate()[0]
        if subprocess.run(check, capture_output=True).returncode == 0:
            return True
        time.sleep(0.5)
    return False


def test_the_image_starts_a_server_that_is_healthy(started, port, tmp_path):
    server = started(_here(_command("CMD"), port), HOWGOOD_DATABASE=str(tmp_path / "a.sqlite"))
    assert _is_healthy(server, port)


def test_compose_starts_server_and_worker_on_postgresql_and_backs_them_up(
    started, port, tmp_path, postgresql_server
):
    secret = tmp_path / "database_address"
    secret.write_text(empty_postgresql_database(postgresql_server) + "\n")
    settings = {
        name: str(secret) if name == "HOWGOOD_DATABASE_FILE" else value
        for name, value in COMPOSE["services"]["web"]["environment"].items()
    }
    settings["HOWGOOD_PUBLIC_URL"] = "https://studies.example.org"
    words = [
        re.sub(r"\$\{.*:-(.*)\}", r"\1", each) for each in COMPOSE["services"]["web"]["command"]
    ]
    server = started(_here(words, port), **settings)
    assert _is_healthy(server, port)
    worker = started(_here(COMPOSE["services"]["worker"]["command"], port), **settings)
    assert "waits for jobs" in worker.stdout.readline()
    done = _backed_up(tmp_path, secret)
    assert done.returncode == 0, done.stderr
    (copy,) = (tmp_path / "backups").iterdir()
    assert copy.stat().st_mode & 0o077 == 0


def _backed_up(folder, secret):
    (folder / "backups").mkdir()
    programs = _programs({})
    return subprocess.run(
        [shutil.which("bash"), str(ROOT / "deploy" / "nightly-backup"), "now"],
        env={
            "PATH": f"{programs}:{os.environ['PATH']}", "BACKUPS": str(folder / "backups"),
            "HOWGOOD_DATABASE_FILE": str(secret),
        },
        capture_output=True, text=True,
    )  # fmt: skip


def test_the_image_runs_as_nobody_in_particular_and_writes_two_folders():
    stages = DOCKERFILE.split("FROM ")
    assert "USER 10001" in stages[-1]
    assert "VOLUME /data" in stages[-1]
    for name in ("web", "worker"):
        service = COMPOSE["services"][name]
        assert service["read_only"] is True
        assert service["tmpfs"] == ["/tmp"]  # noqa: S108 - inside a container
        assert service["cap_drop"] == ["ALL"]
        assert "ports" not in service


def test_files_that_are_named_are_there():
    lines = [line.split() for line in DOCKERFILE.splitlines() if line.startswith("COPY ")]
    copied = {name for words in lines if "--from=build" not in words for name in words[1:-1]}
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"}
    assert copied == kept
    assert all((ROOT / name).exists() for name in copied)
    volumes = [
        each for service in COMPOSE["services"].values() for each in service.get("volumes", ())
    ]
    bound = {each.split(":")[0] for each in volumes if each.startswith("./deploy")}
    assert all((ROOT / name).is_file() for name in bound)
    used = {name for service in COMPOSE["services"].values() for name in service.get("secrets", ())}
    assert used == set(COMPOSE["secrets"])


def test_secrets_are_made_once_and_differ(tmp_path):
    script = [shutil.which("bash"), str(ROOT / "deploy" / "make-secrets")]
    for name in ("one", "two"):
        subprocess.run([*script, str(tmp_path / name)], check=True, capture_output=True)
    passwords = [(tmp_path / name / "database_password").read_text() for name in ("one", "two")]
    assert passwords[0] != passwords[1]
    assert len(passwords[0]) == 48
    assert passwords[0] in (tmp_path / "one" / "database_address").read_text()
    assert (tmp_path / "one").stat().st_mode & 0o077 == 0
    again = subprocess.run([*script, str(tmp_path / "one")], capture_output=True, text=True)
    assert again.returncode == 1
    assert "locked" in again.stderr or "lock the server out" in again.stderr


@pytest.mark.parametrize("name", ["howgood.service", "howgood-backup.service"])
def test_units_call_commands_there_are(name):
    text = (ROOT / "deploy" / name).read_text("utf-8")
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    command = re.search(r"/opt/howgood/bin/howgood (\w+)", line)[1]
    done = subprocess.run(
        [sys.executable, "-m", "howgood", command, "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    for option in re.findall(r"--[a-z-]+", line):
        assert option in done.stdout
    assert shlex.split(line)
