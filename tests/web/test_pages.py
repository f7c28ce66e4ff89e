"""Pages over HTTP: what they carry, what they refuse, and what never leaves the server."""

import gzip
import logging
import re
import tomllib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.flow.hosting.conftest import RERATING
from tests.web.conftest import hidden_fields

from howgood.flow.hosting import add_study, filled_form, tokens
from howgood.flow.participate import fill
from howgood.flow.study_files.new import template
from howgood.kinds.study import Study
from howgood.records.screen import Field, FieldOption, Screen
from howgood.settings import Settings
from howgood.store import participants, studies
from howgood.web import middleware
from howgood.web.app import make_app
from howgood.web.middleware import LARGEST_FORM, Pace, Rate, preferred_language
from howgood.web.pages import FieldView


@pytest.mark.parametrize(
    ("question", "labels", "is_short"),
    [
        ("How good is it?", ["bad", "fair", "good"], True),
        ("Please choose fair here.", ["bad", "fair", "good"], False),
        ("Was it unfair?", ["no", "fair", "yes"], True),
        ("How good is film 23?", ["1", "2", "3", "4", "5"], True),
        ("Please choose 3.", ["1", "2", "3", "4", "5"], False),
        ("How good is it?", ["bad", "", " ", "good"], True),
        ("Wähle ÄHNLICH.", ["gleich", "ähnlich", "anders"], False),
        ("どちらでもないを選んでください", ["いいえ", "どちらでもない", "はい"], False),
    ],
)
def test_a_short_scale_shows_a_label_that_is_asked_for(question, labels, is_short):
    """By whole words: a row that looks otherwise for one of the things rated would sway ratings."""
    options = tuple(FieldOption(value=str(at), label=label) for at, label in enumerate(labels))
    field = Field(name="a", kind="likert", label=question, options=options)
    view = FieldView(
        name="a", kind="likert", widget="scale", label=question, help="", options=options,
        chosen=(), problem="", longest=0, whole=False, asked=field,
    )  # fmt: skip
    assert view.fits_a_row is is_short


def _begin(browser, slug="songs"):
    page = browser.get(f"/s/{slug}")
    return browser.post(f"/s/{slug}", data=hidden_fields(page) | {"consent.consent": "yes"})


def _answer(browser, page, host, seed=1):
    with host.database.reading() as connection:
        stored = participants.position(connection, tokens.digest(_token(page)))
    screen = Screen.from_dict(stored.content)
    form = filled_form(screen, fill(screen, seed=seed))
    return browser.post(page.url.path, data=hidden_fields(page) | form)


def _token(page):
    return page.url.path.split("/")[2]


@pytest.mark.parametrize("slug", ["songs", "doors"])
def test_someone_takes_part_from_the_link_to_the_thanks(browser, host, slug):
    page = _begin(browser, slug)
    for _ in range(20):
        assert page.status_code == 200
        if "Thank you" in page.text:
            break
        page = _answer(browser, page, host)
    assert "Your answers are saved" in page.text
    assert ("C-17" in page.text) == (slug == "songs")


@pytest.mark.parametrize("slug", ["songs", "doors"])
def test_steps_are_counted_from_one_and_the_last_page_is_the_last_step(browser, host, slug):
    page, said = _begin(browser, slug), []
    while "Thank you" not in page.text:
        label = re.search(r'<label for="progress">Step (\d+) of (?:at most )?(\d+)<', page.text)
        said.append((int(label[1]), int(label[2])))
        page = _answer(browser, page, host)
    steps = len(said)
    assert steps >= 3
    assert said == [(step, steps) for step in range(1, steps + 1)]


def test_every_answer_is_a_redirect_so_that_reloading_sends_nothing_twice(browser):
    page = browser.get("/s/songs")
    done = browser.post(
        "/s/songs", data=hidden_fields(page) | {"consent.consent": "yes"}, follow_redirects=False
    )
    see_other = 303
    assert done.status_code == see_other
    assert re.fullmatch(r"/p/[\w-]{32}/2", done.headers["location"])


def test_the_study_link_leads_back_to_the_same_place(browser):
    page = _begin(browser)
    again = browser.get("/s/songs")
    assert again.url == page.url


def test_the_cookie_is_kept_from_scripts_and_other_sites(browser):
    page = browser.get("/s/songs")
    done = browser.post(
        "/s/songs", data=hidden_fields(page) | {"consent.consent": "yes"}, follow_redirects=False
    )
    cookie = done.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/s/songs" in cookie


def test_a_missing_answer_is_pointed_out_and_the_rest_is_kept(browser, host):
    page = _begin(browser, "doors")
    page = _answer(browser, page, host)
    own = hidden_fields(page)["screen"]
    form = hidden_fields(page) | {f"{own}.acceptable": "6", f"{own}.useful": "2"}
    wrong = browser.post(page.url.path, data=form)
    unprocessable = 422
    assert wrong.status_code == unprocessable
    assert 'href="#field-intent"' in wrong.text
    assert wrong.text.count(" checked") == 2
    assert "Please check your answers" in wrong.text


def test_every_step_has_its_own_address_and_old_links_lead_there(browser, host):
    page = _begin(browser, "doors")
    seen = [page.url.path]
    for _ in range(3):
        page = _answer(browser, page, host)
        seen.append(page.url.path)
    own = f"/p/{_token(page)}"
    assert seen == [f"{own}/{step}" for step in (2, 3, 4, 5)]
    for old in (own, f"{own}/0", f"{own}/6", f"{own}/x", f"{own}/{'9' * 5000}", "/s/doors"):
        assert browser.get(old).url.path == seen[-1]
    behind = browser.get(seen[1])
    assert behind.headers["cache-control"] == "no-store"
    assert "<form" not in behind.text
    assert f'href="{seen[-1]}"' in behind.text


def test_browsers_are_told_to_put_nothing_back_into_forms(browser, host):
    page = browser.get("/s/doors")
    for _ in range(4):
        assert re.search(r'<form [^>]*autocomplete="off"', page.text)
        page = _begin(browser, "doors") if "/s/" in str(page.url) else _answer(browser, page, host)


@pytest.fixture
def no_refill(monkeypatch):
    """Allowances that stay used up, however slow the machine is."""
    monkeypatch.setattr(middleware, "ANSWERS", replace(middleware.ANSWERS, per_second=0.0))


def test_one_person_has_one_allowance_whatever_step_they_send_to(no_refill, browser):
    page = _begin(browser)
    own = page.url.path.rpartition("/")[0]
    status = {browser.post(f"{own}/{step}", data={}).status_code for step in range(300)}
    assert 429 in status


def test_an_unknown_link_gets_a_page_in_the_readers_language(browser):
    missing = browser.get("/p/" + "x" * 32, headers={"Accept-Language": "de-CH,fr;q=0.5"})
    assert missing.status_code == 404
    assert '<html lang="de" dir="ltr">' in missing.text
    assert "Diesen Link kennen wir nicht" in missing.text


@pytest.mark.parametrize("path", ["/p/", "/s/none", "/nothing", "/static/x.css", "/media/1/x.png"])
def test_a_wrong_address_is_a_page_not_a_trace(browser, path):
    page = browser.get(path)
    assert page.status_code == 404
    assert "<h1>" in page.text


@pytest.mark.parametrize("path", ["/p/unknown", "/p/unknown/1", "/s/songs", "/health"])
def test_a_wrong_method_on_an_address_that_exists_is_405_and_names_the_right_ones(browser, path):
    answer = browser.put(path)
    assert answer.status_code == 405
    assert "GET" in answer.headers["allow"]


def test_a_form_without_signature_stores_nothing(browser, host):
    page = _begin(browser)
    refused = browser.post(page.url.path, data={"screen": hidden_fields(page)["screen"]})
    assert refused.status_code == 403
    assert browser.get(page.url.path).text == page.text


def test_a_form_from_another_site_is_refused(browser):
    page = _begin(browser)
    refused = browser.post(
        page.url.path, data=hidden_fields(page), headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert refused.status_code == 403


def test_a_form_that_is_too_large_is_refused_before_it_is_read(browser):
    page = _begin(browser)
    large = browser.post(page.url.path, data=hidden_fields(page) | {"x": "y" * LARGEST_FORM})
    assert large.status_code == 413

    def endless():
        yield b"x=1"

    assert browser.post(page.url.path, content=endless()).status_code == 413


@pytest.mark.parametrize("body", [b"\xff\xfe", b"&".join([b"a=1"] * 600), b"{}", b""])
def test_a_body_that_is_no_form_is_refused(browser, body):
    page = _begin(browser)
    refused = browser.post(page.url.path, content=body)
    assert refused.status_code == 403


def test_every_response_tells_the_browser_to_trust_nothing_else(browser):
    for path in ("/", "/s/songs", "/p/unknown", "/health"):
        headers = browser.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_pages_hold_no_script_no_inline_style_and_no_other_host(browser, host):
    page = _begin(browser, "doors")
    for _ in range(4):
        assert "<script" not in page.text
        assert "style=" not in page.text
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//', page.text)
        page = _answer(browser, page, host)


LIMIT = 30_000


def _packed_size(browser, page):
    """Return what travels for a page and its style sheet to a browser that has neither."""
    style = browser.get(re.search(r'href="(/static/[^"]+)"', page.text)[1])
    assert style.headers["cache-control"].endswith("immutable")
    assert style.headers["content-encoding"] == "gzip"
    return len(gzip.compress(page.content)) + len(gzip.compress(style.content))


@pytest.mark.parametrize("slug", ["songs", "doors"])
def test_every_page_is_small(browser, host, slug):
    page = _begin(browser, slug)
    while "Thank you" not in page.text:
        assert _packed_size(browser, page) < LIMIT
        page = _answer(browser, page, host)
    assert _packed_size(browser, page) < LIMIT


def test_a_page_with_two_flow_charts_and_bars_is_small(browser, host):
    study = tomllib.loads(template("comparison")) | {"slug": "pairs", "demographics": []}
    study["comparison"] |= {"practice": False, "direct": "none", "bar_chart": True}
    add_study(host, Study.from_dict(study), folder=Path(), now=datetime.now(UTC))
    page = _begin(browser, "pairs")
    page = _answer(browser, page, host)
    for _ in range(5):
        assert page.text.count("<svg") == 2
        assert _packed_size(browser, page) < LIMIT
        page = _answer(browser, page, host)


def test_pages_are_not_kept_by_caches(browser):
    assert _begin(browser).headers["cache-control"] == "no-store"


def test_a_page_too_large_for_the_first_packets_is_compressed(browser, host):
    long = "A long text about songs. " * 1000
    study = {**RERATING, "slug": "long", "consent": {"text": long}}
    add_study(host, Study.from_dict(study), folder=Path(), now=datetime.now(UTC))
    page = browser.get("/s/long")
    assert page.headers["content-encoding"] == "gzip"
    assert int(page.headers["content-length"]) < 5000
    assert page.text.count("about songs") == 1000
    plain = browser.get("/s/long", headers={"accept-encoding": "identity"})
    assert plain.text.count("about songs") == 1000
    assert "content-encoding" not in plain.headers


def test_text_from_a_study_cannot_become_markup(browser, host):
    nasty = "<script>alert(1)</script>\"'&"
    study = {**RERATING, "slug": "nasty", "title": nasty, "consent": {"text": nasty}}
    add_study(host, Study.from_dict(study), folder=Path(), now=datetime.now(UTC))
    page = browser.get('/s/nasty?PROLIFIC_PID="><script>')
    assert "<script>" not in page.text


def test_logs_hold_events_and_neither_tokens_nor_answers(browser, host, caplog):
    caplog.set_level(logging.DEBUG)
    page = _begin(browser, "doors")
    _answer(browser, page, host)
    token = _token(page)
    assert "answer_recorded" in caplog.text
    ours = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("httpx"))
    assert token not in ours
    assert "acceptable" not in ours


def test_too_many_requests_at_once_get_a_polite_answer(host):
    app = make_app(host, Settings.model_construct(busy_limit=0))
    with TestClient(app) as client:
        busy = client.get("/s/songs", headers={"Accept-Language": "de"})
    assert busy.status_code == 503
    assert busy.headers["retry-after"] == "3"
    assert "Einen Augenblick" in busy.text


def test_a_database_that_goes_away_is_a_polite_503_and_no_lost_place(browser, host, monkeypatch):
    import sqlalchemy as sa

    page = _begin(browser)

    def away(*_):
        raise sa.exc.OperationalError("select", {}, OSError("gone"))

    with monkeypatch.context() as patch:
        patch.setattr(host.database, "write_async", away)
        gone = _answer(browser, page, host)
    assert gone.status_code == 503
    assert browser.get(page.url.path).text == page.text


def test_a_fault_of_ours_is_a_page_without_details(browser, host, monkeypatch):
    def broken(*_):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(host.database, "write_async", broken)
    page = browser.get("/s/songs")
    failed = browser.post("/s/songs", data=hidden_fields(page) | {"consent.consent": "yes"})
    assert failed.status_code == 500
    assert "secret" not in failed.text
    assert "The fault is ours" in failed.text


def test_answering_faster_than_anybody_can_read_is_slowed_down(no_refill, browser):
    page = _begin(browser)
    status = {browser.post(page.url.path, data={}).status_code for _ in range(300)}
    assert 429 in status


def test_an_allowance_refills_and_is_kept_per_name():
    clock = [0.0]
    rate = Rate(Pace(at_once=2, per_second=1), names=2, clock=lambda: clock[0])
    assert [rate.allows("a") for _ in range(3)] == [True, True, False]
    assert rate.allows("b")
    clock[0] = 1.0
    assert [rate.allows("a") for _ in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("", "en"), ("fr", "en"), ("de", "de"), ("fr-CH, de;q=0.8", "de"), ("*", "en")],
)
def test_the_first_language_we_have_is_taken(accepted, language):
    assert preferred_language(accepted) == language


def test_the_server_says_whether_it_is_well(browser):
    assert browser.get("/health").text == "well\n"


def test_a_closed_study_says_so(browser, host):
    host.database.write(lambda c: studies.set_open(c, ["songs"], is_open=False))
    assert "This study is closed" in browser.get("/s/songs").text


def test_a_picture_is_kept_by_browsers_and_a_player_may_ask_for_a_part(browser, host, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(bytes(range(100)))
    items = [
        {"key": "x", "picture": {"file": "clip.mp4", "alternative": "A clip"}},
        {"key": "y", "text": "Second"},
    ]
    study = {**RERATING, "slug": "film", "rerating": {**RERATING["rerating"], "items": items}}
    row = add_study(host, Study.from_dict(study), folder=tmp_path, now=datetime.now(UTC))
    address = f"/media/{row.version}/clip.mp4"
    whole = browser.get(address)
    assert whole.content == bytes(range(100))
    assert whole.headers["content-type"] == "video/mp4"
    assert "sandbox" in whole.headers["content-security-policy"]
    for wanted, status, content in [
        ("bytes=10-19", 206, bytes(range(10, 20))),
        ("bytes=90-", 206, bytes(range(90, 100))),
        ("bytes=90-500", 206, bytes(range(90, 100))),
        ("bytes=200-", 416, b""),
        ("bytes=-5", 200, bytes(range(100))),
    ]:
        part = browser.get(address, headers={"Range": wanted})
        assert (part.status_code, part.content) == (status, content)
