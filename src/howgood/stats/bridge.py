"""The evidence of a model from draws of its posterior, by bridge sampling.

In: posterior draws and the log density they come from. Out: the log of its integral. Absent:
drawing.
"""

import numpy as np

from howgood.stats.arrays import FloatArray
from howgood.stats.importance import LogDensity, StudentT


def bridge_log_evidence(
    draws: FloatArray, log_density: LogDensity, *, n_effective: float, rng: np.random.Generator
) -> float:
    """Return the log evidence (Meng and Wong, 1996, with their optimal bridge).

    Half of the draws shape a t distribution, the other half is bridged to it.
    """
    draws = rng.permutation(draws)
    shaping, bridged = np.array_split(draws, 2)
    proposal = StudentT.from_moments(
        shaping.mean(axis=0), np.cov(shaping.T, ddof=0).reshape(2 * (draws.shape[1],))
    )
    fresh = proposal.sample(len(bridged), rng)
    from_posterior = log_density(bridged) - proposal.log_density(bridged)
    from_proposal = log_density(fresh) - proposal.log_density(fresh)
    share = n_effective / (n_effective + 2 * len(fresh))  # half of the effective draws are bridged
    middle = float(np.median(from_posterior))
    log_evidence = 0.0
    for _ in range(1000):
        above = np.exp(from_proposal - middle)
        below = 1.0 / (share * np.exp(from_posterior - middle) + (1 - share) * np.exp(log_evidence))
        new = float(np.log(np.mean(above / (share * above + (1 - share) * np.exp(log_evidence)))))
        new -= float(np.log(np.mean(below)))
        if abs(new - log_evidence) < 1e-8:
            break
        log_evidence = new
    return middle + new
