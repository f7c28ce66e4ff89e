"""Verb 2: learn what people value, and how noisy their answers are."""

from howgood.learn.outcomes import outcome_probabilities

__all__ = ["outcome_probabilities"]
