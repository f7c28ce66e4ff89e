"""How far ratings lie from their mean, from the sds and numbers of trials a ranking was given.

In: checked arrays by role ("mean", "sd", perhaps "trials"). Out: sds with ddof 0 and 1, degrees of
freedom. Absent: systems and scores.

Where trials are 2 or more, the sd is theirs (ddof 0). Where there was one, the mean is that rating
itself and the sd was given: how far one rating lies from the mean of many.
"""

from collections.abc import Mapping

import numpy as np

from howgood.records.sums import joined_freedom, trial_freedom
from howgood.stats.arrays import FloatArray

KNOWN = "taken as known"
ONE_RATING = "one rating each, with an sd given"
SOME_ONCE = "repeated ratings; some pairs rated once, with an sd given"
REPEATED = "repeated ratings"


def means_of(trials: FloatArray | None) -> str:
    """Say what the means of a ranking are, for its provenance."""
    if trials is None:
        return KNOWN
    single = trials < 2
    return ONE_RATING if single.all() else SOME_ONCE if single.any() else REPEATED


def noise_freedom(arrays: Mapping[str, FloatArray]) -> float:
    """Return the degrees of freedom behind the sds; infinite where they are known."""
    if "trials" not in arrays:
        return float("inf")
    repeated = arrays["trials"] >= 2
    variances, trials = arrays["sd"][repeated] ** 2, arrays["trials"][repeated]
    unbiased = float(variances @ (trials / (trials - 1)))
    freedom = trial_freedom(float(variances.sum()), float(variances @ variances), unbiased)
    single = float(np.sum(arrays["sd"][~repeated] ** 2))
    return joined_freedom((unbiased, freedom), (single, float("inf")))


def inside_sd(arrays: Mapping[str, FloatArray]) -> FloatArray:
    """Return the sd around each mean of ratings (ddof 0): none around a single rating."""
    if "trials" not in arrays:
        return arrays["sd"]
    return np.where(arrays["trials"] < 2, 0.0, arrays["sd"])


def unbiased_sd(arrays: Mapping[str, FloatArray]) -> FloatArray:
    """Return the sd with ddof 1 where it came from several trials, else as given."""
    if "trials" not in arrays:
        return arrays["sd"]
    trials = arrays["trials"]
    factor = np.where(trials < 2, 1.0, trials / np.where(trials < 2, 1.0, trials - 1))
    corrected: FloatArray = arrays["sd"] * np.sqrt(factor)
    return corrected
