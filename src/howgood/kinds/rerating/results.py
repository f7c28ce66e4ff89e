"""The result of a rerating: how noisy people are, and the error no system can be below.

In: the sample. Out: `StudyResult`. Absent: the statistics
(`learn`, `decide`) and the pictures (`show`).
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from howgood import learn
from howgood.kinds.fit import Sample, insufficient_evidence
from howgood.kinds.rerating.plan import ReratingPlan
from howgood.kinds.study import Study, plan_of
from howgood.learn.feedback import barrier_of
from howgood.records.inclusion import POLICIES
from howgood.records.progress import Progress
from howgood.records.result import StudyResult
from howgood.records.table import Table
from howgood.show.people import people_text
from howgood.show.results import RaterNoise, noise_report, whole_report

_QUESTION = "How noisy are people's ratings, and how good can any system be?"
_CURE = (
    "Noise shows only when the same person rates the same item at least twice: let people come "
    "back for the next round."
)


def result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    """Return how much ratings vary when the same people rate the same items again."""
    ratings = ratings_of(sample)
    repeated = _repeated(ratings)
    if not len(repeated):
        why = "Nobody has rated an item twice yet." if sample.people else "Nobody has answered yet."
        return insufficient_evidence(sample, question=_QUESTION, why=why, cure=_CURE)
    progress(0.2, "measuring the noise")
    feedback = Table(learn.rating_uncertainty(dict(repeated)))
    if len(feedback) == 1:
        why = "One person has rated one item again, nobody any other."
        return insufficient_evidence(sample, question=_QUESTION, why=why, cure=_CURE)
    seed = int(settings.get("seed", 1))
    noise = RaterNoise(
        feedback=feedback,
        consistency=learn.rater_consistency(dict(repeated)),
        barrier=barrier_of(feedback, most=_most_noise(study, ratings), seed=seed),
        seed=seed,
        rows_used=len(repeated),
        rows_dropped=len(ratings) - len(repeated),
        points=len(plan_of(study, ReratingPlan).scale),
        sessions=_sessions(ratings),
    )
    progress(0.6, "drawing the pictures")
    report = whole_report(
        noise_report(noise, question=_QUESTION),
        title=study.title,
        first=(),
        left_out=sample.left_out,
        policy=POLICIES[sample.policy],
    )
    return StudyResult(
        report=report,
        summary=people_text(len(np.unique(feedback["user"])), len(repeated)),
        people=len(np.unique(feedback["user"])),
        answers=sample.held,
        left_out=sample.left_out,
    )


def ratings_of(sample: Sample) -> Table:
    """Return every rating that was given, in plain columns."""
    table = sample.table("user", "item", "trial", "rating")
    given = np.array([value is not None for value in table["rating"]], dtype=bool)
    return Table(
        {
            "user": table["user"][given].astype(str),
            "item": table["item"][given].astype(str),
            "trial": table["trial"][given].astype(int),
            "rating": table["rating"][given].astype(float),
        }
    )


def repeated_ratings(sample: Sample) -> Table:
    """Return what systems can be ranked on: every rating of somebody who rated the item again."""
    return _repeated(ratings_of(sample))


def _repeated(ratings: Table) -> Table:
    """Return the ratings of pairs that were rated at least twice: one alone shows no noise."""
    if not len(ratings):
        return ratings
    pairs = np.char.add(np.char.add(ratings["user"], "\n"), ratings["item"])
    _, place, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    keep = counts[place] > 1
    return Table({name: values[keep] for name, values in ratings.items()})


def _sessions(ratings: Table) -> Table:
    """Return how many took part in every round, how they rated, and how often as before."""
    given = {
        (user, item, trial): rating
        for user, item, trial, rating in zip(
            *(ratings[name].tolist() for name in ("user", "item", "trial", "rating")), strict=True
        )
    }
    rounds = sorted({trial for _, _, trial in given})
    rows = []
    for place, trial in enumerate(rounds):
        now = {key[:2]: rating for key, rating in given.items() if key[2] == trial}
        before = rounds[place - 1] if place else None
        again = [(rating, given.get((*key, before))) for key, rating in now.items()]
        same = [rating == earlier for rating, earlier in again if earlier is not None]
        rows.append((trial, len({user for user, _ in now}), now, same))
    return Table(
        {
            "round": [str(row[0]) for row in rows],
            "people": [row[1] for row in rows],
            "ratings": [len(row[2]) for row in rows],
            "mean rating": [f"{np.mean(list(row[2].values())):.2f}" for row in rows],
            "same as before": [f"{100 * np.mean(row[3]):.0f} %" if row[3] else "" for row in rows],
        }
    )


def _most_noise(study: Study, ratings: Table) -> float:
    """Return the standard deviation of somebody who gives the lowest and the highest rating."""
    labels = plan_of(study, ReratingPlan).scale
    return float(max(len(labels) - 1, np.ptp(ratings["rating"]))) / math.sqrt(2.0)
