"""Studies made by programs: whole or not at all, and stored as what they are."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.flow import remote
from howgood.flow.authoring import history
from howgood.flow.hosting import Host, every_study
from howgood.store import audit

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def host(database):
    return Host(database)


def _create(host, *, is_open=False):
    return remote.create_study(host, RERATING, is_open=is_open, actor="token", now=NOW)


def _cut_off(*_, **__):
    raise ConnectionError("the power went")


@pytest.mark.parametrize("is_open", [True, False])
def test_a_study_begins_as_open_as_it_was_asked_for(host, is_open):
    assert _create(host, is_open=is_open).is_open is is_open


def test_a_crash_while_a_closed_study_is_made_leaves_no_open_one(host, monkeypatch):
    monkeypatch.setattr(audit, "note", _cut_off)
    with pytest.raises(ConnectionError):
        _create(host)
    assert every_study(host) == ()


def test_a_crash_while_a_version_is_made_leaves_the_one_before(host, monkeypatch):
    _create(host)
    monkeypatch.setattr(audit, "note", _cut_off)
    with pytest.raises(ConnectionError):
        remote.add_version(host, "songs", RERATING | {"title": "x"}, actor="token", now=NOW)
    assert [each.title for each in every_study(host)] == ["Songs"]


def test_a_study_made_by_a_program_does_not_pass_for_a_file(host):
    _create(host)
    later = NOW + timedelta(minutes=1)
    remote.add_version(host, "songs", RERATING | {"title": "Songs 2"}, actor="token", now=later)
    _, versions = history(host, "songs")
    assert [each.file_at for each in versions] == [None, None]


def test_two_programs_that_make_one_name_at_once_make_one_study(host):
    _create(host)
    with pytest.raises(remote.ExistingStudyError):
        _create(host)
    remote.create_study(host, SURVEY, is_open=True, actor="token", now=NOW)
    assert len(every_study(host)) == 2
