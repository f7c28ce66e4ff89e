"""For whom intervals of alpha hold: one sentence, and its German."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from howgood.learn.other_people import OtherPeople
from howgood.records.diagnostics import Diagnostics
from howgood.records.provenance import Provenance
from howgood.show.other_people import other_people_finding, other_people_sections
from howgood.show.translation import translated

NAN = float("nan")


def _others(probability):
    return OtherPeople(
        applications=("alarm",),
        mean_probabilities={} if np.isnan(probability) else {0: 1.0},
        probability=probability,
        spread_draws=np.full(100, 1.0),
        alpha_draws=np.linspace(0.3, 0.5, 100)[:, None],
        respondents={"alarm": 30},
        evidence={"alarm": "enough"},
        diagnostics=Diagnostics(engine="importance", passed=True, khat=0.1, effective_draws=900.0),
        provenance=Provenance(method="by hand"),
    )


@dataclass
class _Fit:
    others: OtherPeople | None
    applications: tuple[str, ...] = ("alarm",)
    mean_probabilities: dict[int, float] = field(default_factory=lambda: {0: 0.96, 1: 0.04})

    def other_people(self):
        return self.others

    def estimate(self, parameter, application):
        return self.others.alpha(application)


@pytest.mark.parametrize(
    ("probability", "said"),
    [(0.01, "People weigh errors alike"), (0.5, "Not enough evidence to say whether people weigh"),
     (0.999, "People weigh errors differently"), (NAN, "not compared where the order"),
     (None, "was not worked out")],
)  # fmt: skip
def test_one_finding_says_for_whom_the_intervals_hold_in_both_languages(probability, said):
    finding = other_people_finding(_Fit(None if probability is None else _others(probability)))
    assert said in finding.text
    assert "the intervals of alpha" in finding.text.lower()
    german = translated(finding.text, "de")
    assert german is not None
    assert "ntervalle von alpha" in german
    assert "people" not in german


def test_a_kind_of_mean_that_is_open_is_said_where_intervals_depend_on_it():
    kinds = {-1: 0.3, 0: 0.7}
    said = "They take the likeliest kind of mean as known"
    for probability, depends in ((0.01, False), (0.5, True), (0.999, True)):
        finding = other_people_finding(_Fit(_others(probability), mean_probabilities=kinds))
        assert (said in finding.text) is depends
        assert "people" not in translated(finding.text, "de")
    assert said not in other_people_finding(_Fit(_others(0.5))).text


def test_four_in_five_lie_where_the_normal_quantiles_say():
    """A spread of 1 around a logit of 0: 90 % lie below expit(1.2816) = 0.7827."""
    text = other_people_finding(_Fit(_others(0.999))).text
    assert "four in five lie between 0.22 and 0.78" in text


def test_the_section_does_not_repeat_the_finding():
    fit = _Fit(_others(0.999))
    (section,) = other_people_sections(fit)
    assert other_people_finding(fit).text.split(":")[0] not in section.text
    for text in (section.title, section.about, section.text, *section.table.columns):
        assert translated(text, "de") is not None, text


def test_methods_give_the_probability_and_never_as_certain():
    assert "a probability of above 0.99" in _others(1.0).methods_text()
    assert "a probability of 0.50" in _others(0.5).methods_text()
    assert "one weight for everybody" in _others(0.0).methods_text()
    assert "probability" not in _others(NAN).methods_text()
