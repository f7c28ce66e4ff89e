"""Take the pictures of the dashboard that the how-to pages show.

Run it from the project's folder: python docs/_ext/photograph_dashboard.py. It starts a server on a
database of its own, makes a study, lets people answer who are not there, and saves PNG files.
"""

import re
import shutil
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
TARGET = ROOT / "docs" / "_static" / "dashboard"
VIEW = {"width": 1280, "height": 800}


def main() -> None:
    """Make the study, fill it, take the pictures."""
    from benchmarks.load.servers import HowgoodServer
    from playwright.sync_api import sync_playwright

    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        server = HowgoodServer(Path(name), [])
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            page = browser.new_context(viewport=VIEW, color_scheme="light").new_page()
            _walk(page, server)
        finally:
            browser.close()
            server.kill()


def _walk(page, server) -> None:
    home = server.home
    page.goto(re.search(r"http\S+/setup/\S+", (server.folder / "log.txt").read_text())[0])
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Make the account").click()
    page.goto(f"{home}/studies/new")
    _save(page, "new-study", last="main form")
    page.get_by_label("Title").fill("A smart alarm for your home")
    page.get_by_label("Short name").fill("smart-alarm")
    page.get_by_role("button", name="Make the draft").click()
    page.locator("#glance .screen").wait_for()
    page.screenshot(path=TARGET / "edit.png")
    page.goto(f"{home}/studies/smart-alarm/publish")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Open the study").click()
    _people(server, 42)
    page.goto(f"{home}/studies/smart-alarm")
    _save(page, "live", last="section[aria-labelledby=pages]")
    page.goto(f"{home}/studies/smart-alarm/recruit")
    page.get_by_role("button", name="Run the dry run").click()
    page.locator("#prolific summary").click()
    _save(page, "recruit", last="main .two")
    page.goto(f"{home}/studies")
    _save(page, "studies", last="main table")
    page.goto(f"{home}/studies/smart-alarm/people")
    _save(page, "people", last="main tbody tr:nth-child(12)")
    page.goto(f"{home}/studies/smart-alarm/people/2")
    _save(page, "person", last=".answered:nth-of-type(3)")
    page.goto(f"{home}/studies/smart-alarm/edit/task")
    page.locator("details.block summary").first.click()
    page.locator('[name="survey.per_application"]').fill("6")
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.get_by_text("Saved.", exact=True).wait_for()
    page.goto(f"{home}/studies/smart-alarm/publish")
    _save(page, "publish", last="main form")
    _data(page, server)


def _data(page, server) -> None:
    """The pages around data: downloads, a table that is being mapped, tokens."""
    page.goto(f"{server.home}/studies/smart-alarm/data")
    _save(page, "data", last="main section:nth-of-type(3)")
    table = server.folder / "answers.csv"
    table.write_text(
        "Respondent,scenario,acceptable,useful,intent\n"
        "r1,1,5,4,3\nr1,7,6,4,3\nr2,3,5,9,3\nr2,16,7,7,6\n"
    )
    page.get_by_label("Files, at most 50 MB").set_input_files(table)
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("heading", name="Which column holds what?").wait_for()
    _save(page, "import", last="main form .buttons")
    page.goto(f"{server.home}/tokens")
    _save(page, "tokens", last="main form[action='/tokens']")
    _team(page, server)
    _doctor(page, server)
    page.goto(f"{server.home}/history")
    _save(page, "history", last="main table")
    for name, address, last in (
        ("share", "/studies/smart-alarm/share", "main .two section:nth-of-type(2)"),
        ("privacy", "/studies/smart-alarm/privacy", "main table"),
        ("versions", "/studies/smart-alarm/versions", "main table"),
        ("words", "/studies/smart-alarm/results/words", "main section, main .empty"),
        ("library", "/library", ".library"),
        ("account", "/account", "main form"),
        ("members", "/people", "main table"),
        ("design", "/design", "main section:nth-of-type(5)"),
    ):
        page.goto(server.home + address)
        _save(page, name, last=last)


def _team(page, server) -> None:
    """Share the study with two colleagues, and invite a third who has not come yet."""
    from howgood.flow import accounts, hosting

    host, now = hosting.open_host(server.database), datetime.now(UTC)
    (ada,) = accounts.members(host, now=now).researchers
    password = "correct horse battery"  # noqa: S105 - of an account in a picture
    for name, role in (("grace", "analyst"), ("rosa", "recruiter")):
        token = accounts.invite_to_study(host, ada, "smart-alarm", role=role, now=now)
        accounts.join(host, token, name=name, password=password, now=now)
    accounts.invite_to_study(host, ada, "smart-alarm", role="viewer", now=now)
    host.close()


def _doctor(page, server) -> None:
    """What `howgood doctor` prints, as a terminal shows it."""
    import contextlib
    import html
    import io
    import os

    from howgood.cli.main import run
    from howgood.flow import hosting

    backups, said = server.folder / "backups", io.StringIO()
    backups.mkdir()
    hosting.back_up(server.database, backups / "2026-05-04.sqlite")
    os.environ["HOWGOOD_PUBLIC_URL"] = server.home
    with contextlib.redirect_stdout(said):
        run(["doctor", "--database", server.database, "--backups", str(backups)])
    # Without a certificate on this machine: what is said about that is not part of the picture.
    lines = [line for line in said.getvalue().splitlines() if "is not https" not in line
             and "Put a proxy" not in line]  # fmt: skip
    text = "\n".join(lines).replace(server.home, "https://studies.example.org")
    style = "margin:0;padding:24px;font:15px/1.6 monospace;background:#16181d;color:#e8e8ec"
    prompt = "$ howgood doctor --backups /var/backups/howgood"
    page.goto("about:blank")  # where no policy of ours forbids a style
    page.set_content(f"<pre style='{style}'>{prompt}\n{html.escape(text)}</pre>")
    _save(page, "doctor", last="pre")


def _people(server, number: int) -> None:
    """Let synthetic people take part, all of whom finish."""
    from howgood.demo.web import add_people
    from howgood.flow import hosting

    host, now = hosting.open_host(server.database), datetime.now(UTC) - timedelta(hours=5)
    add_people(host, "smart-alarm", people=number, seed=1, now=now, careless=3)
    host.close()


def _save(page, name: str, *, last: str) -> None:
    """Photograph a page from its top to the end of the first `last`."""
    from take_screenshots import MARGIN, shrink

    box = page.locator(last).first.bounding_box()
    clip = {"x": 0, "y": 0, "width": VIEW["width"], "height": box["y"] + box["height"] + MARGIN}
    page.screenshot(path=TARGET / f"{name}.png", clip=clip, full_page=True)
    shrink(TARGET / f"{name}.png")


if __name__ == "__main__":
    main()
