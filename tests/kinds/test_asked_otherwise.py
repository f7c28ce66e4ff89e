"""People whom another version of howgood asked: no choice is taken for one between other pairs."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from howgood.flow.participate import answers_as_rows, take_part
from howgood.flow.study_files import new_study, read_study
from howgood.kinds import kind_of
from howgood.kinds.fit import Respondent, Sample, pair_cautions

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEPT = 5


@pytest.fixture(params=["comparison", "criteria"])
def asked(request, tmp_path):
    study = read_study(new_study(request.param, tmp_path / "study.toml"))
    _, participation = take_part(study, seed=5, now=NOW)
    return study, participation


def _pairs(participation):
    return [answer for answer in participation.answers if answer.screen.startswith("compare-")]


def _otherwise(participation, choice):
    """Return the same way where later pairs had their sides exchanged, and this was chosen."""
    later = {answer.screen for answer in _pairs(participation)[KEPT:]}
    return replace(
        participation,
        answers=tuple(
            answer._replace(values={**answer.values, "choice": choice,
                                    "pair": " / ".join(answer.values["pair"].split(" / ")[::-1])})
            if answer.screen in later else answer
            for answer in participation.answers
        ),
    )  # fmt: skip


def test_choices_count_up_to_the_first_pair_that_would_not_be_asked_now(asked):
    study, participation = asked
    of_pairs = {answer.screen for answer in _pairs(participation)[KEPT:]}
    begun = replace(
        participation,
        answers=tuple(each for each in participation.answers if each.screen not in of_pairs),
    )
    expected = kind_of(study).person_facts(study, begun)
    for choice in ("first", "second"):
        found = kind_of(study).person_facts(study, _otherwise(participation, choice))
        assert found == expected


def test_every_pair_that_was_shown_is_in_the_data(asked):
    """Also where this version would have asked for fewer."""
    study, participation = asked
    pairs = _pairs(participation)
    more = pairs[-1]._replace(screen=f"compare-{len(pairs) + 1}")
    longer = replace(participation, answers=(*participation.answers, more))
    rows = answers_as_rows(study, longer)
    assert len(rows) == len(pairs) + 1
    assert [row["kind"] is None for row in rows] == [False] * len(pairs) + [True]


def test_the_report_says_for_how_many(asked):
    study, participation = asked
    people = [
        Respondent(study=study, participation=each, rows=answers_as_rows(study, each))
        for each in (participation, _otherwise(participation, "first"))
    ]
    sample = Sample(people=tuple(people), left_out={}, policy="attentive")
    (said,) = pair_cautions(sample)
    assert said.startswith("1 of 2 people were asked by another version")
    whole = replace(sample, people=(people[0],))
    assert pair_cautions(whole) == ()
