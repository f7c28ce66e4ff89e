"""A study that changed while it ran: a table is read by what each person was asked."""

from datetime import timedelta

import pytest
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY
from tests.flow.importing.test_recognised import _everything, _export
from tests.flow.importing.test_tables import GOOD, HEADER, _csv, _import
from tests.journeys.conftest import comparison

from howgood.errors import ManyProblemsError
from howgood.flow.collected import tidy_rows

LATER = NOW + timedelta(days=1)
BELL_ONLY = [{"key": "a", "applications": ["bell"]}]


def _with(plan, kind="survey", study=SURVEY):
    return {**study, kind: {**study[kind], **plan}}


# Scenarios of other levels, more of them (their numbers move), another item, fewer applications.
CHANGED = [
    (SURVEY, _with({"precision": [0.75, 1], "recall": [0.75, 1]})),
    (SURVEY, _with({"precision": [0.25, 0.5, 1], "recall": [0.25, 0.5, 1]})),
    (SURVEY, _with({"applications": SURVEY["survey"]["applications"][:1], "branches": BELL_ONLY})),
    (SURVEY, _with({"items": [{"key": "trust", "text": "I would trust it."}]})),
    (RERATING, _with({"scale": ["bad", "good"]}, "rerating", RERATING)),
    (
        RERATING,
        _with(
            {"items": [{"key": "x", "text": "First"}, {"key": "z", "text": "Third"}]},
            "rerating",
            RERATING,
        ),
    ),
]


NAMES = ["levels", "numbers", "applications", "items", "scale", "rated"]


@pytest.mark.parametrize(("old", "new"), CHANGED, ids=NAMES)
@pytest.mark.parametrize("goes_on", [True, False], ids=["both", "old only"])
def test_the_export_of_a_study_that_changed_adds_nobody(run, host, person, old, new, goes_on):
    slug = old["slug"]
    run(old)
    for seed in range(4):
        someone = person(slug, seed=seed)
        someone.begin()
        someone.finish()
    run(new, now=LATER)
    for seed in range(4, 8 if goes_on else 4):
        someone = person(slug, seed=seed, now=LATER)
        someone.begin()
        someone.finish()
    before = _everything(host, slug)
    report = _import(host, _export(host, slug), slug=slug)
    assert (report.people, report.answers, report.differing) == (0, 0, ())
    assert report.answers_here == len(before["answers"])
    assert report.people_here == (8 if goes_on else 4)
    assert _everything(host, slug) == before


def test_somebody_new_may_have_answered_an_older_version(run, host):
    run(SURVEY)
    run(CHANGED[0][1], now=LATER)
    old = ["r1", "bell", "0.5", "1", "5", "4", "3"]
    new = ["r2", "bell", "0.75", "1", "6", "4", "3"]
    assert _import(host, _csv(old, new)).people == 2
    rows = {row["rating"]: row["desired_precision"] for row in tidy_rows(host, "doors")}
    assert rows == {5: 0.5, 6: 0.75}
    versions = {row["version"] for row in tidy_rows(host, "doors", table="participants")}
    assert len(versions) == 2


def test_what_no_version_asked_is_refused_with_its_line(run, host):
    run(SURVEY)
    run(CHANGED[0][1], now=LATER)
    good = ["r1", "bell", "0.5", "1", "5", "4", "3"]
    bad = ["r2", "bell", "0.6", "1", "5", "4", "3"]
    with pytest.raises(ManyProblemsError) as refused:
        _import(host, _csv(good, bad, header=HEADER))
    assert [problem.line for problem in refused.value.problems] == [3]
    assert list(tidy_rows(host, "doors")) == []


def test_a_version_of_another_kind_does_not_keep_a_table_out(run, host):
    run(comparison(slug="doors"))
    run(SURVEY, now=LATER)
    assert _import(host, GOOD).people == 2
