"""Fig. 3: how well Eq. 12 and 13 approximate the RMSE's distribution.

In: a generator. Out: regressions and Jensen-Shannon divergences. Absent: nothing; the paper's
own design (50 sizes from 50 to 2500) with fewer repetitions per size.
"""

import numpy as np
from numpy.typing import NDArray

from howgood import score
from howgood.flow.reproduce.s3.part import Part, uniform_pairs
from howgood.records.reproduction import Check
from howgood.show.figures import human_uncertainty as pictures
from howgood.show.numbers import plain

SIZES = range(50, 2501, 50)
N_REPEATS = 4
# Every size costs the same: small sizes spread most and get the most draws.
N_RATINGS_DRAWN = 1_000_000


def run(generator: np.random.Generator) -> Part:
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
    deviation: NDArray[np.float64], sd: NDArray[np.float64], generator: np.random.Generator
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


def _divergence(deviation: NDArray[np.float64], sd: NDArray[np.float64]) -> float:
    """Jensen-Shannon divergence of Eq. 16, on the exact density instead of a noisy histogram."""
    exact = score.rmse(deviation, sd, 0.0)
    approximated = score.rmse(deviation, sd, 0.0, method="paper")
    grid = np.linspace(exact.mean - 4.5 * exact.sd, exact.mean + 4.5 * exact.sd, 73)
    grid = grid[grid > 0]
    p, q = np.maximum(exact.pdf(grid), 0.0), approximated.pdf(grid)
    p, q = p / p.sum(), q / q.sum()
    return 0.5 * _relative_entropy(p, (p + q) / 2) + 0.5 * _relative_entropy(q, (p + q) / 2)


def _relative_entropy(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    positive = p > 0
    return float(np.sum(p[positive] * np.log(p[positive] / q[positive])))


def _line_check(
    place: str, what: str, paper: str, x: NDArray[np.float64], y: NDArray[np.float64]
) -> Check:
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


def _divergence_checks(normed: NDArray[np.float64]) -> list[Check]:
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
