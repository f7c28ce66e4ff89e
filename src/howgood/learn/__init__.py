"""Verb 2: learn what people value, and how noisy their answers are."""

from howgood.learn.acceptability import fit_acceptability, load_fit
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.correlations import item_correlations
from howgood.learn.elicitation.agreement import agreement, held_out_queries
from howgood.learn.elicitation.bisection import Bisection, ask_oracle, optimal_range
from howgood.learn.elicitation.calibration import calibration_report, fit_recalibration
from howgood.learn.elicitation.elicitor import Elicitor
from howgood.learn.elicitation.fair import FairElicitor, group_outcomes
from howgood.learn.elicitation.fractional import FractionalElicitor
from howgood.learn.elicitation.log import elicitation_log, replay
from howgood.learn.elicitation.matrices import (
    classifier_matrices,
    table_matrices,
    threshold_matrices,
)
from howgood.learn.elicitation.multiclass import (
    MulticlassBisection,
    MulticlassElicitor,
    weighted_outcomes,
)
from howgood.learn.feedback import (
    rater_consistency,
    rating_uncertainty,
    unbiased_fourth_power,
    unbiased_variance,
)
from howgood.learn.feedback_proxies import assumed_uncertainty, rating_coherence
from howgood.learn.left_out import LeftOut, leave_one_person_out
from howgood.learn.ordinal import fit_ordinal, load_ordinal_fit
from howgood.learn.ordinal_fit import OrdinalFit
from howgood.learn.outcomes import outcome_probabilities
from howgood.learn.relevance_weights import RelevanceWeights, fit_relevance_weights
from howgood.records.confusion import ConfusionMatrix, ThresholdMatrices
from howgood.records.rater_consistency import RaterConsistency

__all__ = [
    "AcceptabilityFit",
    "Bisection",
    "ConfusionMatrix",
    "Elicitor",
    "FairElicitor",
    "FractionalElicitor",
    "LeftOut",
    "MulticlassBisection",
    "MulticlassElicitor",
    "OrdinalFit",
    "RaterConsistency",
    "RelevanceWeights",
    "ThresholdMatrices",
    "agreement",
    "ask_oracle",
    "assumed_uncertainty",
    "calibration_report",
    "classifier_matrices",
    "elicitation_log",
    "fit_acceptability",
    "fit_ordinal",
    "fit_recalibration",
    "fit_relevance_weights",
    "group_outcomes",
    "held_out_queries",
    "item_correlations",
    "leave_one_person_out",
    "load_fit",
    "load_ordinal_fit",
    "optimal_range",
    "outcome_probabilities",
    "rater_consistency",
    "rating_coherence",
    "rating_uncertainty",
    "replay",
    "table_matrices",
    "threshold_matrices",
    "unbiased_fourth_power",
    "unbiased_variance",
    "weighted_outcomes",
]
