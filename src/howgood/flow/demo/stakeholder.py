"""One stakeholder, twenty choices between confusion matrices, and the metric they imply.

In: a classifier's truth and scores. Out: `Chapter`. Absent: a real stakeholder; a synthetic one
with known costs and slips answers.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from howgood import ask, learn, score
from howgood.flow.demo.chapter import Chapter
from howgood.records.estimate import Estimate
from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.show.numbers import percent, with_interval

TRUE_WEIGHT, SLIPS = 0.2, 0.1


def run(
    folder: Path, truth: NDArray[np.int64], scores: NDArray[np.float64], *, seed: int
) -> Chapter:
    """Interview the stakeholder about the alarm of the chapter before."""
    matrices = learn.threshold_matrices(truth, scores, out_of="auto")
    respondent = ask.simulate_respondent(
        score.LinearMetric(a0=TRUE_WEIGHT), flips=SLIPS, random_state=seed
    )
    result = learn.ask_oracle(learn.Elicitor(matrices, random_state=seed), respondent)
    families = Table(
        {
            "kind of metric": list(result.families),
            "probability": [percent(share) for share in result.families.values()],
        }
    )
    return Chapter(
        title="Elicit one stakeholder's metric",
        findings=(Finding(text=_sentence(result.a0, result.queries)),),
        sections=(
            Section(
                title="What kind of metric the choices imply",
                text=(
                    f"The synthetic stakeholder's true weight is {TRUE_WEIGHT}, and one answer in "
                    "ten is a slip."
                ),
                table=families,
            ),
        ),
        command=f"howgood elicit {folder / 'scores.csv'} --truth y --score s",
    )


def _sentence(weight: Estimate | None, queries: int) -> str:
    if weight is None:
        return f"After {queries} choices the metric is not linear: see its family below."
    ratio = (1 - weight.mean) / weight.mean
    return (
        f"After {queries} choices the weight of correct rejections is {with_interval(weight)}: "
        f"a missed burglary costs about {ratio:.0f} false alarms."
    )
