"""From the first page to the last, without a server."""

from datetime import UTC, datetime, timedelta

import pytest

from howgood.flow.participate import choose_condition, conditions, next_screen, take_part
from howgood.records.screen import Answer, Screen
from howgood.records.study import Study

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)


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
