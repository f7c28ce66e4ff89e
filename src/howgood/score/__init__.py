"""Verb 3: score models with what was learned."""

from howgood.records.elicited_metric import CappedMetric, FBetaMetric, LinearMetric
from howgood.records.power_mean import PowerMean, power_mean
from howgood.records.sums import SquaredErrorSums
from howgood.score.distribution import ScoreDistribution
from howgood.score.error_metrics import mae, magic_barrier, mse, rmse
from howgood.score.feedback import DiscreteFeedback, categorical_feedback, empirical_feedback
from howgood.score.from_sums import from_sums
from howgood.score.propagation import PairedScores, PropagatedScore, propagate, propagate_systems
from howgood.score.rating_sums import rating_sums
from howgood.score.relevance import RelevanceScorer, relevance_score, relevance_scorer
from howgood.score.relevance_reporting import RelevanceReport, relevance_report
from howgood.score.relevance_sweeping import RelevanceSweep, relevance_sweep
from howgood.score.significant import significance_width, significant_mae, significant_rmse
from howgood.score.sums import squared_error_sums

__all__ = [
    "CappedMetric",
    "DiscreteFeedback",
    "FBetaMetric",
    "LinearMetric",
    "PairedScores",
    "PowerMean",
    "PropagatedScore",
    "RelevanceReport",
    "RelevanceScorer",
    "RelevanceSweep",
    "ScoreDistribution",
    "SquaredErrorSums",
    "categorical_feedback",
    "empirical_feedback",
    "from_sums",
    "mae",
    "magic_barrier",
    "mse",
    "power_mean",
    "propagate",
    "propagate_systems",
    "rating_sums",
    "relevance_report",
    "relevance_score",
    "relevance_scorer",
    "relevance_sweep",
    "rmse",
    "significance_width",
    "significant_mae",
    "significant_rmse",
    "squared_error_sums",
]
