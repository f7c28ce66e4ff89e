"""Jasberg & Sizov (2018), "Human Uncertainty and Ranking Error": every figure and claim.

In: a seed. Out: `Reproduction`: three recommenders and the same people asked again (Fig. 1 and 2),
how well Eq. 12 and 13 approximate (Fig. 3), the experiments of Fig. 4 to 7 (see
`jasberg2018_experiments`), and the Netflix-sized test record with its Top 10.
"""

import itertools
import time
from itertools import permutations
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from howgood import ask, decide, score
from howgood.records.progress import Progress, silent
from howgood.records.reproduction import Check, Reproduction
from howgood.reproduce.jasberg2018_experiments import (
    Part,
    run_ranking_errors,
    run_sensitivity,
    uniform_pairs,
)
from howgood.show.figures import ranking as pictures
from howgood.show.numbers import percent, plain
from howgood.stats.arrays import FloatArray

N_USERS, N_ITEMS, N_TRIALS, N_ANSWER_SETS = 70, 5, 5, 4000
# The paper does not say how many pairs its example has; few pairs show what many hide.
N_EXAMPLE_PAIRS = 20
RECOMMENDERS = ("R1 mean", "R2 first", "R3 always 3")
NOTE = "Raters are simulated with the published mix; the authors' ratings are not public."
SIZES = range(50, 2501, 50)
N_REPEATS = 4
# Every size costs the same: small sizes spread most and get the most draws.
N_RATINGS_DRAWN = 1_000_000
N_NETFLIX = 2_800_000
# Test RMSEs of the ten best teams on the public Netflix Prize leaderboard, July 2009.
TOP_TEN = (0.8567, 0.8567, 0.8582, 0.8588, 0.8591, 0.8594, 0.8601, 0.8612, 0.8622, 0.8623)
# Half the squared error as feedback noise: between the barrier of Amatriain et al. (2009)'s
# re-rated films and the leaderboard's own scores.
NOISE_SHARE = 0.5
ERRATA = (
    "Eq. 7 and 8 print pi where Delta is meant.",
    "Eq. 2 ff.: the first-order variance uses the second central moment, not the first.",
    "Section 4.4: the variance of the RMSE falls as 1/N, not 1/N^2 (Eq. 13 itself says 1/N).",
    "Eq. 17: the largest Jensen-Shannon divergence of Eq. 16 is log 2, not 2 log 2.",
    "Section 4.2: the largest variance of five ratings on a 5-star scale is 3.84, not 3.86.",
    "Eq. 5 treats two systems' scores as independent although both are scored on the same "
    "feedback; the paired error probability is closed-form and is howgood's default.",
    "Eq. 2 leaves out the covariances: it holds for feedback that does not vary together.",
    "Section 4.2: 11 values of N, 50 times each, are 550 data points, not 2,500.",
    "Section 4.4: a variance cannot fall by 133 %: it would be negative.",
    "Section 4.4: there is no final error curve: by Eq. 13 the error of two systems that differ "
    "goes to 0 as N grows.",
)


def run_motivation(generator: np.random.Generator) -> Part:
    """Rate, re-rate, and count who wins."""
    trials = _simulated_trials(generator)
    few = trials[generator.choice(len(trials), N_EXAMPLE_PAIRS, replace=False)]
    rmse_draws = _re_evaluations(few, generator)
    frequencies = _ranking_frequencies(rmse_draws)
    with_all = _ranking_frequencies(_re_evaluations(trials, generator))
    return Part(
        checks=[_mix_check(trials), _ranking_check(frequencies, with_all), _second_check(few)],
        figures={
            "figure-2-rmse-of-three-recommenders": pictures.score_histograms(
                dict(zip(RECOMMENDERS, rmse_draws.T, strict=True))
            ),
            "figure-1-and-the-winner-is": pictures.ranking_frequencies(frequencies),
        },
    )


def _simulated_trials(generator: np.random.Generator) -> FloatArray:
    """Return ratings of shape (n_pairs, n_trials)."""
    table = ask.simulate_ratings(
        users=N_USERS, items=N_ITEMS, trials=N_TRIALS, random_state=generator
    )
    order = np.lexsort((table["trial"], table["item"], table["user"]))
    ratings: FloatArray = np.asarray(table["rating"], dtype=np.float64)[order]
    return ratings.reshape(-1, N_TRIALS)


def _re_evaluations(trials: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Return RMSE draws of shape (n_repeats, 3): each pair answers as in one of its trials."""
    n_pairs = len(trials)
    predictions = np.stack([trials.mean(axis=1), trials[:, 0], np.full(n_pairs, 3.0)])
    chosen = generator.integers(0, N_TRIALS, size=(N_ANSWER_SETS, n_pairs))
    answers = trials[np.arange(n_pairs), chosen]
    rmse: FloatArray = np.sqrt(np.mean((answers[:, None, :] - predictions[None]) ** 2, axis=2))
    return rmse


def _ranking_frequencies(rmse_draws: FloatArray) -> dict[str, float]:
    order = np.argsort(rmse_draws, axis=1, kind="stable")
    shares = {
        " < ".join(RECOMMENDERS[system].split()[0] for system in ranking): float(
            np.mean(np.all(order == ranking, axis=1))
        )
        for ranking in permutations(range(len(RECOMMENDERS)))
    }
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _mix_check(trials: FloatArray) -> Check:
    n_categories = np.array([len(set(pair)) for pair in trials.tolist()])
    shares = [float(np.mean(n_categories == 1)), float(np.mean(n_categories == 2))]
    shares.append(1.0 - sum(shares))
    near = bool(np.max(np.abs(np.array(shares) - [0.35, 0.50, 0.15])) < 0.08)
    return Check.judged(
        "S3-01",
        "Introduction",
        "Asked five times, raters use one / two / three or more answer categories",
        paper="35 / 50 / 15 %",
        ours=" / ".join(percent(share) for share in shares),
        holds=near,
        rule="each share within 8 points (350 simulated pairs)",
        note=NOTE,
    )


def _ranking_check(frequencies: dict[str, float], with_all: dict[str, float]) -> Check:
    seen = {name: share for name, share in frequencies.items() if share >= 0.01}
    return Check.judged(
        "S3-02",
        "Fig. 1",
        "Asked again, the same people give several different rankings, none negligible",
        paper="three rankings",
        ours=", ".join(f"{name}: {percent(share)}" for name, share in seen.items())
        + f" ({N_EXAMPLE_PAIRS} pairs; 350: first {percent(max(with_all.values()))})",
        holds=len(seen) >= 2,
        rule="at least two rankings occur in 1 % of re-evaluations or more",
        note=NOTE,
    )


def _second_check(trials: FloatArray) -> Check:
    """R2 repeats the first rating: unbeatable in trial 1, then worse than the mean."""
    predictions = np.stack([trials.mean(axis=1), trials[:, 0], np.full(len(trials), 3.0)])
    rmse = np.sqrt(np.mean((trials.T[:, None, :] - predictions[None]) ** 2, axis=2))
    ranks = np.argsort(np.argsort(rmse, axis=1), axis=1)[:, 1] + 1
    return Check.judged(
        "S3-02",
        "Fig. 2",
        "R2 can come out both best and not best for the same users and items",
        paper="best or worst",
        ours="rank by trial: " + ", ".join(str(rank) for rank in ranks.tolist()),
        holds=bool(ranks.min() == 1 and ranks.max() > 1),
        rule="R2 is best in one trial and beaten in another",
        note=NOTE,
    )


def run_approximation(generator: np.random.Generator) -> Part:
    """Compare approximation, brute-force simulation and the exact distribution."""
    moments, divergences = [], []
    for size in SIZES:
        for _ in range(N_REPEATS):
            deviation, sd = uniform_pairs(size, generator)
            moments.append(_moments(deviation, sd, generator))
        divergences.append(_divergence(deviation, sd))
    table = np.array(moments)
    normed = np.array(divergences) / (2.0 * np.log(2.0))
    return Part(
        checks=[
            _line_check("Eq. 14, Fig. 3a", "mean", "0.99 x + 0.02, r2 = 1.00", *table.T[:2]),
            _line_check("Eq. 15, Fig. 3b", "variance", "1.02 x + 0.00, r2 = 1.00", *table.T[2:]),
            *_divergence_checks(normed),
        ],
        figures={
            "figure-3-goodness-of-fit": pictures.goodness_of_fit(
                table[:, 0], table[:, 1], table[:, 2], table[:, 3], normed
            )
        },
    )


def _moments(
    deviation: FloatArray, sd: FloatArray, generator: np.random.Generator
) -> tuple[float, float, float, float]:
    approximated = score.rmse(deviation, sd, 0.0, method="paper")
    answers = deviation + sd * generator.standard_normal(
        (N_RATINGS_DRAWN // deviation.size, deviation.size)
    )
    simulated = np.sqrt(np.mean(answers**2, axis=1))
    return (
        approximated.mean,
        float(simulated.mean()),
        approximated.variance,
        float(simulated.var(ddof=1)),
    )


def _divergence(deviation: FloatArray, sd: FloatArray) -> float:
    """Jensen-Shannon divergence of Eq. 16, on the exact density instead of a noisy histogram."""
    exact = score.rmse(deviation, sd, 0.0)
    approximated = score.rmse(deviation, sd, 0.0, method="paper")
    grid = np.linspace(exact.mean - 4.5 * exact.sd, exact.mean + 4.5 * exact.sd, 73)
    grid = grid[grid > 0]
    p, q = np.maximum(exact.pdf(grid), 0.0), approximated.pdf(grid)
    p, q = p / p.sum(), q / q.sum()
    return 0.5 * _relative_entropy(p, (p + q) / 2) + 0.5 * _relative_entropy(q, (p + q) / 2)


def _relative_entropy(p: FloatArray, q: FloatArray) -> float:
    positive = p > 0
    return float(np.sum(p[positive] * np.log(p[positive] / q[positive])))


def _line_check(place: str, what: str, paper: str, x: FloatArray, y: FloatArray) -> Check:
    slope, intercept = (float(value) for value in np.polyfit(x, y, 1))
    r2 = float(np.corrcoef(x, y)[0, 1] ** 2)
    # Intercepts far from the data say little; what counts is the line where the data are.
    off = float(np.max(np.abs(slope * x + intercept - x)) / np.ptp(x))
    return Check.judged(
        "S3-11",
        place,
        f"Simulated {what} of the RMSE against the approximated one",
        paper=paper,
        ours=f"{plain(slope)} x {intercept:+.4f}, r2 = {plain(r2)}",
        holds=off < 0.05 and r2 > 0.95,
        rule="line within 5 % of the data's range from the diagonal, r2 > .95",
    )


def _divergence_checks(normed: FloatArray) -> list[Check]:
    third, largest = float(np.quantile(normed, 0.75)), float(normed.max())
    facts = (("third quartile", third, 0.02), ("largest", largest, 0.06))
    return [
        Check.judged(
            "S3-11",
            "Fig. 3c",
            f"{name.capitalize()} of the normed Jensen-Shannon divergence",
            paper=f"< {limit}",
            ours=f"{value:.1e}",
            holds=value < limit,
            rule="below the paper's bound",
            note="Normed by 2 log 2 as in the paper, on exact densities.",
        )
        for name, value, limit in facts
    ]


def run_scale(generator: np.random.Generator) -> Part:
    """Time the exact distribution, and put error probabilities next to the Top 10."""
    return Part(checks=[_run_time_check(generator), _top_ten_check(), _impact_check()])


def _run_time_check(generator: np.random.Generator) -> Check:
    deviation, sd = uniform_pairs(N_NETFLIX, generator)
    start = time.perf_counter()
    distribution = score.rmse(deviation, sd, 0.0)
    distribution.quantile(np.array([0.025, 0.5, 0.975]))
    seconds = time.perf_counter() - start
    return Check(
        item="S3-07",
        place="Section 3.2",
        claim="Monte Carlo of the RMSE for N = 2.8 million takes too long",
        paper="35 hours",
        ours=f"{seconds:.1f} s for the exact distribution with quantiles",
        verdict="cannot be checked here",
        note="Their 35 hours are for their program; ours inverts the distribution instead.",
    )


def _top_ten_check() -> Check:
    """Eq. 5 between neighbours, each RMSE split into noise and deviation as assumed above."""
    errors = [_neighbour_error(*pair) for pair in itertools.pairwise(TOP_TEN)]
    undecided = sum(error > 0.05 for error in errors)
    return Check.judged(
        "S3-20",
        "Section 5",
        "Even at N = 2.8 million some of the Netflix Top 10 placements have high error probability",
        paper="some placements",
        ours=f"{undecided} of 9 neighbours above 5 %, up to {percent(max(errors))}",
        holds=undecided > 0,
        rule="at least one neighbouring pair above 5 % (Eq. 5)",
        note=f"Assumes that {percent(NOISE_SHARE)} of the squared error is feedback noise.",
    )


def _neighbour_error(better: float, worse: float) -> float:
    # The moments of Eq. 12 and 13 need only the averages, so a thousand like pairs stand for
    # millions once the variance is scaled; the ratio enters Eq. 5 as one factor.
    n_pairs = 1000
    noise = np.full(n_pairs, np.sqrt(NOISE_SHARE) * TOP_TEN[0])
    deviations = {
        name: np.full(n_pairs, np.sqrt(rmse**2 - NOISE_SHARE * TOP_TEN[0] ** 2))
        for name, rmse in (("better", better), ("worse", worse))
    }
    repeated = N_NETFLIX // n_pairs
    ranking = decide.rank(deviations, mean=np.zeros(n_pairs), sd=noise, trials=np.inf, paired=False)
    # Eq. 5's argument grows with the square root of the number of pairs.
    return float(ndtr(ndtri(ranking.error("better", "worse")) * np.sqrt(repeated)))


def _impact_check() -> Check:
    ones = np.ones(100)
    mean = [score.rmse(1.0 * ones, sd * ones, 0.0, method="paper").mean for sd in (0.0, 1.0)]
    return Check.judged(
        "S3-12",
        "Section 4.3",
        "Uncertainty shifts the expected RMSE, with the same power as the deviations",
        paper="shift",
        ours=f"from {mean[0]:.3f} to {mean[1]:.3f} when both equal 1",
        holds=bool(np.isclose(mean[1], np.sqrt(2.0) * mean[0])),
        rule="square root of 2, as Eq. 12 says",
    )


def reproduce(
    *, data: Path | None = None, random_state: int = 2018, progress: Progress = silent
) -> Reproduction:
    """Compute every figure and claim of the paper; `data` is not needed."""
    del data
    generator = np.random.default_rng(random_state)
    parts = (
        ("Fig. 1 and 2", run_motivation),
        ("Fig. 3", run_approximation),
        ("Fig. 4 and 5", run_sensitivity),
        ("Fig. 6 and 7", run_ranking_errors),
        ("large data", run_scale),
    )
    checks: list[Check] = []
    figures: dict[str, str] = {}
    for done, (step, run) in enumerate(parts):
        progress(done / len(parts), step)
        part = run(generator)
        checks += part.checks
        figures |= part.figures
    progress(1.0, "done")
    return Reproduction(
        paper="s3",
        citation='Jasberg & Sizov (2018), "Human Uncertainty and Ranking Error"',
        checks=tuple(checks),
        figures=figures,
        errata=ERRATA,
        seed=random_state,
    )
