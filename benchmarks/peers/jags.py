"""JAGS on the model of Kay et al. (2015), geometric mean, with the paper's priors.

In: rows of answers. Out: chains of the parameters and the CPU seconds they took. Absent: a binding;
JAGS runs as a program of its own, on files in a folder that is removed afterwards.
"""

import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

MODEL = """
model {
  for (n in 1:N) {
    accepted[n] ~ dbern(mu[n])
    logit(mu[n]) <- intercept[app[n]] + slope[app[n]] * mean[n] + u[person[n]]
    mean[n] <- exp(alpha[app[n]] * log_p[n] + (1 - alpha[app[n]]) * log_r[n])
  }
  for (i in 1:I) {
    intercept[i] ~ dnorm(0, 0.001)
    slope[i] ~ dnorm(0, 0.001)
    alpha[i] ~ dunif(0, 1)
  }
  for (k in 1:K) { u[k] ~ dnorm(0, tau) }
  tau ~ dgamma(0.001, 0.001)
  person_sd <- 1 / sqrt(tau)
}
"""
SCRIPT = """
{modules}model in "model.txt"
data in "data.txt"
compile, nchains({chains})
parameters in "start.txt"
initialize
update {warm_up}
monitor intercept
monitor slope
monitor alpha
monitor person_sd
update {draws}
coda *
"""


def sample(answers, accepted, *, chains=2, warm_up=1000, draws=4000, modules=""):
    """Return chains of shape (parameters, chains, draws), and CPU seconds of the whole program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.txt").write_text(MODEL)
        (folder / "data.txt").write_text(_dumped(_data(answers, accepted)))
        # Started near where the posterior lies, which favours JAGS.
        starts = {"slope": np.full(4, 15.0), "intercept": np.full(4, -12.0), "tau": 0.2}
        (folder / "start.txt").write_text(_dumped(starts))
        script = SCRIPT.format(chains=chains, warm_up=warm_up, draws=draws, modules=modules)
        (folder / "script.cmd").write_text(script)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["jags", "script.cmd"], cwd=folder, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        columns = [
            np.loadtxt(folder / f"CODAchain{chain + 1}.txt")[:, 1].reshape(-1, draws)
            for chain in range(chains)
        ]
    return np.stack(columns, axis=1), seconds


def _data(answers, accepted):
    _, app = np.unique(answers["application"].astype(str), return_inverse=True)
    _, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    return {
        "accepted": accepted.astype(int),
        "app": app + 1,
        "person": person + 1,
        "log_p": np.log(answers["precision"]),
        "log_r": np.log(answers["recall"]),
        "N": len(app),
        "I": int(app.max()) + 1,
        "K": int(person.max()) + 1,
    }


def _dumped(values):
    """Write values the way R's `dump` does, which JAGS reads."""
    lines = []
    for name, value in values.items():
        listed = np.atleast_1d(value)
        text = f"c({', '.join(f'{x:.10g}' for x in listed)})" if np.ndim(value) else f"{value:.10g}"
        lines.append(f'"{name}" <- {text}')
    return "\n".join(lines) + "\n"
