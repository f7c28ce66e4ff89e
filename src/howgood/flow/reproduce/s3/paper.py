"""All experiments of the paper, in its order.

In: a seed. Out: one `Reproduction`. Absent: the authors' ratings, which are not public; raters
with the published mix stand in for them, and each check says so.
"""

from pathlib import Path

import numpy as np

from howgood.flow.reproduce.s3 import approximation, motivation, ranking_errors, scale, sensitivity
from howgood.records.progress import Progress, silent
from howgood.records.reproduction import Check, Reproduction

ERRATA = (
    "Eq. 7 and 8 print pi where Delta is meant.",
    "Eq. 2 ff.: the first-order variance uses the second central moment, not the first.",
    "Section 4.4: the variance of the RMSE falls as 1/N, not 1/N^2 (Eq. 13 itself says 1/N).",
    "Eq. 17: the largest Jensen-Shannon divergence of Eq. 16 is log 2, not 2 log 2.",
    "Section 4.2: the largest variance of five ratings on a 5-star scale is 3.84, not 3.86.",
    "Eq. 5 treats two systems' scores as independent although both are scored on the same "
    "feedback; the paired error probability is closed-form and is howgood's default.",
)


def reproduce(
    *, data: Path | None = None, random_state: int = 2018, progress: Progress = silent
) -> Reproduction:
    """Compute every figure and claim of the paper; `data` is not needed."""
    del data
    generator = np.random.default_rng(random_state)
    parts = (
        ("Fig. 1 and 2", motivation.run),
        ("Fig. 3", approximation.run),
        ("Fig. 4 and 5", sensitivity.run),
        ("Fig. 6 and 7", ranking_errors.run),
        ("large data", scale.run),
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
