"""What tests of several folders share: Spark, SQLite, a real PostgreSQL, tables on any engine.

Never skipped by `make check`: where the system has no Java or PostgreSQL, those of locked wheels
serve. `make test-library` installs no Spark, and there what needs it is skipped.
"""

import gc
import os
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import HealthCheck, settings
from tests import order
from tests.java import provide_java

# A busy machine is slow, not wrong: properties are judged by what they find, not by the clock.
# Where a test names no number of cases, 30 find what is grossly wrong.
settings.register_profile(
    "howgood", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True,
    max_examples=30 * int(os.environ.get("HOWGOOD_MORE_CASES", "1")),
)  # fmt: skip
settings.load_profile("howgood")

provide_java()

_SKIPPED = pytest.StashKey[bool]()
_FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Start PostgreSQL on a socket in a temporary folder; give the folder; stop it at the end."""
    from tests.postgresql import running_postgresql

    with running_postgresql(survives_power_cuts=False) as server:
        yield str(server.folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_address(request, tmp_path) -> str:
    """Address of a database, once for each kind: empty, or ready where a test takes `database`."""
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    from tests.postgresql import copy_without_rows, empty_postgresql_database

    server = request.getfixturevalue("postgresql_server")
    if "database" not in request.fixturenames:
        return empty_postgresql_database(server)
    return copy_without_rows(server, request.getfixturevalue("postgresql_layout"))


def _with_tables(address: str) -> None:
    from howgood.store.database import open_database
    from howgood.store.migrate import upgrade

    opened = open_database(address)
    upgrade(opened)
    opened.close()


@pytest.fixture(scope="session")
def sqlite_layout(tmp_path_factory) -> Path:
    """A file with howgood's tables and no rows, made once and then copied."""
    path = tmp_path_factory.mktemp("layout") / "layout.sqlite"
    _with_tables(str(path))
    return path


@pytest.fixture(scope="session")
def postgresql_layout(postgresql_server) -> str:
    """The name of a database with howgood's tables and no rows, made once."""
    from tests.postgresql import new_postgresql_database

    _with_tables(new_postgresql_database(postgresql_server, "layout"))
    return "layout"


@pytest.fixture
def database(database_address, request):
    """A database with howgood's tables, once for each kind."""
    from howgood.store.database import open_database
    from howgood.store.migrate import upgrade

    if "://" not in database_address and not Path(database_address).exists():
        shutil.copyfile(request.getfixturevalue("sqlite_layout"), database_address)
    opened = open_database(database_address)
    upgrade(opened)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def spark():
    """A real Spark session on this machine, made once; Spark is supported, so never skipped."""
    SparkSession = pytest.importorskip("pyspark.sql").SparkSession  # noqa: N806 - a class
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
            # Short work: no second compiler, no threads that collect garbage.
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .getOrCreate()
        )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    # Asked to stop, it may wait for ever; nobody wants the rest of its work.
    stopping = Thread(target=session.stop, daemon=True)
    stopping.start()
    stopping.join(60)
    if stopping.is_alive():
        session.sparkContext._gateway.proc.kill()


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
def pytest_collection():
    """Look for no unused objects while modules load, and later only among those of tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config, items):
    """Begin with the files that take longest, so that no process works alone at the end."""
    order.sort(items, is_slow=config.option.markexpr == "slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.stash[_SKIPPED], item.stash[_FAILED] = report.skipped, report.failed
    return report


@pytest.fixture
def ledger(request):
    """Take in what a slow proof found, and write it on the page of proofs, failed or not."""
    from tests.statistical.ledger import Proof, write

    proof = Proof(request.node.nodeid)
    yield proof
    if not request.node.stash.get(_SKIPPED, False):
        write(proof.rows())


@pytest.fixture
def faults(request, record_property):
    """Take in what a fault did to answers; show it at the end, and on the page if it was slow."""
    from tests.faults.ledger import Ledger, write

    ledger = Ledger(request.node.nodeid)
    yield ledger
    row = ledger.row(has_failed=request.node.stash.get(_FAILED, True))
    record_property("fault", asdict(row))
    if request.node.get_closest_marker("slow"):
        write(row)


def pytest_terminal_summary(terminalreporter):
    """Print the counts of every fault that was tried."""
    found = {
        value["proof"]: value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == "fault"
    }
    if found:
        from tests.faults import page
        from tests.faults.ledger import Row

        rows = [Row(**found[proof]) for proof in sorted(found)]
        terminalreporter.section("faults: what became of the answers")
        for line in page.table(rows):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def kay_file() -> Path:
    """The public answers of Kay et al. (2015): read by tests, never part of the project."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("HOWGOOD_DATA", beside)) / "kay2015_study1.csv"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {path.parent}: set HOWGOOD_DATA to the folder it is in")
    return path
