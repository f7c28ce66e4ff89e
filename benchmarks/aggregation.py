"""Ranking two systems from 1e8 rows of Parquet, against sums written by hand for four engines.

Each runs in a process of its own, start to end, imports included: CPU seconds of the process, and
of Spark's Java process as it counts them itself. The peers sum what a ranking needs (eight sums)
and stop there; ours also checks every value, and ends in the ranking with its probabilities.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.rows import Row

N_ROWS = int(float(os.environ.get("HOWGOOD_BENCH_ROWS", "1e8")))

# Spark works in a process of its own, which knows what it used; the others count as our children.
_JAVA_SECONDS = """
from pyspark.sql import SparkSession
process = SparkSession.builder.getOrCreate().sparkContext._jvm.java.lang.ProcessHandle.current()
print("java", process.info().totalCpuDuration().get().toMillis() / 1000)
"""
_OURS = """
import sys
from pathlib import Path
from howgood.flow.ranking import FeedbackColumns, rank_file
rank_file(Path(sys.argv[1]), feedback=FeedbackColumns(mean="mu", sd="sigma"),
          systems={"one": "pi1", "two": "pi2"}, engine=sys.argv[2], for_picture=False)
"""
_OURS_IBIS = """
import sys
import ibis
from howgood import decide, score
print(decide.rank_sums(score.squared_error_sums(
    ibis.read_parquet(sys.argv[1]), mean="mu", sd="sigma",
    predictions={"one": "pi1", "two": "pi2"}, powers=2)))
"""
_POLARS = """
import sys
import polars as pl
c = pl.col
s, d, e = c("sigma") ** 2, (c("mu") - c("pi1")) ** 2, (c("mu") - c("pi2")) ** 2
print(pl.scan_parquet(sys.argv[1]).select(
    n=pl.len(), s=s.sum(), ss=(s * s).sum(), d=d.sum(), e=e.sum(), sd=(s * d).sum(),
    se=(s * e).sum(), gap=(s * (c("pi1") - c("pi2")) ** 2).sum(),
).collect(engine="streaming").row(0))
"""
_SQL = """
SELECT count(*), sum(s), sum(s * s), sum(d), sum(e), sum(s * d), sum(s * e), sum(s * g) FROM (
SELECT sigma * sigma AS s, (mu - pi1) * (mu - pi1) AS d, (mu - pi2) * (mu - pi2) AS e,
(pi1 - pi2) * (pi1 - pi2) AS g FROM {source})
"""
_DUCKDB = f"""
import sys
import duckdb
print(duckdb.sql('''{_SQL}'''.format(source=f"'{{sys.argv[1]}}'")).fetchall()[0])
"""
_IBIS = """
import sys
import ibis
t = ibis.read_parquet(sys.argv[1])
t = t.mutate(s=t.sigma * t.sigma, d=(t.mu - t.pi1) ** 2, e=(t.mu - t.pi2) ** 2,
             g=(t.pi1 - t.pi2) ** 2)
print(t.aggregate(
    n=t.count(), s=t.s.sum(), ss=(t.s * t.s).sum(), d=t.d.sum(), e=t.e.sum(), sd=(t.s * t.d).sum(),
    se=(t.s * t.e).sum(), gap=(t.s * t.g).sum(),
).execute())
"""
_SPARK = f"""
import sys
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
         .config("spark.driver.memory", "4g").getOrCreate())
spark.sparkContext.setLogLevel("ERROR")
spark.read.parquet(sys.argv[1]).createOrReplaceTempView("pairs")
print(spark.sql('''{_SQL}'''.format(source="pairs")).first())
{_JAVA_SECONDS}
"""


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder), N_ROWS)
        files = str(Path(folder) / "*.parquet")
        engines = {"polars": _OURS, "duckdb": _OURS, "ibis": _OURS_IBIS,
                   "spark": _OURS + _JAVA_SECONDS}  # fmt: skip
        ours = {engine: _seconds(code, files, engine) for engine, code in engines.items()}
        peers = {"polars": _POLARS, "duckdb": _DUCKDB, "ibis": _IBIS, "spark": _SPARK}
        theirs = {engine: _seconds(code, files) for engine, code in peers.items()}
    pairs = [*((engine, engine) for engine in engines), ("polars", "spark")]
    return [_row(mine, ours[mine], other, theirs[other]) for mine, other in pairs]


def _row(engine, ours, peer, theirs):
    return Row(
        subject=f"rank two systems from Parquet, on {engine}",
        size=f"{N_ROWS:.0e} rows",
        ours=f"{ours:.1f} CPU-s",
        peer=f"sums by hand, on {peer}",
        peer_value=f"{theirs:.1f} CPU-s",
        ratio=theirs / ours,
    )


def _seconds(code, *arguments):
    before = _children()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    java = [float(line.split()[1]) for line in done.stdout.splitlines() if line[:5] == "java "]
    return _children() - before + sum(java)


def _children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_parquet(folder, n, part=5_000_000):
    """Write pairs in parts, each from its own seed, so that memory stays small."""
    import polars as pl

    for start in range(0, n, part):
        rng = np.random.default_rng(start)
        rows = min(part, n - start)
        mean = rng.uniform(1, 5, rows)
        pl.DataFrame(
            {
                "mu": mean,
                "sigma": np.sqrt(rng.uniform(0.16, 3.84, rows)),
                "pi1": mean + rng.normal(0, 0.9, rows),
                "pi2": mean + rng.normal(0, 1, rows),
            }
        ).write_parquet(folder / f"part{start // part:04d}.parquet", compression="lz4")
