"""A study in two languages in the browser: chosen on the first page, by the link or the browser."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import SURVEY
from tests.kinds.test_translation import german
from tests.web.conftest import hidden_fields

from howgood.flow.collected.rows import tidy_rows
from howgood.flow.hosting import add_study, make_links
from howgood.kinds.study import Study

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
DE = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
EN = {"Accept-Language": "en"}


@pytest.fixture
def study(host):
    both = Study.from_dict(german(SURVEY, slug="both"))
    add_study(host, both, folder=Path(), now=NOW)
    return both


def _begin(browser, page):
    form = hidden_fields(page) | {"consent.consent": "yes"}
    return browser.post(page.url, data=form)


def test_the_link_decides_before_the_browser_and_every_page_speaks_it(browser, host, study):
    page = browser.get("/s/both?lang=de", headers=EN)
    assert '<html lang="de" dir="ltr">' in page.text
    assert "I agree. (de)" in page.text
    assert 'href="/s/both?lang=en"' in page.text
    action = page.text.partition('action="')[2].partition('"')[0]
    assert action == "/s/both?lang=de"
    next_page = _begin(browser, page)
    assert '<html lang="de"' in next_page.text
    assert "language_choice" not in next_page.text
    assert "hreflang" not in next_page.text
    (row,) = tidy_rows(host, "both", table="participants")
    assert row["study_language"] == "de"
    # Whoever comes back by the other link goes on as they began.
    assert '<html lang="de"' in browser.get("/s/both?lang=en").text


def test_the_browser_decides_where_the_link_does_not(browser, study):
    assert '<html lang="de"' in browser.get("/s/both", headers=DE).text
    assert '<html lang="en"' in browser.get("/s/both", headers=EN).text
    assert '<html lang="en"' in browser.get("/s/both?lang=xx", headers=EN).text


def test_somebody_with_a_link_of_their_own_chooses_too(browser, host, study):
    (link,) = make_links(host, "both", people=1, now=NOW)
    page = browser.get(f"/p/{link.token}?lang=de", headers=EN)
    assert '<html lang="de"' in page.text
    assert str(page.url).endswith("/1?lang=de")
    english = browser.get(f"/p/{link.token}/1", headers=EN)
    assert '<html lang="en"' in english.text
    after = _begin(browser, page)
    assert '<html lang="de"' in after.text


def test_a_study_in_one_language_offers_no_choice(browser):
    page = browser.get("/s/doors?lang=de", headers=DE)
    assert "hreflang" not in page.text
    assert '<html lang="en"' in page.text


def test_refusals_and_withdrawing_speak_the_language_too(browser, host, study):
    form = hidden_fields(browser.get("/s/both?lang=de")) | {"signature": "x"}
    refused = browser.post("/s/both?lang=de", data=form)
    assert "Bitte noch einmal senden" in refused.text
    assert "Von einer Studie zurücktreten" in browser.get("/withdraw?lang=de").text
    assert "Von einer Studie zurücktreten" in browser.get("/withdraw", headers=DE).text


def test_the_preview_is_in_every_language_and_the_form_lists_what_is_missing(owner, host, study):
    page = owner.get("/studies/both/preview?lang=de")
    assert "<option selected>de</option>" in page.text
    assert "I agree. (de)" in page.text
    form = owner.get("/studies/both/edit/languages")
    assert 'name="translations.de.consent.text"' in form.text
    owner.post(
        "/studies/both/edit/languages",
        data=hidden_fields(form) | {"translations.de.consent.text": ""},
    )
    again = owner.get("/studies/both/edit/languages")
    assert "no text in &#39;de&#39;" in again.text
