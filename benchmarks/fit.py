"""Fitting acceptability: effective draws per CPU-second against PyMC, nutpie and JAGS.

The public answers of Kay et al. (2015) where HOWGOOD_DATA or ../shared/data holds them, else a
simulated study of the same size. Peers sample the same model (geometric mean, paper's priors) with
people's leniency as parameters; compiling is not counted, sampling and warm-up are. Effective draws
are the least over parameters (bulk) for the peers, Kish's for ours. All in one process, one thread.
"""

import os
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.rows import Row, cpu_seconds
from howgood import ask, learn
from howgood.ask.intake import read_answers
from howgood.learn.binary import BinaryModel
from howgood.learn.cells import accepted_from, cells_from
from howgood.learn.engines.pymc_models import columns_of, pymc_model
from howgood.records.priors import KAY2015
from howgood.stats.array_layer import array_stats

COLUMNS = {"precision": "ppv", "recall": "tpr", "rating": "acceptable"}
SIMULATED = {
    name: {"alpha": alpha, "intercept": -14.0, "slope": 18.0}
    for name, alpha in (("a", 0.5), ("b", 0.35), ("c", 0.5), ("d", 0.5))
}


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers, size = _answers()
        ours = _ours(answers)
        return [*_own_rows(answers, size), *_peer_rows(answers, size, ours)]


def _answers():
    beside = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("HOWGOOD_DATA", beside)) / "kay2015_study1.csv"
    if path.is_file():
        return read_answers(path, columns=COLUMNS), "1,644 public answers"
    simulated = ask.simulate_answers(SIMULATED, people=53, per_person=8, random_state=1)
    return read_answers(simulated), "1,696 simulated answers"


def _own_rows(answers, size):
    def fit():
        return learn.fit_acceptability(answers, priors="kay2015", random_state=1)

    warm = cpu_seconds(fit)
    effective = fit().diagnostics.effective_draws
    rows = [
        Row(
            subject="fit, three kinds of mean, warm",
            size=size,
            ours=f"{warm:.2f} CPU-s for {effective:.0f} effective draws",
            target="<= 2.5 s for 4,000",
            met=warm <= 2.5 and effective >= 4000,
        )
    ]
    many = ask.simulate_answers(
        {"alarm": SIMULATED["b"]}, people=20_000, per_person=8, random_state=1
    )
    seconds = cpu_seconds(lambda: learn.fit_acceptability(many, random_state=1), repeats=1)
    rows.append(
        Row(
            subject="fit, many people",
            size="20,000 people x 8",
            ours=f"{seconds:.0f} CPU-s",
            target="<= 120 s (100,000 in 10 minutes: cost is linear)",
            met=seconds <= 120,
        )
    )
    return rows


def _ours(answers):
    """Effective draws per CPU-second for the geometric mean alone, as the peers sample it."""

    def fit():
        return learn.fit_acceptability(answers, priors="kay2015", means=(0,), random_state=1)

    return fit().diagnostics.effective_draws / cpu_seconds(fit)


def _peer_rows(answers, size, ours):
    model = BinaryModel(cells_from(answers, accepted_from(answers, 5)), KAY2015, 0.0)
    rows = []
    for name, sample, target in (
        ("PyMC + nutpie", _nutpie, 8.0),
        ("PyMC default", _pymc, 8.0),
    ):
        theirs = sample(model)
        rows.append(
            Row(
                subject="effective draws per CPU-second",
                size=size,
                ours=f"{ours:,.0f}",
                peer=name,
                peer_value=f"{theirs:,.1f}",
                ratio=ours / theirs,
                target=f">= {target:.0f}x",
                met=ours / theirs >= target,
            )
        )
    if shutil.which("jags") is None:
        rows.append(
            Row(subject="effective draws per CPU-second", size=size, ours=f"{ours:,.0f}",
                peer="JAGS", peer_value="not installed here", target=">= 1000x")
        )  # fmt: skip
    return rows


def _nutpie(model):
    import nutpie

    compiled = nutpie.compile_pymc_model(pymc_model(model))
    # `cores=1` keeps the chains in turn; the clock counts every thread of this process.
    start = time.process_time()
    trace = nutpie.sample(
        compiled, draws=1000, tune=1000, chains=4, cores=1, seed=1, progress_bar=False
    )
    return _least_effective(trace.posterior, model) / (time.process_time() - start)


def _pymc(model):
    import pymc as pm

    with pymc_model(model):
        start = time.process_time()
        trace = pm.sample(
            500, tune=500, chains=2, cores=1, random_seed=1, progressbar=False,
            compute_convergence_checks=False,
        )  # fmt: skip
        seconds = time.process_time() - start
    return _least_effective(trace.posterior, model) / seconds


def _least_effective(posterior, model):
    ess = array_stats().ess
    found = []
    for name in columns_of(model):
        values = np.asarray(posterior[name], dtype=float)
        values = values.reshape(*values.shape[:2], -1)
        found += [
            float(ess(values[:, :, index], chain_axis=0, draw_axis=1))
            for index in range(values.shape[2])
        ]
    return min(found)


def cold_start(path: Path) -> float:
    """CPU seconds of `howgood fit` in a new process, imports included."""
    command = [sys.executable, "-m", "howgood", "fit", str(path), "--priors", "kay2015"]
    for ours, theirs in COLUMNS.items():
        command += ["--map", f"{ours}={theirs}"]
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    from benchmarks.__main__ import main

    main(["fit"])
