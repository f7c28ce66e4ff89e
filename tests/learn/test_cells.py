"""Answers counted by question and person, and what they cannot say, by hand."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from howgood.errors import FewRespondentsWarning, InputError, NoEvidenceWarning
from howgood.learn.binary_model import accepted_from, cells_from, people_per_application, usual_cut
from howgood.learn.evidence import silent_applications, warn_about


class Rows(dict):
    """Columns by name, with the settings of the study."""

    def __init__(self, columns, **settings):
        super().__init__({name: np.array(values) for name, values in columns.items()})
        self.provenance = SimpleNamespace(settings=settings)


@pytest.mark.parametrize(("points", "cut"), [(7, 5), (5, 4), (6, 4), (4, 3), (2, 2)])
def test_without_a_cut_what_lies_above_the_middle_accepts(points, cut):
    assert usual_cut(Rows({}, scale=points)) == cut


def test_who_accepted_is_told_by_the_column_or_by_the_rating():
    assert accepted_from(Rows({"accepted": [1, 0, 1]}), 5).tolist() == [True, False, True]
    assert accepted_from(Rows({"rating": [4, 5, 7]}), 5).tolist() == [False, True, True]
    assert accepted_from(Rows({"rating": [1, 2]}), 2).tolist() == [False, True]
    assert accepted_from(Rows({"rating": [6, 7]}), 7).tolist() == [False, True]
    for cut, scale in ((1, {}), (8, {}), (6, {"scale": 5})):
        with pytest.raises(InputError, match="a rating from 2 to"):
            accepted_from(Rows({"rating": [1, 2]}, **scale), cut)


def _rows(*answers):
    """Rows of (application, participant, precision, recall), as the study wrote them."""
    names = ("application", "participant", "precision", "recall")
    return Rows(dict(zip(names, map(list, zip(*answers, strict=True)), strict=True)))


def test_answers_are_counted_by_question_and_outcome():
    rows = _rows(
        ("b", "ann", 0.5, 0.9), ("a", "ann", 0.5, 0.9), ("b", "bob", 0.5, 0.9),
        ("b", "bob", 0.7, 0.2), ("b", "bob", 0.7, 0.2),
    )  # fmt: skip
    cells = cells_from(rows, np.array([True, False, False, True, True]))
    assert cells.applications == ("a", "b")
    assert cells.application.tolist() == [0, 1, 1]
    assert cells.precision.tolist() == [0.5, 0.5, 0.7]
    assert cells.recall.tolist() == [0.9, 0.9, 0.2]
    # Three questions accepted, then the same three refused: one row for ann, one for bob.
    counts = sorted(cells.groups.counts.tolist())
    assert counts == [[0, 0, 2, 0, 1, 0], [0, 1, 0, 1, 0, 0]]
    assert people_per_application(rows) == {"a": 1, "b": 2}


VARIED = [(0.5, 0.9), (0.7, 0.2), (0.9, 0.6)]


def _cells(scenarios, accepted):
    rows = _rows(*(("a", f"p{k}", *pair) for k, pair in enumerate(scenarios)))
    return cells_from(rows, np.array(accepted, dtype=bool))


@pytest.mark.parametrize(
    ("scenarios", "accepted", "words"),
    [
        (VARIED, [1, 1, 1], "every answer accepts"),
        (VARIED, [0, 0, 0], "every answer refuses"),
        (VARIED[:1] * 3, [1, 0, 1], "a single scenario"),
        (VARIED[:2] * 2, [1, 0, 1, 0], "only two scenarios"),
        ([(0.5, 0.1), (0.5, 0.2), (0.5, 0.3)], [1, 0, 1], "never varied"),
        ([(0.1, 0.5), (0.2, 0.5), (0.3, 0.5)], [1, 0, 1], "never varied"),
        ([(0.1, 0.1), (0.2, 0.2), (0.3, 0.3)], [1, 0, 1], "precision equals recall"),
    ],
)
def test_what_answers_cannot_say_is_told(scenarios, accepted, words):
    cells = _cells(scenarios, accepted)
    assert words in silent_applications(cells)["a"]
    with pytest.warns(NoEvidenceWarning, match=words):
        warn_about(cells, {"a": 30})


@pytest.mark.parametrize("accepted", [[1, 0, 0], [1, 1, 0]])
def test_one_answer_that_differs_is_enough_to_say_something(accepted):
    assert silent_applications(_cells(VARIED, accepted)) == {}
    partly_equal = [(0.1, 0.1), (0.2, 0.2), (0.3, 0.6)]
    assert silent_applications(_cells(partly_equal, accepted)) == {}
    two_values = [(0.1, 0.1), (0.1, 0.2), (0.2, 0.1)]
    assert silent_applications(_cells(two_values, accepted)) == {}


def test_fewer_than_ten_people_are_few():
    cells = _cells(VARIED, [1, 0, 0])
    with pytest.warns(FewRespondentsWarning, match=r"'a' \(9\): 20 to 25"):
        warn_about(cells, {"a": 9, "b": 10})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about(cells, {"a": 10})
