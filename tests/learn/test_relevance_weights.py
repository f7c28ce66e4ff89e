"""Alpha and beta learned from graded mismatches."""

import numpy as np
import pytest

from howgood import learn
from howgood.errors import FewRespondentsWarning, InputError, MissingValueError


def _table(seed=0):
    generator = np.random.default_rng(seed)
    chances = generator.dirichlet(np.full(5, 0.8), size=12)
    context = np.repeat(np.arange(12), 60)
    outcome = (chances[context].cumsum(axis=1) < generator.random((720, 1))).sum(axis=1)
    rows = {"c": context, "y": np.minimum(outcome, 4)}
    return learn.outcome_probabilities(rows, outcome="y", context=["c"])


def _grades(table, share, *, people, each, seed, slope=0.8, noise=0.08, severity=0.1, base=0.05):
    generator = np.random.default_rng(seed)
    n = people * each
    context = generator.integers(0, 12, n)
    pairs = np.array([generator.permutation(5)[:2] for _ in range(n)])
    shares = table.lookup({"c": context})
    actual, predicted = (shares[np.arange(n), pairs[:, side]] for side in (0, 1))
    distances = share * (shares.max(axis=1) - predicted) + (1 - share) * abs(predicted - actual)
    person = np.repeat(np.arange(people), each)
    error = base + slope * distances + generator.normal(0, severity, people)[person]
    error += generator.normal(0, noise, n)
    return {"c": context, "y": pairs[:, 0], "shown": pairs[:, 1], "who": person,
            "grade": 100 - 100 * np.clip(error, 0, 1)}  # fmt: skip


def _fit(judged, table, **settings):
    return learn.fit_relevance_weights(
        judged, table=table, predicted="shown", grade="grade", random_state=0, **settings
    )


@pytest.mark.parametrize("share", [0.0, 2 / 3, 1.0])
def test_noise_free_grades_give_back_the_weights(share):
    table = _table()
    judged = _grades(table, share, people=12, each=20, seed=1, slope=1, noise=0, severity=0, base=0)
    fit = _fit(judged, table, respondent="who")
    assert fit.alpha_share.mean == pytest.approx(share, abs=1e-9)
    assert fit.alpha + fit.beta == pytest.approx(1)
    assert fit.base_error.mean == pytest.approx(0, abs=1e-9)
    assert fit.residual_sd == pytest.approx(0, abs=1e-9)


def test_the_point_estimate_matches_scipys_non_negative_least_squares():
    from scipy.optimize import nnls

    table = _table()
    judged = _grades(table, 0.7, people=15, each=10, seed=4, severity=0)
    shares = table.lookup({"c": judged["c"]})
    rows = np.arange(len(judged["c"]))
    predicted, actual = shares[rows, judged["shown"]], shares[rows, judged["y"]]
    design = np.column_stack([shares.max(axis=1) - predicted, abs(predicted - actual)])
    error = 1 - judged["grade"] / 100
    slopes, _ = nnls(design - design.mean(axis=0), error - error.mean())
    fit = _fit(judged, table)
    assert fit.alpha_share.mean == pytest.approx(slopes[0] / slopes.sum(), abs=1e-9)


def test_severe_and_kind_respondents_teach_the_same_weights():
    table = _table()
    judged = _grades(table, 0.6, people=20, each=15, seed=2, severity=0)
    tilted = {**judged, "grade": judged["grade"] - judged["who"] % 2 * 20 + 0.0}
    tilted["grade"] = np.clip(tilted["grade"], -50, 100)
    one = _fit(judged, table, respondent="who")
    two = _fit(tilted, table, respondent="who", scale=(-50, 100))
    assert two.alpha_share.mean == pytest.approx(one.alpha_share.mean, abs=1e-6)


def test_a_penalty_for_any_mismatch_shows_as_base_error():
    table = _table()
    judged = _grades(table, 0.6, people=40, each=15, seed=2, base=0.2, severity=0.02)
    fit = _fit(judged, table, respondent="who")
    assert 0.2 in fit.base_error.interval
    assert fit.base_error.interval.lower > 0.1


def test_right_predictions_and_unknown_contexts_are_ignored_and_counted():
    table = _table()
    judged = _grades(table, 0.6, people=12, each=5, seed=2)
    extra = {"c": [0, 99], "y": [1, 1], "shown": [1, 2], "who": [0, 0], "grade": [100, 50]}
    longer = {name: np.append(judged[name], extra[name]) for name in judged}
    fit = _fit(longer, table, respondent="who")
    assert (fit.n_judgements, fit.n_ignored) == (60, 2)
    assert fit.alpha_share.mean == _fit(judged, table, respondent="who").alpha_share.mean


def test_one_respondents_interval_is_over_judgements_and_says_so():
    table = _table()
    judged = _grades(table, 0.6, people=1, each=60, seed=5)
    with pytest.warns(FewRespondentsWarning, match="that person alone"):
        one = _fit(judged, table, respondent="who")
    nobody = _fit(judged, table)
    assert one.alpha_share.interval == nobody.alpha_share.interval
    assert one.alpha_share.interval.width > 0.1
    assert (one.alpha_share.n_respondents, nobody.alpha_share.n_respondents) == (1, None)
    assert one.provenance.method.endswith("over judgements")


def test_a_share_beyond_its_bounds_is_cut_and_not_shrunk():
    """Only alpha counts: half of the samples would put beta's slope below 0."""
    table = _table()
    judged = _grades(table, 1.0, people=20, each=10, seed=8)
    found = _fit(judged, table, respondent="who").alpha_share
    assert found.interval.upper == 1.0
    assert found.interval.lower < found.mean <= 1.0


def test_judgements_that_cannot_teach_are_refused():
    table = _table()
    judged = _grades(table, 0.6, people=12, each=5, seed=2)
    with pytest.raises(InputError, match="within the scale"):
        _fit(judged, table, scale=(1, 5))
    with pytest.raises(MissingValueError, match="grade"):
        _fit({**judged, "grade": np.full(60, np.nan)}, table)
    with pytest.raises(InputError, match="at least two"):
        _fit({**judged, "shown": judged["y"]}, table)
    with pytest.raises(InputError, match="direction of the scale"):
        _fit({**judged, "grade": 100 - judged["grade"]}, table)
    likeliest = table.lookup(judged).argmax(axis=1)
    # The actual outcome is always the likeliest: both distances are the same number.
    other = {**judged, "y": likeliest, "shown": (likeliest + 1) % 5}
    with pytest.raises(InputError, match="move together"):
        _fit(other, table, respondent="who")
    with pytest.warns(FewRespondentsWarning, match="3 respondents"):
        _fit(_grades(table, 0.6, people=3, each=30, seed=1), table, respondent="who")
