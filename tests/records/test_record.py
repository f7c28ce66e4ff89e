"""What is wrong with plain values, in our words and at its place."""

from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Discriminator, Field, ValidationError

from howgood.errors import ManyProblemsError
from howgood.records.record import (
    CoherentRecord,
    Problem,
    Record,
    bounds,
    check_record,
    read_record,
    records_in,
    written,
    written_fields,
)


class Cat(Record):
    """One that is told apart by `animal`."""

    name: str = Field(description="what it is called")
    animal: Literal["cat"] = "cat"


class Dog(Record):
    """The other."""

    bark: float
    animal: Literal["dog"] = "dog"


class House(CoherentRecord):
    """A record with every kind of field."""

    street: str = Field(description="where it stands")
    floors: int = Field(default=1, description="how many", ge=1, le=9)
    height: float | None = Field(default=None, ge=0)
    is_old: bool = False
    colour: Literal["red", "green"] = "red"
    levels: tuple[float | str, ...] = ()
    notes: dict[str, str] = Field(default_factory=dict)
    pets: tuple[Annotated[Cat | Dog, Discriminator("animal")], ...] = ()
    stamp: str = Field(default="", json_schema_extra={"filled": True})

    def problems(self) -> list[Problem]:
        """Refuse a house that is lower than its floors."""
        if self.height is None or self.height >= self.floors:
            return []
        return [Problem(path=("height",), found="too low", needed="room", cure="Build higher.")]


RIGHT = {"street": "Elm", "levels": [1, "2/3"], "pets": [{"animal": "cat", "name": "Tom"}]}


@pytest.mark.parametrize(
    ("change", "place", "found", "needed", "cure"),
    [
        ({"street": 3}, "street", "3", "text", 'Put it in quotes: "...".'),
        ({"floors": "3"}, "floors", "'3'", "a whole number", "Write it without quotes."),
        ({"floors": 2.5}, "floors", "2.5", "a whole number", "Write it without quotes."),
        ({"floors": True}, "floors", "True", "a whole number", "Change it."),
        ({"floors": 12}, "floors", "12", "from 1 to 9", "Change the number."),
        ({"height": -1}, "height", "-1", "at least 0", "Change the number."),
        ({"height": float("nan")}, "height", "nan", "a number of a sensible size", "Change it."),
        ({"is_old": 1}, "is_old", "1", "true or false", "Write it without quotes."),
        ({"colour": "gren"}, "colour", "'gren'", "one of red, green", "Did you mean 'green'?"),
        ({"levels": "1"}, "levels", "'1'", "a list", "Put the values in [ ]."),
        ({"levels": [None]}, "levels[1]", "None", "text", 'Put it in quotes: "...".'),
        ({"notes": []}, "notes", "a list of 0", "a table of keys", "Write its keys one by one."),
        ({"notes": {"a": 1}}, "notes.a", "1", "text", 'Put it in quotes: "...".'),
        ({"pets": [4]}, "pets[1]", "4", "a table of keys", "Write its keys one by one."),
        ({"pets": [{"animal": "cow"}]}, "pets[1]", "'cow'", "'animal', which says what it is",
         "Name it."),
        ({"stret": "x"}, "stret", "an unknown key 'stret'", "only known keys",
         "Known here: street, floors, height, is_old, colour, levels, notes, pets, stamp."),
        ({"street": "a\x00"}, "street", "a character zero", "text that can be stored",
         "Take it out."),
        ({"floors": 10**30}, "floors", "a whole number of more than 18 digits",
         "a number of a sensible size", "Change it."),
        ({"height": 0.5}, "height", "too low", "room", "Build higher."),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_with_its_place_and_what_to_do(change, place, found, needed, cure):
    made, problems = check_record(House, RIGHT | change)
    assert made is None
    told = problems[0]
    assert (written(told.path), told.found, told.needed, told.cure) == (place, found, needed, cure)


def test_a_misspelt_key_is_one_problem_and_not_two():
    _, problems = check_record(House, {"stret": "Elm"})
    assert [problem.cure for problem in problems] == ["Did you mean 'street'?"]


def test_a_key_that_is_missing_says_what_it_is_for():
    _, problems = check_record(House, RIGHT | {"pets": [{"animal": "cat"}]})
    (problem,) = problems
    assert written(problem.path) == "pets[1]"
    assert (problem.found, problem.needed, problem.cure) == (
        "no 'name'", "'name': what it is called", "Add name.",
    )  # fmt: skip


def test_everything_that_is_wrong_is_told_at_once():
    with pytest.raises(ManyProblemsError, match="the house, street") as caught:
        read_record(House, {"street": 1, "floors": 0, "levels": [[]]}, where="the house")
    assert [written(each.path) for each in caught.value.problems] == [
        "street",
        "floors",
        "levels[1]",
    ]


def test_plain_values_come_back_without_what_is_usual():
    house = read_record(House, RIGHT | {"floors": 1}, where="x")
    assert house.to_dict() == {"street": "Elm", "levels": [1.0, "2/3"], "pets": [{"name": "Tom"}]}


def test_a_changed_record_is_checked_and_the_first_one_stays():
    house = read_record(House, RIGHT, where="x")
    assert (house.changed(floors=2).floors, house.floors) == (2, 1)
    with pytest.raises(ManyProblemsError, match="from 1 to 9"):
        house.changed(floors=0)
    with pytest.raises(ValidationError):
        house.floors = 3


def test_lists_too_deep_in_each_other_are_a_problem_and_no_crash():
    deep = []
    for _ in range(900):
        deep = [deep]
    _, problems = check_record(House, RIGHT | {"levels": deep})
    assert any("in each other" in problem.found for problem in problems)


def test_forms_and_references_read_the_same_fields():
    assert "stamp" not in dict(written_fields(House))
    assert bounds(House.model_fields["floors"]) == (1, 9)
    assert records_in(House.model_fields["pets"].annotation) == [Cat, Dog]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from([*House.model_fields]), JSON)
def test_whatever_stands_there_is_a_house_or_a_list_of_problems(name, value):
    made, problems = check_record(House, RIGHT | {name: value})
    assert (made is None) == bool(problems)
    assert all(problem.needed and problem.cure for problem in problems)
