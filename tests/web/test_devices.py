"""The kind of device: three words, and nothing else of what a browser says."""

import pytest
import sqlalchemy as sa
from tests.web.conftest import hidden_fields

from howgood.store.schema import participants

PHONE = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Mobile Safari/537.36"
TABLET = "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
COMPUTER = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"


@pytest.mark.parametrize(("agent", "kind"), [(PHONE, "phone"), (TABLET, "tablet"),
                                            (COMPUTER, "computer"), ("", None)])  # fmt: skip
def test_the_kind_of_device_is_kept_at_consent(browser, host, agent, kind):
    browser.headers["user-agent"] = agent
    page = browser.get("/s/songs")
    form = hidden_fields(page) | {"consent.consent": "yes"}
    browser.post("/s/songs", data=form)
    with host.database.reading() as connection:
        (person,) = connection.execute(sa.select(participants)).all()
    assert person.device == kind
    assert agent[:20] not in repr(person) or not agent


def test_the_people_page_shows_it(browser, owner, host):
    browser.headers["user-agent"] = PHONE
    browser.post("/s/songs", data=hidden_fields(browser.get("/s/songs"))
                 | {"consent.consent": "yes"})  # fmt: skip
    assert ", phone<" in owner.get("/studies/songs/people").text
    assert "on a phone" in owner.get("/studies/songs/people/1").text
