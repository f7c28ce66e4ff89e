"""What is said of a group: ratios nobody can picture, brackets that are no intervals."""

from itertools import permutations

import numpy as np
import pytest

from howgood.ask.comparison import CANCER_WORDING
from howgood.records.elicitation import Agreement
from howgood.records.estimate import Estimate
from howgood.show.group import (
    GroupWeight,
    PersonWeight,
    group_findings,
    group_sections,
    people_table,
)
from howgood.show.translation import translated


def _person(
    a0, *, width=0.01, is_bracket=False, family="linear", kinds=None, agreement=None, undone=0
):
    return PersonWeight(
        name="p", a0=a0, lower=max(a0 - width, 0.0), upper=min(a0 + width, 1.0), family=family,
        kinds=kinds or {"choice": 9}, agreement=agreement, undone=undone, is_bracket=is_bracket,
    )  # fmt: skip


def _group(draws):
    mean = Estimate.from_draws(np.asarray(draws), probability=0.9, kind="quantile")
    return GroupWeight(a0=mean, spread=0.0, agreement=None)


def _said(people, draws):
    return " ".join(each.text for each in group_findings(people, _group(draws), CANCER_WORDING))


def test_a_weight_of_nearly_nothing_is_more_than_a_thousand_not_a_billion():
    people = [_person(0.0001), _person(0.4)]
    said = _said(people, np.linspace(0.0, 0.4, 1001))
    # The mean is .2: four alarms. 5 % and 95 %: a0 of .02 and .38, so 49 and 1.6 alarms.
    assert "4.0 false alarms (90 % interval 1.6 to 49)" in said
    assert "from 1.5 to more than 1,000 false alarms per miss" in said
    # Two people .4 apart: sd .4 / sqrt(2).
    assert "0.00 with the uncertainty about each person taken off, 0.28 with it left in" in said
    said = _said(people, np.append(np.zeros(100), np.full(900, 0.25)))
    assert "3.4 false alarms (90 % interval 3.0 to more than 1,000)" in said
    assert people_table(people)["one miss is worth"].tolist() == [
        "more than 1,000 false alarms", "1.5 false alarms",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("a0", "said"),
    [(1.0, "less than 0.1"), (1 / 1001, "1000"), (1 / 1002, "more than 1,000"), (0.5, "1.0")],
)
def test_ratios_at_their_ends(a0, said):
    assert people_table([_person(a0)])["one miss is worth"][0] == f"{said} false alarms"


def test_a_bracket_is_not_called_an_interval():
    alone = [_person(0.2, width=0.05, is_bracket=True)]
    assert people_table(alone)["last bracket"].tolist() == ["0.150 to 0.250"]
    said = _said(alone, np.linspace(0.15, 0.25, 101))
    assert "last bracket" in said
    assert "90 % interval" not in said
    assert "90 % interval" in people_table([_person(0.2)])


def test_what_one_person_values_is_german_on_german_pages():
    said = group_findings([_person(0.2)], _group([0.15, 0.2, 0.25]), CANCER_WORDING)[0].text
    assert said.startswith("For one person, ")
    assert translated(said, "de").startswith("Für eine Person wiegt ")


def _agreement(agreeing, **baselines):
    share = Estimate.from_draws(np.full(9, agreeing / 10), probability=0.9, kind="quantile")
    return Agreement(
        share=share, n_agreeing=agreeing, n_questions=10, n_without_preference=0,
        baselines={"accuracy": 50.0} | {name.replace("_", " "): m for name, m in baselines.items()},
    )  # fmt: skip


def _with_agreements(agreements, **group):
    people = [_person(0.2, agreement=each) for each in agreements]
    mean = Estimate.from_draws(np.full(9, 0.2), probability=0.9, kind="quantile")
    found = GroupWeight(a0=mean, spread=0.0, agreement=mean, **group)
    said = [each.text for each in group_findings(people, found, CANCER_WORDING)]
    return next(each for each in said if each.startswith("Agreement M"))


def test_a_baseline_not_everybody_has_is_kept_for_those_who_have_it_in_any_order():
    """Two of three people answered the direct question; it does 60 % and 80 % for them."""
    agreements = [
        _agreement(10, direct_question=60.0), _agreement(8, direct_question=80.0), _agreement(6),
    ]  # fmt: skip
    for order in permutations(agreements):
        said = _with_agreements(order)
        assert "accuracy: 50 %;" in said
        assert (
            "direct question: 70 % for the 2 of 3 people who answered it, whose own metric reaches "
            "90 %"
        ) in said


def test_a_direct_question_that_everybody_or_nobody_answered():
    everybody = _with_agreements([_agreement(9, direct_question=60.0)] * 2, is_direct_asked=True)
    assert everybody.endswith("direct question: 60 %.")
    nobody = _with_agreements([_agreement(9)] * 2, is_direct_asked=True)
    assert nobody.endswith("direct question: nobody answered it.")
    assert "direct question" not in _with_agreements([_agreement(9)] * 2)


def test_who_has_no_agreement_is_not_among_those_averaged_over():
    assert "averaged over people." in _with_agreements([_agreement(9)] * 2)
    said = _with_agreements([_agreement(9), None, _agreement(8)])
    assert "averaged over the 2 of 3 people who preferred a side in them." in said


def test_kinds_of_metric_are_counted_apart_from_those_not_settled():
    families = ["linear", "f_beta", "cap", None]
    people = [_person(0.2, family=each) for each in families]
    said = _said(people, np.full(9, 0.2))
    assert "For 2 of 4 people a fixed exchange rate is not the rule" in said
    assert "For 1 of 4 people the choices do not settle the kind of metric" in said
    assert people_table(people)["kind of metric"].tolist() == [
        "linear", "F-beta", "a cap on misses", "not settled",
    ]  # fmt: skip
    assert "exchange rate" not in _said([_person(0.2)], np.full(9, 0.2))


def test_judgements_are_counted_by_what_they_were_for():
    one = _person(0.2, kinds={"choice": 20, "catch": 6, "repeat": 2, "held-out": 15}, undone=3)
    two = _person(0.3, kinds={"choice": 10, "held-out": 15})
    mean = Estimate.from_draws(np.full(9, 0.2), probability=0.9, kind="quantile")
    group = GroupWeight(a0=mean, spread=0.0, agreement=None)
    text = group_sections([one, two], group)[-1].text
    assert text.startswith(
        "68 judgements: 30 to learn from, 6 attention checks, 2 repeats, 30 kept back to test."
    )
    assert "Taken back, and not counted: 3." in text
    assert people_table([one, two])["pairs judged"].tolist() == [43, 25]
