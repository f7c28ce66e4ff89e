"""A study gets its result whatever its applications are called."""

import copy
from xml.etree import ElementTree

import pytest
from tests.flow.results.conftest import SURVEY

from howgood.flow.results.tasks import run_task
from howgood.show.figures.theme import of_widths


@pytest.fixture
def database_address(tmp_path):
    """SQLite alone: names are drawn the same way on both."""
    return str(tmp_path / "answers.sqlite")


@pytest.mark.filterwarnings("ignore::howgood.errors.HowgoodWarning")
def test_a_dollar_in_a_name_is_no_mathematics_and_no_trouble(host, asked):
    study = copy.deepcopy(SURVEY)
    name = r"$5 bell, $\frac{$"
    study["survey"]["applications"][0]["name"] = name
    result = run_task(host, asked(study, 12).number, "fit", {"seed": 5})
    assert result.is_enough
    drawn = [svg for each in result.report.sections if each.svg for svg in of_widths(each.svg)]
    assert drawn
    texts = ["".join(ElementTree.fromstring(svg).itertext()) for svg in drawn]  # noqa: S314 - we drew it
    assert any(name in text for text in texts)
