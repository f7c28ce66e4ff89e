"""From raw repeated ratings to a ranking, on every engine."""

import numpy as np
import pytest

from howgood.ask import simulate_ratings
from howgood.decide import rank, rank_ratings
from howgood.errors import InputError
from howgood.learn import rating_uncertainty

ENGINES = ("dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb", "spark")


def ratings_and_predictions():
    ratings = dict(simulate_ratings(users=12, items=5, random_state=6))
    rng = np.random.default_rng(1)
    user, item = (each.ravel() for each in np.meshgrid(range(1, 13), range(1, 6), indexing="ij"))
    predicted = {
        "user": user,
        "item": item,
        "svd": rng.normal(3.5, 0.6, 60),
        "knn": rng.normal(3.5, 0.7, 60),
        "three": np.full(60, 3.0),
    }
    return ratings, predicted


SYSTEMS = ["svd", "knn", "three"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_table_of_predictions_is_joined(engine, on_engine):
    ratings, predicted = ratings_and_predictions()
    feedback = rating_uncertainty(ratings)
    expected = rank(
        {name: predicted[name] for name in SYSTEMS},
        mean=feedback["mean"],
        sd=feedback["sd"],
        trials=feedback["trials"],
    )
    ranking = rank_ratings(
        on_engine(engine, ratings), predictions=SYSTEMS, predicted=on_engine(engine, predicted)
    )
    assert ranking.order == expected.order
    np.testing.assert_allclose(ranking.errors, expected.errors, rtol=1e-9)
    np.testing.assert_allclose(ranking.true_errors, expected.true_errors, rtol=1e-9)


@pytest.mark.parametrize("engine", ["dict", "polars lazy"])
def test_predictions_may_stand_beside_the_ratings(engine, on_engine):
    ratings, predicted = ratings_and_predictions()
    rows = (ratings["user"] - 1) * 5 + ratings["item"] - 1
    beside = ratings | {name: predicted[name][rows] for name in SYSTEMS}
    one = rank_ratings(on_engine(engine, beside), predictions=SYSTEMS, trial="trial")
    two = rank_ratings(ratings, predictions=SYSTEMS, predicted=predicted)
    np.testing.assert_allclose(one.errors, two.errors, rtol=1e-9)


def test_pairs_without_a_prediction_are_refused_or_dropped():
    ratings, predicted = ratings_and_predictions()
    part = {name: values[:-2] for name, values in predicted.items()}
    with pytest.raises(InputError, match="2 in 'svd'"):
        rank_ratings(ratings, predictions=SYSTEMS, predicted=part)
    ranking = rank_ratings(ratings, predictions=SYSTEMS, predicted=part, missing="drop")
    assert ranking.n == 58
    assert ranking.provenance.rows_dropped == {"missing or not finite": 2}


def test_two_predictions_for_one_pair_are_refused():
    ratings, predicted = ratings_and_predictions()
    twice = {name: np.append(values, values[:1]) for name, values in predicted.items()}
    with pytest.raises(InputError, match="up to 2 rows for one pair"):
        rank_ratings(ratings, predictions=SYSTEMS, predicted=twice)


def test_tables_on_two_engines_are_refused(on_engine):
    ratings, predicted = ratings_and_predictions()
    with pytest.raises(InputError, match="another engine"):
        rank_ratings(
            on_engine("pandas", ratings),
            predictions=SYSTEMS,
            predicted=on_engine("polars", predicted),
        )


@pytest.mark.parametrize("beside", [True, False])
def test_a_system_may_be_called_mean(beside):
    ratings, predicted = ratings_and_predictions()
    rows = (ratings["user"] - 1) * 5 + ratings["item"] - 1
    tables = {"predicted": predicted | {"mean": predicted["svd"]}}
    if beside:
        tables = {}
        ratings |= {"mean": predicted["svd"][rows], "knn": predicted["knn"][rows]}
    ranking = rank_ratings(ratings, predictions=["mean", "knn"], **tables)
    plain = rank_ratings(ratings_and_predictions()[0], predictions=SYSTEMS, predicted=predicted)
    assert ranking.error("mean", "knn") == pytest.approx(plain.error("svd", "knn"), rel=1e-12)


def test_users_and_items_may_have_names():
    ratings, predicted = ratings_and_predictions()
    plain = rank_ratings(ratings, predictions=SYSTEMS, predicted=predicted)
    for table in (ratings, predicted):
        table["user"] = np.array([f"user {each}" for each in table["user"]], dtype=object)
    named = rank_ratings(ratings, predictions=SYSTEMS, predicted=predicted)
    np.testing.assert_allclose(named.errors, plain.errors, rtol=1e-12)


def test_the_table_tells_both_probabilities_apart():
    ratings, predicted = ratings_and_predictions()
    ranking = rank_ratings(ratings, predictions=SYSTEMS, predicted=predicted)
    table = ranking.table()
    first, second = ranking.order[:2]
    assert table["error_to_next"][0] == ranking.error(first, second)
    assert table["true_error_to_next"][0] == ranking.true_error(first, second)
    assert "true_error_to_next" not in rank({"a": [1], "b": [2]}, mean=1, sd=1).table().columns


def test_true_order_by_mae_is_at_least_as_uncertain_as_the_trials_leave_it():
    """How far differences of MAEs vary when everybody is asked five times again."""
    rng = np.random.default_rng(12)
    n, trials = 300, 5
    truth, sigma = rng.uniform(1, 5, n), rng.uniform(0.5, 1.0, n)
    systems = {"a": truth + rng.normal(0, 0.6, n), "b": truth + rng.normal(0, 0.65, n)}
    gaps, doubts = [], []
    for _ in range(200):
        ratings = truth + sigma * rng.standard_normal((trials, n))
        mean, sd = ratings.mean(axis=0), ratings.std(axis=0)
        ranking = rank(systems, mean=mean, sd=sd, trials=trials, metric="mae")
        gaps.append(ranking.differences[0, 1])
        doubts.append(ranking.mean_variances[0, 1])
    # A variance of 200 numbers has a tenth of itself as its standard error. Mean and sd tell more
    # of a Gaussian than the five errors themselves, whose mean the doubt is that of.
    assert 0.9 < np.mean(doubts) / np.var(gaps) < 1.6
    expected = np.mean(
        [
            np.abs(truth + sigma * rng.standard_normal((4000, n)) - each).mean()
            for each in systems.values()
        ]
        * np.array([1, -1])
    )
    assert np.mean(gaps) == pytest.approx(2 * expected, abs=4 * np.std(gaps) / np.sqrt(200) + 1e-3)


def test_every_setting_reaches_the_ranking():
    ratings, predicted = ratings_and_predictions()
    plain = rank_ratings(ratings, predictions=SYSTEMS, predicted=predicted, trial="trial")
    assert (plain.metric, plain.paired, plain.level) == ("rmse", True, 0.05)
    assert plain.provenance.seed == 0
    twice = {name: np.append(values, values[:1]) for name, values in ratings.items()}
    with pytest.raises(InputError, match="trial"):
        rank_ratings(twice, predictions=SYSTEMS, predicted=predicted, trial="trial")
    ratings = {{"user": "who", "item": "what", "rating": "stars"}.get(k, k): v
               for k, v in ratings.items()}  # fmt: skip
    predicted = {{"user": "who", "item": "what"}.get(k, k): v for k, v in predicted.items()}
    other = rank_ratings(
        ratings,
        predictions=SYSTEMS,
        predicted=predicted,
        user="who",
        item="what",
        rating="stars",
        trial="trial",
        metric="mse",
        paired=False,
        level=0.2,
        random_state=7,
    )
    assert (other.metric, other.paired, other.level) == ("mse", False, 0.2)
    assert other.provenance.seed == 7
    assert other.scores == pytest.approx(plain.scores**2)
