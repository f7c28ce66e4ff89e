"""Set-up says what pip is doing."""

import pytest
from checks.set_up import _step

COLLECTED = ["Collecting numpy==2\n", "  Downloading numpy\n", "Collecting six==1\n"]
BUILT = [*COLLECTED, "Building wheels for collected packages: pyspark\n"]


@pytest.mark.parametrize(
    ("said", "total", "step"),
    [
        ([], 35, "fetched 0 of at most 35"),
        (COLLECTED, 35, "fetched 2 of at most 35"),
        (BUILT, 35, "building the few that come as source"),
        ([*BUILT, "Installing collected packages: six, numpy\n"], 35, "unpacking"),
        (["Building wheels for collected packages: howgood\n"], 0, "adding howgood itself"),
    ],
)
def test_a_step_is_named_by_what_pip_said(said, total, step):
    assert _step(said, total) == step
