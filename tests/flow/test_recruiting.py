"""Recruiting: the link of every platform, a dry run that finds what is missing, cost by hand."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY, Person

from howgood.flow import recruiting
from howgood.flow.hosting import Host, RefusedError, add_study
from howgood.kinds.study import Study
from howgood.store import studies
from howgood.store.schema import participants

HOME = "https://study.example.org"


@pytest.fixture
def host(database):
    return Host(database)


def _put(host, study=SURVEY, **changes):
    return add_study(host, Study.from_dict({**study, **changes}), folder=Path(), now=NOW)


def _seen(host, slug="doors"):
    return recruiting.recruiting(host, slug, home=HOME, now=NOW)


def _channel(host, key):
    return next(channel for channel in _seen(host).channels if channel.key == key)


def _dry_run(host, slug="doors"):
    return asyncio.run(recruiting.dry_run(host, slug, now=NOW))


def test_every_platform_gets_its_exact_link(host):
    _put(host)
    values = {
        channel.key: [item.value for item in channel.items if item.value]
        for channel in _seen(host).channels
    }
    assert values["prolific"][0] == (
        "https://study.example.org/s/doors?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    assert values["sona"][0] == "https://study.example.org/s/doors?id=%SURVEY_CODE%"
    assert 'new URL("https://study.example.org/s/doors")' in values["mturk"][0]
    assert _seen(host).link == "https://study.example.org/s/doors"


def test_the_checklist_knows_what_is_settled(host):
    _put(host, recruitment="prolific", completion={"code": "C1"})
    done = {item.text: item.is_done for item in _channel(host, "prolific").items}
    assert done["Say that people come from Prolific."] is True
    assert done["Write the completion code from Prolific, and send people back to:"] is False
    assert _channel(host, "prolific").is_chosen
    # Whoever sees a poster brings no id, and would be refused.
    assert _channel(host, "poster").n_open == 1


def test_a_dry_run_goes_there_and_back_and_stores_nothing(host):
    back = "https://app.prolific.com/submissions/complete?cc={code}"
    _put(host, recruitment="prolific", completion={"code": "C1", "redirect": back})
    trip = _dry_run(host)
    assert trip.is_good
    assert trip.checks[-1].text.endswith("complete?cc=C1")
    with host.database.reading() as connection:
        assert connection.execute(sa.select(participants)).all() == []


def test_a_dry_run_says_what_would_go_wrong(host):
    _put(host, recruitment="prolific")
    assert not _dry_run(host).is_good  # nobody could be paid
    _put(host, RERATING)
    assert _dry_run(host, "songs").is_good  # nobody has to be
    host.database.write(lambda connection: studies.set_open(connection, ["songs"], is_open=False))
    trip = _dry_run(host, "songs")
    assert not trip.checks[0].is_good
    with pytest.raises(RefusedError):
        _dry_run(host, "unknown")


def test_cost_and_pace_come_from_those_who_finished(host):
    _put(host)
    assert _seen(host).spent is None
    for seed in range(3):
        person = Person(host, "doors", seed=seed, now=NOW - timedelta(hours=2))
        person.begin()
        while not (view := person.look()).screen.is_last:
            person.now += timedelta(seconds=30)
            person.send(view)
    seen = _seen(host)
    assert seen.spent.people == seen.finished == 3
    assert seen.spent.low <= seen.spent.middle <= seen.spent.high
    # Three within the two hours since the first of them finished, or a little less.
    assert 3 / 2 <= seen.per_hour <= 3 / 1.5
