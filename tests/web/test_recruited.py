"""Recruiting ends well: frames of named sites only, tasks handed back, failed checks."""

from datetime import UTC, datetime

import pytest
from tests.flow.hosting.conftest import SURVEY
from tests.flow.hosting.test_small_tasks import TASK
from tests.web.conftest import hidden_fields

from howgood.errors import InputError
from howgood.flow.hosting import add_study
from howgood.kinds.study import Study

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
MTURK = "https://www.mturk.com"
LINK = "/s/small?workerId=W1&assignmentId=A1&hitId=h&turkSubmitTo=https%3A%2F%2Fwww.mturk.com"


@pytest.fixture
def framed(host, tmp_path):
    add_study(host, Study.from_dict({**TASK, "framed_by": [MTURK]}), folder=tmp_path, now=NOW)
    return host


def _policy(response):
    return response.headers["content-security-policy"]


def _walk(browser, page, **given):
    """Answer every page with the first choice, or as given, to the last one."""
    form = hidden_fields(page) | {"consent.consent": "yes"}
    page = browser.post(str(page.url), data=form)
    while "Continue</button>" in page.text:
        form = hidden_fields(page)
        names = set(page.text.split('type="radio" name="')[1:])
        for name in {text.partition('"')[0] for text in names}:
            form[name] = given.get(name.rpartition(".")[2], "1")
        page = browser.post(str(page.url), data=form)
    return page


def test_only_named_sites_may_frame_every_page_of_the_study(browser, framed):
    start = browser.get(LINK)
    assert f"frame-ancestors {MTURK}" in _policy(start)
    assert "x-frame-options" not in start.headers
    preview = browser.get("/s/small?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h")
    assert f"frame-ancestors {MTURK}" in _policy(preview)
    other = browser.get("/s/doors")
    assert "frame-ancestors 'none'" in _policy(other)
    assert other.headers["x-frame-options"] == "DENY"
    assert browser.get("/login").headers["x-frame-options"] == "DENY"


def test_a_finished_task_is_handed_back_by_a_form(browser, framed):
    last = _walk(browser, browser.get(LINK))
    assert f'action="{MTURK}/mturk/externalSubmit"' in last.text
    assert 'name="assignmentId" value="A1"' in last.text
    assert 'name="code" value="DONE"' in last.text
    assert f"form-action 'self' {MTURK}" in _policy(last)


def test_a_site_is_named_without_a_path_and_encrypted():
    for wrong in ("http://www.mturk.com", "https://a.example/x", "*", "https://*", "a; script-src"):
        with pytest.raises(InputError, match="framed_by"):
            Study.from_dict({**SURVEY, "framed_by": [wrong]})


def test_who_fails_a_check_ends_with_the_code_and_address_of_that_ending(browser, host, tmp_path):
    study = {
        **SURVEY, "slug": "checked", "recruitment": "prolific",
        "completion": {"code": "GOOD", "redirect": "https://p.example/c?cc={code}"},
        "endings": {"failed_checks": {"text": "You missed a check.", "code": "BAD",
                                      "redirect": "https://p.example/c?cc={code}"}},
        "survey": {**SURVEY["survey"],
                   "attention": [{"key": "care", "text": "Choose 2.", "answer": 2}]},
    }  # fmt: skip
    add_study(host, Study.from_dict(study), folder=tmp_path, now=NOW)
    failed = _walk(browser, browser.get("/s/checked?PROLIFIC_PID=P1"))
    assert "You missed a check." in failed.text
    assert 'href="https://p.example/c?cc=BAD"' in failed.text
    passed = _walk(browser, browser.get("/s/checked?PROLIFIC_PID=P2"), **{"attention-care": "2"})
    assert "missed a check" not in passed.text
    assert 'href="https://p.example/c?cc=GOOD"' in passed.text
