"""What opens something is shown once, to whom it was made for, and stands on no page afterwards."""

from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient
from tests.attacks.surface import content, filled, routes
from tests.flow.hosting.conftest import Person
from tests.web.conftest import PASSWORD

from howgood.flow import accounts, in_use, notices
from howgood.flow.api_access import issue_token
from howgood.records.api_token import SCOPES
from howgood.settings import Settings
from howgood.web.access import SESSION
from howgood.web.app import make_app

MAIL = "smtp://ada:mail-password-4711@127.0.0.1:9"  # pragma: allowlist secret
TARGET = "https://93.184.216.34/hook?key=in-the-address-4711"  # pragma: allowlist secret


@pytest.fixture
def secrets(host, owner_account):
    """Return everything secret that belongs to the study of doors, by what it is."""
    now, ada = datetime.now(UTC), owner_account.researcher
    someone = Person(host, "doors", now=now).begin()
    hook = notices.add_webhook(host, Settings(), ada, "doors", target=TARGET,
                               events=notices.EVENTS, now=now)  # fmt: skip
    product = in_use.add_product(host, ada, "doors", name="Door camera", application="bell",
                                 origins="", now=now)  # fmt: skip
    token = issue_token(host, ada, name="n", scopes=tuple(SCOPES), study=None, days=None, now=now)
    return {
        "secret of a webhook": hook.secret,
        "address of a webhook": "in-the-address-4711",
        "password of the mail server": "mail-password-4711",
        "token of a product": product.token,
        "token of a program": token.secret,
        "link of a participant": someone.token,
        "invitation": accounts.invite_to_study(host, ada, "doors", role="viewer", now=now),
        "link to results": accounts.make_result_link(host, ada, "doors", name="x", days=3, now=now),
        "password": PASSWORD,
        "session": owner_account.token,
    }


def test_no_page_and_no_answer_of_the_api_repeats_a_secret(host, owner_account, secrets):
    settings = Settings(mail=MAIL, mail_from="ada@example.org")
    head = {"Authorization": f"Bearer {secrets['token of a program']}"}
    asked = 0
    with TestClient(make_app(host, settings), raise_server_exceptions=False) as client:
        client.cookies.set(SESSION, owner_account.token)
        for method, path in routes(client.app):
            if method != "GET":
                continue
            address = filled(path, slug="doors")
            answer = client.get(address, headers=head if path.startswith("/api/") else {})
            leaked = [name for name, secret in secrets.items() if secret in answer.text]
            assert leaked == [], address
            asked += answer.status_code == 200
    assert asked > 40


def test_the_database_keeps_no_token_that_opens_something(host, secrets):
    """Who reads a backup signs in as nobody; what has to be sent again is kept as it is."""
    kept = str(content(host, without=()))
    found = {name for name, secret in secrets.items() if secret in kept}
    assert found == {"secret of a webhook", "address of a webhook"}
