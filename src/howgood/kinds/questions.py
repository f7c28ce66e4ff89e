"""Questions about the person: one class per type, registered once.

In: what a study file says. Out: `Question`, and per type how it is checked, shown, imported,
described in the codebook and exported. Absent: how what was filled in is read (`field_types`), the
tasks, file formats.

A new type is one class and one line of `QUESTION_TYPES`; if no field there is shows it, one more
class in `field_types`. A type that needs keys of its own has a record that adds them.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, Literal, Self, TypeVar, cast

from pydantic import Field as Key
from pydantic import (
    ModelWrapValidatorHandler,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticKnownError, to_jsonable_python

from howgood.ask.sentences import sentence
from howgood.kinds.cells import WrongCellError, number, on_scale, readings
from howgood.kinds.plan import Picture, repeated_keys, too_few
from howgood.kinds.rules import Rules, in_words
from howgood.kinds.seeded import shuffled
from howgood.records.codebook import Column, ColumnType, scale_levels
from howgood.records.record import CoherentRecord, Problem, Record
from howgood.records.screen import AnswerValue, Field, FieldOption

# Question has a field `type`, which hides the builtin inside the class.
RecordType = type[Record]
_MOST_DIGITS = 4  # of an option's place


class Option(Record):
    """One answer that can be chosen."""

    key: str = Key(description="short name in the data")
    text: str = Key(description="what people read")
    picture: Picture | None = Key(default=None, description="shown above the text")


def _name_types(schema: dict[str, Any]) -> None:
    schema["enum"] = list(QUESTION_TYPES)


class Question(CoherentRecord):
    """A question outside the task: about the person, or about what they thought."""

    key: str = Key(description="name of the column in the data")
    text: str = Key(description="the question")
    type: str = Key(
        default="choice",
        description="choice (one), choices (several), scale, number, text, slider, date, pictures, "
        "matrix, ranking or sum",
        json_schema_extra=_name_types,
    )
    options: tuple[Option, ...] = Key(default=(), description="what can be chosen")
    scale: tuple[str, ...] = Key(
        default=(), description="labels of a scale, lowest first; type scale only"
    )
    minimum: float | None = Key(default=None, description="smallest number allowed")
    maximum: float | None = Key(default=None, description="largest number allowed")
    unit: str = Key(default="", description="unit of a number, such as kg")
    help: str = Key(default="", description="a line in small print below the question")
    required: bool = Key(default=False, description="people cannot go on without an answer")
    show_if: Rules = Key(
        default=(), description="asked only if all of these hold; comes on a page after them"
    )
    block: str = Key(default="", description="random block the question belongs to")
    new_page: bool = Key(default=False, description="begins a new page")
    shuffle_options: bool = Key(default=False, description="options in an order of chance")

    @model_validator(mode="wrap")
    @classmethod
    def _of_its_type(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - plain values
        """Read a type that has keys of its own as the record that knows them."""
        record = cls.variant(data) if cls is Question else cls
        return handler(data) if record is cls else cast(Self, record.model_validate(data))

    @model_serializer(mode="wrap")
    def _whole(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write the keys of a type's own too, wherever a question is expected."""
        values: dict[str, Any] = handler(self)
        for name, key in type(self).model_fields.items():
            is_left_out = name in values or name in Question.model_fields
            if not is_left_out and (value := getattr(self, name)) != key.get_default():
                values[name] = to_jsonable_python(value)
        return values

    @classmethod
    def variant(cls, data: object) -> RecordType:
        """Return the record of the type that the data name."""
        named = data.get("type") if isinstance(data, Mapping) else None
        known = QUESTION_TYPES.get(named) if isinstance(named, str) else None
        return cls if known is None else known.record

    @field_validator("type")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in QUESTION_TYPES:
            expected = ", ".join(f"'{known}'" for known in QUESTION_TYPES)
            raise PydanticKnownError("literal_error", {"expected": expected})
        return name

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        return repeated_keys(self.options, ("options",)) + question_type(self).problems(self)


SomeQuestion = TypeVar("SomeQuestion", bound=Question)


class QuestionType(ABC, Generic[SomeQuestion]):
    """One type of question, as study files name it.

    `limesurvey` is LimeSurvey's letter of the type and `qualtrics` Qualtrics' name of it; where
    `choices_as_subquestions`, LimeSurvey has a column for every choice. A question that
    `has_several_answers` has a field and a column for each. `shuffles` says what an order of chance
    moves: the options of a field, the answers of a question with several, or nothing, since the
    points of a scale have an order of their own.
    """

    name: str
    record: type[Question] = Question
    column_type: ColumnType = "text"
    limesurvey: str
    qualtrics: str
    choices_as_subquestions: bool = False
    has_several_answers: bool = False
    shuffles: Literal["", "options", "answers"] = ""

    def problems(self, question: SomeQuestion) -> list[Problem]:
        """Return what does not fit together in a question of this type."""
        return []

    @abstractmethod
    def fields(self, question: SomeQuestion, language: str) -> tuple[Field, ...]:
        """Return what is filled in on a screen; nobody has to answer unless `required` says so."""

    @abstractmethod
    def read_cell(self, question: SomeQuestion, text: str) -> AnswerValue:
        """Return the answer in a cell of a table, or raise `WrongCellError`."""

    def names(self, question: SomeQuestion) -> tuple[str, ...]:
        """Return the names of the answers: of the fields, and of the columns."""
        return (question.key,)

    def parts(self, question: SomeQuestion) -> tuple[Option, ...]:
        """Return what can be chosen or, with several answers, what each is about."""
        return question.options

    def columns(self, question: SomeQuestion) -> tuple[Column, ...]:
        """Return the columns of the answer: named as the fields."""
        return (
            Column(
                name=question.key,
                type=self.column_type,
                meaning=self.meaning(question),
                question=question.text,
                levels=self.levels(question),
            ),
        )

    def meaning(self, question: SomeQuestion) -> str:
        """Return what a column of the answer holds, for the codebook."""
        return f"answer{f' in {question.unit}' if question.unit else ''}; empty: not given"

    def levels(self, question: SomeQuestion) -> dict[str, str]:
        """Return the values an answer can take, and what people read for them."""
        return {option.key: option.text for option in question.options}

    def choices(self, question: SomeQuestion) -> Sequence[str]:
        """Return the texts to choose from, for other programs."""
        return [option.text for option in question.options] or question.scale


def _declined(question: Question, language: str) -> tuple[FieldOption, ...]:
    """Return the option to say nothing, where nobody has to answer."""
    option = FieldOption(value="", label=sentence(language, "prefer_not_to_say"))
    return () if question.required else (option,)


def help_line(question: Question, language: str) -> str:
    """Return the line in small print; an answer nobody has to give may stay empty."""
    leave_empty = "" if question.required else sentence(language, "leave_empty")
    return " ".join(filter(None, (question.help, leave_empty)))


class ChoiceQuestion(QuestionType[Question]):
    """One of several options."""

    name = "choice"
    limesurvey = "L"
    qualtrics = "MC:SingleAnswer:Vertical"
    field_kind = "choice"
    shuffles = "options"

    def problems(self, question: Question) -> list[Problem]:
        """Want two options at least."""
        if len(question.options) >= 2:
            return []
        return [too_few(question.options, ("options",), "options", "Add an option.")]

    def fields(self, question: Question, language: str) -> tuple[Field, ...]:
        """Return the options, and one to say nothing."""
        options = [
            FieldOption(
                value=option.key,
                label=option.text,
                file=option.picture.file if option.picture else "",
                alternative=option.picture.alternative if option.picture else "",
            )
            for option in question.options
        ]
        return (
            Field(
                name=question.key,
                kind=self.field_kind,
                label=question.text,
                options=(*options, *_declined(question, language)),
                required=question.required,
                help=question.help,
            ),
        )

    def read_cell(self, question: Question, text: str) -> AnswerValue:
        """Return the option with this key or text, or at this place."""
        return _option(question, text)


class ChoicesQuestion(ChoiceQuestion):
    """Any number of several options."""

    name = field_kind = "choices"
    limesurvey = "M"
    qualtrics = "MC:MultipleAnswer:Vertical"
    choices_as_subquestions = True

    def read_cell(self, question: Question, text: str) -> AnswerValue:
        """Return the options between commas or semicolons."""
        parts = [part.strip() for part in re.split(r"[;,]", text) if part.strip()]
        return sorted_choices(question, [_option(question, part) for part in parts])

    def meaning(self, question: Question) -> str:
        """Say how several answers stand in one cell."""
        return "answers chosen, separated by ;"


class ScaleQuestion(QuestionType[Question]):
    """A point on a scale of labels."""

    name = "scale"
    limesurvey = "L"
    qualtrics = "MC:SingleAnswer:Vertical"

    def problems(self, question: Question) -> list[Problem]:
        """Want two labels at least."""
        if len(question.scale) >= 2:
            return []
        return [too_few(question.scale, ("scale",), "labels", "Add a label.")]

    def fields(self, question: Question, language: str) -> tuple[Field, ...]:
        """Return the points as options, since one of them is to say nothing."""
        points = [
            FieldOption(value=str(place), label=label)
            for place, label in enumerate(question.scale, start=1)
        ]
        return (
            Field(
                name=question.key,
                kind="choice",
                label=question.text,
                options=(*points, *_declined(question, language)),
                required=question.required,
                help=question.help,
            ),
        )

    def read_cell(self, question: Question, text: str) -> AnswerValue:
        """Return the point that a number or a label means."""
        return str(on_scale(text, question.scale))

    def levels(self, question: Question) -> dict[str, str]:
        """Return the labels by their place from 1."""
        return scale_levels(question.scale)


class NumberQuestion(QuestionType[Question]):
    """A number, perhaps in a range."""

    name = "number"
    column_type: ColumnType = "number"
    limesurvey = "N"
    qualtrics = "TE:SingleLine"

    def fields(self, question: Question, language: str) -> tuple[Field, ...]:
        """Return a line for the number, which may stay empty."""
        return (
            Field(
                name=question.key,
                kind=self.name,
                label=question.text,
                required=question.required,
                minimum=question.minimum,
                maximum=question.maximum,
                unit=question.unit,
                help=help_line(question, language),
            ),
        )

    def read_cell(self, question: Question, text: str) -> AnswerValue:
        """Return a number of the range."""
        given = number(text)
        low, high = question.minimum, question.maximum
        if (low is not None and given < low) or (high is not None and given > high):
            raise WrongCellError(f"a number from {low} to {high}")
        return given


class TextQuestion(NumberQuestion):
    """Free text."""

    name = "text"
    column_type: ColumnType = "text"
    limesurvey = "T"
    qualtrics = "TE:Essay"

    def read_cell(self, question: Question, text: str) -> AnswerValue:
        """Return the text."""
        return text


QUESTION_TYPES: dict[str, QuestionType[Any]] = {
    type_.name: type_
    for type_ in (
        ChoiceQuestion(),
        ChoicesQuestion(),
        ScaleQuestion(),
        NumberQuestion(),
        TextQuestion(),
    )
}


def names_of_types(record: type, name: str) -> tuple[str, ...]:
    """Return what the key `type` of a question can be; nothing for other keys."""
    return tuple(QUESTION_TYPES) if name == "type" and issubclass(record, Question) else ()


def question_type(question: Question) -> QuestionType[Any]:
    """Return the type of a question."""
    return QUESTION_TYPES[question.type]


def question_fields(
    questions: Iterable[Question], language: str, *, seed: int | None = None
) -> tuple[Field, ...]:
    """Return the fields of questions on one screen; a seed decides orders of chance."""
    return tuple(
        field
        for question in questions
        for field in _ordered(
            question_type(question).fields(question, language), what_shuffles(question), seed
        )
    )


def what_shuffles(question: Question) -> str:
    """Return what of a question comes in an order of chance: options, answers, or nothing."""
    return question_type(question).shuffles if question.shuffle_options else ""


def _ordered(fields: tuple[Field, ...], moved: str, seed: int | None) -> tuple[Field, ...]:
    """Return the fields of a question as a person sees them; what is said once comes first."""
    if seed is None or not moved or not fields:
        return fields
    if moved == "options":
        return tuple(_shuffled(field, seed) for field in fields)
    first, *others = shuffled(fields, seed, "options", fields[0].name)
    said_once = first.changed(heading=fields[0].heading, help=fields[0].help)
    return (said_once, *(field.changed(heading="", help="") for field in others))


def _shuffled(field: Field, seed: int) -> Field:
    """Return a field with its options in an order of chance; saying nothing stays last."""
    real = [option for option in field.options if option.value]
    nothing = [option for option in field.options if not option.value]
    return field.changed(options=(*shuffled(real, seed, "options", field.name), *nothing))


def question_columns(questions: Iterable[Question]) -> Iterator[Column]:
    """Yield the columns of questions; those that not everybody is asked say who is."""
    for question in questions:
        for column in question_type(question).columns(question):
            asked = f"; asked if {in_words(question.show_if)}" if question.show_if else ""
            in_block = f"; in the random block {question.block}" if question.block else ""
            yield replace(column, meaning=column.meaning + asked + in_block)


def answer_in_cell(question: Question, text: str, *, language: str) -> AnswerValue:
    """Return the answer to a question in a cell of a table; None for no answer."""
    if not text or text.casefold() == sentence(language, "prefer_not_to_say").casefold():
        return None
    given: AnswerValue = question_type(question).read_cell(question, text)
    return given


def sorted_choices(question: Question, keys: Sequence[str]) -> AnswerValue:
    """Return chosen keys in the order of the question, each once."""
    return [option.key for option in question.options if option.key in keys] or None


def _option(question: Question, text: str) -> str:
    """Return the option with this key or text, or at this place."""
    meant = readings(text)
    for option in question.options:
        if meant & {option.key.casefold(), option.text.casefold()}:
            return option.key
    is_place = text.isdecimal() and len(text) <= _MOST_DIGITS
    if is_place and 1 <= int(text) <= len(question.options):
        return question.options[int(text) - 1].key
    known = ", ".join(option.key for option in question.options)
    raise WrongCellError(f"one of {known}")
