"""A study of failures from its file to its result, with people whose weights are known."""

import csv
import io
import warnings
from datetime import UTC, datetime

import numpy as np
import pytest

from howgood import ask, learn
from howgood.errors import FewRespondentsWarning, NoEvidenceWarning
from howgood.flow.collected import codebook, tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.flow.importing import import_files
from howgood.flow.participate import answers_as_rows, take_part
from howgood.flow.participate.bot import fill
from howgood.flow.results.tasks import run_task
from howgood.flow.study_files import check_study, new_study, read_study
from howgood.kinds.failures.screens import bullets, counts_of, scenarios_of
from howgood.show.failures import failure_headline

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WEIGHTS = {"wrong": 0.2, "invented": 1.0, "refused": 0.3}


@pytest.fixture
def file(tmp_path):
    return new_study("failures", tmp_path / "failures.toml")


def test_the_template_is_ready_to_run(file):
    assert not check_study(file).problems
    study = read_study(file)
    assert [kind.key for kind in study.plan.kinds] == list(WEIGHTS)


def test_a_person_sees_counts_in_words_and_the_rows_say_what_was_shown(file):
    study = read_study(file)
    screens, participation = take_part(study, seed=5, now=NOW)
    tasks = [screen for screen in screens if screen.kind == "task"]
    assert len(tasks) == 8
    for screen, row in zip(tasks, answers_as_rows(study, participation), strict=True):
        scenario = counts_of(study.plan, screen.key)
        assert {kind: row[kind] for kind in WEIGHTS} == dict(scenario.counts)
        assert row["right"] == scenario.right
        lines = ["".join(w.text for w in entry.words) for entry in screen.blocks[-1].entries]
        assert sum(int(line.split()[0]) for line in lines) == 20
    assert set(row) <= set(codebook(study).names("answers"))


def test_one_and_many_are_said_right(file):
    study = read_study(file)
    plan = study.plan
    shown = bullets(study, plan, counts_of(plan, "scenario-1-1-0-2"))
    said = ["".join(w.text for w in entry.words) for entry in shown.entries]
    assert said == [
        "17 were right.",
        "1 was wrong, but easy to spot.",
        "2 were not given: the assistant refused to answer.",
    ]
    assert counts_of(plan, "scenario-1-1-0") is None
    assert counts_of(plan, "about") is None


def test_scenarios_are_the_same_for_the_same_person_only(file):
    plan = read_study(file).plan
    assert scenarios_of(plan, 3) == scenarios_of(plan, 3) != scenarios_of(plan, 4)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('key = "wrong"', 'key = "rating"', "no column of the data"),
        ("out_of = 20", "out_of = 20\nlevels = [3]", "two different counts"),
        ("per_person = 8", "per_person = 9", "8"),
    ],
)
def test_what_cannot_work_is_said_with_its_line(file, old, new, said):
    file.write_text(file.read_text().replace(old, new, 1))
    problems = check_study(file).problems
    assert any(said in str(problem) for problem in problems), problems


def _table(study, people):
    """Answers of people with known weights, in a table as other programs write it."""
    rng, out = np.random.default_rng(2), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["participant", *WEIGHTS, "rating"])
    for person in range(people):
        leniency = rng.normal(0, 1.5)
        for scenario in scenarios_of(study.plan, person):
            lost = sum(WEIGHTS[kind] * n for kind, n in scenario.counts.items())
            accepts = rng.random() < 1 / (1 + np.exp(-(3 - lost + leniency)))
            writer.writerow([f"p{person}", *scenario.counts.values(), 6 if accepts else 2])
    return out.getvalue().encode()


def test_it_is_answered_imported_and_fitted(file, tmp_path):
    host = open_host(f"sqlite:///{tmp_path / 'failures.db'}")
    try:
        study = read_study(file)
        add_study(host, study, folder=tmp_path, now=NOW)
        slug = study.slug
        assert not run_task(host, 1, "fit", {}).is_enough
        import_files(host, slug, [("a.csv", _table(study, 30))], mapping={}, actor="me", now=NOW)
        rows = list(tidy_rows(host, slug))
        assert len(rows) == 30 * 8
        made = run_task(host, 1, "fit", {})
        assert made.is_enough
        assert made.people == 30
        words = " ".join(finding.text for finding in made.report.findings)
        assert "people tolerate: " in words
        assert "'invented' weighs as much as" in words
        (headline,) = made.report.headlines
        assert headline.more[0].startswith("invented weighs most")
        assert headline.more[-1] in words
        assert headline.share[0] < headline.share[1] < headline.share[2]
        assert f"{100 * headline.share[1]:.0f} % of people would accept it" in headline.text
    finally:
        host.close()


def test_answers_that_all_refuse_are_no_result(file, tmp_path):
    host = open_host(f"sqlite:///{tmp_path / 'failures.db'}")
    try:
        study = read_study(file)
        add_study(host, study, folder=tmp_path, now=NOW)
        head, *lines = _table(study, 12).decode().splitlines()
        refusing = "\n".join([head, *(f"{line.rpartition(',')[0]},1" for line in lines)])
        table = [("a.csv", refusing.encode())]
        import_files(host, study.slug, table, mapping={}, actor="me", now=NOW)
        with pytest.warns(NoEvidenceWarning):
            made = run_task(host, 1, "fit", {})
        assert not made.is_enough
        assert "every answer refuses" in made.report.findings[0].text
    finally:
        host.close()


def test_a_kind_is_said_to_weigh_most_only_where_that_is_settled():
    said = []
    for invented, people in ((1.5, 20), (0.6, 3)):
        weights = {"wrong": 0.2, "invented": invented}
        answers = ask.simulate_failure_answers(weights, people=people, level=4.0, random_state=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewRespondentsWarning)
            fit = learn.fit_failures(answers, kinds=tuple(weights), random_state=1)
        first, second = (fit.weights[kind].draws for kind in weights)
        is_settled = max(np.mean(first > second), np.mean(second > first)) >= 0.9
        words = failure_headline(fit).more[0]
        assert ("weighs most:" in words) == is_settled
        said.append(is_settled)
    assert said == [True, False]


def test_a_bot_can_fill_every_screen(file):
    study = read_study(file)
    screens, _ = take_part(study, seed=1, now=NOW, filler=lambda screen: fill(screen, seed=9))
    assert screens[-1].is_last
