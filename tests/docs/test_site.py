"""The documentation builds without a warning, notebooks executed, formulas as MathML."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = sorted((DOCS / "howto").glob("*.md"))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_is_in_the_navigation_once_and_starts_with_its_picture(guide):
    listed = re.findall(r"^howto/(\S+)$", (DOCS / "index.md").read_text("utf-8"), re.MULTILINE)
    assert listed.count(guide.stem) == 1
    start = guide.read_text("utf-8").partition("\n## ")[0]
    assert re.search(r"^!\[.+\]\(../_static/", start, re.MULTILINE)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html",
         "-d", str(folder / "trees"), str(DOCS), str(folder / "html")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.mark.slow
def test_the_site_has_formulas_and_fetches_nothing(site):
    page = (site / "explanation" / "why-paired.html").read_text("utf-8")
    assert "<math" in page
    assert 'src="http' not in page
    assert 'rel="stylesheet" href="http' not in page


@pytest.mark.slow
@pytest.mark.parametrize("name", ["acceptability", "elicitation", "leaderboard"])
def test_notebooks_are_executed(site, name):
    assert "cell_output" in (site / "notebooks" / f"{name}.html").read_text("utf-8")


@pytest.mark.slow
def test_each_of_the_five_users_is_one_click_from_their_page(site):
    front = (site / "index.html").read_text("utf-8")
    for page in ("run-a-study", "choose-a-threshold", "rank-systems", "is-85-percent-enough",
                 "gate-in-ci"):  # fmt: skip
        assert f'href="howto/{page}.html"' in front


@pytest.mark.parametrize(
    "picture", sorted(DOCS.rglob("*.svg")), ids=lambda path: str(path.relative_to(DOCS))
)
def test_a_picture_is_one_sound_drawing(picture):
    if "_build" not in picture.parts:
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")  # noqa: S314 - we drew it
