"""The weight of precision among people who were not asked: wider where people differ."""

import numpy as np
import pytest

from howgood import ask, learn
from howgood.errors import UnknownNameError
from howgood.show.acceptability import fit_findings, fit_values
from howgood.show.other_people import other_people_finding

ALARM = {"alarm": {"alpha": 0.4, "intercept": -11.5, "slope": 16.0}}


def _fit(*, alpha_sd, people=30):
    answers = ask.simulate_answers(ALARM, people=people, alpha_sd=alpha_sd, random_state=7)
    return learn.fit_acceptability(answers, means=(0,), draws=1000, random_state=1)


@pytest.fixture(scope="module")
def differing():
    return _fit(alpha_sd=1.6)


@pytest.fixture(scope="module")
def alike():
    return _fit(alpha_sd=0.0)


def test_people_with_weights_of_their_own_are_noticed(differing):
    others = differing.other_people()
    assert others.verdict == "own weights"
    assert others.spread.interval.lower > 0.5
    one = differing.estimate("alpha", "alarm")
    assert others.alpha("alarm").sd > one.sd
    assert others.alpha("alarm").evidence == "enough"


def test_people_who_weigh_alike_are_not_said_to_differ(alike):
    others = alike.other_people()
    assert others.probability < 0.5
    assert others.verdict != "own weights"
    assert 0.4 in others.alpha("alarm").interval


def test_where_people_clearly_weigh_alike_the_one_weight_stands(alike, monkeypatch):
    """The rule is put lower, as an answer so clear needs hundreds of people."""
    monkeypatch.setattr("howgood.learn.other_people._SURE", 0.5)
    others = alike.other_people(random_state=1)
    assert others.verdict == "one weight"
    assert np.array_equal(others.draws("alarm"), alike.draws("alpha", "alarm"))


def test_the_model_keeps_its_own_interval_and_texts_show_the_wider(differing):
    others = differing.other_people()
    said = [finding.text for finding in fit_findings(differing)]
    assert any("People weigh errors differently" in text for text in said)
    weighing = next(text for text in said if "weight of precision alpha" in text)
    lower = f"{others.alpha('alarm').interval.lower:.2f}"
    assert f"[{lower}" in weighing
    rows = {row["parameter"]: row for row in differing.summary().rows()}
    assert rows["alpha"]["sd"] == differing.estimate("alpha", "alarm").sd
    assert rows["alpha, other people"]["sd"] == others.alpha("alarm").sd


def test_values_have_both_weights_and_where_they_come_from(differing):
    values = fit_values(differing)
    other = values["other people"]
    assert other["verdict"] == "own weights"
    assert other["alpha"]["alarm"] == differing.other_people().alpha("alarm").to_dict()
    assert (
        values["applications"]["alarm"]["alpha"] == differing.estimate("alpha", "alarm").to_dict()
    )
    assert "weights of people's own" in other["provenance"]["method"]


def test_it_is_made_once_and_again_after_saving(differing, tmp_path):
    assert differing.other_people() is differing.other_people()
    differing.save(tmp_path / "fit.npz")
    again = learn.load_fit(tmp_path / "fit.npz").other_people()
    assert np.array_equal(again.alpha_draws, differing.other_people().alpha_draws)


def test_answers_that_say_nothing_have_no_other_people():
    answers = {
        "participant": np.repeat([f"p{k}" for k in range(12)], 4),
        "application": ["alarm"] * 48,
        "precision": [0.5, 0.8, 0.9, 1.0] * 12,
        "recall": [0.8, 0.5, 1.0, 0.9] * 12,
        "accepted": [True] * 48,
    }
    with pytest.warns(UserWarning, match="say nothing"):
        fit = learn.fit_acceptability(answers, means=(0,), draws=200, random_state=1)
    assert fit.other_people() is None
    assert "alpha, other people" not in fit.summary()["parameter"]


def test_a_segment_leans_on_the_others_and_is_not_fitted_alone():
    answers = ask.simulate_answers(ALARM, people=30, per_person=8, random_state=7)
    even = np.array([int(str(name)[1:]) % 2 for name in answers["participant"]])
    table = {**answers, "climate": np.where(even, "cold", "warm").astype(object)}
    fit = learn.fit_acceptability(table, by="climate", means=(0,), draws=500, random_state=1)
    cold = fit.in_segment("cold")
    assert cold.other_people() is None
    assert "alpha, other people" not in cold.summary()["parameter"]
    assert "not worked out" in other_people_finding(cold).text
    assert fit.segmented.alpha("alarm", segment="cold").n_respondents == cold.respondents["alarm"]


def test_methods_say_how_the_shown_weights_were_estimated(differing):
    said = differing.methods_text()
    assert "normal effect per respondent on the logit of alpha (sd ~ HalfNormal(0.75))" in said
    assert "the middle one" in said


def test_unknown_applications_are_refused(differing):
    with pytest.raises(UnknownNameError):
        differing.other_people().alpha("nowhere")
