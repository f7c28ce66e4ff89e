"""How many people a study usually asks: the live page and the results say the same."""

import pytest

from howgood.kinds import KINDS
from howgood.show import acceptability, group, results

SAID = {
    "survey": acceptability.USUAL_PEOPLE,
    "failures": acceptability.USUAL_PEOPLE,
    "comparison": group.USUAL_PEOPLE,
    "criteria": group.USUAL_PEOPLE,
    "votes": group.USUAL_PEOPLE,
    "rerating": results.USUAL_RATERS,
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_live_page_waits_for_as_many_people_as_results_call_usual(kind):
    assert KINDS[kind].usual_people == SAID[kind]
