"""Fitting acceptability: effective draws per CPU-second against PyMC, nutpie and JAGS.

The public answers of Kay et al. (2015) where HOWGOOD_DATA or ../shared/data holds them, else a
simulated study of the same size. Peers sample the same model (geometric mean, paper's priors) with
people's leniency as parameters; compiling is not counted, sampling and warm-up are. Effective draws
are the least over parameters (bulk) for the peers, Kish's for ours. One thread each.
"""

import os
import resource
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from arviz_stats.base import array_stats

from benchmarks.peers import jags
from benchmarks.rows import Row, cpu_seconds
from howgood import ask, learn
from howgood.ask.intake import read_answers
from howgood.learn.binary_model import BinaryModel, accepted_from, cells_from
from howgood.learn.engines.nuts import columns_of, pymc_model
from howgood.records.priors import KAY2015

COLUMNS = {"precision": "ppv", "recall": "tpr", "rating": "acceptable"}
SIMULATED = {
    name: {"alpha": alpha, "intercept": -14.0, "slope": 18.0}
    for name, alpha in (("a", 0.5), ("b", 0.35), ("c", 0.5), ("d", 0.5))
}


# People, then the column they are divided by or nothing; the term for "no error at all" is on.
MANY_PEOPLE = """
import resource, sys, time
import numpy as np
from howgood import ask, learn
people, by = int(sys.argv[1]), sys.argv[2] or None
answers = dict(ask.simulate_answers(
    {"alarm": {"alpha": 0.35, "intercept": -14.0, "slope": 18.0}},
    people=people, per_person=8, random_state=1,
))
person = np.unique(answers["participant"], return_inverse=True)[1]
answers["half"] = np.where(person % 2, "odd", "even")
start = time.process_time()
fit = learn.fit_acceptability(answers, by=by, random_state=1)
seconds = time.process_time() - start
assert fit.has_flawless_term
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers, size = _answers()
        return [
            *_cold_rows(),
            _warm_row(answers, size),
            *_peer_rows(answers, size, _ours(answers)),
            _left_out_row(),
            _many_people_row(100_000),
            _many_people_row(10_000, by="half"),
        ]


def _public_file():
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("HOWGOOD_DATA", beside)) / "kay2015_study1.csv"


def _answers():
    path = _public_file()
    if path.is_file():
        return read_answers(path, columns=COLUMNS), "1,644 public answers"
    simulated = ask.simulate_answers(SIMULATED, people=53, per_person=8, random_state=1)
    return read_answers(simulated), "1,696 simulated answers"


def _cold_rows():
    if not _public_file().is_file():
        return []
    seconds = min(cold_start(_public_file()) for _ in range(3))
    return [
        Row(
            subject="howgood fit, new process, imports included",
            size="1,644 public answers",
            ours=f"{seconds:.2f} CPU-s",
            target="<= 4 s",
            met=seconds <= 4,
        )
    ]


def _warm_row(answers, size):
    def fit():
        return learn.fit_acceptability(answers, priors="kay2015", random_state=1)

    warm = cpu_seconds(fit)
    effective = fit().diagnostics.effective_draws
    return Row(
        subject="fit, three kinds of mean, warm",
        size=size,
        ours=f"{warm:.2f} CPU-s for {effective:.0f} effective draws",
        target="<= 2.5 s for 4,000",
        met=warm <= 2.5 and effective >= 4000,
    )


def _many_people_row(people, by=""):
    command = [sys.executable, "-c", MANY_PEOPLE, str(people), by]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, gibibytes = (float(value) for value in done.stdout.split())
    return Row(
        subject="fit, many people in two segments" if by else "fit, many people",
        size=f"{people:,} people x 8",
        ours=f"{seconds:.0f} CPU-s, {gibibytes:.1f} GiB at most",
        target="<= 10 minutes, <= 4 GiB",
        met=seconds <= 600 and gibibytes <= 4,
    )


def _left_out_row():
    """Leaving everyone out in turn by reweighting, against a fit for each of them."""
    answers = ask.simulate_ordinal_answers(people=40, random_state=1)
    settings = {"means": (0,), "draws": 1000, "random_state": 1}
    ours = cpu_seconds(lambda: learn.leave_one_person_out(answers, **settings))
    once = cpu_seconds(lambda: learn.fit_ordinal(answers, **settings))
    return Row(
        subject="leave one person out",
        size="40 people, 10 ratings each",
        ours=f"{ours:.1f} CPU-s",
        peer="a fit for each person",
        peer_value=f"{40 * once:.0f} CPU-s",
        ratio=40 * once / ours,
        target=">= 8x",
        met=40 * once / ours >= 8,
    )


def _ours(answers):
    """Effective draws per CPU-second for the geometric mean alone, as the peers sample it."""

    def fit():
        return learn.fit_acceptability(answers, priors="kay2015", means=(0,), random_state=1)

    return fit().diagnostics.effective_draws / cpu_seconds(fit)


def _peer_rows(answers, size, ours):
    accepted = accepted_from(answers, 5)
    model = BinaryModel(cells_from(answers, accepted), KAY2015, 0.0)
    peers = {
        "PyMC + nutpie": (lambda: _nutpie(model), 8.0),
        "PyMC default": (lambda: _pymc(model), 8.0),
    }
    if shutil.which("jags"):
        peers["JAGS"] = (lambda: _jags(answers, accepted), 1000.0)
        # Its block sampler for regressions, which has to be asked for.
        peers["JAGS, module glm"] = (lambda: _jags(answers, accepted, "load glm\n"), None)
    rows = [
        _peer_row(name, size, ours, sample(), target) for name, (sample, target) in peers.items()
    ]
    if not shutil.which("jags"):
        rows.append(
            Row(subject="effective draws per CPU-second", size=size, ours=f"{ours:,.0f}",
                peer="JAGS", peer_value="not installed here", target=">= 1000x")
        )  # fmt: skip
    return rows


def _peer_row(name, size, ours, theirs, target):
    return Row(
        subject="effective draws per CPU-second",
        size=size,
        ours=f"{ours:,.0f}",
        peer=name,
        peer_value=f"{theirs:,.1f}",
        ratio=ours / theirs,
        target="" if target is None else f">= {target:.0f}x",
        met=None if target is None else ours / theirs >= target,
    )


def _jags(answers, accepted, modules=""):
    chains, seconds = jags.sample(answers, accepted, modules=modules)
    ess = array_stats.ess
    return min(float(ess(each, chain_axis=0, draw_axis=1)) for each in chains) / seconds


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
    ess = array_stats.ess
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
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    from benchmarks.__main__ import main

    main(["fit"])
