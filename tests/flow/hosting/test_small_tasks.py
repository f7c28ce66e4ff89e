"""Mechanical Turk: one scenario is one small task, and the next task of a worker is another one."""

import pytest
from tests.flow.hosting.conftest import NOW, SURVEY, alone

from howgood.flow import hosting
from howgood.flow.collected.rows import tidy_rows
from howgood.flow.hosting import Reason, RefusedError, Visitor, add_study, filled_form
from howgood.flow.participate import fill
from howgood.kinds.study import Study

TASK = {**SURVEY, "slug": "small", "recruitment": "mturk",
        "completion": {"code": "DONE"}, "endings": {"full": {"text": "All done, thank you."}},
        "survey": {**SURVEY["survey"], "micro_task": True, "branches": [],
                   "applications": SURVEY["survey"]["applications"][:1]}}  # fmt: skip
TASK["survey"].pop("per_application")


@pytest.fixture
def small(host, tmp_path):
    add_study(host, Study.from_dict(TASK), folder=tmp_path, now=NOW)
    return host


def visitor(worker, assignment):
    return Visitor(parameters={"workerId": worker, "assignmentId": assignment, "hitId": "h",
                               "turkSubmitTo": "https://workersandbox.mturk.com"})  # fmt: skip


def do_task(host, worker, assignment):
    """Do one task from the link to the end; return the keys of its pages and the last view."""
    who = visitor(worker, assignment)
    arrival = alone(hosting.arrive(host, "small", who, now=NOW))
    view, token, seen = arrival.view, arrival.token, []
    if view is not None:
        form = filled_form(view.screen, fill(view.screen, seed=1)) | {
            "screen": view.screen.key, "signature": view.signature, "visit": view.visit,
        }  # fmt: skip
        token = alone(hosting.begin(host, "small", who, form=form, now=NOW)).token
    while not (view := alone(hosting.look(host, token, now=NOW))).screen.is_last:
        seen.append(view.screen.key)
        form = filled_form(view.screen, fill(view.screen, seed=1)) | {
            "screen": view.screen.key, "signature": view.signature,
        }  # fmt: skip
        alone(hosting.send(host, token, form=form, now=NOW))
    return seen, view


def test_every_further_task_of_a_worker_is_another_scenario_until_all_are_done(small):
    shown = [do_task(small, "W1", f"A{number}")[0] for number in range(4)]
    assert [len(pages) for pages in shown] == [1, 1, 1, 1]
    assert len({pages[0] for pages in shown}) == 4
    with pytest.raises(RefusedError) as refused:
        alone(hosting.arrive(small, "small", visitor("W1", "A9"), now=NOW))
    assert refused.value.reason is Reason.FULL
    rows = list(tidy_rows(small, "small", table="participants", identified=True))
    assert [row["external_id"] for row in rows] == [f"W1/A{number}" for number in range(4)]
    assert len(list(tidy_rows(small, "small"))) == 4


def test_the_same_task_again_is_the_same_participation(small):
    do_task(small, "W1", "A1")
    assert do_task(small, "W1", "A1")[0] == []
    assert len(list(tidy_rows(small, "small", table="participants"))) == 1


def test_a_worker_whose_id_begins_like_another_is_another(small):
    for number in range(4):
        do_task(small, "W1", f"A{number}")
    assert len(do_task(small, "W1_", "B1")[0]) == 1
    assert len(do_task(small, "W11", "B2")[0]) == 1


def test_the_task_goes_back_to_the_platform_named_in_the_link(small):
    _, view = do_task(small, "W1", "A1")
    assert view.origin["submit"] == "https://workersandbox.mturk.com"
    other = Visitor(parameters={"workerId": "W2", "assignmentId": "A2",
                                "turkSubmitTo": "https://evil.example"})  # fmt: skip
    arrival = alone(hosting.arrive(small, "small", other, now=NOW))
    assert "submit" not in arrival.view.origin
