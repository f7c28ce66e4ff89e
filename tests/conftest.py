"""What tests of several folders share: Spark, SQLite, a real PostgreSQL, tables on any engine.

Never skipped: where one of them is missing, tests that need it fail and say how to get it.
"""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong: properties are judged by what they find, not by the clock.
settings.register_profile(
    "howgood", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("howgood")

_SKIPPED = pytest.StashKey[bool]()

_HOW = (
    "these tests need PostgreSQL's own programs (initdb, pg_ctl), and none were found. "
    "Install them: apt-get install postgresql (Debian, Ubuntu), dnf install postgresql-server "
    "(Fedora), brew install postgresql (macOS)."
)


def _postgres_programs() -> Path:
    on_path = shutil.which("pg_ctl")
    if on_path:
        return Path(on_path).resolve().parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not places:
        pytest.fail(_HOW)
    return places[-1].parent


def _unprivileged() -> dict[str, object]:
    """PostgreSQL refuses to run as root: take another user then."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.fail("PostgreSQL does not run as root, and there is no user postgres or nobody")


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Start PostgreSQL on a socket in a temporary folder; give the folder; stop it at the end."""
    programs, user = _postgres_programs(), _unprivileged()
    with tempfile.TemporaryDirectory(prefix="howgood-pg-") as name:
        folder = Path(name)
        if user:
            os.chown(folder, user["user"], user["group"])
        _run(programs / "initdb", "-D", folder / "data", "-U", "howgood", "-A", "trust",
             "-E", "UTF8", "--no-sync", **user)  # fmt: skip
        server = subprocess.Popen(
            [str(programs / "postgres"), "-D", str(folder / "data"), "-k", str(folder), "-h", "",
             "-c", "max_connections=120", "-c", "shared_buffers=32MB"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            cwd="/", preexec_fn=_end_with_parent, **user,
        )  # fmt: skip
        try:
            _wait_until_ready(server, folder)
            yield str(folder)
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait(30)


def _end_with_parent() -> None:
    """Even when the tests are killed, no server stays behind (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


def _wait_until_ready(server: subprocess.Popen, folder: Path) -> None:
    import psycopg

    for _ in range(300):
        assert server.poll() is None, "PostgreSQL ended at once"
        try:
            psycopg.connect(f"host={folder} user=howgood dbname=postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("PostgreSQL did not answer within 30 seconds")


def _run(program: Path, *arguments: object, **how: object) -> None:
    done = subprocess.run(
        [str(program), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        text=True, cwd="/", timeout=120, **how,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def empty_postgresql_database(folder: str) -> str:
    """Empty the running server's database (quicker than a new one); return its address."""
    import psycopg

    with psycopg.connect(
        f"host={folder} user=howgood dbname=postgres", autocommit=True
    ) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = 'postgres' AND pid <> pg_backend_pid() AND usename = 'howgood'"
        )
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return f"postgresql://howgood@/postgres?host={folder}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_address(request, tmp_path) -> str:
    """Address of an empty database, once for each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    return empty_postgresql_database(request.getfixturevalue("postgresql_server"))


@pytest.fixture
def database(database_address):
    """A database with howgood's tables, once for each kind."""
    from howgood.store.database import open_database
    from howgood.store.migrate import upgrade

    opened = open_database(database_address)
    upgrade(opened)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def spark():
    """A real Spark session on this machine, made once; Spark is supported, so never skipped."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.fail(
            "tests of Spark frames need pyspark and Java 17 or newer: "
            "install the spark extra, and for instance the package openjdk-17-jre-headless"
        )
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            SparkSession.builder.master("local[1]")
            .appName("howgood tests")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            # Tiny tables: compiling a query would take longer than running it.
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.adaptive.enabled", "false")
            .config("spark.driver.memory", "512m")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .getOrCreate()
        )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def on_engine(request):
    """A function (engine, columns) -> the same columns as that engine's frame."""

    def convert(engine, columns):
        import pandas as pd

        if engine == "dict":
            return dict(columns)
        if engine == "spark":
            rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
            return request.getfixturevalue("spark").createDataFrame(rows, list(columns))
        if engine == "pandas":
            return pd.DataFrame(columns)
        import polars as pl

        frame = pl.DataFrame(dict(columns))
        if engine == "duckdb":
            import duckdb

            table = frame.to_arrow()
            return duckdb.from_arrow(table)
        return {"polars": frame, "polars lazy": frame.lazy(), "pyarrow": frame.to_arrow()}[engine]

    return convert


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.stash[_SKIPPED] = report.skipped
    return report


@pytest.fixture
def ledger(request):
    """Take in what a slow proof found, and write it on the page of proofs, failed or not."""
    from tests.statistical.ledger import Proof, write

    proof = Proof(request.node.nodeid)
    yield proof
    if not request.node.stash.get(_SKIPPED, False):
        write(proof.rows())


@pytest.fixture(scope="session")
def kay_file() -> Path:
    """The public answers of Kay et al. (2015): read by tests, never part of the project."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("HOWGOOD_DATA", beside)) / "kay2015_study1.csv"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {path.parent}: set HOWGOOD_DATA to the folder it is in")
    return path
