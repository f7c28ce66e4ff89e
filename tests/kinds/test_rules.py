"""Rules about earlier answers: when they hold, and which can never hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.flow.hosting.conftest import SURVEY

from howgood.flow.study_files.check import study_from
from howgood.kinds.question_pages import ordered, paged
from howgood.kinds.questions import Question
from howgood.kinds.rules import RandomBlock, Rule, holds, in_words, piped
from howgood.records.record import read_record

PETS = [{"key": "cat", "text": "A cat"}, {"key": "dog", "text": "A dog"}]
AGE = {"key": "age", "text": "How old?", "type": "number", "minimum": 0, "maximum": 120,
       "required": True}  # fmt: skip
PET = {"key": "pet", "text": "Which pet?", "options": PETS}


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        ({"any_of": ["cat"]}, "cat", True),
        ({"any_of": ["cat"]}, "dog", False),
        ({"any_of": ["cat"]}, None, False),
        ({"any_of": ["cat"]}, ["dog", "cat"], True),
        ({"none_of": ["cat"]}, ["dog", "cat"], False),
        ({"none_of": ["cat"]}, None, True),
        ({"at_least": 18}, 18, True),
        ({"at_least": 18}, 17.9, False),
        ({"at_least": 3, "at_most": 4}, "4", True),
        ({"at_most": 4}, "five", False),
        ({"at_most": 4}, None, False),
        ({"any_of": ["3"]}, 3, True),
        ({"any_of": ["3"]}, 3.0, True),
        ({"answered": True}, None, False),
        ({"answered": True}, 0, True),
        ({"answered": False}, None, True),
        ({"answered": False}, 0, False),
    ],
)
def test_a_rule_holds_for_the_answers_it_names(rule, value, expected):
    assert (
        holds([read_record(Rule, {"question": "q", **rule}, where="rule")], {"q": value})
        is expected
    )


@given(st.lists(st.booleans()))
def test_rules_hold_together_exactly_if_each_holds(values):
    rules = [Rule(question=f"q{n}", any_of=("yes",)) for n in range(len(values))]
    known = {f"q{n}": "yes" if value else "no" for n, value in enumerate(values)}
    assert holds(rules, known) is all(values)


def test_a_text_repeats_an_answer_or_says_something_else():
    assert piped("Your {answer.pet|animal}: {answer.age}", {"age": "3"}) == "Your animal: 3"


def test_a_codebook_says_rules_in_words():
    rules = [Rule(question="pet", none_of=("cat",)), Rule(question="age", at_most=5)]
    assert in_words(rules) == "pet not cat and age at most 5"


def _questions(*questions):
    return [read_record(Question, question, where="question") for question in questions]


def test_a_question_that_needs_an_answer_comes_on_a_page_after_it():
    follow = {"key": "name", "text": "Its name?", "type": "text",
              "show_if": {"question": "pet", "any_of": ["cat"]}}  # fmt: skip
    other = {"key": "job", "text": "Your job?", "type": "text"}
    repeat = {"key": "why", "text": "Why {answer.job|that}?", "type": "text"}
    pages = paged(_questions(AGE, PET, follow, other, repeat))
    assert [[each.key for each in page] for page in pages] == [
        ["age", "pet"], ["name", "job"], ["why"]]  # fmt: skip


def test_a_random_block_keeps_its_places_and_shows_a_subset_of_its_questions():
    keys = "abcdef"
    questions = _questions(
        *({"key": key, "text": key, "type": "text", "block": "x" if key in "bce" else ""}
          for key in keys)
    )  # fmt: skip
    seen = set()
    for seed in range(200):
        order = [each.key for each in ordered(questions, [RandomBlock(key="x", show=2)], seed)]
        assert [key for key in order if key not in "bce"] == ["a", "d", "f"]
        assert (order[0], order[3]) == ("a", "d")
        seen.add(tuple(key for key in order if key in "bce"))
    assert len(seen) == 6  # every ordered pair of three


@pytest.mark.parametrize("show", [None, 2, 1])
def test_a_page_begins_at_its_place_whichever_question_of_a_random_block_stands_there(show):
    questions = _questions(
        *({"key": key, "text": key, "type": "text", "block": "x" if key in "bce" else "",
           "new_page": key in "ce"} for key in "abcdef")
    )  # fmt: skip
    shapes = {
        None: ["a*", "*d", "*f"],  # a b | c d | e f, the block's three in any order
        2: ["a*", "*d", "f"],
        1: ["a*", "d", "f"],
    }
    for seed in range(50):
        pages = paged(ordered(questions, [RandomBlock(key="x", show=show)], seed))
        shape = ["".join("*" if each.key in "bce" else each.key for each in page) for page in pages]
        assert shape == shapes[show]


def _problems(**changes):
    problems = []
    study_from(SURVEY | changes, problems=problems)
    return [(problem.path, problem.found) for problem in problems]


def test_a_study_whose_rules_can_hold_has_no_problem():
    follow = {"key": "name", "text": "The name of {answer.pet|it}?", "type": "text",
              "show_if": [{"question": "pet", "any_of": ["cat"]},
                          {"question": "age", "at_least": 18}]}  # fmt: skip
    assert _problems(
        demographics=[AGE, PET], closing=[follow],
        screen_outs=[{"key": "young", "text": "Too young.",
                      "when": {"question": "age", "at_most": 17}}],
        quotas=[{"key": "cats", "people": 3, "when": {"question": "pet", "any_of": ["cat"]}}],
    ) == []  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"demographics": [{**PET, "show_if": {"question": "age", "at_least": 3}}, AGE]},
         ("demographics", 0, "show_if", 0, "question")),
        ({"demographics": [AGE, {**PET, "show_if": {"question": "agee", "at_least": 3}}]},
         ("demographics", 1, "show_if", 0, "question")),
        ({"demographics": [AGE, {**PET, "show_if": {"question": "age"}}]},
         ("demographics", 1, "show_if", 0)),
        ({"demographics": [AGE, {**PET, "show_if": {"question": "age", "at_least": 121}}]},
         ("demographics", 1, "show_if")),
        ({"demographics": [AGE, {**PET, "show_if": [{"question": "age", "at_least": 50},
                                                    {"question": "age", "at_most": 49}]}]},
         ("demographics", 1, "show_if")),
        ({"demographics": [PET], "closing": [
            {"key": "x", "text": "x", "type": "text",
             "show_if": {"question": "pet", "any_of": ["horse"]}}]},
         ("closing", 0, "show_if", 0, "any_of", 0)),
        # Who is asked the second was under 18, and those are screened out.
        ({"demographics": [AGE, {**PET, "show_if": {"question": "age", "at_most": 17}}],
          "screen_outs": [{"key": "young", "text": "Too young.",
                           "when": {"question": "age", "at_most": 17}}]},
         ("demographics", 1, "show_if")),
        # The pet is asked of adults only, so no child has one.
        ({"demographics": [AGE, {**PET, "show_if": {"question": "age", "at_least": 18}}],
          "quotas": [{"key": "q", "people": 2, "when": [{"question": "pet", "any_of": ["cat"]},
                                                        {"question": "age", "at_most": 10}]}]},
         ("quotas", 0, "when")),
        ({"demographics": [PET], "quota": 5,
          "quotas": [{"key": "q", "people": 6, "when": {"question": "pet", "any_of": ["cat"]}}]},
         ("quotas", 0, "people")),
        ({"demographics": [{**PET, "block": "x"}]}, ("demographics", 0, "block")),
        ({"blocks": [{"key": "x"}]}, ("blocks", 0, "key")),
        ({"demographics": [{**PET, "block": "x"}], "blocks": [{"key": "x", "show": 2}]},
         ("blocks", 0, "show")),
        ({"demographics": [PET, {"key": "x", "text": "Why {answer.pet}?", "type": "text"}]},
         ("demographics", 1, "text")),
        ({"demographics": [{"key": "x", "text": "Why {answer.y|it}?", "type": "text"}]},
         ("demographics", 0, "text")),
    ],
)  # fmt: skip
def test_what_nobody_could_reach_is_said_before_publishing(changes, path):
    assert _problems(**changes)[0][0] == path
