"""More types of questions: slider, date, matrix, ranking, constant sum, pictures.

In: what a study file says. Out: one class per type; `kind_registry` adds them. Absent: the simple
types (`questions`), how a field is read (`field_types`).

A question with several answers has a field, and a column, for each: `trust-doctor` is the row
`doctor` of the matrix `trust`. All of them work without scripts.
"""

from datetime import date
from typing import Any, TypeVar

from pydantic import Field as Key

from howgood.ask.sentences import labels, sentence
from howgood.kinds.cells import WrongCellError, number, on_scale
from howgood.kinds.plan import too_few
from howgood.kinds.questions import (
    ChoiceQuestion,
    Option,
    Question,
    QuestionType,
    help_line,
)
from howgood.records.codebook import Column, ColumnType, scale_levels
from howgood.records.record import Problem
from howgood.records.screen import AnswerValue, Field, FieldOption

Several = TypeVar("Several", bound=Question)


class SliderRecord(Question):
    """A question that is answered with a point on a line."""

    low: str = Key(default="", description="label of the left end")
    high: str = Key(default="", description="label of the right end")
    step: float = Key(default=1.0, description="distance between two points", gt=0)


class SliderQuestion(QuestionType[SliderRecord]):
    """A point on a line; its first stop means that nothing is chosen yet."""

    name = "slider"
    record = SliderRecord
    column_type: ColumnType = "number"
    limesurvey = "N"
    qualtrics = "TE:SingleLine"

    def problems(self, question: SliderRecord) -> list[Problem]:
        """Want room for two points at least."""
        low, high = self._ends(question)
        if high - low >= question.step:
            return []
        return [
            Problem(
                path=("maximum",),
                found=f"from {low:g} to {high:g} in steps of {question.step:g}",
                needed="two points at least",
                cure="Raise the maximum, or lower the step.",
            )
        ]

    def fields(self, question: SliderRecord, language: str) -> tuple[Field, ...]:
        """Return the line with the labels of its ends."""
        low, high = self._ends(question)
        return (
            Field(
                name=question.key,
                kind=self.name,
                label=question.text,
                required=question.required,
                minimum=low,
                maximum=high,
                step=question.step,
                unit=question.unit,
                options=(
                    FieldOption(value="low", label=question.low or f"{low:g}"),
                    FieldOption(value="high", label=question.high or f"{high:g}"),
                ),
                help=" ".join(filter(None, (question.help, sentence(language, "slider_help")))),
            ),
        )

    def read_cell(self, question: SliderRecord, text: str) -> AnswerValue:
        """Return a number on the line."""
        low, high = self._ends(question)
        given = number(text)
        if not low <= given <= high:
            raise WrongCellError(f"a number from {low:g} to {high:g}")
        return given

    def meaning(self, question: SliderRecord) -> str:
        """Say where the line begins and ends."""
        low, high = self._ends(question)
        return f"point from {low:g} to {high:g}; empty: not given"

    def levels(self, question: SliderRecord) -> dict[str, str]:
        """Return nothing: a point is no level."""
        return {}

    @staticmethod
    def _ends(question: SliderRecord) -> tuple[float, float]:
        low = 0.0 if question.minimum is None else question.minimum
        return low, 100.0 if question.maximum is None else question.maximum


class DateRecord(Question):
    """A question that is answered with a day."""

    earliest: str = Key(default="", description="first day allowed, like 2026-01-31")
    latest: str = Key(default="", description="last day allowed, like 2026-12-31")


class DateQuestion(QuestionType[DateRecord]):
    """A day."""

    name = "date"
    record = DateRecord
    limesurvey = "D"
    qualtrics = "TE:SingleLine"

    def problems(self, question: DateRecord) -> list[Problem]:
        """Want days that there are."""
        return [
            Problem(
                path=(name,),
                found=repr(text),
                needed="a day like 2026-01-31",
                cure="Write year, month and day.",
            )
            for name in ("earliest", "latest")
            if (text := getattr(question, name)) and _day(text) is None
        ]

    def fields(self, question: DateRecord, language: str) -> tuple[Field, ...]:
        """Return a line for the day, which may stay empty."""
        return (
            Field(
                name=question.key,
                kind=self.name,
                label=question.text,
                required=question.required,
                earliest=question.earliest,
                latest=question.latest,
                help=help_line(question, language),
            ),
        )

    def read_cell(self, question: DateRecord, text: str) -> AnswerValue:
        """Return the day as 2026-01-31."""
        day = _day(text[:10])
        if day is None:
            raise WrongCellError("a day like 2026-01-31")
        return day.isoformat()

    def meaning(self, question: DateRecord) -> str:
        """Say how a day is written."""
        return "day as 2026-01-31; empty: not given"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


class PictureQuestion(ChoiceQuestion):
    """One of several pictures."""

    name = "pictures"
    field_kind = "choice"

    def problems(self, question: Question) -> list[Problem]:
        """Want a picture with every option."""
        return super().problems(question) + [
            Problem(
                path=("options", index),
                found="an option without a picture",
                needed="a picture for every option",
                cure='Add one: picture = { file = "cat.png", alternative = "A cat" }.',
            )
            for index, option in enumerate(question.options)
            if option.picture is None
        ]


class _SeveralAnswers(QuestionType[Several]):
    """A question with an answer for each of its parts."""

    has_several_answers = True
    qualtrics = "Matrix"
    shuffles = "answers"

    def names(self, question: Several) -> tuple[str, ...]:
        """Return a name for each part."""
        return tuple(f"{question.key}-{part.key}" for part in self.parts(question))

    def problems(self, question: Several) -> list[Problem]:
        """Want two parts at least."""
        if len(question.options) >= 2:
            return []
        return [too_few(question.options, ("options",), "options", "Add an option.")]

    def columns(self, question: Several) -> tuple[Column, ...]:
        """Return a column for each part."""
        return tuple(
            Column(
                name=name,
                type=self.column_type,
                meaning=self.meaning(question),
                question=f"{question.text} {part.text}",
                levels=self.levels(question),
            )
            for name, part in zip(self.names(question), self.parts(question), strict=True)
        )


class MatrixRecord(Question):
    """A question that is answered for each of several rows."""

    rows: tuple[Option, ...] = Key(default=(), description="what is rated, one row each")


class MatrixQuestion(_SeveralAnswers[MatrixRecord]):
    """Several things on one scale."""

    name = "matrix"
    record = MatrixRecord
    column_type: ColumnType = "integer"
    limesurvey = "F"

    def parts(self, question: MatrixRecord) -> tuple[Option, ...]:
        """Return the rows."""
        return question.rows

    def problems(self, question: MatrixRecord) -> list[Problem]:
        """Want two rows and two labels at least."""
        problems = []
        if len(question.rows) < 2:
            problems.append(too_few(question.rows, ("rows",), "rows", "Add a row."))
        if len(question.scale) < 2:
            problems.append(too_few(question.scale, ("scale",), "labels", "Add a label."))
        return problems

    def fields(self, question: MatrixRecord, language: str) -> tuple[Field, ...]:
        """Return a scale for each row."""
        points = tuple(
            FieldOption(value=str(place), label=label)
            for place, label in enumerate(question.scale, start=1)
        )
        return tuple(
            Field(
                name=f"{question.key}-{row.key}",
                kind="likert",
                label=row.text,
                heading=question.text if row is question.rows[0] else "",
                options=points,
                required=question.required,
                help=question.help if row is question.rows[0] else "",
            )
            for row in question.rows
        )

    def read_cell(self, question: MatrixRecord, text: str) -> AnswerValue:
        """Return the point that a number or a label means."""
        return on_scale(text, question.scale)

    def meaning(self, question: MatrixRecord) -> str:
        """Say what a number means."""
        return "point on the scale, lowest 1; empty: not given"

    def levels(self, question: MatrixRecord) -> dict[str, str]:
        """Return the labels by their place from 1."""
        return scale_levels(question.scale)


class RankingQuestion(_SeveralAnswers[Question]):
    """Options from the first to the last place."""

    name = "ranking"
    column_type: ColumnType = "integer"
    limesurvey = "R"

    def fields(self, question: Question, language: str) -> tuple[Field, ...]:
        """Return a place for each option, every place once."""
        places = labels(language, "places")[: len(question.options)]
        numbers = range(len(places) + 1, len(question.options) + 1)
        every = (*places, *(str(place) for place in numbers))
        choices = tuple(
            FieldOption(value=str(place), label=label) for place, label in enumerate(every, start=1)
        )
        return tuple(
            Field(
                name=f"{question.key}-{option.key}",
                kind="place",
                label=option.text,
                heading=question.text if option is question.options[0] else "",
                options=choices,
                required=question.required,
                group=question.key,
                help=help_line(question, language) if option is question.options[0] else "",
            )
            for option in question.options
        )

    def read_cell(self, question: Question, text: str) -> AnswerValue:
        """Return the place."""
        place = number(text)
        if not place.is_integer() or not 1 <= place <= len(question.options):
            raise WrongCellError(f"a place from 1 to {len(question.options)}")
        return int(place)

    def meaning(self, question: Question) -> str:
        """Say which place is the best."""
        return f"place from 1, the first, to {len(question.options)}; empty: not given"

    def levels(self, question: Question) -> dict[str, str]:
        """Return nothing: a place says itself."""
        return {}


class SumRecord(Question):
    """A question that is answered by sharing something out."""

    total: float = Key(default=100.0, description="what the numbers have to add up to", gt=0)


class SumQuestion(_SeveralAnswers[SumRecord]):
    """A number for each option; together they make a given sum."""

    name = "sum"
    record = SumRecord
    column_type: ColumnType = "number"
    limesurvey = "K"

    def fields(self, question: SumRecord, language: str) -> tuple[Field, ...]:
        """Return a line for each option."""
        amount = f"{question.total:g} {question.unit}".strip()
        to_share = sentence(language, "sum_help", amount=amount)
        first = question.options[0] if question.options else None
        return tuple(
            Field(
                name=f"{question.key}-{option.key}",
                kind="share",
                label=option.text,
                heading=question.text if option is first else "",
                required=question.required,
                minimum=0,
                maximum=question.total,
                unit=question.unit,
                group=question.key,
                total=question.total,
                help=" ".join((question.help, to_share)).strip() if option is first else "",
            )
            for option in question.options
        )

    def read_cell(self, question: SumRecord, text: str) -> AnswerValue:
        """Return a part of the sum."""
        given = number(text)
        if not 0 <= given <= question.total:
            raise WrongCellError(f"a number from 0 to {question.total:g}")
        return given

    def meaning(self, question: SumRecord) -> str:
        """Say what the columns add up to."""
        unit = f" {question.unit}" if question.unit else ""
        return f"part of {question.total:g}{unit}; empty: not given"

    def levels(self, question: SumRecord) -> dict[str, str]:
        """Return nothing: a number says itself."""
        return {}


MORE_TYPES: tuple[QuestionType[Any], ...] = (
    SliderQuestion(),
    DateQuestion(),
    PictureQuestion(),
    MatrixQuestion(),
    RankingQuestion(),
    SumQuestion(),
)
