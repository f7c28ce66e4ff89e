"""One study from its template to its erasure in real Chromium, as a researcher lives it."""

import csv
import io
import re
import zipfile
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.journeys import steps
from tests.journeys.looks import DESKTOP
from tests.journeys.test_journeys import _choose, _press

FIT_SECONDS = 900_000  # a busy machine is slow, not wrong


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server on its first day: no account, no study."""
    running = HowgoodServer(tmp_path_factory.mktemp("whole"), [])
    yield running
    running.kill()


@pytest.fixture(scope="module")
def owner(chromium, server):
    """The owner's browser, after making an account by the link in the terminal."""
    context = chromium.new_context(viewport=DESKTOP, accept_downloads=True)
    steps.become_owner(context.new_page(), server)
    yield context
    context.close()


@pytest.fixture
def page(owner):
    """A tab of the owner's that must stay free of complaints in its console."""
    opened, faults = owner.new_page(), []
    opened.set_default_timeout(60_000)
    opened.on("console", lambda message: faults.append(message.text))
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    opened.close()
    assert faults == []


def judge(line):
    """Somebody who accepts what catches this many strangers of ten, and reads every question."""

    def choose(page):
        told = re.search(
            r"(\d+) of the 10 times .*\(correctly\)", page.locator("main").inner_text()
        )
        if told is None:
            return _choose(page)
        point = 3 + int(told[1]) - line
        for group in page.locator("fieldset").all():
            options = group.locator("label")
            place = 1 if "you are reading" in group.inner_text() else point
            options.nth(min(max(place, 0), options.count() - 1)).click()
        return None

    return choose


def chooser(worth):
    """Somebody to whom a miss is as bad as this many false alarms."""

    def choose(page):
        cards = page.locator(".card desc").all()
        said = [card.text_content() for card in cards]
        sides = [
            [int(count.replace(",", "")) for count in re.findall(r": ([\d,]+)", text)[:4]]
            for text in said
        ]
        buttons = page.locator("button[name$=choice]")
        if len(sides) != 2 or not buttons.count():
            return _choose(page)
        costs = [worth * misses + alarms for _, misses, alarms, _ in sides]
        return buttons.nth(int(costs[1] < costs[0]))

    return choose


def _people_come(chromium, server, page, slug, people, code):
    """Three people finish; the live page, opened before anybody came, follows by itself."""
    assert page.locator("#counts").get_by_text("Nobody has begun yet").first.is_visible()
    for choose in people:
        assert code in steps.take_part(chromium, server, slug, choose=choose)
    page.locator("#counts dl div").first.get_by_text("3", exact=True).wait_for()
    assert _finished(page) == 3
    assert page.locator("#counts tbody tr").count() > 4


def _finished(page):
    label, count = page.locator("#counts dl div").first.inner_text().split()
    assert label == "finished"
    return int(count)


def _fit(page, server, slug):
    page.goto(f"{server.home}/studies/{slug}/results")
    _press(page, page.get_by_role("button", name="Fit now"))
    assert page.get_by_role("progressbar").is_visible()
    page.locator(".story").wait_for(timeout=FIT_SECONDS)
    return page.locator(".story").text_content()


def _results(page, server, slug):
    page.goto(f"{server.home}/studies/{slug}/results")
    return page.locator("main").inner_text()


def _see_pictures(page, least):
    pictures = page.locator(".plot img:visible").all()
    assert len(pictures) >= least
    for picture in pictures:
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("each => each.decode().then(() => each.naturalWidth > 100)")


def _download(page, server, slug):
    """Save everything as CSV; return its tables as rows."""
    page.goto(f"{server.home}/studies/{slug}/data")
    with page.expect_download() as begun:
        page.get_by_role("link", name="ZIP of CSV").click()
    with zipfile.ZipFile(Path(begun.value.path())) as files:
        return {
            name: list(csv.DictReader(io.StringIO(files.read(name).decode("utf-8-sig"))))
            for name in files.namelist()
            if name.endswith(".csv")
        }


def _erase(page, server, slug, who):
    page.goto(f"{server.home}/studies/{slug}/data")
    page.get_by_label("Number in the data").fill(who)
    page.get_by_label("I know that this cannot be undone").check()
    _press(page, page.get_by_role("button", name="Erase this participant"))
    assert "is erased" in page.locator("[role=status]").inner_text()
    page.get_by_role("link", name="history").first.click()
    line = page.locator("tbody tr").first.inner_text()
    assert "erased a participant" in line
    assert re.findall(r"\d+", line.partition("participant")[2]) == ["1"]  # how many, not who
    page.goto(f"{server.home}/studies/{slug}")
    assert _finished(page) == 2


def test_a_survey_from_its_template_to_an_erased_participant(chromium, server, page):
    steps.make_study(page, server, "survey", "door-bell", "The door bell")
    steps.field(page, "consent.contact").fill("Grace Hopper, Room 7")
    page.locator("#glance").get_by_text("Grace Hopper, Room 7").wait_for()
    steps.save_fields(page, title="Who rings?")
    page.goto(f"{server.home}/studies/door-bell/edit/task")
    page.get_by_role("link", name="2. Alarm (police)").click()
    _press(page, page.get_by_role("button", name="Remove: Applications 2. Alarm (police)"))
    steps.save_fields(page, survey__per_application="6")
    page.goto(f"{server.home}/studies/door-bell/preview")
    assert page.get_by_text("Grace Hopper, Room 7").is_visible()
    steps.publish_and_open(page, server, "door-bell")
    people = [judge(line) for line in (5, 7, 9)]
    _people_come(chromium, server, page, "door-bell", people, "ALARM-8831")

    answer = _fit(page, server, "door-bell")
    assert "Alarm (text message): to be accepted by half of people" in answer
    assert "3 people, 18 judgements" in page.locator("main").inner_text()
    _see_pictures(page, least=2)

    tables = _download(page, server, "door-bell")
    everyone = [row["participant"] for row in tables["participants.csv"]]
    assert len(set(everyone)) == len(everyone) == 3
    assert [row["status"] for row in tables["participants.csv"]] == ["complete"] * 3
    rows = tables["answers.csv"]
    assert Counter(row["participant"] for row in rows) == dict.fromkeys(everyone, 6)
    assert {row["application"] for row in rows} == {"alarm_text"}
    # Who wants more accepts less: the three drew their lines at 5, 7 and 9 of ten.
    means = [fmean(int(r["acceptable"]) for r in rows if r["participant"] == who)
             for who in everyone]  # fmt: skip
    assert means == sorted(means, reverse=True)

    _erase(page, server, "door-bell", everyone[0])
    assert "No result yet" in _results(page, server, "door-bell")  # it was made with all three
    assert {row["participant"] for row in _download(page, server, "door-bell")["answers.csv"]} == (
        set(everyone[1:])
    )
    _fit(page, server, "door-bell")
    assert "2 people, 12 judgements" in page.locator("main").inner_text()


@pytest.mark.slow  # its steps one by one: builder, pairs of `test_journeys`, fit of `test_results`
def test_a_comparison_from_its_template_to_an_erased_participant(chromium, server, page):
    steps.make_study(page, server, "comparison", "which-one", "Which one?")
    page.goto(f"{server.home}/studies/which-one/edit/task")
    steps.field(page, "comparison.task").fill("Two systems look at the same letters.")
    page.locator("#glance").get_by_text("Two systems look at the same letters.").wait_for()
    steps.save_fields(page, comparison__queries="6", comparison__checks="1",
                      comparison__repeats="0", comparison__evaluation="1")  # fmt: skip
    steps.publish_and_open(page, server, "which-one")
    people = [chooser(worth) for worth in (1, 4, 12)]
    _people_come(chromium, server, page, "which-one", people, "PAIR-1007")

    answer = _fit(page, server, "which-one")
    assert "On average over 3 people" in answer
    _see_pictures(page, least=1)
    tables = _download(page, server, "which-one")
    everyone = [row["participant"] for row in tables["participants.csv"]]
    assert len(set(everyone)) == len(everyone) == 3
    assert set(Counter(row["participant"] for row in tables["answers.csv"])) == set(everyone)
    _erase(page, server, "which-one", everyone[0])
    assert "No result yet" in _results(page, server, "which-one")
    assert "On average over 2 people" in _fit(page, server, "which-one")
