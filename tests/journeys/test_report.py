"""Reports in a real browser: accessible, nothing cut off, nothing fetched, printable."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from howgood.cli.main import run


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Write the report of `howgood rank` on noisy ratings: findings, pictures, tables."""
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(1)
    mean = rng.uniform(1, 5, 200)
    rows = np.column_stack([mean, np.full(200, 0.8), mean + rng.normal(0, 0.5, 200),
                            mean + rng.normal(0, 0.9, 200)])  # fmt: skip
    np.savetxt(folder / "r.csv", rows, delimiter=",", header="mean,sd,svd,knn", comments="")
    command = ["rank", str(folder / "r.csv"), "--mean", "mean", "--sd", "sd", "--system", "svd",
               "--system", "knn", "--out", str(folder / "report.html")]  # fmt: skip
    assert run(command) == 0
    return (folder / "report.html").as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_report_is_accessible_on_every_screen(chromium, report, width, scheme):
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
