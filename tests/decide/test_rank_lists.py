"""Lists ranked under human noise: by hand, against scikit-learn and ir-measures, and properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.decide import rank_lists
from howgood.errors import DroppedRowsWarning, InputError


def _study(seed, *, users=12, items=7, systems=3, noise=0.6):
    rng = np.random.default_rng(seed)
    user, item = (each.ravel() for each in np.indices((users, items)))
    mean = rng.normal(3, 1, user.size)
    given = np.clip(np.round(mean + rng.normal(0, noise, user.size)), 1, 5)
    ratings = {"user": user, "item": item, "rating": given}
    predictions = {f"s{k}": mean + rng.normal(0, 0.4 + 0.4 * k, user.size) for k in range(systems)}
    return predictions, ratings


def test_dcg_of_two_users_by_hand():
    ratings = {"user": [1, 1, 1, 2, 2], "item": [1, 2, 3, 1, 2], "rating": [5, 3, 1, 2, 4]}
    a, b = [3, 2, 1, 1, 2], [1, 2, 3, 2, 1]
    ranking = rank_lists({"a": a, "b": b}, ratings, metric="dcg@2", sd=0.5)
    second = 1 / math.log2(3)
    assert ranking.scores == pytest.approx(
        [(5 + 3 * second + 4 + 2 * second) / 2, (1 + 3 * second + 2 + 4 * second) / 2]
    )
    # Weights differ by (1, 0, -1) for the first user and by (second - 1, 1 - second) for the other;
    # a next rating differs from a single one by twice the variance.
    lead = ranking.scores[0] - ranking.scores[1]
    variance = 0.25 * (1 + 1 + 2 * (1 - second) ** 2) / 4
    tail = 0.5 * math.erfc(lead / math.sqrt(2 * variance) / math.sqrt(2))
    assert ranking.error("a", "b") == pytest.approx(tail)
    truth = 0.5 * math.erfc(lead / math.sqrt(variance) / math.sqrt(2))
    assert ranking.true_error("a", "b") == pytest.approx(truth)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # In the order of the system the ratings are 2 5 1 4: relevant at the 2nd and 4th place.
        ("precision@2", 1 / 2),
        ("recall@2", 1 / 2),
        ("hit@1", 0.0),
        ("hit@2", 1.0),
        ("mrr", 1 / 2),
        ("map", (1 / 2 + 2 / 4) / 2),
        ("map@2", (1 / 2) / 2),
        ("ndcg@2", (2 + 5 / math.log2(3)) / (5 + 4 / math.log2(3))),
    ],
)
def test_one_list_by_hand(metric, expected):
    ratings = {"user": [1] * 4, "item": [1, 2, 3, 4], "rating": [2, 5, 1, 4]}
    ranking = rank_lists(
        {"a": [9, 8, 7, 6], "b": [1, 2, 3, 4]}, ratings, metric=metric, sd=0, relevant=4
    )
    assert ranking.scores[0] == pytest.approx(expected)


def test_equal_predictions_share_their_places():
    ratings = {"user": [1] * 3, "item": [1, 2, 3], "rating": [5, 1, 3]}
    ranking = rank_lists({"a": [1, 1, 1], "b": [3, 2, 1]}, ratings, metric="dcg@1", sd=0)
    assert ranking.scores.tolist() == pytest.approx([3.0, 5.0])


@pytest.mark.parametrize("cutoff", [None, 3, 50])
def test_ndcg_without_noise_is_scikit_learns(cutoff):
    from sklearn.metrics import ndcg_score

    predictions, ratings = _study(1)
    predictions["rough"] = np.round(predictions["s1"])  # with ties
    name = "ndcg" if cutoff is None else f"ndcg@{cutoff}"
    ranking = rank_lists(predictions, ratings, metric=name, sd=0)
    truth = np.asarray(ratings["rating"]).reshape(12, 7)
    for name, score in zip(ranking.systems, ranking.scores, strict=True):
        theirs = ndcg_score(truth, np.reshape(predictions[name], (12, 7)), k=cutoff)
        assert score == pytest.approx(theirs, abs=1e-12)


def test_lists_without_noise_are_scored_as_ir_measures_does():
    ir_measures = pytest.importorskip("ir_measures", reason="a reference of the dev group")
    from ir_measures import AP, RR, P, R, Success, nDCG

    predictions, ratings = _study(2, users=20, items=9)
    ours = {"ndcg@5": nDCG @ 5, "map": AP(rel=4), "mrr": RR(rel=4), "precision@3": P(rel=4) @ 3,
            "recall@3": R(rel=4) @ 3, "hit@2": Success(rel=4) @ 2}  # fmt: skip
    qrels = [
        ir_measures.Qrel(str(u), str(i), int(r)) for u, i, r in zip(*ratings.values(), strict=True)
    ]
    for name, measure in ours.items():
        ranking = rank_lists(predictions, ratings, metric=name, sd=0, relevant=4)
        for system, score in zip(ranking.systems, ranking.scores, strict=True):
            run = [
                ir_measures.ScoredDoc(str(u), str(i), float(s))
                for u, i, s in zip(
                    ratings["user"], ratings["item"], predictions[system], strict=True
                )
            ]
            theirs = ir_measures.calc_aggregate([measure], qrels, run)[measure]
            assert score == pytest.approx(theirs, abs=1e-9), name


@pytest.mark.parametrize("metric", ["dcg@3", "ndcg@3", "map", "hit@2"])
def test_known_means_are_propagated_as_brute_force_does(metric):
    predictions, ratings = _study(3, users=6, systems=2)
    ratings["rating"] = ratings["rating"] + 0.25  # means, not on a scale of whole steps
    ranking = rank_lists(predictions, ratings, metric=metric, sd=0.6, trials=math.inf, relevant=4)
    rng = np.random.default_rng(4)
    drawn = []
    for _ in range(400):
        again = ratings["rating"] + 0.6 * rng.standard_normal(len(ratings["rating"]))
        step = np.min(np.diff(np.unique(ratings["rating"])))
        one = rank_lists(predictions, {**ratings, "rating": again}, metric=metric, sd=0,
                         trials=math.inf, relevant=4 - step / 2)  # fmt: skip
        drawn.append(one.scores)
    drawn = np.array(drawn)
    error = drawn.std(axis=0) / 20
    assert np.all(np.abs(ranking.scores - drawn.mean(axis=0)) < 4 * error)
    assert ranking.score_sds == pytest.approx(drawn.std(axis=0), rel=0.2)
    behind = np.mean(drawn[:, 0] < drawn[:, 1]) + 0.5 * np.mean(drawn[:, 0] == drawn[:, 1])
    assert ranking.error("s0", "s1") == pytest.approx(behind, abs=0.08)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), metric=st.sampled_from(["dcg@3", "ndcg@4", "map", "recall@2"]))
def test_order_of_rows_and_any_rising_change_of_predictions_change_nothing(seed, metric):
    predictions, ratings = _study(seed, users=5, items=4)
    one = rank_lists(predictions, ratings, metric=metric, sd=0.5)
    mixed = np.random.default_rng(seed).permutation(20)
    other = rank_lists(
        {name: np.exp(values)[mixed] for name, values in predictions.items()},
        {name: np.asarray(values)[mixed] for name, values in ratings.items()},
        metric=metric,
        sd=0.5,
    )
    assert other.scores == pytest.approx(one.scores, abs=1e-12)
    assert other.errors == pytest.approx(one.errors, abs=1e-12)
    assert one.errors + one.errors.T == pytest.approx(np.ones((3, 3)), abs=1e-9)


@pytest.mark.parametrize("metric", ["dcg@3", "ndcg@3", "mrr"])
def test_the_same_list_twice_is_a_tie(metric):
    predictions, ratings = _study(6)
    ranking = rank_lists(
        {"a": predictions["s0"], "twin": predictions["s0"]}, ratings, metric=metric, sd=0.5
    )
    assert ranking.error("a", "twin") == 0.5
    assert ranking.tie_groups == (("a", "twin"),)


def test_many_users_are_gaussian_with_the_same_law_as_shared_draws(monkeypatch):
    from howgood.decide import list_scores

    predictions, ratings = _study(7, users=60)
    shared = rank_lists(predictions, ratings, metric="ndcg@3", sd=0.5)
    monkeypatch.setattr(list_scores, "_BUDGET", 1000)
    gaussian = rank_lists(predictions, ratings, metric="ndcg@3", sd=0.5)
    assert gaussian.scores == pytest.approx(shared.scores)
    assert gaussian.score_sds == pytest.approx(shared.score_sds, rel=0.1)
    assert gaussian.errors == pytest.approx(shared.errors, abs=0.03)


def test_repeated_ratings_tell_how_far_people_vary_and_pairs_rated_once_borrow():
    predictions, ratings = _study(8, users=40)
    rng = np.random.default_rng(9)
    again = np.clip(ratings["rating"] + rng.integers(-1, 2, 280), 1, 5)
    both = {name: np.concatenate([ratings[name]] * 2) for name in ("user", "item")}
    both["rating"] = np.concatenate([ratings["rating"], again])
    doubled = {name: np.tile(values, 2) for name, values in predictions.items()}
    ranking = rank_lists(doubled, both, metric="ndcg@3")
    assert ranking.provenance.settings["means"] == "repeated ratings"
    # The expected score is that of an average session.
    alone = [
        rank_lists(predictions, {**ratings, "rating": each}, metric="ndcg@3", sd=0).scores
        for each in (ratings["rating"], again)
    ]
    assert ranking.scores == pytest.approx(np.mean(alone, axis=0), abs=0.01)
    fewer = {name: values[:500] for name, values in both.items()}
    with pytest.warns(UserWarning, match="rated once"):
        rank_lists({k: v[:500] for k, v in doubled.items()}, fewer, metric="ndcg@3")


def test_a_table_of_predictions_is_joined_and_says_what_does_not_fit():
    predictions, ratings = _study(10, users=4, items=3)
    table = {"user": ratings["user"], "item": ratings["item"], **predictions}
    aligned = rank_lists(predictions, ratings, metric="ndcg@2", sd=0.5)
    joined = rank_lists(
        {name: values[::-1] for name, values in table.items()}, ratings, metric="ndcg@2", sd=0.5
    )
    assert joined.scores == pytest.approx(aligned.scores)
    more = {name: np.append(values, values[:1]) for name, values in table.items()}
    more["item"][-1] = 99
    with pytest.raises(InputError, match="1 of 13 pairs that nobody rated"):
        rank_lists(more, ratings, metric="ndcg@2", sd=0.5)
    dropped = rank_lists(more, ratings, metric="ndcg@2", sd=0.5, unrated="drop")
    assert dropped.scores == pytest.approx(aligned.scores)
    assert dropped.provenance.rows_dropped == {"predicted, but not rated": 1}
    zero = rank_lists(more, ratings, metric="precision@4", sd=0, unrated="zero", relevant=4)
    assert np.all(zero.scores <= 0.75)
    fewer = {name: values[1:] for name, values in table.items()}
    with pytest.raises(InputError, match="no score for 1 of 12 rated items"):
        rank_lists(fewer, ratings, metric="ndcg@2", sd=0.5)
    assert rank_lists(fewer, ratings, metric="ndcg@2", sd=0.5, unlisted="last").n == 4
    stranger = {**more, "user": np.append(ratings["user"], 77)}
    with pytest.warns(DroppedRowsWarning, match="1 rows left out"):
        rank_lists(stranger, ratings, metric="ndcg@2", sd=0.5, unrated="drop")


def test_relevant_is_above_the_middle_of_the_scale_unless_said():
    ratings = {"user": [1] * 5, "item": range(5), "rating": [1, 2, 3, 4, 5]}
    predictions = {"a": [1, 2, 3, 4, 5], "b": [5, 4, 3, 2, 1]}
    for relevant, expected in ((None, 2 / 5), (3, 3 / 5)):
        ranking = rank_lists(predictions, ratings, metric="precision@5", sd=0, relevant=relevant)
        assert ranking.scores[0] == pytest.approx(expected)
    clicks = {"user": [1, 1], "item": [1, 2], "rating": [0, 1]}
    ranking = rank_lists({"a": [1, 2], "b": [2, 1]}, clicks, metric="hit@1", sd=0)
    assert ranking.scores.tolist() == [1.0, 0.0]


def test_other_users_are_a_paired_t_test():
    from scipy.stats import ttest_rel

    predictions, ratings = _study(11, users=30, systems=2)
    ranking = rank_lists(predictions, ratings, metric="dcg@3", sd=0.5, about="users")
    by_user = {
        name: [
            rank_lists(
                {name: predictions[name][rows], "other": predictions["s1"][rows]},
                {column: values[rows] for column, values in ratings.items()},
                metric="dcg@3",
                sd=0,
            ).scores[0]
            for rows in (ratings["user"] == user for user in range(30))
        ]
        for name in predictions
    }
    theirs = ttest_rel(by_user["s0"], by_user["s1"], alternative="greater").pvalue
    assert ranking.error("s0", "s1") == pytest.approx(theirs, rel=0.02)
    assert ranking.doubt == "users"
    assert ranking.needed("s0", "s1").rerating.error_now == ranking.error("s0", "s1")


def test_needed_users_bring_the_error_below_the_target():
    predictions, ratings = _study(12, users=10, systems=2)
    predictions["s1"] = predictions["s0"] + np.random.default_rng(1).normal(0, 0.5, 70)
    ranking = rank_lists(predictions, ratings, metric="dcg@3", sd=0.8)
    first, second = ranking.order
    needed = ranking.needed(first, second)
    assert needed.rerating.status == "needed"
    times = needed.rerating.pairs / ranking.n
    spread = ranking.difference_variances + ranking.mean_variances
    lead = abs(ranking.differences[0, 1])
    tail = 0.5 * math.erfc(lead / math.sqrt(2 * spread[0, 1] / times))
    assert tail == pytest.approx(0.05, rel=0.1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"metric": "ndcg@0"}, "ndcg@10"),
        ({"metric": "hit"}, "hit@K"),
        ({"metric": "rmse"}, "one of ndcg@K"),
        ({"sd": None}, "one rating per user and item, and no sd"),
        ({"sd": -1.0}, "negative"),
        ({"sd": [0.5]}, "sd"),
        ({"trials": 0}, "trials"),
        ({"about": "items"}, "re-rating"),
        ({"unrated": "keep"}, "unrated"),
    ],
)
def test_bad_input_is_refused_kindly(changes, said):
    predictions, ratings = _study(13, users=3)
    with pytest.raises(InputError, match=said):
        rank_lists(predictions, ratings, **{"metric": "ndcg@2", "sd": 0.5, **changes})


def test_repeats_and_an_sd_contradict_each_other():
    ratings = {"user": [1, 1, 1], "item": [1, 1, 2], "rating": [3, 4, 5]}
    with pytest.raises(InputError, match="rated several times, and an sd"):
        rank_lists({"a": [1, 1, 2], "b": [2, 2, 1]}, ratings, sd=0.5)
    both = {"user": [1] * 4, "item": [1, 1, 2, 2], "rating": [3, 4, 5, 4]}
    with pytest.raises(InputError, match="one prediction per user and item"):
        rank_lists({"a": [1, 3, 2, 2], "b": [2, 2, 1, 1]}, both)
