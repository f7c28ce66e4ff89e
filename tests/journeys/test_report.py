"""Reports in a real browser: accessible, nothing cut off, nothing fetched, printable."""

import numpy as np
import pytest
from tests.journeys.looks import DESKTOP, check_looks

from howgood.cli.main import run
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.report import Report
from howgood.show.acceptability import picture_section
from howgood.show.figures.acceptability import differences_figure
from howgood.show.figures.relevance import Dots, dots_figure
from howgood.show.page import to_html
from howgood.web.result_pages import lit_picture


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Run the demo once: its report, and files for the reports of the other commands."""
    folder = tmp_path_factory.mktemp("reports")
    assert run(["demo", "--out", str(folder)]) == 0
    versions = ("version_a", "version_b", "version_c")
    systems = [word for version in versions for word in ("--system", version)]
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
def test_a_report_is_accessible_on_every_screen(chromium, folder, name):
    report = (folder / f"{name}.html").as_uri()
    page = chromium.new_page(viewport=DESKTOP)
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(report)
    check_looks(page)
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hollow_markers_stay_hollow(chromium, tmp_path, scheme):
    """What is not filled shows the page's own ground, so that "filled" means what it says."""
    estimates = {
        "apart": Estimate.from_draws(np.linspace(0.1, 0.3, 101)),
        "not apart": Estimate.from_draws(np.linspace(-0.1, 0.2, 101)),
    }
    dots = Dots(label="x", values=np.array([0.5]), lower=np.array([0.4]), upper=np.array([0.6]),
                filled=False)  # fmt: skip
    sections = (
        picture_section("Differences", "Differences", differences_figure(estimates)),
        picture_section("Dots", "Dots", dots_figure(["a"], [dots], title="t", x_label="x")),
    )
    made = Report(title="Markers", question="Which?", findings=(), sections=sections, methods="",
                  provenance=Provenance(method="none"))  # fmt: skip
    file = tmp_path / "markers.html"
    file.write_text(to_html(made), encoding="utf-8")
    for address in (file.as_uri(), *_alone(sections, tmp_path)):
        page = chromium.new_page(color_scheme=scheme)
        page.goto(address)
        ground = page.evaluate("getComputedStyle(document.body || document.documentElement)"
                               ".getPropertyValue('--paper').trim()")  # fmt: skip
        assert (ground == "#fff") == (scheme == "light")
        fills = page.evaluate(
            "ground => {const probe = document.createElementNS('http://www.w3.org/2000/svg', 'g');"
            "probe.style.fill = ground; document.querySelector('svg').append(probe);"
            "const wanted = getComputedStyle(probe).fill;"
            "return [...document.querySelectorAll('use')]"
            ".filter(e => getComputedStyle(e).fill === wanted).length}",
            ground,
        )
        assert fills >= 1
        page.close()


def _alone(sections, folder):
    """The same pictures as the dashboard shows them: each in a file of its own."""
    for section in sections:
        path = folder / f"{section.title}.svg"
        path.write_text(lit_picture(section.svg), encoding="utf-8")
        yield path.as_uri()
