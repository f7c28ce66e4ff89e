"""Who is erased is gone: from every table, from memory, and from the SQLite file itself."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected import tidy_rows
from howgood.flow.erasing import delete_study, erase_participant
from howgood.flow.hosting import Host, RefusedError, every_study
from howgood.store import audit, cards, jobs, schema, studies, uploads
from howgood.store.studies import NewVersion

WORDS = {"key": "words", "text": "Anything else?", "type": "text"}


def _someone(person, slug, secret, *, seed=1):
    someone = person(slug, seed=seed, PROLIFIC_PID=f"pid{secret}", SESSION_ID=f"session{secret}")
    someone.begin()
    while not (view := someone.look()).screen.is_last:
        someone.send(view, words=f"I am {secret} " * 40)
    return someone


def _bytes_on_disk(address):
    return b"".join(each.read_bytes() for each in Path(address).parent.glob("answers.sqlite*"))


@pytest.mark.parametrize("database_address", ["sqlite"], indirect=True)
def test_nothing_of_an_erased_person_is_left_in_the_file(run, person, host, database_address):
    run(SURVEY, closing=[WORDS], recruitment="prolific")
    for number in range(12):
        _someone(person, "doors", f"SECRET{number:03d}x", seed=number)
    assert b"SECRET005x" in _bytes_on_disk(database_address)
    erased = erase_participant(host, "doors", "pidSECRET005x", actor="ada", now=NOW)
    assert erased.is_off_disk
    content = _bytes_on_disk(database_address)
    assert b"SECRET005x" not in content
    assert b"SECRET004x" in content
    assert len(list(tidy_rows(host, "doors", table="participants"))) == 11


def test_an_erased_persons_link_is_unknown_and_their_rows_are_gone(run, person, host, database):
    run(SURVEY, closing=[WORDS], recruitment="prolific")
    someone, other = _someone(person, "doors", "one"), _someone(person, "doors", "two", seed=2)
    (first, second) = tidy_rows(host, "doors", table="participants")
    row = every_study(host)[0]
    database.write(lambda c: jobs.add(c, row.number, "fit", {}, now=NOW))
    database.write(lambda c: uploads.add(c, row.number, "import", "x.csv", b"one", now=NOW))
    database.write(lambda c: uploads.add(c, row.number, "systems", "y.csv", b"one", now=NOW))
    other_study = run(RERATING).number
    database.write(lambda c: uploads.add(c, other_study, "systems", "z.csv", b"z", now=NOW))
    erase_participant(host, "doors", first["participant"], actor="ada", now=NOW)
    with pytest.raises(RefusedError):
        someone.look()
    assert other.look().screen.is_last
    assert [each["participant"] for each in tidy_rows(host, "doors", table="participants")] == [
        second["participant"]
    ]
    with database.reading() as connection:
        for table in (schema.screens, schema.answers):
            query = sa.select(sa.func.count()).where(
                table.c.participant_id == int(first["participant"])
            )
            assert connection.execute(query).scalar() == 0
        assert jobs.of_study(connection, row.number) == ()
        kept = connection.execute(sa.select(schema.uploads.c.name)).scalars().all()
        assert kept == ["z.csv"]
        (line,) = audit.lines(connection)
    assert (line.actor, line.action, line.study) == ("ada", "erase participant", "doors")
    assert line.detail == {"participants": 1}


def test_only_this_studys_people_can_be_erased_and_unknown_ones_are_named(run, person, host):
    run(SURVEY, closing=[WORDS])
    run(RERATING)
    someone = _someone(person, "doors", "x")
    (row,) = tidy_rows(host, "doors", table="participants")
    for who in (row["participant"], "nobody", "", "9" * 30):
        with pytest.raises(UnknownNameError):
            erase_participant(host, "songs", who, actor="ada", now=NOW)
    assert someone.look().screen.is_last


def test_a_study_is_deleted_whole_after_its_name_is_typed(run, person, host, database):
    run(SURVEY, closing=[WORDS])
    run(RERATING)
    someone = _someone(person, "doors", "x")
    with pytest.raises(InputError, match="'doors'"):
        delete_study(host, "doors", confirmation="Doors", actor="ada", now=NOW)
    assert delete_study(host, "doors", confirmation="doors", actor="ada", now=NOW).participants == 1
    assert [each.slug for each in every_study(host)] == ["songs"]
    with pytest.raises(RefusedError):
        someone.look()
    with database.reading() as connection:
        for table in (schema.participants, schema.screens, schema.answers):
            assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() == 0
        (line,) = audit.lines(connection, study="doors")
    assert (line.action, line.detail) == ("delete study", {"participants": 1})


def test_a_study_that_was_never_published_can_be_deleted_too(host, database):
    new = NewVersion(slug="draft", title="Draft", kind="survey", digest="", content={})
    database.write(lambda c: studies.add_study(c, new, is_open=False, now=NOW))
    delete_study(host, "draft", confirmation="draft", actor="ada", now=NOW)
    with database.reading() as connection:
        assert studies.head(connection, "draft") is None
    with pytest.raises(UnknownNameError):
        delete_study(host, "draft", confirmation="draft", actor="ada", now=NOW)


@pytest.mark.parametrize("database_address", ["sqlite"], indirect=True)
def test_nothing_of_a_deleted_study_is_left_in_the_file(run, person, host, database_address):
    run(SURVEY, closing=[WORDS | {"text": "A question nobody else asks?"}])
    _someone(person, "doors", "SECRETx")
    delete_study(host, "doors", confirmation="doors", actor="ada", now=NOW)
    content = _bytes_on_disk(database_address)
    assert b"SECRETx" not in content
    assert b"nobody else asks" not in content


def test_a_word_that_means_two_people_erases_nobody(run, person, host, database):
    run(SURVEY, closing=[WORDS])
    for secret in ("x", "y"):
        _someone(person, "doors", secret, seed=ord(secret))
    first, second = (row["participant"] for row in tidy_rows(host, "doors", table="participants"))
    people = schema.participants
    database.write(
        lambda connection: connection.execute(
            people.update().where(people.c.id == int(second)).values(external_id=f"import-{first}")
        )
    )
    with pytest.raises(InputError, match="the id of another"):
        erase_participant(host, "doors", first, actor="ada", now=NOW)
    assert len(list(tidy_rows(host, "doors", table="participants"))) == 2
    erase_participant(host, "doors", f"#{first}", actor="ada", now=NOW)
    (left,) = tidy_rows(host, "doors", table="participants")
    assert left["participant"] == second


def test_another_process_never_takes_a_new_study_for_the_deleted_one(run, host, database):
    elsewhere = Host(database)
    old = run(SURVEY)
    assert elsewhere.study(old.version).kind == "survey"
    delete_study(host, "doors", confirmation="doors", actor="ada", now=NOW)
    new = run(RERATING)
    assert elsewhere.study(new.version).kind == "rerating"


@pytest.mark.parametrize("whole", [False, True], ids=["person", "study"])
def test_cards_made_with_their_answers_go_along_and_are_named(run, person, host, database, whole):
    run(SURVEY)
    run({**SURVEY, "slug": "copy"})
    _someone(person, "doors", "one")
    mine, other = (next(each for each in every_study(host) if each.slug == slug)
                   for slug in ("doors", "copy"))  # fmt: skip
    for row, name in ((mine, "doors-bell"), (mine, "doors-camera"), (other, "copy-bell")):
        database.write(lambda c, r=row, n=name: cards.publish(c, r.number, n, {}, now=NOW))
    if whole:
        gone = delete_study(host, "doors", confirmation="doors", actor="ada", now=NOW)
    else:
        (first,) = tidy_rows(host, "doors", table="participants")
        gone = erase_participant(host, "doors", first["participant"], actor="ada", now=NOW)
    assert gone.cards == ("doors-bell", "doors-camera")
    with database.reading() as connection:
        assert [each.name for each in cards.everything(connection)] == ["copy-bell"]
        assert audit.lines(connection)[0].detail["cards"] == ["doors-bell", "doors-camera"]
