"""One survey, three formats.

In: a survey's name and a format. Out: a finished file. Absent: the formats themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from howgood.flow.hosting import Host
from howgood.flow.survey_export.limesurvey import limesurvey_file
from howgood.flow.survey_export.offline import offline_page
from howgood.flow.survey_export.qualtrics import qualtrics_file
from howgood.flow.survey_export.source import SurveySource, named_source, source_in_host

SurveyFormat = Literal["html", "limesurvey", "qualtrics"]
_Maker = Callable[[SurveySource], bytes]
_MAKERS: dict[SurveyFormat, tuple[_Maker, str, str]] = {
    "html": (offline_page, ".html", "text/html; charset=utf-8"),
    "limesurvey": (limesurvey_file, "-limesurvey.txt", "text/plain; charset=utf-8"),
    "qualtrics": (qualtrics_file, "-qualtrics.txt", "text/plain; charset=utf-8"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyFile:
    """A survey, ready to be given to people or to another program."""

    name: str
    media_type: str
    content: bytes


def survey_file(name: str, *, kind: SurveyFormat, address: str) -> SurveyFile:
    """Return a survey, named by its file or by its short name in the database.

    Notes
    -----
    Stability: experimental
    """
    return _made(named_source(name, address=address), kind)


def hosted_survey_file(host: Host, slug: str, *, kind: SurveyFormat) -> SurveyFile:
    """Return a survey of a running host.

    Notes
    -----
    Stability: experimental
    """
    return _made(source_in_host(host, slug), kind)


def _made(source: SurveySource, kind: SurveyFormat) -> SurveyFile:
    make, ending, media_type = _MAKERS[kind]
    return SurveyFile(name=source.study.slug + ending, media_type=media_type, content=make(source))
