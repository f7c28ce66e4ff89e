"""Take the pictures of participants' pages and account pages that the how-to pages show.

Run it from the project's folder: python docs/_ext/photograph_participants.py. It serves
examples/fall-sensor.toml on this machine and photographs phones next to each other.
"""

import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(Path(__file__).parent)]
TARGET = ROOT / "docs" / "_static"
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
GAP = 24


def main() -> None:
    """Serve the study, walk through it, take the pictures."""
    from benchmarks.load.servers import HowgoodServer
    from checks.browser import find_browser
    from playwright.sync_api import sync_playwright

    study = tomllib.loads((ROOT / "examples" / "fall-sensor.toml").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        shutil.copytree(ROOT / "examples" / "pictures", Path(name) / "pictures")
        server = HowgoodServer(Path(name), [study])
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        try:
            _take_part(browser, f"{server.home}/s/fall-sensor", Path(name))
            _sign_in(browser, server)
        finally:
            browser.close()
            server.kill()


def _take_part(browser, address: str, folder: Path) -> None:
    english = _walk(browser, f"{address}?lang=en", folder, ("en", "I agree: start", "Continue"))
    german = _walk(browser, f"{address}?lang=de", folder, ("de", "Ich bin einverstanden", "Weiter"))
    _side_by_side("languages.png", [german["first"], german["scenario"]])
    _side_by_side("questions.png", [english["questions"], english["worry"], english["help"]])
    _side_by_side("stimuli.png", [english["sensor"], english["scenario"]])
    _side_by_side("later.png", [english["later"]])


def _walk(browser, address: str, folder: Path, words: tuple[str, str, str]) -> dict[str, Path]:
    """Return pictures of the pages, from the first to the first scenario."""
    language, agree, go_on = words
    page = browser.new_context(viewport=PHONE, color_scheme="light").new_page()
    taken: dict[str, Path] = {}

    def take(key: str) -> None:
        taken[key] = folder / f"{language}-{key}.png"
        page.screenshot(path=taken[key])

    page.goto(address)
    take("first")
    page.get_by_role("button", name=agree).click()
    page.locator("input[type=number], input[inputmode]").first.fill("71")
    page.get_by_label(re.compile("^(Yes|Ja)$")).check()
    take("questions")
    page.get_by_role("button", name=go_on).click()
    take("worry")
    page.get_by_role("button", name=go_on).click()
    take("help")
    page.get_by_role("button", name=go_on).click()
    take("sensor")
    page.get_by_role("button", name=go_on).click()
    take("scenario")
    page.get_by_role("link", name=re.compile("later|Später")).click()
    take("later")
    return taken


def _side_by_side(name: str, pictures: list[Path]) -> None:
    from take_screenshots import shrink

    opened = [Image.open(path) for path in pictures]
    width = sum(picture.width for picture in opened) + GAP * (len(opened) + 1)
    sheet = Image.new("RGB", (width, max(p.height for p in opened) + 2 * GAP), "#d9dce1")
    left = GAP
    for picture in opened:
        sheet.paste(picture, (left, GAP))
        left += picture.width + GAP
    sheet.save(TARGET / name)
    shrink(TARGET / name)


def _sign_in(browser, server) -> None:
    """The pages of ways to sign in, and of webhooks and notices."""
    from take_screenshots import shrink

    page = browser.new_context(viewport=DESK, color_scheme="light").new_page()
    page.goto(re.search(r"http\S+/setup/\S+", (server.folder / "log.txt").read_text())[0])
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Make the account").click()
    for name, address in (
        ("ways", "/account/ways"),
        ("notices", "/studies/fall-sensor/notices"),
    ):
        page.goto(server.home + address)
        page.screenshot(path=TARGET / "dashboard" / f"{name}.png")
        shrink(TARGET / "dashboard" / f"{name}.png")


if __name__ == "__main__":
    main()
