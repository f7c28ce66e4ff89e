"""Attacks on what teams use: second step, passkeys, provider, invitations, links, webhooks."""

import base64
import hmac
import json
from datetime import UTC, datetime, timedelta
from functools import cache
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest
import sqlalchemy as sa
from joserfc import jwk, jwt
from starlette.testclient import TestClient
from tests.web.conftest import PASSWORD, hidden_fields, join
from tests.web.test_ways import WAYS, _begin, _password

from howgood.errors import InputError
from howgood.flow import accounts, notices
from howgood.flow.accounts import provider
from howgood.settings import Settings
from howgood.store.schema import invitations, result_links
from howgood.web.access import SESSION
from howgood.web.app import make_app

ISSUER = "http://127.0.0.1:9/provider"
GIVEN = Settings(oidc_issuer=ISSUER, oidc_client="howgood", oidc_role="guest", oidc_name="Uni")
ODD = ["", "x", "é", "\u202e", "a.b", "0" * 5000, "{}", "[]", "null", '{"id": 7}']


def _now():
    return datetime.now(UTC)


# The second step.


@pytest.fixture
def secret(owner):
    """The secret of ada's codes, which are in use."""
    found, page = _begin(owner)
    code = pyotp.TOTP(found).at(_now() - timedelta(seconds=30))
    owner.post(f"{WAYS}/codes", data=hidden_fields(page) | {"code": code})
    return found


def test_a_ticket_without_a_code_is_no_session(browser, host, secret):
    ticket = hidden_fields(_password(browser))["ticket"]
    assert not browser.cookies.get(SESSION)
    browser.cookies.set(SESSION, ticket)
    assert browser.get("/studies", follow_redirects=False).status_code == 303


@pytest.mark.parametrize("ticket", ODD)
def test_a_ticket_that_we_did_not_write_leads_back_to_the_start(browser, secret, ticket):
    form = hidden_fields(_password(browser)) | {"ticket": ticket, "code": pyotp.TOTP(secret).now()}
    sent = browser.post("/login/second", data=form, follow_redirects=False)
    assert (sent.status_code, sent.headers.get("location")) == (303, "/login")


def test_the_ticket_of_one_person_does_not_take_the_code_of_another(browser, host, viewer, secret):
    """Grace has codes too, and ada's password: her own code does not open ada's account."""
    hers, page = _begin(viewer)
    code = pyotp.TOTP(hers).at(_now() - timedelta(seconds=30))
    viewer.post(f"{WAYS}/codes", data=hidden_fields(page) | {"code": code})
    form = hidden_fields(_password(browser)) | {"code": pyotp.TOTP(hers).now()}
    assert "not right" in browser.post("/login/second", data=form).text
    assert browser.get("/studies", follow_redirects=False).status_code == 303


@pytest.mark.parametrize("code", ["", " ", "٠٠٠٠٠٠", "0" * 10_000, "-1", "1e5", "000000\n000000"])
def test_odd_codes_are_only_wrong(browser, secret, code):
    form = hidden_fields(_password(browser)) | {"code": code}
    sent = browser.post("/login/second", data=form)
    assert sent.status_code in (200, 422)
    assert "not right" in sent.text


# Passkeys.


@pytest.mark.parametrize("answer", ODD)
def test_what_is_no_passkey_opens_nothing(browser, owner_account, answer):
    form = hidden_fields(browser.get("/login")) | {"answer": answer, "memory": answer}
    sent = browser.post("/login/passkey", data=form)
    assert sent.status_code == 403
    assert not browser.cookies.get(SESSION)


@pytest.mark.parametrize("answer", ODD)
def test_what_is_no_passkey_is_not_kept(owner, host, answer):
    page = owner.get(WAYS)
    form = hidden_fields(page) | {"answer": answer, "name": "mine"}
    assert owner.post(f"{WAYS}/passkeys", data=form).status_code == 422
    assert "mine" not in owner.get(WAYS).text


def test_the_question_asked_of_one_account_makes_no_passkey_for_another(owner, viewer):
    """What was asked is signed for its account."""
    hers = hidden_fields(viewer.get(WAYS))["memory"]
    form = hidden_fields(owner.get(WAYS)) | {"memory": hers, "answer": "{}", "name": "mine"}
    assert owner.post(f"{WAYS}/passkeys", data=form).status_code == 422


# A provider.


@cache
def _key(_whose):
    """Make a key once: that takes a while."""
    return jwk.RSAKey.generate_key(2048, parameters={"kid": "1"})


class FakeProvider:
    """What a provider would say; everything in it can be false."""

    def __init__(self):
        self.key = _key("the provider's")
        self.changes, self.head, self.signing = {}, {"alg": "RS256", "kid": "1"}, self.key
        self.nonce = ""

    def ask(self, address, *, form=None, head=None):
        if address.endswith("/.well-known/openid-configuration"):
            return {"issuer": ISSUER, "authorization_endpoint": f"{ISSUER}/go",
                    "token_endpoint": f"{ISSUER}/token", "jwks_uri": f"{ISSUER}/keys"}  # fmt: skip
        if address.endswith("/keys"):
            return {"keys": [self.key.as_dict(private=False)]}
        return {"id_token": self.token()}

    def token(self):
        moment = int(_now().timestamp())
        claims = {"iss": ISSUER, "aud": "howgood", "sub": "grace", "nonce": self.nonce,
                  "iat": moment, "exp": moment + 60} | self.changes  # fmt: skip
        if self.head["alg"] in ("none", "HS256"):
            return self.forged(claims)
        return jwt.encode(self.head, claims, self.signing, algorithms=[self.head["alg"]])

    def forged(self, claims):
        """Sign with nothing, or with the public key, which everybody knows."""
        said = ".".join(_encoded(json.dumps(part).encode()) for part in (self.head, claims))
        public = self.key.as_pem(private=False)
        mark = hmac.digest(public, said.encode(), "sha256") if self.head["alg"] != "none" else b""
        return f"{said}.{_encoded(mark)}"


def _encoded(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@pytest.fixture
def fake(monkeypatch):
    made = FakeProvider()
    provider._kept_description.cache_clear()
    provider._kept_keys.cache_clear()
    monkeypatch.setattr(provider, "_asked", made.ask)
    yield made
    provider._kept_description.cache_clear()
    provider._kept_keys.cache_clear()


@pytest.fixture
def visitor(host, fake):
    """A browser at a server that has a provider."""
    with TestClient(make_app(host, GIVEN), raise_server_exceptions=False) as client:
        yield client


def _leave(client, fake, path="/login/provider"):
    """Go to the provider; return the state that belongs to this way."""
    gone = client.get(path, follow_redirects=False)
    query = parse_qs(urlsplit(gone.headers["location"]).query)
    fake.nonce = query["nonce"][0]
    return query["state"][0]


def _return(client, state, **more):
    query = {"code": "c", "state": state} | more
    return client.get("/login/provider/return", params=query, follow_redirects=False)


def test_somebody_who_comes_back_as_they_left_is_let_in(visitor, fake):
    assert _return(visitor, _leave(visitor, fake)).status_code == 303
    assert "grace" in visitor.get("/studies").text


@pytest.mark.parametrize(("changes", "head"), [
    ({"nonce": "of another sign-in"}, {}), ({"nonce": None}, {}), ({"nonce": "é"}, {}),
    ({"aud": "another"}, {}), ({"aud": []}, {}), ({"aud": ["howgood"], "azp": "another"}, {}),
    ({"iss": "https://another.example"}, {}), ({"exp": 1}, {}), ({"exp": "soon"}, {}),
    ({"exp": None}, {}), ({"iat": 4_000_000_000}, {}), ({"sub": ""}, {}), ({"sub": None}, {}),
    ({}, {"alg": "none"}), ({}, {"alg": "HS256"}), ({}, {"kid": "2"}),
])  # fmt: skip
def test_an_identity_that_is_not_for_this_sign_in_opens_nothing(visitor, fake, changes, head):
    fake.changes, fake.head = changes, fake.head | head
    assert _return(visitor, _leave(visitor, fake)).status_code == 403
    assert not visitor.cookies.get(SESSION)


def test_an_identity_signed_by_somebody_else_opens_nothing(visitor, fake):
    fake.signing = _key("a stranger's")
    assert _return(visitor, _leave(visitor, fake)).status_code == 403


@pytest.mark.parametrize("state", ODD)
def test_a_state_that_is_not_of_this_browser_opens_nothing(visitor, fake, state):
    _leave(visitor, fake)
    assert _return(visitor, state).status_code == 403


def test_a_way_back_is_of_its_browser_and_works_once(host, visitor, fake):
    """Who begins a sign-in and sends the answer to somebody else signs nobody in."""
    state = _leave(visitor, fake)
    other = TestClient(make_app(host, GIVEN), raise_server_exceptions=False)
    assert _return(other, state).status_code == 403
    assert _return(visitor, state).status_code == 303
    assert _return(visitor, state).status_code == 403
    assert _return(visitor, _leave(visitor, fake), iss="https://another.example").status_code == 403
    assert _return(visitor, _leave(visitor, fake), error="denied").status_code == 403


def test_a_memory_that_was_changed_is_none(visitor, fake, host, owner_account):
    """The cookie says whose account is linked; only we can write it."""
    state = _leave(visitor, fake)
    sealed = visitor.cookies.get("howgood-provider", path="/login/provider/return")
    text, _, signature = sealed.rpartition(".")
    memory = json.loads(base64.urlsafe_b64decode(text))
    memory["researcher"] = owner_account.researcher.number
    forged = base64.urlsafe_b64encode(json.dumps(memory).encode()).decode()
    for changed in (f"{forged}.{signature}", f"{forged}.", "é", ".", sealed[:-1]):
        visitor.cookies.delete("howgood-provider")
        head = {"cookie": f"howgood-provider={changed}".encode()}
        sent = visitor.get("/login/provider/return", params={"code": "c", "state": state},
                           headers=head, follow_redirects=False)  # fmt: skip
        assert sent.status_code == 403


def test_another_site_cannot_link_its_account_at_the_provider(visitor, fake, owner_account):
    """A link on another site leads an owner's browser to our page, not to the provider."""
    visitor.cookies.set(SESSION, owner_account.token)
    for mark in ("", "?mark=", "?mark=x", "?mark=%C3%A9"):
        sent = visitor.get(f"{WAYS}/provider{mark}", follow_redirects=False)
        assert (sent.status_code, sent.headers["location"]) == (303, WAYS)
    page = visitor.get(WAYS).text
    (link,) = [each for each in page.split('"') if each.startswith(f"{WAYS}/provider?")]
    assert visitor.get(link, follow_redirects=False).headers["location"].startswith(ISSUER)


# Invitations.


def test_an_invitation_gives_no_more_than_it_says(browser, host, owner_account):
    token = accounts.invite_to_study(
        host, owner_account.researcher, "doors", role="viewer", now=_now()
    )
    page = browser.get(f"/setup/{token}")
    form = hidden_fields(page) | {"name": "mallory", "password": PASSWORD, "role": "owner",
                                  "study_role": "owner", "study": "songs"}  # fmt: skip
    browser.post(f"/setup/{token}", data=form)
    assert browser.get("/studies/doors/results").status_code == 200
    assert browser.get("/studies/doors/data").status_code == 403
    assert browser.get("/studies/songs").status_code == 404
    assert browser.get("/people").status_code == 403


@pytest.mark.parametrize("nearly", [str.swapcase, lambda text: text[:-1], lambda text: text + "="])
def test_an_invitation_works_once_and_as_it_was_written(browser, host, owner_account, nearly):
    token = accounts.invite(host, owner_account.researcher, role="member", now=_now())
    assert browser.get(f"/setup/{nearly(token)}").status_code == 404
    with host.database.reading() as connection:
        kept = connection.execute(sa.select(invitations.c.token_digest)).scalars().all()
    assert token not in "".join(kept)
    join(browser, token, name="grace")
    browser.cookies.clear()
    assert browser.get(f"/setup/{token}").status_code == 404


def test_an_invitation_ends_by_itself(browser, host, owner_account):
    earlier = _now() - timedelta(days=8)
    token = accounts.invite(host, owner_account.researcher, role="owner", now=earlier)
    assert browser.get(f"/setup/{token}").status_code == 404


def test_a_withdrawn_invitation_opens_nothing_and_is_withdrawn_by_its_study_alone(
    browser, host, owner, owner_account
):
    token = accounts.invite_to_study(
        host, owner_account.researcher, "doors", role="owner", now=_now()
    )
    page = owner.get("/studies/doors/share")
    assert "Invitations that nobody has used yet" in page.text
    form = hidden_fields(page)
    owner.post("/studies/songs/share/invitations/withdraw", data=form)
    assert browser.get(f"/setup/{token}").status_code == 200
    owner.post("/studies/doors/share/invitations/withdraw", data=form)
    assert browser.get(f"/setup/{token}").status_code == 404
    assert browser.get(f"/setup/{form['key']}").status_code == 404
    assert "withdrew an invitation" in owner.get("/history").text


# Links to results.


def _link(host, owner_account, *, days=30, now=None):
    return accounts.make_result_link(
        host, owner_account.researcher, "doors", name="board", days=days, now=now or _now()
    )


def test_a_link_to_results_opens_results_alone(browser, host, owner_account):
    token = _link(host, owner_account)
    assert browser.get(f"/r/{token}").status_code == 200
    for path in ("/studies", "/studies/doors", "/studies/doors/data", "/studies/doors/people"):
        browser.cookies.set(SESSION, token)
        assert browser.get(path, follow_redirects=False).status_code == 303
    browser.cookies.clear()
    assert browser.get(f"/p/{token}").status_code == 404
    asked = browser.get("/api/v1/studies", headers={"authorization": f"Bearer {token}"})
    assert asked.status_code == 401
    with host.database.reading() as connection:
        kept = connection.execute(sa.select(result_links.c.token_digest)).scalars().all()
    assert token not in "".join(kept)


def test_a_link_that_is_over_revoked_or_changed_opens_nothing(browser, host, owner, owner_account):
    over = _link(host, owner_account, days=1, now=_now() - timedelta(days=2))
    live = _link(host, owner_account)
    for token in (over, live[:-1], live.swapcase(), "x", "%00", "é"):
        for path in ("", "/report.html", "/0.svg"):
            assert browser.get(f"/r/{token}{path}").status_code in (400, 404)
    number = max(link.number for link in accounts.sharing_of(host, "doors", now=_now()).links)
    form = hidden_fields(owner.get("/studies/doors/share"))
    owner.post(f"/studies/doors/share/links/{number}/revoke", data=form)
    ended = browser.get(f"/r/{live}")
    assert ended.status_code == 404
    assert "This link has ended" in ended.text


# Webhooks.


@pytest.mark.parametrize("target", [
    "https://127.1/", "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://017700000001/",
    "https://[fd00::1]/", "https://[fe80::1]/", "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://[::127.0.0.1]/",
    "https://224.0.0.1/", "https://255.255.255.255/", "https://198.18.0.1/", "https://192.0.0.1/",
    "https://172.31.255.255/", "https://240.0.0.1/", "https://[ff02::1]/", "https://0/",
    "https://localhost./", "https://LOCALHOST/", "https://１２７.0.0.1/", "file:///etc/passwd",
    "https://127.0.0.1%2f@example.org/", "https://example.org@127.0.0.1/", "gopher://127.0.0.1/",
])  # fmt: skip
def test_no_webhook_leads_into_private_networks(host, owner_account, target):
    with pytest.raises(InputError):
        notices.add_webhook(
            host, Settings(), owner_account.researcher, "doors", target=target,
            events=("participant.completed",), now=_now(),
        )  # fmt: skip
