"""Verb 4: decide, with the probability of being wrong."""

from howgood.decide.acceptance import acceptance, best_application
from howgood.decide.gate import gate
from howgood.decide.go_live import go_live
from howgood.decide.target import target, trade_off
from howgood.decide.threshold import positive_scores, threshold

__all__ = [
    "acceptance",
    "best_application",
    "gate",
    "go_live",
    "positive_scores",
    "target",
    "threshold",
    "trade_off",
]
