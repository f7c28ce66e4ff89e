"""Log densities of priors on the whole line, with gradients.

In: a prior record and unbounded values (logits, logarithms). Out: log density including the
change of variable, and its derivative. Absent: the records (see `records.priors`).
"""

import math

import numpy as np

from howgood.records.priors import Beta, GammaPrecision, JointNormal, LogNormal, Normal, SpreadPrior
from howgood.stats.arrays import FloatArray


def normal(prior: Normal, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Density of a normal quantity."""
    away = (values - prior.mean) / prior.sd
    return -0.5 * away**2 - math.log(prior.sd) - 0.5 * math.log(2 * math.pi), -away / prior.sd


def half_normal(scale: float, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Density of a half-normal quantity; the values must be positive."""
    away = values / scale
    constant = 0.5 * math.log(2 / math.pi) - math.log(scale)
    return constant - 0.5 * away**2, -away / scale


def beta_logit(prior: Beta, logit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Density of the logit of a beta quantity."""
    log_norm = math.lgamma(prior.a + prior.b) - math.lgamma(prior.a) - math.lgamma(prior.b)
    log_yes, log_no = -np.logaddexp(0.0, -logit), -np.logaddexp(0.0, logit)
    share = np.exp(log_yes)
    return log_norm + prior.a * log_yes + prior.b * log_no, prior.a * (1 - share) - prior.b * share


def log_spread(prior: SpreadPrior, log_sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Density of the logarithm of a standard deviation."""
    if isinstance(prior, LogNormal):
        return normal(Normal(prior.mean_log, prior.sd_log), log_sd)
    if isinstance(prior, GammaPrecision):
        precision = np.exp(np.minimum(-2.0 * log_sd, 700.0))
        constant = math.log(2) + prior.shape * math.log(prior.rate) - math.lgamma(prior.shape)
        value = constant - 2.0 * prior.shape * log_sd - prior.rate * precision
        return value, -2.0 * prior.shape + 2.0 * prior.rate * precision
    square = np.exp(np.minimum(2.0 * log_sd, 700.0)) / prior.scale**2
    constant = 0.5 * math.log(2 / math.pi) - math.log(prior.scale)
    return constant - 0.5 * square + log_sd, 1.0 - square


def joint_normal(prior: JointNormal, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Density of (intercept, slope, logit alpha), last axis of `values`."""
    covariance = np.array(prior.covariance)
    away = values - np.array(prior.mean)
    pull = np.linalg.solve(covariance, away.T).T
    log_det = float(np.linalg.slogdet(covariance)[1])
    value = -0.5 * (away * pull).sum(axis=-1) - 0.5 * log_det - 1.5 * math.log(2 * math.pi)
    return value, -pull
