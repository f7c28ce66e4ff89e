"""A survey that runs elsewhere: one offline page, LimeSurvey, Qualtrics."""

from howgood.flow.survey_export.file import (
    SurveyFile,
    SurveyFormat,
    hosted_survey_file,
    survey_file,
)

__all__ = ["SurveyFile", "SurveyFormat", "hosted_survey_file", "survey_file"]
