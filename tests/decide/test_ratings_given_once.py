"""Ratings that were given once hold their noise already: it counts once, and a re-rating twice."""

import math

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import t as student

from howgood import learn
from howgood.decide import rank, rank_ratings
from howgood.errors import BorrowedSpreadWarning, DroppedRowsWarning, InputError, RatedOnceWarning
from howgood.score import from_sums, rating_sums, squared_error_sums

ENGINES = ["dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb"]


def once(n, *, seed=1):
    """Return one rating per pair, its sd, and two systems near people's mean opinions."""
    rng = np.random.default_rng(seed)
    opinion, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    rating = opinion + sd * rng.standard_normal(n)
    predictions = {name: opinion + rng.normal(0, 0.6, n) for name in ("a", "b")}
    return rating, sd, predictions


def test_two_pairs_rated_once_by_hand():
    found = rank(
        {"a": [1.0, 2.0], "b": [3.0, 2.5]}, mean=[1.5, 2.0], sd=[0.5, 0.2], trials=1, metric="mse"
    )
    # The scores are those of the ratings themselves; no variance is added to them.
    np.testing.assert_allclose(found.scores, [0.25 / 2, (2.25 + 0.25) / 2])
    spread = 4 * (0.25 * 4 + 0.04 * 0.25) / 4
    assert found.difference_variances[0, 1] == pytest.approx(spread)
    gap = 0.25 / 2 - 2.5 / 2
    assert found.error("a", "b") == pytest.approx(ndtr(gap / math.sqrt(2 * spread)))
    assert found.true_error("a", "b") == pytest.approx(ndtr(gap / math.sqrt(spread)))
    # sigma^4 + 2 sigma^2 Delta^2, of which the rating's own noise is taken out again: for b. The
    # first system lies nearer than noise would let it, so that its Delta is taken as 0.
    second = 2 * (0.25 * 2.25 + 0.04 * 0.25) - 0.25**2 - 0.04**2
    assert found.score_sds[1] == pytest.approx(math.sqrt(2 * 2 * second / 4))
    assert found.score_sds[0] == pytest.approx(math.sqrt(2 * 2 * (0.25**2 + 0.04**2) / 4))
    assert found.barrier == pytest.approx((0.25 + 0.04) / 2)
    assert found.provenance.settings["means"].startswith("one rating each")


# No sd is estimated below that of a perfect system, which makes those of an MSE larger on average.
# A folded normal varies the less the nearer its mean is to the fold, and a rating lies further from
# it than the opinion behind it: the sd of an MAE is somewhat too large.
@pytest.mark.parametrize(("metric", "power", "most"), [("mse", 2, 1.2), ("mae", 1, 1.4)])
def test_scores_are_unbiased_and_re_ratings_lie_as_far_as_said(metric, power, most):
    rng, n = np.random.default_rng(7), 60
    opinion, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    a, b = (opinion + rng.normal(0, 0.6, n) for _ in range(2))
    expected = np.mean(np.abs(opinion + sd * rng.standard_normal((40_000, n)) - a) ** power)
    found, variances, apart = [], [], []
    for _ in range(600):
        first, again = opinion + sd * rng.standard_normal((2, n))
        ranking = rank({"a": a, "b": b}, mean=first, sd=sd, trials=1, metric=metric)
        found.append(ranking.scores[0])
        variances.append(ranking.score_sds[0] ** 2)
        apart.append(np.mean(np.abs(again - a) ** power) - ranking.scores[0])
    se = np.std(found) / math.sqrt(len(found))
    assert np.mean(found) == pytest.approx(expected, abs=4 * se)
    assert 0.8 < np.mean(variances) / np.var(apart) < 1.25 * most


def test_orders_flip_as_often_as_said_where_nothing_is_known_of_the_opinions():
    """Said and happened for 1,600 pairs, in three classes; taking the ratings as known fails."""
    rng, n, cases = np.random.default_rng(16), 1600, 1500
    said, as_known, flipped = [], [], []
    for _ in range(cases):
        opinion, sd = rng.uniform(-30, 30, n), rng.gamma(2.0, 0.4, n)
        first, again = opinion + sd * rng.standard_normal((2, n))
        a = first + rng.normal(0, 0.5, n)
        b = first + rng.normal(0, 0.5 * math.sqrt(1 + rng.uniform(0, 0.35)), n)
        ranking = rank({"a": a, "b": b}, mean=first, sd=sd, trials=1)
        known = rank({"a": a, "b": b}, mean=first, sd=sd, trials=math.inf)
        better, worse = ({"a": a, "b": b}[name] for name in ranking.order)
        said.append(ranking.error(*ranking.order))
        as_known.append(known.error(*ranking.order))
        flipped.append(np.sum((again - better) ** 2 - (again - worse) ** 2) >= 0)
    said, as_known, flipped = map(np.array, (said, as_known, flipped))
    se = math.sqrt(np.sum(said * (1 - said))) / cases
    assert flipped.mean() == pytest.approx(said.mean(), abs=4 * se)
    rare = said < 0.1
    se = math.sqrt(np.sum(said[rare] * (1 - said[rare]))) / rare.sum()
    assert flipped[rare].mean() == pytest.approx(said[rare].mean(), abs=4 * se)
    assert flipped[rare].mean() > 1.5 * as_known[rare].mean()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_sums_single_and_repeated_ratings_by_the_definitions(engine, on_engine):
    rng, n = np.random.default_rng(3), 60
    columns = {
        "mu": rng.uniform(1, 5, n),
        "sigma": rng.uniform(0.2, 1, n),
        "p1": rng.uniform(1, 5, n),
        "p2": rng.uniform(1, 5, n),
        "trials": rng.integers(1, 4, n),
    }
    sums = squared_error_sums(
        on_engine(engine, columns),
        mean="mu",
        sd="sigma",
        predictions=["p1", "p2"],
        trials="trials",
        powers=4,
    )
    given, t = columns["sigma"] ** 2, columns["trials"].astype(float)
    single = t == 1
    inside = np.where(single, 0, given)  # around the mean
    of_mean = np.where(single, given, given / np.maximum(t - 1, 1))
    apart = (columns["p1"] - columns["p2"]) ** 2
    away = (columns["mu"] - columns["p1"]) ** 2
    assert sums.noise[0, 1] == pytest.approx(np.sum(inside * apart))
    assert sums.trials.mean_noise[0, 1] == pytest.approx(np.sum(of_mean * apart))
    assert sums.trials.variance == pytest.approx(np.sum(inside + of_mean))
    assert sums.trials.single_variance == pytest.approx(np.sum(given[single]))
    assert sums.trials.single_square == pytest.approx(np.sum(given[single] ** 2))
    repeated = (inside + of_mean) * ((t - 2) / (t + 1) * inside + 2 * away)
    expected = np.where(single, 2 * given * away - given**2, repeated)
    assert sums.trials.second_power[0] == pytest.approx(np.sum(expected))
    for s in range(1, 5):
        # Unbiased for sigma^2s + s sigma^(2s-2) Delta^2, where E (x - p)^2 = Delta^2 + sigma^2.
        power = given**s + s * given ** (s - 1) * (away - single * given)
        assert sums.power_sums("p1")[s - 1] == pytest.approx(np.sum(power))


@pytest.mark.parametrize("engine", ENGINES)
def test_one_rating_each_is_the_same_as_a_number_and_as_a_column(engine, on_engine):
    rating, sd, predictions = once(50)
    columns = {"mu": rating, "sigma": sd, **predictions, "trials": np.ones(50, dtype=int)}
    frame = on_engine(engine, columns)
    names = {"mean": "mu", "sd": "sigma", "predictions": ["a", "b"]}
    number = squared_error_sums(frame, **names, trials=1)
    column = squared_error_sums(frame, **names, trials="trials")
    for name in ("variance_powers", "deviation_powers", "gaps", "noise"):
        found = getattr(number, name), getattr(column, name)
        np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-12)
    assert number.freedom == column.freedom == math.inf
    assert number.doubt == pytest.approx(1.0)
    assert from_sums(number, "a", metric="mse").mean == pytest.approx(
        np.mean((rating - predictions["a"]) ** 2)
    )


def test_a_metric_of_ones_own_is_centred_on_the_score_of_the_ratings():
    rating, sd, predictions = once(80, seed=4)

    def mse(y_true, y_pred):
        return float(np.mean((y_true - y_pred) ** 2))

    arguments = {"mean": rating, "sd": sd, "trials": 1}
    found = rank(predictions, metric=mse, greater_is_better=False, draws=4000, **arguments)
    exact = rank(predictions, metric="mse", **arguments)
    np.testing.assert_allclose(found.scores, exact.scores)
    error = exact.error("a", "b")
    se = math.sqrt(error * (1 - error) / 4000)
    assert found.error("a", "b") == pytest.approx(error, abs=4 * se)


# Means that look like single ratings ----------------------------------------------------------


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_whole_numbers_taken_as_known_means_are_asked_about(metric):
    rng = np.random.default_rng(5)
    stars = rng.integers(1, 6, 30)
    predictions = {"a": stars + rng.normal(0, 1, 30), "b": stars + rng.normal(0, 1, 30)}
    with pytest.warns(RatedOnceWarning, match="trials=1"):
        rank(predictions, mean=stars, sd=0.8, metric=metric)
    for trials in (1, 3, math.inf):  # said: nothing to ask about
        rank(predictions, mean=stars, sd=0.8, metric=metric, trials=trials)
    rank(predictions, mean=stars, sd=0.0, metric=metric)  # people who never waver
    rank(predictions, mean=stars + 0.25, sd=0.8, metric=metric)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_asks_about_means_that_look_like_single_ratings(engine, on_engine):
    columns = {"mu": np.arange(40) % 5 + 1.0, "sigma": np.full(40, 0.7), "p": np.full(40, 3.0)}
    with pytest.warns(RatedOnceWarning, match="'mu'"):
        squared_error_sums(on_engine(engine, columns), mean="mu", sd="sigma", predictions=["p"])


def test_known_means_are_said_in_the_result():
    rating, sd, predictions = once(30)
    found = rank(predictions, mean=rating, sd=sd)
    assert found.provenance.settings["means"] == "taken as known"
    assert found.true_errors is None


@pytest.mark.parametrize("metric", ["rmse", "mae"])
@pytest.mark.parametrize("trials", [1.5, [2.0, 1.5, 3.0], [2, 0, 3]])
def test_trials_are_whole_numbers_from_one_on(metric, trials):
    predictions = {"a": [1.0, 2.0, 3.0], "b": [2.0, 2.0, 2.0]}
    with pytest.raises(InputError, match=r"trial.*(1, 2, 3 and so on|a whole number, 1 or more)"):
        rank(predictions, mean=[1.2, 2.1, 3.3], sd=0.5, metric=metric, trials=trials)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_refuses_trials_that_are_not_whole(engine, on_engine):
    columns = {"mu": [1.2, 2.1, 3.3], "sd": [0.5] * 3, "n": [2.0, 1.5, 3.0], "p": [1.0] * 3}
    columns = {name: np.array(values) for name, values in columns.items()}
    with pytest.raises(InputError, match="1 pairs with fewer than 1 trial, or not a whole number"):
        squared_error_sums(
            on_engine(engine, columns), mean="mu", sd="sd", predictions=["p"], trials="n"
        )


# Borrowing ------------------------------------------------------------------------------------


def half_repeated(n=400, *, repeats=2, seed=2):
    """Long ratings of which every fourth pair was given `repeats` times, and two predictions."""
    rng = np.random.default_rng(seed)
    opinion, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    pair = np.concatenate([np.arange(n), *([np.arange(0, n, 4)] * (repeats - 1))])
    rating = opinion[pair] + sd[pair] * rng.standard_normal(pair.size)
    near = {name: opinion + rng.normal(0, 0.6, n) for name in ("a", "b")}
    table = {"user": pair // 20, "item": pair % 20, "rating": rating}
    return table | {name: values[pair] for name, values in near.items()}, sd


@pytest.mark.parametrize("engine", ENGINES)
def test_pairs_rated_once_borrow_the_pooled_sd(engine, on_engine):
    table, _ = half_repeated()
    pair = table["user"] * 20 + table["item"]
    twice = [table["rating"][pair == each] for each in range(0, 400, 4)]
    pooled = math.sqrt(np.mean([np.var(each, ddof=1) for each in twice]))
    with pytest.warns(BorrowedSpreadWarning, match="300 of 400 pairs were rated once"):
        found = learn.rating_uncertainty(on_engine(engine, table), once="borrow")
    from howgood.records.table import frame_columns

    columns = frame_columns(found, ["sd", "trials"], where="test")
    assert np.sum(columns["trials"] == 1) == 300
    np.testing.assert_allclose(columns["sd"][columns["trials"] == 1], pooled)


def test_no_pair_is_lost_and_the_result_says_who_borrowed():
    table, sd = half_repeated(n=2000)
    with pytest.warns(BorrowedSpreadWarning):
        found = rank_ratings(table, predictions=["a", "b"], once="borrow")
    assert found.n == 2000
    assert "borrowed from the 500" in found.provenance.settings["sums"]["borrowed"]
    with pytest.warns(DroppedRowsWarning):
        assert rank_ratings(table, predictions=["a", "b"], once="drop").n == 500
    first = np.unique(table["user"] * 20 + table["item"], return_index=True)[1]
    apart = table["a"][first] - table["b"][first]
    truth = 4 * np.sum(sd**2 * apart**2) / 2000**2
    assert found.difference_variances[0, 1] == pytest.approx(truth, rel=0.2)


@pytest.mark.parametrize("engine", ENGINES)
def test_lenders_who_never_wavered_lend_no_certainty(engine, on_engine):
    pair = np.concatenate([np.arange(150), np.arange(100)])
    table = {"user": pair, "item": pair, "rating": 1.0 + pair % 5}
    with pytest.raises(InputError, match=r"100 pairs rated more than once, none of which ever"):
        learn.rating_uncertainty(on_engine(engine, table), once="borrow")
    table |= {"a": table["rating"] + 0.5, "b": np.full(pair.size, 3.0)}
    with pytest.raises(InputError, match="look certain"):
        rank_ratings(on_engine(engine, table), predictions=["a", "b"], once="borrow")


def test_a_borrowed_variance_has_the_degrees_of_freedom_of_its_lenders():
    # All vary alike: two hundred lenders of three ratings leave four hundred degrees of freedom.
    rng = np.random.default_rng(11)
    found = []
    for _ in range(40):
        pair = np.concatenate([np.arange(200), np.arange(200), np.arange(10_000)])
        table = {"user": pair, "item": pair, "rating": rng.standard_normal(pair.size)}
        table["a"] = np.zeros(pair.size)
        with pytest.warns(BorrowedSpreadWarning):
            found.append(
                rating_sums(table, predictions=["a"], once="borrow", powers=2).lent_freedom
            )
    # An estimate from two hundred squares: about right on average of its inverse.
    assert 1 / np.mean(1 / np.array(found)) == pytest.approx(400, rel=0.15)


def test_too_few_lenders_are_refused():
    table, _ = half_repeated(n=396)
    with pytest.raises(InputError, match=r"99 pairs rated more than once.*at least 100"):
        learn.rating_uncertainty(table, once="borrow")
    with pytest.raises(InputError, match="one of error, drop, borrow"):
        learn.rating_uncertainty(table, once="lend")


def test_pairs_rated_once_are_refused_with_the_way_out():
    table, _ = half_repeated()
    with pytest.raises(InputError, match=r"300 of 400 pairs rated only once.*once='borrow'"):
        learn.rating_uncertainty(table)


def test_assumed_spreads_say_that_each_mean_is_one_rating():
    ratings = {"user": [1, 2], "item": [7, 7], "rating": [3, 5]}
    found = learn.assumed_uncertainty(ratings, sd=0.6)
    assert found["trials"].tolist() == [1, 1]


def test_students_tails_count_the_lenders_only():
    from howgood.records.sums import joined_freedom

    assert joined_freedom((3.0, 6.0), (0.0, math.inf)) == pytest.approx(6.0)
    assert joined_freedom((0.0, 6.0), (2.0, math.inf)) == math.inf
    assert student(joined_freedom((1.0, 2.0), (1.0, 2.0))).sf(2.0) < student(2).sf(2.0)
