"""The judgements of a study's people as a fit takes them."""

import numpy as np

from howgood.kinds.fit import Respondent, Sample
from howgood.kinds.study import Study
from howgood.records.screen import Participation

STUDY = Study.from_dict({
    "kind": "rerating", "slug": "songs", "title": "Songs", "consent": {"text": "I agree."},
    "rerating": {"question": "How much do you like it?", "scale": ["1", "2", "3"],
                 "items": [{"key": "a", "text": "First"}, {"key": "b", "text": "Second"}]},
})  # fmt: skip


def _row(participant, **changes):
    return {
        "participant": participant, "application": "bell", "part": "hypothetical",
        "precision": 0.5, "recall": 1.0, "rating": 6,
    } | changes  # fmt: skip


def _sample(*rows):
    person = Respondent(
        study=STUDY,
        participation=Participation(participant="1", condition="all", seed=1, answers=()),
        rows=rows,
    )
    return Sample(people=(person,), left_out={"test runs": 2}, policy="attentive")


def test_ratings_are_taken_as_they_were_stored_and_gaps_are_counted():
    sample = _sample(
        _row("1"),
        _row("1", rating=None),
        _row("1", part="useful", precision=None, recall=None, rating=3),
        _row("2", recall=0.25, rating=2),
    )
    answers = sample.answers("precision", "recall", scale=7, names={"bell": "The bell"})
    assert answers["participant"].tolist() == ["1", "2"]
    assert answers["application"].tolist() == ["The bell", "The bell"]
    assert answers["recall"].tolist() == [1.0, 0.25]
    assert answers["rating"].tolist() == [6.0, 2.0]
    assert answers["rating"].dtype == np.float64
    assert answers.provenance.rows_used == 2
    assert answers.provenance.rows_dropped == {"no rating": 1, "no precision": 1}
    assert answers.provenance.settings["scale"] == 7
    assert answers.provenance.settings["people_left_out"] == {"test runs": 2}


def test_two_scenarios_of_the_same_accuracy_are_two_answers(recwarn):
    sample = _sample(_row("1"), _row("1"))
    assert len(sample.answers("precision", "recall", scale=7)) == 2
    assert not recwarn.list


def test_a_study_without_ratings_gives_no_rows():
    answers = _sample(_row("1", rating=None)).answers("precision", "recall", scale=7)
    assert len(answers) == 0
    assert answers.provenance.rows_dropped == {"no rating": 1}
