"""Studies of votes, failures and criteria that mean harm, and people in them who do."""

import csv
import io
import json
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest
from starlette.testclient import TestClient
from tests.attacks.surface import Page, content
from tests.attacks.test_scripts import is_harmless
from tests.web.conftest import hidden_fields

from howgood.flow.collected import data_file
from howgood.flow.hosting import add_study
from howgood.flow.results.tasks import run_task
from howgood.flow.study_files.new import template
from howgood.flow.survey_export.offline import offline_page
from howgood.flow.survey_export.source import StudySource
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.show.page import to_html
from howgood.web.app import make_app

KINDS = ("votes", "failures", "criteria")
# Without braces: texts of failures hold fields of their own.
ATTACK = "\"'><x-attack onfocus=evil></title><script>evil</script>-->&lt;"
FORMULAS = ("=cmd|'/C calc'!A0", "@SUM(1)")
_TEXTS = {"title", "text", "task", "question", "name", "description", "introduction", "contact",
          "unit"}  # fmt: skip
_DEFUSED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝")


def _with(value, wrong, key=""):
    """Return a study file with something wrong in front of every text that somebody wrote."""
    if isinstance(value, dict):
        return {name: _with(each, wrong, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_with(each, wrong, key) for each in value]
    return wrong + value if key in _TEXTS and isinstance(value, str) else value


def _study(kind, wrong=""):
    """Return the study that `howgood new` writes, small, with something wrong in its texts."""
    data = tomllib.loads(template(kind)) | {"slug": kind}
    if kind == "votes":
        data["votes"] |= {"votes": 6, "reason": True}
        for output in data["votes"]["outputs"]:
            output["system"] = wrong + output["system"]
    if kind == "criteria":
        data["criteria"] |= {"queries": 6, "evaluation": 1, "checks": 1}
    return Study.from_dict(_with(data, wrong))


def _added(host, kind, wrong=""):
    return add_study(host, _study(kind, wrong), folder=Path(), now=datetime.now(UTC))


def _filled(page, said):
    """Return what somebody sends from a page who writes the same words wherever they can."""
    form, radios = {}, {}
    for tag, given in Page(page.text).elements:
        name, kind = given.get("name"), given.get("type", tag)
        if not name or tag not in ("input", "textarea", "button"):
            continue
        if given.get("value") in ("no", "undo"):
            continue
        if kind == "radio":
            radios.setdefault(name, given["value"])
        elif kind == "checkbox":
            form[name] = given.get("value", "on")
        elif kind in ("text", "textarea"):
            form[name] = said
        elif tag == "button":
            radios.setdefault(name, given.get("value", ""))
        else:
            form[name] = given.get("value", "")
    return form | radios


def _walk(browser, slug, said="words"):
    """Go through a study; yield every page, the last too."""
    browser.cookies.clear()
    page = browser.get(f"/s/{slug}")
    for _ in range(80):
        yield page
        if 'value="finished"' in page.text or "<form" not in page.text:
            return
        sent = browser.post(page.url.path, data=_filled(page, said))
        assert sent.status_code == 200, (page.url.path, _filled(page, said))
        page = sent
    raise AssertionError("no end")


@pytest.mark.parametrize("kind", KINDS)
def test_an_attack_in_every_text_of_a_study_comes_out_as_text(host, owner, browser, kind):
    row = _added(host, kind, ATTACK)
    seen = 0
    for page in _walk(browser, kind, said=ATTACK):
        is_harmless(page.text)
        seen += "x-attack" in page.text
    assert seen > 5  # it was not merely dropped
    for path in ("", "/counts", "/data", "/people", "/people/1", "/results", "/edit", "/preview",
                 "/edit/task", "/edit/texts", "/versions", "/share", "/notices"):  # fmt: skip
        page = owner.get(f"/studies/{kind}{path}")
        assert page.status_code < 500
        is_harmless(page.text)
    study = host.study(row.version)
    page = offline_page(StudySource(study=study, picture=lambda _: None)).decode()
    is_harmless(page.partition("<script")[0])
    assert "</script><x-attack" not in page


@pytest.mark.filterwarnings("ignore::howgood.errors.HowgoodWarning")
@pytest.mark.parametrize(
    "kind", ["votes", *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS[1:])]
)
def test_an_attack_in_every_text_of_a_study_is_text_in_its_report(host, browser, kind):
    row = _added(host, kind, ATTACK)
    for _ in range(4):
        for _ in _walk(browser, kind, said=ATTACK):
            pass
    result = run_task(host, row.number, "fit", {"seed": 1})
    # Without the numbers of its pictures, among which any may be found.
    is_harmless(re.sub(r' d="[^"]*"', "", to_html(result.report)))


def _cells(text):
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def _bytes(host, slug, **how):
    return b"".join(data_file(host, slug, **how).pieces)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("formula", FORMULAS)
def test_no_text_of_a_study_or_person_is_a_formula_in_what_is_taken_out(
    host, owner, browser, kind, formula
):
    _added(host, kind, formula)
    for _ in _walk(browser, kind, said=formula):
        pass
    held = 0
    for table in ("answers", "participants", "screens"):
        cells = _cells(_bytes(host, kind, kind="csv", table=table).decode())
        held += sum(formula.strip() in cell for cell in cells)
        # A number may be less than zero; a text never begins like one.
        assert not [cell for cell in cells if cell.startswith(_DEFUSED) and not _is_number(cell)]
        book = openpyxl.load_workbook(io.BytesIO(_bytes(host, kind, kind="xlsx", table=table)))
        types = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
        assert "f" not in types
    assert held or kind != "votes"
    people = owner.get(f"/studies/{kind}/people/export")
    if people.status_code == 200:
        assert not [cell for cell in _cells(people.text) if cell.startswith(_DEFUSED)]


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()


def test_preferences_are_lines_of_json_whatever_people_write(host, browser):
    _added(host, "votes", ATTACK)
    for _ in _walk(browser, "votes", said="a\r\nb\u2028c\x85d"):
        pass
    lines = _bytes(host, "votes", kind="preferences").decode().split("\n")[:-1]
    assert lines
    assert all({"chosen", "rejected"} <= json.loads(line).keys() for line in lines)


# Answers that nobody was asked for, or that come twice.


def _task(browser, kind):
    """Walk to the first page of a task; return it and the form that would be sent from it."""
    for page in _walk(browser, kind):
        form = _filled(page, "words")
        if re.match(r"(vote|compare|scenario)", form.get("screen", "")):
            return page, form
    raise AssertionError("no task")


def _stored(host):
    return content(host)["answers"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_asked_about_is_never_taken_from_the_browser(host, browser, kind):
    """The record of what was shown is the screen's, whatever a changed page sends."""
    _added(host, kind)
    page, form = _task(browser, kind)
    shown = [name for name in form if name.startswith(f"{form['screen']}.")]
    extra = {f"{form['screen']}.{name}": '["boil", "mine", "other", 0]'
             for name in ("pair", "first", "second", "scenario", "counts", "kind")}  # fmt: skip
    changed = form | {name: extra[name] for name in extra if name not in shown or "pair" in name}
    sent = browser.post(page.url.path, data=changed)
    assert sent.status_code < 500
    assert "mine" not in str([row.content for row in _stored(host)])


@pytest.mark.parametrize("kind", KINDS)
def test_odd_values_in_a_task_are_refused_or_left_out(host, browser, kind):
    _added(host, kind)
    page, form = _task(browser, kind)
    n_before = len(_stored(host))
    own = [name for name in form if name.startswith(f"{form['screen']}.")]
    for odd in ("", "9" * 5000, "\u202e", "__proto__", "[]", "left,right", "NaN", "-1", "1e9"):
        sent = browser.post(page.url.path, data=form | dict.fromkeys(own, odd))
        assert sent.status_code in (200, 422)
        assert len(_stored(host)) == n_before, odd


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_that_is_sent_twice_from_two_tabs_is_stored_once(host, browser, kind):
    _added(host, kind)
    page, form = _task(browser, kind)
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as other:
        other.cookies = browser.cookies
        before = {row.screen for row in _stored(host)}
        tabs = (browser, other, browser)
        sent = [each.post(page.url.path, data=form, follow_redirects=False) for each in tabs]
    assert {each.status_code for each in sent} == {303}
    new = [row for row in _stored(host) if row.screen not in before]
    assert [row.screen for row in new] == [form["screen"]]


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_tab_with_another_answer_does_not_replace_the_first(host, browser, kind):
    _added(host, kind)
    page, form = _task(browser, kind)
    browser.post(page.url.path, data=form, follow_redirects=False)
    first = {row.screen: row.content for row in _stored(host)}
    others = _others(page)
    assert others
    for other in others:
        browser.post(page.url.path, data=form | other, follow_redirects=False)
    assert {row.screen: row.content for row in _stored(host)} == first


def _others(page):
    """Return every button and choice of a page as what somebody else may have said."""
    return [
        {given["name"]: given["value"]}
        for tag, given in Page(page.text).elements
        if (tag == "button" or given.get("type") == "radio")
        and given.get("name")
        and given.get("value")
    ]


def test_one_persons_page_of_votes_is_no_place_for_anothers_answers(host, browser):
    """A form that was signed for one place is refused at another."""
    _added(host, "votes")
    page, form = _task(browser, "votes")
    second, own = _task(browser, "votes")
    assert page.url.path != second.url.path
    n_before = len(_stored(host))
    assert browser.post(second.url.path, data=form).status_code in (200, 403)
    assert len(_stored(host)) == n_before
    assert hidden_fields(second)["signature"] == own["signature"] != form["signature"]
