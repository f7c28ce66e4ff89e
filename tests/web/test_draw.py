"""A thank-you draw: addresses apart from answers, one per person, winners anybody can check."""

import hashlib
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import RERATING, Person
from tests.web.conftest import hidden_fields

from howgood.errors import InputError
from howgood.flow.collected.rows import tidy_rows
from howgood.flow.hosting import add_study
from howgood.flow.thanks import draw_list, enter_draw, winners
from howgood.kinds.study import Study
from howgood.store.schema import draw_entries, draw_tickets

DRAW = {**RERATING, "slug": "drawn", "draw": {"text": "Win **one** of two books.", "prizes": 2}}


@pytest.fixture
def drawn(host, tmp_path):
    add_study(host, Study.from_dict(DRAW), folder=tmp_path, now=datetime.now(UTC))
    return host


def finished(host, seed=1):
    person = Person(host, "drawn", seed=seed, now=datetime.now(UTC))
    person.begin()
    person.finish()
    return person


def test_who_has_finished_enters_once_on_the_page(browser, drawn):
    person = finished(drawn)
    last = browser.get(f"/p/{person.token}")
    assert f'href="/p/{person.token}/draw"' in last.text
    page = browser.get(f"/p/{person.token}/draw")
    assert "<strong>one</strong>" in page.text
    form = hidden_fields(page)
    assert browser.post(page.url, data=form | {"address": "x"}).status_code == 422
    assert browser.post(page.url, data={"address": "ada@example.org"}).status_code == 403
    done = browser.post(page.url, data=form | {"address": "ada@example.org"})
    assert "You are in the draw" in done.text
    assert "ada@example.org" not in done.text
    browser.post(page.url, data=form | {"address": "second@example.org"})
    assert draw_list(drawn, "drawn") == ("ada@example.org",)


def test_who_has_not_finished_does_not_enter(browser, drawn):
    person = Person(drawn, "drawn", now=datetime.now(UTC))
    person.begin()
    with pytest.raises(InputError, match="not finished"):
        enter_draw(drawn, person.token, "ada@example.org")
    assert "draw_address" not in browser.get(f"/p/{person.token}/draw").text
    assert draw_list(drawn, "drawn") == ()


def test_nothing_joins_an_address_to_answers(drawn):
    """The list has nothing in common with people but the study, not even its order."""
    entered = []
    for seed in range(12):
        person = finished(drawn, seed)
        enter_draw(drawn, person.token, f"person{seed:02}@example.org")
        entered.append(f"person{seed:02}@example.org")
    assert set(draw_entries.c.keys()) == {"id", "study_id", "address"}
    assert set(draw_tickets.c.keys()) == {"participant_id"}
    with drawn.database.reading() as connection:
        numbers = connection.execute(sa.select(draw_entries.c.id)).scalars().all()
        tickets = connection.execute(sa.select(draw_tickets.c.participant_id)).scalars().all()
    assert not set(numbers) & set(tickets)
    listed = list(draw_list(drawn, "drawn"))
    assert sorted(listed) == entered
    assert listed != entered
    for table in ("answers", "participants", "screens"):
        rows = str(list(tidy_rows(drawn, "drawn", table=table, identified=True)))
        assert "@example.org" not in rows


def test_anybody_can_check_the_winners():
    """By hand: the smallest SHA-256 of SEED:ADDRESS win, whatever the order of the list."""
    entries = [f"p{number}@example.org" for number in range(50)]
    lots = sorted(
        (hashlib.sha256(f"2026:{entry}".encode()).hexdigest(), entry) for entry in entries
    )
    drawn = winners(entries, seed="2026", prizes=3)
    assert drawn == tuple(entry for _, entry in lots[:3])
    assert winners(entries[::-1], seed=" 2026 ", prizes=3) == drawn
    assert winners(entries, seed="2027", prizes=3) != drawn
    assert len(winners(entries, seed="x", prizes=99)) == 50
    for seed, prizes in (("", 1), ("x", 0)):
        with pytest.raises(InputError):
            winners(entries, seed=seed, prizes=prizes)


def test_everybody_wins_equally_often():
    entries = [f"p{number}@example.org" for number in range(10)]
    won = [winners(entries, seed=str(seed), prizes=1)[0] for seed in range(2000)]
    counts = [won.count(entry) for entry in entries]
    assert sum((count - 200) ** 2 / 200 for count in counts) < 30  # chi-square, 9 degrees: p .0004


def test_the_owner_draws_downloads_and_erases(owner, browser, drawn):
    for seed in range(3):
        enter_draw(drawn, finished(drawn, seed).token, f"p{seed}@example.org")
    page = owner.get("/studies/drawn/draw")
    assert "3 addresses are on the list" in page.text
    form = hidden_fields(page)
    result = owner.post("/studies/drawn/draw", data=form | {"seed": "6 12 49", "prizes": "2"})
    expected = winners(draw_list(drawn, "drawn"), seed="6 12 49", prizes=2)
    assert all(address in result.text for address in expected)
    assert owner.get("/studies/drawn/draw.csv").text.count("@") == 3
    enter_draw(drawn, finished(drawn, 3).token, "=cmd@example.org")
    assert "'=cmd@example.org" in owner.get("/studies/drawn/draw.csv").text  # no formula
    assert "addresses of the draw" in owner.get("/history?study=drawn").text
    owner.post("/studies/drawn/draw", data=form | {"erase": "yes"})
    assert draw_list(drawn, "drawn") == ()
