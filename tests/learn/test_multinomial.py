"""The multinomial model: density by hand, statsmodels, properties, refusals, command."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import logit, softmax
from scipy.stats import norm

from howgood import ask, learn
from howgood.cli.main import run
from howgood.errors import InputError, MissingColumnError, UnknownNameError
from howgood.learn.binary_model import BinaryModel, cells_from
from howgood.learn.multinomial import MultinomialModel, level_cells
from howgood.records.priors import HOWGOOD
from howgood.show.ordinal import multinomial_findings, multinomial_report

LEVELS = (0.5, 2 / 3, 5 / 6, 1.0)
GRID = np.array([(p, r) for r in LEVELS for p in LEVELS])


def ratings(people=40, *, level=(0.3, -0.5), slope=(5.0, 12.0), alpha=0.3, sd=0.0, seed=1, each=12):
    """Return ratings 1 to 3 of people who follow the model with p = 0, and their answers' rows."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        leniency = sd * rng.standard_normal()
        for precision, recall in GRID[rng.choice(len(GRID), each, replace=False)]:
            mean = precision**alpha * recall ** (1 - alpha)
            score = np.array([0.0, *(np.array(level) + np.array(slope) * (mean - 0.75))])
            chance = softmax(score + np.array([0.0, 2 / 3, 4 / 3]) * leniency)
            rows.append(
                (f"p{person}", "alarm", precision, recall, int(rng.choice(3, p=chance)) + 1)
            )
    names = ("participant", "application", "precision", "recall", "rating")
    return dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))


def _read(table, scale=3):
    return ask.read_answers(table, scale=scale)


@pytest.fixture(scope="module")
def fit():
    return learn.fit_multinomial(ratings(sd=1.0), scale=3, means=(0,), draws=1000, random_state=1)


# -- the density ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_applications():
    first, second = ratings(12, sd=1.0), ratings(12, sd=1.0, seed=2)
    second["application"] = np.full(len(second["rating"]), "doctor")
    return _read({name: np.concatenate([first[name], second[name]]) for name in first})


@pytest.mark.parametrize("order", [-1.0, 0.0, 1.0])
def test_gradient_is_that_of_the_density(two_applications, order):
    model = MultinomialModel(level_cells(two_applications), HOWGOOD, order)
    rng = np.random.default_rng(0)
    point = model.start() + 0.2 * rng.standard_normal(model.size)
    value, gradient = model.value_and_gradient(point)
    numeric = approx_fprime(point, lambda x: model.value_and_gradient(x)[0], 1e-6)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(model.log_density(point[None, :]), value, rtol=1e-5)


def test_one_person_by_hand():
    """Two ratings of one person: the integral over leniency on a fine grid, and the priors."""
    table = {
        "participant": ["a", "a", "b"], "application": ["x"] * 3, "precision": [0.5, 1.0, 1.0],
        "recall": [0.5, 0.8, 1.0], "rating": [1, 3, 2],
    }  # fmt: skip
    model = MultinomialModel(level_cells(_read(table)), HOWGOOD, 1.0)
    level, slope, alpha, sd = np.array([0.2, -0.4]), np.array([3.0, 7.0]), 0.25, 1.5
    point = np.concatenate([level, slope, [logit(alpha), np.log(sd)]])
    u = np.linspace(-8, 8, 4001)
    weight = norm.pdf(u) / norm.pdf(u).sum()

    def chance(precision, recall, rating):
        mean = alpha * precision + (1 - alpha) * recall
        score = np.array([0.0, *(level + slope * (mean - 0.75))])[:, None]
        places = np.array([0.0, 2 / 3, 4 / 3])[:, None]
        return softmax(score + places * sd * u, axis=0)[rating - 1]

    first = np.log((chance(0.5, 0.5, 1) * chance(1.0, 0.8, 3)) @ weight)
    second = np.log(chance(1.0, 1.0, 2) @ weight)
    prior = norm.logpdf(level, 0, 2.5).sum() + norm.logpdf(slope, 0, 15).sum()
    prior += np.log(alpha * (1 - alpha))  # uniform alpha, on its logit
    prior += np.log(2) + norm.logpdf(sd, 0, 2.5) + np.log(sd)  # half-normal sd, on its logarithm
    assert model.value_and_gradient(point)[0] == pytest.approx(first + second + prior, abs=1e-5)


def test_two_levels_of_one_application_are_the_binary_model():
    table = ratings(15, sd=1.0)
    table["rating"] = np.where(table["rating"] >= 2, 2, 1)
    read = _read(table, scale=2)
    binary = BinaryModel(cells_from(read, read["rating"] == 2), HOWGOOD, 0.0)
    several = MultinomialModel(level_cells(read), HOWGOOD, 0.0)
    level, slope, alpha, log_sd = 0.4, 9.0, logit(0.3), np.log(1.2)
    first = several.log_density(np.array([[level, slope, alpha, log_sd]]))
    first = first - several._log_prior(np.array([[level, slope, alpha, log_sd]]))[0]
    plain = np.array([[level - 0.75 * slope, slope, alpha, log_sd]])
    np.testing.assert_allclose(first, binary._log_likelihood(plain), rtol=1e-5)


# -- an independent reference --------------------------------------------------------------------


def test_without_leniency_it_is_the_multinomial_regression_of_statsmodels():
    """Given alpha and people alike, posterior means lie by maximum likelihood's estimates."""
    statsmodels = pytest.importorskip("statsmodels.api")
    table = ratings(150, seed=3)
    mean = table["precision"] ** 0.3 * table["recall"] ** 0.7
    design = np.column_stack([np.ones(len(mean)), mean - 0.75])
    reference = statsmodels.MNLogit(table["rating"] - 1, design).fit(disp=False)
    fit = learn.fit_multinomial(table, scale=3, means=(0,), draws=2000, random_state=1)
    for parameter, row in (("level", 0), ("slope", 1)):
        ours = fit.draws(parameter)
        sd = reference.bse[row]
        # Alpha and the spread of people are learned here too, and move the others a little.
        np.testing.assert_allclose(ours.mean(axis=0), reference.params[row], atol=0.6 * sd.max())
        np.testing.assert_allclose(ours.std(axis=0), sd, rtol=0.25)


# -- what comes out ------------------------------------------------------------------------------


def test_people_are_recovered(fit):
    assert 0.3 in fit.alpha("alarm").interval
    for name, truth in (("level", (0.3, -0.5)), ("slope", (5.0, 12.0))):
        lower, upper = np.quantile(fit.draws(name), (0.005, 0.995), axis=0)
        assert np.all((lower < truth) & (truth < upper))
    assert fit.diagnostics.passed


@settings(max_examples=25, deadline=None)
@given(st.floats(0.05, 1.0), st.floats(0.05, 1.0))
def test_shares_add_up_to_one_and_high_ratings_are_part_of_lower_ones(fit, precision, recall):
    shares = fit.level_shares(precision, recall)
    assert sum(share.mean for share in shares.values()) == pytest.approx(1.0, abs=1e-6)
    at_least = [fit.predict(precision, recall, at_least=level).mean for level in (1, 2, 3)]
    assert at_least[0] == pytest.approx(1.0, abs=1e-6)
    assert at_least[0] >= at_least[1] >= at_least[2] == pytest.approx(shares[3].mean)


def test_the_accepting_share_is_close_to_that_of_the_binary_model():
    table = ratings(60, sd=1.0, seed=5)
    several = learn.fit_multinomial(table, scale=3, cut=3, means=(0,), draws=1000, random_state=1)
    two = learn.fit_acceptability(
        table, scale=3, cut=3, means=(0,), flawless=False, draws=1000, random_state=1
    )
    for accuracy in (0.6, 0.75, 0.9):
        ours = several.predict(accuracy, accuracy)
        theirs = two.predict(precision=accuracy, recall=accuracy, application="alarm")
        assert ours.mean == pytest.approx(theirs.mean, abs=0.06)


def test_a_rating_nobody_gave_has_no_curve():
    table = ratings(30, sd=0.5)
    table["rating"] = np.where(table["rating"] == 2, 3, table["rating"])
    fit = learn.fit_multinomial(table, scale=3, means=(0,), draws=500, random_state=1)
    assert fit.levels == (1, 3)
    assert fit.cut == 3


def test_the_report_says_and_shows_it(fit):
    report = multinomial_report(fit)
    assert report.sections[0].title == "Ratings by accuracy"
    assert "<svg" in (report.sections[0].svg or "")
    assert "multinomial logistic" in report.methods
    assert "would rate 3 or higher" in multinomial_findings(fit)[0].text
    assert json.dumps(fit.diagnostics.to_dict())


# -- refusals and the command --------------------------------------------------------------------


def test_what_cannot_be_fitted_is_refused(fit):
    table = ratings(10)
    with pytest.raises(InputError, match="at least two different ratings"):
        learn.fit_multinomial({**table, "rating": np.full(len(table["rating"]), 2)}, scale=3)
    accepted = {name: values for name, values in table.items() if name != "rating"}
    with pytest.raises(MissingColumnError, match="rating"):
        learn.fit_multinomial({**accepted, "accepted": table["rating"] > 1})
    with pytest.raises(InputError, match="orders of the mean"):
        learn.fit_multinomial(table, scale=3, means="continuous")
    with pytest.raises(UnknownNameError, match="doctor"):
        fit.predict(0.9, 0.9, "doctor")
    with pytest.raises(InputError, match="precision"):
        fit.predict(1.2, 0.9)


def test_shares_that_no_rating_tells_are_refused(fit):
    """Nobody rated so high, or lower: a share of 0 or 1 would be certain for no reason."""
    table = ratings(10)
    for cut in (1, 4):
        with pytest.raises(InputError, match="a rating from 2 to 3"):
            learn.fit_multinomial(table, scale=3, cut=cut)
    low = {**table, "rating": np.minimum(table["rating"], 2)}
    with pytest.raises(InputError, match="so high is not known"):
        learn.fit_multinomial(low, scale=3, cut=3)
    with pytest.raises(InputError, match="so high is not known"):
        fit.predict(0.9, 0.9, at_least=4)
    high = {**table, "rating": np.maximum(table["rating"], 2)}
    with pytest.raises(InputError, match="lower is not known"):
        learn.fit_multinomial(high, scale=3, cut=2)


def test_few_people_are_said():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = learn.fit_multinomial(
            ratings(6, sd=0.5), scale=3, means=(0,), draws=500, random_state=1
        )
    assert fit.evidence == "few people"
    assert multinomial_findings(fit)[0].tone == "unsure"


def test_the_command_fits_writes_and_refuses(tmp_path, capsys):
    table = ratings(30, sd=0.5)
    lines = [",".join(table)] + [
        ",".join(str(value) for value in row) for row in zip(*table.values(), strict=True)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(lines) + "\n")
    command = ["fit", str(path), "--model", "multinomial", "--scale", "3", "--means", "0"]
    assert run([*command, "--json", "--out", str(tmp_path / "r.html")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"] == "multinomial"
    assert "Ratings by accuracy" in (tmp_path / "r.html").read_text()
    assert run([*command, "--save", str(tmp_path / "fit.npz")]) == 2
    assert run([*command, "--by", "gender"]) == 2
