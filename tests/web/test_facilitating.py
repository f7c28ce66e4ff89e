"""A facilitator follows somebody who takes part: their page if they allow it, and notes."""

import csv
import io
import tomllib
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.web.conftest import hidden_fields

from howgood.flow.hosting import add_study
from howgood.flow.study_files.new import template
from howgood.flow.watching import follow
from howgood.kinds.study import Study

FOLLOW = "/studies/pairs/people/1/follow"


@pytest.fixture
def pairs(host):
    study = tomllib.loads(template("comparison")) | {"slug": "pairs", "demographics": []}
    study["consent"] |= {"mirror": True}
    study["comparison"] |= {"practice": False, "direct": "none", "bars_on_demand": True}
    add_study(host, Study.from_dict(study), folder=Path(), now=datetime.now(UTC))
    return "/s/pairs"


def _begin(browser, start, **more):
    page = browser.get(start)
    form = hidden_fields(page) | {"consent.consent": "yes"} | more
    return browser.post(start, data=form)


def test_who_allows_it_is_followed_page_by_page(browser, owner, host, pairs):
    first = browser.get(pairs)
    assert "A facilitator may see the pages I see" in first.text
    page = _begin(browser, pairs, **{"consent.mirrored": "yes"})
    task = owner.get(FOLLOW)
    assert "You will see what two systems would do" in task.text
    assert "Which system would you prefer" not in task.text
    browser.post(page.url, data=hidden_fields(page))
    mirrored = owner.get(f"{FOLLOW}/page")
    assert "Which system would you prefer" in mirrored.text
    assert "<html" not in mirrored.text  # the part that renews itself
    assert 'class="screen" inert' in mirrored.text  # to be looked at, not answered
    assert "signature" not in mirrored.text


def test_nobody_is_seen_who_has_not_allowed_it(browser, owner, host, pairs):
    _begin(browser, pairs)
    page = owner.get(FOLLOW)
    assert "has not allowed" in page.text
    assert "You will see what two systems would do" not in page.text
    assert follow(host, "pairs", 1)[1].view is None
    assert "You will see" not in owner.get(f"{FOLLOW}/page").text


def test_notes_are_kept_with_time_page_and_question_and_exported(browser, owner, host, pairs):
    _begin(browser, pairs, **{"consent.mirrored": "yes"})
    form = {"csrf": hidden_fields(owner.get(FOLLOW))["csrf"]}
    page = owner.post(FOLLOW, data=form | {"topic": "", "text": "=looks at <b>misses</b>"})
    assert "=looks at &lt;b&gt;misses&lt;/b&gt;" in page.text
    owner.post(FOLLOW, data=form | {"topic": "q2", "text": "the misses"})
    empty = owner.post(FOLLOW, data=form | {"topic": "", "text": "  "})
    assert empty.status_code == 422
    assert "Write what was said" in empty.text
    notes = owner.get("/studies/pairs/people/notes.csv")
    rows = list(csv.DictReader(io.StringIO(notes.text)))
    assert [(row["question"], row["page"], row["note"]) for row in rows] == [
        ("", "task", "'=looks at <b>misses</b>"),  # no spreadsheet takes it for a formula
        ("q2", "task", "the misses"),
    ]
    assert rows[0]["written_by"] == "ada"
    questions = follow(host, "pairs", 1)[1].questions
    assert [question.key for question in questions] == [f"q{n}" for n in range(1, 7)]
    assert owner.get("/studies/pairs/people/99/follow").status_code == 404
    assert owner.post("/studies/pairs/people/99/follow", data=form).status_code == 404


def test_what_was_opened_below_a_pair_is_exported(browser, owner, host, pairs):
    page = _begin(browser, pairs)
    page = browser.post(page.url, data=hidden_fields(page))
    assert 'data-views="input-costs"' in page.text
    assert 'data-views="input-bars"' in page.text
    for opened in ({"costs": "2 12.5", "bars": "0 0"}, {"costs": "nonsense", "bars": "1 3"}, {}):
        screen = hidden_fields(page)["screen"]
        sent = {f"{screen}.{name}": value for name, value in opened.items()}
        fields = {name: hidden_fields(page)[name] for name in ("screen", "signature", "visit")}
        page = browser.post(page.url, data=fields | sent | {f"{screen}.choice": "first"})
    text = owner.get("/studies/pairs/data/export/csv").content
    with zipfile.ZipFile(io.BytesIO(text)) as archive:
        name = next(name for name in archive.namelist() if "answers" in name)
        rows = list(csv.DictReader(io.StringIO(archive.read(name).decode())))
    names = ("costs_opened", "costs_seconds", "bars_opened", "bars_seconds")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("2", "12.5", "0", "0.0"),
        ("", "", "1", "3.0"),
        ("", "", "", ""),
    ]
