"""A survey that runs in other tools: one offline page, LimeSurvey, Qualtrics."""

from howgood.flow.survey_export.file import (
    SurveyFile,
    SurveyFormat,
    hosted_survey_file,
    survey_file,
)

__all__ = ["SurveyFile", "SurveyFormat", "hosted_survey_file", "survey_file"]
