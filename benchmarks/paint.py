"""How soon pages of a study stand, whether they move, and how fast a drag is followed (Chromium).

In: a server with an answered and fitted survey, on this machine. Out: the largest paint
(PerformanceObserver) of live, people and results pages and of a report, bytes of script, layout
shift on a phone, and the time of a step of dragging.
"""

import re
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import checks.browser

from benchmarks.load.servers import HowgoodServer
from benchmarks.rows import Row
from howgood.demo.web import add_people
from howgood.flow.hosting import open_host
from howgood.kinds.study import Study

VISITS, STEPS = 7, 60
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
_PASSWORD = "correct horse battery"  # noqa: S105 - of a server that lives for a minute  # pragma: allowlist secret
_PAINT = """() => new Promise((done) => {
  let last = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) last = entry.startTime;
  })    .observe({type: "largest-contentful-paint", buffered: true});
  setTimeout(() => done(last), 250);
})"""
_SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; })
    .observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 400);
})"""
# A step of dragging, from the event to the changed page, style and layout included.
_DRAG = """(steps) => {
  const map = document.querySelector(".hg-map"), box = map.getBoundingClientRect(), spent = [];
  map.setPointerCapture = () => {};
  for (let k = 0; k < steps; k++) {
    const at = {bubbles: true, buttons: 1, pointerId: 1, 
                clientX: box.left + box.width * (.2 + .01 * k),
                clientY: box.top + box.height * (.2 + .008 * k)};
    const start = performance.now();
    map.dispatchEvent(new PointerEvent("pointermove", at));
    document.body.getBoundingClientRect();
    spent.push(performance.now() - start);
  }
  return spent;
}"""


def run() -> list[Row]:
    from playwright.sync_api import sync_playwright

    from howgood.flow.study_files.new import template

    study = Study.from_dict(tomllib.loads(template("survey"))).to_dict()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = HowgoodServer(Path(folder), [study])
        host = open_host(server.database)
        add_people(host, study["slug"], people=28, seed=85, now=datetime.now(UTC), careless=3)
        host.close()
        browser = playwright.chromium.launch(
            executable_path=checks.browser.find_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            return _measured(browser, server, f"{server.home}/studies/{study['slug']}")
        finally:
            browser.close()
            server.kill()


def _measured(browser, server, root) -> list[Row]:
    context = browser.new_context(viewport=DESK)
    page = context.new_page()
    _sign_in_and_fit(page, server, root)
    report = server.folder / "report.html"
    with page.expect_download() as found:
        page.locator("a[download]").first.click()
    found.value.save_as(report)
    state = context.storage_state()
    context.close()
    addresses = {"live page": root, "people page": f"{root}/people",
                 "results page": f"{root}/results", "report.html": report.as_uri()}  # fmt: skip
    rows = [row for name, at in addresses.items() for row in _paints(browser, state, name, at)]
    return [*rows, *_drags(browser, state, f"{root}/results")]


def _sign_in_and_fit(page, server, root) -> None:
    page.goto(re.search(r"http\S+/setup/\S+", (server.folder / "log.txt").read_text())[0])
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(_PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.goto(f"{root}/results")
    page.get_by_role("button", name="Fit now").click()
    page.locator(".verdict").first.wait_for(timeout=600_000)
    page.goto(f"{root}/results")


def _paints(browser, state, name, address) -> list[Row]:
    """Visit a page as for the first time, again and again."""
    times, script, moved = [], 0, 0.0
    for visit in range(VISITS):
        context = browser.new_context(viewport=PHONE if visit == 0 else DESK, storage_state=state)
        page, sizes = context.new_page(), []
        page.on("response", lambda answer, sizes=sizes: sizes.append(len(answer.body()))
                if answer.request.resource_type == "script" else None)  # fmt: skip
        page.goto(address, wait_until="load")
        if visit == 0:
            moved = page.evaluate(_SHIFT)
        else:
            times.append(page.evaluate(_PAINT))
        script = max(script, sum(sizes))
        context.close()
    return [
        Row(
            subject=f"{name}, largest paint, nothing cached",
            size=f"28 people, 1280 px, {len(times)} visits",
            ours=f"{min(times):.0f} ms at best, {median(times):.0f} at the median",
            target="1,000 ms",
            met=min(times) < 1000,
        ),
        Row(
            subject=f"{name}, script and layout shift",
            size="390 px",
            ours=f"{script / 1000:.0f} kB, {moved:.3f}",
            target="150 kB, 0.1",
            met=script <= 150_000 and moved < 0.1,
        ),
    ]


def _drags(browser, state, address) -> list[Row]:
    context = browser.new_context(viewport=DESK, storage_state=state)
    page = context.new_page()
    page.goto(address)
    page.locator(".is-live").first.wait_for()
    spent = page.evaluate(_DRAG, STEPS)
    context.close()
    return [
        Row(
            subject="dragging in the map, a step with its layout, wall clock",
            size=f"400 draws, {STEPS} steps",
            ours=f"{median(spent):.1f} ms at the median, {max(spent):.0f} at most",
            target="50 ms",
            met=median(spent) < 50,
        )
    ]
