"""Verb 2: learn what people value, and how noisy their answers are."""

from howgood.learn.acceptability import fit_acceptability, load_fit
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.correlations import item_correlations
from howgood.learn.outcomes import outcome_probabilities
from howgood.learn.relevance_weights import RelevanceWeights, fit_relevance_weights

__all__ = [
    "AcceptabilityFit",
    "RelevanceWeights",
    "fit_acceptability",
    "fit_relevance_weights",
    "item_correlations",
    "load_fit",
    "outcome_probabilities",
]
