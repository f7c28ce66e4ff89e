"""What tests of several folders share."""

import shutil
import warnings
from importlib.util import find_spec

import pytest


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
            .config("spark.driver.memory", "512m")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .getOrCreate()
        )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
