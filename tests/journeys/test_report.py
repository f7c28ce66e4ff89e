"""Reports in a real browser: accessible, nothing cut off, nothing fetched, printable."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from howgood.cli.main import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Run the demo once: its report, and files for the reports of the other commands."""
    folder = tmp_path_factory.mktemp("reports")
    assert run(["demo", "--out", str(folder)]) == 0
    systems = ["--system", "svd", "--system", "knn", "--system", "popular"]
    context = "activity,area,company,time,daylight"
    commands = {
        "rank": ["ratings.csv", "--repeated", *systems],
        "fit": ["answers.csv"],
        "relevance": ["lighting.csv", "--outcome", "light", "--predicted", "tree",
                      "--context", context],
    }  # fmt: skip
    for name, (file, *options) in commands.items():
        out = ["--out", str(folder / f"{name}.html")]
        assert run([name, str(folder / file), *options, *out]) == 0
    return folder


@pytest.fixture
def report(folder):
    return (folder / "rank.html").as_uri()


@pytest.mark.parametrize("name", ["report", "rank", "fit", "relevance"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_report_is_accessible_on_every_screen(chromium, folder, name, width, scheme):
    report = (folder / f"{name}.html").as_uri()
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(report)
    result = Axe().run(page, options={"resultTypes": ["violations"]})
    assert result.violations_count == 0, result.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert fetched == [report]
    page.close()


def test_a_report_prints_dark_on_white(chromium, report):
    page = chromium.new_page(color_scheme="dark")
    page.goto(report)
    page.emulate_media(media="print")
    paper, ink = page.evaluate(
        "(() => {const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]})()"
    )
    assert paper == "rgb(255, 255, 255)"
    assert ink == "rgb(27, 27, 31)"
    assert page.pdf().startswith(b"%PDF")
    page.close()
