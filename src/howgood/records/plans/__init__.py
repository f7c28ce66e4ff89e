"""The three kinds of task: survey of scenarios, comparison of matrices, repeated rating."""

from howgood.records.plans.comparison import ComparisonPlan, Matrix, ScoresFile
from howgood.records.plans.question import Option, Picture, Question, repeated_keys
from howgood.records.plans.rerating import RatedItem, ReratingPlan
from howgood.records.plans.survey import (
    AttentionCheck,
    Branch,
    Item,
    RealPart,
    RealSystem,
    SurveyApplication,
    SurveyPlan,
)

__all__ = [
    "AttentionCheck",
    "Branch",
    "ComparisonPlan",
    "Item",
    "Matrix",
    "Option",
    "Picture",
    "Question",
    "RatedItem",
    "RealPart",
    "RealSystem",
    "ReratingPlan",
    "ScoresFile",
    "SurveyApplication",
    "SurveyPlan",
    "repeated_keys",
]
