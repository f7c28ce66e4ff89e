"""Full sampling with NUTS (PyMC and nutpie), for posteriors that importance sampling cannot do.

In: models. Out: draws of each, with R-hat and evidence. Absent: anything without the "nuts" extra.

Here people's leniency is sampled, not integrated: the two engines share the priors and nothing
of the computation, so that each checks the other.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TypeVar

import numpy as np

from howgood.errors import MissingExtraError
from howgood.learn.binary import BinaryModel
from howgood.learn.engines.pymc_models import columns_of, pymc_model
from howgood.learn.ordinal_model import OrdinalModel
from howgood.records.progress import Progress, silent
from howgood.stats.array_layer import array_stats
from howgood.stats.arrays import FloatArray
from howgood.stats.bridge import bridge_log_evidence
from howgood.stats.importance import WeightedDraws
from howgood.stats.logistic import logit

Model = TypeVar("Model", BinaryModel, OrdinalModel)

LARGEST_RHAT = 1.01
LEAST_EFFECTIVE = 400.0
_CHAINS = 4


@dataclass(frozen=True, slots=True)
class Chains:
    """Draws of one model, how well the chains mixed, and which gate they fail."""

    sample: WeightedDraws
    rhat: float
    complaint: str


def sample_chains(
    models: Mapping[float, Model],
    *,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> dict[float, Chains]:
    """Sample every model with four chains."""
    if find_spec("pymc") is None or find_spec("nutpie") is None:
        raise MissingExtraError(task="full sampling", extra="nuts")
    found = {}
    for number, (p, model) in enumerate(models.items()):
        progress(number / len(models), f"NUTS for p = {p:g}")
        with warnings.catch_warnings():
            # Deprecations inside PyMC and its kin are not the caller's business.
            warnings.simplefilter("ignore")
            chains = _run(model, draws=draws, seed=int(rng.integers(2**31)))
        found[p] = _judged(model, chains, rng)
    return found


def _run(model: Model, *, draws: int, seed: int) -> FloatArray:
    """Return draws of shape (chains, draws, parameters), on the whole line."""
    import nutpie

    compiled = nutpie.compile_pymc_model(pymc_model(model))
    trace = nutpie.sample(
        compiled,
        draws=max(500, -(-draws // _CHAINS)),
        tune=1000,
        chains=_CHAINS,
        cores=1,
        seed=seed,
        progress_bar=False,
    )
    posterior = trace.posterior
    columns = []
    for name in columns_of(model):
        values = np.asarray(posterior[name], dtype=np.float64)
        values = values.reshape(*values.shape[:2], -1)
        values = logit(values) if name == "alpha" else values
        columns.append(np.log(values) if name == "person_sd" else values)
    return np.concatenate(columns, axis=2)


def _judged(model: Model, chains: FloatArray, rng: np.random.Generator) -> Chains:
    stats = array_stats()
    by_parameter = chains.transpose(2, 0, 1)
    rhat = max(float(stats.rhat(each, chain_axis=0, draw_axis=1)) for each in by_parameter)
    effective = min(float(stats.ess(each, chain_axis=0, draw_axis=1)) for each in by_parameter)
    complaint = ""
    if not rhat <= LARGEST_RHAT:
        complaint = f"R-hat is {rhat:.3f}, above {LARGEST_RHAT}"
    elif not effective >= LEAST_EFFECTIVE:
        complaint = f"{effective:.0f} effective draws, below {LEAST_EFFECTIVE:.0f}"
    draws = model.from_plain(chains.reshape(-1, chains.shape[2]))
    evidence = bridge_log_evidence(draws, model.log_density, n_effective=effective, rng=rng)
    weights = np.full(len(draws), 1.0 / len(draws))
    return Chains(WeightedDraws(draws, weights, evidence, np.nan, effective), rhat, complaint)
