"""A study of criteria the whole way: file, screens, rows, results, server."""

import re
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest

from howgood.flow.collected import codebook
from howgood.flow.participate import answers_as_rows, fill, next_screen, take_part
from howgood.flow.study_files import check_study, new_study, read_study
from howgood.kinds.criteria import screens
from howgood.kinds.pair_choices import choices_so_far
from howgood.records.screen import Cards

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def file(tmp_path):
    return new_study("criteria", tmp_path / "which.toml")


@pytest.fixture
def study(file):
    return read_study(file)


def _by(weights, study, seed):
    """A filler who chooses by weights, read off the hidden field of the page."""
    table = screens.table_of(study)

    def filler(screen):
        form = fill(screen, seed=seed)
        if screens.shows_pair(screen):
            sides = [
                np.array([[float(value) for value in side.split()]])
                for side in screen.fields[0].value.split(" / ")
            ]
            gap = float((table.features(sides[0]) - table.features(sides[1]))[0] @ weights)
            form["choice"] = "first" if gap > 0 else "second"
        return form

    return filler


def test_the_template_runs_and_a_person_gets_what_they_value(study):
    shown, participation = take_part(
        study, seed=5, now=NOW, filler=_by([0.85, 0.05, 0.05, 0.05], study, 5)
    )
    pairs = [screen for screen in shown if screens.shows_pair(screen)]
    assert 10 <= len(pairs) <= screens.most_pairs(study.plan)
    rows = answers_as_rows(study, participation)
    assert len(rows) == len(pairs)
    assert set(rows[0]) <= set(codebook(study).names("answers"))
    assert {row["kind"] for row in rows} >= {"choice", "held-out"}
    from howgood.kinds.criteria.data import person_columns, person_facts

    facts = person_facts(study, participation)
    assert facts["best"] == "large"
    assert facts["fits"] is True
    assert set(facts) == {column.name for column in person_columns(study)}


def test_progress_rises_by_small_steps_to_the_end(study):
    shown, _ = take_part(study, seed=2, now=NOW, filler=_by([0.7, 0.1, 0.1, 0.1], study, 2))
    places = [screen.place.share for screen in shown if screens.shows_pair(screen)]
    steps = [later - earlier for earlier, later in pairwise(places)]
    assert min(steps) > 0
    assert max(steps) < 0.12


def test_a_card_says_what_differs_and_which_side_is_better(study):
    answers = take_part(study, seed=1, now=NOW)[1].answers[:3]
    page = next_screen(study, condition="all", seed=1, answers=answers, now=NOW)
    cards = next(block for block in page.blocks if isinstance(block, Cards))
    assert [card.title for card in cards.cards] == ["Option A", "Option B"]
    said = "".join(words.text for words in cards.between)
    assert re.match(r"A is better in .+; B is better in .+\.", said)
    for card in cards.cards:
        assert card.drawing.svg.count("better,") >= 1
        assert card.button.key in ("1", "2")
    # Names of alternatives are never shown.
    assert not any(name in page.model_dump_json() for name in ("careful", "medium"))


def test_undo_takes_back_the_last_choice(study):
    answers = list(take_part(study, seed=1, now=NOW)[1].answers[:6])
    before = next_screen(study, condition="all", seed=1, answers=answers[:5], now=NOW)
    undo = answers[5]._replace(screen="compare-4", values={"choice": "undo"})
    undone = [*answers[:6], undo]
    assert len(choices_so_far({each.screen: each for each in undone})) == 2
    after = next_screen(study, condition="all", seed=1, answers=undone, now=NOW)
    assert after.key == "compare-5"
    assert after.fields == before.fields
    rows = answers_as_rows(study, take_part(study, seed=1, now=NOW)[1])
    assert rows[0]["screen"] == "compare-1"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("scores = [71, 9, 0.6, 0.4]", "scores = [71, 9, 0.6]", "3 numbers; expected 4, one"),
        ('key = "medium"', 'key = "small"', "'small' again"),
        ("scores = [71, 9, 0.6, 0.4]\nsds = [1.5, 1.2, 0, 0]", "scores = [71, 9, 0.6, 0.4]\n"
         "sds = [-1, 0, 0, 0]", "negative standard deviation"),
        ('direction = "max"', 'direction = "up"', "direction"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_said_with_its_line(file, old, new, problem):
    file.write_text(file.read_text().replace(old, new))
    problems = [str(each) for each in check_study(file).problems]
    assert any(problem in each for each in problems), problems


def test_alternatives_come_from_a_table_next_to_the_study(file):
    text = file.read_text()
    begin = text.index("[[criteria.alternatives]]")
    text = text[:begin] + text[text.index("[completion]") :]
    text = text.replace('question = "Which', 'table = "models.csv"\nquestion = "Which')
    file.write_text(text)
    table = "name,quality,harm,wait,price,quality_sd\nold,70,5,1,2,1.5\nnew,80,4,2,3,1.2\n"
    (file.parent / "models.csv").write_text(table)
    study = read_study(file)
    assert [each.key for each in study.plan.alternatives] == ["old", "new"]
    assert study.plan.alternatives[0].sds == (1.5, 0.0, 0.0, 0.0)
    (file.parent / "models.csv").write_text(table.replace("harm", "danger"))
    assert "harm" in str(check_study(file).problems[0])


def test_it_is_answered_fitted_and_reported(file, tmp_path):
    from howgood.demo.web import add_people
    from howgood.flow.hosting import add_study, open_host
    from howgood.flow.results.tasks import run_task

    host = open_host(f"sqlite:///{tmp_path / 'criteria.db'}")
    try:
        study = read_study(file)
        add_study(host, study, folder=tmp_path, now=NOW)
        assert not run_task(host, 1, "fit", {}).is_enough
        add_people(host, study.slug, people=3, seed=4, now=NOW)
        made = run_task(host, 1, "fit", {"people": "everyone"})
        assert made.is_enough
        assert made.people + sum(made.left_out.values()) == 3
        assert re.match(r"\w+ suits these \d people best on average", made.report.findings[0].text)
        assert made.report.sections[0].title.startswith("What matters")
    finally:
        host.close()
