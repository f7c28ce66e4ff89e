"""Read what a participant sent: values where it is right, a message per field where it is not.

In: the screen it was sent from and the form's fields. Out: `FormResult`. Absent: how a field of a
kind is read (`kinds.field_types`), and storing it; fields that the screen does not have are
ignored, so a page can carry its own hidden ones.
"""

from collections.abc import Mapping, Sequence

from howgood.ask.sentences import sentence
from howgood.kinds.field_types import WrongAnswerError, field_type
from howgood.records.screen import AnswerValue, FormResult, Screen

Form = Mapping[str, str | Sequence[str]]


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
            values[field.name] = field_type(field).read(field, given)
        except WrongAnswerError as wrong:
            problems[field.name] = sentence(screen.language, wrong.key, **wrong.blanks)
    for name in dict.fromkeys(each.name for each in screen.all_buttons if each.name):
        allowed = {each.value for each in screen.all_buttons if each.name == name}
        pressed = _given(form, name)
        if len(pressed) == 1 and pressed[0] in allowed:
            values[name] = pressed[0]
        else:
            problems[name] = sentence(screen.language, "problem_required")
    return FormResult(values=values if not problems else {}, problems=problems)


def _given(form: Form, name: str) -> list[str]:
    """Return what was sent under a name, without blanks; a hidden empty entry counts as nothing."""
    value = form.get(name, [])
    sent = [value] if isinstance(value, str) else list(value)
    return [each.strip() for each in sent if each.strip()]
