"""Any metric under uncertain feedback: against closed forms, paired, seeded, checked."""

import sys

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, recall_score

from howgood import score
from howgood.errors import InputError, UnknownNameError


def _mse(y_true, y_pred):
    return float(np.mean((y_true - y_pred) ** 2))


def test_a_propagated_mse_agrees_with_the_exact_one():
    rng = np.random.default_rng(0)
    mean, sd, prediction = rng.uniform(1, 5, 30), rng.uniform(0, 1, 30), rng.uniform(1, 5, 30)
    exact = score.mse(mean, sd, prediction)
    drawn = score.propagate(
        _mse, mean=mean, sd=sd, prediction=prediction, draws=5000, random_state=1
    )
    assert drawn.mean == pytest.approx(exact.mean, abs=5 * drawn.mcse)
    assert drawn.sd == pytest.approx(exact.sd, rel=0.06)
    assert drawn.provenance.seed == 1


def test_the_same_seed_gives_the_same_draws_whatever_the_batches(monkeypatch):
    options = {"mean": [3.0, 4, 2], "sd": 0.5, "prediction": 3.0, "draws": 51, "random_state": 5}
    first = score.propagate(_mse, **options)
    # The module, not the function of the same name.
    monkeypatch.setattr(sys.modules["howgood.score.propagation"], "_ANSWERS_AT_ONCE", 7)
    second = score.propagate(_mse, **options)
    assert np.array_equal(first.draws, second.draws)


def test_systems_are_scored_on_the_same_feedback():
    mean, sd = np.linspace(1, 5, 20), np.full(20, 0.7)
    predictions = {"a": mean + 0.1, "b": mean + 0.1, "c": mean + 0.4}
    paired = score.propagate_systems(
        _mse, mean=mean, sd=sd, predictions=predictions, draws=4000, random_state=2
    )
    assert paired.difference("a", "b").sd == 0.0
    assert paired.probability_above("a", "b") == 0.5
    # The difference of two MSEs is linear in the feedback: mean .15, variance 4 sd^2 .3^2 / 20.
    gap = paired.difference("c", "a")
    assert gap.mean == pytest.approx(0.15, abs=5 * gap.sd / np.sqrt(4000))
    assert gap.sd == pytest.approx(2 * 0.7 * 0.3 / np.sqrt(20), rel=0.06)
    with pytest.raises(UnknownNameError, match="'d'"):
        paired["d"]


def test_classification_metrics_take_uncertain_labels():
    labels = score.categorical_feedback([[0.3, 0.7], [1.0, 0.0], [0.4, 0.6]], values=[0, 1])
    accuracy = score.propagate(
        accuracy_score, feedback=labels, prediction=[1, 0, 0], draws=4000, random_state=3
    )
    assert accuracy.mean == pytest.approx((0.7 + 1.0 + 0.4) / 3, abs=5 * accuracy.mcse)
    sure = score.categorical_feedback([[0.0, 1.0], [0.0, 1.0]], values=[0, 1])
    recall = score.propagate(recall_score, feedback=sure, prediction=[1, 0], draws=5)
    assert recall.draws.tolist() == [0.5] * 5
    power = score.propagate(
        score.PowerMean(p=0, alpha=0.5), feedback=sure, prediction=[1, 0], draws=5
    )
    assert power.mean == pytest.approx(np.sqrt(0.5))


def test_progress_reaches_the_end():
    seen = []
    score.propagate(
        _mse, mean=[1.0], sd=1.0, prediction=1.0, draws=20, progress=lambda s, _: seen.append(s)
    )
    assert seen[-1] == 1.0


def test_wrong_input_is_named():
    feedback = score.categorical_feedback([[0.5, 0.5]], values=[3, 4])
    for wrong in (
        {"mean": [1.0]}, {"sd": 1.0}, {}, {"feedback": feedback, "mean": [1.0]},
        {"feedback": feedback, "sd": 1.0}, {"feedback": feedback, "mean": [1.0], "sd": 1.0},
    ):  # fmt: skip
        with pytest.raises(InputError, match="do not fit together"):
            score.propagate(_mse, prediction=[1.0], **wrong)
    with pytest.raises(InputError, match="propagate_systems"):
        score.propagate(_mse, mean=[1.0], sd=1.0, prediction={"a": [1.0]})
    with pytest.raises(InputError, match=r"'sd'.*below 0"):
        score.propagate(_mse, mean=[1.0], sd=-1.0, prediction=[1.0])
    for draws in (0, 2.5):
        with pytest.raises(InputError, match=f"draws={draws}"):
            score.propagate(_mse, mean=[1.0], sd=1.0, prediction=[1.0], draws=draws)
    with pytest.raises(InputError, match="3 of 3 draws"):
        score.propagate(lambda t, p: np.nan, mean=[1.0], sd=1.0, prediction=[1.0], draws=3)


def test_a_propagated_score_counts_its_draws():
    found = score.propagate(
        lambda y_true, _: float(y_true[0]),
        mean=[3.0],
        sd=1.0,
        prediction=[3.0],
        draws=400,
        random_state=4,
    )
    draws = np.sort(found.draws)
    assert found.cdf([draws[99], draws[199]]) == pytest.approx([0.25, 0.5])
    assert found.sf(draws[299]) == pytest.approx(0.25)
    assert found.quantile(0.5) == pytest.approx((draws[199] + draws[200]) / 2)
    assert found.mcse == pytest.approx(np.std(draws, ddof=1) / 20)


def test_one_system_and_several_get_as_many_draws_unless_told():
    feedback = {"mean": [3.0], "sd": 1.0, "random_state": 4}
    one = score.propagate(_mse, prediction=[3.0], **feedback)
    several = score.propagate_systems(_mse, predictions={"a": [3.0]}, **feedback)
    assert np.array_equal(several["a"].draws, one.draws)


def test_an_interval_of_a_difference_holds_what_it_is_asked_to_hold():
    paired = score.propagate_systems(
        _mse,
        mean=[3.0, 4.0],
        sd=1.0,
        predictions={"a": [3.0, 3.0], "b": [2.0, 4.0]},
        draws=2000,
        random_state=5,
    )
    gaps = paired["a"].draws - paired["b"].draws
    half = paired.difference("a", "b", probability=0.5).interval
    assert (half.lower, half.upper) == pytest.approx(tuple(np.quantile(gaps, [0.25, 0.75])))
    assert half.probability == 0.5


def test_a_propagated_score_tells_its_interval_and_how_it_was_made():
    found = score.propagate(
        _mse, mean=[3.0, 1.0, np.nan], sd=1.0, prediction=2.0, draws=400, random_state=6,
        missing="drop",
    )  # fmt: skip
    for interval, tail in ((found.interval(), 0.025), (found.interval(0.5), 0.25)):
        ends = tuple(np.quantile(found.draws, [tail, 1 - tail]))
        assert (interval.lower, interval.upper) == pytest.approx(ends)
        assert (interval.probability, interval.kind) == (1 - 2 * tail, "quantile")
    plain = found.to_dict()
    assert plain["interval"] == found.interval().to_dict()
    assert (plain["n"], plain["mean"], plain["sd"]) == (2, found.mean, found.sd)
    assert plain["mcse"] == pytest.approx(np.std(found.draws, ddof=1) / 20)
    assert found.provenance.rows_dropped == {"missing": 1}
    made = {"metric": "_mse", "draws": 400, "missing": "drop", "feedback": "gaussian"}
    assert found.provenance.settings == made
    labels = score.categorical_feedback([[0.0, 1.0]], values=[0, 1])
    one = score.propagate(accuracy_score, feedback=labels, prediction=[1], draws=1)
    assert one.draws.tolist() == [1.0]
    assert one.provenance.settings["feedback"] == labels.kind


@pytest.mark.parametrize(
    ("values", "prediction", "kinds"),
    [
        ([0, 1], [1.0, 0.0], "ii"),
        ([0, 1], [1.0, 0.5], "if"),  # a probability is no label
        ([0.5, 1], [1.0, 0.0], "ff"),  # grades, though this one is whole
    ],
)
def test_labels_are_whole_numbers_and_nothing_else_is_made_one(values, prediction, kinds):
    sure = score.categorical_feedback([[0.0, 1.0], [0.0, 1.0]], values=values)
    seen = []
    score.propagate(
        lambda *given: seen.extend(given) or 0.0, feedback=sure, prediction=prediction, draws=1
    )
    assert [each.tolist() for each in seen] == [[1, 1], prediction]
    assert "".join(each.dtype.kind for each in seen) == kinds
