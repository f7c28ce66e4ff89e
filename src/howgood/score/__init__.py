"""Verb 3: score models with what was learned."""

from howgood.records.power_mean import PowerMean
from howgood.score.power_mean import power_mean

__all__ = ["PowerMean", "power_mean"]
