"""What is said of a group: ratios nobody can picture, brackets that are no intervals."""

import numpy as np
import pytest

from howgood.ask.comparison import CANCER_WORDING
from howgood.records.estimate import Estimate
from howgood.show.group import GroupWeight, PersonWeight, group_findings, people_table


def _person(a0, *, width=0.01, is_bracket=False):
    return PersonWeight(
        name="p", a0=a0, lower=max(a0 - width, 0.0), upper=min(a0 + width, 1.0), kind="linear",
        pairs=9, agreement=None, is_bracket=is_bracket,
    )  # fmt: skip


def _said(people, draws):
    mean = Estimate.from_draws(np.asarray(draws), probability=0.9, kind="quantile")
    group = GroupWeight(a0=mean, spread=0.0, agreement=None)
    return " ".join(each.text for each in group_findings(people, group, CANCER_WORDING))


def test_a_weight_of_nearly_nothing_is_more_than_a_thousand_not_a_billion():
    people = [_person(0.0001), _person(0.4)]
    said = _said(people, np.linspace(0.0, 0.4, 1001))
    # The mean is .2: four alarms. 5 % and 95 %: a0 of .02 and .38, so 49 and 1.6 alarms.
    assert "4.0 false alarms (90 % interval 1.6 to 49)" in said
    assert "from 1.5 to more than 1,000 false alarms per miss" in said
    # Two people .4 apart: sd .4 / sqrt(2).
    assert "0.00 with the doubt about each person taken off, 0.28 with it left in" in said
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
