"""Line numbers of TOML: every path that tomllib finds has one, and it is the right one."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.flow.study_files.document import toml_lines

BY_HAND = '''\
# a comment with = and [brackets]
title = "one"          # 2
"quoted key" = 'x'
a.b.c = 1

[table]                # 6
text = """
first "quoted" \\""" line
last"""
numbers = [            # 10
  1, 2,
  # between
  3,
]
inline = { x = 1, y = [1, { z = 2 }] }
when = 1979-05-27 07:32:00

[[list]]               # 18
key = "# not a comment"

[[list]]               # 21
key = \'\'\'
raw \\ text\'\'\'

[list.inner]           # 25
deep = true

[[list.many]]          # 28
x = "]"
[[list.many]]
x = "}"
'''


def _paths(value, path=()):
    """Every path in plain values: the independent reference is tomllib's own reading."""
    yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _paths(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _paths(each, (*path, index))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("quoted key",), 3),
        (("a", "b", "c"), 4),
        (("table",), 6),
        (("table", "text"), 7),
        (("table", "numbers"), 10),
        (("table", "numbers", 1), 11),
        (("table", "numbers", 2), 13),
        (("table", "inline", "y", 1, "z"), 15),
        (("table", "when"), 16),
        (("list",), 18),
        (("list", 0, "key"), 19),
        (("list", 1), 21),
        (("list", 1, "key"), 22),
        (("list", 1, "inner", "deep"), 26),
        (("list", 1, "many", 0), 28),
        (("list", 1, "many", 1, "x"), 31),
    ],
)
def test_lines_counted_by_hand(path, line):
    assert toml_lines(BY_HAND)[path] == line


def test_every_path_that_tomllib_finds_has_a_line_and_no_other_has():
    assert set(toml_lines(BY_HAND)) == set(_paths(tomllib.loads(BY_HAND)))


_KEYS = st.text("abcxyz", min_size=1, max_size=3)
_SCALARS = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.booleans().map(lambda each: str(each).lower()),
    st.text("ab#[]{}=,'. \n", max_size=8).map(lambda each: '"' + each.replace("\n", "\\n") + '"'),
    st.text('ab#[]{}=,". \n', max_size=8).map(lambda each: "'''" + each + "'''"),
    st.text("ab#[]{}=,'. \n", max_size=8).map(lambda each: '"""' + each + '"""'),
)
_GAPS = st.sampled_from(["", " ", "\n", " # note ]\n", "\n\n  "])


@st.composite
def _arrays(draw, values):
    parts = draw(st.lists(values, max_size=3))
    gaps = [draw(_GAPS) for _ in range(len(parts) + 1)]
    return (
        "[" + ",".join(gap + part for gap, part in zip(gaps, parts, strict=False)) + gaps[-1] + "]"
    )


@st.composite
def _inline_tables(draw, values):
    pairs = draw(st.dictionaries(_KEYS, values, max_size=3))
    return "{ " + ", ".join(f"{key} = {value}" for key, value in pairs.items()) + " }"


# Inline tables may not hold line breaks outside strings, so arrays sit outside them.
_VALUES = st.one_of(_SCALARS, _inline_tables(_SCALARS), _arrays(_inline_tables(_SCALARS)),
                    _arrays(_arrays(_SCALARS)))  # fmt: skip


@st.composite
def _documents(draw):
    lines = [
        f"{key} = {value}"
        for key, value in draw(st.dictionaries(_KEYS, _VALUES, max_size=3)).items()
    ]
    for number in range(draw(st.integers(0, 3))):
        name = f"t{number}"
        if draw(st.booleans()):
            lines.append(f"[{name}]")
            lines += [
                f"{key} = {value}"
                for key, value in draw(st.dictionaries(_KEYS, _VALUES, max_size=2)).items()
            ]
        else:
            for _ in range(draw(st.integers(1, 3))):
                lines.append(f"[[{name}.list]]")
                lines += [
                    f"{key} = {value}"
                    for key, value in draw(st.dictionaries(_KEYS, _VALUES, max_size=2)).items()
                ]
    return "\n".join(lines) + "\n"


@settings(max_examples=150, deadline=None)
@given(_documents())
def test_paths_agree_with_tomllib_and_lines_with_a_cut_of_the_text(text):
    expected = tomllib.loads(text)
    lines = toml_lines(text)
    assert set(lines) == set(_paths(expected))
    # Cut before the line of a top-level key: it must be unknown; cut at the next key: known.
    for key in expected:
        before = "\n".join(text.split("\n")[: lines[(key,)] - 1])
        assert key not in tomllib.loads(before)
