"""A survey that runs in other tools: one offline page, LimeSurvey, Qualtrics."""

from howgood.flow.survey_export.file import (
    SurveyFile,
    hosted_survey_file,
    survey_file,
)

__all__ = ["SurveyFile", "hosted_survey_file", "survey_file"]
