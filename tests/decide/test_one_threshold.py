"""One threshold or one per segment, and a gate that every segment must pass."""

import numpy as np
import pytest

from howgood import decide
from howgood.errors import InputError, UnknownNameError
from howgood.records.acceptance import AcceptanceDraws
from howgood.show.decisions import gate_findings
from howgood.show.segments import one_threshold_findings


class Segmented:
    """The least a model needs: segments and their draws."""

    applications = ("alarm",)

    def __init__(self, **alphas):
        self._people = {
            name: AcceptanceDraws(
                application="alarm",
                p=np.zeros(200),
                alpha=np.full(200, alpha),
                intercept=np.full(200, -12.0),
                slope=np.full(200, 16.0),
                person_sd=np.full(200, 1.0),
                n_respondents=25,
            )
            for name, alpha in alphas.items()
        }
        self.segments = tuple(alphas)

    def in_segment(self, segment):
        return self._people[segment]

    def acceptance_draws(self, application):
        return next(iter(self._people.values()))


def cases(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, rng.standard_normal(n) + 1.5 * truth


def test_segments_that_want_the_same_lose_nothing():
    choice = decide.one_threshold(Segmented(cold=0.4, warm=0.4), *cases(), random_state=1)
    assert choice.own == {"cold": choice.common, "warm": choice.common}
    assert choice.verdict == "one threshold"
    assert choice.lost_overall.mean == 0.0
    assert "One threshold serves everybody" in one_threshold_findings(choice)[0].text


def test_segments_that_want_the_opposite_should_have_their_own():
    choice = decide.one_threshold(Segmented(cold=0.2, warm=0.8), *cases(), random_state=1)
    assert choice.own["cold"] <= choice.common <= choice.own["warm"]
    assert choice.own["cold"] < choice.own["warm"]
    assert choice.verdict == "own thresholds"
    assert max(each.mean for each in choice.lost.values()) > 0.02
    weighted = sum(choice.people_shares[name] * choice.lost[name].mean for name in choice.lost)
    assert choice.lost_overall.mean == pytest.approx(weighted)
    assert choice.table["segment"].tolist() == ["cold", "warm"]


def test_what_is_lost_is_the_difference_of_the_shares_by_hand():
    """With many cases, the accuracy at a threshold is known: compare by the formula."""
    truth, scores = cases(200_000)
    model = Segmented(cold=0.2, warm=0.8)
    choice = decide.one_threshold(model, truth, scores, random_state=1)

    def share(name, threshold):
        people = model.in_segment(name).taken(np.array([0]))
        flagged = scores >= threshold
        hits = np.sum(flagged & (truth == 1))
        return people.shares(hits / flagged.sum(), hits / truth.sum())[0]

    for name in model.segments:
        expected = share(name, choice.own[name]) - share(name, choice.common)
        assert choice.lost[name].mean == pytest.approx(expected, abs=0.01)


def test_more_people_of_a_segment_pull_the_common_threshold_to_theirs():
    model, data = Segmented(cold=0.05, warm=0.95), cases()
    mostly = {
        name: decide.one_threshold(
            model, *data, people_shares={name: 0.98, other: 0.02}, random_state=1
        )
        for name, other in (("cold", "warm"), ("warm", "cold"))
    }
    assert mostly["cold"].common < mostly["warm"].common
    assert mostly["cold"].lost["cold"].mean < mostly["warm"].lost["cold"].mean


def test_every_segment_must_accept_to_pass():
    truth, scores = cases()
    predicted = (scores > 2.0).astype(int)  # few false alarms, many misses
    model = Segmented(cold=0.05, warm=0.95)
    gate = decide.gate(model, "alarm", truth, predicted, share=0.5, random_state=1)
    alone = decide.gate(
        model.in_segment("warm"), "alarm", truth, predicted, share=0.5, random_state=1
    )
    assert alone.verdict == "pass"
    assert alone.segments == {}
    assert alone.least_satisfied is None
    assert gate.verdict == "fail"
    assert gate.least_satisfied == "cold"
    assert gate.acceptance.mean <= min(each.mean for each in gate.segments.values())
    assert "cold" in gate_findings(gate)[0].text


def test_models_without_segments_and_unknown_shares_are_refused():
    data = cases(200)
    with pytest.raises(InputError, match="without segments"):
        decide.one_threshold(Segmented(cold=0.5).in_segment("cold"), *data)
    model = Segmented(cold=0.3, warm=0.6)
    with pytest.raises(UnknownNameError, match="warm"):
        decide.one_threshold(model, *data, people_shares={"cold": 1.0})
    with pytest.raises(InputError, match="at least 0"):
        decide.one_threshold(model, *data, people_shares={"cold": -1.0, "warm": 1.0})
