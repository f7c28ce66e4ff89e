"""The result of a rerating: how noisy people are, and the error no system can be below.

In: who was gathered, and perhaps systems' predictions. Out: `StudyResult`. Absent: the statistics
(`learn`, `decide`) and the pictures (`show`).
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from howgood import learn
from howgood.flow.results.nothing import not_enough
from howgood.flow.results.people import Gathered
from howgood.learn.feedback import barrier_of
from howgood.records.inclusion import POLICIES
from howgood.records.progress import Progress
from howgood.records.result import StudyResult
from howgood.records.study import Study
from howgood.records.table import Table
from howgood.show.noise import RaterNoise, noise_report
from howgood.show.people import people_text
from howgood.show.results import whole_report

_QUESTION = "How noisy are people's ratings, and how good can any system be?"
_CURE = (
    "Noise shows only when the same person rates the same item at least twice: let people come "
    "back for the next round."
)


def rerating_result(
    gathered: Gathered, study: Study, settings: Mapping[str, Any], *, held: int, progress: Progress
) -> StudyResult:
    """Return how much ratings vary when the same people rate the same items again."""
    ratings = ratings_of(gathered)
    repeated = repeated_ratings(ratings)
    if not len(repeated):
        why = (
            "Nobody has rated an item twice yet." if gathered.taken else "Nobody has answered yet."
        )
        return not_enough(gathered, question=_QUESTION, why=why, cure=_CURE, held=held)
    progress(0.2, "measuring the noise")
    feedback = Table(learn.rating_uncertainty(dict(repeated)))
    if len(feedback) == 1:
        why = "One person has rated one item again, nobody any other."
        return not_enough(gathered, question=_QUESTION, why=why, cure=_CURE, held=held)
    seed = int(settings.get("seed", 1))
    noise = RaterNoise(
        feedback=feedback,
        consistency=learn.rater_consistency(dict(repeated)),
        barrier=barrier_of(feedback, most=_most_noise(study, ratings), seed=seed),
        seed=seed,
        rows_used=len(repeated),
        rows_dropped=len(ratings) - len(repeated),
    )
    progress(0.6, "drawing the pictures")
    report = whole_report(
        noise_report(noise, question=_QUESTION),
        title=study.title,
        first=(),
        left_out=gathered.left_out,
        policy=POLICIES[gathered.policy],
    )
    return StudyResult(
        report=report,
        summary=people_text(len(np.unique(feedback["user"])), len(repeated)),
        people=len(np.unique(feedback["user"])),
        answers=held,
        left_out=gathered.left_out,
    )


def ratings_of(gathered: Gathered) -> Table:
    """Return every rating that was given, in plain columns."""
    found = gathered.table("user", "item", "trial", "rating")
    given = np.array([value is not None for value in found["rating"]], dtype=bool)
    return Table(
        {
            "user": found["user"][given].astype(str),
            "item": found["item"][given].astype(str),
            "trial": found["trial"][given].astype(int),
            "rating": found["rating"][given].astype(float),
        }
    )


def repeated_ratings(ratings: Table) -> Table:
    """Return the ratings of pairs that were rated at least twice: one alone shows no noise."""
    if not len(ratings):
        return ratings
    pairs = np.char.add(np.char.add(ratings["user"], "\n"), ratings["item"])
    _, place, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    keep = counts[place] > 1
    return Table({name: values[keep] for name, values in ratings.items()})


def _most_noise(study: Study, ratings: Table) -> float:
    """Return the standard deviation of somebody who gives the lowest and the highest rating."""
    labels = study.rerating.scale if study.rerating else ()
    return float(max(len(labels) - 1, np.ptp(ratings["rating"]))) / math.sqrt(2.0)
