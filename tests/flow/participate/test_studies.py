"""Every example, from the first page to the last, in every branch; and its rows of data."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.flow.participate.blocks import blocks_of

from howgood.flow.participate import (
    answers_as_rows,
    choose_condition,
    conditions,
    fill,
    next_screen,
    parse_answer,
    participant_row,
    take_part,
)
from howgood.flow.study_files import read_study
from howgood.kinds.study import Study
from howgood.records.screen import Answer, Bullets, Screen

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = sorted(each.name for each in EXAMPLES.iterdir() if each.suffix in (".toml", ".yaml"))
NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
STUDIES = {name: read_study(EXAMPLES / name) for name in FILES}
FOUR, WEATHER = STUDIES["alarm-survey.toml"], STUDIES["weather-survey.toml"]


def _walks():
    return [(name, condition) for name in FILES for condition in conditions(STUDIES[name])]


@pytest.mark.parametrize(("name", "condition"), _walks())
def test_every_example_can_be_walked_to_its_end_in_every_branch(name, condition):
    study = STUDIES[name]
    screens, participation = take_part(study, seed=5, now=NOW, condition=condition)
    assert screens[-1].kind == "finished"
    keys = [screen.key for screen in screens]
    assert len(set(keys)) == len(keys)
    shares = [screen.place.share for screen in screens]
    assert shares == sorted(shares)
    for screen in screens:
        assert Screen.from_dict(screen.to_dict()) == screen
    rows = answers_as_rows(study, participation)
    assert rows
    assert participant_row(study, participation)["participant"] == "bot-5"
    assert len({tuple(row) for row in rows}) <= 2  # same columns; the real part has its own


@pytest.mark.parametrize("name", FILES)
def test_studies_survive_a_round_trip_and_keep_their_version(name):
    study = STUDIES[name]
    again = Study.from_dict(study.to_dict())
    assert again == study
    assert again.version == study.version


@given(seed=st.integers(0, 2**63 - 1), name=st.sampled_from(FILES), data=st.data())
def test_the_next_screen_depends_on_nothing_but_study_seed_and_answers(seed, name, data):
    study = STUDIES[name]
    condition = choose_condition(study, {}, seed)
    screens, participation = take_part(study, seed=seed, now=NOW, condition=condition)
    stop = data.draw(st.integers(0, len(participation.answers)))
    prefix = participation.answers[:stop]
    fresh = Study.from_dict(study.to_dict())  # nothing remembered from before
    shown = next_screen(
        fresh, condition=condition, seed=seed, answers=prefix, now=datetime(2030, 1, 1, tzinfo=UTC),
        language=screens[0].language,
    )  # fmt: skip
    without_waits = [screen for screen in screens if screen.kind != "wait"]
    assert shown == without_waits[stop]


def test_the_interface_branch_shows_its_two_applications_in_either_order():
    firsts = Counter()
    for seed in range(60):
        screens, _ = take_part(FOUR, seed=seed, now=NOW, condition="interface")
        keys = [screen.key for screen in screens]
        order = [key for key in keys if key in ("alarm_police", "alarm_text_message")]
        assert sorted(order) == ["alarm_police", "alarm_text_message"]
        firsts[order[0]] += 1
        scenarios = [screen for screen in screens if screen.kind == "task"]
        assert len(scenarios) == 32
    assert min(firsts.values()) >= 15  # binomial(60, 1/2) is below 15 once in 50,000


def test_scenario_order_is_random_and_every_scenario_is_shown_once():
    orders = set()
    for seed in range(10):
        _, participation = take_part(FOUR, seed=seed, now=NOW, condition="interface")
        rows = [
            row
            for row in answers_as_rows(FOUR, participation)
            if row["application"] == "alarm_police"
        ]
        pairs = [(row["desired_recall"], row["desired_precision"]) for row in rows]
        assert len(set(pairs)) == 16
        orders.add(tuple(pairs))
    assert len(orders) == 10


def test_the_published_scenario_reads_as_published():
    _, participation = take_part(FOUR, seed=1, now=NOW, condition="application")
    rows = {row["order"]: row for row in answers_as_rows(FOUR, participation)}
    order = next(
        order
        for order, row in rows.items()
        if row["application"] == "electricity"
        and (row["true_positives"], row["false_positives"]) == (8, 2)
    )
    screen = next_screen(
        FOUR, condition="application", seed=1, answers=participation.answers[: order - 1], now=NOW
    )
    bullets = next(block for block in blocks_of(screen) if isinstance(block, Bullets))
    first, second = bullets.entries
    text = ["".join(word.text for word in words) for words in
            (first.words, *first.entries, second.words)]  # fmt: skip
    assert text == [
        "10 times over a three month period, you used your clothes dryer.",
        "8 of the 10 times that you used your clothes dryer, the system (correctly) reported that "
        "you used your clothes dryer.",
        "2 of the 10 times that you used your clothes dryer, the system (incorrectly) reported "
        "that you used a different appliance.",
        "2 other times over the same three month period, the system (incorrectly) reported that "
        "you used your clothes dryer even though you were actually using a different appliance.",
    ]
    assert [word.text for word in first.entries[0] if word.bold] == ["8", "10"]
    assert "%" not in "".join(text)


def test_one_is_singular_and_none_is_plural():
    words = set()
    for seed in range(3):
        screens, _ = take_part(FOUR, seed=seed, now=NOW, condition="interface")
        for screen in screens:
            for block in blocks_of(screen):
                if isinstance(block, Bullets):
                    words.add("".join(each.text for each in block.entries[1].words)[:13])
    assert {"0 other times", "1 other time ", "2 other times"} <= words


def test_the_weather_survey_asks_about_what_people_use_then_eight_of_sixteen():
    chosen = ["drizzle", "barometer"]

    def filler(screen):
        return {"systems": chosen} if screen.key == "systems" else fill(screen, seed=8)

    screens, participation = take_part(WEATHER, seed=8, now=NOW, filler=filler)
    keys = [screen.key for screen in screens]
    assert {"real-drizzle", "real-barometer"} <= set(keys)
    assert "real-skyline" not in keys
    rows = answers_as_rows(WEATHER, participation)
    parts = Counter(row["part"] for row in rows)
    assert parts == {"last_30_days": 2, "last_year": 2, "hypothetical": 8}
    real = {(row["application"], row["part"]): row for row in rows if row["part"] != "hypothetical"}
    assert real["drizzle", "last_year"]["precision"] == 0.66
    assert real["drizzle", "last_year"]["recall"] == 0.91
    imagined = {row["system"] for row in rows if row["part"] == "hypothetical"}
    assert len(imagined) == 1
    assert imagined <= {"Drizzle Daily", "The Barometer"}
    hypothetical = [row for row in rows if row["part"] == "hypothetical"]
    for row in hypothetical:
        total = sum(
            row[name]
            for name in ("true_positives", "false_negatives", "false_positives", "true_negatives")
        )
        assert total == 30


def test_people_who_use_none_still_judge_scenarios():
    def filler(screen):
        return {"systems": ["none-of-these"]} if screen.key == "systems" else fill(screen, seed=8)

    _, participation = take_part(WEATHER, seed=8, now=NOW, filler=filler)
    assert {row["part"] for row in answers_as_rows(WEATHER, participation)} == {"hypothetical"}


def test_attention_is_counted():
    page = next(
        screen
        for screen in take_part(FOUR, seed=2, now=NOW)[0]
        if any(field.name == "attention-first" for field in screen.fields)
    )

    def attentive(screen):
        form = fill(screen, seed=2)
        return {**form, "attention-first": "2"} if screen.key == page.key else form

    row = participant_row(FOUR, take_part(FOUR, seed=2, now=NOW, filler=attentive)[1])
    assert (row["attention_asked"], row["attention_passed"]) == (1, 1)

    def careless(screen):
        form = fill(screen, seed=2)
        return {**form, "attention-first": "5"} if screen.key == page.key else form

    row = participant_row(FOUR, take_part(FOUR, seed=2, now=NOW, filler=careless)[1])
    assert (row["attention_asked"], row["attention_passed"]) == (1, 0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=60, unique=True))
def test_conditions_stay_within_one_of_each_other(seeds):
    counts = Counter(dict.fromkeys(conditions(FOUR), 0))
    for seed in seeds:
        counts[choose_condition(FOUR, counts, seed)] += 1
        assert max(counts.values()) - min(counts.values()) <= 1


def test_full_branches_are_left_out_and_all_full_is_nobody():
    data = FOUR.to_dict()
    data["survey"]["branches"][0]["quota"] = 2
    study = Study.from_dict(data)
    assert choose_condition(study, {"application": 2, "interface": 9}, 1) == "interface"
    data["survey"]["branches"][1]["quota"] = 9
    assert choose_condition(Study.from_dict(data), {"application": 2, "interface": 9}, 1) is None


def test_a_micro_task_is_one_scenario_and_all_are_conditions():
    data = FOUR.to_dict()
    data["survey"]["micro_task"] = True
    del data["survey"]["branches"]
    study = Study.from_dict(data)
    assert len(conditions(study)) == 4 * 16
    _, participation = take_part(study, seed=1, now=NOW, condition="electricity-s3")
    (row,) = answers_as_rows(study, participation)
    assert (row["application"], row["desired_recall"]) == ("electricity", 0.5)
    assert row["desired_precision"] == pytest.approx(5 / 6)


def test_a_changed_word_changes_the_version():
    data = FOUR.to_dict()
    data["title"] += "!"
    assert Study.from_dict(data).version != FOUR.version


def test_rerating_rows_are_what_rating_uncertainty_reads():
    study = STUDIES["picture-rerating.toml"]
    rows = answers_as_rows(study, take_part(study, seed=4, now=NOW)[1])
    assert len(rows) == 30
    assert Counter(row["trial"] for row in rows) == dict.fromkeys(range(1, 6), 6)
    assert all(1 <= row["rating"] <= 5 for row in rows)


def test_what_was_not_asked_is_not_taken():
    screen = next_screen(FOUR, condition=None, seed=1, answers=[], now=NOW)
    result = parse_answer(screen, {"consent": "yes", "admin": "true"})
    assert result.values == {"consent": "yes"}
    assert not parse_answer(screen, {"consent": "maybe"}).is_valid


def test_an_answer_to_a_screen_that_is_not_on_the_path_changes_nothing():
    agreed = Answer(screen="consent", values={"consent": "yes"}, at=NOW)
    foreign = Answer(screen="electricity-s99", values={"acceptable": 1}, at=NOW)
    one = next_screen(FOUR, condition="interface", seed=1, answers=[agreed], now=NOW)
    two = next_screen(FOUR, condition="interface", seed=1, answers=[agreed, foreign], now=NOW)
    assert one == two
