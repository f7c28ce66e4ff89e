"""Every kind of study as one page without a server: answered, saved, imported, counted."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.journeys.conftest import PICTURE, comparison, rerating, templated
from tests.journeys.looks import DESKTOP, PHONE, check_page
from tests.journeys.test_offline import _saved_page

from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import open_host
from howgood.flow.importing import import_files
from howgood.kinds.study import Study

NOW = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.fixture
def host(tmp_path):
    (tmp_path / "door.svg").write_text(PICTURE)
    opened = open_host(str(tmp_path / "answers.sqlite"))
    yield opened
    opened.close()


BISECTED = comparison(slug="bisected")
BISECTED["comparison"] = {
    name: value for name, value in BISECTED["comparison"].items() if name != "matrices"
} | {
    "algorithm": "bisection",
    "tolerance": 0.25,
    "practice": False,
    "direct": "none",
    "matrices": [
        {"true_positives": 20 - 2 * step, "false_negatives": 2 * step,
         "false_positives": (10 - step) ** 2 // 2, "true_negatives": 80 - (10 - step) ** 2 // 2,
         "lower": step / 10, "upper": (step + 1) / 10}
        for step in range(10)
    ],
}  # fmt: skip
# Questions of a random block, of which a page begins at the second place and at the empty third.
HOBBIES = [
    {"key": key, "text": f"Frage {key}", "type": "text", "block": "" if key in "ae" else "hobbies",
     "new_page": key in "cd"}
    for key in "abcde"
]  # fmt: skip
STUDIES = {
    "comparison": comparison(slug="comparison"),
    "bisection": BISECTED,
    "criteria": templated("criteria", queries=6, checks=1, evaluation=2),
    "failures": templated("failures", per_person=3),
    "votes": templated("votes", votes=5),
    "rerating": rerating(
        slug="rerating", demographics=HOBBIES, blocks=[{"key": "hobbies", "show": 2}]
    ),
}


def answer_by_keyboard(page, number):
    """Answer whatever is asked with keys alone; pairs by their own key, one of them undone."""
    pairs = page.locator("button[data-key]")
    if pairs.count():
        can_undo = page.locator("button[data-key=u]").count()
        page.keyboard.press("u" if can_undo and number == 12 else "12"[number % 2])
        return
    for group in page.locator("fieldset.field").all():
        group.locator("input").first.focus()
        page.keyboard.press("Space")
    for line in page.locator("main input[type=text]").all():
        line.focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("33")
    page.locator("main button:not(.quiet)").first.focus()
    page.keyboard.press("Enter")


def walked(page, *, faults):
    """Answer every page by keyboard and return the text that is saved."""
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    for number in range(200):
        check_page(page)
        if page.locator("a[download]").count():
            return page.locator("#answers").input_value()
        answer_by_keyboard(page, number)
    raise AssertionError("no end")


# Every kind once, on a telephone and on a desk in turn; `make slow` has both of each.
@pytest.mark.parametrize(
    ("name", "view", "scheme"),
    [
        pytest.param(name, *look, id=f"{name}-{shown}",
                     marks=[] if (place + turn) % 2 == 0 else [pytest.mark.slow])
        for place, name in enumerate(STUDIES)
        for turn, (shown, look) in enumerate(
            {"phone-dark": (PHONE, "dark"), "desktop-light": (DESKTOP, "light")}.items()
        )
    ],
)  # fmt: skip
def test_every_kind_runs_without_a_server_and_its_answers_count(
    chromium, host, tmp_path, name, view, scheme
):
    study = Study.from_dict(STUDIES[name])
    file = _saved_page(host, tmp_path, study, tmp_path)
    with chromium.new_context(viewport=view, color_scheme=scheme) as context:
        page, faults = context.new_page(), []
        page.goto(file.as_uri())
        saved = walked(page, faults=faults)
        assert faults == []
    report = import_files(
        host, study.slug, [("a.json", saved.encode())], mapping={}, actor="x", now=NOW
    )
    assert report.people == 1
    rows = list(tidy_rows(host, study.slug))
    assert rows
    assert all(row.get("kind", "known") for row in rows)
    (someone,) = tidy_rows(host, study.slug, table="participants")
    assert someone["status"] == "complete"


@pytest.mark.parametrize(("name", "view"), [("failures", PHONE), ("votes", DESKTOP)])
def test_people_who_share_a_device_lose_nothing(chromium, host, tmp_path, name, view):
    study = Study.from_dict(STUDIES[name])
    file = _saved_page(host, tmp_path, study, tmp_path)
    with chromium.new_context(viewport=view) as context:
        page, faults = context.new_page(), []
        page.goto(file.as_uri())
        people = []
        for _ in range(2):
            people.append(json.loads(walked(page, faults=faults)))
            page.get_by_role("button", name="Start again for the next person").click()
            assert page.get_by_text("not saved as a file").count() == 1
        page.locator("main button:not(.quiet)").first.click()  # a third begins, and goes away
        page.evaluate("sessionStorage.clear()")
        page.reload()
        check_page(page)
        assert "2 people, 2 of them" in page.locator("summary").inner_text()
        assert page.get_by_role("button", name="Continue as").count() == 1
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Save everybody's answers as one file").click()
        saved = Path(waiting.value.path()).read_bytes()
        assert sorted(json.loads(saved), key=str) == sorted(people, key=str)
        report = import_files(
            host, study.slug, [("all.json", saved)], mapping={}, actor="x",
            now=NOW,
        )  # fmt: skip
        assert report.people == 2
        page.locator("summary").click()
        page.get_by_role("button", name="Remove what is saved as a file").click()
        page.get_by_role("button", name="Remove them from this device").click()
        page.locator("summary").click()
        assert "0 people" in page.locator("summary").inner_text()
        page.get_by_role("button", name="Continue as").click()
        assert page.locator("main form").count() == 1
        json.loads(walked(page, faults=faults))
        assert faults == []
