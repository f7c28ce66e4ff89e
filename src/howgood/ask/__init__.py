"""Verb 1: ask people. Studies in, answers out."""

from howgood.ask.comparison import (
    CANCER_WORDING,
    DEMOGRAPHICS,
    GENERIC_WORDING,
    INTERVIEW,
    direct_question,
    direct_weight,
    practice_questions,
)
from howgood.ask.files import open_table
from howgood.ask.intake import read_answers
from howgood.ask.levels import LEVELS, scenarios
from howgood.ask.simulate import (
    simulate_answers,
    simulate_lighting,
    simulate_ordinal_answers,
    simulate_ratings,
    simulate_respondent,
)
from howgood.ask.wording import (
    anchors,
    application,
    applications,
    items,
    word_scenario,
)

__all__ = [
    "CANCER_WORDING",
    "DEMOGRAPHICS",
    "GENERIC_WORDING",
    "INTERVIEW",
    "LEVELS",
    "anchors",
    "application",
    "applications",
    "direct_question",
    "direct_weight",
    "items",
    "open_table",
    "practice_questions",
    "read_answers",
    "scenarios",
    "simulate_answers",
    "simulate_lighting",
    "simulate_ordinal_answers",
    "simulate_ratings",
    "simulate_respondent",
    "word_scenario",
]
