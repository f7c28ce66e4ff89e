"""Whatever is in a study file, checking it ends in a message, never in a traceback."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.flow.study_files.check import check_document
from howgood.flow.study_files.document import (
    SyntaxProblemError,
    document_from_toml,
    document_from_yaml,
)
from howgood.flow.study_files.new import template
from howgood.kinds import KINDS
from howgood.kinds.study import Study

FOLDER = Path(__file__).parent
TEXTS = {kind: template(kind) for kind in KINDS}
_JUNK = st.text("ab01-:=[]{}\"'#*& \n\t.,|>{n}", max_size=12)


@st.composite
def _spoilt(draw):
    """A good file with some of its lines dropped, doubled, swapped or replaced by junk."""
    lines = TEXTS[draw(st.sampled_from(list(KINDS)))].split("\n")
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(lines) - 1))
        change = draw(st.sampled_from(["drop", "double", "junk", "value"]))
        if change == "drop":
            del lines[place]
        elif change == "double":
            lines.insert(place, lines[place])
        elif change == "junk":
            lines[place] = draw(_JUNK)
        else:
            key = lines[place].split("=")[0]
            value = draw(st.sampled_from(["3", "-1", "true", '""', "[]", "{}", "[1]", "1e9"]))
            lines[place] = f"{key}= {value}"
    return "\n".join(lines)


def _lines(text, reader):
    """The lines of everything that is wrong with a text."""
    try:
        document = reader(text, file="x")
    except SyntaxProblemError as error:
        return [error.line]
    checked = check_document(document, file="x", folder=FOLDER)
    assert (checked.study is None) == bool(checked.problems)
    return [problem.line for problem in checked.problems]


@settings(max_examples=120, deadline=None)
@given(_spoilt())
def test_a_spoilt_toml_file_gets_messages_with_lines(text):
    for line in _lines(text, document_from_toml):
        assert 1 <= line <= text.count("\n") + 1


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(
    ["kind: survey", "kind: [1", "title: 'x", "survey:", "  applications:", "  - key: a", "- b",
     "slug: x", "consent: {text: y}", "a: &x 1", "b: *x", "<<: *x", "? [1]", ": 2", "\tz: 1",
     "--- ", "...", "!!python/object:os.system x", "x: !t 1", "0: 1", "null: 1", "x: |", "  y"]
), max_size=8).map("\n".join))  # fmt: skip
def test_spoilt_yaml_gets_messages_with_lines(text):
    lines = _lines(text, document_from_yaml)
    assert lines
    for line in lines:
        assert 1 <= line <= text.count("\n") + 2


_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text("ab", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "slug", "survey", "rerating", "items", "key", "scale", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["kind", "slug", "title", "consent", "survey"]), _PLAIN))
def test_foreign_values_never_become_a_study_by_accident(data):
    with pytest.raises(InputError):
        Study.from_dict(data)


def test_a_level_too_long_to_write_down_is_refused_by_line():
    lines = TEXTS["survey"].split("\n")
    place = next(at for at, line in enumerate(lines) if line.startswith("precision"))
    lines[place] = 'precision = ["1e-999999999"]'
    document = document_from_toml("\n".join(lines), file="x")
    problems = check_document(document, file="x", folder=FOLDER).problems
    assert [place + 1] == [each.line for each in problems if "1e-999999999" in str(each)]


def test_a_whole_number_of_thousands_of_digits_is_refused_by_line():
    with pytest.raises(SyntaxProblemError, match="more than 18 digits") as caught:
        document_from_toml("\nat = [1, {of = 0x" + "f" * 5000 + "}]\n", file="x")
    assert caught.value.line == 2
    assert document_from_toml(f"most = {2**63 - 1}", file="x").data == {"most": 2**63 - 1}
