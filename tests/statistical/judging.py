"""From simulations to verdicts: is it uniform, does it cover, do two numbers agree, and how sure?

In: ranks, hits, counts, gaps. Out: `Judgement`: what was found, its p-value, and what departure
the number of simulations would have noticed. Absent: what is simulated (see the proofs).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import binom, binomtest, chi2, ncx2

# One p-value in a thousand is below this by chance; the seeds are fixed, so a verdict stays.
LEVEL = 0.001
POWER = 0.9
N_RANKS, N_BINS = 99, 10
COVERAGES = (0.5, 0.8, 0.95)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What simulations say about one claim."""

    n: int
    found: str
    p_value: float
    notices: str
    histogram: tuple[int, ...] = ()

    @property
    def holds(self) -> bool:
        """Nothing speaks against the claim at the stated level."""
        return self.p_value >= LEVEL


def rank_among(draws, truth, rng, *, n_ranks=N_RANKS):
    """Return the rank of the truth among evenly thinned draws, ties broken by chance."""
    thinned = draws[np.linspace(0, len(draws) - 1, n_ranks).round().astype(int)]
    ties = int(np.sum(thinned == truth))
    return int(np.sum(thinned < truth)) + int(rng.integers(ties + 1))


def uniform_ranks(ranks) -> Judgement:
    """Judge ranks from 0 to 99 by Pearson's chi-square over ten bins."""
    counts, _ = np.histogram(ranks, bins=N_BINS, range=(0, N_RANKS + 1))
    n = int(counts.sum())
    statistic = float(np.sum((counts - n / N_BINS) ** 2) / (n / N_BINS))
    return Judgement(
        n=n,
        found=f"χ² = {statistic:.1f} on {N_BINS - 1} degrees of freedom",
        p_value=float(chi2.sf(statistic, N_BINS - 1)),
        notices=f"posteriors {narrowness_noticed(n):.0%} too narrow, or off by "
        f"{shift_noticed(n):.2f} sd",
        histogram=tuple(counts.tolist()),
    )


def uniform_power(n, *, shift=0.0, spread=1.0, n_bins=N_BINS, n_cases=1) -> float:
    """Return how often a chi-square test fails `n_cases` distributions that are normal but wrong.

    What is observed (`n` times each) lies `shift` sd away on average, with `spread` times the sd.
    """
    edges = ndtri(np.arange(n_bins + 1) / n_bins)
    shares = np.diff(ndtr((edges - shift) / spread))
    away = n_cases * n * float(np.sum((shares - 1 / n_bins) ** 2)) * n_bins
    freedom = n_cases * (n_bins - 1)
    return float(ncx2.sf(chi2.isf(LEVEL, freedom), freedom, away))


@lru_cache
def shift_noticed(n, **bins) -> float:
    """Return the smallest shift, in sd, noticed nine times in ten."""
    return float(brentq(lambda shift: uniform_power(n, shift=shift, **bins) - POWER, 1e-5, 20.0))


@lru_cache
def narrowness_noticed(n, **bins) -> float:
    """Return by what share distributions must be too narrow to be noticed nine times in ten."""
    spread = brentq(lambda each: uniform_power(n, spread=each, **bins) - POWER, 1.0 + 1e-6, 1e4)
    return 1 - 1 / float(spread)


def binned(counts, probability) -> Judgement:
    """Judge counts (cases, bins) against the probability of each bin: chi-square of all cases."""
    counts, probability = np.asarray(counts, float), np.asarray(probability, float)
    n_cases, n_bins = counts.shape
    expected = counts.sum(axis=1, keepdims=True) * probability
    statistic = float(np.sum((counts - expected) ** 2 / expected))
    freedom = n_cases * (n_bins - 1)
    each, bins = counts.sum() / n_cases, {"n_bins": n_bins, "n_cases": n_cases}
    return Judgement(
        n=int(counts.sum()),
        found=f"χ² = {statistic:.0f} on {freedom} degrees of freedom",
        p_value=float(chi2.sf(statistic, freedom)),
        notices=f"distributions {narrowness_noticed(each, **bins):.1%} too narrow, or off by "
        f"{shift_noticed(each, **bins):.3f} sd",
    )


def covers(hits, *, allowed=0.0, at_least=False) -> Judgement:
    """Judge how often intervals held the truth; `hits` maps each probability to booleans.

    `allowed` is a stated approximation in either direction; `at_least` lets intervals be wider
    than they say (ranks are whole numbers). The p-values of the levels are joined by Bonferroni.
    """
    shares = {level: float(np.mean(found)) for level, found in hits.items()}
    sizes = {level: int(np.size(found)) for level, found in hits.items()}
    p_values = [
        _binomial_p(round(shares[level] * n), n, level, allowed, at_least)
        for level, n in sizes.items()
    ]
    least, n = max(hits), min(sizes.values())
    return Judgement(
        n=n,
        found=", ".join(f"{level:.0%}: {share:.1%}" for level, share in shares.items()),
        p_value=min(1.0, len(p_values) * min(p_values)),
        notices=f"{least:.0%} intervals that hold {missing_coverage_noticed(n, least, allowed):.1%}"
        " or less",
    )


def _binomial_p(k, n, level, allowed, at_least) -> float:
    if allowed == 0 and not at_least:
        return float(binomtest(k, n, level).pvalue)
    below = float(binom.cdf(k, n, level - allowed))
    above = float(binom.sf(k - 1, n, min(level + allowed, 1.0)))
    return below if at_least else min(1.0, 2 * min(below, above))


@lru_cache
def missing_coverage_noticed(n, level, allowed=0.0) -> float:
    """Return the highest coverage below `level` that is noticed nine times in ten."""
    n_levels = len(COVERAGES)
    fails_below = binom.ppf(LEVEL / (2 * n_levels), n, level - allowed) - 1
    if fails_below < 0:
        return 0.0
    return float(brentq(lambda each: binom.cdf(fails_below, n, each) - POWER, 0.0, level))


def expected_counts(happened, probability, *, what, at_most=False) -> Judgement:
    """Judge whether events happen as often as predicted, each with its own probability.

    Compares the total with its expectation, which needs no bins; the events are independent.
    `at_most` lets them happen less often than was said.
    """
    happened, probability = np.asarray(happened, float), np.asarray(probability, float)
    gap = float(happened.mean() - probability.mean())
    se = float(np.sqrt(np.sum(probability * (1 - probability)))) / happened.size
    return Judgement(
        n=happened.size,
        found=f"{what}: said {probability.mean():.2%}, happened {happened.mean():.2%}",
        p_value=float(ndtr(-gap / se)) if at_most else two_sided(gap / se),
        notices=f"{_noticed_z() * se:.1%} more" + ("" if at_most else " or less"),
    )


def frequencies(counts, trials, probability, *, allowed=0.0, what) -> Judgement:
    """Judge counts of many cases, each of `trials`, against each case's probability.

    The sum of squared standardised gaps is chi-square. `allowed` is a stated approximation, taken
    off every gap.
    """
    counts, probability = np.asarray(counts, float), np.asarray(probability, float)
    gap = np.abs(counts / trials - probability)
    se = np.sqrt(probability * (1 - probability) / trials)
    z = np.maximum(gap - allowed, 0.0) / se
    return Judgement(
        n=int(counts.size * trials),
        found=f"{what}: {counts.size} cases, mean gap {gap.mean():.4f}, largest {gap.max():.4f}",
        p_value=float(chi2.sf(np.sum(z**2), counts.size)),
        notices=f"gaps of {_common_gap_noticed(se) + allowed:.4f} in every case",
    )


def at_most_then_at_least(with_it, without_it, trials, target) -> Judgement:
    """Judge that what is needed keeps a rate at or below the target, and that less does not.

    The smallest binomial p-value of all cases, joined by Bonferroni.
    """
    above = binom.sf(np.asarray(with_it) - 1, trials, target)
    below = binom.cdf(np.asarray(without_it), trials, target)
    p_values = np.concatenate([above, below])
    fails_above = binom.isf(LEVEL / p_values.size, trials, target) + 1
    noticed = brentq(lambda each: binom.sf(fails_above - 1, trials, each) - POWER, target, 1.0)
    return Judgement(
        n=p_values.size * trials,
        found=f"wrong at most {np.max(with_it) / trials:.1%} with them, at least "
        f"{np.min(without_it) / trials:.1%} with less",
        p_value=min(1.0, p_values.size * float(p_values.min())),
        notices=f"{noticed:.1%} instead of {target:.0%} in one case",
    )


def _common_gap_noticed(se) -> float:
    critical = chi2.isf(LEVEL, se.size)

    def short(gap):
        return float(ncx2.sf(critical, se.size, np.sum((gap / se) ** 2))) - POWER

    return float(brentq(short, 1e-9, 1.0))


def agree(z, *, found) -> Judgement:
    """Judge standardised gaps that should be standard normal: their squares add to chi-square."""
    z = np.asarray(z, float)
    statistic = float(np.sum(z**2))
    away = brentq(
        lambda each: ncx2.sf(chi2.isf(LEVEL, z.size), z.size, each * z.size) - POWER, 1e-6, 1e3
    )
    return Judgement(
        n=z.size,
        found=f"{found}; χ² = {statistic:.1f} on {z.size}",
        p_value=float(chi2.sf(statistic, z.size)),
        notices=f"gaps of {np.sqrt(away):.1f} standard errors throughout",
    )


def unbiased(values, truths) -> Judgement:
    """Judge that means of independent values are what they estimate; joined by Bonferroni."""
    names = list(values)
    n = min(np.size(values[name]) for name in names)
    ses = {name: float(np.std(values[name])) / np.sqrt(np.size(values[name])) for name in names}
    gaps = {name: float(np.mean(values[name])) - truths[name] for name in names}
    smallest = min(two_sided(gaps[name] / ses[name]) for name in names)
    return Judgement(
        n=n,
        found=", ".join(f"{name} off by {gaps[name] / truths[name]:+.2%}" for name in names),
        p_value=min(1.0, len(names) * smallest),
        notices=", ".join(f"{name} {_noticed_z() * ses[name] / truths[name]:.1%}" for name in names)
        + " off",
    )


def two_sided(z) -> float:
    """Return the two-sided p-value of a standard normal."""
    return float(2 * ndtr(-abs(z)))


def _noticed_z() -> float:
    return float(-ndtri(LEVEL / 2) + ndtri(POWER))
