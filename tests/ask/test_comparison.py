import pytest

from howgood import ask
from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix


def matrix(tp, fn, fp, tn):
    return ConfusionMatrix(
        true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn
    )


CARDS = [matrix(35, 0, 65, 0), matrix(32, 3, 7, 58), matrix(20, 15, 2, 63)]


def test_practice_asks_two_of_each_kind_and_knows_the_answers():
    questions = ask.practice_questions(CARDS)
    kinds = [each.kind for each in questions]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "comprehension": 2,
        "comparison": 2,
        "simulation": 2,
    }
    # Card A finds 32 of 35 and flags 39; card B misses 15 and alarms 2.
    assert [each.answer for each in questions] == [39, 3, "A", "A", 91, 82]
    assert questions[0].is_right("39")
    assert not questions[0].is_right("38")
    assert questions[4].is_right(88)  # within five of a hundred
    assert not questions[4].is_right("many")
    assert questions[2].is_right("a")


def test_the_interview_is_the_papers_six_questions():
    assert [each.code for each in ask.INTERVIEW] == ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"]
    assert ask.INTERVIEW[3].text == "What was difficult about making these choices?"


def test_a_direct_answer_is_a_weight():
    assert ask.direct_weight(1.0) == 0.5
    assert ask.direct_weight(500.0) == pytest.approx(1 / 501)
    assert "how many false alarms" in ask.direct_question().text
    with pytest.raises(InputError, match="cannot say"):
        ask.direct_weight(1e6)


def test_slips_happen_as_often_as_asked():
    person = ask.simulate_respondent(ask_metric(), flips=0.2, random_state=1)
    wrong = [person(CARDS[1], CARDS[2]) != "first" for _ in range(2000)]
    assert sum(wrong) / 2000 == pytest.approx(0.2, abs=0.03)
    with pytest.raises(InputError, match="flips"):
        ask.simulate_respondent(ask_metric(), flips=2)


def test_sensitivity_is_the_slope_of_choosing():
    # The difference is .9 * 12 - .1 * 5 = 10.3 cases; s = .1 gives sigma(1.03) = .737.
    person = ask.simulate_respondent(ask_metric(), sensitivity=0.1, random_state=1)
    first = [person(CARDS[1], CARDS[2]) == "first" for _ in range(4000)]
    assert sum(first) / 4000 == pytest.approx(0.737, abs=0.025)


def ask_metric():
    from howgood import score

    return score.LinearMetric(a0=0.1)
