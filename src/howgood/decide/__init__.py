"""Verb 4: decide, with the probability of being wrong."""

from howgood.decide.acceptability import acceptance, best_application, gate, target, trade_off
from howgood.decide.planning import go_live, study_size
from howgood.decide.rank import rank, rank_sums
from howgood.decide.rank_grades import rank_grades
from howgood.decide.rank_ratings import rank_ratings
from howgood.decide.thresholds import positive_scores, threshold
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
