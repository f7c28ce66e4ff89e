"""Read what a participant sent: values where it is right, a message per field where it is not.

In: the screen it was sent from and the form's fields, whose names are of that screen alone. Out:
`FormResult`, and answers as rows. Absent: how a field of a kind is read (`kinds.field_types`), and
storing it; fields that the screen does not have are ignored, so a page can carry its own hidden
ones.
"""

from collections.abc import Mapping, Sequence

from howgood.ask.sentences import sentence
from howgood.flow.participate.path import CONSENT
from howgood.kinds import Row, kind_of
from howgood.kinds.field_types import FIELD_TYPES, WrongAnswerError, field_groups
from howgood.kinds.question_pages import walk
from howgood.kinds.questions import question_type
from howgood.kinds.study import Study
from howgood.kinds.translation import FIELD
from howgood.records.codebook import Batch
from howgood.records.screen import Answer, AnswerValue, FormResult, Participation, Screen

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
    # Without blanks: a hidden empty entry counts as nothing.
    sent = {
        name: [
            text.strip() for text in ([given] if isinstance(given, str) else given) if text.strip()
        ]
        for name, given in form.items()
    }
    values: dict[str, AnswerValue] = {}
    problems: dict[str, str] = {}
    for field in screen.fields:
        try:
            values[field.name] = FIELD_TYPES[field.kind].read(field, sent.get(field.name, []))
        except WrongAnswerError as wrong:
            problems[field.name] = sentence(screen.language, wrong.key, **wrong.blanks)
    for group in field_groups(screen.fields):
        try:
            type_ = FIELD_TYPES[group[0].kind]
            type_.check_group(group, [values.get(field.name) for field in group])
        except WrongAnswerError as wrong:
            message = sentence(screen.language, wrong.key, **wrong.blanks)
            problems.setdefault(group[0].name, message)
    for name in dict.fromkeys(button.name for button in screen.all_buttons if button.name):
        allowed = {button.value for button in screen.all_buttons if button.name == name}
        pressed = sent.get(name, [])
        if len(pressed) == 1 and pressed[0] in allowed:
            values[name] = pressed[0]
        else:
            problems[name] = sentence(screen.language, "problem_required")
    return FormResult(values=values if not problems else {}, problems=problems)


def text_of(form: Form, name: str) -> str:
    """Return what a form says under a name, once."""
    value = form.get(name, "")
    return value if isinstance(value, str) else next(iter(value), "")


# Every screen has field names of its own. Browsers put ticks and text back by the name of a field:
# if two screens shared a name, going back and forth could put the answers to one into the other.

# What a page carries besides the answers: of participants, then of researchers who preview.
_FRAME = frozenset({"screen", "signature", "visit", "csrf", "condition", "walk"})


def field_name(screen: str, field: str) -> str:
    """Return the name a field of a screen has in the page.

    Examples
    --------
    >>> field_name("bell-s2", "acceptable")
    'bell-s2.acceptable'
    """
    return f"{screen}.{field}"


def form_fields(screen: Screen, form: Form) -> Form | None:
    """Return a form by the names the screen knows; None if it holds fields of any other page."""
    names = [field.name for field in screen.fields] + [button.name for button in screen.all_buttons]
    known = {f"{screen.key}.{name}": name for name in names}
    sent = [name for name in form if name not in _FRAME]
    if any(name not in known for name in sent):
        return None
    return {known[name]: form[name] for name in sent}


def filled_form(
    screen: Screen, values: Mapping[str, str | list[str]]
) -> dict[str, str | list[str]]:
    """Return the form a browser sends from a screen that is filled in like this."""
    return {field_name(screen.key, name): value for name, value in values.items()}


# Answers as tidy rows: what the learning stages and a spreadsheet want.


def answers_as_rows(study: Study, participation: Participation) -> tuple[Row, ...]:
    """Return one row per judgement, ready for `learn`.

    Surveys give participant, application, part, precision, recall, rating (the first item), the
    other items and the counts shown: what `learn.fit_acceptability` and `learn.fit_ordinal` read.
    Comparisons give the log of pairs shown and chosen. Reratings give user, item, trial, rating:
    what `learn.rating_uncertainty` reads.

    Notes
    -----
    Stability: experimental
    """
    if participation.condition is None:
        return ()
    return tuple(kind_of(study).rows(study, participation))


def answers_as_batch(study: Study, people: Sequence[Participation]) -> Batch | None:
    """Return the rows of `answers_as_rows` of several people by column, if the kind gives them so.

    Notes
    -----
    Stability: experimental
    """
    batch = kind_of(study).batch
    return batch and batch(study, [person for person in people if person.condition is not None])


def participant_row(study: Study, participation: Participation) -> Row:
    """Return one row about the person: condition, further questions, attention, time.

    Notes
    -----
    Stability: experimental
    """
    answered = {answer.screen: answer for answer in participation.answers}
    row: Row = {
        "participant": participation.participant,
        "condition": participation.condition,
        "consent": _value(answered, CONSENT, "consent"),
        "pages": len(answered),
        "seconds": sum(answer.seconds or 0.0 for answer in participation.answers),
    }
    if study.translations:
        row["study_language"] = _value(answered, CONSENT, FIELD) or study.language
    way = walk(study, seed=participation.seed, answered=answered)
    for question in (*study.demographics, *study.closing):
        row |= {
            name: _flat(way.known.get(name)) for name in question_type(question).names(question)
        }
    reason = way.screened_out(study)
    row["screened_out"] = reason.key if reason else None
    if participation.condition:
        row |= kind_of(study).person_facts(study, participation)
    return row


def passed_checks(study: Study, participation: Participation) -> bool | None:
    """Return whether a person passed every attention check they saw; None: they saw none."""
    return kind_of(study).passed_checks(study, participation)


def _value(answered: Mapping[str, Answer], screen: str, name: str) -> AnswerValue:
    return answered[screen].values.get(name) if screen in answered else None


def _flat(value: AnswerValue) -> AnswerValue:
    """Several choices in one cell: a;b."""
    return ";".join(value) if isinstance(value, list) else value
