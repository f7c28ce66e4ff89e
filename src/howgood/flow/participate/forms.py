"""Read what a participant sent: values where it is right, a message per field where it is not.

In: the screen it was sent from and the form's fields. Out: `FormResult`. Absent: storing it; fields
that the screen does not have are ignored, so a page can carry its own hidden ones.
"""

import math
import re
from collections.abc import Mapping, Sequence

from howgood.ask.sentences import sentence
from howgood.records.screen import AnswerValue, Field, FormResult, Screen

Form = Mapping[str, str | Sequence[str]]
_AMBIGUOUS = re.compile(r",\d{3}$|_")


def parse_answer(screen: Screen, form: Form) -> FormResult:
    """Return the values of a form that was sent from a screen, or what is wrong with it.

    Parameters
    ----------
    screen : Screen
        The page the form was sent from.
    form : mapping of field name to text, or to a list of texts for fields with several values
        As the browser sent it. Buttons count as fields.

    Returns
    -------
    FormResult
        `values` holds an entry per field and named button; likert answers are whole numbers,
        numbers are numbers, an answer not given is None. `problems` holds a message per field in
        the language of the screen.

    Notes
    -----
    Stability: experimental
    """
    values: dict[str, AnswerValue] = {}
    problems: dict[str, str] = {}
    for field in screen.fields:
        given = _given(form, field.name)
        try:
            values[field.name] = _READERS[field.kind](field, given)
        except _WrongError as wrong:
            problems[field.name] = sentence(screen.language, wrong.key, **wrong.blanks)
    for name in dict.fromkeys(each.name for each in screen.all_buttons if each.name):
        allowed = {each.value for each in screen.all_buttons if each.name == name}
        pressed = _given(form, name)
        if len(pressed) == 1 and pressed[0] in allowed:
            values[name] = pressed[0]
        else:
            problems[name] = sentence(screen.language, "problem_required")
    return FormResult(values=values if not problems else {}, problems=problems)


class _WrongError(Exception):
    """An answer that cannot be taken; carries the key of the sentence that says why."""

    def __init__(self, key: str, **blanks: object) -> None:
        super().__init__(key)
        self.key, self.blanks = key, blanks


def _given(form: Form, name: str) -> list[str]:
    """Return what was sent under a name, without blanks; a hidden empty entry counts as nothing."""
    value = form.get(name, [])
    sent = [value] if isinstance(value, str) else list(value)
    return [each.strip() for each in sent if each.strip()]


def _read_one(field: Field, given: list[str]) -> AnswerValue:
    if not given:
        if field.required:
            raise _WrongError("problem_required")
        return None
    if len(given) > 1 or given[0] not in {each.value for each in field.options}:
        raise _WrongError("problem_choice")
    return int(given[0]) if field.kind == "likert" else given[0]


def _read_several(field: Field, given: list[str]) -> AnswerValue:
    allowed = [each.value for each in field.options]
    if not given and field.required:
        raise _WrongError("problem_required")
    if any(each not in allowed for each in given):
        raise _WrongError("problem_choice")
    # In the order shown, each once, whatever the browser sent.
    return [each for each in allowed if each in given] if given else None


def _read_number(field: Field, given: list[str]) -> AnswerValue:
    if not given:
        if field.required:
            raise _WrongError("problem_fill")
        return None
    number = _number(given[0])
    if field.whole and not number.is_integer():
        raise _WrongError("problem_whole")
    low = -math.inf if field.minimum is None else field.minimum
    high = math.inf if field.maximum is None else field.maximum
    if not low <= number <= high:
        raise _out_of_range(field)
    return int(number) if number.is_integer() else number


def _number(text: str) -> float:
    """Read 1.5 and 1,5 alike: people write what they learnt at school.

    1,000 is a thousand to some and one to others, so it is asked again.
    """
    if len(text) > 30 or _AMBIGUOUS.search(text):
        raise _WrongError("problem_number")
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise _WrongError("problem_number") from None
    if not math.isfinite(number):
        raise _WrongError("problem_number")
    return number


def _out_of_range(field: Field) -> _WrongError:
    if field.minimum is not None and field.maximum is not None:
        return _WrongError(
            "problem_range", minimum=f"{field.minimum:g}", maximum=f"{field.maximum:g}"
        )
    if field.minimum is not None:
        return _WrongError("problem_least", minimum=f"{field.minimum:g}")
    return _WrongError("problem_most", maximum=f"{field.maximum:g}")


def _read_text(field: Field, given: list[str]) -> AnswerValue:
    text = "\n".join(given)
    if len(text) > field.longest:
        raise _WrongError("problem_long", longest=field.longest)
    if not text and field.required:
        raise _WrongError("problem_fill")
    return text or None


def _read_agreement(field: Field, given: list[str]) -> AnswerValue:
    if given != ["yes"]:
        raise _WrongError("problem_required")
    return "yes"


def _read_hidden(field: Field, given: list[str]) -> AnswerValue:
    """Take what the screen said, whatever the browser sent: it is a record, not a question."""
    return field.value or None


_READERS = {
    "choice": _read_one,
    "likert": _read_one,
    "choices": _read_several,
    "number": _read_number,
    "text": _read_text,
    "agree": _read_agreement,
    "hidden": _read_hidden,
}
