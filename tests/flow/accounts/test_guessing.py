"""Passwords that are guessed: by many spellings, from many networks, the commonest first."""

from datetime import timedelta

import pytest
from tests.flow.accounts.test_accounts import NOW, PASSWORD, host, owner, quick_passwords

from howgood.flow import accounts
from howgood.flow.accounts import Attempt, passwords
from howgood.flow.accounts.attempts import ANYWHERE, NOTED, PER_NAME
from howgood.store import audit

__all__ = ["host", "owner", "quick_passwords"]


def _try_to_sign_in(host, *, name="ada", network="203.0.113.9", device="", now=NOW):
    return accounts.may_sign_in(host, name=name, network=network, device=device, now=now)


SPELLINGS = ("ada", " ada", "ada  ", "ADA", "\uff41\uff44\uff41", "\u2003ada\u00a0", "Ada\t", "aDa")


def test_a_name_has_one_allowance_however_it_is_spelled(host):
    """Before, each space and each full-width letter was worth eight more guesses."""
    tried = [_try_to_sign_in(host, name=SPELLINGS[n % 8]).is_allowed for n in range(30)]
    assert sum(tried) == PER_NAME.at_once


def test_a_stranger_cannot_lock_the_owner_out(host, owner):
    for number in range(200):  # from everywhere, and from the owner's own network
        _try_to_sign_in(host, network=f"198.51.100.{number}")
        _try_to_sign_in(host, network="203.0.113.9")
    assert not _try_to_sign_in(host, network="203.0.113.9").is_allowed
    device = accounts.device_token(host, "ada")
    assert _try_to_sign_in(host, network="203.0.113.9", device=device) == Attempt(is_allowed=True)
    elsewhere = _try_to_sign_in(host, network="192.0.2.1")
    assert elsewhere.is_allowed
    assert 0 < elsewhere.delay <= 10
    assert _try_to_sign_in(host, name="grace", network="192.0.2.2") == Attempt(is_allowed=True)


def test_a_known_device_has_an_allowance_of_its_own_and_knows_one_name(host):
    device = accounts.device_token(host, "ada")
    tried = [_try_to_sign_in(host, device=device).is_allowed for _ in range(20)]
    assert sum(tried) == PER_NAME.at_once
    assert _try_to_sign_in(host).is_allowed  # who has no such device is not held up by it
    for wrong in ("x", "x.y", device[:-1], f"{device}x", accounts.device_token(host, "bob")):
        for _ in range(ANYWHERE.at_once):
            last = _try_to_sign_in(host, device=wrong, network=wrong)
        assert not last.is_allowed


def _history(host):
    with host.database.reading() as connection:
        return audit.lines(connection, most=1000)


def test_signing_in_and_failing_to_are_written_down_without_secrets(host, owner):
    for password in ("the wrong one", PASSWORD):
        accounts.sign_in(host, name=" ADA", password=password, network="203.0.113.9", now=NOW)
    accounts.sign_in(host, name=PASSWORD, password="x", network="203.0.113.9", now=NOW)  # noqa: S106 - a wrong one
    found = [(line.actor, line.action) for line in _history(host)]
    assert ("ada", "signed in") in found
    assert ("ada", "sign-in failed") in found
    assert ("somebody (no such account)", "sign-in failed") in found
    everything = str(_history(host))
    for secret in (PASSWORD, "the wrong one", "203.0.113.9"):
        assert secret not in everything
    (ours, others) = [line.detail["network"] for line in _history(host) if "network" in line.detail]
    assert ours == others


def test_guessing_without_end_does_not_fill_the_history(host, owner):
    before = len(_history(host))
    for number in range(300):
        attempt = _try_to_sign_in(host, now=NOW + timedelta(seconds=number))
        if attempt.is_allowed:
            name = "ada" if number % 2 else f"nobody {number}"
            accounts.sign_in(host, name=name, password="no", now=NOW)  # noqa: S106 - a wrong one
    refused = [line for line in _history(host) if line.action == "sign-in refused"]
    assert refused
    assert len(_history(host)) - before <= 2 * NOTED.at_once


@pytest.mark.parametrize(
    "password",
    ["1234567890", "qwertyuiop", "password123", "Password1!", "passw0rd123", "p@ssw0rd2024",
     "1q2w3e4r5t", "1qaz2wsx3edc", "zaq12wsxcde3", "qwerty123456", "iloveyou123", "letmein123",
     "welcome2026", "administrator", "basketball", "michael1985", "abcabcabcabc", "aaaaaaaaaaaa",
     "0987654321", "passwordpassword", "howgood123", "ada ada ada 12", "Sommer2025!", "asdfghjkl;",
     "manchester", "Manchester1", "christopher", "strawberry", "washington", "california",
     "elizabeth1", "jacqueline", "victoria123", "samantha1234", "sebastian1", "benjamin12",
     "Willkommen1", "motdepasse1", "qwertzuiop", "15.08.1985", "xX" * 60],
)  # fmt: skip
def test_the_passwords_that_are_tried_first_are_refused(password):
    assert "tried first" in passwords.password_problem(password, name="ada")


@pytest.mark.parametrize(
    "password",
    ["correct horse battery staple", "long and safe enough", "x7!kQ9#mZ2pL",
     "drei Wege zum alten Hafen", "85-zebra-lamp", "密码不容易猜到的东西吧",
     "qwerty is my neighbour's parrot", "correct horse battery staple " * 6],
)  # fmt: skip
def test_other_passwords_are_taken(password):
    assert passwords.password_problem(password, name="ada") == ""


def test_ones_own_name_makes_no_password_and_is_nobody_elses_weakness():
    assert passwords.password_problem("hildegard zvonimir 1", name="hildegard zvonimir")
    assert passwords.password_problem("hildegard zvonimir 1", name="ada") == ""
