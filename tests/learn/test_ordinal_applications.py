"""Several applications in one ordinal model: own alpha, slope and level, common thresholds."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit

from howgood import ask, decide, learn
from howgood.errors import InputError, UnknownNameError
from howgood.learn.ordinal_model import OrdinalModel, rating_cells
from howgood.records.priors import HOWGOOD

TRUTH = {
    "alarm": {"slope": 12.0, "alpha": 0.25},
    "weather": {"slope": 16.0, "alpha": 0.7, "level": -2.0},
}


@pytest.fixture(scope="module")
def answers():
    return ask.simulate_ordinal_answers(people=70, applications=TRUTH, random_state=3)


@pytest.fixture(scope="module")
def fit(answers):
    return learn.fit_ordinal(answers, means=(0,), draws=1000, random_state=3)


def _model(answers, order=0.0):
    cells = rating_cells(ask.read_answers(answers, scale=7), reference="hypothetical")
    return OrdinalModel(cells, cells.groups, HOWGOOD, order)


@pytest.mark.parametrize("order", [0.0, -1.0, None])
def test_the_gradient_is_that_of_the_value(answers, order):
    model = _model(answers, order)
    point = model.start() + 0.1 * np.random.default_rng(4).normal(size=model.size)
    value, gradient = model.value_and_gradient(point)
    numeric = approx_fprime(point, lambda place: model.value_and_gradient(place)[0], 1e-6)
    np.testing.assert_allclose(gradient, numeric, atol=2e-2, rtol=1e-3)
    assert model.log_density(point[None, :])[0] == pytest.approx(value, abs=5e-3)


def test_points_and_plain_parameters_are_one_to_one(answers):
    model = _model(answers, None)
    points = model.start() + 0.1 * np.random.default_rng(2).normal(size=(5, model.size))
    parts = model.taken_apart(points)
    columns = [parts.thresholds, parts.slope, parts.logit_alpha, parts.level, parts.shift]
    plain = np.column_stack([*columns, parts.log_scale, parts.log_sd, parts.order])
    np.testing.assert_allclose(model.from_plain(plain), points, atol=1e-9)


def test_probabilities_of_two_applications_are_worked_by_hand():
    answers = {
        "participant": ["a", "a", "a"],
        "application": ["x", "y", "y"],
        "part": ["hypothetical", "hypothetical", "real"],
        "precision": [0.81, 0.64, 0.64],
        "recall": [1.0, 1.0, 1.0],
        "rating": [1, 3, 2],
    }
    model = _model(answers)
    # thresholds 8, 10; slopes 10, 12; alphas 1/2 (means .9 and .8); level of y 1; shift 1, scale 2
    plain = np.array([[8.0, 10.0, 10.0, 12.0, 0.0, 0.0, 1.0, 1.0, np.log(2.0), -12.0]])
    shares = np.exp(model.log_terms(model.from_plain(plain)))[:, 0, 0].reshape(3, 3)
    below = [
        expit((np.array([8.0, 10.0]) - center) / scale)
        for center, scale in ((10 * 0.9, 1.0), (12 * 0.8 + 1, 1.0), (12 * 0.8 + 1 + 1, 2.0))
    ]
    expected = [[low, high - low, 1 - high] for low, high in below]
    np.testing.assert_allclose(shares, expected, rtol=1e-4)


def test_known_parameters_lie_near_their_estimates(fit):
    for application, known in TRUTH.items():
        for parameter, value in known.items():
            found = fit.estimate(parameter, application)
            assert abs(found.mean - value) < 4 * found.sd, (application, parameter)
    assert np.all(fit.draws("level", "alarm") == 0)
    apart = fit.difference("alpha", "weather", "alarm")
    assert apart.interval.lower > 0


def test_an_application_must_be_named_and_known(fit):
    with pytest.raises(InputError, match="one of 'alarm', 'weather'"):
        fit.alpha  # noqa: B018 - the property refuses
    with pytest.raises(UnknownNameError, match="'alarm'"):
        fit.estimate("alpha", "weahter")
    with pytest.raises(InputError, match="no application named"):
        decide.target(fit, part="last year")


def test_other_names_in_another_order_change_nothing(answers, fit):
    swapped = {"alarm": "z", "weather": "a"}
    names = np.array([swapped[name] for name in answers["application"]], dtype=object)
    again = learn.fit_ordinal(
        {**dict(answers), "application": names}, means=(0,), draws=1000, random_state=3
    )
    for old, new in swapped.items():
        for parameter in ("slope", "alpha"):
            before, after = fit.estimate(parameter, old), again.estimate(parameter, new)
            assert after.mean == pytest.approx(before.mean, abs=0.25 * before.sd)


def test_decisions_take_part_and_application(fit):
    truth = np.repeat([1, 0], 200)
    predicted = np.concatenate([np.repeat([1, 0], [190, 10]), np.repeat([1, 0], [150, 50])])
    part = {"part": "hypothetical"}
    # Many false alarms, nothing missed: better where recall weighs more.
    choice = decide.best_application(fit, truth, predicted, **part, random_state=1)
    assert set(choice.acceptance) == {"alarm", "weather"}
    assert choice.best == "alarm"
    shares = {
        name: decide.acceptance(fit, truth, predicted, application=name, **part, random_state=1)
        for name in fit.applications
    }
    assert shares["alarm"].mean > shares["weather"].mean
    for name in fit.applications:
        needed = decide.target(fit, name, share=0.5, **part).needed_mean
        assert 0 < needed.mean < 1
        gate = decide.gate(fit, name, truth, predicted, share=0.5, **part, random_state=1)
        assert gate.application == name
        assert gate.acceptance.mean == pytest.approx(shares[name].mean, abs=0.02)
        assert decide.trade_off(fit, name, **part).application == name
        curve = {"size": [10, 20], "precision": [0.6, 0.9], "recall": [0.6, 0.9]}
        assert len(decide.go_live(fit, name, curve, share=0.5, **part).table) == 2
        scores = np.where(predicted, 0.8, 0.2)
        chosen = decide.threshold(fit, truth, scores, application=name, **part, random_state=1)
        assert chosen.acceptance is not None


def test_a_fit_of_several_applications_comes_back_whole(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    back = learn.load_ordinal_fit(tmp_path / "fit.npz")
    assert back.applications == ("alarm", "weather")
    where = {"precision": 0.9, "recall": 0.8, "part": "last year", "application": "alarm"}
    assert back.predict(**where).mean == fit.predict(**where).mean
    assert "each of 2 applications" in fit.methods_text()


def test_ratings_of_several_applications_can_be_left_out(answers):
    left = learn.leave_one_person_out(answers, means=(0,), draws=400, random_state=1)
    assert len(left.predictions) == int(np.sum(answers["part"] != "hypothetical"))
    assert left.mean_absolute_error < left.baseline + 0.2


@pytest.mark.slow  # compiling for NUTS takes minutes
def test_nuts_finds_the_same_posterior():
    answers = ask.simulate_ordinal_answers(people=45, applications=TRUTH, random_state=5)
    settings = {"means": (0,), "draws": 2000, "random_state": 5}
    ours = learn.fit_ordinal(answers, engine="importance", **settings)
    nuts = learn.fit_ordinal(answers, engine="nuts", **settings)
    for application in ours.applications:
        for parameter in ("slope", "alpha", "level"):
            one, other = (each.estimate(parameter, application).mean for each in (ours, nuts))
            spread = ours.estimate(parameter, application).sd
            # Nuts has at least 400 effective draws: a twentieth of a standard deviation each.
            assert one == pytest.approx(other, abs=0.2 * spread + 1e-12)
    assert ours.log_evidence[0] == pytest.approx(nuts.log_evidence[0], abs=0.3)
