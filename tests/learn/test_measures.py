"""Which measure do people follow: values by hand, evidence and held-out scores by quadrature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_expit, logsumexp
from scipy.stats import halfnorm, norm

from howgood import ask, learn
from howgood.errors import InputError, RepeatedRowsWarning, UnknownNameError
from howgood.learn import measures
from howgood.learn.binary_model import Cells
from howgood.learn.measures import held_out
from howgood.stats.random_intercepts import GroupCounts


def _shown(precision, recall, prevalence=None):
    precision, recall = np.atleast_1d(precision).astype(float), np.atleast_1d(recall).astype(float)
    none = GroupCounts(np.zeros((1, 2 * len(precision))), np.ones(1))
    cells = Cells(("x",), np.zeros(len(precision), dtype=int), precision, recall, none)
    return measures.ShownRates.of(cells, prevalence)


def test_measures_of_one_table_are_worked_by_hand():
    # 10 real cases of 50: 8 found, 2 missed, 4 false alarms, 36 cleared.
    shown = _shown(8 / 12, 8 / 10, prevalence=10 / 50)
    assert shown.false_alarms[0] == pytest.approx(4 / 10)
    assert shown.specificity[0] == pytest.approx(36 / 40)
    assert measures.accuracy(shown)[0] == pytest.approx(44 / 50)
    assert measures.error_rate(shown)[0] == pytest.approx(-6 / 10)
    assert measures.f_measure(shown)[0] == pytest.approx(16 / 22)
    assert measures.g_measure(shown)[0] == pytest.approx((8 / 12 * 8 / 10) ** 0.5)
    assert measures.informedness(shown)[0] == pytest.approx(8 / 10 + 36 / 40 - 1)
    correlation = (8 * 36 - 4 * 2) / (12 * 10 * 40 * 38) ** 0.5
    assert measures.matthews(shown)[0] == pytest.approx(correlation)


@given(
    counts=st.tuples(*[st.integers(1, 30)] * 4),
)
def test_measures_agree_with_those_of_scikit_learn(counts):
    from sklearn import metrics

    found, missed, alarms, _ = counts
    truth = np.repeat([1, 1, 0, 0], counts)
    predicted = np.repeat([1, 0, 1, 0], counts)
    shown = _shown(
        found / (found + alarms), found / (found + missed), (found + missed) / sum(counts)
    )
    assert measures.accuracy(shown)[0] == pytest.approx(metrics.accuracy_score(truth, predicted))
    assert measures.f_measure(shown)[0] == pytest.approx(metrics.f1_score(truth, predicted))
    assert measures.matthews(shown)[0] == pytest.approx(
        metrics.matthews_corrcoef(truth, predicted), abs=1e-9
    )
    assert measures.informedness(shown)[0] == pytest.approx(
        metrics.balanced_accuracy_score(truth, predicted, adjusted=True), abs=1e-9
    )


@pytest.fixture(scope="module")
def small():
    """Five people, four scenarios: few enough for sums over a grid."""
    truth = {"alarm": {"alpha": 0.5, "intercept": -8.0, "slope": 10.0}}
    return ask.simulate_answers(truth, people=5, per_person=4, person_sd=1.0, random_state=4)


def _grid_evidence(answers):
    """Log evidence of G under the default priors, of all people and without each of them.

    Sums over level, slope and sd; the last two at the middles of their steps, since their densities
    end at zero.
    """
    g = np.sqrt(answers["precision"] * answers["recall"])
    accepted = np.asarray(answers["rating"] >= 5)
    level, nodes = np.linspace(-8, 8, 41), np.linspace(-6, 6, 41)
    slope, sd = (np.arange(60) + 0.5) * 1.25, (np.arange(24) + 0.5) * 0.5
    log_weights = norm.logpdf(nodes) - logsumexp(norm.logpdf(nodes))
    prior = norm.logpdf(level, 0, 1.6)[:, None, None] + halfnorm.logpdf(slope, scale=15)[:, None]
    prior = prior + halfnorm.logpdf(sd, scale=2.5) + np.log(0.4 * 1.25 * 0.5)
    of_person = []
    for person in sorted(set(answers["participant"].tolist())):
        mine = answers["participant"] == person
        inside = np.broadcast_to(log_weights, (41, 60, 24, 41))
        for mean, yes in zip(g[mine], accepted[mine], strict=True):
            at = level[:, None] + slope * (mean - 0.75)
            x = at[:, :, None, None] + sd[:, None] * nodes
            inside = inside + log_expit(x if yes else -x)
        of_person.append(logsumexp(inside, axis=3))
    total = prior + sum(of_person)
    return float(logsumexp(total)), [float(logsumexp(total - mine)) for mine in of_person]


@pytest.mark.filterwarnings("ignore")
def test_evidence_and_held_out_scores_are_those_of_sums_over_a_grid(small):
    compared = learn.compare_measures(
        small, measures=("G",), flawless=False, draws=4000, random_state=1
    )
    row = next(iter(compared.table.rows()))
    whole, without = _grid_evidence(small)
    assert row["log_evidence"] == pytest.approx(whole, abs=0.05)
    # p(answers of k | the others) is a ratio of two evidences.
    assert row["held_out_log_score"] == pytest.approx(sum(whole - one for one in without), abs=0.1)


def test_leaving_out_by_hand():
    # Two draws, one person: weights 1/p, so the score is the harmonic mean of .2 and .6.
    found = held_out(np.log(np.array([[0.2], [0.6]])))
    assert found.log_scores[0] == pytest.approx(np.log(2 / (1 / 0.2 + 1 / 0.6)))


def test_standard_errors_of_differences_are_those_over_people():
    rng = np.random.default_rng(1)
    one, other = (
        held_out(np.broadcast_to(rng.normal(-3, 1, 20), (50, 20)).copy()) for _ in range(2)
    )
    apart = one.log_scores - other.log_scores
    total, error = one.difference(other, np.ones(20))
    assert total == pytest.approx(apart.sum())
    assert error == pytest.approx(np.std(apart, ddof=1) * np.sqrt(20))
    # Groups of people who answered alike count as often as they are many.
    twice = one.difference(other, np.full(20, 2.0))
    again = np.repeat(apart, 2)
    assert twice[1] == pytest.approx(np.std(again, ddof=1) * np.sqrt(40))


@pytest.fixture(scope="module")
def answers():
    truth = {"alarm": {"alpha": 0.1, "intercept": -13.0, "slope": 16.0, "p": 1.0}}
    return ask.simulate_answers(truth, people=60, random_state=2)


@pytest.fixture(scope="module")
def compared(answers):
    return learn.compare_measures(answers, prevalence=0.1, random_state=2, draws=500)


def test_the_measure_people_follow_is_found(compared):
    # Recall weighs nine times as much as precision: F and G cannot follow that.
    assert "weighted mean" in compared.as_good
    table = {row["measure"]: row for row in compared.table.rows()}
    assert not {"F", "G", "accuracy"} & set(compared.as_good)
    assert table["weighted mean"]["log_evidence"] > table["F"]["log_evidence"] + 3
    assert compared.table["difference"][0] == 0
    assert compared.table["probability"].sum() == pytest.approx(1)
    assert set(table) == set(measures.CANDIDATES)


def test_without_prevalence_measures_of_all_cases_are_not_computed(answers):
    few = ("F", "accuracy", "informedness", "Matthews")
    found = learn.compare_measures(answers, measures=few, random_state=2, draws=200)
    assert set(found.not_computed) == {"accuracy", "informedness", "Matthews"}
    assert all("prevalence" in why for why in found.not_computed.values())
    with pytest.raises(InputError, match="accuracy needs the prevalence"):
        learn.compare_measures(answers, measures=("accuracy",))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"measures": ("F2",)}, UnknownNameError, "weighted power mean"),
        ({"prevalence": 0.9}, InputError, "more false alarms than cases"),
        ({"prevalence": 1.5}, InputError, "prevalence"),
    ],
)
def test_wrong_wishes_are_named(answers, change, error, words):
    with pytest.raises(error, match=words):
        learn.compare_measures(answers, **change)


def test_a_scenario_without_a_hit_is_refused(answers):
    nothing = {**dict(answers), "precision": np.where(answers["precision"] < 0.6, 0, 1)}
    with pytest.warns(RepeatedRowsWarning), pytest.raises(InputError, match="precision of 0"):
        learn.compare_measures(nothing)


def test_a_comparison_is_saved_and_shown(compared, tmp_path):
    from howgood.show.measures import measure_findings, measure_report

    compared.save(tmp_path / "measures.json")
    back = type(compared).load(tmp_path / "measures.json")
    assert back.as_good == compared.as_good
    assert len(measure_report(compared).sections) == 2
    said = " ".join(finding.text for finding in measure_findings(compared))
    assert "60 people" in said


@pytest.mark.filterwarnings("ignore")
def test_other_names_of_people_change_nothing(small):
    renamed = {**dict(small), "participant": np.array([f"z{n}" for n in small["participant"]])}
    settings = {"measures": ("F",), "draws": 300, "random_state": 3}
    one, other = (learn.compare_measures(each, **settings) for each in (small, renamed))
    assert one.table["log_evidence"][0] == pytest.approx(other.table["log_evidence"][0], abs=0.05)
