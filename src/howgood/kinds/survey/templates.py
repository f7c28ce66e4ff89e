"""The published applications as surveys to begin with.

In: nothing. Out: templates. Absent: the plain survey, which is `template.toml`.
"""

import tomllib
from functools import partial
from typing import Any

from howgood import ask
from howgood.kinds.protocol import StudyTemplate, packaged_template

_ABOUT = "One application, its scenarios worded as in the published study."


def published() -> tuple[StudyTemplate, ...]:
    """Return a survey of each published application."""
    return tuple(
        StudyTemplate(
            key=key,
            title=f"Survey: {ask.application(key).name}",
            about=_ABOUT,
            content=partial(_content, key),
        )
        for key in ask.applications()
    )


def _content(key: str) -> dict[str, Any]:
    chosen = ask.application(key)
    content = tomllib.loads(packaged_template("howgood.kinds.survey")())
    application = {
        "key": chosen.key,
        "name": chosen.name,
        "description": chosen.description,
        "phrases": dict(chosen.phrases),
    }
    cases = {"cases": chosen.cases} if chosen.cases else {}
    content["survey"] |= {
        "applications": [application],
        "real_positives": chosen.real_positives,
        **cases,
    }
    return {**content, "title": chosen.name}
