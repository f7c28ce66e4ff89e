"""Ratings of imagined and real systems: density, results, leaving people out."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from howgood import ask, decide, learn
from howgood.errors import (
    FewRespondentsWarning,
    FileFormatError,
    InputError,
    MissingColumnError,
    NoEvidenceWarning,
    RepeatedRowsWarning,
    UnknownNameError,
)
from howgood.learn.correlations import correlations_by_part
from howgood.learn.measures import held_out
from howgood.learn.ordinal_model import OrdinalModel, draw_columns, rating_cells
from howgood.records.priors import HOWGOOD, KAY2015
from howgood.records.table import Table
from howgood.show.ordinal import ordinal_report


def _cells(answers):
    return rating_cells(ask.read_answers(answers, scale=7), reference="hypothetical")


@pytest.fixture(scope="module")
def answers():
    return ask.simulate_ordinal_answers(people=80, random_state=2)


@pytest.fixture(scope="module")
def fit(answers):
    return learn.fit_ordinal(answers, means=(0,), random_state=2, draws=1000)


# -- the density ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [-1.0, 0.0, 1.0, None])
@pytest.mark.parametrize("priors", [HOWGOOD, KAY2015], ids=lambda each: each.name)
def test_the_gradient_is_that_of_finite_differences(answers, priors, order):
    cells = _cells(answers)
    model = OrdinalModel(cells, cells.groups, priors, order)
    point = model.start() + 0.1 * np.random.default_rng(1).normal(size=model.size)
    value, gradient = model.value_and_gradient(point)
    for index, unit in enumerate(1e-5 * np.eye(model.size)):
        above, below = (model.value_and_gradient(point + sign * unit)[0] for sign in (1, -1))
        assert gradient[index] == pytest.approx((above - below) / 2e-5, abs=1e-3)
    assert model.log_density(point[None, :])[0] == pytest.approx(value, abs=2e-3)


def test_plain_parameters_and_back(answers):
    cells = _cells(answers)
    model = OrdinalModel(cells, cells.groups, HOWGOOD, None)
    points = model.start() + 0.1 * np.random.default_rng(2).normal(size=(5, model.size))
    parts = model.taken_apart(points)
    columns = [parts.thresholds, parts.slope, parts.logit_alpha, parts.shift, parts.log_scale]
    plain = np.column_stack([*columns, parts.log_sd, parts.order])
    np.testing.assert_allclose(model.from_plain(plain), points, atol=1e-9)


def test_probabilities_of_the_levels_are_worked_by_hand_and_sum_to_one():
    answers = {
        "participant": ["a", "a", "a"],
        "application": ["x"] * 3,
        "part": ["hypothetical"] * 2 + ["real"],
        "precision": [0.81] * 3,
        "recall": [1.0] * 3,
        "rating": [1, 3, 2],
    }
    cells = _cells(answers)
    model = OrdinalModel(cells, cells.groups, HOWGOOD, 0.0)
    # thresholds 8 and 10, slope 10, alpha 1/2 (mean .9), shift 1, log scale .5, no spread of people
    plain = np.array([[8.0, 10.0, 10.0, 0.0, 1.0, 0.5, -12.0]])
    shares = np.exp(model.log_terms(model.from_plain(plain)))[:, 0, 0].reshape(2, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
    below = [
        1 / (1 + np.exp(-(np.array([8.0, 10.0]) - center) / scale))
        for center, scale in ((9.0, 1.0), (10.0, np.exp(0.5)))
    ]
    expected = [[low, high - low, 1 - high] for low, high in below]
    np.testing.assert_allclose(shares, expected, rtol=1e-4)


# -- results -------------------------------------------------------------------------------------


def test_known_parameters_lie_in_their_intervals(fit):
    for part, known in (("last 30 days", (1.59, -0.437)), ("last year", (3.82, -0.346))):
        shift, log_scale = fit.shift[part], fit.log_scale[part]
        assert abs(shift.mean - known[0]) < 4 * shift.sd
        assert abs(log_scale.mean - known[1]) < 4 * log_scale.sd
    assert abs(fit.slope.mean - 13.4) < 4 * fit.slope.sd
    assert abs(fit.alpha.mean - 0.461) < 4 * fit.alpha.sd
    assert abs(fit.person_sd.mean - 1.5) < 4 * fit.person_sd.sd


def test_scale_and_variance_are_labelled_apart(fit):
    scale, variance = fit.scale_ratio["last year"], fit.variance_ratio["last year"]
    np.testing.assert_allclose(variance.draws, scale.draws**2)
    assert {"scale_ratio, last year", "variance_ratio, last year"} <= set(
        fit.summary()["parameter"]
    )


def test_shares_of_ratings_sum_to_one_and_grow_with_accuracy(fit):
    draws = fit.rating_draws(precision=0.8, recall=0.8, part="last year")
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    shares = [
        fit.predict(precision=accuracy, recall=accuracy, part="hypothetical").mean
        for accuracy in (0.5, 0.7, 0.9)
    ]
    assert shares == sorted(shares)
    real = fit.predict(precision=0.7, recall=0.7, part="last year").mean
    assert real > shares[1]  # imagined ratings are lower at the same accuracy


def test_shares_of_one_draw_are_those_of_an_integral_over_people(fit):
    precision, recall, part, k = 0.6, 0.9, "last year", 17
    found = fit.rating_draws(precision=precision, recall=recall, part=part)[k]
    assert np.all(fit.draws("p") == 0.0)  # the only kind of mean that was fitted
    assert np.all(fit.draws("person_sd") == fit.averaged_draws[:, -2])
    p, alpha, slope, sd = (fit.draws(name)[k] for name in ("p", "alpha", "slope", "person_sd"))
    if p == 0:
        mean = precision**alpha * recall ** (1 - alpha)
    else:
        mean = (alpha * precision**p + (1 - alpha) * recall**p) ** (1 / p)
    center = slope * mean + fit.part_draws("shift", part)[k]
    scale = np.exp(fit.part_draws("log_scale", part)[k])

    def up_to(threshold):
        def chance(u):
            return norm.pdf(u) / (1 + np.exp(-(threshold - center - sd * u) / scale))

        return quad(chance, -8, 8)[0]

    below = [up_to(threshold) for threshold in fit.averaged_draws[k, :6]]
    assert found == pytest.approx(np.diff([0.0, *below, 1.0]), abs=1e-5)


def test_the_share_that_reaches_a_rating_adds_up_the_levels_from_it_on(fit):
    place = {"precision": 0.7, "recall": 0.8, "part": "last year"}
    shares = fit.rating_draws(**place)
    for level in range(1, 8):
        found = fit.predict(**place, at_least=level).mean
        assert found == pytest.approx(shares[:, level - 1 :].sum(axis=1).mean())
    assert fit.predict(**place).mean == fit.predict(**place, at_least=5).mean


def test_accuracies_from_0_to_1_are_predicted_and_others_refused(fit):
    for value in (0.0, 1.0):
        assert 0 <= fit.predict(precision=value, recall=value, part="last year").mean <= 1
    for value in (-0.01, 1.01):
        with pytest.raises(InputError, match="between 0 and 1"):
            fit.predict(precision=0.5, recall=value, part="last year")


def test_the_metric_is_that_of_the_likeliest_mean_unless_another_is_asked_for(fit):
    halved = fit.averaged_draws.copy()
    columns = draw_columns(len(fit.levels) - 1, len(fit.parts) - 1)
    halved[:, columns["alpha"]] *= 0.5
    both = replace(
        fit,
        mean_probabilities={0.0: 0.3, 1.0: 0.7},
        conditional_draws={0.0: fit.averaged_draws, 1.0: halved},
    )
    assert (both.metric().p, both.metric().alpha) == pytest.approx((1.0, fit.alpha.mean / 2))
    assert (both.metric(p=0.0).p, both.metric(p=0.0).alpha) == pytest.approx((0.0, fit.alpha.mean))


def test_every_rating_is_counted_once_in_its_own_place():
    answers = {
        "participant": ["ann", "bob", "ann", "ann"],
        "application": ["x"] * 4,
        "part": ["real", "hypothetical", "hypothetical", "hypothetical"],
        "precision": [0.5, 0.6, 0.6, 0.6],
        "recall": [0.7, 0.8, 0.8, 0.8],
        "rating": [2, 6, 2, 2],
    }
    with pytest.warns(RepeatedRowsWarning, match="1 of 4 rows"):
        cells = _cells(answers)
    assert (cells.parts, cells.levels) == (("hypothetical", "real"), (2, 6))
    assert cells.people == ("ann", "bob")
    # Columns: the hypothetical question at 2 and 6, then the real one at 2 and 6.
    assert cells.counts.tolist() == [[2, 0, 1, 0], [0, 1, 0, 0]]


def test_the_reference_part_has_no_shift(fit):
    assert np.all(fit.part_draws("shift", "hypothetical") == 0)
    with pytest.raises(UnknownNameError, match="last year"):
        fit.part_draws("shift", "last yaer")


def test_thresholds_are_ordered(fit):
    table = fit.thresholds()
    assert np.all(np.diff(table["mean"]) > 0)
    assert table["up_to"].tolist() == [1, 2, 3, 4, 5, 6]


def test_other_scales_and_more_parts_work():
    parts = {
        "imagined": {},
        "alpha test": {"shift": 0.5},
        "beta test": {"shift": 1.0, "log_scale": 0.2},
        "release": {"shift": 2.0},
    }
    answers = ask.simulate_ordinal_answers(
        people=60, parts=parts, reference="imagined", thresholds=(7, 9, 11, 12.5), random_state=3
    )
    fit = learn.fit_ordinal(
        answers, reference="imagined", scale=5, means=(0,), draws=1000, random_state=3
    )
    assert fit.levels == (1, 2, 3, 4, 5)
    assert set(fit.shift) == {"alpha test", "beta test", "release"}
    assert fit.mean_probabilities == {0: 1.0}


def test_few_people_are_warned_about():
    answers = ask.simulate_ordinal_answers(people=22, random_state=4)
    with pytest.warns(FewRespondentsWarning, match="22 respondents"):
        fit = learn.fit_ordinal(answers, means=(0,), draws=500, random_state=4)
    assert fit.diagnostics.passed


def test_a_part_in_which_everybody_says_the_same_is_announced(answers):
    same = np.where(answers["part"] == "last year", 7, answers["rating"])
    with pytest.warns(NoEvidenceWarning, match=r"'last year' is 7.*shift and scale"):
        fit = learn.fit_ordinal(dict(answers, rating=same), means=(0,), draws=500, random_state=1)
    # Nothing but the prior holds the shift back.
    assert fit.shift["last year"].sd > 2 * fit.shift["last 30 days"].sd


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"reference": "imagined"}, UnknownNameError, "hypothetical"),
        ({"part": "phase"}, MissingColumnError, "phase"),
    ],
)
def test_wrong_parts_are_named(answers, change, error, words):
    with pytest.raises(error, match=words):
        learn.fit_ordinal(answers, random_state=1, **change)


def test_a_single_rating_teaches_nothing(answers):
    same = dict(answers, rating=np.full(len(answers), 4))
    with pytest.raises(InputError, match="at least two different ratings"):
        learn.fit_ordinal(same, scale=7)


# -- files and words -----------------------------------------------------------------------------


def test_a_saved_fit_comes_back_whole(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    back = learn.load_ordinal_fit(tmp_path / "fit.npz")
    np.testing.assert_array_equal(back.averaged_draws, fit.averaged_draws)
    np.testing.assert_array_equal(back.cells.counts, fit.cells.counts)
    for name in ("parts", "levels", "mean_probabilities", "priors", "diagnostics", "provenance"):
        assert getattr(back, name) == getattr(fit, name)
    where = {"precision": 0.9, "recall": 0.8, "part": "last year"}
    assert back.predict(**where).mean == fit.predict(**where).mean


def test_a_fit_of_the_other_model_is_refused_kindly(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    with pytest.raises(FileFormatError, match="saved acceptability fit"):
        learn.load_fit(tmp_path / "fit.npz")


def test_the_methods_name_the_model_its_priors_and_the_seed(fit):
    words = fit.methods_text()
    named = "shift ~ Normal(0, sd 5)", "the mean of order p = 0", "seed 2", "Study 2"
    parts = "hypothetical together with last 30 days and last year"
    for part in ("80 respondents", parts, *named):
        assert part in words


@pytest.mark.slow  # importing ArviZ takes a quarter of a minute
@pytest.mark.filterwarnings("ignore")
def test_draws_go_to_arviz_by_name_and_people_can_be_left_out_there(fit):
    arviz = pytest.importorskip("arviz")
    exported = fit.to_arviz()
    assert exported.posterior["shift"].shape == (1, 1000, 2)
    assert exported.posterior["threshold"].shape == (1, 1000, 6)
    by_person = exported.log_likelihood["ratings"]
    assert by_person.shape == (1, 1000, 80)
    ours = held_out(by_person.values[0])
    assert float(arviz.loo(exported).elpd_loo) == pytest.approx(ours.score(np.ones(80)), abs=0.5)


def test_the_likelihood_of_people_adds_up_to_that_of_the_fit(fit):
    model = OrdinalModel(fit.cells, fit.cells.groups, fit.priors, None)
    points = model.from_natural(fit.averaged_draws[:5])
    np.testing.assert_allclose(model.natural(points), fit.averaged_draws[:5], atol=1e-8)
    prior = model._log_prior(model.taken_apart(points))[0]
    total = model.log_likelihoods(points).sum(axis=1) + prior
    np.testing.assert_allclose(total, model.log_density(points), atol=2e-3)


# -- leaving people out --------------------------------------------------------------------------


def test_draws_of_each_name_are_those_of_that_parameter(fit):
    assert set(fit.draws("p")) == {0.0}
    assert (fit.draws("person_sd") > 0).all()
    assert (fit.draws("alpha") > 0).all()
    assert (fit.draws("alpha") < 1).all()


def test_shares_that_reach_a_rating_add_up(fit):
    scenario = {"precision": 0.8, "recall": 0.7, "part": fit.parts[0]}
    shares = fit.rating_draws(**scenario)
    assert fit.predict(**scenario, at_least=fit.levels[0]).mean == pytest.approx(1.0)
    top = fit.predict(**scenario, at_least=fit.levels[-2]).mean
    assert top == pytest.approx((shares[:, -1] + shares[:, -2]).mean())


def test_a_person_who_rates_high_is_expected_to_rate_high(answers, fit):
    imagined = answers["part"] == "hypothetical"
    names = sorted(set(answers["participant"].tolist()))
    usual = [
        answers["rating"][imagined & (answers["participant"] == name)].mean() for name in names
    ]
    strict, lenient = names[int(np.argmin(usual))], names[int(np.argmax(usual))]
    place = {"precision": 0.7, "recall": 0.7, "part": "last 30 days"}
    chances = [fit.predict(**place, participant=name).mean for name in (strict, lenient)]
    assert chances[0] < fit.predict(**place).mean < chances[1]
    own = fit.rating_draws(**place, participant=lenient)
    np.testing.assert_allclose(own.sum(axis=1), 1)
    with pytest.raises(UnknownNameError, match="participant"):
        fit.predict(**place, participant="nobody")


def test_a_person_s_leniency_is_that_of_an_integral(fit):
    """One draw: the posterior of one person's leniency, by SciPy's quadrature."""
    k, person = 11, fit.cells.people[4]
    place = {"precision": 0.7, "recall": 0.8, "part": "last year"}
    found = fit.rating_draws(**place, participant=person)[k]
    counts = fit.cells.counts[4].reshape(fit.cells.n_cells, -1)
    alpha, slope, sd = (fit.draws(name)[k] for name in ("alpha", "slope", "person_sd"))
    thresholds = fit.averaged_draws[k, :6]

    def shares(precision, recall, part, u):
        center = slope * precision**alpha * recall ** (1 - alpha)
        center += fit.part_draws("shift", part)[k] + sd * u
        scale = np.exp(fit.part_draws("log_scale", part)[k])
        return np.diff([0.0, *(1 / (1 + np.exp(-(thresholds - center) / scale))), 1.0])

    def likelihood(u):
        value = norm.pdf(u)
        for cell, level in np.argwhere(counts):
            where = (fit.cells.precision[cell], fit.cells.recall[cell])
            value *= shares(*where, fit.parts[fit.cells.part[cell]], u)[level]
        return value

    total = quad(likelihood, -6, 6)[0]
    for level in (2, 4, 6):
        wanted = quad(
            lambda u, at=level: likelihood(u) * shares(0.7, 0.8, "last year", u)[at], -6, 6
        )
        assert found[level] == pytest.approx(wanted[0] / total, abs=2e-4)


def test_items_hang_together_part_by_part(answers):
    rng = np.random.default_rng(1)
    noise = rng.integers(-1, 2, len(answers["rating"]))
    real = answers["part"] != "hypothetical"
    useful = np.where(real, rng.integers(1, 8, len(noise)), answers["rating"] + noise)
    with_items = {**dict(answers), "usefulness": np.clip(useful, 1, 7)}
    found = correlations_by_part(ask.read_answers(with_items, scale=7))
    by_part = {row["part"]: row["spearman"] for row in found.rows()}
    assert set(by_part) == {"hypothetical", "last 30 days", "last year"}
    assert by_part["hypothetical"] > 0.8 > abs(by_part["last year"]) + 0.4
    assert correlations_by_part(ask.read_answers(answers, scale=7)) is None


def test_one_rating_of_everybody_is_drawn_as_in_the_paper(fit):
    one = learn.leave_one_person_out(fit, draws=300, per_person="one", random_state=1)
    assert len(one.predictions) == len(set(one.predictions["participant"].tolist())) == 80
    everything = learn.leave_one_person_out(fit, draws=300, random_state=1)
    assert len(everything.predictions) == 160
    assert one.mean_absolute_error == pytest.approx(everything.mean_absolute_error, abs=0.3)
    with pytest.raises(UnknownNameError, match="'one'"):
        learn.leave_one_person_out(fit, per_person="two")


@pytest.fixture(scope="module")
def left_out(answers):
    return learn.leave_one_person_out(answers, means=(0,), draws=500, random_state=1)


def test_every_real_rating_is_predicted_once(answers, left_out):
    assert len(left_out.predictions) == int(np.sum(answers["part"] != "hypothetical"))
    errors = np.abs(left_out.predictions["predicted"] - left_out.predictions["rating"])
    assert left_out.mean_absolute_error == errors.mean()


def test_one_system_per_person_and_ranges_of_individuals_are_counted_by_hand(fit, left_out):
    table = {
        "participant": np.array(["a", "a", "b"]), "rating": np.array([3, 5, 6]),
        "predicted": np.array([4, 5, 4]), "baseline": np.array([5.0, 5.0, 5.0]),
        "lower": np.array([4, 4, 2]), "upper": np.array([5, 6, 6]),
    }  # fmt: skip
    hand = replace(left_out, predictions=Table(table))
    assert hand.one_per_person == ((0.5 + 2) / 2, (1 + 1) / 2)
    assert hand.n_in_range == 2
    rows = left_out.predictions
    assert (rows["lower"] <= rows["predicted"]).all()
    assert (rows["predicted"] <= rows["upper"]).all()
    report = ordinal_report(fit, left_out)
    own = next(one for one in report.sections if one.title == "What would one person say?")
    assert f"{left_out.n_in_range} of {len(rows)} ratings" in own.text
    assert own.svg
    assert "one random system per person" in report.findings[0].text


@pytest.mark.filterwarnings("ignore::howgood.errors.FewRespondentsWarning")
def test_ratings_without_a_part_are_of_one_part_and_need_none_named(answers):
    imagined = answers["part"] == "hypothetical"
    kept = {name: values[imagined] for name, values in answers.items()}
    with_part = learn.fit_ordinal(kept, means=(0,), draws=300, random_state=1)
    del kept["part"]
    fit = learn.fit_ordinal(kept, means=(0,), draws=300, random_state=1)
    np.testing.assert_array_equal(fit.averaged_draws, with_part.averaged_draws)
    needed = decide.target(fit, share=0.5).needed_mean
    assert needed == decide.target(with_part, share=0.5, part="hypothetical").needed_mean


def test_the_size_of_the_published_study_gives_a_clear_result():
    # 22 people: this seed used to fail the gates and end without a prediction.
    answers = ask.simulate_ordinal_answers(people=22, random_state=2019)
    with pytest.warns(FewRespondentsWarning, match="22 respondents"):
        found = learn.leave_one_person_out(answers, means=(0,), draws=500, random_state=2019)
    assert len(found.predictions) == 44
    assert found.mean_absolute_error < 7


def test_the_model_beats_the_median_of_the_others(left_out):
    # People differ (sd 1.5), and their imagined ratings tell how.
    assert left_out.mean_absolute_error < left_out.baseline


@pytest.mark.slow
def test_reweighting_agrees_with_fitting_anew(answers):
    cells = _cells(answers)
    person = cells.people[0]
    kept = (answers["participant"] != person) | (answers["part"] == "hypothetical")
    without = learn.fit_ordinal(
        {name: values[kept] for name, values in answers.items()},
        means=(0,),
        draws=4000,
        random_state=5,
    )
    from howgood.learn.left_out import _Fit, _reweighed
    from howgood.stats.importance import weighted

    rng = np.random.default_rng(6)
    points = _Fit(cells, HOWGOOD, (0,), 4000, rng).points(cells.counts)
    log_ratio, _ = _reweighed(points, np.array([0]))
    model, rows = points[0]
    sample = weighted(rows, log_ratio[:, 0])
    assert sample.khat < 0.7
    reweighted = sample.weights @ model.natural(rows)
    refitted, spread = without.averaged_draws.mean(axis=0), without.averaged_draws.std(axis=0)
    moved = (reweighted - refitted)[:-1] / spread[:-1]  # p is fixed
    np.testing.assert_allclose(moved, 0, atol=0.12)  # five standard errors of 4000 draws


def test_leaving_out_needs_somebody_with_real_ratings(answers):
    imagined = answers["part"] == "hypothetical"
    with pytest.raises(InputError, match="at least two"):
        learn.leave_one_person_out(
            {name: values[imagined] for name, values in answers.items()}, random_state=1
        )
