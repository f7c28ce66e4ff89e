"""Full sampling with NUTS (PyMC and nutpie), for posteriors that importance sampling cannot do.

In: `BinaryModel`, `OrdinalModel` or `SegmentModel`. Out: a PyMC model whose variables carry our
names; draws, with R-hat and evidence. Absent: anything without the "nuts" extra.

Here people's leniency is sampled, not integrated: the two engines share the priors and nothing
of the computation, so that each checks the other.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from howgood.errors import MissingExtraError
from howgood.learn import ordinal_likelihood
from howgood.learn.binary_model import BinaryModel, Cells
from howgood.learn.ordinal_model import OrdinalModel
from howgood.learn.segment_model import SegmentModel, helmert
from howgood.records.priors import USUAL_MEAN, GammaPrecision, LogNormal, SpreadPrior
from howgood.records.progress import Progress, silent
from howgood.stats.arrays import FloatArray
from howgood.stats.half_normal import half_normal_point
from howgood.stats.importance import WeightedDraws, bridge_log_evidence

_ENOUGH_ANSWERS = 6.0

BINARY = ("intercept", "slope", "alpha", "person_sd", "flawless", "order")
ORDINAL = ("threshold", "slope", "alpha", "level", "shift", "log_scale", "person_sd", "order")
SEGMENTS = ("spread", "contrast")
Model = TypeVar("Model", BinaryModel, OrdinalModel, SegmentModel)
AnyModel = BinaryModel | OrdinalModel | SegmentModel

LARGEST_RHAT = 1.01
LEAST_EFFECTIVE = 400.0
_CHAINS = 4


def columns_of(model: AnyModel) -> tuple[str, ...]:
    """Return the variables that make up a point, in order."""
    if isinstance(model, SegmentModel):
        names = columns_of(model.middle) + (SEGMENTS if model.n_contrasts else ())
        return (*names, "person_alpha") if model.has_own_alphas else names
    names = ORDINAL
    if isinstance(model, OrdinalModel):
        absent = ("level",) * (model.n_applications == 1)
        absent += ("shift", "log_scale") * (model.n_other_parts == 0)
        names = tuple(name for name in ORDINAL if name not in absent)
    else:
        names = BINARY if model.flawless else tuple(name for name in BINARY if name != "flawless")
    return names if model.order is None else names[:-1]


def pymc_model(model: AnyModel) -> Any:  # noqa: ANN401 - PyMC ships no types
    """Return the same model for PyMC."""
    if isinstance(model, SegmentModel):
        return pymc_segments(model)
    return pymc_binary(model) if isinstance(model, BinaryModel) else pymc_ordinal(model)


def pymc_segments(model: SegmentModel) -> Any:  # noqa: ANN401 - PyMC ships no types
    """Return the model of people who differ for PyMC."""
    import pymc as pm
    import pytensor.tensor as pt

    middle, priors = model.middle, model.priors
    with pm.Model() as built:
        intercept, slope = _lines(pm, pt, middle)
        alpha = pm.Beta("alpha", priors.alpha.a, priors.alpha.b, shape=middle.n_applications)
        spread = _spread(pm, priors.person_sd)
        order: Any = model.order
        if model.order is None:
            order = pm.Normal("order", priors.order.mean, priors.order.sd)
        _informed(pm, pt, middle, intercept, slope, alpha)
        more = pm.HalfNormal("flawless", priors.flawless.scale) if model.flawless else 0.0
        omega: Any = 0.0
        if model.has_own_alphas:
            omega = pm.HalfNormal("person_alpha", model.spreads.person_alpha.scale)
        shift_alpha, shift_level = _shifts_of_segments(pm, pt, model)
        for number, cells in enumerate(model.segments):
            person, cell, trials, accepted = _people_rows(cells)
            n_people, at = int(person.max()) + 1, cells.application
            unseen = pm.Normal(f"leniency_{number}", 0.0, 1.0, shape=n_people)
            logits = (pt.log(alpha / (1 - alpha)) + shift_alpha[:, number])[at][cell]
            if model.has_own_alphas:
                step = pm.Normal(f"own_alpha_{number}", 0.0, 1.0, shape=n_people)
                logits = logits + omega * step[person]
            own = pt.clip(pt.sigmoid(logits), 1e-9, 1 - 1e-9)
            mean = _power_mean(pt, cells.precision[cell], cells.recall[cell], order, own)
            center = (intercept + shift_level[:, number])[at][cell] + slope[at][cell] * mean
            center = center + more * cells.is_flawless[cell] + spread * unseen[person]
            pm.Binomial(f"accepted_{number}", n=trials, logit_p=center, observed=accepted)
    return built


def _shifts_of_segments(pm: Any, pt: Any, model: SegmentModel) -> tuple[Any, Any]:  # noqa: ANN401 - PyMC ships no types
    """Return shifts of logits of alpha and of levels: applications by segments, each."""
    n, k = model.middle.n_applications, model.n_contrasts
    if not k:
        return pt.zeros((n, 1)), pt.zeros((n, 1))
    scales = np.array([model.spreads.alpha.scale, model.spreads.level.scale])
    tau = pm.HalfNormal("spread", scales, shape=2)
    contrast = pm.Normal("contrast", 0.0, 1.0, shape=(2, n, k))  # over its spread
    away = helmert(k + 1)
    return tau[0] * contrast[0] @ away, tau[1] * contrast[1] @ away


def pymc_binary(model: BinaryModel) -> Any:  # noqa: ANN401 - PyMC ships no types
    """Return the binary model for PyMC."""
    import pymc as pm
    import pytensor.tensor as pt

    cells, priors, n = model.cells, model.priors, model.n_applications
    person, cell, trials, accepted = _people_rows(model.cells)
    with pm.Model() as built:
        intercept, slope = _lines(pm, pt, model)
        alpha = pm.Beta("alpha", priors.alpha.a, priors.alpha.b, shape=n)
        spread = _spread(pm, priors.person_sd)
        order: Any = model.order
        if model.order is None:
            order = pm.Normal("order", priors.order.mean, priors.order.sd)
        _informed(pm, pt, model, intercept, slope, alpha)
        leniency = _leniency(pm, spread, n_people=int(person.max()) + 1, n_answers=trials.sum())
        at = cells.application
        mean = _power_mean(pt, cells.precision, cells.recall, order, alpha[at])
        center = intercept[at] + slope[at] * mean
        if model.flawless:
            more = pm.HalfNormal("flawless", priors.flawless.scale)
            center = center + more * cells.is_flawless
        pm.Binomial(
            "accepted",
            n=trials,
            logit_p=center[cell] + leniency[person],
            observed=accepted,
        )
    return built


def _lines(pm: Any, pt: Any, model: BinaryModel) -> tuple[Any, Any]:  # noqa: ANN401 - PyMC ships no types
    """Return intercepts and slopes, with their priors where nothing more is known of them."""
    priors, names = model.priors, model.cells.applications
    # Intercept and slope are nearly collinear; the level at a usual mean is not.
    level, slopes = pm.Flat("level", shape=len(names)), []
    for i, name in enumerate(names):
        if name in priors.applications:
            slopes.append(pm.Flat(f"slope_{i}"))
        elif priors.curve is None:
            slopes.append(pm.Normal(f"slope_{i}", priors.slope.mean, priors.slope.sd))
        else:
            slopes.append(pm.HalfNormal(f"slope_{i}", priors.curve.slope_scale))
    slope = pm.Deterministic("slope", pt.stack(slopes))
    intercept = pm.Deterministic("intercept", level - USUAL_MEAN * slope)
    if priors.curve is None:
        assumed, where = pm.Normal.dist(priors.intercept.mean, priors.intercept.sd), intercept
    else:
        assumed, where = pm.Normal.dist(priors.curve.level_mean, priors.curve.level_sd), level
    general = np.array([name not in priors.applications for name in names])
    pm.Potential("level_prior", (pm.logp(assumed, where) * general).sum())
    return intercept, slope


def _leniency(pm: Any, spread: Any, *, n_people: int, n_answers: float) -> Any:  # noqa: ANN401 - PyMC ships no types
    """Centre where people say enough about themselves, else keep apart from their spread."""
    if n_answers / n_people >= _ENOUGH_ANSWERS:
        return pm.Normal("leniency", 0.0, spread, shape=n_people)
    return pm.Normal("leniency", 0.0, 1.0, shape=n_people) * spread


def _people_rows(
    cells: Cells,
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray, FloatArray]:
    """One row per person and question answered: person, cell, answers, acceptances."""
    groups, n_cells = cells.groups, cells.n_cells
    counts = np.repeat(groups.counts, groups.alike.astype(int), axis=0)
    trials = counts[:, :n_cells] + counts[:, n_cells:]
    person, cell = np.nonzero(trials)
    return person, cell, trials[person, cell], counts[person, cell]


def _spread(pm: Any, prior: SpreadPrior) -> Any:  # noqa: ANN401 - PyMC ships no types
    if isinstance(prior, GammaPrecision):
        precision = pm.Gamma("precision", prior.shape, prior.rate)
        return pm.Deterministic("person_sd", precision**-0.5)
    if isinstance(prior, LogNormal):
        return pm.LogNormal("person_sd", prior.mean_log, prior.sd_log)
    return pm.HalfNormal("person_sd", prior.scale)


def _informed(pm: Any, pt: Any, model: BinaryModel, intercept: Any, slope: Any, alpha: Any) -> None:  # noqa: ANN401 - PyMC ships no types
    """Replace the general prior of an application by what is known about it."""
    general = model.priors
    for name, prior in general.applications.items():
        if name not in model.cells.applications:
            continue
        i = model.cells.applications.index(name)
        place = pt.stack([intercept[i], slope[i], pt.log(alpha[i] / (1 - alpha[i]))])
        joint = pm.logp(pm.MvNormal.dist(np.array(prior.mean), np.array(prior.covariance)), place)
        instead = (
            joint
            - pm.logp(pm.Beta.dist(general.alpha.a, general.alpha.b), alpha[i])
            - pt.log(alpha[i])
            - pt.log1p(-alpha[i])
        )
        pm.Potential(f"known_{i}", instead)


def _power_mean(pt: Any, precision: FloatArray, recall: FloatArray, order: Any, alpha: Any) -> Any:  # noqa: ANN401 - PyMC ships no types
    """Return the weighted power mean as a symbolic expression."""
    zero = (precision == 0) | (recall == 0)
    log_p = np.log(np.where(zero, 1.0, precision))
    log_r = np.log(np.where(zero, 1.0, recall))
    geometric = alpha * log_p + (1 - alpha) * log_r
    if isinstance(order, float) and order == 0:
        return pt.exp(geometric) * ~zero
    near_zero = geometric + order * alpha * (1 - alpha) * (log_p - log_r) ** 2 / 2
    safe = pt.switch(pt.lt(pt.abs(order), 1e-4), 1.0, order)
    power = pt.log(alpha * pt.exp(safe * log_p) + (1 - alpha) * pt.exp(safe * log_r)) / safe
    inside = pt.exp(pt.switch(pt.lt(pt.abs(order), 1e-4), near_zero, power))
    # With a zero and p > 0 one term is left; with p <= 0 the mean is zero.
    left = pt.switch(precision > 0, alpha, 1 - alpha) ** (1 / pt.maximum(order, 1e-4))
    edge = pt.switch(pt.gt(order, 0), left * np.maximum(precision, recall), 0.0)
    return pt.switch(zero, edge, inside)


def pymc_ordinal(model: OrdinalModel) -> Any:  # noqa: ANN401 - PyMC ships no types
    """Return the ordinal model for PyMC."""
    import pymc as pm
    import pytensor.tensor as pt

    cells, priors = model.cells, model.priors
    person, cell, times = _rated_rows(model)
    with pm.Model() as built:
        n_apps, others = model.n_applications, model.n_other_parts
        slope, threshold = _ordered_thresholds(pm, model)
        alpha = pm.Beta("alpha", priors.alpha.a, priors.alpha.b, shape=n_apps)
        level = _levels(pm, model, slope)
        shift = pm.Normal("shift", priors.shift.mean, priors.shift.sd, shape=others)
        log_scale = pm.Normal("log_scale", priors.log_scale.mean, priors.log_scale.sd, shape=others)
        spread = _spread(pm, priors.person_sd)
        order: Any = model.order
        if model.order is None:
            order = pm.Normal("order", priors.order.mean, priors.order.sd)
        n_people = len(cells.people)
        leniency = _leniency(pm, spread, n_people=n_people, n_answers=float(times.sum()))
        at = cells.application
        mean = _power_mean(pt, cells.precision, cells.recall, order, alpha[at])
        level, shift, log_scale = (
            pt.concatenate([[0.0], others]) for others in (level, shift, log_scale)
        )
        center = ordinal_likelihood.centre(slope[at], mean, level[at], shift[cells.part])
        scale = pt.exp(log_scale[cells.part])[cell][:, None]
        away, gap = ordinal_likelihood.standardised(
            threshold[None, :], center[cell][:, None], scale
        )
        x = away - leniency[person][:, None] / scale
        pm.Potential("ratings", (times * ordinal_likelihood.log_levels(pt, x, gap)).sum())
    return built


def _ordered_thresholds(pm: Any, model: OrdinalModel) -> tuple[Any, Any]:  # noqa: ANN401 - PyMC ships no types
    """Return slopes and thresholds with their priors."""
    cells, priors, n_apps = model.cells, model.priors, model.n_applications
    slope = pm.Normal(
        "slope", priors.slope.mean, priors.slope.sd, shape=n_apps, initval=[10.0] * n_apps
    )
    # Thresholds move with the slope; their places at a usual mean do not.
    place = pm.Flat(
        "place",
        shape=cells.n_thresholds,
        transform=pm.distributions.transforms.ordered,
        initval=np.linspace(-2.0, 2.0, cells.n_thresholds),
    )
    threshold = pm.Deterministic("threshold", place + USUAL_MEAN * slope[0])
    flat = pm.Normal.dist(priors.threshold.mean, priors.threshold.sd)
    pm.Potential("threshold_prior", pm.logp(flat, threshold).sum())
    return slope, threshold


def _levels(pm: Any, model: OrdinalModel, slope: Any) -> Any:  # noqa: ANN401 - PyMC ships no types
    """Return levels of the other applications with their prior."""
    prior, n_others = model.priors.shift, model.n_applications - 1
    # Levels move with the slopes, too; what a usual mean is worth in an application does not.
    worth = pm.Flat("worth", shape=n_others, initval=np.zeros(n_others))
    level = pm.Deterministic("level", worth - USUAL_MEAN * (slope[1:] - slope[0]))
    pm.Potential("level_prior", pm.logp(pm.Normal.dist(prior.mean, prior.sd), level).sum())
    return level


def _rated_rows(model: OrdinalModel) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    """One row per person and question rated: person, cell, how often each level was given."""
    counts = model.cells.counts.reshape(-1, model.cells.n_cells, len(model.cells.levels))
    person, cell = np.nonzero(counts.sum(axis=2))
    return person, cell, counts[person, cell]


@dataclass(frozen=True, slots=True)
class Chains:
    """Draws of one model, how well the chains mixed, and which gate they fail."""

    sample: WeightedDraws
    rhat: float
    complaint: str


def sample_chains(
    models: Mapping[float, Model],
    *,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> dict[float, Chains]:
    """Sample every model with four chains."""
    if find_spec("pymc") is None or find_spec("nutpie") is None:
        raise MissingExtraError(task="full sampling", extra="nuts")
    by_power = {}
    for number, (p, model) in enumerate(models.items()):
        progress(number / len(models), f"NUTS for p = {p:g}")
        with warnings.catch_warnings():
            # Deprecations inside PyMC and its kin are not the caller's business.
            warnings.simplefilter("ignore")
            chains = _run(model, draws=draws, seed=int(rng.integers(2**31)))
        by_power[p] = _judged(model, chains, rng)
    return by_power


def _run(model: Model, *, draws: int, seed: int) -> FloatArray:
    """Return draws of shape (chains, draws, parameters), on the whole line."""
    import nutpie

    compiled = nutpie.compile_pymc_model(pymc_model(model))
    trace = nutpie.sample(
        compiled,
        draws=max(500, -(-draws // _CHAINS)),
        tune=1000,
        chains=_CHAINS,
        cores=1,
        seed=seed,
        progress_bar=False,
    )
    posterior = trace.posterior
    columns = []
    for name in columns_of(model):
        values = np.asarray(posterior[name], dtype=np.float64)
        values = values.reshape(*values.shape[:2], -1)
        columns.append(_on_the_whole_line(model, name, values))
    return np.concatenate(columns, axis=2)


def _on_the_whole_line(model: AnyModel, name: str, values: FloatArray) -> FloatArray:
    if name == "alpha":
        return np.asarray(logit(values))
    if name == "person_sd":
        return np.asarray(np.log(values))
    if name == "flawless":
        return half_normal_point(values, model.priors.flawless.scale)
    if isinstance(model, SegmentModel) and name in ("spread", "person_alpha"):
        spreads = model.spreads
        own = name == "person_alpha"
        scales = [spreads.person_alpha] if own else [spreads.alpha, spreads.level]
        return half_normal_point(values / np.array([one.scale for one in scales]), 1.0)
    return values


def _judged(model: Model, chains: FloatArray, rng: np.random.Generator) -> Chains:
    from arviz_stats.base import array_stats

    by_parameter = chains.transpose(2, 0, 1)
    rhat = max(
        float(array_stats.rhat(one_draws, chain_axis=0, draw_axis=1)) for one_draws in by_parameter
    )
    effective = min(
        float(array_stats.ess(one_draws, chain_axis=0, draw_axis=1)) for one_draws in by_parameter
    )
    complaint = ""
    if not rhat <= LARGEST_RHAT:
        complaint = f"R-hat is {rhat:.3f}, above {LARGEST_RHAT}"
    elif not effective >= LEAST_EFFECTIVE:
        complaint = f"{effective:.0f} effective draws, below {LEAST_EFFECTIVE:.0f}"
    draws = model.from_plain(chains.reshape(-1, chains.shape[2]))
    evidence = bridge_log_evidence(draws, model.log_density, n_effective=effective, rng=rng)
    weights = np.full(len(draws), 1.0 / len(draws))
    return Chains(WeightedDraws(draws, weights, evidence, np.nan, effective), rhat, complaint)
