"""Studies in the dashboard: made, edited, previewed, published, opened, watched."""

import re
import tomllib
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import SURVEY
from tests.web.conftest import PASSWORD, hidden_fields

from howgood.flow import accounts, authoring, hosting
from howgood.flow.participate import fill
from howgood.flow.study_files.new import template
from howgood.records.screen import Screen
from howgood.store import audit, participants

FORBIDDEN, NOT_FOUND, CONFLICT, WRONG = 403, 404, 409, 422
EXAMPLES = Path(__file__).parents[2] / "examples"
PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


class _Form(HTMLParser):
    """Reads the fields of the edit form as a browser would send them."""

    def __init__(self):
        super().__init__()
        self.fields, self._area, self._select = [], None, None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        name = given.get("name")
        if tag == "textarea":
            self._area = (name, "")
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and "selected" in given:
            self.fields.append((self._select, given["value"]))
        elif tag == "input" and name and given.get("type") != "file":
            is_box = given.get("type") in ("checkbox", "radio")
            if not is_box or "checked" in given:
                self.fields.append((name, given.get("value", "")))

    def handle_data(self, data):
        if self._area:
            self._area = (self._area[0], self._area[1] + data)

    def handle_endtag(self, tag):
        if tag == "textarea":
            name, text = self._area
            self.fields.append((name, text.removeprefix("\n").replace("\n", "\r\n")))
            self._area = None
        elif tag == "select":
            self._select = None


def form_fields(page, begin='enctype="multipart/form-data"'):
    """Return the fields of the form that edits a study, or of another one."""
    parser = _Form()
    text = page.text.partition(begin)[2].partition("</form>")[0]
    parser.feed(text)
    sent = {}
    for name, value in parser.fields:
        sent.setdefault(name, []).append(value)
    return sent


def make(owner, kind="survey", slug="new-alarm", title="A new alarm"):
    form = hidden_fields(owner.get("/studies/new"))
    return owner.post("/studies/new", data=form | {"template": kind, "slug": slug, "title": title})


def edit(owner, part="texts", slug="new-alarm", *, files=None, **changes):
    address = f"/studies/{slug}/edit/{part}"
    sent = form_fields(owner.get(address)) | {
        name.replace("__", "."): value for name, value in changes.items()
    }
    return owner.post(address, data=sent, files=files)


def publish(owner, slug="new-alarm"):
    page = owner.get(f"/studies/{slug}/publish")
    return owner.post(f"/studies/{slug}/publish", data=hidden_fields(page))


def open_study(owner, slug="new-alarm", is_open="yes"):
    form = hidden_fields(owner.get(f"/studies/{slug}"))
    return owner.post(f"/studies/{slug}/doors", data=form | {"open": is_open})


def become_somebody_else(browser, slug):
    for name in (f"howgood-{slug}", f"howgood-visit-{slug}"):
        if name in browser.cookies:
            browser.cookies.delete(name)


def take_part(browser, host, slug, seed=1, check=lambda page: None):
    """Walk a study to its end as somebody new; look at each page with `check`."""
    become_somebody_else(browser, slug)
    page = browser.get(f"/s/{slug}")
    page = browser.post(f"/s/{slug}", data=hidden_fields(page) | {"consent.consent": "yes"})
    token = page.url.path.split("/")[2]
    for _ in range(80):
        with host.database.reading() as connection:
            stored = participants.position(connection, hosting.tokens.digest(token))
        screen = Screen.from_dict(stored.content)
        check(page)
        if screen.is_last:
            return token
        form = hosting.filled_form(screen, fill(screen, seed=seed))
        page = browser.post(page.url.path, data=hidden_fields(page) | form)
    raise AssertionError("never finished")


@pytest.mark.parametrize("kind", ["survey", "comparison", "rerating"])
def test_saving_a_form_without_changing_it_changes_nothing(owner, host, kind):
    page = make(owner, kind)
    assert page.url.path == "/studies/new-alarm/edit/texts"
    begun = authoring.written(host, "new-alarm")
    before = begun.content
    for part in ("texts", "task", "questions", "ending"):
        saved = edit(owner, part)
        assert (saved.status_code, saved.url.path) == (200, f"/studies/new-alarm/edit/{part}")
    after = authoring.written(host, "new-alarm")
    assert after.content == before
    assert after.edition == begun.edition
    assert {**tomllib.loads(template(kind)), "slug": "new-alarm", "title": "A new alarm"} == before


@pytest.mark.parametrize("each", authoring.templates(), ids=lambda each: each.key)
def test_every_template_can_be_published_as_it_is(owner, host, each):
    make(owner, each.key, title="")
    assert authoring.review(host, "new-alarm").can_publish
    assert "What the system does" in owner.get("/studies/new-alarm/preview?page=4").text or (
        not each.key.startswith("survey")
    )


def test_a_study_is_made_edited_published_opened_and_taken(owner, host):
    make(owner)
    assert owner.get("/s/new-alarm").status_code == NOT_FOUND
    page = edit(owner, title="Alarm, anew", consent__contact="Grace Hopper")
    assert "Saved." in page.text
    assert "This is the first version" in owner.get("/studies/new-alarm/publish").text
    assert publish(owner).url.path == "/studies/new-alarm"
    assert "This study is closed" in owner.get("/s/new-alarm").text
    open_study(owner)
    assert "Grace Hopper" in owner.get("/s/new-alarm").text
    take_part(owner, host, "new-alarm")
    live = owner.get("/studies/new-alarm").text
    assert re.search(r"<dt>finished</dt><dd>1</dd>", live)
    with host.database.reading() as connection:
        actions = [line.action for line in audit.lines(connection, study="new-alarm")]
    assert actions == ["opened", "published", "study made"]


def test_an_open_study_changes_only_by_publishing_and_people_stay_on_their_version(owner, host):
    browser = owner
    page = browser.get("/s/songs")
    page = browser.post("/s/songs", data=hidden_fields(page) | {"consent.consent": "yes"})
    inside = page.url.path.rpartition("/")[0]
    browser.post(inside, data=hidden_fields(page))
    edit(owner, "task", "songs", rerating__question="How bad?")
    assert "How good?" in browser.get(inside).text
    review = owner.get("/studies/songs/publish").text
    assert "<del>How good?</del>" in review
    assert "Task › What do you ask about every item?" in review
    assert "<ins>How bad?</ins>" in review
    assert "<strong>1</strong> person has begun and not finished" in review
    publish(owner, "songs")
    assert "How good?" in browser.get(inside).text
    become_somebody_else(browser, "songs")
    page = browser.get("/s/songs")
    page = browser.post("/s/songs", data=hidden_fields(page) | {"consent.consent": "yes"})
    page = browser.post(page.url.path, data=hidden_fields(page))
    assert "How bad?" in page.text
    versions = owner.get("/studies/songs/versions").text
    assert versions.count("the dashboard") == 1
    assert versions.count("a study file") == 1


def test_the_second_of_two_tabs_is_told_and_nothing_typed_is_lost(owner, host):
    make(owner)
    address = "/studies/new-alarm/edit/texts"
    tabs = [form_fields(owner.get(address)) for _ in range(2)]
    owner.post(address, data=tabs[0] | {"title": "First"})
    second = owner.post(address, data=tabs[1] | {"title": "Second", "introduction": "Typed"})
    assert second.status_code == CONFLICT
    assert "Not saved" in second.text
    assert 'value="Second"' in second.text
    assert "Typed" in second.text
    assert authoring.written(host, "new-alarm").content["title"] == "First"
    mine = owner.post(address, data=form_fields(second))
    assert mine.status_code == 200
    assert authoring.written(host, "new-alarm").content["title"] == "Second"


def test_two_tabs_that_both_begin_a_draft_cannot_overwrite_each_other(owner, host):
    address = "/studies/songs/edit/texts"
    tabs = [form_fields(owner.get(address)) for _ in range(2)]
    codes = [
        owner.post(address, data=tab | {"title": f"Tab {number}"}).status_code
        for number, tab in enumerate(tabs)
    ]
    assert codes == [200, CONFLICT]
    assert authoring.written(host, "songs").content["title"] == "Tab 0"


def test_wrong_values_are_kept_and_told_beside_their_field(owner, host):
    make(owner)
    page = edit(owner, "ending", quota="many", completion__redirect="http://plain.example")
    assert "&#39;many&#39; is not a whole number." in page.text
    assert 'value="many"' in page.text
    assert "starts with https://" not in page.text  # single values come first
    page = edit(owner, "ending", quota="12")
    assert "an address that starts with https://" in page.text
    assert "1 thing to settle first" in owner.get("/studies/new-alarm/publish").text
    assert "before this is settled" in owner.get("/studies/new-alarm/preview").text
    refused = owner.post(
        "/studies/new-alarm/publish",
        data=hidden_fields(owner.get("/studies/new-alarm/edit/texts")),
    )
    assert refused.status_code == WRONG


def test_lists_grow_shrink_and_move_by_buttons_without_scripts(owner, host):
    make(owner, "rerating")

    def keys():
        return [
            each["key"]
            for each in authoring.written(host, "new-alarm").content["rerating"]["items"]
        ]

    first = keys()
    page = edit(owner, "task", action="add:rerating.items", rerating__question="Kept while adding?")
    assert keys() == [*first, "new1"]
    assert "Kept while adding?" in page.text
    edit(owner, "task", action=f"up:rerating.items.{len(first)}")
    assert keys() == [*first[:-1], "new1", first[-1]]
    edit(owner, "task", action="down:rerating.items.0")
    assert keys()[:2] == [first[1], first[0]]
    edit(owner, "task", action=f"remove:rerating.items.{len(first) - 1}")
    assert sorted(keys()) == sorted(first)


@pytest.mark.parametrize(
    "action", ["add:rerating.nothing", "remove:version", "up:__class__.0", "add:title", "x"]
)
def test_a_button_we_did_not_write_changes_nothing(owner, host, action):
    make(owner, "rerating")
    before = authoring.written(host, "new-alarm")
    assert edit(owner, "task", action=action).status_code == WRONG
    assert authoring.written(host, "new-alarm").content == before.content


def test_a_picture_is_uploaded_seen_published_and_removed(owner, host):
    make(owner, "rerating")
    name = "rerating.items.0.picture"
    alternative = {f"{name.replace('.', '__')}__alternative": "A blue disc"}
    page = edit(owner, "task", files={f"{name}.file": ("../My Disc.SVG", PICTURE)}, **alternative)
    stored = authoring.written(host, "new-alarm").content["rerating"]["items"][0]["picture"]
    assert re.fullmatch(r"my-disc-[0-9a-f]{8}\.svg", stored["file"])
    address = f"/studies/new-alarm/picture/{stored['file']}"
    assert address in page.text
    shown = owner.get(address)
    assert shown.content == PICTURE
    assert "sandbox" in shown.headers["content-security-policy"]
    publish(owner)
    packed = owner.get("/studies/new-alarm/file.toml")
    with zipfile.ZipFile(BytesIO(packed.content)) as archive:
        assert archive.read(stored["file"]) == PICTURE
        assert b"digest" not in archive.read("new-alarm.toml")
    edit(owner, "task", action=f"remove:{name}")
    assert "picture" not in authoring.written(host, "new-alarm").content["rerating"]["items"][0]


def test_a_file_that_is_no_picture_is_refused_and_the_rest_is_saved(owner, host):
    make(owner, "rerating")
    page = edit(owner, "task", rerating__question="Still saved?",
                files={"rerating.items.0.picture.file": ("run.exe", b"MZ")})  # fmt: skip
    assert page.status_code == WRONG
    assert "was not kept" in page.text
    assert authoring.written(host, "new-alarm").content["rerating"]["question"] == "Still saved?"
    again = owner.post("/studies/new-alarm/edit/task", data=form_fields(page))
    assert again.status_code == 200


@pytest.mark.parametrize("name", ["weather-survey.toml", "bilder-bewertung.yaml",
                                  "cancer-comparison.toml"])  # fmt: skip
def test_a_study_file_is_uploaded_with_the_files_it_names(owner, host, name):
    form = hidden_fields(owner.get("/studies/new"))
    named = [*(EXAMPLES / "pictures").iterdir(), *EXAMPLES.glob("*.csv")]
    attached = [("attached", (path.name, path.read_bytes())) for path in named]
    text = (EXAMPLES / name).read_text().replace("pictures/", "")
    page = owner.post("/studies/upload", data=form, files=[("file", (name, text)), *attached])
    assert page.url.path.endswith("/edit/texts"), page.text
    slug = page.url.path.split("/")[2]
    assert publish(owner, slug).url.path == f"/studies/{slug}"
    again = owner.post("/studies/upload", data=form, files=[("file", (name, text)), *attached])
    assert again.status_code == WRONG
    assert "already" in again.text


def test_a_wrong_study_file_is_told_line_by_line(owner):
    form = hidden_fields(owner.get("/studies/new"))
    text = template("survey").replace("per_application = 8", 'per_application = "eight"')
    page = owner.post("/studies/upload", data=form, files={"file": ("mine.toml", text)})
    assert page.status_code == WRONG
    assert re.search(r"mine\.toml:\d+: survey\.per_application", page.text)
    assert "/tmp" not in page.text  # noqa: S108 - looked for, not used
    for wrong in ({"file": ("mine.exe", b"MZ")}, {"file": ("x.toml", b"\xff\xfe")}):
        assert owner.post("/studies/upload", data=form, files=wrong).status_code == WRONG


@pytest.mark.parametrize(("slug", "told"), [("Big Name", "hyphens"), ("songs", "already"),
                                            ("new", "already")])  # fmt: skip
def test_a_short_name_that_cannot_be_used_is_told(owner, slug, told):
    page = make(owner, slug=slug)
    assert page.status_code == WRONG
    assert told in page.text
    assert f'value="{slug}"' in page.text


@pytest.mark.parametrize("file_format", ["toml", "yaml"])
def test_the_downloaded_file_is_the_same_study(owner, host, file_format):
    make(owner, "comparison")
    text = owner.get(f"/studies/new-alarm/file.{file_format}").text
    edited = text.replace("new-alarm", "again")
    form = hidden_fields(owner.get("/studies/new"))
    page = owner.post("/studies/upload", data=form, files={"file": (f"x.{file_format}", edited)})
    assert page.url.path == "/studies/again/edit/texts"
    one, other = (authoring.review(host, slug).result.study for slug in ("new-alarm", "again"))
    assert one.to_dict() | {"slug": "x"} == other.to_dict() | {"slug": "x"}


@pytest.mark.parametrize("kind", ["survey", "comparison", "rerating"])
def test_a_preview_walks_the_whole_study_and_stores_nothing(owner, host, kind):
    make(owner, kind)
    page = owner.get("/studies/new-alarm/preview")
    for number in range(1, 6):
        screen = authoring.preview(host, "new-alarm", condition="", page=number).view.screen
        # The bot's answers decide what comes next, so the browser gives the same ones.
        form = hidden_fields(page) | hosting.filled_form(screen, fill(screen, seed=1))
        page = owner.post("/studies/new-alarm/preview", data=form)
        assert page.status_code == 200
        assert f"Page {number + 1}." in page.text
    far = owner.get("/studies/new-alarm/preview", params={"page": "999"})
    assert "Thank you" in far.text
    with host.database.reading() as connection:
        assert participants.holding(connection, 3) == {}


def test_a_preview_points_out_a_missing_answer_as_the_study_would(owner):
    make(owner)
    page = owner.get("/studies/new-alarm/preview", params={"page": "4"})
    wrong = owner.post("/studies/new-alarm/preview", data=hidden_fields(page))
    assert wrong.status_code == WRONG
    assert "Page 4." in wrong.text
    assert "Please check your answers" in wrong.text


def test_a_glance_shows_what_is_typed_before_it_is_saved(owner, host):
    make(owner)
    before = authoring.written(host, "new-alarm")
    sent = form_fields(owner.get("/studies/new-alarm/edit/texts"))
    pane = owner.post("/studies/new-alarm/glance/texts", data=sent | {"title": "Just typed"})
    assert "Just typed" in pane.text
    assert "<html" not in pane.text
    assert authoring.written(host, "new-alarm") == before
    for part in ("task", "questions", "ending"):
        sent = form_fields(owner.get(f"/studies/new-alarm/edit/{part}"))
        pane = owner.post(f"/studies/new-alarm/glance/{part}", data=sent)
        assert 'class="screen"' in pane.text


@pytest.mark.parametrize(
    ("kind", "field"),
    [("survey", "survey.applications.0.description"), ("comparison", "comparison.task"),
     ("rerating", "rerating.instructions")],
)  # fmt: skip
def test_a_glance_at_the_task_shows_what_introduces_it_too(owner, kind, field):
    make(owner, kind=kind)
    sent = form_fields(owner.get("/studies/new-alarm/edit/task"))
    assert field in sent
    pane = owner.post("/studies/new-alarm/glance/task", data=sent | {field: "Just typed."})
    assert pane.text.count('class="screen"') == 2
    assert "Just typed." in pane.text.partition("<button")[0]


def _discarded(owner, slug):
    asked = owner.get(f"/studies/{slug}/discard")
    assert "Discard this draft?" in asked.text
    return owner.post(f"/studies/{slug}/discard", data=hidden_fields(asked))


def test_a_draft_is_discarded_after_a_question_and_restored(owner, host):
    edit(owner, slug="songs", title="Other songs")
    page = _discarded(owner, "songs")
    assert "is discarded" in page.text
    assert not authoring.written(host, "songs").is_draft
    owner.post("/studies/songs/restore", data=hidden_fields(page))
    assert authoring.written(host, "songs").content["title"] == "Other songs"
    _discarded(owner, "songs")
    edit(owner, slug="songs", title="Newer songs")  # the next draft takes its place
    form = {"csrf": hidden_fields(owner.get("/studies"))["csrf"]}
    assert owner.post("/studies/songs/restore", data=form).status_code == NOT_FOUND
    assert authoring.written(host, "songs").content["title"] == "Newer songs"


def test_a_study_never_published_goes_with_its_draft_and_comes_back(owner, host):
    make(owner)
    page = _discarded(owner, "new-alarm")
    assert owner.get("/studies/new-alarm/edit/texts").status_code == NOT_FOUND
    assert 'href="/studies/new-alarm"' not in page.text
    owner.post("/studies/new-alarm/restore", data=hidden_fields(page))
    assert 'href="/studies/new-alarm"' in owner.get("/studies").text
    _discarded(owner, "new-alarm")
    make(owner, title="Another one")  # its name is free again
    assert authoring.written(host, "new-alarm").content["title"] == "Another one"


def test_changing_a_tab_saves_what_was_typed_and_begins_no_draft_for_nothing(owner, host):
    page = edit(owner, slug="songs", go="task")
    assert page.url.path == "/studies/songs/edit/task"
    assert not authoring.written(host, "songs").is_draft
    page = edit(owner, slug="songs", title="Typed", go="tab-data")
    assert page.url.path == "/studies/songs/data"
    assert authoring.written(host, "songs").content["title"] == "Typed"
    assert edit(owner, slug="songs", go="tab-live").url.path == "/studies/songs"
    page = edit(owner, slug="songs", go="//elsewhere.example")
    assert page.url.path == "/studies/songs/edit/texts"


def test_a_form_sent_after_the_session_ended_is_kept_through_signing_in(owner, browser, host):
    sent = form_fields(owner.get("/studies/songs/edit/texts")) | {"title": "Kept"}
    token = owner.cookies["howgood-session"]
    accounts.sign_out(host, token)
    page = owner.post("/studies/songs/edit/texts", data=sent)
    assert page.status_code == 401
    assert "Kept" in page.text
    held = form_fields(page, 'action="/login"')
    wrong = owner.post("/login", data=held | {"name": "ada", "password": "no"})
    assert wrong.status_code == 422
    assert "Kept" in wrong.text
    assert not authoring.written(host, "songs").is_draft
    held = form_fields(wrong, 'action="/login"')
    done = owner.post("/login", data=held | {"name": "ada", "password": PASSWORD})
    assert done.url.path == "/studies/songs/edit/texts"
    assert authoring.written(host, "songs").content["title"] == "Kept"
    stranger = browser.post("/studies/songs/edit/texts", data=sent, follow_redirects=False)
    assert stranger.headers["location"] == "/login"  # not a form of theirs: nothing is read


def test_pilot_mode_and_quota_make_a_version_of_their_own(owner, host):
    form = hidden_fields(owner.get("/studies/songs"))
    page = owner.post("/studies/songs/places", data=form | {"quota": "2", "pilot": "yes"})
    assert "pilot: answers are kept out" in page.text
    take_part(owner, host, "songs")
    hosting.make_links(host, "songs", people=2, is_pilot=True, now=datetime.now(UTC))
    assert "Test runs are not counted: 1" in owner.get("/studies/songs").text
    owner.post("/studies/songs/places", data=form | {"quota": "1"})
    take_part(owner, host, "songs", seed=2)
    page = owner.get("/studies/songs").text
    assert "1 of a quota of 1" in page
    wrong = owner.post("/studies/songs/places", data=form | {"quota": "-3"})
    assert wrong.status_code == WRONG
    _, versions = authoring.history(host, "songs")
    assert len(versions) == 3


def test_one_person_is_no_spread(owner, host):
    take_part(owner, host, "songs")
    live = owner.get("/studies/songs").text
    assert "Half of those who finished" not in live
    assert "Times are of the one person who finished." in live
    assert "The one person who finished is flagged." in live
    recruit = owner.get("/studies/songs/recruit?people=30&hourly=12&fee=33").text
    assert "at that time" in recruit
    assert "half of them" not in recruit
    german = owner.get("/studies/songs?in=de").text
    assert "Sekunden je Seite, im Median" in german


def test_flags_speak_of_those_who_were_checked_so_far(owner, host, monkeypatch):
    """Before: "The one person who finished is flagged", when 1 of 15 had been looked at."""
    take_part(owner, host, "songs")
    watcher = owner.app.state.watcher
    flags = replace(watcher.flags("songs"), finished=15)
    monkeypatch.setattr(watcher, "flags", lambda slug: flags)
    live = owner.get("/studies/songs").text
    assert "1 of 1 checked so far is flagged. 1 of 15 checked; the rest follows." in live
    assert "The one person who finished" not in live
    german = owner.get("/studies/songs?in=de").text
    assert "Zu 1 von 1 bisher Geprüften gibt es Hinweise. 1 von 15 geprüft" in german


def test_nobody_is_led_to_a_page_that_refuses_them(viewer, owner):
    """Before: a viewer of a study that nobody has begun was sent to Recruit, and refused."""
    assert 'href="/studies/songs/recruit">Recruit people' in owner.get("/studies/songs").text
    page = viewer.get("/studies/songs").text
    assert "Nobody has begun yet." in page
    assert "/recruit" not in page
    assert viewer.get("/studies/songs/recruit").status_code == 403


@pytest.mark.parametrize(("title", "slug"), [
    ("Überraschung für Größere", "ueberraschung-fuer-groessere"),
    ("U\u0308bung", "uebung"), ("Café d'été", "cafe-d-ete"),
])  # fmt: skip
def test_a_short_name_keeps_the_letters_of_its_title(owner, title, slug):
    """Before: "berraschung-f-r-gr-ssere"."""
    form = hidden_fields(owner.get("/studies/new")) | {"template": "survey", "slug": ""}
    page = owner.post("/studies/new", data=form | {"title": title})
    assert page.url.path == f"/studies/{slug}/edit/texts"


def test_closing_keeps_newcomers_out_and_an_old_version_can_be_used_again(owner, host):
    open_study(owner, "songs", is_open="no")
    assert "consent" not in owner.get("/s/songs").text
    open_study(owner, "songs")
    edit(owner, slug="songs", title="Changed")
    publish(owner, "songs")
    _, versions = authoring.history(host, "songs")
    form = hidden_fields(owner.get("/studies/songs/versions"))
    owner.post(f"/studies/songs/versions/{versions[1].number}/publish", data=form)
    assert "Songs" in owner.get("/s/songs").text
    assert owner.post("/studies/songs/versions/99/publish", data=form).status_code == NOT_FOUND


def test_personal_links_are_shown_once_or_downloaded(owner, host):
    form = hidden_fields(owner.get("/studies/songs/links"))
    page = owner.post("/studies/songs/links", data=form | {"people": "3", "as": "page"})
    tokens = re.findall(r"/p/([\w-]{32})<", page.text)
    assert len(set(tokens)) == 3
    assert "First" not in owner.get(f"/p/{tokens[0]}").text
    got = owner.post("/studies/songs/links", data=form | {"people": "2", "as": "csv",
                                                          "pilot": "yes"})  # fmt: skip
    assert got.headers["content-disposition"] == 'attachment; filename="songs-links.csv"'
    lines = got.text.splitlines()
    assert lines[0] == "number,link"
    assert re.fullmatch(r"2,http://testserver/p/[\w-]{32}", lines[2])
    for wrong in ("0", "x", "100000000"):
        assert (
            owner.post("/studies/songs/links", data=form | {"people": wrong}).status_code == WRONG
        )


def test_unknown_studies_and_parts_are_not_found(owner):
    for path in ("/studies/none", "/studies/none/edit/texts", "/studies/songs/edit/none",
                 "/studies/none/preview", "/studies/none/versions", "/studies/none/publish",
                 "/studies/songs/picture/x.png", "/studies/songs/file.exe",
                 "/studies/none/links"):  # fmt: skip
        assert owner.get(path).status_code == NOT_FOUND, path


def test_a_viewer_sees_texts_and_no_button_that_writes(viewer):
    for path in ("/studies", "/studies/songs", "/studies/songs/edit/texts",
                 "/studies/songs/preview", "/studies/songs/versions"):  # fmt: skip
        page = viewer.get(path)
        assert page.status_code == 200
        actions = set(re.findall(r'<form method="post" action="([^"]+)"', page.text))
        assert actions <= {"/logout", "/studies/songs/preview", "/studies/songs/edit/texts"}
    assert " disabled" in viewer.get("/studies/songs/edit/texts").text


def test_the_study_of_the_tests_is_listed(owner):
    page = owner.get("/studies").text
    assert SURVEY["title"] in page
    assert unescape(page).count("/studies/songs") == 1
