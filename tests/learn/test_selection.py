"""One model, one application or part: several are never pooled silently."""

import numpy as np
import pytest

from howgood import ask, learn
from howgood.errors import InputError, UnknownNameError
from howgood.learn.selection import one_part, rated_applications


def _two_applications():
    both = ask.simulate_ordinal_answers(people=45, random_state=1)
    names = np.where(np.arange(len(both)) % 2 == 0, "one", "two")
    return {**dict(both), "application": names}


def test_an_application_nobody_rated_is_refused_by_name():
    with pytest.raises(UnknownNameError, match="'one'"):
        learn.fit_ordinal(_two_applications(), application="won")


def test_real_systems_of_several_applications_need_to_say_where_they_belong():
    answers = _two_applications()
    real = answers["part"] != "hypothetical"
    answers["application"] = np.where(real, "a forecaster", answers["application"])
    read = ask.read_answers(answers)
    with pytest.raises(
        InputError, match=r"'a forecaster'.*'one', 'two'.*--system a forecaster=one"
    ):
        rated_applications(read, None, reference="hypothetical")
    with pytest.raises(UnknownNameError, match="'one'"):
        rated_applications(read, None, reference="hypothetical", systems={"a forecaster": "three"})
    placed = {"a forecaster": "two"}
    kept = rated_applications(read, None, reference="hypothetical", systems=placed)
    assert set(kept["application"][real].tolist()) == {"two"}
    assert len(kept) == len(read)
    one = rated_applications(read, "two", reference="hypothetical", systems=placed)
    assert set(one["application"].tolist()) == {"two"}
    assert len(one) == int(np.sum(kept["application"] == "two"))


def test_one_of_several_applications_is_fitted_by_name():
    answers = _two_applications()
    fit = learn.fit_ordinal(answers, application="one", means=(0,), draws=500, random_state=1)
    n_here = int(np.sum(answers["application"] == "one"))
    assert fit.provenance.rows_used == n_here
    assert fit.provenance.rows_dropped == {
        "another application": len(answers["application"]) - n_here
    }


def test_real_systems_have_names_of_their_own():
    read = ask.read_answers(ask.simulate_ordinal_answers(people=3, random_state=1))
    real = read["part"] != "hypothetical"
    read["application"][real] = "a forecaster"
    kept = rated_applications(read, None, reference="hypothetical")
    assert (len(kept), set(kept["application"].tolist())) == (len(read), {"weather"})
    kept = rated_applications(read, ["a forecaster"], reference="hypothetical")
    assert len(kept) == int(real.sum())


def test_imagined_and_real_systems_in_one_binary_model_are_refused_at_once():
    both = ask.simulate_ordinal_answers(people=45, random_state=1)
    with pytest.raises(InputError, match=r"3 parts: 'hypothetical'.*--model ordinal.*only_part="):
        learn.fit_acceptability(both)
    read = ask.read_answers(both)
    kept = one_part(read, "hypothetical")
    assert set(kept["part"].tolist()) == {"hypothetical"}
    assert one_part(kept, None) is kept


def test_a_share_the_ratings_say_nothing_about_is_refused():
    answers = dict(ask.simulate_ordinal_answers(people=45, random_state=1))
    answers["rating"] = np.maximum(answers["rating"], 6)
    fit = learn.fit_ordinal(answers, means=(0,), draws=500, random_state=1)
    assert fit.levels == (6, 7)
    with pytest.raises(InputError, match="nobody rated below 6"):
        fit.predict(precision=0.9, recall=0.9, part="hypothetical", at_least=5)
    assert 0 < fit.predict(precision=0.9, recall=0.9, part="hypothetical", at_least=7).mean < 1
