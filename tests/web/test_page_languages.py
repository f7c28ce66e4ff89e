"""The pages a colleague reads, in German: nothing English left on them, and the choice is kept.

A new text on a page needs a line in src/howgood/show/languages/de.toml.
"""

import html
import re
import tomllib
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient
from tests.flow.results.conftest import RERATING, SURVEY
from tests.journeys.conftest import PICTURE
from tests.journeys.test_every_page import PAGES, every_state
from tests.journeys.test_offline_kinds import STUDIES
from tests.web.conftest import PASSWORD, hidden_fields
from tests.web.test_results import _fit, asked, work  # noqa: F401 - fixtures

from howgood.ask import sentences
from howgood.demo.web import add_people
from howgood.flow.hosting import add_study
from howgood.flow.results.tasks import run_task
from howgood.flow.study_files.new import template
from howgood.kinds.study import Study
from howgood.records.job import FIT
from howgood.show.page import to_html
from howgood.show.translation import is_english, translated_page
from howgood.web.access import LANGUAGE, SESSION

pytestmark = pytest.mark.filterwarnings("ignore")
# For those who write programs, whose language is English.
FOR_PROGRAMMERS = {"/design", "/api/docs"}
PATHS = ("", "/results", "/results/1/report.html")
DRAFTS = ("survey", "comparison")
DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)


def english_left(page, english):
    """Return what is still English on a page: marked as such, or a label as in the English page."""
    marked = re.findall(r'<span lang="en">(.*?)</span>', page, re.DOTALL)
    labels = set(_LABEL.findall(page)) & set(_LABEL.findall(english))
    said = {html.unescape(" ".join(text.split())) for text in {*marked, *labels}}
    return {text for text in said if is_english(text)}


_LABEL = re.compile(r'\s(?:aria-label|alt|placeholder|title|data-text-\w+)="([^"]*)"')


def own_words(value):
    """Yield every text of a study: they are in the study's language, not in the page's."""
    if isinstance(value, str):
        yield from (" ".join(line.split()) for line in value.splitlines() if line.strip())
    elif isinstance(value, dict):
        for part in value.values():
            yield from own_words(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from own_words(part)


def not_of_the_study(texts, studies):
    """Return the texts that no study says: neither whole, nor cut short, nor in a list."""
    said = {word for study in studies for word in own_words(study)}
    said |= set(own_words(tomllib.loads((sentences.folder() / "en.toml").read_text())))

    def is_own(text):
        text = re.sub(r"^\d+\. ", "", text)  # its place in a list
        text = re.sub(r" \((?:\d+|[\w-]+)\)$", "", text)  # its count, or its short name
        short = text.removesuffix("…")
        return any(
            word.startswith(short) if text.endswith("…") else word == text for word in said
        ) or any(
            text.startswith(f"{word}: ") and is_own(text.removeprefix(f"{word}: ")) for word in said
        )

    return sorted(text for text in texts if not is_own(text))


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    yield from every_state(tmp_path_factory.mktemp("pages"))


def test_every_page_of_the_dashboard_is_german_once_chosen(running):
    left, studies = {}, [SURVEY, RERATING, *map(tomllib.loads, map(template, DRAFTS))]
    with TestClient(running.app, raise_server_exceptions=False) as client:
        client.cookies.set(SESSION, running.session)

        def read(address, language):
            client.cookies.set(LANGUAGE, language)
            return client.get(address).text

        for route, addresses in PAGES.items():
            for address in addresses if route not in FOR_PROGRAMMERS else ():
                at = address.format(**running.words)
                page = read(at, "de")
                assert '<html lang="de"' in page, address
                left[address] = not_of_the_study(english_left(page, read(at, "en")), studies)
    assert {address: texts for address, texts in left.items() if texts} == {}


@pytest.mark.parametrize("kind", STUDIES)
def test_the_report_of_every_kind_is_german(host, tmp_path, kind):
    (tmp_path / "door.svg").write_text(PICTURE)
    study, now = Study.from_dict(STUDIES[kind]), datetime.now(UTC)
    row = add_study(host, study, folder=tmp_path, now=now)
    add_people(host, row.slug, people=8, seed=1, now=now)
    result = run_task(host, row.number, FIT, {})
    report = to_html(result.report, language="de")
    assert '<html lang="de">' in report
    left = english_left(report, to_html(result.report))
    assert not_of_the_study(left, [STUDIES[kind]]) == []


@pytest.fixture
def fitted(owner, asked, work):  # noqa: F811 - fixtures
    row = asked(SURVEY, 30)
    _fit(owner, row.slug)
    work()
    return row


def test_live_results_and_report_are_german_once_chosen(owner, fitted):
    root = f"/studies/{fitted.slug}"
    english = {path: owner.get(root + path).text for path in PATHS}
    live = owner.get(f"{root}?in=de").text
    german = {path: owner.get(root + path).text for path in PATHS}  # the choice is kept
    # The drawing of people over time ends now, which is a moment later on the second page.
    assert DRAWING.sub("", live) == DRAWING.sub("", german[""])
    for path in PATHS:
        assert '<html lang="de">' in german[path]
        assert not_of_the_study(english_left(german[path], english[path]), [SURVEY]) == []
    assert "Ergebnisse: " in german["/results"]
    assert "Was daraus nicht folgt" in german["/results"]
    assert "What not to conclude" in owner.get(f"{root}/results?in=en").text


# What is wrong with a form, and the states of pages that a form brings about.
WRONG = {
    "/studies/new": [{"template": "x"}, {"template": "survey", "slug": "Ä"},
                     {"template": "survey", "slug": "songs"}],
    "/studies/songs/places": [{"quota": "many"}],
    "/studies/songs/notices": [{"target": ""}, {"target": "https://127.0.0.1/x", "events": "done"},
                               {"target": "ada@"}],
    "/studies/songs/privacy": [{"until": "soon"}, {"until": "1999-01-01"}],
    "/studies/songs/draw": [{"seed": "", "prizes": "0"}],
    "/studies/songs/links": [{"people": "none"}, {"people": "2", "as": "page"}],
    "/studies/songs/recruit": [{}],
    "/studies/songs/share": [{"name": "nobody", "role": "viewer"}],
    "/studies/songs/share/links": [{"name": "", "days": "30"}, {"name": "Kim", "days": "30"}],
    "/groups": [{"name": ""}, {"name": "Labor"}, {"name": "Labor"}],
    "/tokens": [{"name": ""}, {"name": "Kim"}, {"name": "Kim", "scopes": "studies:read"}],
    "/studies/songs/data/erase": [{"who": "1"}, {"who": "x", "sure": "yes"}],
    "/studies/songs/data/delete": [{"confirmation": "doors"}],
    "/studies/songs/data/identified": [{"reason": ""}],
    "/studies/songs/data/import": [{}],
    "/studies/songs/results": [{"seed": "one"}],
    "/account": [{"old": "x", "new": "short"}, {"old": "x", "new": "long enough words"},
                 {"old": PASSWORD, "new": "password1234"}],
    "/account/ways/codes": [{"code": "1"}],
    "/people": [{"mail": "nonsense", "role": "member"}],
    "/withdraw": [{"code": "x"}, {"code": "x", "sure": "yes"}],
    "/login": [{"name": "eve", "password": "x"}],
}  # fmt: skip


def _answers(owner, path, typed, language):
    owner.cookies.set(LANGUAGE, language)
    form = hidden_fields(owner.get("/account")) | typed
    return owner.post(path, data=form).text


@pytest.mark.parametrize("path", WRONG)
def test_what_is_wrong_with_a_form_is_said_in_german(owner, path):
    """Before: a German page said it in English."""
    for typed in WRONG[path]:
        german, english = (_answers(owner, path, typed, each) for each in ("de", "en"))
        assert '<html lang="de"' in german
        assert not_of_the_study(english_left(german, english), [RERATING, SURVEY]) == []


@pytest.mark.parametrize("path", [
    "/people", "/history", "/studies/new", "/tokens", "/studies/songs/data",
    "/studies/songs/recruit", "/studies/songs/share", "/studies/songs/discard",
])  # fmt: skip
def test_who_may_not_do_something_reads_why_in_german(viewer, path):
    viewer.cookies.set(LANGUAGE, "de")
    page = viewer.get(path)
    assert page.status_code == 403
    assert english_left(page.text, "") == set()


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


def test_an_option_whose_text_is_sent_is_not_translated():
    chosen = "<select><option>Results</option><option value='x'>Results</option></select>"
    page = translated_page(chosen, "de")
    assert "<option>Results</option><option value='x'>Ergebnisse</option>" in page
