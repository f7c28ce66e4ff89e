"""The recruiting page: links to copy, a QR code that says the link, a dry run, cost and time."""

from tests.web.conftest import hidden_fields


def test_the_page_gives_links_and_a_qr_code(owner):
    page = owner.get("/studies/songs/recruit")
    assert page.status_code == 200
    assert "http://testserver/s/songs?PROLIFIC_PID={{%PROLIFIC_PID%}}" in page.text
    assert 'aria-label="QR code of the link"' in page.text
    assert 'download="songs-qr.svg"' in page.text
    assert "style=" not in page.text  # the policy of pages allows none
    assert owner.get("/studies/none/recruit").status_code == 404


def test_a_dry_run_is_shown_on_the_page(owner):
    form = hidden_fields(owner.get("/studies/songs/recruit"))
    page = owner.post("/studies/songs/recruit", data=form)
    assert "The link opens the first page." in page.text
    assert "and reached the end." in page.text


def test_cost_needs_plain_numbers(owner, host):
    from datetime import UTC, datetime

    from howgood.demo.web import add_people

    add_people(host, "songs", people=3, seed=1, now=datetime.now(UTC))
    page = owner.get("/studies/songs/recruit?people=30&hourly=12&fee=33")
    assert "for 30 people at the median time" in page.text
    assert "Write plain numbers" in owner.get("/studies/songs/recruit?people=many").text
    assert "Write plain numbers" in owner.get("/studies/songs/recruit?hourly=nan").text
