"""Rows of every kind of study are what the learning stage reads."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from tests.flow.participate.blocks import blocks_of

from howgood import ask, learn
from howgood.flow.participate import answers_as_rows, choose_condition, fill, take_part
from howgood.flow.study_files import read_study
from howgood.records.table import Table

EXAMPLES = Path(__file__).parents[3] / "examples"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _table(name, people):
    study = read_study(EXAMPLES / name)
    counts, rows = {}, []
    for seed in range(people):
        condition = choose_condition(study, counts, seed)
        counts[condition] = counts.get(condition, 0) + 1
        rows += answers_as_rows(study, take_part(study, seed=seed, now=NOW, condition=condition)[1])
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table({name: [row.get(name) for row in rows] for name in names})


def test_survey_rows_are_read_as_answers():
    table = _table("alarm-survey.toml", people=4)
    answers = ask.read_answers(table)
    assert len(answers) == 2 * 48 + 2 * 32
    assert set(answers["application"]) == {
        "electricity", "location", "alarm_text_message", "alarm_police",
    }  # fmt: skip
    assert np.all((answers["rating"] >= 1) & (answers["rating"] <= 7))


def test_weather_rows_have_real_and_hypothetical_parts():
    table = _table("weather-survey.toml", people=8)
    answers = ask.read_answers(table)
    assert {"hypothetical", "last_30_days", "last_year"} == set(answers["part"])


def test_rerating_rows_give_a_spread_per_person_and_picture():
    spread = learn.rating_uncertainty(_table("picture-rerating.toml", people=3))
    assert len(spread) == 3 * 6
    assert set(spread["trials"]) == {5}


def test_a_survey_from_people_who_care_about_recall_is_fitted_so():
    study = read_study(EXAMPLES / "alarm-survey.toml")
    rows = []
    for seed in range(12):
        rng = np.random.default_rng(seed)

        def person(screen, rng=rng, seed=seed):
            form = fill(screen, seed=seed)
            for block in blocks_of(screen):
                if block.block == "bullets":
                    found = next(w.text for w in block.entries[0].entries[0] if w.bold)
                    likes = 1 / (1 + np.exp(-1.2 * (int(found) - 7.5)))
                    form["acceptable"] = "6" if rng.random() < likes else "2"
            return form

        rows += answers_as_rows(
            study, take_part(study, seed=seed, now=NOW, condition="interface", filler=person)[1]
        )
    table = Table({name: [row[name] for row in rows] for name in rows[0]})
    fit = learn.fit_acceptability(table, random_state=1, draws=1000)
    assert fit.estimate("alpha", "alarm_police").mean < 0.3
