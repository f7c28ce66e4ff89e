"""What a ranking says first: is the leader ahead of ALL others, not just of each one alone?"""

import re

import numpy as np
import pytest
from scipy.special import ndtr

from howgood.decide import rank, rank_grades, rank_ratings
from howgood.show import leaderboard
from howgood.show.figures.ranking import gaussian_curve, ranking_figure
from howgood.show.figures.theme import to_svg
from howgood.show.ranking import findings, readable_errors, readable_table


def _leader_and_rivals(shift, *, rivals=5):
    """Rival k errs at pair k alone, by `shift`: it is ahead if that answer is above shift / 2.

    The answers are independent, so that somebody is ahead with 1 - Φ(shift / 2)**rivals.
    """
    predictions = {"leader": np.zeros(rivals)}
    predictions |= {f"rival {k}": shift * np.eye(rivals)[k] for k in range(rivals)}
    return rank(predictions, mean=np.zeros(rivals), sd=1.0)


def _said(ranking):
    return findings(ranking)[0]


def test_a_leader_is_as_sure_as_it_is_against_all_others_together():
    ranking = _leader_and_rivals(3.4)
    alone, together = 1 - ndtr(1.7), 1 - ndtr(1.7) ** 5
    assert alone < ranking.level < together
    assert ranking.tie_groups[0] == ("leader",)
    said = _said(ranking)
    assert said.tone == "unsure"
    first, second = (float(each) for each in re.findall(r"0\.\d+", said.text))
    assert first == pytest.approx(together, abs=0.0005 + 4 * ranking.mcse)
    assert second == pytest.approx(alone, abs=0.0005)


def test_a_sure_leader_is_called_the_best():
    said = _said(_leader_and_rivals(5.6))
    assert said.tone == "good"
    assert said.text.startswith("leader is best: ")
    assert float(re.findall(r"0\.\d+", said.text)[0]) == pytest.approx(0.0127, abs=0.001)


def test_what_is_rarer_than_a_draw_is_not_called_impossible():
    ranking = _leader_and_rivals(12.0)  # 1 - Φ(6) = 1e-9 for each
    assert ranking.best_probability["leader"] == 1.0
    assert "with a probability below 0.0001" in _said(ranking).text


def test_ratings_that_never_vary_make_nobody_the_best():
    """Rows copied into a table look like people who repeat themselves to the letter."""
    ratings = {
        "user": [1, 1, 2, 2, 3, 3],
        "item": [1, 1, 1, 1, 1, 1],
        "rating": [4.0, 4.0, 2.0, 2.0, 5.0, 5.0],
        "near": [3.9, 3.9, 2.1, 2.1, 4.8, 4.8],
        "far": [3.0, 3.0, 3.0, 3.0, 3.0, 3.0],
    }
    ranking = rank_ratings(ratings, predictions=["near", "far"])
    said = findings(ranking)
    assert said[0].tone == "unsure"
    table = readable_table(ranking).to_dict()
    assert [row["system"] for row in readable_table(ranking).rows()] == ["near", "far"]
    for column in ("P(best)", "ranks", "tied with"):
        assert set(table[column]) == {"not known"}
    assert not any("%" in cell or "0.0" in cell for row in readable_errors(ranking).rows()
                   for cell in row.values())  # fmt: skip
    assert said[0].text.startswith("near has the best score, but no rating varies here")
    assert not any("probability" in each.text or "barrier" in each.text for each in said)


@pytest.mark.parametrize("metric", ["rmse", "mse", "mae"])
def test_predictions_on_another_scale_are_asked_about(metric):
    """Percentages as predictions of one to five stars make errors of many stars."""
    mean = np.array([1.1, 2.6, 4.0, 3.2, 4.9, 2.0] * 5)
    own = {"near": mean + np.tile([0.4, -0.4, 0.6], 10), "poor": np.full(30, 1.0)}
    for others, is_asked in ({}, False), ({"percent": 20 * mean}, True):
        ranking = rank({**own, **others}, mean=mean, sd=np.full(30, 0.5), metric=metric)
        said = [each.text for each in findings(ranking) if "scale of the ratings" in each.text]
        assert bool(said) == is_asked
        assert all("Errors of percent are up to" in text and "poor" not in text for text in said)


def test_two_systems_are_sure_of_each_other():
    said = _said(_leader_and_rivals(3.4, rivals=1))
    assert "of 0.045" in said.text
    assert said.tone == "good"


def test_a_leaderboard_speaks_of_all_others_too():
    rng = np.random.default_rng(4)
    item, system = (each.ravel() for each in np.indices((40, 6)))
    grade = rng.normal(np.where(system == 0, 3.6, 3.0)[:, None], 1.0, (240, 1)).ravel()
    ranking = rank_grades({"item": item, "system": system, "grade": grade}, rater=None)
    assert ranking.tie_groups[0] == ("0",)
    error = 1 - ranking.best_probability["0"]
    assert error > max(ranking.error("0", other) for other in ranking.order[1:])
    assert f"with a probability of {error:.3f}" in leaderboard.findings(ranking)[0].text


@pytest.mark.parametrize(("trials", "said"), [(2, "88 of 100"), (3, "92 of 100"), (5, None)])
def test_few_ratings_are_spoken_of(trials, said):
    rng = np.random.default_rng(6)
    mean = rng.uniform(1, 5, 50)
    systems = {name: mean + rng.normal(0, 0.5, 50) for name in "abc"}
    texts = [each.text for each in findings(rank(systems, mean=mean, sd=0.7, trials=trials))]
    spoken = [text for text in texts if "ratings per pair" in text]
    assert len(spoken) == (said is not None)
    assert all(f"About {trials} ratings" in text and said in text for text in spoken)
    known = [each.text for each in findings(rank(systems, mean=mean, sd=0.7))]
    assert not any("ratings per pair" in text for text in known)


@pytest.mark.parametrize(
    ("n", "trials", "far", "is_said"),
    [(30, 3, 1.5, True), (30, 3, 0.5, False), (60, 3, 1.5, False), (30, 9, 1.5, False)],
)
def test_small_probabilities_from_few_ratings_of_few_pairs_are_called_rough(
    n, trials, far, is_said
):
    rng = np.random.default_rng(6)
    mean = rng.uniform(1, 5, n)
    near = mean + rng.choice([-0.5, 0.5], n)
    ranking = rank(
        {"near": near, "far": mean + rng.choice([-far, far], n)}, mean=mean, sd=0.7, trials=trials
    )
    assert (ranking.error("near", "far") < 0.05) == (far > 0.5)
    said = [each.text for each in findings(ranking) if "below 5 % are rough" in each.text]
    assert len(said) == is_said
    assert all(text.startswith(f"{n} pairs of about {trials} ratings") for text in said)


def test_of_many_systems_that_tie_a_sentence_names_the_first_and_counts_the_rest():
    """A leader without error, and twenty that err by as much, each at a pair of its own."""
    predictions = {"leader": np.zeros(20)}
    predictions |= {f"rival {k}": 40.0 * np.eye(20)[k] for k in range(20)}
    ranking = rank(predictions, mean=np.zeros(20), sd=1.0, trials=np.inf)
    (tied,) = [found.text for found in findings(ranking) if "cannot be told apart" in found.text]
    assert len(set(re.findall(r"rival \d+", tied.partition(" cannot")[0]))) == 12
    assert "and 8 more cannot be told apart." in tied


@pytest.mark.parametrize("length", [40, 2000])
def test_long_names_leave_room_for_what_is_drawn(length):
    names = [f"{number}{'M' * length}{number}" for number in range(4)]
    curves = [gaussian_curve(name, number, 1.0) for number, name in enumerate(names)]
    with ranking_figure(
        curves, rank_probabilities=np.eye(4), barrier=None, score_name="x"
    ) as figure:
        drawn = to_svg(figure, title="Ranks")  # a warning that nothing fits is an error here
        assert min(axes.get_position().width for axes in figure.axes) > 0.09
    assert all(f"{number}M" in drawn and f"M{number}" in drawn for number in range(4))
