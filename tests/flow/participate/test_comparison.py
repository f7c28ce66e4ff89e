"""Comparisons: practice with feedback, adaptive pairs, undo, both algorithms, the log."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from howgood import ask
from howgood.flow.participate import (
    answers_as_rows,
    fill,
    next_screen,
    parse_answer,
    participant_row,
    take_part,
)
from howgood.flow.study_files import read_study
from howgood.kinds.comparison import interview
from howgood.kinds.pair_choices import Interviews
from howgood.kinds.study import Study
from howgood.records.elicited_metric import LinearMetric
from howgood.records.screen import Answer, Cards, Notice

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
FILE = Path(__file__).parents[3] / "examples" / "cancer-comparison.toml"
CANCER = read_study(FILE)
CELLS = ("true_positives", "false_negatives", "false_positives", "true_negatives")


def _changed(**changes):
    data = CANCER.to_dict()
    data["comparison"] |= changes
    return Study.from_dict(data)


SHORT = _changed(practice=False, direct="none", interview=False, evaluation=4, checks=2, repeats=1)


def _pair_from(study, seed, answers):
    """The pair on the next screen, from the interview itself."""
    answered = {each.screen: each for each in answers}
    from howgood.kinds.comparison import screens
    from howgood.kinds.pair_choices import choices_so_far

    pair, _ = interview.next_pair(
        study,
        seed=seed,
        ratio=screens.direct_ratio(answered, screens.BEFORE),
        history=[choices_so_far(answered)],
    )
    return pair


def _person(study, seed, a0):
    """A filler who prefers by a linear metric and answers everything else at random."""
    metric, answers = LinearMetric(a0=a0), []

    def filler(screen):
        form = fill(screen, seed=seed)
        if screen.key.startswith("compare-"):
            pair = _pair_from(study, seed, answers)
            form = {"choice": metric.prefers(pair.left, pair.right)}
        if screen.key == "direct-before":
            form = {"ratio": ""}
        values = {
            name: (value if name == "choice" else None if name == "ratio" else value)
            for name, value in form.items()
        }
        answers.append(Answer(screen=screen.key, values=values, at=NOW))
        return form

    return filler


def test_a_consistent_person_is_understood_and_their_log_is_complete():
    screens, participation = take_part(
        CANCER, seed=11, now=NOW, filler=_person(CANCER, seed=11, a0=0.2)
    )
    assert screens[-1].kind == "finished"
    rows = answers_as_rows(CANCER, participation)
    kinds = [row["kind"] for row in rows]
    assert kinds.count("held-out") == 15
    assert kinds.count("catch") == 6
    assert kinds.count("repeat") == 2
    for row in rows:
        for side in ("left", "right"):
            assert sum(row[f"{side}_{cell}"] for cell in CELLS) == 100
        assert any(row[f"left_{cell}"] != row[f"right_{cell}"] for cell in CELLS)
        assert row["choice"] in ("left", "right", "same")
    facts = participant_row(CANCER, participation)
    assert facts["a0_lower"] <= 0.2 <= facts["a0_upper"]
    assert facts["agreement"] >= 90
    assert facts["checks_wrong"] == 0
    assert facts["looks_careless"] is False


def test_evaluation_pairs_look_like_all_others():
    screens, participation = take_part(CANCER, seed=3, now=NOW)
    shown = [screen for screen in screens if screen.key.startswith("compare-")]
    assert len({screen.title for screen in shown}) == 1
    assert {tuple(type(block).__name__ for block in screen.blocks) for screen in shown} == {
        ("Cards", "Details")
    }
    # Undo is missing on the very first pair only: there is nothing to take back.
    assert [len(screen.buttons) for screen in shown] == [1] + [2] * (len(shown) - 1)
    assert len(answers_as_rows(CANCER, participation)) == len(shown)


def _walk_by(study, seed, choose, most=12):
    answers = [Answer(screen="consent", values={"consent": "yes"}, at=NOW)]
    screens = []
    while len(screens) < most:
        screen = next_screen(study, condition="all", seed=seed, answers=answers, now=NOW)
        screens.append(screen)
        if screen.is_last:
            break
        values = {"choice": choose(len(screens))} if screen.key.startswith("compare") else {}
        answers.append(Answer(screen=screen.key, values=values, at=NOW))
    return screens, answers


def _sides(screen):
    (cards,) = [block for block in screen.blocks if isinstance(block, Cards)]
    return [card.lines for card in cards.cards]


def test_undo_brings_the_same_pair_back_under_a_new_key():
    study = SHORT.changed(demographics=())
    screens, answers = _walk_by(study, 5, lambda n: "undo" if n == 5 else "first", most=7)
    keys = [screen.key for screen in screens]
    assert keys == ["task", *(f"compare-{number}" for number in range(1, 7))]
    # pairs 1 2 3, undo on 4, so 5 shows pair 3 again
    assert _sides(screens[5]) == _sides(screens[3])
    rows = answers_as_rows(study, _participation(answers))
    assert [row["choice"] for row in rows][:5] == ["left", "left", "left", "undo", "left"]
    assert [row["number"] for row in rows][:6] == [1, 2, 3, 4, 3, 4]


def _participation(answers):
    from howgood.records.screen import Participation

    return Participation(participant="p", condition="all", seed=5, answers=tuple(answers))


@pytest.mark.parametrize("algorithm", ["mixture", "bisection"])
def test_the_memo_changes_nothing_but_time(algorithm, monkeypatch):
    data = SHORT.to_dict()
    data["comparison"] |= {"algorithm": algorithm}
    study = Study.from_dict(data).changed(demographics=())
    with_memo, answers = _walk_by(study, 9, lambda n: ("first", "second", "same")[n % 3], most=9)
    monkeypatch.setattr(interview, "_INTERVIEWS", Interviews(most=0))
    for stop, screen in enumerate(with_memo):
        fresh = next_screen(study, condition="all", seed=9, answers=answers[: stop + 1], now=NOW)
        assert fresh == screen


def test_the_bisection_asks_what_it_needs_then_the_evaluation_pairs():
    short = _changed(algorithm="bisection", practice=False, direct="none", interview=False)
    study = short.changed(demographics=())
    screens, participation = take_part(
        study, seed=4, now=NOW, filler=_person(study, seed=4, a0=0.3)
    )
    rows = answers_as_rows(study, participation)
    kinds = [row["kind"] for row in rows]
    assert kinds.count("held-out") == 15
    assert kinds[-15:] == ["held-out"] * 15
    assert 8 <= kinds.count("choice") <= 20
    facts = participant_row(study, participation)
    assert facts["a0_upper"] - facts["a0_lower"] <= 0.05
    sides = [
        row["left_true_positives"] > row["right_true_positives"]
        for row in rows if row["kind"] == "choice"
    ]  # fmt: skip
    assert len(set(sides)) == 2  # sides are drawn, not always the higher threshold first
    assert screens[-1].kind == "finished"


def test_practice_gives_feedback_and_one_more_try():
    study = CANCER.changed(demographics=())
    answers = [
        Answer(screen="consent", values={"consent": "yes"}, at=NOW),
        Answer(screen="task", values={}, at=NOW),
    ]

    def shown():
        return next_screen(study, condition="all", seed=1, answers=answers, now=NOW)

    def send(key, value):
        answers.append(Answer(screen=key, values={"answer": value}, at=NOW))

    from howgood.kinds.comparison.practice import questions_of

    questions = questions_of(study)
    assert len(questions) == 6
    assert shown().key == "practice-1"
    send("practice-1", questions[0].answer + 1)
    again = shown()
    assert again.key == "practice-1-again"
    assert any(isinstance(block, Notice) and block.tone == "warning" for block in again.blocks)
    send("practice-1-again", questions[0].answer + 1)
    second = shown()
    assert second.key == "practice-2"
    (notice,) = [block for block in second.blocks if isinstance(block, Notice)]
    assert str(questions[0].answer) in notice.words[0].text
    send("practice-2", questions[1].answer)
    (notice,) = [block for block in shown().blocks if isinstance(block, Notice)]
    assert notice.tone == "good"
    row = participant_row(study, _participation(answers))
    assert (row["practice_right_at_once"], row["practice_right_again"]) == (1, 0)
    # Every question by itself: the first was wrong twice, the second right at once.
    assert (row["practice_1_right"], row["practice_1_again_right"]) == (False, False)
    assert (row["practice_2"], row["practice_2_right"]) == (str(questions[1].answer), True)
    assert row["practice_2_again"] is None
    from howgood.kinds.comparison.data import person_columns

    named = {column.name for column in person_columns(study)}
    assert {name for name in row if name.startswith("practice_")} <= named


def test_the_published_questions_are_asked_in_the_published_words():
    from howgood.kinds.comparison import screens
    from howgood.kinds.comparison.screens import interview_questions

    assert screens.last_questions(CANCER.plan, "en")[-1].key == "easier"
    questions = interview_questions(CANCER.plan, "en")
    assert [each.text for each in questions] == [each.text for each in ask.INTERVIEW]
    assert questions[0].text == (
        "What do you think is worse: (a) Large number of patients that actually have cancer but "
        "are labelled as low risk, or (b) Large number of patients that do not have cancer but are "
        "labelled as high risk."
    )
    assert questions[2].text == (
        "For the questions presented in this task, how did you decide which system you would "
        "prefer your doctor to use?"
    )
    assert len(questions) == 6


def test_the_log_holds_the_pair_as_it_was_shown_whatever_the_browser_sends():
    study = SHORT.changed(demographics=())
    screens, _ = _walk_by(study, 5, lambda n: "first", most=2)
    pair = screens[1]
    shown = pair.fields[0].value
    result = parse_answer(pair, {"choice": "first", "pair": "0 0 0 0 / 1 1 1 1"})
    # Nobody knows whether the costs were opened: the browser said nothing.
    assert result.values == {"choice": "first", "pair": shown, "costs": None}
    answers = [
        Answer(screen="consent", values={"consent": "yes"}, at=NOW),
        Answer(screen="task", values={}, at=NOW),
        Answer(screen=pair.key, values=result.values, at=NOW),
    ]
    (row,) = answers_as_rows(study, _participation(answers))
    assert row["kind"] == "choice"
    left = " ".join(str(row[f"left_{cell}"]) for cell in CELLS)
    assert shown.startswith(left)
    other = {**result.values, "pair": "35 0 1 64 / 34 1 0 65"}
    answers[-1] = Answer(screen=pair.key, values=other, at=NOW)
    (row,) = answers_as_rows(study, _participation(answers))
    assert (row["kind"], row["left_true_positives"]) == (None, 35)


def _walk_with_undo(study, *, undo_every):
    """Walk a comparison, undoing now and then; return the places, and which screens are undos."""
    answers, places, undone, now = [], [], [], NOW
    while True:
        screen = next_screen(study, condition="all", seed=5, answers=answers, now=now)
        places.append(screen.place)
        if screen.is_last:
            return places, undone
        form = fill(screen, seed=5)
        may_undo = any(each.value == "undo" for each in screen.all_buttons)
        if may_undo and len(answers) % undo_every == 0:
            form["choice"] = "undo"
            undone.append(len(places) - 1)
        now += timedelta(seconds=5)
        values = parse_answer(screen, form).values
        answers.append(Answer(screen=screen.key, values=values, at=now, seconds=5.0))


@pytest.mark.parametrize("undo_every", [3, pytest.param(4, marks=pytest.mark.slow), 1000])
@pytest.mark.parametrize("algorithm", ["mixture", "bisection"])
def test_progress_never_goes_back_and_undo_never_moves_it_forward(algorithm, undo_every):
    study = _changed(algorithm=algorithm, queries=12, evaluation=3)
    places, undone = _walk_with_undo(study, undo_every=undo_every)
    assert (undone != []) == (undo_every != 1000)
    before_thanks = places[1:-1]
    assert len({place.total for place in before_thanks}) == 1
    assert len(before_thanks) > 15
    done = [place.done for place in before_thanks]
    assert done == sorted(done)
    assert all(places[each + 1].done == places[each].done for each in undone)
    assert places[-2].done == places[-2].total - 1  # one page to go, whatever came before
    assert places[2].at_most
    assert not places[-2].at_most


def test_a_second_try_at_practice_is_no_step_forward():
    study = CANCER.changed(demographics=())
    answers, seen = [], {}
    for _ in range(6):
        screen = next_screen(study, condition="all", seed=5, answers=answers, now=NOW)
        seen[screen.key] = screen.place.share
        form = fill(screen, seed=5) | ({"answer": "99999"} if "practice" in screen.key else {})
        values = parse_answer(screen, form).values
        answers.append(Answer(screen=screen.key, values=values, at=NOW, seconds=5.0))
    assert list(seen.values()) == sorted(seen.values())
    assert "practice-1-again" in seen
