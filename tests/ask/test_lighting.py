"""Simulated choices of light."""

import numpy as np
import pytest

from howgood.ask import simulate_lighting
from howgood.errors import InputError


def test_the_shape_is_the_papers():
    rows = simulate_lighting(random_state=0)
    assert len(rows) == 236
    assert rows.columns[:6] == ["user", "activity", "area", "company", "time", "daylight"]
    assert len(set(rows["light"].tolist())) == 8


def test_the_same_seed_gives_the_same_rows():
    one, two = simulate_lighting(random_state=3), simulate_lighting(random_state=3)
    assert all((one[name] == two[name]).all() for name in one)


def test_dice_do_not_depend_on_the_activity_but_people_do():
    def dependence(**settings):
        rows = simulate_lighting(rows=8000, random_state=1, **settings)
        kinds, light = np.unique(rows["light"], return_inverse=True)
        shares = [
            np.bincount(light[rows["activity"] == kind], minlength=len(kinds)) / 2000
            for kind in ("read", "relax")
        ]
        return np.abs(shares[0] - shares[1]).sum()

    assert dependence(random_outcomes=True) < 0.2
    assert dependence() > 1.0


def test_nobody_and_nothing_cannot_be_simulated():
    with pytest.raises(InputError, match="at least one"):
        simulate_lighting(rows=0)
