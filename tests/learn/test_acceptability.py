"""Fitting the binary model: its density, edges of the data, results, files."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from howgood import ask, learn
from howgood.errors import (
    FewRespondentsWarning,
    FileFormatError,
    InputError,
    MissingColumnError,
    NoEvidenceWarning,
    UngatedPosteriorError,
    UnknownNameError,
)
from howgood.learn import prior_density
from howgood.learn.binary_model import BinaryModel, accepted_from, cells_from
from howgood.learn.those_asked import respondent_shares
from howgood.records.priors import HOWGOOD, KAY2015, JointNormal, LogNormal, Normal, Priors
from howgood.show.acceptability import fit_report
from howgood.stats.power_mean import power_mean

TWO = {
    "alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0, "p": 0},
    "tracker": {"alpha": 0.6, "intercept": -10.0, "slope": 13.0, "p": 0},
}
ONE = {"alarm": TWO["alarm"]}

INFORMED = Priors(
    name="informed",
    person_sd=LogNormal(0.9, 0.2),
    applications={
        "alarm": JointNormal((-13, 16, -0.8), ((4, -4, 0), (-4, 6, 0.1), (0, 0.1, 0.25)))
    },
)


@pytest.fixture(scope="module")
def answers():
    return ask.simulate_answers(TWO, people=40, random_state=3)


@pytest.fixture(scope="module")
def fit(answers):
    return learn.fit_acceptability(answers, random_state=3)


def _cells(answers):
    read = ask.read_answers(answers)
    return cells_from(read, accepted_from(read, 5))


# -- the density ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [-1.0, 0.0, 1.0, None])
@pytest.mark.parametrize("priors", [HOWGOOD, KAY2015, INFORMED], ids=lambda each: each.name)
def test_the_gradient_is_that_of_finite_differences(answers, priors, order):
    model = BinaryModel(_cells(answers), priors, order)
    point = model.start() + 0.3 * np.random.default_rng(1).normal(size=model.size)
    _, gradient = model.value_and_gradient(point)
    for index, unit in enumerate(1e-5 * np.eye(model.size)):
        above, below = (model.value_and_gradient(point + sign * unit)[0] for sign in (1, -1))
        assert gradient[index] == pytest.approx((above - below) / 2e-5, abs=1e-4)


@pytest.mark.parametrize("order", [0.0, None])
def test_what_is_known_of_an_application_is_its_own_prior(answers, order):
    known = JointNormal((-10, 13, 0.4), ((4, -4, 0), (-4, 6, 0.1), (0, 0.1, 0.25)))
    priors = Priors(
        name="informed",
        intercept=Normal(-3, 9),
        slope=Normal(5, 7),
        applications={"elsewhere": known, "tracker": known},
    )
    model = BinaryModel(_cells(answers), priors, order)
    points = np.random.default_rng(6).normal(size=(3, model.size))
    # Columns: two intercepts, two slopes, two logits of alpha, log sd, and p where it is free.
    first = points[:, [0, 2, 4]]
    expected = (
        stats.norm(-3, 9).logpdf(first[:, 0])
        + stats.norm(5, 7).logpdf(first[:, 1])
        + prior_density.beta_logit(priors.alpha, first[:, 2])[0]
        + stats.multivariate_normal(known.mean, known.covariance).logpdf(points[:, [1, 3, 5]])
        + prior_density.log_spread(priors.person_sd, points[:, 6])[0]
    )
    if order is None:
        expected = expected + prior_density.normal(priors.order, points[:, 7])[0]
    np.testing.assert_allclose(model.log_prior(points)[0], expected)


@pytest.mark.parametrize("order", [0.5, None])
def test_draws_in_natural_units_end_with_sd_order_and_flawless_term(answers, order):
    model = BinaryModel(_cells(answers), HOWGOOD, order)
    points = np.random.default_rng(7).normal(size=(3, model.size))
    found = model.natural(points)
    # Intercept, slope and alpha of two applications, sd, p, and the term this model does not have.
    assert found.shape == (3, 9)
    assert not found[:, 8].any()
    np.testing.assert_allclose(found[:, :4], model.to_plain(points)[0][:, :4])
    np.testing.assert_allclose(found[:, 4:6], 1 / (1 + np.exp(-points[:, 4:6])))
    np.testing.assert_allclose(found[:, 6], np.exp(points[:, 6]))
    np.testing.assert_allclose(found[:, 7], points[:, 7] if order is None else 0.5)


def test_single_precision_agrees_with_double(answers):
    model = BinaryModel(_cells(answers), HOWGOOD, 0.0)
    points = model.start() + 0.2 * np.random.default_rng(2).normal(size=(20, model.size))
    double = [model.value_and_gradient(point)[0] for point in points]
    np.testing.assert_allclose(model.log_density(points), double, atol=2e-3)


@pytest.mark.parametrize("priors", [HOWGOOD, KAY2015], ids=lambda each: each.name)
def test_plain_parameters_and_back_with_the_volume_between(answers, priors):
    model = BinaryModel(_cells(answers), priors, None)
    points = model.start() + np.random.default_rng(4).normal(size=(3, model.size))
    plain, log_volume = model.to_plain(points)
    np.testing.assert_allclose(model.from_plain(plain), points)
    # By hand: s = sqrt(1 + c² sd²) with c = 16 √3 / (15 π), for two applications.
    scale = np.sqrt(1 + (16 * 3**0.5 / (15 * np.pi)) ** 2 * np.exp(2 * points[:, 6]))[:, None]
    slopes = np.exp(points[:, 2:4]) if priors is HOWGOOD else points[:, 2:4]
    np.testing.assert_allclose(plain[:, 2:4], scale * slopes)
    np.testing.assert_allclose(plain[:, :2], scale * (points[:, :2] - 0.75 * slopes))
    np.testing.assert_allclose(plain[:, 4:], points[:, 4:])
    steps = 1e-6 * np.eye(model.size)
    jacobian = [
        (model.to_plain(points[:1] + step)[0] - model.to_plain(points[:1] - step)[0])[0] / 2e-6
        for step in steps
    ]
    assert log_volume[0] == pytest.approx(np.linalg.slogdet(jacobian)[1], abs=1e-6)


def test_draws_in_their_own_units(answers):
    model = BinaryModel(_cells(answers), HOWGOOD, 1.0)
    points = model.start() + np.random.default_rng(5).normal(size=(4, model.size))
    natural, plain = model.natural(points), model.to_plain(points)[0]
    np.testing.assert_allclose(natural[:, :4], plain[:, :4])
    np.testing.assert_allclose(natural[:, 4:6], 1 / (1 + np.exp(-points[:, 4:6])))
    np.testing.assert_allclose(natural[:, 6], np.exp(points[:, 6]))
    np.testing.assert_allclose(model.spread(points), np.exp(points[:, 6]))
    assert np.all(natural[:, 7] == 1.0)
    either = BinaryModel(_cells(answers), HOWGOOD, None)
    more = np.column_stack([points, [0.1, 0.2, 0.3, 0.4]])
    assert either.natural(more)[:, 7].tolist() == [0.1, 0.2, 0.3, 0.4]


def test_one_answer_of_one_person_has_the_likelihood_worked_by_hand():
    answers = {
        "participant": ["a"],
        "application": ["x"],
        "precision": [0.5],
        "recall": [1.0],
        "rating": [6],
    }
    model = BinaryModel(_cells(answers), Priors(name="flat"), 1.0)
    # Mean (alpha = 1/2) is .75, so the level of 1 is the logit; sd tiny: no spread of people.
    plain = np.array([[1 - 0.75 * 4, 4.0, 0.0, -9.0]])
    point = model.from_plain(plain)
    likelihood = model.log_density(point) - model.log_prior(plain)[0] - model.to_plain(point)[1]
    assert likelihood[0] == pytest.approx(-np.log1p(np.exp(-1.0)), abs=1e-5)


def test_a_spread_beyond_all_numbers_still_leaves_plain_parameters(answers):
    # A search for the mode may step to exp(400) logits, whose square is no double any more.
    model = BinaryModel(_cells(answers), HOWGOOD, 0.0)
    point = model.start()
    point[3 * model.n_applications] = 400.0
    with np.errstate(over="raise"):
        plain, log_volume = model.to_plain(point[None, :])
    assert np.isfinite(plain).all()
    assert np.isfinite(log_volume).all()


def test_the_order_of_rows_and_names_of_people_do_not_matter(answers):
    shuffled = np.random.default_rng(4).permutation(len(answers))
    renamed = {name: values[shuffled] for name, values in answers.items()}
    renamed["participant"] = np.array(["x" + name for name in renamed["participant"]])
    first, second = _cells(answers), _cells(renamed)
    np.testing.assert_array_equal(first.groups.counts, second.groups.counts)
    np.testing.assert_array_equal(first.precision, second.precision)


def test_more_nodes_change_nothing(answers):
    coarse = BinaryModel(_cells(answers), HOWGOOD, 0.0)
    fine = BinaryModel(_cells(answers), HOWGOOD, 0.0, n_nodes=257)
    point = coarse.start()
    assert coarse.value_and_gradient(point)[0] == pytest.approx(
        fine.value_and_gradient(point)[0], abs=1e-4
    )


# -- results -------------------------------------------------------------------------------------


def test_known_parameters_lie_in_their_intervals(fit):
    for application, known in TWO.items():
        for parameter in ("alpha", "intercept", "slope"):
            estimate = fit.estimate(parameter, application, p=0, probability=0.999)
            assert known[parameter] in estimate.interval


def test_the_same_seed_gives_the_same_draws(answers, fit):
    again = learn.fit_acceptability(answers, random_state=3)
    np.testing.assert_array_equal(again.averaged_draws, fit.averaged_draws)
    assert again.provenance.seed == 3


def test_differences_are_those_of_paired_draws(fit):
    difference = fit.difference("alpha", "alarm", "tracker")
    expected = fit.draws("alpha", "alarm") - fit.draws("alpha", "tracker")
    np.testing.assert_array_equal(difference.draws, expected)
    table = fit.differences("alpha")
    assert table["credible"].tolist() == [True]
    assert table["mean"][0] == difference.mean


def test_differences_given_one_kind_of_mean_are_of_its_draws(fit):
    first, second = fit.applications
    p = min(fit.conditional_draws)
    gap = fit.draws("alpha", first, p=p) - fit.draws("alpha", second, p=p)
    found = fit.difference("alpha", first, second, p=p, probability=0.5)
    assert found.mean == pytest.approx(gap.mean())
    assert found.interval.probability == 0.5
    fewer = replace(fit, respondents={first: 7, second: 9})
    assert fewer.difference("alpha", first, second).n_respondents == 7
    table = next(fit.differences(p=p).rows())
    assert table["mean"] == pytest.approx(gap.mean())
    assert fit.summary(p=p)["mean"][2] == pytest.approx(fit.estimate("alpha", first, p=p).mean)


def test_shares_of_those_asked_equal_drawing_everybodys_leniency(fit):
    """Against a dense grid per person, written from the formula."""
    row = fit.averaged_draws[7]
    index, n = fit.applications.index("alarm"), len(fit.applications)
    means, grid = np.array([0.6, 0.8, 0.95]), row[3 * n] * np.linspace(-8, 8, 1601)
    found = respondent_shares(fit.cells, row[None], index, means)
    cells, groups = fit.cells, fit.cells.groups
    here = np.flatnonzero(groups.counts[:, np.tile(cells.application == index, 2)].sum(axis=1))
    alpha = row[2 * n : 3 * n][cells.application]
    mean = power_mean(cells.precision, cells.recall, p=row[3 * n + 1], alpha=alpha)
    known = row[:n][cells.application] + row[n : 2 * n][cells.application] * mean
    known = known + row[-1] * ((cells.precision == 1) & (cells.recall == 1))
    yes = -np.logaddexp(0.0, -(known[:, None] + grid))
    no = -np.logaddexp(0.0, known[:, None] + grid)
    rng, total, people = np.random.default_rng(0), np.zeros((20_000, 3)), 0
    for group in here:
        accepted, refused = np.split(groups.counts[group], 2)
        weight = np.exp(accepted @ yes + refused @ no - (grid / row[3 * n]) ** 2 / 2)
        for _ in range(int(groups.alike[group])):
            leniency = rng.choice(grid, size=20_000, p=weight / weight.sum())
            total += 1 / (1 + np.exp(-(row[index] + row[n + index] * means + leniency[:, None])))
            people += 1
    shares = total / people
    assert found.expected[0] == pytest.approx(shares.mean(axis=0), abs=4e-3)
    assert found.spread[0] == pytest.approx(shares.std(axis=0), rel=0.05)


def test_the_curve_of_those_asked_holds_ninety_five_percent(fit):
    curve = fit.respondent_curve("alarm", points=4)
    rows = fit.averaged_draws
    used = rows[np.linspace(0, len(rows) - 1, 300).astype(int)]
    index = fit.applications.index("alarm")
    shares = respondent_shares(fit.cells, used, index, np.linspace(0.4, 1.0, 4))
    # Another order of chance: a fresh normal for each draw, many times.
    rng = np.random.default_rng(1)
    again = shares.expected + shares.spread * rng.standard_normal((200, 300, 1))
    ends = np.quantile(np.clip(again, 0, 1).reshape(-1, 4), [0.025, 0.975], axis=0)
    np.testing.assert_allclose(curve["lower"], ends[0], atol=0.012)
    np.testing.assert_allclose(curve["upper"], ends[1], atol=0.012)
    assert (curve["lower"] <= np.quantile(shares.expected, 0.025, axis=0) + 1e-9).all()


def test_averaging_mixes_the_kinds_of_mean_by_their_probability(fit):
    given = sum(
        share * fit.draws("alpha", "alarm", p=p).mean()
        for p, share in fit.mean_probabilities.items()
    )
    assert fit.estimate("alpha", "alarm").mean == pytest.approx(given, abs=0.004)
    shares = [np.mean(fit.order_draws() == p) for p in (-1, 0, 1)]
    np.testing.assert_allclose(shares, list(fit.mean_probabilities.values()), atol=0.001)


def test_bayes_factors_follow_from_probabilities(fit):
    odds = fit.mean_probabilities[0] / fit.mean_probabilities[1]
    assert fit.bayes_factor(0, 1) == pytest.approx(odds, rel=1e-9)


def test_people_flatten_the_curve(fit):
    for precision, recall in ((0.95, 1.0), (0.5, 0.5)):
        where = {"precision": precision, "recall": recall, "application": "alarm"}
        everyone = fit.predict(**where).mean
        average = fit.predict(**where, who="average").mean
        assert abs(everyone - 0.5) < abs(average - 0.5)


def test_the_metric_is_the_power_mean_of_the_most_probable_kind(fit):
    metric = fit.metric("alarm")
    assert metric.p == fit.best_order
    assert metric.alpha == fit.estimate("alpha", "alarm", p=metric.p).mean
    assert fit.metric("alarm", p=-1).p == -1


def test_better_accuracy_is_accepted_by_more_people(fit):
    plane = fit.surface("alarm", points=11)
    shares = plane["share"].reshape(11, 11)
    assert np.all(np.diff(shares, axis=0) >= -1e-9)
    assert np.all(np.diff(shares, axis=1) >= -1e-9)
    assert np.all((plane["lower"] <= plane["share"]) & (plane["share"] <= plane["upper"]))


def test_lines_of_equal_acceptance_have_that_acceptance(fit):
    line = fit.iso_acceptability("alarm", shares=[0.5])
    for row in list(line.rows())[::8]:
        at = fit.predict(precision=row["precision"], recall=row["recall"], application="alarm")
        assert at.mean == pytest.approx(0.5, abs=0.02)


def test_a_line_has_a_point_wherever_some_recall_reaches_the_share(fit):
    plane = fit.surface("alarm", points=11)["share"].reshape(11, 11).T
    early = float(plane[8, :2].mean())  # reached between no recall and the first step of it
    line = fit.iso_acceptability("alarm", shares=[early, 0.5], points=11)
    for share in (early, 0.5):
        reached = (plane.min(axis=1) <= share) & (plane.max(axis=1) >= share)
        found = line["precision"][line["share"] == share]
        np.testing.assert_allclose(found, np.linspace(0, 1, 11)[reached])


@pytest.mark.parametrize(("cut", "accepted"), [(2, 6), (5, 3), (7, 1)])
def test_any_cut_from_the_second_to_the_last_level_splits_the_ratings(cut, accepted):
    ratings = {
        "participant": list("abcdefg"),
        "application": ["x"] * 7,
        "precision": [0.5] * 7,
        "recall": [0.5] * 7,
        "rating": [1, 2, 3, 4, 5, 6, 7],
    }
    read = ask.read_answers(ratings)
    assert accepted_from(read, cut).sum() == accepted
    for wrong in (1, 8):
        with pytest.raises(InputError, match="from 2 to 7"):
            accepted_from(read, wrong)


def test_replicated_answers_look_like_simulated_ones(fit):
    check = fit.predictive_check()
    assert np.all((check["p_value"] > 0.01) & (check["p_value"] < 0.99))
    assert np.all((check["lower"] <= check["observed"]) & (check["observed"] <= check["upper"]))


def test_prior_sensitivity_holds_the_chosen_prior_in_its_middle(fit):
    table = fit.prior_sensitivity()
    row = table["slope_sd"] == 31.6
    assert table["p = 0"][row][0] == pytest.approx(fit.mean_probabilities[0], abs=0.05)
    assert np.all(table["reliable"])


def test_a_continuous_order_is_learned_too(answers):
    fit = learn.fit_acceptability(answers, means="continuous", random_state=1)
    assert fit.mean_probabilities == {}
    assert 0 in fit.order.interval
    assert fit.metric("alarm").p == pytest.approx(fit.order.mean)
    with pytest.raises(UnknownNameError):
        fit.estimate("alpha", "alarm", p=0)


def test_what_is_known_pulls_the_estimate():
    few = ask.simulate_answers(ONE, people=12, per_person=4, random_state=5)
    sure = Priors(
        name="sure",
        applications={"alarm": JointNormal((-13, 16, 2.0), ((1, 0, 0), (0, 1, 0), (0, 0, 0.01)))},
    )
    fit = learn.fit_acceptability(few, priors=sure, random_state=1)
    assert fit.estimate("alpha", "alarm").mean == pytest.approx(1 / (1 + np.exp(-2.0)), abs=0.05)


def test_prior_weights_of_the_means_multiply_the_evidence(answers, fit):
    tilted = replace(HOWGOOD, name="tilted", means={-1: 0.8, 0: 0.2})
    other = learn.fit_acceptability(answers, priors=tilted, random_state=3)
    assert set(other.mean_probabilities) == {-1, 0}
    odds = fit.mean_probabilities[-1] / fit.mean_probabilities[0] * 4
    found = other.mean_probabilities[-1] / other.mean_probabilities[0]
    assert found == pytest.approx(odds, rel=0.1)


def test_methods_text_names_what_a_reader_needs(fit):
    text = fit.methods_text()
    for words in ("40 respondents", "HalfNormal(2.5)", "k-hat", "seed 3", "Kay"):
        assert words in text


@pytest.mark.slow  # importing ArviZ takes a quarter of a minute
def test_the_fit_becomes_an_arviz_object_and_people_can_be_left_out_there(fit):
    arviz = pytest.importorskip("arviz")
    exported = fit.to_arviz()
    assert exported.posterior["alpha"].shape == (1, 4000, 2)
    left_out = arviz.loo(exported)
    assert left_out.n_data_points == fit.n_respondents
    assert -len(fit.cells.groups.counts) * 50 < left_out.elpd_loo < 0


def test_the_report_says_what_a_point_of_accuracy_brings(fit):
    (section,) = (one for one in fit_report(fit).sections if one.title.startswith("What one point"))
    name = fit.applications[0]
    by_hand = np.exp(fit.draws("slope", name) / 100).mean()
    assert section.table["odds ratio per point"][0] == pytest.approx(by_hand)
    assert section.table["lower"][0] < by_hand < section.table["upper"][0]


def test_the_sensitivity_of_a_continuous_order_agrees_with_its_fit(answers):
    fit = learn.fit_acceptability(answers, means="continuous", draws=1000, random_state=1)
    table = fit.prior_sensitivity()
    own = table["slope_sd"].tolist().index(31.6)  # the prior of the fit itself
    assert table["reliable"][own]
    # 800 draws, at least a quarter of them effective, against 1,000: four standard errors.
    assert table["mean of p"][own] == pytest.approx(fit.order.mean, abs=4 * fit.order.sd / 12)
    assert fit.summary()["parameter"].tolist()[-1] == "p"


# -- files ---------------------------------------------------------------------------------------


def test_a_saved_fit_comes_back_whole(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    back = learn.load_fit(tmp_path / "fit.npz")
    np.testing.assert_array_equal(back.averaged_draws, fit.averaged_draws)
    for name in ("mean_probabilities", "priors", "diagnostics", "provenance", "applications"):
        assert getattr(back, name) == getattr(fit, name)
    assert back.predictive_check()["p_value"].tolist() == fit.predictive_check()["p_value"].tolist()


@pytest.mark.parametrize("content", [b"", b"not a fit", b"PK\x03\x04 broken"])
def test_other_files_are_refused_kindly(tmp_path, content):
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(FileFormatError, match="saved acceptability fit"):
        learn.load_fit(tmp_path / "x.npz")


def test_arrays_of_somebody_else_are_refused_kindly(tmp_path):
    np.savez(tmp_path / "x.npz", header=np.frombuffer(b'{"kind": "song"}', dtype=np.uint8))
    with pytest.raises(FileFormatError, match="saved acceptability fit"):
        learn.load_fit(tmp_path / "x.npz")


# -- edges ---------------------------------------------------------------------------------------


def test_one_person_gives_a_wide_answer_and_a_warning():
    with pytest.warns(FewRespondentsWarning, match="'alarm' \\(1\\)"):
        fit = learn.fit_acceptability(
            ask.simulate_answers(ONE, people=1, random_state=1), random_state=1
        )
    assert fit.person_sd.interval.width > 2
    assert fit.diagnostics.passed


@pytest.mark.parametrize(
    ("rating", "words"), [(7, "every answer accepts"), (1, "every answer ref")]
)
def test_one_sided_answers_leave_alpha_to_the_prior(rating, words):
    answers = dict(ask.simulate_answers(ONE, people=20, random_state=1))
    answers["rating"] = np.full(len(answers["rating"]), rating)
    with pytest.warns(NoEvidenceWarning, match=words):
        fit = learn.fit_acceptability(answers, scale=7, random_state=1)
    assert fit.estimate("alpha", "alarm").mean == pytest.approx(0.5, abs=0.05)
    assert fit.estimate("alpha", "alarm").interval.width > 0.85


def test_one_scenario_says_nothing_about_alpha():
    one = ask.scenarios(precision=[0.8], recall=[0.8])
    answers = ask.simulate_answers(ONE, people=20, scenarios=one, random_state=1)
    with pytest.warns(NoEvidenceWarning, match="a single scenario"):
        fit = learn.fit_acceptability(answers, random_state=1)
    assert fit.estimate("alpha", "alarm").interval.width > 0.85


def test_an_application_with_three_people_is_estimated_widely():
    many = ask.simulate_answers(ONE, people=25, random_state=1)
    three = ask.simulate_answers({"tracker": TWO["tracker"]}, people=3, random_state=2)
    both = {name: np.concatenate([many[name], three[name]]) for name in many}
    with pytest.warns(FewRespondentsWarning, match="'tracker' \\(3\\)"):
        fit = learn.fit_acceptability(both, random_state=1)
    wide, narrow = (fit.estimate("alpha", name).sd for name in ("tracker", "alarm"))
    assert wide > 2 * narrow
    assert fit.respondents == {"alarm": 25, "tracker": 3}


@pytest.mark.parametrize("means", [(-1, 0, 1), "continuous"])
def test_no_precision_at_all_is_a_mean_of_zero(means):
    answers = dict(ask.simulate_answers(ONE, people=25, random_state=1))
    answers["precision"] = np.where(answers["precision"] < 0.55, 0.0, answers["precision"])
    fit = learn.fit_acceptability(answers, means=means, random_state=1)
    assert fit.diagnostics.passed
    assert np.all(np.isfinite(fit.averaged_draws))


@pytest.mark.parametrize("engine", ["auto", "importance"])
def test_people_who_may_differ_without_bound_are_an_error_not_a_result(engine):
    # The gamma prior does not bound the spread of people, and one answer does not either.
    one = ask.scenarios(precision=[0.8], recall=[0.8])
    answers = ask.simulate_answers(ONE, people=1, scenarios=one, random_state=1)
    with (
        pytest.warns(NoEvidenceWarning),
        pytest.warns(FewRespondentsWarning),
        pytest.raises(UngatedPosteriorError, match=r"do not bound.*Ask more people"),
    ):
        learn.fit_acceptability(
            answers, priors="kay2015", means=(0,), engine=engine, draws=500, random_state=1
        )


@pytest.mark.parametrize("priors", ["howgood", "kay2015"])
@pytest.mark.parametrize("people", [3, 6])
def test_few_people_of_one_application_pass_the_gates(priors, people):
    answers = ask.simulate_answers(ONE, people=people, random_state=1)
    with pytest.warns(FewRespondentsWarning):
        fit = learn.fit_acceptability(answers, priors=priors, draws=500, random_state=1)
    assert fit.diagnostics.engine == "importance"
    assert fit.estimate("alpha", "alarm").interval.width > 0.15


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"precision": [0.6, 0.9], "recall": [0.7]}, "only two scenarios"),
        ({"precision": [0.5, 0.7, 0.8, 1.0], "recall": [0.8]}, "never varied"),
    ],
)
def test_scenarios_that_cannot_tell_alpha_are_announced(levels, words):
    shown = ask.scenarios(**levels)
    answers = ask.simulate_answers(ONE, people=20, scenarios=shown, random_state=1)
    with pytest.warns(NoEvidenceWarning, match=words):
        fit = learn.fit_acceptability(answers, means=(0,), draws=500, random_state=1)
    assert fit.diagnostics.passed


def test_expected_shares_of_those_asked_follow_their_answers():
    lenient = ask.simulate_answers(
        {"alarm": {"alpha": 0.5, "intercept": -12.0, "slope": 16.0}}, people=40, random_state=3
    )
    strict = ask.simulate_answers(
        {"tracker": {"alpha": 0.5, "intercept": -16.0, "slope": 16.0}}, people=40, random_state=4
    )
    # Half of them answer about both: the tracker's people are strict, which the fit can tell.
    strict = dict(strict, participant=np.char.add("s", strict["participant"].astype(str)))
    both = ask.simulate_answers(
        {"alarm": {"alpha": 0.5, "intercept": -16.0, "slope": 16.0}}, people=40, random_state=5
    )
    both = dict(both, participant=np.char.add("s", both["participant"].astype(str)))
    rows = {name: np.concatenate([part[name] for part in (lenient, strict, both)]) for name in both}
    fit = learn.fit_acceptability(rows, means=(0,), draws=500, random_state=1)
    curve = fit.respondent_curve("tracker")
    # By hand: the share accepting among the tracker's people at a mean of 0.85.
    near = np.abs(np.sqrt(strict["precision"] * strict["recall"]) - 0.85) < 0.06
    expected = float(np.interp(0.85, curve["mean"], curve["share"]))
    assert expected == pytest.approx(np.mean(strict["accepted"][near]), abs=0.1)
    population = fit.predict(precision=0.85, recall=0.85, application="tracker").mean
    assert expected < population - 0.05  # strict people are not the population


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cut": 1}, "rating from 2 to 7"),
        ({"cut": 8}, "rating from 2 to 7"),
        ({"means": ()}, "distinct finite orders"),
        ({"means": (0, 0)}, "distinct finite orders"),
        ({"means": "all"}, "continuous"),
        ({"priors": "flat"}, "howgood"),
        ({"engine": "gibbs"}, "importance"),
        ({"draws": 5}, "at least 100"),
    ],
)
def test_wrong_settings_say_what_is_right(answers, change, words):
    with pytest.raises(InputError, match=words):
        learn.fit_acceptability(answers, random_state=1, **change)


def test_unknown_names_are_answered_with_the_known(fit):
    with pytest.raises(UnknownNameError, match="Did you mean 'alarm'"):
        fit.estimate("alpha", "alram")
    with pytest.raises(UnknownNameError, match="'alpha'"):
        fit.estimate("beta", "alarm")
    with pytest.raises(UnknownNameError, match="mean p"):
        fit.estimate("alpha", "alarm", p=2)
    with pytest.raises(InputError, match="between 0 and 1"):
        fit.predict(precision=90, recall=0.8, application="alarm")


def test_a_missing_column_is_named():
    with pytest.raises(MissingColumnError, match="recall"):
        learn.fit_acceptability(
            {"participant": ["a"], "application": ["x"], "precision": [1.0], "rating": [4]}
        )


def test_normal_priors_need_a_spread():
    with pytest.raises(InputError, match="standard deviation above 0"):
        Priors(name="x", slope=Normal(0.0, 0.0))
