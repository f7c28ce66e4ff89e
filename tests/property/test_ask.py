"""What must hold for every question and every simulated respondent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.registry import about, cases

from howgood import ask, learn, score
from howgood.records.comparison import ComparisonWording

few = settings(max_examples=cases(20), deadline=None)
seeds = st.integers(0, 1000)
counts = st.integers(0, 60)
languages = st.sampled_from(["en", "de"])


@about("ask.CANCER_WORDING", "ask.GENERIC_WORDING")
@few
@given(
    wording=st.sampled_from([ask.CANCER_WORDING, ask.GENERIC_WORDING]),
    word=st.text("abcäßñ ", min_size=1, max_size=9).filter(str.strip),
)
def test_wording_survives_plain_values_with_any_word_replaced(wording, word):
    changed = wording.to_dict() | {"miss": word}
    again = ComparisonWording.from_dict(changed)
    assert again.miss == word
    assert ComparisonWording.from_dict(again.to_dict()) == again
    assert word in ask.direct_question(again).text


@about("ask.direct_question")
@few
@given(alarms=st.text("abcdef", min_size=1, max_size=9))
def test_the_direct_question_speaks_the_study_owners_words(alarms):
    wording = ComparisonWording.from_dict(ask.GENERIC_WORDING.to_dict() | {"alarms": alarms})
    assert alarms in ask.direct_question(wording).text


@about("ask.DEMOGRAPHICS", "ask.INTERVIEW")
@few
@given(questions=st.sampled_from([ask.DEMOGRAPHICS, ask.INTERVIEW]), data=st.data())
def test_every_question_has_a_code_of_its_own_and_words(questions, data):
    each = data.draw(st.sampled_from(questions))
    assert each.text.strip()
    assert sum(other.code == each.code for other in questions) == 1


@about("ask.direct_weight")
@few
@given(ratio=st.floats(0.1, 10), more=st.floats(1.01, 10))
def test_a_worse_miss_weighs_cleared_cases_less(ratio, more):
    assert 0 < ask.direct_weight(ratio) < 1
    assert ask.direct_weight(ratio * more) < ask.direct_weight(ratio)
    assert ask.direct_weight(ratio) + ask.direct_weight(1 / ratio) == pytest.approx(1.0)


@about("ask.applications", "ask.application", "ask.word_scenario")
@few
@given(
    key=st.sampled_from(ask.applications()),
    language=languages,
    place=st.integers(0, 15),
)
def test_every_application_words_every_scenario_with_its_counts(key, language, place):
    found, scenario = ask.application(key, language=language), ask.scenarios()[place]
    lines = ask.word_scenario(found.phrases, scenario)
    text = " ".join(lines.values())
    assert "{" not in text
    assert str(scenario.real_positives) in text
    assert str(scenario.true_positives) in text


@about("ask.anchors", "ask.items")
@few
@given(language=languages, flag=st.booleans())
def test_scales_have_seven_distinct_points_in_every_language(language, flag):
    points = ask.anchors(language=language, real=flag)
    assert len(points) == len(set(points)) == 7
    asked = ask.items(language=language, ease_of_use=flag)
    assert len(asked) == len({each.text for each in asked}) == len(ask.items()) + flag


@about("ask.practice_questions")
@few
@given(seed=seeds)
def test_the_right_answer_to_a_practice_question_is_right(seed):
    rng = np.random.default_rng(seed)
    matrices = learn.threshold_matrices(np.arange(90) % 3 == 0, rng.random(90))
    for question in ask.practice_questions(matrices):
        assert question.is_right(question.answer)
        if question.options:
            assert question.answer in question.options


answered = st.lists(
    st.tuples(st.sampled_from("abc"), st.floats(0, 1), st.floats(0, 1), st.integers(1, 7)),
    min_size=1,
    max_size=15,
)


@pytest.mark.filterwarnings("ignore::howgood.errors.RepeatedRowsWarning")
@about("ask.read_answers")
@few
@given(answers=answered)
def test_answers_survive_renamed_columns_and_any_order_of_rows(answers):
    who, precision, recall, rating = (list(column) for column in zip(*answers, strict=True))
    table = {
        "participant": who, "application": ["x"] * len(who), "precision": precision,
        "recall": recall, "rating": rating,
    }  # fmt: skip
    one = ask.read_answers(table, scale=7)
    theirs = {f"their {name}": column[::-1] for name, column in table.items()}
    other = ask.read_answers(theirs, columns={name: f"their {name}" for name in table}, scale=7)
    assert {name: column[::-1].tolist() for name, column in other.items()} == {
        name: column.tolist() for name, column in one.items()
    }


@about("ask.simulate_ratings")
@few
@given(seed=seeds, users=st.integers(1, 9), items=st.integers(1, 5), trials=st.integers(3, 5))
def test_simulated_ratings_are_complete_and_repeatable(seed, users, items, trials):
    size = {"users": users, "items": items, "trials": trials}
    table = ask.simulate_ratings(**size, random_state=seed)
    assert len(table) == users * items * trials
    assert set(np.unique(table["rating"])) <= {1, 2, 3, 4, 5}
    again = ask.simulate_ratings(**size, random_state=seed)
    assert all(np.array_equal(table[name], again[name]) for name in table.columns)


@about("ask.simulate_ordinal_answers", "ask.simulate_lighting")
@few
@given(seed=seeds, people=st.integers(1, 15))
def test_simulated_studies_are_repeatable_and_have_everybody(seed, people):
    for simulate in (ask.simulate_ordinal_answers, ask.simulate_lighting):
        table = simulate(people=people, random_state=seed)
        again = simulate(people=people, random_state=seed)
        assert all(table[name].tolist() == again[name].tolist() for name in table.columns)
    ratings = ask.simulate_ordinal_answers(people=people, random_state=seed)
    assert len(set(ratings["participant"].tolist())) == people
    assert set(np.unique(ratings["rating"])) <= set(range(1, 8))


@about("ask.simulate_respondent")
@few
@given(tp=counts, tn=counts, other=st.tuples(counts, counts), a0=st.floats(0.05, 0.95))
def test_a_respondent_without_noise_does_what_the_metric_says(tp, tn, other, a0):
    def matrix(found, cleared):
        return learn.ConfusionMatrix(
            true_positives=found, false_negatives=60 - found,
            false_positives=60 - cleared, true_negatives=cleared,
        )  # fmt: skip

    metric = score.LinearMetric(a0=a0)
    first, second = matrix(tp, tn), matrix(*other)
    chosen = ask.simulate_respondent(metric, random_state=0)(first, second)
    assert chosen == metric.prefers(first, second)
    swapped = {"first": "second", "second": "first", "same": "same"}
    assert ask.simulate_respondent(metric, random_state=0)(second, first) == swapped[chosen]
