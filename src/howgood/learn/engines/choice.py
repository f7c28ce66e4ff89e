"""Which engine computes a posterior, and whether its result may be shown.

In: models, prior probabilities and the engine asked for. Out: a `Mixture` that passed its gates,
with `Diagnostics`. Absent: ungated results: where every engine fails there is an error.
"""

from collections.abc import Mapping
from typing import Literal, TypeVar

import numpy as np

from howgood.errors import (
    FallbackWarning,
    MissingExtraError,
    UngatedPosteriorError,
    UnknownNameError,
    announce,
)
from howgood.learn.binary import BinaryModel
from howgood.learn.engines.mixture import Mixture, posterior_probabilities, sample_mixture
from howgood.learn.engines.nuts import sample_chains
from howgood.learn.engines.resolution import is_too_coarse, unbounded, with_finer_grid
from howgood.learn.ordinal_model import OrdinalModel
from howgood.records.diagnostics import Diagnostics
from howgood.records.progress import Progress, silent

Model = TypeVar("Model", BinaryModel, OrdinalModel)
Engine = Literal["auto", "importance", "nuts"]
ENGINES = ("auto", "importance", "nuts")


def choose_and_sample(
    models: Mapping[float, Model],
    prior: Mapping[float, float],
    *,
    engine: Engine,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[Mixture, Diagnostics]:
    """Sample with the engine asked for; "auto" tries importance first, then NUTS."""
    if engine not in ENGINES:
        raise UnknownNameError(where="engine", name=engine, names=ENGINES)
    reason = ""
    if engine != "nuts":
        mixture = sample_mixture(models, prior, draws=draws, rng=rng, progress=progress)
        if is_too_coarse(models, mixture):
            models = with_finer_grid(models)
            mixture = sample_mixture(models, prior, draws=draws, rng=rng, progress=progress)
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
