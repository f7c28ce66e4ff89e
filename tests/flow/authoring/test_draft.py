"""Drafts and versions on both databases: nothing lost, nothing silent."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import RERATING

from howgood.flow import authoring
from howgood.flow.authoring.publishing import StaleReviewError
from howgood.flow.hosting import Host, RefusedError, add_study, picture
from howgood.records.researcher import Researcher
from howgood.records.study import Study
from howgood.store import audit
from howgood.store.schema import draft_media, drafts, studies

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
ADA = Researcher(number=1, name="ada", role="owner")
PICTURE = "rerating.items.0.picture"


@pytest.fixture
def host(database):
    return Host(database)


@pytest.fixture
def songs(host):
    add_study(host, Study.from_dict(RERATING), folder=Path(), now=NOW)
    return "songs"


def _save(host, slug, *, edition, part="texts", action="", uploads=None, minutes=1, **texts):
    return authoring.save(
        host, ADA, slug, part=part, action=action, edition=edition, uploads=uploads or {},
        texts={name.replace("__", "."): [value] for name, value in texts.items()},
        now=NOW + timedelta(minutes=minutes),
    )  # fmt: skip


def _publish(host, slug, minutes=5):
    now = NOW + timedelta(minutes=minutes)
    authoring.publish(host, ADA, slug, edition=authoring.review(host, slug).edition, now=now)


def test_of_many_saves_at_once_each_edition_is_saved_once(host, songs):
    def save(number):
        return _save(host, songs, edition=0, title=f"Title {number}").editing

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(save, range(8)))
    assert sum(each is None for each in results) == 1
    assert authoring.written(host, songs).edition == 1


def test_a_draft_becomes_a_version_and_is_gone(host, songs):
    _save(host, songs, edition=0, title="Better songs")
    review = authoring.review(host, songs)
    assert [(each.before, each.after) for each in review.changes] == [("Songs", "Better songs")]
    _publish(host, songs)
    head, versions = authoring.history(host, songs)
    assert (head.title, len(versions)) == ("Better songs", 2)
    assert host.study(head.version).title == "Better songs"
    assert authoring.written(host, songs).edition == 0
    with host.database.reading() as connection:
        assert not connection.execute(sa.select(drafts)).all()
        assert [line.action for line in audit.lines(connection)] == ["published", "draft begun"]


def test_only_what_was_looked_through_is_published(host, songs):
    _save(host, songs, edition=0, title="Looked at")
    edition = authoring.review(host, songs).edition
    _save(host, songs, edition=1, title="Changed since")
    with pytest.raises(StaleReviewError, match="nothing was published"):
        authoring.publish(host, ADA, songs, edition=edition, now=NOW)
    assert len(authoring.history(host, songs)[1]) == 1


def test_pictures_travel_from_draft_to_version_to_the_next_draft(host, songs):
    upload = {f"{PICTURE}.file": authoring.Upload(file_name="a.png", content=b"png")}
    texts = {f"{PICTURE}.alternative".replace(".", "__"): "A picture", "rerating__items": "",
             "rerating__items__1__key": "y"}  # fmt: skip
    _save(host, songs, edition=0, part="task", uploads=upload, **texts)
    _publish(host, songs)
    head, _ = authoring.history(host, songs)
    name = host.study(head.version).rerating.items[0].picture.file
    assert picture(host, head.version, name).content == b"png"
    _save(host, songs, edition=0, title="Next")
    with host.database.reading() as connection:
        assert connection.execute(sa.select(draft_media.c.name)).scalars().all() == [name]
    _publish(host, songs, minutes=9)
    head, _ = authoring.history(host, songs)
    assert picture(host, head.version, name).content == b"png"


def test_pilot_and_quota_change_the_version_and_the_draft_follows(host, songs):
    _save(host, songs, edition=0, title="Drafted")
    now = NOW + timedelta(minutes=2)
    authoring.set_places(host, ADA, songs, pilot=True, quota=9, now=now)
    head, versions = authoring.history(host, songs)
    assert (host.study(head.version).quota, host.study(head.version).pilot) == (9, True)
    assert host.study(head.version).title == "Songs"
    assert len(versions) == 2
    changed = [each.place for each in authoring.review(host, songs).changes]
    assert changed == ["title"]


def test_an_unpublished_study_is_unknown_to_participants_and_can_be_forgotten(host):
    made = authoring.start_from_template(host, ADA, "survey", slug="new-one", title="", now=NOW)
    assert made.slug == "new-one"
    with pytest.raises(RefusedError):
        authoring.set_open(host, ADA, "new-one", is_open=True, now=NOW)
    authoring.discard(host, ADA, "new-one", now=NOW)
    with host.database.reading() as connection:
        assert not connection.execute(sa.select(studies)).all()


def test_of_two_who_take_a_short_name_at_once_one_is_told(host):
    def start(number):
        return authoring.start_from_template(
            host, ADA, "rerating", slug="taken", title=str(number), now=NOW
        )

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(start, range(4)))
    assert sum(bool(each.slug) for each in made) == 1
