"""Signing in by a provider, which is a process of its own, and with a passkey of the browser."""

import re
import socket
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import SURVEY
from tests.journeys.in_process import Running

from howgood.flow import accounts
from howgood.flow.hosting import Host, add_study
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.store.database import open_database
from howgood.store.migrate import upgrade


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def provider():
    """The address of an OpenID provider."""
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "-p", str(port), "-n"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/.well-known/openid-configuration").close()  # noqa: S310 - ours
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def make_running(tmp_path):
    made = []

    def make(**settings):
        database = open_database(str(tmp_path / "a.sqlite"))
        upgrade(database)
        host = Host(database)
        add_study(host, Study.from_dict(SURVEY), folder=Path(), now=datetime.now(UTC))
        made.append(Running(host, Settings(**settings)))
        return made[-1]

    yield make
    for running in made:
        running.stop()


def _provided(address, **more):
    return {"oidc_issuer": address, "oidc_client": "howgood", "oidc_secret": "s",
            "oidc_name": "Example University", **more}  # fmt: skip


def _go_there(page, home, subject):
    page.goto(f"{home}/login")
    page.get_by_role("link", name="Sign in with Example University").click()
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def test_who_is_let_in_by_the_provider(chromium, provider, make_running):
    running = make_running(**_provided(provider, oidc_role="guest"))
    context = chromium.new_context()
    page = context.new_page()
    _go_there(page, running.home, "grace")
    page.wait_for_url(f"{running.home}/studies")
    assert "grace" in page.locator("header").inner_text()
    # No study is shared with a newcomer; coming again is the same account.
    assert page.goto(f"{running.home}/studies/doors").status == 404
    context.clear_cookies()
    _go_there(page, running.home, "grace")
    page.wait_for_url(f"{running.home}/studies")
    names = [
        each.name for each in accounts.members(running.host, now=datetime.now(UTC)).researchers
    ]
    assert names == ["ada", "grace"]
    context.close()


def test_a_stranger_with_an_account_there_stays_outside(chromium, provider, make_running):
    running = make_running(**_provided(provider))
    context = chromium.new_context()
    page = context.new_page()
    _go_there(page, running.home, "mallory")
    page.get_by_text("nobody with an account here").wait_for()
    assert page.goto(f"{running.home}/studies").url.endswith("/login?next=%2Fstudies")
    # Whoever is called ada there is not ada here.
    _go_there(page, running.home, "ada")
    page.get_by_text("nobody with an account here").wait_for()
    context.close()


def test_an_account_is_linked_and_an_invitation_is_used(chromium, provider, make_running):
    running = make_running(**_provided(provider))
    page = running.page(chromium, {"width": 1280, "height": 800})
    page.goto(f"{running.home}/account/ways")
    page.get_by_role("link", name="Link your account").click()
    page.get_by_placeholder("sub").fill("ada-there")
    page.get_by_role("button", name="Authorize").click()
    page.get_by_text("Your account there is linked").wait_for()
    page.context.clear_cookies()
    _go_there(page, running.home, "ada-there")
    page.wait_for_url(f"{running.home}/studies")
    assert "ada" in page.locator("header").inner_text()
    token = accounts.invite(running.host, running.ada, role="member", now=datetime.now(UTC))
    page.context.clear_cookies()
    page.goto(f"{running.home}/setup/{token}")
    page.get_by_role("link", name="Use your account at Example University").click()
    page.get_by_placeholder("sub").fill("newcomer")
    page.get_by_role("button", name="Authorize").click()
    page.wait_for_url(f"{running.home}/studies")
    assert page.get_by_role("link", name=re.compile("new study", re.IGNORECASE)).count()
    assert page.goto(f"{running.home}/setup/{token}").status == 404
    page.context.close()


def test_an_answer_that_did_not_begin_here_signs_nobody_in(chromium, provider, make_running):
    running = make_running(**_provided(provider, oidc_role="guest"))
    context = chromium.new_context()
    page = context.new_page()
    seen = []
    page.on("request", lambda request: seen.append(request.url))
    _go_there(page, running.home, "grace")
    page.wait_for_url(f"{running.home}/studies")
    came = next(url for url in seen if "/login/provider/return?" in url)
    for address in (came, came.replace("state=", "state=x"),
                    f"{running.home}/login/provider/return"):  # fmt: skip
        other = chromium.new_context()
        stranger = other.new_page()
        assert stranger.goto(address).status == 403
        assert "howgood-session" not in {each["name"] for each in other.cookies()}
        other.close()
    context.close()


def test_a_passkey_is_made_and_opens_the_account(chromium, make_running):
    running = make_running()
    home = running.home.replace("127.0.0.1", "localhost")
    context = chromium.new_context()
    context.add_cookies([{"name": "howgood-session", "value": running.session, "url": home}])
    page = context.new_page()
    tools = context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
               "hasUserVerification": True, "isUserVerified": True,
               "automaticPresenceSimulation": True}  # fmt: skip
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    page.goto(f"{home}/account/ways")
    page.get_by_label("Name of the device").fill("laptop")
    page.get_by_role("button", name="Make a passkey").click()
    page.get_by_role("row", name=re.compile("laptop")).wait_for()
    context.clear_cookies()
    page.goto(f"{home}/login?next=%2Faccount")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(f"{home}/account")
    assert "ada" in page.locator("main").inner_text()
    page.goto(f"{home}/account/ways")
    page.get_by_role("button", name="Remove the passkey laptop").click()
    context.clear_cookies()
    page.goto(f"{home}/login")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_text("No account has this passkey").wait_for()
    context.close()
