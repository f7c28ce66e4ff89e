"""Three recommenders on ratings people repeated: which places are real?

In: a folder and a seed. Out: `Chapter`. Absent: real ratings.
"""

from pathlib import Path

import numpy as np

from howgood import ask, learn
from howgood.flow.demo.chapter import Chapter, save_table
from howgood.flow.ranking import FeedbackColumns, RankedFile, picture, rank_file
from howgood.records.report import Section
from howgood.records.table import Table
from howgood.show.figures.theme import to_svg
from howgood.show.ranking import findings, readable_table

# Spread of each recommender's predictions around people's mean ratings.
SPREADS = {"svd": 0.60, "knn": 0.61, "popular": 0.90}


def run(folder: Path, *, seed: int) -> Chapter:
    """Simulate raters with the published mix, and rank."""
    path = folder / "ratings.csv"
    save_table(_rated_and_predicted(seed), path)
    ranked = rank_file(
        path,
        feedback=FeedbackColumns(repeated=True, trial="trial"),
        systems={name: name for name in SPREADS},
    )
    systems = " ".join(f"--system {name}" for name in SPREADS)
    return Chapter(
        title="Rank three recommenders on noisy ratings",
        findings=findings(ranked.ranking),
        sections=(_section(ranked),),
        command=f"howgood rank {path} --repeated {systems}",
    )


def _rated_and_predicted(seed: int) -> Table:
    ratings = ask.simulate_ratings(users=150, items=8, random_state=seed)
    consistency = learn.rating_uncertainty(ratings)
    generator = np.random.default_rng(seed)
    pair = {
        key: place
        for place, key in enumerate(zip(consistency["user"], consistency["item"], strict=True))
    }
    rows = [pair[key] for key in zip(ratings["user"], ratings["item"], strict=True)]
    predictions = {
        name: (consistency["mean"] + generator.normal(0.0, spread, len(pair)))[rows]
        for name, spread in SPREADS.items()
    }
    return Table({**ratings, **predictions})


def _section(ranked: RankedFile) -> Section:
    with picture(ranked) as figure:
        svg = to_svg(figure, title="Score distributions and rank probabilities")
    return Section(
        title="Scores and places",
        text="150 synthetic users rated 8 items five times; a third of them never waver.",
        svg=svg,
        alt="Left: each recommender's score distribution. Right: probability of each rank.",
        table=readable_table(ranked.ranking),
    )
