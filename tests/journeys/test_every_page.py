"""Every page of the dashboard, in every state it has, is free of violations on phone and desk.

`PAGES` lists what is looked at by its route; a route that answers with a page and is not listed
fails a test.
"""

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from starlette.routing import Route
from tests.flow.results.conftest import RERATING, SURVEY
from tests.journeys.in_process import Running
from tests.journeys.looks import DESKTOP, PHONE, check_page
from tests.web_routes import every_route

from howgood.demo.web import add_people
from howgood.flow import accounts, api_access, importing, in_use
from howgood.flow.authoring import discard, start_from_template, written
from howgood.flow.hosting import add_study, open_host
from howgood.flow.in_use import SaidInUse
from howgood.flow.results import requests
from howgood.flow.results.tasks import run_task
from howgood.kinds.study import Study
from howgood.records.job import FIT
from howgood.store import jobs

TABLE = b"Who,scenario,acceptable\nr1,1,5\nr2,2,6\n"
SYSTEMS = b"item,a,b\ns1,3,4\ns2,2,5\n"
STUDY = "/studies/{slug}"
RESULT = STUDY + "/results/{number:int}"
# Route -> the addresses to look at; a word in braces is filled in from what `running` made.
PAGES = {
    "/login": ["/login", "/login?next=/studies"],
    "/setup/{token}": ["/setup/{token}", "/setup/used"],
    "/account": ["/account"],
    "/account/ways": ["/account/ways"],
    "/people": ["/people"],
    "/people/{number:int}/remove": ["/people/{ada}/remove"],
    "/groups": ["/groups"],
    "/withdraw": ["/withdraw"],
    "/r/{token}": ["/r/unknown"],
    "/tokens": ["/tokens"],
    "/history": ["/history", "/history?study=doors", "/history?study=unknown"],
    "/api/docs": ["/api/docs"],
    "/design": ["/design"],
    "/library": ["/library"],
    "/library/{name}": ["/library/kay2015-answers-alarm-police",
                        "/library/kay2015-answers-alarm-police?precision=85&recall=85"],
    "/studies": ["/studies"],
    "/studies/new": ["/studies/new"],
    STUDY: ["/studies/doors", "/studies/empty"],
    STUDY + "/people": ["/studies/doors/people", "/studies/songs/people", "/studies/empty/people"],
    STUDY + "/people/{number:int}": ["/studies/doors/people/1", "/studies/songs/people/5"],
    STUDY + "/people/{number:int}/follow": ["/studies/doors/people/1/follow"],
    STUDY + "/edit/{part}": ["/studies/draft/edit/texts", "/studies/draft/edit/task",
                             "/studies/pairs/edit/task", "/studies/songs/edit/task",
                             "/studies/draft/edit/questions", "/studies/draft/edit/ending",
                             "/studies/draft/edit/languages"],
    STUDY + "/use": ["/studies/doors/use", "/studies/songs/use"],
    STUDY + "/preview": ["/studies/draft/preview", "/studies/draft/preview?page=4",
                         "/studies/draft/preview?page=999"],
    STUDY + "/publish": ["/studies/draft/publish", "/studies/doors/publish"],
    STUDY + "/discard": ["/studies/draft/discard"],
    STUDY + "/versions": ["/studies/doors/versions", "/studies/draft/versions"],
    STUDY + "/recruit": ["/studies/doors/recruit", "/studies/empty/recruit"],
    STUDY + "/links": ["/studies/doors/links"],
    STUDY + "/share": ["/studies/doors/share", "/studies/draft/share"],
    STUDY + "/notices": ["/studies/doors/notices", "/studies/draft/notices"],
    STUDY + "/draw": ["/studies/doors/draw"],
    STUDY + "/privacy": ["/studies/doors/privacy", "/studies/draft/privacy"],
    STUDY + "/data": ["/studies/doors/data", "/studies/songs/data", "/studies/empty/data"],
    STUDY + "/data/import/{number:int}": ["/studies/doors/data/import/{table}"],
    STUDY + "/data/imports/{number:int}/undo": ["/studies/doors/data/imports/{import}/undo"],
    STUDY + "/results": ["/studies/doors/results", "/studies/songs/results",
                         "/studies/empty/results"],
    STUDY + "/results/words": ["/studies/doors/results/words", "/studies/empty/results/words"],
    STUDY + "/results/uploads/{number:int}": ["/studies/songs/results/uploads/{systems}"],
    RESULT: [f"/studies/songs/results/{{{state}}}" for state in
             ("queued", "untaken", "running", "failed", "cancelled", "done")]
    + ["/studies/empty/results/{nothing}"],
}  # fmt: skip
# Routes that give something else than a page of the dashboard.
NO_PAGES = {
    "/": "leads to the studies",
    "/health": "for machines",
    "/metrics": "for machines",
    "/login/provider": "leads to the provider: tests/journeys/test_signing_in.py",
    "/login/provider/return": "comes from the provider, likewise",
    "/account/ways/provider": "leads to the provider, likewise",
    "/static/{name}": "a file",
    STUDY + "/people/notes.csv": "a file",
    STUDY + "/people/{number:int}/follow/page": "a participant's page, shown to a facilitator",
    "/media/{version:int}/{name:path}": "a file",
    "/s/{slug}": "a participant's page: tests/journeys/test_journeys.py",
    "/p/{token}": "leads to the step a participant is at",
    "/p/{token}/{step}": "a participant's page: tests/journeys/test_journeys.py",
    "/p/{token}/later": "a participant's page: tests/journeys/test_recruited_journeys.py",
    "/p/{token}/calendar.ics": "a file",
    "/p/{token}/draw": "a participant's page: tests/journeys/test_recruited_journeys.py",
    STUDY + "/draw.csv": "a file",
    "/library/nearest": "leads to a card",
    "/library/{name}/picture.svg": "a picture",
    STUDY + "/counts": "a part of the live page",
    STUDY + "/edit": "leads to its first part",
    STUDY + "/file.{ending}": "a file",
    STUDY + "/picture/{name}": "a file",
    STUDY + "/data/export/{format}": "a file",
    RESULT + "/progress": "a part of a result's page",
    RESULT + "/report.html": "a file",
    "/r/{token}/report.html": "a file",
    "/r/{token}/{place:int}.svg": "a file",
    RESULT + "/{place:int}.svg": "a file",
}


_seeds = count(1)


def _asked(host, slug, now):
    """Queue a fit unlike those before: one that waits already would not be queued again."""
    return requests.ask_fit(host, slug, {"seed": str(next(_seeds))}, actor="ada", now=now)


def _worked(host, slug, outcome):
    """Queue a fit, take it, and bring it to an outcome; return its number."""
    now = datetime.now(UTC)
    number = _asked(host, slug, now)
    until = now + timedelta(minutes=5)
    job = host.database.write(lambda c: jobs.claim(c, "test", now=now, until=until))
    assert job.number == number
    host.database.write(lambda c: outcome(c, job))
    return number


def _states(host):
    """A job in every state a page can show it in; no worker takes them."""
    now, later = datetime.now(UTC), datetime.now(UTC) + timedelta(minutes=5)

    def finished(slug):
        result = run_task(host, requests.overview(host, slug).row.number, FIT, {}).to_dict()
        return _worked(
            host, slug, lambda c, job: jobs.finish(c, job, result, message="done", now=now)
        )

    found = {"done": finished("songs"), "nothing": finished("empty")}
    found["failed"] = _worked(
        host, "songs", lambda c, job: jobs.fail(c, job, "The table has no column 'item'.", now=now)
    )
    found["running"] = _worked(
        host, "songs",
        lambda c, job: jobs.renew(c, job, until=later, progress=0.4, message="chain 2 of 4"),
    )  # fmt: skip
    long_ago = now - timedelta(minutes=2)
    found["cancelled"] = _asked(host, "songs", now)
    requests.cancel_job(host, "songs", found["cancelled"], now=now)
    found["untaken"] = _asked(host, "songs", long_ago)
    found["queued"] = _asked(host, "songs", later)
    return found


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    yield from every_state(tmp_path_factory.mktemp("every"))


def every_state(folder):
    """Yield a server with studies asked, empty and in draft, and jobs in every state."""
    host = open_host(str(folder / "answers.sqlite"))
    now = datetime.now(UTC)
    for study, people in ((SURVEY, 4), (RERATING, 4), (SURVEY | {"slug": "empty"}, 0)):
        row = add_study(host, Study.from_dict(study), folder=Path(), now=now)
        add_people(host, row.slug, people=people, seed=1, now=now)
    made = Running(host)
    for kind, slug in (("survey", "draft"), ("comparison", "pairs")):
        start_from_template(host, made.ada, kind, slug=slug, title="A new study", now=now)
    imported = importing.import_files(
        host, "doors", [("a.csv", TABLE)], mapping={"participant": "Who"}, actor="ada", now=now
    )
    start_from_template(host, made.ada, "rerating", slug="gone", title="Gone", now=now)
    discard(host, made.ada, "gone", edition=written(host, "gone").edition, now=now)
    _answered_in_use(host, made.ada, now)
    made.words = _states(host) | {
        "ada": made.ada.number,
        "import": imported.number,
        "token": accounts.invite(host, made.ada, role="viewer", now=now),
        "table": importing.take_upload(host, "doors", name="t.csv", content=TABLE, now=now),
        "systems": requests.take_upload(host, "songs", purpose="systems", name="s.csv",
                                      content=SYSTEMS, actor="ada", now=now),
    }  # fmt: skip
    yield made
    made.stop()


def _answered_in_use(host, ada, now):
    """A product whose people became less content, so that the page has all it can show."""
    added = in_use.add_product(host, ada, "doors", name="Door camera", application="bell",
                               origins="https://app.example.org", now=now)  # fmt: skip
    for number in range(120):
        said = SaidInUse(key=f"answer-{number:04}", user=str(number), acceptable=number < 60,
                         rating=None, hits=8, misses=2, false_alarms=1)  # fmt: skip
        in_use.take_answer(host, added.product, said, now=now + timedelta(hours=number))


def _look(page, running, addresses):
    for address in addresses:
        page.goto(running.home + address.format(**running.words))
        if "/edit/" in address:
            page.locator("#glance .screen, #glance .notice").first.wait_for()
        check_page(page)


def test_every_route_that_answers_with_a_page_is_looked_at(running):
    routes = {
        route.path
        for route in every_route(running.app)
        if isinstance(route, Route) and "GET" in route.methods
    }
    assert routes == PAGES.keys() | NO_PAGES.keys()


def test_every_page_is_accessible_and_fits(chromium, running):
    page = running.page(chromium, DESKTOP)
    addresses = [each for several in PAGES.values() for each in several]
    _look(page, running, [*addresses, "/lost", "/studies/unknown/results"])
    page.context.close()


MOST_SCRIPT = 150_000  # bytes of a page, as they are before they are packed
# What moved without anybody touching the page, from 0; a reload of the preview is awaited.
_SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 150);
})"""


def test_no_page_has_much_script_or_moves_on_a_phone(chromium, running):
    page = running.page(chromium, PHONE)
    sizes = {}
    page.on("response", lambda answer: sizes.update(
        {answer.url: len(answer.body())} if answer.request.resource_type == "script" else {}
    ))  # fmt: skip
    moved = {}
    for address in [several[0] for several in PAGES.values()]:
        sizes.clear()
        page.goto(running.home + address.format(**running.words))
        if "/edit/" in address:
            page.locator("#glance .screen, #glance .notice").first.wait_for()
        assert sum(sizes.values()) <= MOST_SCRIPT, (address, sizes)
        moved[address] = page.evaluate(_SHIFTS)
    page.context.close()
    assert {address: shift for address, shift in moved.items() if shift > 0.01} == {}


def test_what_a_viewer_sees_is_accessible_too(chromium, running):
    page = running.page(chromium, PHONE, session=running.invited_viewer())
    _look(page, running, ["/studies", "/people", "/studies/draft/edit/texts", "/studies/doors",
                          "/studies/songs/results",
                          "/studies/songs/results/{running}"])  # fmt: skip
    page.context.close()


@pytest.mark.parametrize(("state", "words"), [
    ("queued", "waiting for a worker"), ("untaken", "Nobody has taken this yet"),
    ("running", "40 %: chain 2 of 4"), ("failed", "no column 'item'"),
    ("cancelled", "This was cancelled"), ("done", "magic barrier"),
])  # fmt: skip
def test_a_result_says_its_state(chromium, running, state, words):
    page = running.page(chromium, DESKTOP)
    page.goto(f"{running.home}/studies/songs/results/{running.words[state]}")
    assert words in page.locator("main").inner_text()
    page.context.close()


@pytest.mark.parametrize("address", ["/people", "/tokens"])
def test_every_button_of_a_list_is_in_view_on_a_phone(chromium, running, address):
    """Before: next to a long name no role could be seen, nor changed without finding out."""
    now = datetime.now(UTC)
    link = accounts.invite(running.host, running.ada, role="viewer", now=now)
    name = f"{address[1:]} {'x' * 60}"
    accounts.join(running.host, link, name=name, password="correct horse battery", now=now)  # noqa: S106 - of an account in a test
    api_access.issue_token(running.host, running.ada, name=name, scopes=["studies:read"],
                           study=None, days=30, now=now)  # fmt: skip
    page = running.page(chromium, PHONE)
    page.goto(running.home + address)
    boxes = [each.bounding_box() for each in page.locator("table :is(button, select, a)").all()]
    assert boxes
    ends = [box["x"] + box["width"] for box in boxes]
    assert max(ends) <= PHONE["width"], ends
    check_page(page)
    page.context.close()
