"""Fig. 1 and 2: three recommenders, the same people asked again, several winners.

In: a generator. Out: frequencies of rankings. Absent: the authors' 2018 ratings (not public).
"""

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from howgood import ask
from howgood.flow.reproduce.s3.part import Part
from howgood.records.reproduction import Check
from howgood.show.figures import human_uncertainty as pictures
from howgood.show.numbers import percent

N_USERS, N_ITEMS, N_TRIALS, N_REPEATS = 70, 5, 5, 4000
# The paper does not say how many pairs its example has; few pairs show what many hide.
N_EXAMPLE_PAIRS = 20
RECOMMENDERS = ("R1 mean", "R2 first", "R3 always 3")
NOTE = "Raters are simulated with the published mix; the authors' ratings are not public."


def run(generator: np.random.Generator) -> Part:
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


def _simulated_trials(generator: np.random.Generator) -> NDArray[np.float64]:
    """Return ratings of shape (n_pairs, n_trials)."""
    table = ask.simulate_ratings(
        users=N_USERS, items=N_ITEMS, trials=N_TRIALS, random_state=generator
    )
    order = np.lexsort((table["trial"], table["item"], table["user"]))
    ratings: NDArray[np.float64] = np.asarray(table["rating"], dtype=np.float64)[order]
    return ratings.reshape(-1, N_TRIALS)


def _re_evaluations(
    trials: NDArray[np.float64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return RMSE draws of shape (n_repeats, 3): each pair answers as in one of its trials."""
    n_pairs = len(trials)
    predictions = np.stack([trials.mean(axis=1), trials[:, 0], np.full(n_pairs, 3.0)])
    chosen = generator.integers(0, N_TRIALS, size=(N_REPEATS, n_pairs))
    answers = trials[np.arange(n_pairs), chosen]
    rmse: NDArray[np.float64] = np.sqrt(
        np.mean((answers[:, None, :] - predictions[None]) ** 2, axis=2)
    )
    return rmse


def _ranking_frequencies(rmse_draws: NDArray[np.float64]) -> dict[str, float]:
    order = np.argsort(rmse_draws, axis=1, kind="stable")
    shares = {
        " < ".join(RECOMMENDERS[system].split()[0] for system in ranking): float(
            np.mean(np.all(order == ranking, axis=1))
        )
        for ranking in permutations(range(len(RECOMMENDERS)))
    }
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _mix_check(trials: NDArray[np.float64]) -> Check:
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


def _second_check(trials: NDArray[np.float64]) -> Check:
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
