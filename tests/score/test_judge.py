"""A judge corrected by people: by hand, against plain PPI, and what must not change it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from howgood import score
from howgood.errors import InputError, NoEvidenceWarning

few = settings(max_examples=15, deadline=None)


def _study(seed, *, n_items=120, n_labelled=60, n_raters=6, each=1, systems=("all",)):
    rng = np.random.default_rng(seed)
    labels = {name: [] for name in ("item", "rater", "label", "judge", "system", "length")}
    scores = {name: [] for name in ("item", "judge", "system")}
    lenient = rng.normal(0, 0.15, n_raters)
    for system in systems:
        quality = rng.uniform(0, 1, n_items)
        judged = np.clip(quality + rng.normal(0.1, 0.2, n_items), 0, 1)
        scores["item"] += list(range(n_items))
        scores["judge"] += judged.tolist()
        scores["system"] += [system] * n_items
        for item in range(n_labelled):
            for who in rng.permutation(n_raters)[:each]:
                said = float(quality[item] + lenient[who] + rng.normal(0, 0.2) > 0.4)
                row = (item, f"r{who}", said, judged[item], system, rng.normal())
                for name, value in zip(labels, row, strict=True):
                    labels[name].append(value)
    return labels, scores


def test_labels_alone_by_hand():
    """Three raters with two items each, who gave 1 1, 1 0, 0 0; the judge says nothing.

    Raters' means 1, .5, 0 have the variance .25: .25 / 3 on 2 degrees of freedom. Single labels
    add (1/6)² for the step they come in, on 5. The variance is 1/9, and Satterthwaite's degrees of
    freedom are (1/9)² / ((1/12)² / 2 + (1/36)² / 5).
    """
    labels = {
        "item": [1, 2, 3, 4, 5, 6],
        "rater": ["a", "a", "b", "b", "c", "c"],
        "label": [1, 1, 1, 0, 0, 0],
        "judge": [0.5] * 6,
    }
    found = score.judge(labels).corrected["all"]
    freedom = (1 / 9) ** 2 / ((1 / 12) ** 2 / 2 + (1 / 36) ** 2 / 5)
    half = student.ppf(0.975, freedom) / 3
    assert found.mean == pytest.approx(0.5)
    assert found.sd == pytest.approx(1 / 3)
    assert found.interval.lower == pytest.approx(max(0.5 - half, 0))
    assert found.interval.upper == pytest.approx(min(0.5 + half, 1))


def test_a_judge_that_is_always_right_leaves_only_the_pool():
    """Labels equal to the judge: the weight is 1, the mean that of all scores."""
    rng = np.random.default_rng(4)
    judged = rng.normal(3, 1, 200)
    labels = {"item": np.arange(200), "rater": np.arange(200) % 50, "judge": judged,
              "label": np.where(np.arange(200) < 50, judged, np.nan)}  # fmt: skip
    report = score.judge(labels)
    assert report.weights["all"] == pytest.approx(1.0, abs=0.02)
    assert report.corrected["all"].mean == pytest.approx(judged.mean(), abs=0.01)
    assert report.agreement.judge_people.mean == pytest.approx(1.0)


def test_one_rater_per_item_is_plain_prediction_powered_inference():
    """PPI++ written down from the paper: the same mean, as wide within 10 %."""
    rng = np.random.default_rng(9)
    n, n_all = 400, 4000
    quality = rng.uniform(0, 1, n_all)
    judged = np.clip(quality + rng.normal(0, 0.2, n_all), 0, 1)
    said = (rng.random(n) < quality[:n]).astype(float)
    labels = {"item": np.arange(n), "rater": np.arange(n), "label": said, "judge": judged[:n]}
    found = score.judge(labels, scores={"item": np.arange(n_all), "judge": judged})
    rest = judged[n:]
    weight = np.cov(said, judged[:n])[0, 1] / judged.var() / (1 + n / len(rest))
    mean = weight * rest.mean() + np.mean(said - weight * judged[:n])
    variance = np.var(said - weight * judged[:n]) / n + weight**2 * rest.var() / len(rest)
    width = 2 * 1.96 * np.sqrt(variance)
    assert found.corrected["all"].mean == pytest.approx(mean, abs=0.1 * np.sqrt(variance))
    assert found.corrected["all"].interval.width == pytest.approx(width, rel=0.1)


def test_ppi_python_says_the_same_where_every_item_has_its_own_rater():
    ppi = pytest.importorskip("ppi_py", reason="not among the packages of make test-library")

    rng = np.random.default_rng(2)
    judged = rng.uniform(0, 1, 3000)
    said = (rng.random(300) < judged[:300]).astype(float)
    lower, upper = ppi.ppi_mean_ci(said, judged[:300], judged[300:], alpha=0.05)
    labels = {"item": np.arange(300), "rater": np.arange(300), "label": said, "judge": judged[:300]}
    found = score.judge(labels, scores={"item": np.arange(3000), "judge": judged})
    ends = found.corrected["all"].interval
    assert ends.width == pytest.approx(float(np.ravel(upper - lower)[0]), rel=0.1)


@few
@given(seed=st.integers(0, 500), shift=st.floats(-3, 3), stretch=st.floats(0.2, 5))
def test_moving_and_stretching_the_judge_changes_nothing(seed, shift, stretch):
    labels, scores = _study(seed)
    plain = score.judge(labels, scores=scores).corrected["all"]
    labels["judge"], scores["judge"] = (
        (shift + stretch * np.array(each["judge"])).tolist() for each in (labels, scores)
    )
    moved = score.judge(labels, scores=scores).corrected["all"]
    assert moved.mean == pytest.approx(plain.mean, abs=1e-9)
    assert moved.interval.width == pytest.approx(plain.interval.width, abs=1e-9)


@few
@given(seed=st.integers(0, 500))
def test_the_order_of_rows_changes_nothing(seed):
    labels, scores = _study(seed, systems=("a", "b"))
    order = np.random.default_rng(seed).permutation(len(labels["item"]))
    shuffled = {name: [values[place] for place in order] for name, values in labels.items()}
    one = score.judge(labels, scores=scores, system="system")
    other = score.judge(shuffled, scores=scores, system="system")
    assert one.corrected["a"].mean == pytest.approx(other.corrected["a"].mean)
    assert one.agreement.judge_people.mean == pytest.approx(other.agreement.judge_people.mean)


@few
@given(seed=st.integers(0, 500), shift=st.floats(-2, 2))
def test_drift_is_the_mean_change_and_anchors_that_move_alike_are_certain(seed, shift):
    rng = np.random.default_rng(seed)
    first = {"item": np.arange(20), "judge": rng.normal(size=20)}
    later = {"item": np.arange(20)[::-1], "judge": first["judge"][::-1] + shift}
    found = score.judge_drift(first, later).change["all"]
    assert found.mean == pytest.approx(shift, abs=1e-9)
    assert found.interval.width == pytest.approx(0, abs=1e-9)


def test_a_wider_interval_never_costs_more():
    labels, scores = _study(3, each=2, n_labelled=90)
    report = score.judge(labels, scores=scores)
    costs = [report.plan(width=width).cost for width in (0.5, 0.3, 0.25)]
    assert costs == sorted(costs)
    plan = report.plan(width=0.3)
    assert plan.labels == plan.raters * plan.labels_per_rater
    assert report.variances.width(plan.raters, plan.labels, 0.95) <= 0.3


def test_a_lenient_judge_is_off_and_people_are_paired():
    labels, scores = _study(5, n_labelled=100, each=3, systems=("a", "b"))
    report = score.judge(labels, scores=scores, system="system", cut=0.5)
    assert report.kind == "pass rate"
    gap = report.difference("a", "b")
    assert gap.mean == pytest.approx(
        report.corrected["a"].mean - report.corrected["b"].mean, abs=0.02
    )
    assert report.agreement.people_people is not None
    assert report.agreement.people_themselves is None


def test_a_rater_who_labels_twice_is_compared_with_themselves():
    labels, _ = _study(6, each=2)
    twice = {name: values + values[:20] for name, values in labels.items()}
    assert score.judge(twice).agreement.people_themselves.mean == pytest.approx(1.0)


def test_ordered_words_count_from_one():
    labels = {"item": range(6), "rater": [1, 2, 3] * 2, "judge": [1, 2, 3, 1, 2, 3],
              "label": ["bad", "fair", "good", "bad", "fair", "good"]}  # fmt: skip
    found = score.judge(labels, levels=["bad", "fair", "good"])
    assert found.kind == "mean"
    assert found.corrected["all"].mean == pytest.approx(2.0)


@pytest.mark.parametrize(("cut", "which"), [(3, "no label reaches"), (0, "every label reaches")])
def test_a_cut_that_divides_nothing_is_mentioned(cut, which):
    """--cut 3 on labels of 0 and 1 used to say that nothing would pass, and no more."""
    labels = {"item": range(6), "rater": [1, 2, 3] * 2, "judge": [0.1, 0.9, 0.8, 0.2, 0.3, 0.7],
              "label": [0, 1, 1, 0, 0, 1]}  # fmt: skip
    with pytest.warns(NoEvidenceWarning, match=f"{which} the cut of {cut}: labels go from 0 to 1"):
        score.judge(labels, cut=cut)
    assert score.judge(labels, cut=1).kind == "pass rate"


def test_length_sways_a_judge_that_was_made_to_like_it():
    rng = np.random.default_rng(1)
    length = rng.normal(size=400)
    quality = rng.normal(size=400)
    labels = {"item": np.arange(400), "rater": np.arange(400) % 20, "label": quality,
              "judge": quality + 0.5 * length, "length": length,
              "position": np.where(np.arange(400) // 20 % 2, "first", "second")}  # fmt: skip
    table = list(score.judge(labels, bias=["length", "position"]).bias.rows())
    assert table[0]["judge less people"] == pytest.approx(0.5 * length.std(), abs=1e-9)
    assert [row["what"] for row in table] == ["per sd", "first", "second"]
    assert table[1]["lower"] < 0 < table[1]["upper"]


def test_segments_with_few_labels_say_so():
    labels, scores = _study(2)
    for table in (labels, scores):
        table["topic"] = ["rare" if item < 3 else "usual" for item in table["item"]]
    rows = {
        row["segment"]: row
        for row in score.judge(labels, scores=scores, segment="topic").segments.rows()
    }
    assert np.isnan(rows["rare"]["corrected"])
    assert rows["usual"]["lower"] < rows["usual"]["corrected"] < rows["usual"]["upper"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"label": ["maybe"] * 4}, "pass and fail"),
        ({"label": [None] * 4}, "at least two"),
        ({"judge": [None] * 4}, "every output"),
        ({"rater": ["a", None, "b", "c"]}, "missing='drop'"),
    ],
)
def test_wrong_labels_are_refused_kindly(change, text):
    labels = {
        "item": [1, 2, 3, 4],
        "rater": list("abcd"),
        "label": [1, 0, 1, 1],
        "judge": [1, 0, 1, 0],
    }
    with pytest.raises(InputError, match=text):
        score.judge(labels | change)


def test_a_system_without_labels_is_refused():
    labels, scores = _study(1, systems=("a", "b"))
    kept = [place for place, name in enumerate(labels["system"]) if name == "a"]
    labels = {name: [values[place] for place in kept] for name, values in labels.items()}
    with pytest.raises(InputError, match="'b'"):
        score.judge(labels, scores=scores, system="system")


def test_a_labelled_output_without_a_score_is_refused():
    labels, scores = _study(1)
    del labels["judge"]
    scores = {name: values[5:] for name, values in scores.items()}
    with pytest.raises(InputError, match="without one"):
        score.judge(labels, scores=scores)


@pytest.mark.parametrize("n", [10, 60])
def test_where_everything_passes_the_interval_is_exact(n):
    """By hand: 1 - .025 ** (1 / n) is the largest rate of failures n passes leave open."""
    labels = {"item": range(n), "label": [1.0] * n, "judge": [1.0] * n}
    report = score.judge(labels, rater=None)
    for estimate in (report.corrected["all"], report.judge_alone["all"]):
        assert estimate.interval.lower == pytest.approx(0.025 ** (1 / n))
        assert estimate.interval.upper == 1
    assert report.agreement.judge_people.interval.lower == pytest.approx(0.025 ** (1 / n))
    assert report.off["all"].interval.width > 1 / n
