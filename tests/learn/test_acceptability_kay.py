"""The published study: what the public answers give under the paper's priors."""

import numpy as np
import pytest

from howgood import ask, learn
from howgood.errors import DroppedRowsWarning

COLUMNS = {
    "precision": "ppv",
    "recall": "tpr",
    "rating": "acceptable",
    "usefulness": "useful",
    "intent": "would_use",
}


@pytest.fixture(scope="module")
def fit(kay_file):
    with pytest.warns(DroppedRowsWarning, match="left out 2 with no rating of 1646"):
        return learn.fit_acceptability(kay_file, columns=COLUMNS, priors="kay2015", random_state=1)


def _branch(kay_file, name, **options):
    polars = pytest.importorskip("polars")
    frame = polars.read_csv(kay_file, null_values="NA").filter(polars.col("branch") == name)
    with pytest.warns(DroppedRowsWarning):
        return learn.fit_acceptability(
            frame, columns=COLUMNS, priors="kay2015", random_state=1, **options
        )


@pytest.fixture(scope="module")
def application_branch(kay_file):
    return _branch(kay_file, "Application")


@pytest.fixture(scope="module")
def geometric_application_branch(kay_file):
    """The geometric mean alone, with draws enough for the ends of intervals."""
    return _branch(kay_file, "Application", means=(0,), draws=20_000)


@pytest.fixture(scope="module")
def interface_branch(kay_file):
    return _branch(kay_file, "UI")


def _alpha(fit, application):
    return fit.estimate("alpha", application, p=0).mean


def test_two_rows_without_an_answer_are_left_out_and_counted(fit):
    assert fit.provenance.rows_used == 1644
    assert fit.provenance.rows_dropped == {"no rating": 2}


def test_the_geometric_mean_is_most_probable(fit):
    assert list(fit.mean_probabilities) == [-1, 0, 1]
    found = [fit.mean_probabilities[p] for p in (-1, 0, 1)]
    np.testing.assert_allclose(found, [0.158, 0.828, 0.014], atol=0.01)


def test_alpha_of_four_applications_given_the_geometric_mean(fit):
    # Posterior sds are .03 to .05; the reference is good to three digits.
    expected = {
        "alarm_police": 0.530,
        "alarm_text_message": 0.358,
        "electricity": 0.492,
        "location": 0.492,
    }
    for application, value in expected.items():
        estimate = fit.estimate("alpha", application, p=0)
        assert abs(estimate.mean - value) < 0.05 * estimate.sd + 0.0005


def test_people_differ_by_two_and_a_third(fit):
    assert fit.person_sd.mean == pytest.approx(2.37, abs=0.02)


def test_the_application_branch_alone(application_branch):
    found = [application_branch.mean_probabilities[p] for p in (-1, 0, 1)]
    np.testing.assert_allclose(found, [0.776, 0.221, 0.003], atol=0.01)
    assert _alpha(application_branch, "electricity") == pytest.approx(0.493, abs=0.004)
    assert _alpha(application_branch, "location") == pytest.approx(0.492, abs=0.004)
    assert _alpha(application_branch, "alarm_text_message") == pytest.approx(0.298, abs=0.004)


def test_the_interface_branch_alone(interface_branch):
    assert _alpha(interface_branch, "alarm_police") == pytest.approx(0.531, abs=0.004)
    assert _alpha(interface_branch, "alarm_text_message") == pytest.approx(0.413, abs=0.004)


@pytest.mark.parametrize(
    ("second", "mean", "lower", "upper"),
    [("electricity", -0.195, -0.30, -0.09), ("location", -0.194, -0.32, -0.07)],
)
def test_credible_differences_of_the_application_branch(
    geometric_application_branch, second, mean, lower, upper
):
    difference = geometric_application_branch.difference("alpha", "alarm_text_message", second)
    assert difference.mean == pytest.approx(mean, abs=0.005)
    # Ends of an HDI are noisier than means: two digits, as published.
    assert difference.interval.lower == pytest.approx(lower, abs=0.015)
    assert difference.interval.upper == pytest.approx(upper, abs=0.015)
    assert 0 not in difference.interval


def test_text_messages_and_police_differ_in_the_interface_branch(interface_branch):
    difference = interface_branch.difference("alpha", "alarm_text_message", "alarm_police", p=0)
    assert difference.mean == pytest.approx(-0.118, abs=0.005)
    assert difference.interval.lower == pytest.approx(-0.22, abs=0.015)
    assert difference.interval.upper == pytest.approx(-0.01, abs=0.015)


def test_spearman_correlations_of_the_items(fit, kay_file):
    np.testing.assert_allclose(fit.correlations["spearman"], [0.891, 0.849], atol=0.001)
    stats = pytest.importorskip("scipy.stats")
    with pytest.warns(DroppedRowsWarning):
        answers = ask.read_answers(kay_file, columns=COLUMNS)
    both = np.isfinite(answers["rating"]) & np.isfinite(answers["usefulness"])
    theirs = stats.spearmanr(answers["rating"][both], answers["usefulness"][both]).statistic
    assert fit.correlations["spearman"][0] == pytest.approx(theirs, rel=1e-12)


def test_the_odds_grow_by_a_fifth_per_point(fit):
    ratios = [fit.odds_ratio(name, p=0).mean for name in fit.applications]
    assert all(1.1 < ratio < 1.3 for ratio in ratios)


def test_the_fit_is_gated_and_has_the_draws_it_promises(fit):
    assert fit.diagnostics.engine == "importance"
    assert fit.diagnostics.passed
    assert fit.diagnostics.khat <= 0.5
    assert fit.diagnostics.effective_draws >= 4000
    assert fit.estimate("alpha", "location").draws.shape == (4000,)


def test_the_public_answers_divide_by_gender(kay_file):
    """49 people and four applications are an ordinary study: no gate may refuse it."""
    polars = pytest.importorskip("polars")
    frame = polars.read_csv(kay_file, null_values="NA").drop_nulls("gender")
    with pytest.warns(DroppedRowsWarning):
        fit = learn.fit_acceptability(
            frame, columns=COLUMNS, by="gender", means=(0,), draws=1000, random_state=1
        )
    assert fit.segments == ("Female", "Male")
    for segment in fit.segments:
        assert fit.in_segment(segment).diagnostics.passed
    assert fit.segmented.person_diagnostics.passed
    asked = set(frame["participant"].to_list())
    assert set(fit.people["participant"].tolist()) == asked
    inside = (fit.people["lower"] <= fit.people["mean"]) & (
        fit.people["mean"] <= fit.people["upper"]
    )
    assert inside.all()
