"""Intervals over people: whoever is weighed anew is counted anew in the table, too."""

import numpy as np
import pytest

from howgood import learn, score
from howgood.score.relevance import coded_rows
from howgood.score.relevance_resampling import resampled_ends


def choices(people=12, each=5, *, seed=1):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), each)
    context = rng.integers(0, 4, who.size)
    taste = rng.dirichlet(np.full(3, 0.7), size=(people, 4))[who, context]
    outcome = np.minimum((taste.cumsum(axis=1) < rng.random((who.size, 1))).sum(axis=1), 2)
    return {"c": context, "y": outcome, "who": who}, rng.integers(0, 3, who.size)


def one_by_one(rows, guess, weights, *, reference, folds, smoothing, unseen, share):
    """The score when each person's rows are repeated as often as their weight says."""
    times = weights[rows["who"]]
    again = {name: np.repeat(values, times) for name, values in rows.items()}
    # Copies of a row are taken out with it, as with folds of one row each.
    again["row"] = np.repeat(np.arange(times.size), times)
    fold = {"who": "who", None: "row"}[folds] if reference == "cross-fit" else None
    table = learn.outcome_probabilities(
        again, outcome="y", context=["c"], reference=reference, folds=fold, smoothing=smoothing
    )
    return score.relevance_score(
        again["y"], np.repeat(guess, times), contexts=again, table=table, unseen=unseen,
        alpha=share, beta=1 - share,
    )  # fmt: skip


@pytest.mark.parametrize("unseen", ["exclude", "marginal"])
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize(
    ("reference", "folds"), [("all", None), ("cross-fit", None), ("cross-fit", "who")]
)
def test_a_draw_is_the_score_of_people_who_came_as_often_as_they_weigh(
    reference, folds, smoothing, unseen, monkeypatch
):
    rows, guess = choices()
    table = learn.outcome_probabilities(
        rows, outcome="y", context=["c"], reference=reference, folds=folds, smoothing=smoothing
    )
    coded = coded_rows(
        rows["y"], guess, contexts=rows, table=table, sample_weight=None, unseen=unseen
    )
    weights = np.random.default_rng(3).integers(1, 4, size=(5, 12))

    class Fixed:
        """Gives the weights above instead of random ones."""

        @staticmethod
        def dirichlet(shape, size):
            return weights[:size] / len(shape)

    found = resampled_ends(coded, rows["who"], draws=5, generator=Fixed())
    for draw, times in enumerate(weights):
        for place, share in enumerate((1.0, 0.0)):
            expected = one_by_one(
                rows, guess, times, reference=reference, folds=folds, smoothing=smoothing,
                unseen=unseen, share=share,
            )  # fmt: skip
            assert found[draw, place] == pytest.approx(expected, abs=1e-9)


def test_a_table_of_other_rows_stays_as_it_is():
    rows, guess = choices()
    other, _ = choices(seed=2)
    table = learn.outcome_probabilities(other, outcome="y", context=["c"], reference="train")
    report = score.relevance_report(
        rows["y"], guess, contexts=rows, table=table, groups=rows["who"], random_state=0
    )
    assert "table fixed" in report.provenance.settings["interval"]


def test_the_interval_is_wider_when_the_table_is_counted_anew():
    rows, guess = choices(people=40)
    given = {"outcome": "y", "context": ["c"]}
    arguments = {"contexts": rows, "groups": rows["who"], "random_state": 0}
    own = score.relevance_report(
        rows["y"], guess, table=learn.outcome_probabilities(rows, **given), **arguments
    )
    fixed = score.relevance_report(
        rows["y"],
        guess,
        table=learn.outcome_probabilities(rows, reference="train", **given),
        **arguments,
    )
    assert own.value == fixed.value
    assert "counted anew" in own.provenance.settings["interval"]
    assert own.estimate.sd > 1.2 * fixed.estimate.sd
    assert own.estimate.draws.mean() == pytest.approx(own.value, abs=3 * own.estimate.sd / 40)


def test_rows_that_are_part_of_a_larger_table_leave_the_others_in_it():
    rows, guess = choices(people=30)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    few = {name: values[:50] for name, values in rows.items()}
    part = score.relevance_report(
        few["y"], guess[:50], contexts=few, table=table, groups=few["who"], random_state=0
    )
    assert "counted anew" in part.provenance.settings["interval"]
    # Rows the table does not hold were not behind it.
    strange = {"c": np.zeros(60, dtype=int), "y": np.zeros(60, dtype=int)}
    apart = score.relevance_report(
        strange["y"], np.ones(60, dtype=int), contexts=strange, table=table, random_state=0
    )
    assert "table fixed" in apart.provenance.settings["interval"]


def test_two_models_are_resampled_alike():
    rows, guess = choices(people=20)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    reports = [
        score.relevance_report(
            rows["y"], each, contexts=rows, table=table, groups=rows["who"], random_state=5
        )
        for each in (guess, np.where(np.arange(guess.size) % 10, guess, rows["y"]))
    ]
    first, second = (report.estimate.draws for report in reports)
    assert np.corrcoef(first, second)[0, 1] > 0.8
