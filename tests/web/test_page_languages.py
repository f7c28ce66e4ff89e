"""The pages a colleague reads, in German: nothing English left on them, and the choice is kept."""

import html
import re

import pytest
from tests.flow.results.conftest import SURVEY
from tests.web.test_results import _fit, asked, work  # noqa: F401 - fixtures

from howgood.show.translation import is_english

pytestmark = pytest.mark.filterwarnings("ignore")


def english_left(page):
    """Return what is marked as English on a page, and says something."""
    found = re.findall(r'<span lang="en">(.*?)</span>', page, re.DOTALL)
    said = [html.unescape(" ".join(text.split())) for text in found if is_english(text)]
    # Statements that people rated are the study's own words; methods are meant for papers.
    return [text for text in said if "I would" not in text and "respondents gave" not in text]


def _share_left(page):
    """Return how much of a page's sentences stayed English, by their number."""
    texts = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    sentences = [text for text in re.split(r"<[^>]*>", texts) if len(text.split()) > 2]
    return len(english_left(page)) / len(sentences)


@pytest.fixture
def fitted(owner, asked, work):  # noqa: F811 - fixtures
    row = asked(SURVEY, 30)
    _fit(owner, row.slug)
    work()
    return row


def test_live_results_and_report_are_german_once_chosen(owner, fitted):
    live = owner.get(f"/studies/{fitted.slug}?in=de").text
    assert '<html lang="de">' in live
    assert _share_left(live) < 0.1
    results = owner.get(f"/studies/{fitted.slug}/results").text  # the choice is kept
    assert "Ergebnisse: " in results
    assert "Was daraus nicht folgt" in results
    assert _share_left(results) < 0.2  # texts that came after the file was last looked through
    report = owner.get(f"/studies/{fitted.slug}/results/1/report.html").text
    assert '<html lang="de">' in report
    assert _share_left(report) < 0.2
    english = owner.get(f"/studies/{fitted.slug}/results?in=en").text
    assert "What not to conclude" in english


def test_an_unknown_language_changes_nothing(owner, fitted):
    page = owner.get(f"/studies/{fitted.slug}?in=xx")
    assert '<html lang="en">' in page.text
    assert "howgood-language" not in page.headers.get("set-cookie", "")


def test_fields_and_what_people_wrote_stay_as_they_are(owner, fitted):
    english = owner.get(f"/studies/{fitted.slug}/results?in=en").text
    german = owner.get(f"/studies/{fitted.slug}/results?in=de").text
    named = re.compile(r'(?:name|value|href|action|id)="([^"]*)"')
    same = [sorted(text for text in named.findall(page) if "in=" not in text and len(text) < 60)
            for page in (english, german)]  # fmt: skip
    assert same[0] == same[1]
