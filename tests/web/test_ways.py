"""A second factor: the code after the password, once, and what stands in for it."""

import re
import time
from datetime import UTC, datetime, timedelta

import pyotp
import pytest
from tests.web.conftest import PASSWORD, hidden_fields

from howgood.flow import accounts
from howgood.flow.accounts import second_factor
from howgood.store import factors

WAYS = "/account/ways"


def _begin(client):
    page = client.post(f"{WAYS}/codes/begin", data=hidden_fields(client.get(WAYS)))
    return re.search(r'As text: <code class="secret">(\w+)<', page.text)[1], page


@pytest.fixture
def with_codes(owner):
    """The secret of the owner's codes, and their recovery codes."""
    secret, page = _begin(owner)
    code = pyotp.TOTP(secret).now()
    done = owner.post(f"{WAYS}/codes", data=hidden_fields(page) | {"code": code})
    assert "Codes are in use" in done.text
    return secret, re.findall(r'<li><code class="secret">([\w-]+)</code>', done.text)


def _password(browser, **more):
    form = hidden_fields(browser.get("/login"))
    return browser.post("/login", data=form | {"name": "ada", "password": PASSWORD} | more)


def _next_code(secret, host, ada):
    """A code that was not used yet: of this half minute or the next, which is accepted already."""
    with host.database.reading() as connection:
        last = factors.second_factor(connection, ada.number).last_step
    step = max(int(time.time()) // 30, last + 1)
    return pyotp.TOTP(secret).at(step * 30)


def test_the_password_alone_no_longer_opens_anything(browser, with_codes, host, owner_account):
    page = _password(browser, next="/studies/doors/data")
    assert "Your code" in page.text
    assert browser.get("/studies", follow_redirects=False).status_code == 303
    wrong = browser.post("/login/second", data=hidden_fields(page) | {"code": "000000"})
    assert "not right" in wrong.text
    code = _next_code(with_codes[0], host, owner_account.researcher)
    entered = browser.post("/login/second", data=hidden_fields(page) | {"code": code})
    assert entered.url.path == "/studies/doors/data"


def test_a_code_works_once(browser, with_codes, host, owner_account):
    code = _next_code(with_codes[0], host, owner_account.researcher)
    for is_first in (True, False):
        form = hidden_fields(_password(browser)) | {"code": code}
        sent = browser.post("/login/second", data=form)
        assert ("not right" in sent.text) is not is_first
        browser.cookies.clear()


def test_a_recovery_code_works_once_and_however_it_is_typed(browser, with_codes, owner):
    first = with_codes[1][0]
    assert len(with_codes[1]) == len(set(with_codes[1])) == 10
    for typed, works in ((first.upper().replace("-", " "), True), (first, False)):
        form = hidden_fields(_password(browser)) | {"code": typed}
        sent = browser.post("/login/second", data=form)
        assert (sent.url.path == "/studies") is works
        browser.cookies.clear()
    assert "9 recovery codes left" in owner.get(WAYS).text


def test_guesses_of_codes_end_wherever_they_come_from(host, owner_account, with_codes):
    ada, now = owner_account.researcher, datetime.now(UTC) + timedelta(minutes=10)
    step = accounts.sign_in(host, name="ada", password=PASSWORD, now=now)
    assert isinstance(step, second_factor.SecondStep)
    tried = [second_factor.show_code(host, step.ticket, f"{n:06}", now=now) for n in range(20)]
    assert tried == [None] * 20
    right = pyotp.TOTP(with_codes[0]).at(int(now.timestamp()))
    assert second_factor.show_code(host, step.ticket, right, now=now) is None
    later = now + timedelta(minutes=4)
    right = pyotp.TOTP(with_codes[0]).at(int(later.timestamp()))
    assert second_factor.show_code(host, step.ticket, right, now=later).researcher == ada


def test_a_ticket_ends_and_is_nobody_elses(host, with_codes):
    now = datetime.now(UTC)
    step = accounts.sign_in(host, name="ada", password=PASSWORD, now=now)
    assert second_factor.is_ticket(host, step.ticket, now=now)
    assert not second_factor.is_ticket(host, step.ticket, now=now + timedelta(minutes=6))
    number, until, signature = step.ticket.split(".")
    for forged in (f"2.{until}.{signature}", f"{number}.{int(until) + 9}.{signature}", "", "1.2.3",
                   f"{number}.{until}.", "x.y.z", f"{number}.{'9' * 40}.{signature}"):  # fmt: skip
        assert not second_factor.is_ticket(host, forged, now=now)


def test_codes_are_switched_off_with_the_password_alone(owner, browser, with_codes):
    form = hidden_fields(owner.get(WAYS))
    wrong = owner.post(f"{WAYS}/codes/end", data=form | {"password": "not this one"})
    assert wrong.status_code == 422
    assert "Your code" in _password(browser).text
    owner.post(f"{WAYS}/codes/end", data=form | {"password": PASSWORD})
    assert _password(browser).url.path == "/studies"


def test_a_mistyped_first_code_keeps_the_secret_that_the_app_has(owner):
    """Before: the page began anew, with another secret and a second entry in the app."""
    secret, page = _begin(owner)
    again = owner.post(f"{WAYS}/codes", data=hidden_fields(page) | {"code": "abc"})
    assert "This code is not right" in again.text
    assert f'As text: <code class="secret">{secret}<' in again.text
    form = hidden_fields(again) | {"code": pyotp.TOTP(secret).now()}
    done = owner.post(f"{WAYS}/codes", data=form)
    assert "Codes are in use" in done.text
    assert secret not in done.text


def test_a_secret_that_was_never_confirmed_asks_for_nothing(owner, browser):
    _, page = _begin(owner)
    wrong = owner.post(f"{WAYS}/codes", data=hidden_fields(page) | {"code": "123"})
    assert wrong.status_code == 422
    assert _password(browser).url.path == "/studies"


def test_what_happened_is_in_the_history_and_no_secret_is(owner, browser, with_codes):
    browser.post("/login/second", data=hidden_fields(_password(browser)) | {"code": "000000"})
    history = owner.get("/history").text
    assert "turned on codes after the password" in history
    assert "failed the second step of signing in" in history
    for secret in (with_codes[0], *with_codes[1]):
        assert secret not in history


def test_an_owner_lets_in_who_has_lost_the_device(owner, browser, with_codes, host, owner_account):
    assert _password(browser).url.path == "/login"
    page = owner.get("/people")
    name = owner_account.researcher.name
    assert f"Switch off the codes of {name}" in page.text
    owner.post("/people/codes", data=hidden_fields(page) | {"name": name})
    assert "Switch off" not in owner.get("/people").text
    assert _password(browser).url.path == "/studies"
    assert not second_factor.end_codes_of(host, name, actor="Ada", now=datetime.now(UTC))
