"""Accounts on both databases: links that work once, sessions kept as digests."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher

from howgood.errors import UnknownNameError
from howgood.flow import accounts
from howgood.flow.accounts import passwords
from howgood.flow.accounts.attempts import KEPT, PER_NAME
from howgood.flow.accounts.members import LastOwnerError
from howgood.flow.hosting import Host
from howgood.store.database import open_database
from howgood.store.schema import attempts, invitations, researchers, sessions

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"  # noqa: S105 - of an account in a test


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    small = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", small)
    passwords._nobodys.cache_clear()


@pytest.fixture
def host(database):
    return Host(database)


@pytest.fixture
def owner(host):
    token = accounts.setup_link(host, now=NOW)
    return accounts.join(host, token, name="Ada", password=PASSWORD, now=NOW).signed_in.researcher


def test_of_many_who_use_a_link_at_once_one_gets_in(host):
    token = accounts.setup_link(host, now=NOW)

    def join(number):
        return accounts.join(host, token, name=f"n{number}", password=PASSWORD, now=NOW)

    with ThreadPoolExecutor(8) as pool:
        joined = list(pool.map(join, range(8)))
    assert sum(each.signed_in is not None for each in joined) == 1
    assert len(accounts.members(host, now=NOW).researchers) == 1


def test_nothing_in_the_database_opens_anything(host, owner):
    link = accounts.invite(host, owner, role="viewer", now=NOW)
    token = accounts.sign_in(host, name="ada", password=PASSWORD, now=NOW).token
    with host.database.reading() as connection:
        rows = [connection.execute(sa.select(table)).all()
                for table in (invitations, sessions, researchers)]  # fmt: skip
    stored = str(rows)
    assert not any(secret in stored for secret in (link, token, PASSWORD))
    assert "$argon2id$" in stored


def test_an_invitation_gives_its_role_until_it_expires(host, owner):
    link = accounts.invite(host, owner, role="viewer", now=NOW)
    late = NOW + timedelta(days=7, minutes=1)
    assert accounts.invitation(host, link, now=late) is None
    assert accounts.join(host, link, name="bob", password=PASSWORD, now=late).problems.keys() == {
        "link"
    }
    joined = accounts.join(host, link, name="bob", password=PASSWORD, now=NOW)
    assert not joined.signed_in.researcher.may_write


def test_a_name_is_one_person_however_it_is_written(host, owner):
    link = accounts.invite(host, owner, role="owner", now=NOW)
    taken = accounts.join(host, link, name=" ＡDA ", password=PASSWORD, now=NOW)
    assert "already" in taken.problems["name"]
    assert accounts.invitation(host, link, now=NOW) is not None


def test_of_two_who_take_a_name_at_once_one_is_told_and_keeps_the_link(host, owner):
    links = [accounts.invite(host, owner, role="viewer", now=NOW) for _ in range(4)]

    def join(link):
        return accounts.join(host, link, name="bob", password=PASSWORD, now=NOW)

    with ThreadPoolExecutor(4) as pool:
        joined = list(pool.map(join, links))
    assert sum(each.signed_in is not None for each in joined) == 1
    assert len(accounts.members(host, now=NOW).invitations) == 3


def test_two_owners_cannot_remove_each_other_at_once(host, owner):
    link = accounts.invite(host, owner, role="owner", now=NOW)
    other = accounts.join(host, link, name="bob", password=PASSWORD, now=NOW).signed_in.researcher

    def remove(pair):
        try:
            accounts.remove(host, pair[0], pair[1].number, now=NOW)
        except LastOwnerError:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(remove, [(owner, other), (other, owner)]))
    assert sorted(done) == [False, True]
    assert len(accounts.members(host, now=NOW).researchers) == 1


def test_a_hash_made_with_weaker_parameters_is_renewed_on_signing_in(host, owner, monkeypatch):
    stronger = PasswordHasher(time_cost=2, memory_cost=128, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", stronger)
    assert accounts.sign_in(host, name="ada", password=PASSWORD, now=NOW)
    with host.database.reading() as connection:
        stored = connection.execute(sa.select(researchers.c.password_hash)).scalar_one()
    assert "m=128,t=2" in stored


def test_a_link_to_a_new_password_replaces_the_one_before_and_makes_no_account(host, owner):
    first = accounts.renewal_link(host, " ADA ", actor="command line", now=NOW)
    invited = accounts.invite(host, owner, role="viewer", now=NOW)
    second = accounts.renewal_link(host, "ada", actor="command line", now=NOW)
    assert accounts.invitation(host, first, now=NOW) is None
    assert accounts.invitation(host, second, now=NOW).researcher == owner
    assert len(accounts.members(host, now=NOW).invitations) == 1  # a way back is none
    assert accounts.invitation(host, invited, now=NOW).researcher is None
    late = NOW + timedelta(days=1, minutes=1)
    assert accounts.join(host, second, name="", password=PASSWORD, now=late).problems
    with pytest.raises(UnknownNameError, match="ada"):
        accounts.renewal_link(host, "adda", actor="command line", now=NOW)


def test_of_many_who_use_a_way_back_at_once_one_gets_in(host, owner):
    link = accounts.renewal_link(host, "ada", actor="ada", now=NOW)

    def renew(number):
        password = f"{PASSWORD} {number}"
        return accounts.join(host, link, name="", password=password, now=NOW).signed_in

    with ThreadPoolExecutor(6) as pool:
        entered = [each for each in pool.map(renew, range(6)) if each is not None]
    assert len(entered) == 1
    assert accounts.who(host, entered[0].token, now=NOW) == owner


def test_a_way_back_goes_with_the_account(host, owner):
    invited = accounts.invite(host, owner, role="viewer", now=NOW)
    other = accounts.join(host, invited, name="bob", password=PASSWORD, now=NOW).signed_in
    link = accounts.renewal_link(host, "bob", actor="ada", now=NOW)
    accounts.remove(host, owner, other.researcher.number, now=NOW)
    assert accounts.invitation(host, link, now=NOW) is None


def test_many_processes_together_allow_no_more_attempts_than_one(database, database_address):
    hosts = [Host(database), Host(open_database(database_address))]

    def attempt(number):
        host = hosts[number % 2]
        return accounts.may_sign_in(
            host, name="ada", network="203.0.113.9", device="", now=NOW
        ).is_allowed

    with ThreadPoolExecutor(8) as pool:
        allowed = list(pool.map(attempt, range(20)))
    assert sum(allowed) == PER_NAME.at_once
    hosts[1].database.close()


def test_attempts_come_back_one_by_one_and_are_forgotten(host, database):
    def attempt(seconds, name="ada"):
        now = NOW + timedelta(seconds=seconds)
        return accounts.may_try(host, name=name, address="here", now=now)

    assert [attempt(0) for _ in range(9)] == [True] * 8 + [False]
    assert [attempt(21), attempt(21)] == [True, False]
    assert attempt(21, name="bob")
    assert not attempt(-3600)  # a clock put back gives nothing
    with database.reading() as connection:
        stored = str(connection.execute(sa.select(attempts)).all())
    assert "ada" not in stored
    assert "here" not in stored
    later = 21 + 3600
    assert [attempt(later, name="eve") for _ in range(9)][-1] is False
    with database.reading() as connection:
        assert len(connection.execute(sa.select(attempts)).all()) == 3  # and who tidied up last


def test_attempts_that_are_allowed_are_forgotten_too(host, database):
    """Every one comes from elsewhere and by another name: none is refused, and none is kept."""
    most = 0
    for minute in range(60):
        for number in range(5):
            who = f"{minute}-{number}"
            now = NOW + timedelta(minutes=minute, seconds=number)
            assert accounts.may_try(host, name=who, address=who, now=now)
        with database.reading() as connection:
            most = max(most, len(connection.execute(sa.select(attempts)).all()))
    # Two rows for each of five attempts a minute, as long as they are kept; and one more minute.
    assert most <= 2 * 5 * (KEPT / timedelta(minutes=1) + 2) + 1
