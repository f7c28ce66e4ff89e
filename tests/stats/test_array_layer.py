"""The privately loaded array layer is arviz-stats' own, and disturbs nobody."""

import subprocess
import sys

import numpy as np

from howgood.stats.array_layer import array_stats


def _run(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_it_gives_what_the_ordinary_import_gives():
    from arviz_stats.base import array_stats as ordinary

    private = array_stats()
    assert private is not ordinary
    draws = np.random.default_rng(1).normal(size=(4, 500)) ** 3
    np.testing.assert_array_equal(
        private.hdi(draws.ravel(), prob=0.9), ordinary.hdi(draws.ravel(), prob=0.9)
    )
    for ours, theirs in zip(
        private.psislw(draws.ravel()), ordinary.psislw(draws.ravel()), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    for name in ("ess", "rhat"):
        mine = getattr(private, name)(draws, chain_axis=0, draw_axis=1)
        assert mine == getattr(ordinary, name)(draws, chain_axis=0, draw_axis=1)


def test_an_interval_loads_neither_scipy_nor_xarray():
    loaded = _run(
        "from howgood.records import Estimate; import sys\n"
        "Estimate.from_draws([1., 2., 3.])\nprint(' '.join(sys.modules))"
    )
    assert not {"scipy", "xarray", "pandas", "arviz_stats"} & set(loaded)


def test_a_later_import_of_arviz_stats_is_the_same_as_ever():
    look = "import arviz_stats.base\nprint(*dir(arviz_stats), *dir(arviz_stats.base))"
    before = "from howgood.records import Estimate\nEstimate.from_draws([1., 2., 3.])\n"
    assert _run(before + look) == _run(look)
