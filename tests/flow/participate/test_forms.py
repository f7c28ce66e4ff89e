"""Reading forms: right values, and a message in the language of the study where they are wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.ask.sentences import languages, sentences
from howgood.flow.participate import parse_answer
from howgood.records.screen import Button, Field, FieldOption, Screen

OPTIONS = tuple(FieldOption(value=str(each), label=str(each)) for each in (1, 2, 3))


def _screen(*fields, language="en"):
    return Screen(
        key="x", kind="task", title="x", language=language, fields=fields,
        buttons=(Button(label="Continue"),),
    )  # fmt: skip


def _field(kind, **more):
    options = OPTIONS if kind in ("choice", "choices", "likert") else ()
    return Field(name="f", kind=kind, label="?", options=options, **more)


@pytest.mark.parametrize(
    ("field", "sent", "value"),
    [
        (_field("likert"), "2", 2),
        (_field("choice"), "2", "2"),
        (_field("choice", required=False), "", None),
        (_field("choices"), ["3", "1", "3"], ["1", "3"]),
        (_field("choices", required=False), [], None),
        (_field("number"), " 12 ", 12),
        (_field("number"), "1,5", 1.5),
        (_field("number", required=False), "", None),
        (_field("text"), "  hello ", "hello"),
        (_field("text", required=False), "", None),
        (_field("agree"), "yes", "yes"),
    ],
)
def test_right_answers_are_read(field, sent, value):
    result = parse_answer(_screen(field), {"f": sent})
    assert result.is_valid
    assert result.values == {"f": value}


@pytest.mark.parametrize(
    ("field", "sent", "key"),
    [
        (_field("likert"), "", "problem_required"),
        (_field("likert"), "4", "problem_choice"),
        (_field("likert"), ["1", "2"], "problem_choice"),
        (_field("choices"), ["1", "9"], "problem_choice"),
        (_field("choices"), [], "problem_required"),
        (_field("number"), "", "problem_fill"),
        (_field("number"), "twelve", "problem_number"),
        (_field("number"), "nan", "problem_number"),
        (_field("number"), "1,000", "problem_number"),
        (_field("number"), "9" * 400, "problem_number"),
        (_field("number", whole=True), "1.5", "problem_whole"),
        (_field("number", minimum=18, maximum=120), "17", "problem_range"),
        (_field("number", minimum=18), "17", "problem_least"),
        (_field("number", maximum=18), "19", "problem_most"),
        (_field("text"), "", "problem_fill"),
        (_field("text", longest=3), "four", "problem_long"),
        (_field("agree"), "no", "problem_required"),
    ],
)
@pytest.mark.parametrize("language", languages())
def test_wrong_answers_get_a_message_in_the_language_of_the_study(field, sent, key, language):
    result = parse_answer(_screen(field, language=language), {"f": sent})
    assert not result.is_valid
    assert result.values == {}
    start = sentences(language)[key].split("{")[0]
    assert result.problems["f"].startswith(start)


_TEXTS = st.text("0123456789,.-+eE nanifyes_\0\n\u0663é", max_size=12)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["f", "g"]), _TEXTS | st.lists(_TEXTS, max_size=3)))
def test_no_form_whatever_breaks_the_reader(form):
    for kind in ("likert", "choice", "choices", "number", "text", "agree", "hidden"):
        result = parse_answer(_screen(_field(kind)), form)
        assert result.is_valid == (not result.problems)
