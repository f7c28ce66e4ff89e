"""May we ship: by hand, against SciPy's paired test, and what must not change the verdict."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel
from scipy.stats import t as student

from howgood import decide
from howgood.errors import AlikeNamesWarning, DroppedRowsWarning, InputError
from howgood.stats.moments import level_of, reach, rho_for

few = settings(max_examples=20, deadline=None)


def _tables(gaps, base=None, **more):
    base = np.zeros(len(gaps)) if base is None else np.asarray(base, float)
    item = np.arange(len(gaps))
    return (
        {"item": item, "score": base},
        {"item": item, "score": base + np.asarray(gaps, float), **more},
    )


def test_four_items_by_hand():
    """Differences 1.5, 2.5, 3.25, 4.75: mean 3, squares 5.625, variance of the mean .46875."""
    gaps = np.array([1.5, 2.5, 3.25, 4.75])
    base, candidate = _tables(gaps, base=[0.13, 5.71, 2.02, 9.9])
    # Twelve values or more have no steps, so that only the four differences count.
    more = {"item": np.arange(4, 20), "score": np.linspace(10, 40, 16)}
    base = {name: np.concatenate([base[name], more[name]]) for name in base}
    with pytest.warns(DroppedRowsWarning, match="16 items"):
        found = decide.ship(base, candidate, metric="score")
    se = np.sqrt(5.625 / 3 / 4)
    assert found.difference.mean == pytest.approx(3.0)
    assert found.difference.sd == pytest.approx(se)
    assert found.comparisons[0].p_better == pytest.approx(student.cdf(3.0 / se, 3))
    assert found.verdict == "ship"
    assert found.error == pytest.approx(student.sf(3.0 / se, 3))


@few
@given(seed=st.integers(0, 1000), n=st.integers(12, 60))
def test_without_clusters_it_is_the_paired_t_test(seed, n):
    rng = np.random.default_rng(seed)
    base, candidate = _tables(rng.normal(0.2, 1, n), base=rng.normal(size=n))
    found = decide.ship(base, candidate, metric="score")
    expected = ttest_rel(candidate["score"], base["score"], alternative="greater").pvalue
    assert 1 - found.comparisons[0].p_better == pytest.approx(expected, rel=1e-6, abs=1e-12)


@few
@given(seed=st.integers(0, 1000), shift=st.floats(-5, 5), stretch=st.floats(0.1, 9))
def test_units_and_order_change_no_verdict(seed, shift, stretch):
    rng = np.random.default_rng(seed)
    base, candidate = _tables(rng.normal(0.3, 1, 40), base=rng.normal(size=40))
    plain = decide.ship(base, candidate, metric="score")
    order = rng.permutation(40)
    moved = [
        {"item": each["item"][order], "score": shift + stretch * each["score"][order]}
        for each in (base, candidate)
    ]
    again = decide.ship(*moved, metric="score")
    assert again.verdict == plain.verdict
    assert again.error == pytest.approx(plain.error, rel=1e-6, abs=1e-9)


@few
@given(seed=st.integers(0, 1000))
def test_swapping_the_systems_swaps_better_and_worse(seed):
    rng = np.random.default_rng(seed)
    base, candidate = _tables(rng.normal(0.3, 1, 30), base=rng.normal(size=30))
    one, other = (
        decide.ship(*pair, metric="score", margin=0.1)
        for pair in ((base, candidate), (candidate, base))
    )
    assert one.comparisons[0].p_better == pytest.approx(other.comparisons[0].p_worse)
    assert one.difference.mean == pytest.approx(-other.difference.mean)


def test_repeats_count_as_one_item():
    base, candidate = _tables(np.random.default_rng(1).normal(1, 1, 30))
    once = decide.ship(base, candidate, metric="score")
    doubled = [{name: np.concatenate([v, v]) for name, v in t.items()} for t in (base, candidate)]
    assert decide.ship(*doubled, metric="score").difference.sd == pytest.approx(once.difference.sd)


def test_items_of_one_cluster_say_less():
    rng = np.random.default_rng(2)
    topic = np.repeat(np.arange(10), 10)
    gaps = 0.3 + rng.normal(size=10)[topic] + rng.normal(0, 0.2, 100)
    base, candidate = _tables(gaps, topic=topic)
    alone = decide.ship(base, candidate, metric="score")
    grouped = decide.ship(base, candidate, metric="score", cluster="topic")
    assert grouped.difference.sd > 2 * alone.difference.sd
    assert grouped.comparisons[0].n_clusters == 10


def test_a_cluster_of_verdicts_by_hand():
    """Six items of three documents gain 1 1, 1 0, 0 0, and two more items -1 and 1: mean 3/8.

    Sums by document, less that, in eighths: 10, 2, -6, and -11 and 5; their squares are 286.
    Shares in the mean: 2 2 2 1 1 eighths, so that 1 + 14/64 - 2 (26/512) / (14/64) is kept.
    """
    base, candidate = _tables([1, 1, 1, 0, 0, 0], document=["a", "a", "b", "b", "c", "c"])
    found = decide.ship(base, candidate, metric="score", cluster="document")
    assert found.difference.mean == pytest.approx(0.5)
    kept = 1 + 14 / 64 - 2 * (26 / 512) / (14 / 64)
    assert found.difference.sd**2 == pytest.approx(286 / 64 / 64 / kept)
    centre = (found.difference.interval.lower + found.difference.interval.upper) / 2
    assert centre == pytest.approx(3 / 8, abs=0.1)  # its upper end is cut at 1
    assert found.difference.interval.upper <= 1
    assert found.comparisons[0].n_clusters == 3


def test_a_cheaper_candidate_that_is_not_worse_ships_within_the_margin():
    rng = np.random.default_rng(3)
    base, candidate = _tables(rng.normal(0, 0.1, 200), base=rng.normal(size=200))
    base["cost"], candidate["cost"] = np.full(200, 2.0), rng.normal(0.5, 0.1, 200)
    found = decide.ship(base, candidate, metric="score", margin=0.1)
    assert found.verdict == "ship"
    assert "cheaper and not worse" in found.sentence
    assert found.cost.mean == pytest.approx(0.25, abs=0.01)
    assert decide.ship(base, candidate, metric="score").verdict != "ship"


def test_a_guard_that_falls_stops_the_candidate():
    rng = np.random.default_rng(4)
    base, candidate = _tables(rng.normal(1, 1, 60))
    base["safety"], candidate["safety"] = np.ones(60), rng.normal(0, 0.5, 60)
    found = decide.ship(base, candidate, metric=["score", "safety"])
    assert found.verdict == "do not ship"
    assert "safety" in found.reason
    assert list(found.others) == ["safety"]


def test_lower_is_better_and_the_bar():
    base, candidate = _tables(np.random.default_rng(5).normal(-1, 1, 50), base=np.full(50, 5.0))
    assert decide.ship(base, candidate, metric="score").verdict == "do not ship"
    lower = decide.ship(base, candidate, metric="score", lower_is_better=["score"])
    assert lower.verdict == "ship"
    high = decide.ship(candidate, base, metric="score", bar=6.0)
    assert high.verdict == "do not ship"
    assert "bar" in high.reason


@pytest.mark.parametrize(
    ("n_invented", "verdict", "reason"),
    [
        (2, "ship", "better"),
        (40, "do not ship", "invented is more frequent than people tolerate (5 %)"),
        (18, "not enough evidence", "whether invented stays below 5 % is open"),
    ],
)
def test_rates_of_failure_that_people_tolerate(n_invented, verdict, reason):
    n = 400
    item, wrong = np.arange(n), (np.arange(n) < n_invented).astype(float)
    base = {"item": item, "good": np.tile([0.0, 1.0], n // 2), "invented": np.zeros(n)}
    candidate = {"item": item, "good": np.tile([1.0, 1.0, 0.0, 1.0], n // 4), "invented": wrong}
    found = decide.ship(base, candidate, metric="good", bar={"invented": 0.05})
    assert found.verdict == verdict
    assert reason in found.reason
    is_below = n_invented / n < 0.05
    test = binomtest(n_invented, n, 0.05, alternative="less" if is_below else "greater")
    p_below = found.p_tolerated["invented"]
    assert (1 - p_below if is_below else p_below) == pytest.approx(test.pvalue)
    ends = binomtest(n_invented, n).proportion_ci(0.9, method="exact")
    known = found.candidate_rate("invented").interval
    assert (known.lower, known.upper) == pytest.approx((ends.low, ends.high))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_candidates_that_win_every_item_ship_where_a_sign_test_says_so(n):
    base, candidate = _tables(np.ones(n))
    found = decide.ship(base, candidate, metric="score")
    is_shown = binomtest(n, n, 0.5, alternative="greater").pvalue <= 0.05
    assert found.verdict == ("ship" if is_shown else "not enough evidence")
    assert found.difference.mean == 1
    assert -1 <= found.difference.interval.lower < found.difference.interval.upper == 1


@few
@given(
    n=st.integers(2, 12),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 1000),
    share=st.floats(0, 1),
    looks=st.sampled_from(["one", "many"]),
)
def test_no_interval_of_shares_promises_what_cannot_be(n, repeats, seed, share, looks):
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n), repeats)
    logs = [{"item": item, "s": (rng.random(item.size) < share).astype(float)} for _ in range(2)]
    found = decide.ship(*logs, metric="s", looks=looks).comparisons[0]
    for known, lowest in ((found.difference, -1), (found.base, 0), (found.candidate, 0)):
        assert lowest <= known.interval.lower <= known.mean <= known.interval.upper <= 1
        assert known.interval.width > 0


@pytest.mark.parametrize(("n", "is_enough"), [(58, False), (59, True)])
def test_no_failure_among_few_answers_is_no_proof_that_they_are_rare(n, is_enough):
    """Below 5 % with 95 % certainty takes 59 answers without a failure: .95 ** 59 = .0485."""
    item = np.arange(n)
    base = {"item": item, "good": item % 2, "invented": np.zeros(n)}
    candidate = {"item": item, "good": np.ones(n), "invented": np.zeros(n)}
    found = decide.ship(base, candidate, metric="good", bar={"invented": 0.05})
    assert found.p_tolerated["invented"] == pytest.approx(1 - 0.95**n)
    assert (found.verdict == "ship") == is_enough
    alone = decide.ship(base, {**candidate, "good": np.ones(n)}, metric="good", bar=0.95)
    assert alone.p_above_bar == pytest.approx(1 - 0.95**n)
    assert decide.ship(base, candidate, metric="good", bar=0.99).verdict != "do not ship"


def test_equal_grades_of_three_items_are_not_certain():
    base, candidate = _tables(np.zeros(3), base=np.full(3, 5.0))
    ends = decide.ship(base, candidate, metric="score").difference.interval
    assert ends.lower < 0 < ends.upper


def test_a_ratio_of_costs_stays_above_zero():
    base, candidate = _tables([1.0, 0.0, 1.0])
    base["cost"], candidate["cost"] = np.array([1.0, 2.0, 9.0]), np.array([9.0, 1.0, 1.0])
    ratio = decide.ship(base, candidate, metric="score").cost
    assert 0 < ratio.interval.lower < ratio.mean < ratio.interval.upper


def test_equal_answers_are_not_certain_and_no_number_of_items_settles_them():
    base, candidate = _tables(np.zeros(40), base=np.arange(40) % 2)
    found = decide.ship(base, candidate, metric="score")
    assert found.verdict == "not enough evidence"
    assert found.needed is None
    assert found.difference.interval.lower < 0 < found.difference.interval.upper


def test_needed_items_settle_it_where_the_difference_stays():
    rng = np.random.default_rng(6)
    gaps = rng.normal(size=40)
    gaps = 0.15 + (gaps - gaps.mean()) / gaps.std(ddof=1)
    found = decide.ship(*_tables(gaps, base=rng.normal(size=40)), metric="score")
    enough = next(n for n in range(41, 500) if student.ppf(0.95, n - 1) / np.sqrt(n) <= 0.15)
    assert found.needed == enough - 40


def test_what_a_few_clusters_need_are_clusters():
    rng = np.random.default_rng(6)
    cluster = np.repeat(np.arange(4), 20)
    gaps = 0.3 + rng.normal(0, 0.5, 4)[cluster] + rng.normal(0, 0.1, 80)
    base, candidate = _tables(gaps, base=rng.normal(size=80))
    base["task"] = candidate["task"] = cluster
    found = decide.ship(base, candidate, metric="score", cluster="task")
    lead, per_item = abs(found.difference.mean), found.difference.sd * np.sqrt(80)
    in_all = np.arange(81, 4000)
    ends = student.ppf(0.95, in_all / 20 - 1) * per_item / np.sqrt(in_all)
    assert found.needed == in_all[np.argmax(ends <= lead)] - 80


def test_many_looks_need_more_than_one():
    rng = np.random.default_rng(7)
    base, candidate = _tables(rng.normal(0.5, 1, 60), base=rng.normal(size=60))
    one, many = (
        decide.ship(base, candidate, metric="score", looks=each) for each in ("one", "many")
    )
    assert many.difference.interval.width > one.difference.interval.width
    assert many.provenance.settings["rho"] == rho_for(500, 0.05)
    assert level_of(reach(60, 1.0, 0.05, 0.1), 60, 1.0, 0.1) == pytest.approx(0.05)


def test_people_correct_a_judge_s_metric():
    rng = np.random.default_rng(8)
    item = np.arange(400)
    quality = rng.uniform(0, 1, 400)
    logs = [{"item": item, "judge": np.clip(quality + shift, 0, 1)} for shift in (0.0, 0.2)]
    some = rng.permutation(400)[:150]
    labels = {
        "item": np.tile(some, 2),
        "rater": np.tile(np.arange(150) % 10, 2),
        "system": ["base"] * 150 + ["candidate"] * 150,
        "label": np.tile((quality[some] > 0.5).astype(float), 2),
    }
    assert decide.ship(*logs, metric="judge").verdict == "ship"
    found = decide.ship(*logs, metric="judge", labels=labels)
    assert found.verdict == "not enough evidence"
    assert "corrected by people" in found.metric
    # Raters and labels are the sample as well: more items alone are promised nothing.
    assert found.needed is None


def test_it_shows_itself_in_a_notebook():
    base, candidate = _tables([1.0, 2.0, 3.0])
    page = decide.ship(base, {**candidate, "item": [0, 1, 2]}, metric="score")._repr_html_()
    assert "<svg" in page
    assert "interval" in page


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"metric": "other"}, "no 'other'"),
        ({"metric": "score", "cluster": "nothing"}, "no 'nothing'"),
        ({"metric": "score", "level": 0.7}, "below .5"),
        ({"metric": "score", "margin": -1}, "0 or more"),
        ({"metric": "score", "looks": "few"}, "one or many"),
        ({"metric": None}, "the one that decides"),
        ({"metric": "score", "missing": "error"}, "only one of them"),
    ],
)
def test_wrong_questions_are_refused_kindly(settings, text):
    base, candidate = _tables([1.0, 2.0, 3.0, 1.0])
    base["other_one"], candidate["other_one"] = np.ones(4), np.ones(4)
    if settings.get("missing"):
        candidate = {name: values[:3] for name, values in candidate.items()}
    with pytest.raises(InputError, match=text):
        decide.ship(base, candidate, **settings)


def test_logs_without_common_items_are_refused():
    base, candidate = _tables([1.0, 2.0])
    candidate["item"] = np.array([8, 9])
    with pytest.raises(InputError, match="same items"):
        decide.ship(base, candidate, metric="score")


def test_no_other_metric_is_taken_for_one_with_a_text_among_its_numbers():
    base = {"item": [1, 2, 3], "acc": [1, 0, 1], "tox": [0.1, 0.2, 0.1]}
    candidate = {**base, "acc": np.array([1, "timeout", 0], dtype=object)}
    for metric in ("acc", None):
        with pytest.raises(InputError, match="row 2 has 'timeout'"):
            decide.ship(base, candidate, metric=metric)
    assert decide.ship(base, candidate, metric="tox").comparisons[0].metric == "tox"


def test_clusters_may_be_numbered():
    rng = np.random.default_rng(3)
    base, candidate = _tables(rng.normal(0.2, 1, 24))
    documents = np.arange(24) // 4
    found = [
        decide.ship({**base, "doc": names}, {**candidate, "doc": names}, metric=metric,
                    cluster="doc")
        for names in (documents, documents.astype(str))
        for metric in ("score", None)
    ]  # fmt: skip
    assert {decision.comparisons[0].n_clusters for decision in found} == {6}
    assert len({decision.error for decision in found}) == 1


def test_a_misspelt_direction_is_refused():
    """It was passed over, and less of the metric that was meant counted as worse."""
    base, candidate = _tables(np.linspace(-1, 2, 20))
    with pytest.raises(InputError, match=r"'Score'.*'score'"):
        decide.ship(base, candidate, metric="score", lower_is_better=["Score"])
    lower = [
        decide.ship(base, candidate, metric="score", lower_is_better=named).comparisons[0]
        for named in ("score", ["score"])
    ]
    assert [found.greater_is_better for found in lower] == [False, False]


def test_items_with_a_space_too_many_in_one_log_are_named():
    base = {"item": ["q1", "q2", "q3"], "score": [1.0, 0.0, 1.0]}
    candidate = {"item": ["q1", "q2", "q3 "], "score": [1.0, 1.0, 1.0]}
    with (
        pytest.warns(AlikeNamesWarning, match="items: 'q3', 'q3 ' differ only in spaces"),
        pytest.warns(DroppedRowsWarning, match="2 items left out"),
    ):
        decide.ship(base, candidate, metric="score")


@pytest.mark.parametrize(
    ("base", "candidate"),
    [([1, 0, 1, 0], [100, 0, 0, 0]), ([0.2, 0.5, 0.9, 1.0], [20, 55, 91, 100]),
     ([20, 55, 91, 100], [1, 0, 1, 1])],
)  # fmt: skip
def test_percent_in_one_log_and_shares_in_the_other_are_refused(base, candidate):
    logs = [{"item": range(4), "score": np.array(side, float)} for side in (base, candidate)]
    with pytest.raises(InputError, match="the same scale in both logs"):
        decide.ship(*logs, metric="score")


@pytest.mark.parametrize("candidate", [[100, 0, 0, 0], [20, 55, 91, 100]])
def test_a_log_of_nothing_but_zeros_is_on_every_scale(candidate):
    logs = [{"item": range(4), "score": np.array(side, float)} for side in ([0] * 4, candidate)]
    found = decide.ship(*logs, metric="score").comparisons[0]
    assert found.difference.mean == pytest.approx(np.mean(candidate))


def test_logs_without_rows_are_refused_kindly():
    with pytest.raises(InputError, match="0 items with 'score' in both"):
        decide.ship({"item": [], "score": []}, {"item": [], "score": []}, metric="score")


def test_a_metric_without_an_upper_end_may_be_small_in_one_log():
    losses = [0.2, 0.4, 0.9, 0.3, 0.5], [0.3, 14.0, 0.8, 1.2, 0.4]
    logs = [{"item": range(5), "loss": np.array(side)} for side in losses]
    assert decide.ship(*logs, metric="loss", lower_is_better="loss").comparisons
