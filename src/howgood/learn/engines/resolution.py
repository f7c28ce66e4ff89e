"""Is the grid over people's leniency fine enough, and is their spread bounded at all?

In: models and weighted draws. Out: models with a finer grid, and a sentence when the answers leave
open how much people differ. Absent: sampling.

The grid reaches six standard deviations to either side, so its step grows with how much people
differ; once it passes the width of the logistic curve the integral is wrong. Nearly improper priors
with hardly any answers (one person, preset `kay2015`) put posterior mass at spreads of any size: no
grid helps there, and no number about such people means anything.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from howgood.learn.binary import BinaryModel
from howgood.learn.engines.mixture import Mixture
from howgood.learn.ordinal_model import OrdinalModel
from howgood.stats.quadrature import N_NODES

Model = TypeVar("Model", BinaryModel, OrdinalModel)

FINER_NODES = 257
# Up to this spread the integral is off by less than a tenth of a nat for twenty people.
_WIDEST_PER_NODE = 10.0 / N_NODES
_NEGLIGIBLE = 0.01


def with_finer_grid(models: Mapping[float, Model]) -> dict[float, Model]:
    """Return the same models with four times the nodes."""
    return {p: replace(model, n_nodes=FINER_NODES) for p, model in models.items()}


def is_too_coarse(models: Mapping[float, Model], mixture: Mixture) -> bool:
    """Say whether more than a hundredth of the posterior lies beyond what the grid resolves."""
    return _share_beyond(models, mixture) > _NEGLIGIBLE


def unbounded(models: Mapping[float, Model], mixture: Mixture) -> str:
    """Say that the answers leave open how much people differ, or return an empty string."""
    share = _share_beyond(models, mixture)
    if share <= _NEGLIGIBLE:
        return ""
    widest = _WIDEST_PER_NODE * next(iter(models.values())).n_nodes
    return (
        f"the answers do not bound how much people differ (their standard deviation exceeds "
        f"{widest:.0f} logits with probability {share:.2g})"
    )


def _share_beyond(models: Mapping[float, Model], mixture: Mixture) -> float:
    total = 0.0
    for p, sample in mixture.samples.items():
        model = models[p]
        beyond = model.spread(sample.draws) > _WIDEST_PER_NODE * model.n_nodes
        total += mixture.probabilities[p] * float(sample.weights[beyond].sum())
    return total
