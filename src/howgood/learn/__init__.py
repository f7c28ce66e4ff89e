"""Verb 2: learn what people value, and how noisy their answers are."""

from howgood.learn.acceptability import fit_acceptability, load_fit
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.correlations import item_correlations
from howgood.learn.outcomes import outcome_probabilities

__all__ = [
    "AcceptabilityFit",
    "fit_acceptability",
    "item_correlations",
    "load_fit",
    "outcome_probabilities",
]
