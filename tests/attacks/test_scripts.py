"""Scripts in texts: whatever is typed anywhere comes out as text everywhere.

Every field of every form and every part of every address is filled with marks that a browser would
take for an element, an attribute, a script or an address to run, if anything forgot to escape them.
"""

import json
import re
from datetime import UTC, datetime

import pytest
from tests.attacks.surface import Page, filled, forms, routes, sent_with
from tests.flow.hosting.conftest import SURVEY
from tests.web.test_studies import edit, make

from howgood.flow.survey_export.offline import offline_page
from howgood.flow.survey_export.source import StudySource
from howgood.kinds.study import Study
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.page import to_html

ATTACK = "\"'><x-attack onfocus=evil><script>evil</script></script>--></textarea>{{7*191}}"
PARTS = ("x\"'><x-attack onfocus=evil>", "javascript:evil", "<script>evil</script>")
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" onload="evil()"><script>evil()</script>'
    b'<foreignObject><iframe src="javascript:evil()"/></foreignObject></svg>'
)


def is_harmless(text):
    """Read a page as a browser does, and look for anything that would run."""
    for tag, attributes in Page(text).elements:
        assert tag != "x-attack"
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        for name in ("href", "src", "action", "formaction", "data", "xlink:href"):
            assert not (attributes.get(name) or "").strip().lower().startswith("javascript:")
    assert not re.search(r"<script[^>]*>[^<]*evil", text, re.IGNORECASE)
    assert "1337" not in text


def _is_page(answer):
    is_file = "attachment" in answer.headers.get("content-disposition", "")
    return "text/html" in answer.headers.get("content-type", "") and not is_file


def test_the_search_finds_what_it_should():
    for bad in ("<x-attack>", "<p onfocus=evil>", "<a href='javascript:evil'>x</a>",
                "<script>evil</script>"):  # fmt: skip
        with pytest.raises(AssertionError):
            is_harmless(bad)


def test_an_attack_in_every_field_of_every_form_comes_out_as_text(owner):
    found, repeated = list(forms(owner)), 0
    assert len(found) > 15
    # Signing out and deleting come last, or the rest would not be reached.
    found.sort(key=lambda each: ("logout" in each["action"], "delete" in each["action"]))
    for form in found:
        answer = sent_with(owner, form, ATTACK)
        assert answer.status_code < 500, form["action"]
        assert _is_page(answer), form["action"]
        is_harmless(answer.text)
        repeated += "x-attack" in answer.text
    assert repeated > 5  # it was not merely dropped
    for method, path in routes(owner.app):
        if method == "GET" and _is_page(answer := owner.get(filled(path))):
            is_harmless(answer.text)


@pytest.mark.parametrize("part", PARTS)
def test_an_attack_in_every_part_of_every_address_comes_out_as_text(owner, part):
    numbers = ("number", "place", "version")
    for method, path in routes(owner.app):
        if method != "GET":
            continue
        for name in re.findall(r"\{(\w+)", path):
            if name not in numbers:
                answer = owner.get(filled(path, **{name: part}))
                assert answer.status_code < 500, path
                is_harmless(answer.text)
        query = dict.fromkeys(("next", "page", "condition", "done", "saved", "table", "pilots",
                               "card", "matrix", "precision", "recall", "accuracy", "truth",
                               "PROLIFIC_PID"), part)  # fmt: skip
        answer = owner.get(filled(path), params=query)
        assert answer.status_code < 500, path
        is_harmless(answer.text)


def test_an_attack_in_a_head_comes_out_as_text(browser):
    for name in ("Host", "Accept-Language", "Referer", "User-Agent", "Range", "Cookie", "Origin"):
        value = f"howgood-session={PARTS[0]}" if name == "Cookie" else PARTS[0]
        for path in ("/login", "/nowhere", "/s/songs", "/s/none", "/p/none", "/library/none",
                     "/api/v1/none", "/api/v1/studies", "/static/none"):  # fmt: skip
            answer = browser.get(path, headers={name: value})
            assert answer.status_code < 500
            is_harmless(answer.text)


def test_what_participants_write_comes_out_as_text_in_the_dashboard(owner, host):
    page = owner.get("/s/songs", params={"PROLIFIC_PID": PARTS[0]})
    is_harmless(page.text)
    for form in Page(page.text).forms:
        form["action"] = form["action"] or "/s/songs"
        data = form["fields"] | {"consent": "yes"}
        begun = owner.post(form["action"], data=data)
        is_harmless(begun.text)
        is_harmless(sent_with(owner, Page(begun.text).forms[0], ATTACK).text)
    for path in ("", "/counts", "/data", "/results"):
        is_harmless(owner.get(f"/studies/songs{path}").text)


def test_the_api_answers_no_page(owner):
    for method, path in routes(owner.app):
        if path.startswith("/api/v1"):
            answer = owner.request(method, filled(path, slug=PARTS[0]))
            # A browser that asks before it sends gets no body at all.
            is_empty = method == "OPTIONS" and not answer.content
            assert is_empty or "json" in answer.headers["content-type"], path


def test_a_report_is_harmless_where_no_policy_protects_it():
    texts = dict.fromkeys(("title", "text", "alt"), ATTACK)
    report = Report(
        title=ATTACK, question=ATTACK, findings=(Finding(text=ATTACK, tone="good"),),
        sections=(Section(**texts, svg="<svg/>", table=Table({ATTACK: [ATTACK]})),),
        cautions=(ATTACK,), methods=ATTACK,
        provenance=Provenance(method=ATTACK, settings={ATTACK: ATTACK}),
    )  # fmt: skip
    page = to_html(report)
    assert page.count("x-attack") >= 10
    is_harmless(page.replace("{{7*191}}", ""))


def test_the_offline_page_is_harmless_where_no_policy_protects_it():
    text = json.dumps(SURVEY).replace("It rings.", "It rings. </script><x-attack>")
    study = Study.from_dict(json.loads(text) | {"title": ATTACK})
    page = offline_page(StudySource(study=study, picture=lambda _: None)).decode()
    body = page.partition("<script")[0]
    is_harmless(body)
    assert "</script><x-attack" not in page


@pytest.mark.parametrize("name", ["bell.svg", "bell.png"])
def test_a_picture_that_holds_a_script_runs_nothing(owner, host, browser, name):
    make(owner, "rerating")
    part = owner.get("/studies/new-alarm/edit/task").text
    field = re.search(r'type="file"[^>]*name="([^"]+)"|name="([^"]+)"[^>]*type="file"', part)
    edit(owner, "task", files={field[1] or field[2]: (name, SVG)})
    shown = [path for tag, given in Page(owner.get("/studies/new-alarm/edit/task").text).elements
             if tag == "img" and "/picture/" in (path := given.get("src", ""))]  # fmt: skip
    for path in shown:
        _runs_nothing(owner.get(path))
    assert shown or name.endswith(".png")


def _runs_nothing(picture):
    assert picture.headers["content-type"].startswith("image/")
    assert picture.headers["x-content-type-options"] == "nosniff"
    policy = picture.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script" not in policy


def test_a_published_picture_that_holds_a_script_runs_nothing(browser, host, tmp_path):
    from howgood.flow.hosting import add_study
    from howgood.flow.study_files.attached_files import filled_from_files

    (tmp_path / "bell.svg").write_bytes(SVG)
    task = SURVEY["survey"]
    picture = {"file": "bell.svg", "alternative": "A bell"}
    shown = [each | {"picture": picture} for each in task["applications"]]
    data = SURVEY | {"slug": "shown", "survey": task | {"applications": shown}}
    study = Study.from_dict(filled_from_files(data, folder=tmp_path, problems=[]).data)
    row = add_study(host, study, folder=tmp_path, now=datetime.now(UTC))
    for head in ({}, {"Range": "bytes=0-20"}):
        _runs_nothing(browser.get(f"/media/{row.version}/bell.svg", headers=head))
