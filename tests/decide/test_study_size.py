"""How many people a study needs."""

import numpy as np
import pytest

from howgood import decide
from howgood.cli.main import run
from howgood.decide.planning import _share_ends
from howgood.errors import InputError
from howgood.show.decisions import study_size_findings

ALARMS = {
    "text": {"alpha": 0.25, "intercept": -13.0, "slope": 16.0},
    "police": {"alpha": 0.65, "intercept": -17.0, "slope": 20.0},
}


@pytest.fixture(scope="module")
def found():
    steps = []
    size = decide.study_size(
        ALARMS,
        width=0.25,
        people=(8, 32),
        per_person=(8,),
        studies=6,
        random_state=1,
        progress=lambda share, step: steps.append(share),
    )
    return size, steps


def test_four_times_the_people_about_halve_the_interval(found):
    size, _ = found
    few, many = (size.widths["width"][size.widths["people"] == n].mean() for n in (8, 32))
    assert few / many == pytest.approx(2.0, rel=0.3)
    assert size.people == 32
    assert size.scenarios == 8


def test_more_people_tell_applications_apart(found):
    size, _ = found
    assert size.power["power"].tolist() == sorted(size.power["power"].tolist())
    assert size.power["power"][-1] == 1.0
    assert size.power["difference"][0] == pytest.approx(-0.4)


def test_power_comes_with_the_error_of_its_simulation(found):
    size, _ = found
    assert size.power["studies"].tolist() == [6, 6]
    # All of six apart: Clopper and Pearson's lower end is the sixth root of .025.
    assert (size.power["lower"][-1], size.power["upper"][-1]) == pytest.approx(
        (0.025 ** (1 / 6), 1)
    )
    # Seven of twenty, as tables print it; none of twenty: 1 - .025^(1/20).
    assert _share_ends(7, 20) == pytest.approx((0.1539, 0.5922), abs=1e-4)
    assert _share_ends(0, 20) == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))
    assert _share_ends(0, 0) == (0.0, 1.0)
    said = next(one.text for one in study_size_findings(size) if "Power" in one.text)
    assert "Power of 32 people with 8 scenarios" in said
    assert "text and police 100 % (6 simulated studies: 54 to 100 %)" in said
    assert "--studies" in said


def test_progress_rises_to_one(found):
    _, steps = found
    assert steps == sorted(steps)
    assert steps[-1] == pytest.approx(1.0)


def test_a_width_nobody_reaches_is_said_so():
    size = decide.study_size(ALARMS, width=0.01, people=(5,), studies=1, random_state=1)
    assert size.people is None


@pytest.mark.parametrize(
    "wrong",
    [{"people": (1,)}, {"width": 2}, {"studies": 0}, {"alpha_sd": -1.0}, {"alpha_sd": np.nan}],
)
def test_impossible_studies_are_refused(wrong):
    with pytest.raises(InputError):
        decide.study_size(ALARMS, **wrong)


def test_the_command_reads_imagined_applications(capsys):
    arguments = ["study-size", "--people", "6,12", "--studies", "2", "--width", ".6"]
    assert run([*arguments, "--application", "a:alpha=.3,intercept=-13,slope=16"]) == 0
    assert "people with 8 scenarios each" in capsys.readouterr().out
    assert run([*arguments, "--application", "a:beta=1"]) == 2
    assert run(["study-size", "--people", "many"]) == 2


def test_people_with_weights_of_their_own_need_a_larger_study():
    alarm = {"alarm": {"alpha": 0.4, "intercept": -11.5, "slope": 16.0}}
    design = {"width": 0.2, "people": (15,), "per_person": (16,), "studies": 3, "random_state": 1}
    alike = decide.study_size(alarm, **design)
    differing = decide.study_size(alarm, alpha_sd=1.5, **design)
    assert differing.widths["width"][0] > alike.widths["width"][0]
    assert differing.provenance.settings["sd of the logit of alpha between people"] == 1.5
    assert "one alpha for everybody" in study_size_findings(alike)[1].text
    assert not any("one alpha" in finding.text for finding in study_size_findings(differing))
