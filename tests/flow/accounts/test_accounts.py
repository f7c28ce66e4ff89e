"""Accounts on both databases: links that work once, sessions kept as digests."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher

from howgood.flow import accounts
from howgood.flow.accounts import passwords
from howgood.flow.accounts.circle import LastOwnerError
from howgood.flow.hosting import Host
from howgood.store.schema import invitations, researchers, sessions

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
    assert len(accounts.circle(host, now=NOW).researchers) == 1


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
    assert len(accounts.circle(host, now=NOW).invitations) == 3


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
    assert len(accounts.circle(host, now=NOW).researchers) == 1


def test_a_hash_made_with_weaker_parameters_is_renewed_on_signing_in(host, owner, monkeypatch):
    stronger = PasswordHasher(time_cost=2, memory_cost=128, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", stronger)
    assert accounts.sign_in(host, name="ada", password=PASSWORD, now=NOW)
    with host.database.reading() as connection:
        stored = connection.execute(sa.select(researchers.c.password_hash)).scalar_one()
    assert "m=128,t=2" in stored
