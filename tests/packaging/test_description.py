"""What PyPI shows: the README with addresses where they are known, else without pictures."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
HOME = "https://git.example/us/howgood"


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _targets(text):
    return re.findall(r"\]\(([^)]+)\)", text)


def test_the_example_of_the_hook_holds(hook):
    assert doctest.testmod(hook) == (0, 3)


def test_with_an_address_every_link_and_picture_leads_there(hook):
    text = hook.published(README, home=HOME, tag="v1.2.3")
    assert all(target.startswith("https://") for target in _targets(text))
    ours = [target for target in _targets(text) if target.startswith(HOME)]
    files = [target.partition("/v1.2.3/")[2] for target in ours if "/v1.2.3/" in target]
    assert all((ROOT / name).exists() for name in files)
    assert len(_targets(text)) == len(_targets(README))
    assert f"({HOME}/raw/v1.2.3/docs/_static/front.svg)" in text
    assert f"({HOME}/actions/workflows/tests.yml)" in text


def test_without_an_address_nothing_is_broken_and_no_word_is_lost(hook):
    text = hook.published(README, home=None, tag="v1.2.3")
    assert all(target.startswith("https://") for target in _targets(text))
    assert "a study in a week" in text
    assert "_static" not in text
    # The caption of a picture that is not there would puzzle.
    assert "The orange curve" not in text


def test_the_address_is_that_of_whoever_builds(hook):
    assert hook.home_of({}) is None
    assert hook.home_of({"GITHUB_REPOSITORY": "us/it"}) == "https://github.com/us/it"
    elsewhere = {"GITHUB_REPOSITORY": "us/it", "GITHUB_SERVER_URL": "https://git.example"}
    assert hook.home_of(elsewhere) == "https://git.example/us/it"
