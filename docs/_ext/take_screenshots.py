"""Take the screenshots of the how-to pages: python docs/_ext/take_screenshots.py

Starts `howgood demo --serve`, makes an account, waits for the fits, and photographs a few pages.
Needs Chromium, Playwright and Pillow; everything on the pictures is synthetic.
"""

import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from PIL import Image, ImageChops
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[1] / "_static"
PORT = 8079
HOME = f"http://127.0.0.1:{PORT}"
VIEW = {"width": 1280, "height": 900}
WAIT = 300_000
MARGIN = 12
# Picture -> (address, what must be on the page before it is taken, what it ends below)
PAGES = {
    "results-survey.png": ("/studies/smart-alarm/results", ".verdict", ".verdict"),
    "results-comparison.png": ("/studies/cancer-diagnosis/results", ".verdict", ".verdict"),
    "results-rerating.png": ("/studies/rate-again/results", ".verdict", ".verdict"),
    "library-answer.png": (
        "/library/kay2015-answers-alarm-police?precision=85&recall=85",
        ".verdict",
        ".three",
    ),
}


def main():
    """Serve, sign in, photograph."""
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "howgood", "demo", "--serve", "--port", str(PORT)],
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            _photograph(_setup_link(server))
        finally:
            server.terminate()


def _setup_link(server):
    for line in server.stdout:
        found = re.search(r"http://\S+/setup/\S+", line)
        if found:
            break
    for _ in range(200):
        try:
            urllib.request.urlopen(f"{HOME}/health").close()  # noqa: S310 - loopback only
        except urllib.error.URLError:
            time.sleep(0.1)
        else:
            return found[0]
    raise RuntimeError("the server does not answer")


def _photograph(link):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=VIEW)
        page.set_default_timeout(WAIT)
        page.goto(link)
        page.fill("input[name=name]", "ada")
        page.fill("input[name=password]", "correct horse battery")
        page.click("main button")
        for name, (address, wanted, last) in PAGES.items():
            page.goto(HOME + address)
            while not page.locator(wanted).count():
                page.wait_for_timeout(1000)
                page.reload()
            page.evaluate("Promise.all([...document.images].map(each => each.decode()))")
            box = page.locator(last).first.bounding_box()
            height = box["y"] + box["height"] + MARGIN
            clip = {"x": 0, "y": 0, "width": VIEW["width"], "height": height}
            page.screenshot(path=FOLDER / name, clip=clip, full_page=True)
            shrink(FOLDER / name)
        browser.close()


def shrink(path):
    """Cut the empty end of a page; few colours take a third of the bytes."""
    with Image.open(path) as picture:
        page = picture.convert("RGB")
    width, height = page.size
    empty = Image.new("RGB", page.size, page.getpixel((width // 2, height - 1)))
    _, _, _, end = ImageChops.difference(page, empty).getbbox()
    page = page.crop((0, 0, width, min(height, end + 2 * MARGIN)))
    page.quantize(128, method=Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    print(f"wrote {path.name}, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
