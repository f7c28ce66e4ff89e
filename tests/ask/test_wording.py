"""Scenarios in words, in every language and application."""

import re

import pytest

from howgood import ask
from howgood.errors import UnknownNameError

LANGUAGES = ("en", "de")

# Kay et al. (2015), p. 349: the electricity scenario with TP 8, FN 2, FP 2.
PUBLISHED = {
    "happened": "**10** times over a three month period, you used your clothes dryer.",
    "found": "**8** of the **10** times that you used your clothes dryer, the system (correctly) "
    "reported that you used your clothes dryer.",
    "missed": "**2** of the **10** times that you used your clothes dryer, the system "
    "(incorrectly) reported that you used a different appliance.",
    "false_alarm": "**2** other times over the same three month period, the system (incorrectly) "
    "reported that you used your clothes dryer even though you were actually using a different "
    "appliance.",
}


def _scenarios(application):
    return ask.scenarios(real_positives=application.real_positives, cases=application.cases)


def test_the_published_scenario_is_worded_as_published():
    dryer = ask.application("electricity")
    (scenario,) = ask.scenarios(precision=[5 / 6], recall=[5 / 6])
    assert ask.word_scenario(dryer.phrases, scenario) == PUBLISHED


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ask.applications())
def test_every_application_is_worded_in_every_language(key, language):
    application = ask.application(key, language=language)
    for scenario in _scenarios(application):
        lines = ask.word_scenario(application.phrases, scenario)
        assert ("cleared" in lines) == (application.cases is not None)
        for line in lines.values():
            assert line.endswith(".")
            assert not re.search(r"[{}|%]", line)
            assert "**" in line


@pytest.mark.parametrize(
    ("language", "one", "many"), [("en", "time ", "times "), ("de", "Mal ", "Malen ")]
)
def test_one_is_singular_and_none_plural(language, one, many):
    alarm = ask.application("alarm_police", language=language)
    words = {
        scenario.false_positives: ask.word_scenario(alarm.phrases, scenario)["false_alarm"]
        for scenario in ask.scenarios()
    }
    assert one in words[1]
    assert many in words[0]
    assert many in words[5]


def test_the_weather_study_tells_dry_days():
    weather = ask.application("weather")
    (scenario,) = ask.scenarios(precision=[5 / 6], recall=[5 / 6], real_positives=15, cases=30)
    lines = ask.word_scenario(weather.phrases, scenario)
    assert lines["happened"].startswith("**15** days in a 30-day period, it rained")
    assert lines["found"].startswith(
        "**13** of the **15** days that it rained, the weather forecast"
    )
    assert scenario.true_negatives == 12
    assert lines["cleared"].startswith("**12** other days")


def test_items_and_anchors_are_those_of_the_paper():
    assert [item.text for item in ask.items()] == [
        "I would find the accuracy of this system to be acceptable.",
        "I would find this system to be useful.",
        "If available to me now, I would begin using this system sometime in the next 6 months.",
    ]
    assert len(ask.items(language="de", ease_of_use=True)) == 4
    for language in LANGUAGES:
        assert (
            len(ask.anchors(language=language))
            == len(ask.anchors(language=language, real=True))
            == 7
        )


def test_unknown_applications_and_languages_are_named():
    with pytest.raises(UnknownNameError, match="electricity"):
        ask.application("electricty")
    with pytest.raises(UnknownNameError, match="'en'"):
        ask.application("weather", language="xx")
