"""People who differ: density by brute force, segments, people's alphas, files, refusals."""

import dataclasses
import warnings

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, logit
from scipy.stats import binom, halfnorm, norm

from howgood import ask, learn
from howgood.errors import FewRespondentsWarning, InputError, UnknownNameError
from howgood.learn.binary_model import BinaryModel, draw_columns
from howgood.learn.engines.importance import laplace
from howgood.learn.engines.nuts import pymc_model
from howgood.learn.segment_model import Grid, SegmentModel, segment_columns
from howgood.learn.segments import segments_of
from howgood.records.priors import HOWGOOD, KAY2015
from howgood.show.acceptability import fit_report, fit_values
from howgood.show.segments import (
    segment_findings,
    segment_table,
    segment_values,
)
from howgood.stats.power_mean import power_mean

COLD = {"alarm": {"alpha": 0.25, "intercept": -13.0, "slope": 16.0}}
WARM = {"alarm": {"alpha": 0.65, "intercept": -12.0, "slope": 16.0}}


def divided_answers(people=25, seed=1, per_person=None):
    tables = [
        ask.simulate_answers(truth, people=people, per_person=per_person, random_state=seed + step)
        for step, truth in enumerate((COLD, WARM))
    ]
    columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    climate = np.repeat(["cold", "warm"], [len(table) for table in tables]).astype(object)
    names = [f"{c}-{p}" for c, p in zip(climate, columns["participant"], strict=True)]
    return {**columns, "participant": np.array(names, dtype=object), "climate": climate}


@pytest.fixture(scope="module")
def answers():
    return divided_answers()


def test_few_nodes_give_the_density_of_many(segments):
    """People with 10 to 16 answers each; by how much draws differ in log density is what counts."""
    rng = np.random.default_rng(8)
    for own, within in ((False, 0.02), (True, 0.1)):
        few = SegmentModel(
            tuple(one.cells for one in segments), HOWGOOD, 0.0, n_nodes=25, has_own_alphas=own
        ).whitened()  # fmt: skip
        points = laplace(few).sample(40, rng)
        off = few.log_density(points) - _density_on(few, points)
        assert off.std() < within


def _density_on(model, points):
    """Return log densities with 161 nodes of leniency, and as many of alphas."""
    nodes = np.linspace(-7, 7, 161)
    weights = norm.pdf(nodes) / norm.pdf(nodes).sum()
    place = np.repeat(np.arange(161), 161) if model.has_own_alphas else np.zeros(161, dtype=int)
    fine = Grid(
        nodes if model.has_own_alphas else np.zeros(1),
        place,
        np.tile(nodes, 161) if model.has_own_alphas else nodes,
        np.outer(weights, weights).ravel() if model.has_own_alphas else weights,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SegmentModel, "_grid", lambda _: fine)
        return np.array([model.value_and_gradient(point)[0] for point in points])


@pytest.fixture(scope="module")
def fit(answers):
    return learn.fit_acceptability(answers, by="climate", draws=1000, random_state=1)


@pytest.fixture(scope="module")
def segments(answers):
    read = ask.read_answers(answers, also=("climate",))
    return segments_of(read, read["accepted"] == 1, ("alarm",), "climate")


# -- the density ---------------------------------------------------------------------------------


@pytest.mark.parametrize("priors", [HOWGOOD, KAY2015], ids=["howgood", "kay2015"])
@pytest.mark.parametrize("own", [False, True], ids=["segments", "people"])
def test_gradient_is_that_of_the_density_in_both_coordinates(segments, priors, own):
    model = SegmentModel(
        tuple(each.cells for each in segments), priors, 0.0, flawless=True, has_own_alphas=own
    )
    rng = np.random.default_rng(0)
    for each in (model, model.whitened()):
        point = each.start() + 0.1 * rng.standard_normal(each.size)
        value, gradient = each.value_and_gradient(point)
        numeric = approx_fprime(point, lambda x, m=each: m.value_and_gradient(x)[0], 1e-6)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(each.log_density(point[None, :]), value, rtol=1e-5)


@pytest.fixture(scope="module")
def two_applications():
    """Two segments of people who rated two applications each."""
    truth = {name: {**COLD["alarm"], "alpha": a} for name, a in (("alarm", 0.3), ("doctor", 0.6))}
    answers = ask.simulate_answers(truth, people=30, per_person=8, random_state=3)
    parity = np.array([str(int(name[1:]) % 2) for name in answers["participant"]], dtype=object)
    read = ask.read_answers({**answers, "parity": parity}, also=("parity",))
    return segments_of(read, read["accepted"] == 1, ("alarm", "doctor"), "parity")


def test_turned_axes_change_coordinates_and_not_the_density(two_applications):
    plain = SegmentModel(tuple(one.cells for one in two_applications), HOWGOOD, 0.0)
    turned = plain.whitened()
    axes = turned.whitening.axes
    np.testing.assert_allclose(axes @ axes.transpose(0, 2, 1), [np.eye(2)] * 2, atol=1e-12)
    rng = np.random.default_rng(1)
    point = turned.start() + 0.3 * rng.standard_normal(turned.size)
    numeric = approx_fprime(point, lambda x: turned.value_and_gradient(x)[0], 1e-6)
    np.testing.assert_allclose(turned.value_and_gradient(point)[1], numeric, rtol=1e-3, atol=1e-3)
    z, tau = (part[0] for part in turned._contrasts(point[None, :]))
    same = point.copy()
    same[-4:] = np.einsum("qij,qj->qi", axes, z).ravel()
    # The middle itself: what its coordinate says, less what it follows of the contrasts.
    size = plain.middle.size
    away = turned.whitening.follow @ (z * tau).ravel()
    middle = plain.middle.to_plain(point[None, :size])[0]
    middle[0, [0, 1, 4, 5]] -= away
    same[:size] = plain.middle.from_plain(middle)[0]
    damped = 0.5 * np.log1p(turned.whitening.information * tau**2).sum()
    # The volume of a coordinate is that of a contrast over its spread, times sqrt(damped).
    assert turned.log_density(point[None, :])[0] == pytest.approx(
        plain.log_density(same[None, :])[0] - damped, rel=1e-6
    )
    np.testing.assert_allclose(
        turned.natural(point[None, :]), plain.natural(same[None, :]), rtol=1e-9
    )


def test_middles_follow_contrasts_of_segments_asked_about_different_applications():
    """An application that one segment was asked about alone: what is known is that segment's."""
    truth = dict.fromkeys(("both", "first"), COLD["alarm"])
    answers = ask.simulate_answers(truth, people=30, per_person=8, random_state=5)
    parity = np.array([int(name[1:]) % 2 for name in answers["participant"]])
    kept = (answers["application"] == "both") | (parity == 0)
    table = {name: values[kept] for name, values in answers.items()}
    read = ask.read_answers({**table, "half": parity[kept].astype(str)}, also=("half",))
    found = segments_of(read, read["accepted"] == 1, ("both", "first"), "half")
    model = SegmentModel(tuple(one.cells for one in found), HOWGOOD, 0.0).whitened()
    points = np.repeat(model.start()[None, :], 50, axis=0)
    points[:, model.middle.size :] = np.random.default_rng(6).standard_normal(
        (50, model.size - model.middle.size)
    )
    own, _ = segment_columns(2, 2)
    alpha = [logit(model.natural(points)[:, place][:, draw_columns(2)["alpha"]]) for place in own]
    # Whatever the contrasts, the asked segment's value of "first" stays where its coordinate says.
    assert np.std(alpha[0][:, 1]) < 0.1 * np.std(alpha[1][:, 1])


def test_plain_parameters_and_points_are_each_others_inverse(two_applications):
    model = SegmentModel(tuple(one.cells for one in two_applications), HOWGOOD, 0.0).whitened()
    rng = np.random.default_rng(2)
    points = model.start() + 0.3 * rng.standard_normal((5, model.size))
    z, _ = model._contrasts(points)
    middle = model._followed(model.middle.to_plain(points[:, : model.middle.size])[0], points)
    spreads = points[:, model.middle.size : model.middle.size + 2]
    turned = np.einsum("qij,nqj->nqi", model.whitening.axes, z).reshape(5, -1)
    back = model.from_plain(np.column_stack([middle, spreads, turned]))
    np.testing.assert_allclose(back, points, atol=1e-9)


def test_one_segment_without_own_alphas_is_the_binary_model(segments):
    cells = segments[0].cells
    plain = BinaryModel(cells, HOWGOOD, 0.0, flawless=True)
    same = SegmentModel((cells,), HOWGOOD, 0.0, flawless=True)
    point = plain.start() + 0.2
    assert same.value_and_gradient(point)[0] == pytest.approx(plain.value_and_gradient(point)[0])
    np.testing.assert_allclose(
        same.value_and_gradient(point)[1], plain.value_and_gradient(point)[1]
    )


def test_likelihood_of_a_person_is_the_double_integral_by_brute_force(segments):
    """Fine grids of leniency and of own alpha, added up person by person."""
    cells = segments[0].cells
    model = SegmentModel((cells,), HOWGOOD, 0.0, has_own_alphas=True)
    point = model.start() + 0.1
    natural = model.natural(point[None, :])[0]
    at = draw_columns(1)
    b0, b, alpha, sd = (natural[at[n]][0] for n in ("intercept", "slope", "alpha", "person_sd"))
    omega = natural[-1]
    u, v = np.linspace(-7, 7, 281), np.linspace(-7, 7, 141)
    weight = np.outer(norm.pdf(v), norm.pdf(u))
    weight /= weight.sum()
    total = 0.0
    for counts, alike in zip(cells.groups.counts, cells.groups.alike, strict=True):
        likelihood = np.ones_like(weight)
        for cell in np.flatnonzero(counts[: cells.n_cells] + counts[cells.n_cells :]):
            own = expit(logit(alpha) + omega * v)
            mean = power_mean(cells.precision[cell], cells.recall[cell], p=0.0, alpha=own)
            accept = expit(b0 + b * mean[:, None] + sd * u)
            yes, no = counts[cell], counts[cells.n_cells + cell]
            likelihood *= accept**yes * (1 - accept) ** no
        total += alike * np.log((likelihood * weight).sum())
    rest = model.value_and_gradient(point)[0] - _log_prior(model, point)
    assert rest == pytest.approx(total, abs=0.02)


def _log_prior(model, point):
    middle = model.middle
    plain, volume = middle.to_plain(point[None, : middle.size])
    return float(middle.log_prior(plain)[0][0] + volume[0] + norm.logpdf(point[-1]))


def test_draws_from_the_prior_have_the_spreads_the_prior_says(segments):
    """Standard normal points: contrasts over spreads are normal, spreads half-normal."""
    model = SegmentModel(tuple(each.cells for each in segments), HOWGOOD, 0.0)
    rng = np.random.default_rng(3)
    points = np.repeat(model.start()[None, :], 4000, axis=0)
    points[:, model.middle.size :] = rng.standard_normal((4000, model.size - model.middle.size))
    natural = model.natural(points)
    own, spreads = segment_columns(1, 2)
    tau = natural[:, spreads][:, 0]
    assert np.mean(tau) == pytest.approx(halfnorm(scale=0.75).mean(), abs=0.03)
    first, second = (logit(natural[:, place][:, draw_columns(1)["alpha"]][:, 0]) for place in own)
    assert np.std((first - second) / np.sqrt(2) / tau) == pytest.approx(1.0, abs=0.05)
    np.testing.assert_allclose((first + second) / 2, (first + second)[0] / 2, atol=1e-9)


# -- what comes out ------------------------------------------------------------------------------


def test_segments_are_recovered_and_all_together_are_fitted_as_before(answers, fit):
    assert fit.segments == ("cold", "warm")
    assert 0.25 in fit.estimate("alpha", "alarm", segment="cold").interval
    assert 0.65 in fit.estimate("alpha", "alarm", segment="warm").interval
    assert fit.segmented.probability_differing > 0.99
    plain = learn.fit_acceptability(
        {name: values for name, values in answers.items() if name != "climate"},
        draws=1000,
        random_state=1,
    )
    np.testing.assert_array_equal(plain.averaged_draws, fit.averaged_draws)


def test_segments_are_pulled_to_each_other(fit, answers):
    """Partial pooling: alone, a segment's alpha lies no nearer to the other one."""
    alone = {}
    for name in fit.segments:
        rows = answers["climate"] == name
        table = {column: values[rows] for column, values in answers.items()}
        alone[name] = learn.fit_acceptability(table, draws=1000, random_state=1)
    apart = [each.estimate("alpha", "alarm").mean for each in alone.values()]
    pooled = [fit.estimate("alpha", "alarm", segment=name).mean for name in fit.segments]
    assert pooled[1] - pooled[0] < apart[1] - apart[0] + 0.02


def test_everybody_has_an_alpha_near_that_of_their_segment(fit):
    people = fit.people
    assert people.columns == [
        "participant", "segment", "application", "answers", "mean", "lower", "upper"
    ]  # fmt: skip
    assert len(people) == 50
    assert np.all((people["lower"] < people["mean"]) & (people["mean"] < people["upper"]))
    for name in fit.segments:
        here = people["segment"] == name
        alpha = fit.estimate("alpha", "alarm", segment=name).mean
        assert np.mean(people["mean"][here]) == pytest.approx(alpha, abs=0.05)


def test_people_alone_need_no_segments(answers):
    table = {name: values for name, values in answers.items() if name != "climate"}
    fit = learn.fit_acceptability(table, by="participant", draws=500, random_state=2)
    assert fit.segments == ()
    assert len(fit.people) == 50
    # Cold and warm people are mixed here, so people differ much in alpha.
    assert fit.segmented.person_spread.interval.lower > 0.2
    cold = np.array([name.startswith("cold") for name in fit.people["participant"]])
    assert fit.people["mean"][cold].mean() < fit.people["mean"][~cold].mean() - 0.1


def test_the_middle_person_is_less_certain_than_one_weight_for_all(answers, tmp_path):
    table = {name: values for name, values in answers.items() if name != "climate"}
    fit = learn.fit_acceptability(table, by="participant", draws=500, random_state=2)
    one, middle = fit.estimate("alpha", "alarm"), fit.segmented.alpha("alarm")
    assert middle.sd > 1.2 * one.sd
    assert middle.mean == pytest.approx(fit.people["mean"].mean(), abs=0.1)
    fit.save(tmp_path / "fit.npz")
    again = learn.load_fit(tmp_path / "fit.npz")
    assert again.segmented.alpha("alarm") == middle
    assert segment_values(fit)["alpha of the middle person"]["alarm"] == middle.to_dict()


def test_segments_have_middle_people_of_their_own_and_none_of_all(fit, tmp_path):
    with pytest.raises(UnknownNameError):
        fit.segmented.alpha("alarm")
    fit.save(tmp_path / "fit.npz")
    again = learn.load_fit(tmp_path / "fit.npz")
    for name, alpha in (("cold", 0.25), ("warm", 0.65)):
        middle = fit.segmented.alpha("alarm", segment=name)
        assert alpha in middle.interval
        assert middle.n_respondents == 25
        assert again.segmented.alpha("alarm", segment=name) == middle


def test_segments_of_people_who_differ_are_compared_as_samples():
    """Both climates have the same middle person: the difference is as uncertain as people say."""
    alarm = {"alarm": {"alpha": 0.4, "intercept": -11.5, "slope": 16.0}}
    answers = ask.simulate_answers(alarm, people=40, alpha_sd=1.4, random_state=4)
    even = np.array([int(str(name)[1:]) % 2 for name in answers["participant"]])
    table = {**answers, "climate": np.where(even, "cold", "warm").astype(object)}
    fit = learn.fit_acceptability(table, by="climate", means=(0,), draws=500, random_state=1)
    one = fit.draws("alpha", "alarm", segment="warm") - fit.draws("alpha", "alarm", segment="cold")
    own = [fit.segmented.draws("alarm", segment=name) for name in ("warm", "cold")]
    assert np.std(own[0] - own[1]) > np.std(one)
    shown = segment_values(fit)["segments"]["cold"]["alarm"]["alpha of the middle person"]
    assert shown["mean"] == fit.segmented.alpha("alarm", segment="cold").mean


def test_renaming_segments_renames_the_results(answers, fit):
    names = {"cold": "1 cold", "warm": "2 warm"}
    table = {**answers, "climate": np.array([names[each] for each in answers["climate"]])}
    again = learn.fit_acceptability(table, by="climate", draws=1000, random_state=1)
    for old, new in names.items():
        first = fit.estimate("alpha", "alarm", segment=old)
        assert again.estimate("alpha", "alarm", segment=new).mean == pytest.approx(first.mean)


def test_people_who_differ_within_segments_are_not_taken_for_segments():
    """Two kinds of people, eight and four of them in one segment, four and eight in the other."""
    rng = np.random.default_rng(4)
    grid = np.array([(p, r) for p in (0.5, 2 / 3, 5 / 6, 1.0) for r in (0.5, 2 / 3, 5 / 6, 1.0)])
    rows = []
    for segment, low in (("a", 8), ("b", 4)):
        for number in range(12):
            mean = power_mean(grid[:, 0], grid[:, 1], p=0.0, alpha=0.12 if number < low else 0.88)
            accepted = rng.random(16) < expit(-15.0 + 20.0 * mean + rng.standard_normal())
            rows += [
                (f"{segment}{number}", segment, "alarm", p, r, a)
                for (p, r), a in zip(grid, accepted, strict=True)
            ]
    names = ("participant", "segment", "application", "precision", "recall", "accepted")
    table = dict(zip(names, zip(*rows, strict=True), strict=True))
    fit = learn.fit_acceptability(table, by="segment", means=(0,), draws=400, random_state=1)
    with_one_weight = expit(fit.segmented.fits["a"].log_evidence[0] - fit.log_evidence[0])
    assert with_one_weight > 0.9
    assert fit.segmented.probability_differing < 0.75
    assert fit.segmented.person_spread.interval.lower > 1.0


def test_a_saved_fit_comes_back_whole(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    again = learn.load_fit(tmp_path / "fit.npz")
    assert again.segments == fit.segments
    for name in fit.segments:
        np.testing.assert_array_equal(
            again.draws("alpha", "alarm", segment=name), fit.draws("alpha", "alarm", segment=name)
        )
    for column in fit.people.columns:
        np.testing.assert_array_equal(again.people[column], fit.people[column])
    assert again.segmented.probability_differing == fit.segmented.probability_differing


def test_the_report_shows_segments_and_no_names_of_people(fit):
    report = fit_report(fit)
    titles = [section.title for section in report.sections]
    assert "How people differ" in titles
    assert "By climate" in titles
    shown = "".join(section.svg or "" for section in report.sections)
    assert "cold-p1" not in shown
    assert any("differ by climate" in finding.text for finding in segment_findings(fit))
    assert len(segment_table(fit)) == 2
    values = fit_values(dataclasses.replace(fit, segmented=None))
    assert values["people who differ"] is None


def test_a_kind_of_mean_that_no_draw_falls_to_has_columns_too(segments):
    """With thousands of people one kind of mean has all the probability, and others no draw."""
    model = SegmentModel(tuple(each.cells for each in segments), HOWGOOD, 0.0).whitened()
    some, none = (model.natural(np.zeros((n, model.size))) for n in (3, 0))
    assert none.shape == (0, some.shape[1])
    assert model.from_plain(np.zeros((0, model.size))).shape == (0, model.size)


@pytest.mark.slow  # importing PyMC takes a quarter of a minute
def test_the_density_for_nuts_is_that_of_the_model_person_by_person(segments):
    """Given everybody's leniency and alpha, written out with SciPy."""
    pytest.importorskip("pymc")
    cells = tuple(each.cells for each in segments)
    model = SegmentModel(cells, HOWGOOD, 0.0, flawless=True, has_own_alphas=True)
    built = pymc_model(model)
    rng = np.random.default_rng(4)
    point = built.initial_point()
    values = {"level": np.array([0.3]), "slope_0_log__": np.log(9.0),
              "alpha_logodds__": np.array([-0.4]), "person_sd_log__": np.log(1.3),
              "flawless_log__": np.log(0.7), "person_alpha_log__": np.log(0.5),
              "spread_log__": np.log([0.4, 0.9]),
              "contrast": rng.standard_normal((2, 1, 1))}  # fmt: skip
    assert values.keys() <= point.keys()
    unseen = {name: rng.standard_normal(point[name].shape) for name in point.keys() - values.keys()}
    found = built.compile_logp(jacobian=False)({**values, **unseen})
    alpha, sd, extra, omega, slope = expit(-0.4), 1.3, 0.7, 0.5, 9.0
    total = norm.logpdf(0.3, HOWGOOD.curve.level_mean, HOWGOOD.curve.level_sd)
    total += halfnorm.logpdf(slope, scale=HOWGOOD.curve.slope_scale)  # alpha is uniform: nothing
    total += halfnorm.logpdf(sd, scale=2.5) + halfnorm.logpdf(extra, scale=5.0)
    total += halfnorm.logpdf([omega, 0.4], scale=0.75).sum() + halfnorm.logpdf(0.9, scale=1.5)
    total += norm.logpdf(values["contrast"]).sum()
    total += sum(norm.logpdf(each).sum() for each in unseen.values())
    for number, side in enumerate((1.0, -1.0)):
        away = side * values["contrast"][:, 0, 0] * [0.4, 0.9] / np.sqrt(2.0)
        one, counts = cells[number], cells[number].groups
        people = np.repeat(counts.counts, counts.alike.astype(int), axis=0)
        for person, answers in enumerate(people):
            own = expit(logit(alpha) + away[0] + omega * unseen[f"own_alpha_{number}"][person])
            mean = one.precision**own * one.recall ** (1.0 - own)
            x = 0.3 - 0.75 * slope + away[1] + slope * mean + extra * one.is_flawless
            x = x + sd * unseen[f"leniency_{number}"][person]
            yes, no = answers[: one.n_cells], answers[one.n_cells :]
            asked = yes + no > 0
            total += binom.logpmf(yes[asked], (yes + no)[asked], expit(x[asked])).sum()
    assert found == pytest.approx(total, abs=1e-3)


@pytest.mark.slow  # NUTS compiles for a minute or more
def test_both_engines_find_the_same_segments_and_people():
    """NUTS samples everybody's leniency and alpha; importance sampling integrates them."""
    pytest.importorskip("nutpie")
    table = divided_answers(people=12, per_person=8)
    ours, theirs = (
        learn.fit_acceptability(
            table, by="climate", means=(0,), draws=2000, engine=engine, random_state=1
        )
        for engine in ("importance", "nuts")
    )
    # At least 400 effective draws: standard errors of a mean are a twentieth of an sd, twice.
    for name in ours.segments:
        one, other = (each.estimate("alpha", "alarm", segment=name) for each in (ours, theirs))
        assert one.mean == pytest.approx(other.mean, abs=0.25 * other.sd)
        assert one.sd == pytest.approx(other.sd, rel=0.2)
    one, other = (each.segmented.person_spread for each in (ours, theirs))
    assert one.mean == pytest.approx(other.mean, abs=0.3 * other.sd)
    assert ours.segmented.log_evidence == pytest.approx(theirs.segmented.log_evidence, abs=0.3)


# -- refusals ------------------------------------------------------------------------------------


def test_what_cannot_be_divided_is_refused(answers, fit):
    rng = np.random.default_rng(0)
    mixed = {**answers, "climate": rng.permutation(answers["climate"])}
    with pytest.raises(InputError, match="one value per person"):
        learn.fit_acceptability(mixed, by="climate", random_state=1, draws=200)
    with pytest.raises(InputError, match="2 to 12 segments"):
        learn.fit_acceptability(
            {**answers, "climate": ["cold"] * len(answers["climate"])},
            by="climate", random_state=1, draws=200,
        )  # fmt: skip
    with pytest.raises(UnknownNameError, match="hot"):
        fit.estimate("alpha", "alarm", segment="hot")
    with pytest.raises(InputError, match="by="):
        learn.fit_acceptability(answers, draws=200, random_state=1).people  # noqa: B018 - refused


def test_few_people_in_a_segment_are_said_and_decide_nothing():
    table = divided_answers(people=12)
    kept = [
        c == "cold" or int(p.split("-p")[1]) <= 4
        for c, p in zip(table["climate"], table["participant"], strict=True)
    ]
    few = {name: values[np.array(kept)] for name, values in table.items()}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fit = learn.fit_acceptability(few, by="climate", draws=400, random_state=1)
    assert any(
        isinstance(each.message, FewRespondentsWarning) and "'warm' (4)" in str(each.message)
        for each in said
    )
    assert fit.in_segment("warm").evidence == "few people"
    assert "too few people" in segment_findings(fit)[0].text
