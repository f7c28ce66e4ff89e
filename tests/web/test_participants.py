"""The people of a study on pages: rows, one person's answers, decisions with reasons."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import Person as Visitor
from tests.flow.results.conftest import SURVEY
from tests.web.conftest import hidden_fields

from howgood.demo.web import add_people
from howgood.flow.hosting import add_study
from howgood.flow.importing import import_files
from howgood.flow.watching import look_at
from howgood.kinds.study import Study

PEOPLE = "/studies/doors/people"


@pytest.fixture
def asked(host):
    now = datetime.now(UTC)
    row = add_study(host, Study.from_dict(SURVEY), folder=Path(), now=now)
    add_people(host, row.slug, people=3, seed=1, now=now)


def test_everybody_has_a_row_and_a_page_with_their_answers(owner, host, asked):
    page = owner.get(PEOPLE)
    assert page.status_code == 200
    for number in (1, 2, 3):
        assert f'href="{PEOPLE}/{number}"' in page.text
    one = owner.get(f"{PEOPLE}/2")
    _, person, pages = look_at(host, "doors", 2)
    assert len(pages) == person.pages == len(person.seconds)
    assert all(each.title in one.text for each in pages[1:3])
    assert "✓ counts" in one.text
    assert owner.get(f"{PEOPLE}/99").status_code == 404
    assert owner.get("/studies/unknown/people").status_code == 404


def test_nobody_is_called_fast_whose_times_are_not_known(owner, host):
    now = datetime.now(UTC)
    add_study(host, Study.from_dict(SURVEY), folder=Path(), now=now)
    table = b"participant,scenario,acceptable\nr1,1,5\nr1,2,6\n"
    import_files(host, "doors", [("a.csv", table)], mapping={}, actor="ada", now=now)
    listed = owner.get(PEOPLE).text
    assert "not known" in listed
    assert "0.0 s" not in listed
    one = owner.get(f"{PEOPLE}/1").text
    assert ", 2 pages<" in one
    assert "Speed" not in one


def test_excluding_needs_a_reason_and_is_undone(owner, host, asked):
    address = f"{PEOPLE}/2"
    form = hidden_fields(owner.get(address))
    refused = owner.post(address, data=form | {"counts": "no", "reason": " "})
    assert refused.status_code == 422
    assert "Write why" in refused.text
    given = form | {"counts": "no", "reason": "page <b>broke</b>", "note": "call", "paid": "yes"}
    page = owner.post(address, data=given)
    assert "page &lt;b&gt;broke&lt;/b&gt;" in page.text
    assert "excluded by hand" in page.text
    review = look_at(host, "doors", 2)[1].review
    assert (review.note, review.is_paid) == ("call", True)
    assert "person excluded" in owner.get("/history").text
    back = owner.post(address, data=form | {"counts": "yes", "reason": "page broke"})
    assert "✓ counts" in back.text
    assert owner.post(f"{PEOPLE}/99", data=given).status_code == 404


def test_what_looks_careless_is_drawn_and_named(owner, host):
    now = datetime.now(UTC)
    row = add_study(host, Study.from_dict(SURVEY), folder=Path(), now=now)
    add_people(host, row.slug, people=4, seed=1, now=now, careless=3)
    page = owner.get(PEOPLE).text
    assert "the same answer to all" in page
    assert 'class="run"' in page
    same, hurried, careful = (owner.get(f"{PEOPLE}/{number}").text for number in (1, 3, 4))
    assert 'class="run"' in same
    assert 'class="fast"' in hurried
    assert "None took less than 2 s" in careful
    for text in (same, hurried, careful):
        assert "Ratings in order" in text
        assert 'class="drawn judged"' in text


def test_who_judged_nothing_has_nothing_to_count(owner, host):
    asked = {"key": "age", "text": "Age?", "type": "number", "required": True}
    out = {"key": "young", "text": "Adults only.", "when": {"question": "age", "at_most": 17}}
    task = {**SURVEY["survey"], "attention": []}
    changed = {**SURVEY, "survey": task, "demographics": [asked], "screen_outs": [out]}
    add_study(host, Study.from_dict(changed), folder=Path(), now=datetime.now(UTC))
    for age in ("12", "40"):
        someone = Visitor(host, "doors", seed=int(age), now=datetime.now(UTC))
        someone.begin()
        someone.send(age=age)
    someone.finish()
    young, adult = (owner.get(f"{PEOPLE}/{number}").text for number in (1, 2))
    assert ("nothing to count" in young, "✓ counts" in young) == (True, False)
    assert ("nothing to count" in adult, "✓ counts" in adult) == (False, True)
    live = owner.get("/studies/doors").text
    assert re.search(r"1 of about \d+ people finished so far</strong></p>", live)
