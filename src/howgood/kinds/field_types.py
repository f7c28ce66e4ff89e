"""What can be filled in on a screen: one class per kind of field, registered once.

In: a field of a screen. Out: how its answer is read, made up by a bot, said in words, and which
widget shows it. Absent: the questions of study files (`questions`), HTML (`web`).
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import groupby, pairwise

from howgood.kinds.seeded import draw, shuffled
from howgood.records.screen import AnswerValue, Field

# A longer list of radio buttons would be a long way for thumbs and keyboards.
_MOST_RADIOS = 12
# A text that may be longer than this gets several lines.
_ONE_LINE = 200
_VIEWS = re.compile(r"(\d{1,4}) (\d{1,6}(?:\.\d{1,3})?)")
_AMBIGUOUS = re.compile(r",\d{3}$|_")


class WrongAnswerError(Exception):
    """An answer that cannot be taken; carries the key of the sentence that says why."""

    def __init__(self, key: str, **blanks: object) -> None:
        super().__init__(key)
        self.key, self.blanks = key, blanks


class FieldType(ABC):
    """One kind of field. `name` is what screens call it, and stored screens keep."""

    name: str
    # One that the page's template knows: line, textarea, radios, select, scale, boxes, box, slider,
    # date, hidden, views.
    widget_name: str = "line"

    @abstractmethod
    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the value of what a browser sent, without blanks; raise `WrongAnswerError`."""

    @abstractmethod
    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Return what a person could send, decided by seed and purpose alone."""

    def fill_group(self, fields: Sequence[Field], seed: int, *purpose: object) -> list[str]:
        """Return what a person could send from fields that belong together."""
        return [str(self.fill(field, seed, *purpose)) for field in fields]

    def check_group(self, fields: Sequence[Field], values: Sequence[AnswerValue]) -> None:
        """Raise `WrongAnswerError` if the answers to fields of a group do not fit together."""
        return

    def widget(self, field: Field) -> str:
        """Return the widget that shows a field."""
        return self.widget_name

    def as_sent(self, value: AnswerValue) -> list[str]:
        """Return what a browser sends for this answer, to show it filled in."""
        if value is None:
            return [""]
        return [str(part) for part in value] if isinstance(value, list) else [str(value)]

    def in_words(self, field: Field, value: AnswerValue) -> str:
        """Return an answer as people read it again; empty where there is none to read."""
        if value is None:
            return ""
        labels = {option.value: option.label for option in field.options}
        several = value if isinstance(value, list) else [value]
        return ", ".join(labels.get(str(one_value), str(one_value)) for one_value in several)


class ChoiceField(FieldType):
    """One of several options."""

    name = "choice"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the value that was chosen."""
        if not given:
            if field.required:
                raise WrongAnswerError("problem_required")
            return None
        if len(given) > 1 or given[0] not in {option.value for option in field.options}:
            raise WrongAnswerError("problem_choice")
        return given[0]

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Choose any option."""
        return shuffled(field.options, seed, *purpose, field.name)[0].value

    def widget(self, field: Field) -> str:
        """Show few options at once."""
        return "select" if len(field.options) > _MOST_RADIOS else "radios"


class LikertField(ChoiceField):
    """A point on a scale; options run from lowest to highest, values 1, 2, ..."""

    name = "likert"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the point as a whole number."""
        chosen = super().read(field, given)
        return int(chosen) if isinstance(chosen, str) else chosen

    def widget(self, field: Field) -> str:
        """Show a row of points."""
        return "scale"


class ChoicesField(FieldType):
    """Any number of several options."""

    name = "choices"
    widget_name = "boxes"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return what was chosen in the order shown, each once, whatever the browser sent."""
        allowed = [option.value for option in field.options]
        if not given and field.required:
            raise WrongAnswerError("problem_required")
        if any(value not in allowed for value in given):
            raise WrongAnswerError("problem_choice")
        return [value for value in allowed if value in given] if given else None

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Choose one option."""
        return [shuffled(field.options, seed, *purpose, field.name)[0].value]


_ROOM = 10.0


class NumberField(FieldType):
    """A number, perhaps whole, perhaps in a range."""

    name = "number"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the number."""
        if not given:
            if field.required:
                raise WrongAnswerError("problem_fill")
            return None
        number = _number(given[0])
        if field.whole and not number.is_integer():
            raise WrongAnswerError("problem_whole")
        low = -math.inf if field.minimum is None else field.minimum
        high = math.inf if field.maximum is None else field.maximum
        if not low <= number <= high:
            raise _out_of_range(field)
        return int(number) if number.is_integer() else number

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Give any number of the range."""
        low = 0.0 if field.minimum is None else field.minimum
        high = low + 100 if field.maximum is None else field.maximum
        number = low + draw(seed, *purpose, field.name) * (high - low)
        # People give whole numbers where the range has room for them, such as an age.
        is_whole = field.whole or (high - low >= _ROOM and low.is_integer() and high.is_integer())
        return str(round(number)) if is_whole else f"{number:.3f}"


class SliderField(NumberField):
    """A point on a line. Its first stop, below the smallest number, means that nothing is chosen.

    A browser always sends some point of a line: one that nobody has moved must not be an answer.
    """

    name = "slider"
    widget_name = "slider"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the number, or None at the first stop."""
        number = _number(given[0]) if given else -math.inf
        if number < (field.minimum or 0.0):
            if field.required:
                raise WrongAnswerError("problem_slider")
            return None
        return super().read(field, given)

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Give any point of the line."""
        low, high = field.minimum or 0.0, field.maximum or 0.0
        steps = math.floor((high - low) / field.step)
        return f"{low + math.floor(draw(seed, *purpose, field.name) * (steps + 1)) * field.step:g}"

    def in_words(self, field: Field, value: AnswerValue) -> str:
        """Return the number: the labels are those of the ends."""
        return "" if value is None else f"{value}"


class ShareField(NumberField):
    """A part of a sum; the whole group has to add up."""

    name = "share"

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Give nothing: the group is filled in together."""
        return ""

    def fill_group(self, fields: Sequence[Field], seed: int, *purpose: object) -> list[str]:
        """Share the sum out, whole numbers as far as they go."""
        total = fields[0].total or 0.0
        cuts = sorted(draw(seed, *purpose, field.name) for field in fields[1:])
        ends = [0, *(math.floor(cut * total) for cut in cuts), total]
        return [f"{high - low:g}" for low, high in pairwise(ends)]

    def check_group(self, fields: Sequence[Field], values: Sequence[AnswerValue]) -> None:
        """Want the sum; where nothing has to be answered, all may stay empty."""
        given = [value for value in values if isinstance(value, int | float)]
        total = fields[0].total or 0.0
        if given and not math.isclose(sum(given), total, rel_tol=1e-9, abs_tol=1e-9):
            raise WrongAnswerError("problem_sum", sum=f"{sum(given):g}", total=f"{total:g}")


class PlaceField(ChoiceField):
    """A place in a ranking; every place of the group is given once."""

    name = "place"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the place as a whole number."""
        chosen = super().read(field, given)
        return int(chosen) if isinstance(chosen, str) else chosen

    def widget(self, field: Field) -> str:
        """Show a list that opens: a place is one line."""
        return "select"

    def fill_group(self, fields: Sequence[Field], seed: int, *purpose: object) -> list[str]:
        """Give every place once."""
        places = [str(place) for place in range(1, len(fields) + 1)]
        return list(shuffled(places, seed, *purpose, fields[0].group))

    def check_group(self, fields: Sequence[Field], values: Sequence[AnswerValue]) -> None:
        """Want every place once, or none at all."""
        given = [value for value in values if value is not None]
        if given and (len(given) < len(fields) or len(set(given)) < len(given)):
            raise WrongAnswerError("problem_places", n=len(fields))


class DateField(FieldType):
    """A day; browsers send it as 2026-01-31 however they show it."""

    name = "date"
    widget_name = "date"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the day as 2026-01-31."""
        if not given:
            if field.required:
                raise WrongAnswerError("problem_fill")
            return None
        try:
            day = date.fromisoformat(given[0])
        except ValueError:
            raise WrongAnswerError("problem_date") from None
        text = day.isoformat()
        if text < field.earliest:
            raise WrongAnswerError("problem_earliest", day=field.earliest)
        if field.latest and text > field.latest:
            raise WrongAnswerError("problem_latest", day=field.latest)
        return text

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Give any day of those allowed."""
        first = date.fromisoformat(field.earliest or "2000-01-01")
        last = date.fromisoformat(field.latest) if field.latest else first.replace(year=2025)
        days = max((last - first).days, 0)
        offset = math.floor(draw(seed, *purpose, field.name) * (days + 1))
        return (first + timedelta(days=offset)).isoformat()


def _number(text: str) -> float:
    """Read 1.5 and 1,5 alike: people write what they learnt at school.

    1,000 is a thousand to some and one to others, so it is asked again.
    """
    if len(text) > 30 or _AMBIGUOUS.search(text):
        raise WrongAnswerError("problem_number")
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise WrongAnswerError("problem_number") from None
    if not math.isfinite(number):
        raise WrongAnswerError("problem_number")
    return number


def _out_of_range(field: Field) -> WrongAnswerError:
    if field.minimum is not None and field.maximum is not None:
        return WrongAnswerError(
            "problem_range", minimum=f"{field.minimum:g}", maximum=f"{field.maximum:g}"
        )
    if field.minimum is not None:
        return WrongAnswerError("problem_least", minimum=f"{field.minimum:g}")
    return WrongAnswerError("problem_most", maximum=f"{field.maximum:g}")


class TextField(FieldType):
    """Free text."""

    name = "text"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return the text."""
        text = "\n".join(given)
        if len(text) > field.longest:
            raise WrongAnswerError("problem_long", longest=field.longest)
        if not text and field.required:
            raise WrongAnswerError("problem_fill")
        return text or None

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Write something."""
        return "some words"

    def widget(self, field: Field) -> str:
        """Give long texts several lines."""
        return "textarea" if field.longest > _ONE_LINE else "line"


class AgreeField(FieldType):
    """A single tick box that must be ticked."""

    name = "agree"
    widget_name = "box"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Take nothing but the tick."""
        if given != ["yes"]:
            raise WrongAnswerError("problem_required")
        return "yes"

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Tick it."""
        return "yes"

    def in_words(self, field: Field, value: AnswerValue) -> str:
        """Return the tick."""
        return "" if value is None else "✓"


class HiddenField(FieldType):
    """Something the screen says for the record; nobody answers it."""

    name = "hidden"
    widget_name = "hidden"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Take what the screen said, whatever the browser sent."""
        return field.value or None

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Send anything: it is not read."""
        return "some words"


class ViewsField(FieldType):
    """How often something on the page was opened, and for how many seconds: "2 12.5".

    A script of the page writes it; without one, nothing is known. Nobody answers it, so nothing
    that a browser sends keeps a person from going on.
    """

    name = "views"
    widget_name = "views"

    def read(self, field: Field, given: list[str]) -> AnswerValue:
        """Return what was sent if it is a number of times and one of seconds."""
        views = views_of(given[0] if given else None)
        return None if views is None else f"{views[0]} {views[1]:g}"

    def fill(self, field: Field, seed: int, *purpose: object) -> str | list[str]:
        """Say that nothing was opened."""
        return "0 0"


def views_of(value: AnswerValue) -> tuple[int, float] | None:
    """Return how often something was opened and for how many seconds; None if that is not known.

    Examples
    --------
    >>> views_of("2 12.5"), views_of(None)
    ((2, 12.5), None)
    """
    match = _VIEWS.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else (int(match[1]), float(match[2]))


FIELD_TYPES: dict[str, FieldType] = {
    type_.name: type_
    for type_ in (
        ChoiceField(),
        LikertField(),
        ChoicesField(),
        NumberField(),
        TextField(),
        AgreeField(),
        HiddenField(),
        ViewsField(),
        SliderField(),
        ShareField(),
        PlaceField(),
        DateField(),
    )
}


def field_groups(fields: Iterable[Field]) -> list[tuple[Field, ...]]:
    """Return the fields that belong together, group by group."""
    return [tuple(some) for group, some in groupby(fields, lambda field: field.group) if group]
