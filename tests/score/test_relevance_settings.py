"""Settings of the Relevance Score that are no numbers."""

import pytest

from howgood.errors import InputError
from howgood.learn import outcome_probabilities
from howgood.score.relevance import alpha_share


@pytest.mark.parametrize("weights", [(None, 1.0), ("2", 1.0), (2.0, None)])
def test_weights_that_are_no_numbers_are_refused(weights):
    with pytest.raises(InputError, match="alpha and beta"):
        alpha_share(*weights)


@pytest.mark.parametrize("smoothing", [None, "1", float("nan"), -1])
def test_smoothing_that_is_no_number_is_refused(smoothing):
    with pytest.raises(InputError, match="smoothing"):
        outcome_probabilities(
            {"a": [1, 2], "y": ["u", "v"]}, outcome="y", context=["a"], smoothing=smoothing
        )
