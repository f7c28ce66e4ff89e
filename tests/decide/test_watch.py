"""A system in use, watched: verdicts, warnings, and what is refused."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.decide import watch
from howgood.errors import DroppedRowsWarning, InputError, MissingColumnError
from howgood.show.watching import acceptance_chart, watch_findings

START = datetime(2026, 3, 2, tzinfo=UTC)


def _answers(accepted, *, people=None, every=timedelta(hours=6)):
    who = [f"p{n}" for n in range(len(accepted))] if people is None else people
    times = [START + n * every for n in range(len(accepted))]
    return {"participant": who, "at": times, "accepted": accepted}


def _random(seed, n, before, after=None, change=None):
    rng = np.random.default_rng(seed)
    share = np.full(n, before) if after is None else np.where(np.arange(n) < change, before, after)
    return rng.random(n) < share


def test_verdicts_follow_the_bounds():
    assert watch(_answers([True] * 100), share=0.8).verdict == "pass"
    assert watch(_answers([False] * 20), share=0.8).verdict == "fail"
    few = watch(_answers([True, True, False]), share=0.8)
    assert few.verdict == "investigate"
    assert few.accepting.interval.kind == "every look"


def test_a_fall_is_noticed_about_where_it_happened():
    seen = watch(_answers(_random(1, 700, 0.85, 0.5, 400)))
    (change,) = seen.changes
    assert (change.whose, change.direction) == ("new people", "fell")
    began = datetime.fromisoformat(change.began_at)
    happened = START + 400 * timedelta(hours=6)
    assert abs(began - happened) < 50 * timedelta(hours=6)
    assert began <= datetime.fromisoformat(change.noticed_at)


def test_a_rise_is_called_a_rise():
    (change,) = watch(_answers(_random(2, 700, 0.5, 0.9, 400))).changes
    assert change.direction == "rose"


def test_the_same_people_becoming_less_content_is_noticed():
    """Forty people, twenty answers each; nobody new comes after the first."""
    rounds, people = 20, 40
    rng = np.random.default_rng(3)
    inclined = rng.uniform(0.7, 1.0, people)
    accepted, who = [], []
    for turn in range(rounds):
        for person in range(people):
            accepted.append(rng.random() < inclined[person] - (0.4 if turn >= 10 else 0.0))
            who.append(f"p{person}")
    seen = watch(_answers(accepted, people=who))
    assert [(change.whose, change.direction) for change in seen.changes] == [
        ("the same people", "fell")
    ]
    assert seen.n_people == people


def test_looking_earlier_shows_what_was_seen_then():
    """Later answers change no earlier warning."""
    accepted = list(_random(4, 600, 0.85, 0.4, 300))
    whole = watch(_answers(accepted)).changes[0]
    noticed = datetime.fromisoformat(whole.noticed_at)
    known = [n for n in range(600) if START + n * timedelta(hours=6) <= noticed]
    then = watch(_answers(accepted[: len(known)])).changes[0]
    assert (then.noticed_at, then.began_at) == (whole.noticed_at, whole.began_at)
    assert watch(_answers(accepted[: len(known) - 1])).changes == ()


def test_since_judges_the_new_and_draws_the_old():
    accepted = [True] * 60 + [False] * 60
    seen = watch(_answers(accepted), since=START + timedelta(hours=6 * 60))
    assert seen.n_people == 60
    assert seen.verdict == "fail"
    assert seen.changes == ()
    assert sum(seen.periods["answers"]) == 120


def test_periods_count_people_once_by_hand():
    """One person says yes, no in the week; another yes: (1/2 + 1) / 2."""
    answers = _answers([True, False, True], people=["a", "a", "b"])
    table = watch(answers, period="week").periods
    assert table["accepting"].tolist() == [0.75]
    assert (table["people"].tolist(), table["answers"].tolist()) == ([2], [3])


def test_ratings_and_yes_or_no_are_read_together():
    answers = {
        "participant": ["a", "b", "c", "d"], "at": ["2026-03-02T10:00:00Z"] * 4,
        "rating": [5, 4, None, None], "accepted": [None, None, "yes", "false"],
    }  # fmt: skip
    seen = watch(answers)
    assert seen.accepting.mean == 0.5
    assert seen.provenance.settings["values"] == "accepted or not"
    only_rated = {**answers, "rating": [5, 4, 6, 1]}
    assert watch(only_rated).provenance.settings["values"] == "ratings"


def test_rows_without_an_answer_are_left_out_and_counted():
    answers = _answers([True, None, False])
    with pytest.warns(DroppedRowsWarning, match="1 rows"):
        seen = watch(answers)
    assert seen.provenance.rows_dropped == {"no answer": 1}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"at": ["yesterday"] * 3}, "at: 'yesterday'; .*ISO 8601"),
        ({"accepted": ["perhaps"] * 3}, "numbers, or true and false"),
        ({"accepted": []}, "same length"),
    ],
)
def test_what_cannot_be_read_is_said(change, error):
    with pytest.raises(InputError, match=error):
        watch({**_answers([True, True, False]), **change})


def test_missing_columns_and_nothing_at_all_are_refused():
    with pytest.raises(MissingColumnError):
        watch({"participant": ["a"], "accepted": [True]})
    with pytest.raises(InputError, match="rating"):
        watch({"participant": ["a"], "at": [START]})
    with pytest.raises(InputError, match="at least one"):
        watch(_answers([True]), since="2030-01-01")


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 9))
def test_mirrored_answers_mirror_the_share_and_names_do_not_matter(accepted, n_people):
    people = [f"p{n % n_people}" for n in range(len(accepted))]
    seen = watch(_answers(accepted, people=people))
    mirrored = watch(_answers([not value for value in accepted], people=people))
    assert mirrored.accepting.mean == pytest.approx(1 - seen.accepting.mean)
    assert mirrored.accepting.interval.lower == pytest.approx(
        1 - seen.accepting.interval.upper, abs=1e-9
    )
    renamed = watch(_answers(accepted, people=[f"{who[::-1]}x" for who in people]))
    assert renamed.accepting.interval == seen.accepting.interval
    assert renamed.evidence_of_change == seen.evidence_of_change
    assert seen.accepting.mean in seen.accepting.interval


def test_sentences_and_the_chart_say_what_was_found():
    seen = watch(_answers(_random(1, 700, 0.85, 0.5, 400)))
    warned, said = (finding.text for finding in watch_findings(seen))
    assert "fell" in warned
    assert "at most 5 %" in warned
    assert "however often you look" in said
    chart = acceptance_chart(seen)
    assert chart.startswith("<svg")
    assert "new people: fell" in chart
    one = watch(_answers([True]))
    assert "No change was noticed" in watch_findings(one)[1].text
    assert "<circle" in acceptance_chart(one)
