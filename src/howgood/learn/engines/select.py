"""Which engine computes a posterior, and whether its result may be shown.

In: models, prior probabilities and the engine asked for. Out: a `Mixture` that passed its gates,
with `Diagnostics`. Absent: ungated results: where every engine fails there is an error.

The grid over people's leniency reaches six standard deviations to either side, so its step grows
with how much people differ; once it passes the width of the logistic curve the integral is wrong,
and a finer grid is needed. Nearly improper priors with hardly any answers (one person, preset
`kay2015`) put posterior mass at spreads of any size: no grid helps there, and no number about such
people means anything.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Literal, TypeVar

import numpy as np

from howgood.errors import (
    FallbackWarning,
    MissingExtraError,
    UngatedPosteriorError,
    UnknownNameError,
    announce,
)
from howgood.learn.binary_model import BinaryModel
from howgood.learn.engines.importance import (
    FindPilot,
    Mixture,
    Pilot,
    pilot,
    posterior_probabilities,
    sample_mixture,
)
from howgood.learn.engines.nuts import sample_chains
from howgood.learn.ordinal_model import OrdinalModel
from howgood.learn.segment_model import SegmentModel
from howgood.records.diagnostics import Diagnostics
from howgood.records.progress import Progress, silent
from howgood.stats.random_intercepts import N_NODES

Model = TypeVar("Model", BinaryModel, OrdinalModel, SegmentModel)

FINER_NODES = 257
# Up to this spread the integral is off by less than a tenth of a nat for twenty people.
_WIDEST_PER_NODE = 10.0 / N_NODES
_NEGLIGIBLE = 0.01
Engine = Literal["auto", "importance", "nuts"]
ENGINES = ("auto", "importance", "nuts")


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


def choose_and_sample(
    models: Mapping[float, Model],
    prior: Mapping[float, float],
    *,
    engine: Engine,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
    find: FindPilot = pilot,
    like: Pilot | None = None,
) -> tuple[Mixture, Diagnostics]:
    """Sample with the engine asked for; "auto" tries importance first, then NUTS."""
    if engine not in ENGINES:
        raise UnknownNameError(where="engine", name=engine, names=ENGINES)
    reason = ""
    if engine != "nuts":
        sample = partial(
            sample_mixture, draws=draws, rng=rng, progress=progress, find=find, like=like
        )
        mixture = sample(models, prior)
        if is_too_coarse(models, mixture):
            models = with_finer_grid(models)
            mixture = sample(models, prior)
        reason = _complaints(mixture.complaints)
        _refuse_if_unbounded(models, mixture, reason)
        if not reason:
            return mixture, _importance_diagnostics(mixture)
        if engine == "importance":
            raise UngatedPosteriorError(_refusal(reason, 'Use engine="auto" or "nuts".'))
    return _by_nuts(models, prior, draws=draws, rng=rng, progress=progress, reason=reason)


def _by_nuts(
    models: Mapping[float, Model],
    prior: Mapping[float, float],
    *,
    draws: int,
    rng: np.random.Generator,
    progress: Progress,
    reason: str,
) -> tuple[Mixture, Diagnostics]:
    """Sample every kind of mean by NUTS; say so when it was not asked for."""
    models = with_finer_grid(models)
    try:
        chains = sample_chains(models, draws=draws, rng=rng, progress=progress)
    except MissingExtraError as error:
        if not reason:
            raise
        raise UngatedPosteriorError(
            _refusal(reason, f"The way out: {error}; or ask more people.")
        ) from error
    samples = {p: chain.sample for p, chain in chains.items()}
    evidence = {p: sample.log_evidence for p, sample in samples.items()}
    mixture = Mixture(
        samples, posterior_probabilities(evidence, prior), evidence, dict.fromkeys(samples, "")
    )
    failed = _complaints({p: chain.complaint for p, chain in chains.items()})
    _refuse_if_unbounded(models, mixture, failed)
    if failed:
        first = f"{reason}; then NUTS: " if reason else ""
        raise UngatedPosteriorError(
            _refusal(f"{first}{failed}", "Ask more people, or use more informative priors.")
        )
    if reason:
        announce(
            f"importance sampling was left for NUTS: {reason}.",
            FallbackWarning,
        )
    return mixture, Diagnostics(
        engine="nuts",
        rhat=max(chain.rhat for chain in chains.values()),
        effective_draws=mixture.effective_draws,
        passed=True,
        reason=reason,
    )


def gated(mixture: Mixture, *, cure: str) -> Diagnostics:
    """Return how importance sampling went; draws that fail a gate are refused."""
    failed = _complaints(mixture.complaints)
    if failed:
        raise UngatedPosteriorError(_refusal(failed, cure))
    return _importance_diagnostics(mixture)


def _importance_diagnostics(mixture: Mixture) -> Diagnostics:
    return Diagnostics(
        engine="importance",
        khat=max(sample.khat for sample in mixture.samples.values()),
        efficiency=min(sample.efficiency for sample in mixture.samples.values()),
        effective_draws=mixture.effective_draws,
        passed=True,
    )


def _complaints(by_order: Mapping[float, str]) -> str:
    return "; ".join(
        f"p = {p:g}: {words}" if np.isfinite(p) else words for p, words in by_order.items() if words
    )


def _refuse_if_unbounded(models: Mapping[float, Model], mixture: Mixture, gates: str) -> None:
    """No engine makes sense of people who may differ without bound."""
    reason = unbounded(models, mixture)
    if reason:
        raise UngatedPosteriorError(
            _refusal(
                "; ".join(words for words in (reason, gates) if words),
                'Ask more people about more scenarios, or use priors="howgood", which hold that '
                "people differ within reason.",
            )
        )


def _refusal(reason: str, cure: str) -> str:
    return f"the posterior cannot be trusted: {reason}; every gate must be passed. {cure}"
