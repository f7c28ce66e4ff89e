"""Withdrawing, how long data is kept, and the record of processing, over HTTP."""

from datetime import UTC, datetime, timedelta

from tests.flow.hosting.conftest import Person
from tests.web.conftest import hidden_fields

from howgood.flow.collected import tidy_rows

WRONG = 422


def test_somebody_withdraws_on_the_page_after_saying_that_they_are_sure(browser, host):
    someone = Person(host, "doors", now=datetime.now(UTC))
    someone.begin()
    someone.finish()
    last = browser.get(f"/p/{someone.token}")
    code = someone.look().withdrawal
    assert code in last.text
    assert 'href="/withdraw?lang=en"' in last.text
    form = hidden_fields(browser.get("/withdraw"))
    assert browser.post("/withdraw", data={"code": code, "sure": "yes"}).status_code == 403
    assert browser.post("/withdraw", data=form | {"code": code}).status_code == WRONG
    wrong = browser.post("/withdraw", data=form | {"code": code[:-1], "sure": "yes"})
    assert wrong.status_code == WRONG
    assert len(list(tidy_rows(host, "doors", table="participants"))) == 1
    done = browser.post("/withdraw", data=form | {"code": code, "sure": "yes"})
    assert "Your answers are deleted" in done.text
    assert list(tidy_rows(host, "doors", table="participants")) == []
    assert browser.get(f"/p/{someone.token}").status_code == 404


def test_codes_cannot_be_tried_without_end(browser):
    form = hidden_fields(browser.get("/withdraw")) | {"code": "1-AAAAA-AAAAA-AAAAA", "sure": "yes"}
    assert 429 in {browser.post("/withdraw", data=form).status_code for _ in range(100)}


def test_an_owner_sets_the_day_and_the_record_says_it(owner, host):
    form = hidden_fields(owner.get("/studies/doors/privacy"))
    day = (datetime.now(UTC) + timedelta(days=90)).date().isoformat()
    page = owner.post("/studies/doors/privacy", data=form | {"until": day})
    assert f"until {day}" in page.text
    assert "said how long data is kept" in page.text
    for wrong in ("2001-01-01", "soon", "9999-99-99"):
        sent = owner.post("/studies/doors/privacy", data=form | {"until": wrong})
        assert sent.status_code == WRONG
    assert "no day is set" in owner.post("/studies/doors/privacy", data=form | {"until": ""}).text
