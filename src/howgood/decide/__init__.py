"""Verb 4: decide, with the probability of being wrong."""

from howgood.decide.acceptance import acceptance, best_application
from howgood.decide.gate import gate
from howgood.decide.go_live import go_live
from howgood.decide.rank import rank, rank_sums
from howgood.decide.rank_grades import rank_grades
from howgood.decide.rank_ratings import rank_ratings
from howgood.decide.study_size import study_size
from howgood.decide.target import target, trade_off
from howgood.decide.threshold import positive_scores, threshold
from howgood.records.ranking import Needed, Ordering, Ranking

__all__ = [
    "Needed",
    "Ordering",
    "Ranking",
    "acceptance",
    "best_application",
    "gate",
    "go_live",
    "positive_scores",
    "rank",
    "rank_grades",
    "rank_ratings",
    "rank_sums",
    "study_size",
    "target",
    "threshold",
    "trade_off",
]
