"""From the first page to the last, without a server."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from howgood.flow.participate import choose_condition, conditions, next_screen, take_part
from howgood.flow.study_files import read_study
from howgood.kinds.study import Study
from howgood.records.screen import Answer, Screen

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
EXAMPLES = Path(__file__).parents[3] / "examples"


def rerating(**changes):
    plan = {
        "question": "How much do you like it?",
        "scale": ["1", "2", "3", "4", "5"],
        "items": [{"key": key, "text": key.upper()} for key in "abcdefgh"],
        "rounds": 3,
    }
    return Study.from_dict(
        {
            "kind": "rerating",
            "slug": "songs",
            "title": "Songs",
            "consent": {"text": "I agree."},
            "rerating": {**plan, **changes},
        }
    )


def test_a_round_shows_every_item_once_in_an_order_of_its_own():
    screens, _ = take_part(rerating(), seed=3, now=NOW)
    orders = [
        [screen.key for screen in screens if screen.key.startswith(f"round-{number}-")]
        for number in (1, 2, 3)
    ]
    assert [len(order) for order in orders] == [8, 8, 8]
    without_round = [[key.rpartition("-")[2] for key in order] for order in orders]
    assert {tuple(sorted(order)) for order in without_round} == {tuple("abcdefgh")}
    assert without_round[0] != without_round[1]


def test_keys_are_unique_and_progress_only_rises():
    screens, _ = take_part(rerating(), seed=3, now=NOW)
    keys = [screen.key for screen in screens]
    assert len(set(keys)) == len(keys)
    shares = [screen.place.share for screen in screens]
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda each: each.stem)
def test_progress_only_rises_in_every_study_that_is_shipped(path):
    for seed in range(4):
        study = read_study(path)
        screens, _ = take_part(study, seed=seed, now=NOW)
        totals = [screen.place.total for screen in screens[1:-1] if screen.kind != "wait"]
        shares = [screen.place.share for screen in screens]
        assert shares == sorted(shares)
        # Rules can only leave pages out: there are never more to come than were announced.
        assert totals == sorted(totals, reverse=True)
        has_rules = any(question.show_if for question in (*study.demographics, *study.closing))
        assert has_rules or len(set(totals)) == 1


def test_a_wait_says_its_time_for_every_zone():
    study = rerating(delay_minutes=60)
    screens, _ = take_part(study, seed=3, now=NOW)
    wait = next(each for each in screens if each.kind == "wait")
    (said,) = [each for each in wait.blocks[0].words if each.moment]
    assert said.text.endswith(" UTC")
    shown, opens = datetime.fromisoformat(said.moment), datetime.fromisoformat(wait.until)
    assert timedelta(0) <= shown - opens < timedelta(minutes=1)
    assert shown.strftime("%H:%M") in said.text


def test_a_round_waits_until_its_time_has_come():
    study = rerating(delay_minutes=60)
    _, whole = take_part(study, seed=3, now=NOW)
    first_round = [
        each for each in whole.answers if not each.screen.startswith(("round-2", "round-3"))
    ]
    last = first_round[-1].at

    def at(moment):
        return next_screen(study, condition="all", seed=3, answers=first_round, now=moment)

    early = at(last + timedelta(minutes=59))
    assert (early.kind, early.until) == ("wait", (last + timedelta(hours=1)).isoformat())
    assert not early.awaits_answer
    assert at(last + timedelta(minutes=60)).key == "round-2"


def test_declining_ends_at_once():
    declined = [Answer(screen="consent", values={"consent": "no"}, at=NOW)]
    screen = next_screen(rerating(), condition=None, seed=1, answers=declined, now=NOW)
    assert screen.kind == "declined"
    assert screen.is_last


def test_screens_survive_a_round_trip_through_plain_values():
    for screen in take_part(rerating(delay_minutes=5), seed=3, now=NOW)[0]:
        assert Screen.from_dict(screen.to_dict()) == screen


@pytest.mark.parametrize("seed", range(5))
def test_without_branches_everybody_is_in_one_condition(seed):
    assert conditions(rerating()) == ("all",)
    assert choose_condition(rerating(), {"all": 7}, seed) == "all"


def test_a_screen_written_by_parts_is_the_screen():
    """What `to_dict` leaves out is what reading fills in, whatever kind of study it is."""
    for path in sorted(EXAMPLES.glob("*.toml")):
        screens, _ = take_part(read_study(path), seed=3, now=NOW)
        assert all(Screen.from_dict(each.to_dict()) == each for each in screens)


def test_the_last_of_ten_thousand_ratings_takes_no_longer_than_a_blink():
    items = [{"key": f"i{number}", "text": "This"} for number in range(2000)]
    study = rerating(items=items, rounds=5)
    agreed = Answer(screen="consent", values={"consent": "yes"}, at=NOW)
    given = [agreed]
    for trial in range(1, 6):
        rated = [f"round-{trial}", *(f"round-{trial}-i{number}" for number in range(2000))]
        given += [Answer(screen=each, values={"rating": 1}, at=NOW) for each in rated]
    took = []
    for _ in range(3):
        begun = time.process_time()
        screen = next_screen(study, condition="all", seed=1, answers=given[:-1], now=NOW)
        took.append(time.process_time() - begun)
    assert screen.key == given[-1].screen
    assert screen.place.total == 10_006
    assert 8_004 < screen.place.done < 10_006
    assert min(took) < 0.05
