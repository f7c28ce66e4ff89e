"""Drafts and versions on both databases: nothing lost, nothing silent."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import RERATING

from howgood.flow import authoring, watching
from howgood.flow.authoring.draft import StaleDraftError
from howgood.flow.hosting import Host, RefusedError, add_study, picture
from howgood.kinds.study import Study
from howgood.records.researcher import Researcher
from howgood.store import audit
from howgood.store.schema import draft_media, drafts

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


def _save(host, slug, *, edition=None, part="texts", action="", uploads=None, minutes=1, **texts):
    """Save what was typed over an edition, over the newest if none is named."""
    edition = authoring.written(host, slug).edition if edition is None else edition
    return authoring.save(
        host, ADA, slug, part=part, action=action, edition=edition, uploads=uploads or {},
        texts={name.replace("__", "."): [value] for name, value in texts.items()},
        now=NOW + timedelta(minutes=minutes),
    )  # fmt: skip


def _publish(host, slug, minutes=5):
    now = NOW + timedelta(minutes=minutes)
    authoring.publish(host, ADA, slug, edition=authoring.review(host, slug).edition, now=now)


def test_of_many_saves_at_once_each_edition_is_saved_once(host, songs):
    edition = authoring.written(host, songs).edition

    def save(number):
        return _save(host, songs, edition=edition, title=f"Title {number}").editing

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(save, range(8)))
    assert sum(each is None for each in results) == 1
    assert authoring.written(host, songs).is_draft


PNG = b"\x89PNG\r\n\x1a\n"


def test_a_draft_becomes_a_version_and_is_gone(host, songs):
    _save(host, songs, title="Better songs")
    review = authoring.review(host, songs)
    assert [(each.before, each.after) for each in review.changes] == [("Songs", "Better songs")]
    _publish(host, songs)
    head, versions = authoring.history(host, songs)
    assert (head.title, len(versions)) == ("Better songs", 2)
    assert host.study(head.version).title == "Better songs"
    assert not authoring.written(host, songs).is_draft
    with host.database.reading() as connection:
        assert not connection.execute(sa.select(drafts)).all()
        assert [line.action for line in audit.lines(connection)] == ["published", "draft begun"]


def test_only_what_was_looked_through_is_published(host, songs):
    _save(host, songs, title="Looked at")
    edition = authoring.review(host, songs).edition
    _save(host, songs, title="Changed since")
    with pytest.raises(StaleDraftError, match="nothing was published"):
        authoring.publish(host, ADA, songs, edition=edition, now=NOW)
    assert len(authoring.history(host, songs)[1]) == 1


def test_pictures_travel_from_draft_to_version_to_the_next_draft(host, songs):
    upload = {f"{PICTURE}.file": authoring.Upload(file_name="a.png", content=PNG)}
    texts = {f"{PICTURE}.alternative".replace(".", "__"): "A picture", "rerating__items": "",
             "rerating__items__1__key": "y"}  # fmt: skip
    _save(host, songs, part="task", uploads=upload, **texts)
    _publish(host, songs)
    head, _ = authoring.history(host, songs)
    name = host.study(head.version).plan.items[0].picture.file
    assert picture(host, head.version, name).content == PNG
    _save(host, songs, title="Next")
    with host.database.reading() as connection:
        assert connection.execute(sa.select(draft_media.c.name)).scalars().all() == [name]
    _publish(host, songs, minutes=9)
    head, _ = authoring.history(host, songs)
    assert picture(host, head.version, name).content == PNG


def test_pilot_and_quota_change_the_version_and_the_draft_follows(host, songs):
    _save(host, songs, title="Drafted")
    now = NOW + timedelta(minutes=2)
    authoring.set_places(host, songs, pilot=True, quota=9, actor="ada", now=now)
    head, versions = authoring.history(host, songs)
    assert (host.study(head.version).quota, host.study(head.version).pilot) == (9, True)
    assert host.study(head.version).title == "Songs"
    assert len(versions) == 2
    changed = [each.place for each in authoring.review(host, songs).changes]
    assert changed == ["Title"]


def test_an_unpublished_study_is_unknown_to_participants_and_can_be_forgotten(host):
    made = authoring.start_from_template(host, ADA, "survey", slug="new-one", title="", now=NOW)
    assert made.slug == "new-one"
    with pytest.raises(RefusedError):
        authoring.set_open(host, ADA, "new-one", is_open=True, now=NOW)
    edition = authoring.written(host, "new-one").edition
    authoring.discard(host, ADA, "new-one", edition=edition, now=NOW)
    with pytest.raises(RefusedError):
        authoring.written(host, "new-one")
    assert watching.overview(host) == ()
    again = authoring.start_from_template(host, ADA, "survey", slug="new-one", title="", now=NOW)
    assert again.slug == "new-one"  # the name is free again
    assert authoring.discarded(host) == ()


def test_of_two_who_take_a_short_name_at_once_one_is_told(host):
    def start(number):
        return authoring.start_from_template(
            host, ADA, "rerating", slug="taken", title=str(number), now=NOW
        )

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(start, range(4)))
    assert sum(bool(each.slug) for each in made) == 1


@pytest.mark.parametrize("ending", ["published", "thrown away", "study made anew"])
def test_a_tab_left_open_cannot_overwrite_the_draft_after_the_next(host, songs, ending):
    def begin():
        if ending == "study made anew":
            authoring.start_from_template(host, ADA, "rerating", slug="anew", title="", now=NOW)
            return "anew"
        _save(host, songs, title="First draft")
        return songs

    slug = begin()
    left_open = authoring.written(host, slug).edition
    if ending == "published":
        _publish(host, slug)
    else:
        authoring.discard(host, ADA, slug, edition=left_open, now=NOW)
    begin()
    before = authoring.written(host, slug)
    late = _save(host, slug, edition=left_open, title="Typed long ago")
    assert late.editing.is_conflict
    assert authoring.written(host, slug) == before
    for act in (authoring.publish, authoring.discard):
        with pytest.raises(StaleDraftError):
            act(host, ADA, slug, edition=left_open, now=NOW)
    assert authoring.written(host, slug) == before


def test_a_tab_left_open_on_an_old_version_does_not_begin_a_draft_of_it(host, songs):
    left_open = authoring.written(host, songs).edition
    _save(host, songs, title="Better songs")
    _publish(host, songs)
    late = _save(host, songs, edition=left_open, welcome="Typed over the old version")
    assert late.editing.is_conflict
    assert not authoring.written(host, songs).is_draft
    again = _save(host, songs, edition=late.editing.edition, title="Knowingly")
    assert again.editing is None


def test_places_and_publishing_at_once_lose_neither(host, songs):
    """Whoever comes second builds on the first, or is told that there is something new."""
    for attempt in range(6):
        _save(host, songs, title=f"Title {attempt}", minutes=attempt)
        edition = authoring.review(host, songs).edition
        now = NOW + timedelta(minutes=attempt, seconds=30)
        quota = 10 + attempt

        def publish(edition=edition, now=now):
            try:
                authoring.publish(host, ADA, songs, edition=edition, now=now)
            except StaleDraftError:
                return False
            return True

        def places(quota=quota, now=now):
            authoring.set_places(host, songs, pilot=False, quota=quota, actor="ada", now=now)

        with ThreadPoolExecutor(2) as pool:
            published, placed = pool.submit(publish), pool.submit(places)
            is_published, _ = published.result(), placed.result()
        if not is_published:
            _publish(host, songs, minutes=attempt + 0.9)
        study = host.study(authoring.history(host, songs)[0].version)
        assert (study.title, study.quota) == (f"Title {attempt}", quota)


def test_places_are_changed_of_the_version_that_is_newest_when_they_are_stored(host, songs):
    """A version published between looking and storing is not undone."""
    begun = host.database.write

    def write(operation):
        host.database.write = begun
        _save(host, songs, title="Published meanwhile")
        _publish(host, songs, minutes=2)
        return begun(operation)

    host.database.write = write
    now = NOW + timedelta(minutes=3)
    authoring.set_places(host, songs, pilot=False, quota=9, actor="ada", now=now)
    study = host.study(authoring.history(host, songs)[0].version)
    assert (study.title, study.quota) == ("Published meanwhile", 9)
