"""A real server in its own process, and a real Chromium.

Never skipped: where no Chromium is found, it is installed if we may, else the tests fail and say
how to get one.
"""

import tomllib

import checks.browser
import pytest
from benchmarks.load.servers import HowgoodServer
from tests.flow.hosting.conftest import PHRASES

from howgood.flow.study_files.new import template

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync"]  # fmt: skip
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60" role="img">'
    '<rect width="120" height="60" fill="#cfd8e3"/><circle cx="60" cy="30" r="18" fill="#33547a"/>'
    "</svg>"
)


def find_chromium():
    path = checks.browser.browser()
    if path is None:
        pytest.fail(checks.browser.HOW)
    return path


@pytest.fixture(scope="module")
def browsers():
    """Playwright, for the journeys of a file.

    It keeps an event loop running as long as it lives; tests elsewhere start their own.
    """
    from playwright.sync_api import sync_playwright

    find_chromium()  # first: it says which Node.js drives it where the system lacks a library
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def chromium(browsers):
    """One Chromium for the journeys of a file; each test opens its own profile."""
    browser = browsers.chromium.launch(executable_path=find_chromium(), args=FLAGS)
    yield browser
    browser.close()


def survey(**changes):
    applications = [
        {"key": key, "name": name, "description": f"{name} watches your door.", "phrases": PHRASES,
         "picture": {"file": "door.svg", "alternative": "A door with a round camera above it"}}
        for key, name in (("bell", "The bell"), ("camera", "The camera"))
    ]  # fmt: skip
    task = {"applications": applications, "per_application": 2, "ease_of_use": True,
            "attention": [{"key": "care", "text": "Please choose: Quite unlikely.",
                           "answer": 2}]}  # fmt: skip
    choices = [{"key": "bike", "text": "Bicycle"}, {"key": "bus", "text": "Bus"}]
    years = [{"key": f"y{number}", "text": str(number)} for number in range(1990, 2006)]
    questions = [
        {"key": "age", "text": "How old are you?", "type": "number", "minimum": 18, "maximum": 120},
        {"key": "way", "text": "How do you get around?", "type": "choices", "options": choices},
        {"key": "kind", "text": "Which one most?", "type": "choice", "options": choices},
        {"key": "year", "text": "Since which year?", "type": "choice", "options": years},
        {"key": "words", "text": "Anything else?", "type": "text", "help": "One line is enough."},
    ]
    return {"kind": "survey", "slug": "doors", "title": "Who is at the door?",
            "introduction": "Imagine systems that err now and then.",
            "consent": {"text": "I am at least 18 years old.", "contact": "Jane Doe"},
            "demographics": questions, "completion": {"code": "DOOR-42"},
            "survey": task} | changes  # fmt: skip


def rerating(**changes):
    task = {"question": "How much do you like it?", "rounds": 2,
            "scale": ["not at all", "a little", "somewhat", "much", "very much"],
            "instructions": "You will see two drawings twice.",
            "items": [{"key": "round", "text": "A round one",
                       "picture": {"file": "door.svg", "alternative": "A blue disc"}},
                      {"key": "poem", "text": "The sea, the sea, once more."}]}  # fmt: skip
    return {"kind": "rerating", "slug": "again", "title": "Noch einmal", "language": "de",
            "consent": {"text": "Ich bin mindestens 18 Jahre alt."},
            "completion": {"code": "AGAIN-7"}, "rerating": task} | changes  # fmt: skip


def comparison(**changes):
    """The study `howgood new` writes, made short."""
    study = tomllib.loads(template("comparison"))
    study["comparison"] |= {"queries": 6, "checks": 1, "repeats": 1, "evaluation": 2}
    return study | {"slug": "pairs", "completion": {"code": "PAIR-3"}} | changes


def templated(kind, **task):
    """The study `howgood new` writes of a kind, its task made short."""
    study = tomllib.loads(template(kind))
    return study | {"slug": kind, kind: study[kind] | task}


# Short studies of the kinds that have no study of their own here.
OTHERS = {
    "failures": {"per_person": 3},
    "criteria": {"queries": 6, "checks": 1, "evaluation": 1},
    "votes": {"votes": 4},
}


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A server with a small study of every kind."""
    folder = tmp_path_factory.mktemp("journey")
    (folder / "door.svg").write_text(PICTURE)
    at_once = comparison(slug="keys", demographics=[])
    at_once["comparison"] |= {"practice": False, "direct": "none"}
    plain = survey(slug="plain", demographics=[])
    plain["survey"] |= {"attention": []}
    later = rerating(slug="later", language="en")
    later["rerating"] |= {"delay_minutes": 90}
    others = [templated(kind, **task) for kind, task in OTHERS.items()]
    studies = [survey(), rerating(), comparison(), at_once, plain, later, *others]
    running = HowgoodServer(folder, studies)
    yield running
    running.kill()
