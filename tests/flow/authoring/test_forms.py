"""Forms from records and back: exact when nothing is changed, and nothing typed is lost."""

import tomllib
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.flow.authoring.changes import changes
from howgood.flow.authoring.reading import SentForm, act, read_part
from howgood.flow.authoring.shape import form_of, label_of, parts_of
from howgood.flow.study_files import check_study
from howgood.flow.study_files.as_text import toml_text, yaml_text
from howgood.flow.study_files.document import document_from_yaml
from howgood.flow.study_files.keys import study_keys
from howgood.flow.study_files.new import template
from howgood.kinds import KINDS
from howgood.kinds.questions import QUESTION_TYPES
from howgood.kinds.study import Study
from howgood.kinds.survey.scenarios import situation_grid

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = ("alarm-survey.toml", "weather-survey.toml", "cancer-comparison.toml",
         "picture-rerating.toml", "bilder-bewertung.yaml")  # fmt: skip
STUDIES = {kind: tomllib.loads(template(kind)) for kind in KINDS} | {
    name: check_study(EXAMPLES / name).study.to_dict() for name in FILES
}


def _as_sent(nodes, sent):
    """Return the fields as a browser sends them: line ends as two characters, boxes when ticked."""
    for node in nodes:
        if node.widget == "list":
            sent[node.name] = [""]
        if node.widget == "picture":
            sent[f"{node.name}.kept"] = [node.kept]
        if node.children:
            _as_sent(node.children, sent)
        elif node.widget == "tick":
            sent[node.name] = ["", "yes"] if node.value else [""]
        elif node.widget not in ("group", "words", "picture", "list"):
            sent[node.name] = [node.value.replace("\n", "\r\n")]
    return sent


@pytest.mark.parametrize("name", STUDIES)
def test_sending_a_form_unchanged_gives_exactly_what_was_there(name):
    study = STUDIES[name]
    for part in parts_of(study["kind"]):
        sent = SentForm(texts=_as_sent(form_of(part, study), {}))
        assert read_part(part, study, sent) == study


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_as_toml_or_yaml_reads_back_the_same(name):
    study = STUDIES[name]
    assert tomllib.loads(toml_text(study)) == study
    if "picture" not in str(study):  # fingerprints are left out of YAML
        again = document_from_yaml(yaml_text(study), file="x.yaml").data
        assert {key: value for key, value in again.items() if value is not None}.keys() == (
            study.keys()
        )


@given(
    st.dictionaries(
        st.text(min_size=1),
        st.recursive(
            st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False),
            lambda inner: st.lists(st.text()) | st.dictionaries(st.text(min_size=1), inner),
            max_leaves=8,
        ),
    )
)
def test_any_plain_values_survive_toml(values):
    assert tomllib.loads(toml_text(values)) == values


def test_every_key_of_study_files_is_in_the_form():
    """A new key appears in the dashboard by itself; those from files and names have their place."""
    shown = set()
    for kind in KINDS:
        full = _filled(STUDIES[kind], kind)
        for part, type_ in product(parts_of(kind), QUESTION_TYPES):
            asked = {name: [{**each, "type": type_} for each in full[name]]
                     for name in ("demographics", "closing")}  # fmt: skip
            shown |= {_general(name) for name in _names(form_of(part, full | asked))}
    files = {f"{kind.name}.{key}" for kind in KINDS.values() for key in kind.file_keys}
    set_otherwise = {"kind", "slug", *files, *KINDS}
    for key in study_keys():
        name = key.name.replace("[]", "")
        from_tables = ("comparison.scores", "criteria.outcomes")
        is_file = name.startswith(from_tables) or name.endswith("picture.file")
        is_cell = name.startswith("comparison.matrices.")
        is_by_language = name == "translations" and "translations.de" in shown
        assert name in shown | set_otherwise or is_file or is_cell or is_by_language, name


def _filled(study, kind):
    """Press every button that adds something."""
    adds = {"survey": ["survey.branches", "survey.items", "survey.attention", "survey.real",
                       "survey.real.systems", "survey.real.items", "survey.interface",
                       "survey.interface.levels", "survey.applications.0.stimuli",
                       "survey.applications.0.show_if"],
            "comparison": ["comparison.costs"]}.get(kind, [])  # fmt: skip
    for name in (
        *adds,
        "demographics",
        "closing",
        "closing.0.options",
        "demographics.0.options",
        "closing.0.show_if",
        "demographics.0.show_if",
        "blocks",
        "screen_outs",
        "quotas",
        "screen_outs.0.when",
        "quotas.0.when",
        "draw",
    ):
        study, _ = act(study, f"add:{name}")
    return study


def _names(nodes):
    for node in nodes:
        yield node.name
        yield from _names(node.children)


def _general(name):
    return ".".join(part for part in name.split(".") if not part.isdecimal())


@given(st.text(), st.text())
def test_changes_name_exactly_the_fields_that_differ(one, other):
    found = changes({"a": one, "b": ["x", one]}, {"a": other, "b": ["x", other]})
    assert [each.place for each in found] == ([] if one == other else ["A", "B 2"])


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("8", 8),
        ("1,5", "1,5"),
        ("many", "many"),
        ("", None),
        ("1,000", "1,000"),
        ("1.000", "1.000"),
    ],
)
def test_what_cannot_be_read_stays_as_it_was_typed(typed, kept):
    part = next(each for each in parts_of("survey") if each.key == "ending")
    after = read_part(part, STUDIES["survey"], SentForm(texts={"quota": [typed]}))
    assert after.get("quota") == (1.5 if typed == "1,5" else kept)


def test_tables_of_numbers_and_pairs_are_written_line_by_line():
    part = next(each for each in parts_of("comparison") if each.key == "task")
    text = "40, 10, 5, 45\r\n45 5 9 41 0.2 0.4\r\nforty, 1, 1, 1, 1, 1, 1"
    after = read_part(part, STUDIES["comparison"], SentForm(texts={"comparison.matrices": [text]}))
    rows = after["comparison"]["matrices"]
    assert rows[0] == {"true_positives": 40, "false_negatives": 10, "false_positives": 5,
                       "true_negatives": 45}  # fmt: skip
    assert (rows[1]["lower"], rows[1]["upper"]) == (0.2, 0.4)
    assert rows[2]["true_positives"] == "forty"
    assert "column 7" in rows[2]


def test_a_form_asks_for_what_is_short_before_a_long_list():
    part = next(each for each in parts_of("rerating") if each.key == "task")
    names = [node.name for node in form_of(part, STUDIES["rerating"])]
    assert names.index("rerating.rounds") < names.index("rerating.items")


def test_the_name_of_an_entry_that_is_cut_says_so():
    items = [{"key": "a", "text": "x" * 80}, {"key": "b", "text": "y" * 60}]
    part = next(each for each in parts_of("rerating") if each.key == "task")
    (entries,) = [
        node.children
        for node in form_of(part, {"rerating": {"items": items}})
        if node.name == "rerating.items"
    ]
    assert [each.label for each in entries] == ["1. " + "x" * 59 + "…", "2. " + "y" * 60]


def test_what_is_ticked_changes_from_no_to_yes():
    (change,) = changes({"pilot": False}, {"pilot": True})
    assert (change.place, change.before, change.after) == ("Pilot", "no", "yes")


def test_a_question_shows_only_the_fields_of_its_type():
    (part,) = (each for each in parts_of("survey") if each.key == "questions")
    shown = {}
    for type_ in ("choice", "scale", "number", "text", "slider", "date", "matrix", "ranking"):
        asked = {"demographics": [{"key": "q", "text": "?", "type": type_}]}
        names = _names(form_of(part, STUDIES["survey"] | asked))
        shown[type_] = {name.rpartition(".")[2] for name in names} & {"options", "scale", "minimum"}
    assert shown == {"choice": {"options"}, "scale": {"scale"}, "number": {"minimum"},
                     "text": set(), "slider": {"minimum"}, "date": set(), "matrix": {"scale"},
                     "ranking": {"options"}}  # fmt: skip


def test_the_builder_asks_questions_instead_of_showing_keys():
    nodes = [node for part in parts_of("survey") for node in form_of(part, STUDIES["survey"])]
    labels = {node.name: node.label for node in nodes}
    assert labels["survey.applications_each"] == "How many applications does each person judge?"
    keys = {node.name for node in nodes if asked_nothing(node)}
    assert keys == set()


def asked_nothing(node):
    return node.label == label_of(node.name.rpartition(".")[2]) and node.name not in (
        "consent", "survey.applications")  # fmt: skip


def test_lines_of_a_spreadsheet_become_options_and_entries_move():
    study = {"demographics": [{"key": "way", "options": [{"key": "bus", "text": "Bus"}]}]}
    pasted = "On foot\r\nbike\tBy bicycle\n\nBus\n2 wheels"
    after, _ = act(study, "paste:demographics.0.options", pasted=pasted)
    options = after["demographics"][0]["options"]
    assert [each["text"] for each in options] == ["Bus", "On foot", "By bicycle", "Bus", "2 wheels"]
    keys = [each["key"] for each in options]
    assert keys[:3] == ["bus", "on_foot", "bike"]
    assert len(set(keys)) == 5
    moved, anchor = act(after, "to:demographics.0.options.4:0")
    assert moved["demographics"][0]["options"][0]["text"] == "2 wheels"
    assert anchor == "demographics.0.options.0"
    assert act(after, "to:demographics.0.options.99:0")[0] == after


def test_levels_that_are_the_same_in_whole_counts_are_marked():
    survey = dict(STUDIES["survey"])
    survey["survey"] = survey["survey"] | {"precision": [0.9, 0.95], "recall": [1, 0.5],
                                           "real_positives": 10}  # fmt: skip
    survey["survey"].pop("per_application", None)
    grid = situation_grid(Study.from_dict(survey))
    assert grid.precision == ("90 %", "95 %")
    # By hand: 10 found with 1 false alarm for both (10/.9 = 11.1, 10/.95 = 10.5, half up 11).
    # With recall .5: 5/.9 = 5.6 gives 1 false alarm, 5/.95 = 5.3 gives none.
    assert grid.rows[0] == ("100 %", (("10 noticed, 1 false", True), ("10 noticed, 1 false", True)))
    assert grid.rows[1] == ("50 %", (("5 noticed, 1 false", False), ("5 noticed, 0 false", False)))


def test_a_thousand_with_a_comma_is_asked_again_and_no_decimal_is():
    part = next(each for each in parts_of("survey") if each.key == "questions")
    study = {"demographics": [{"key": "q", "text": "?", "type": "number"}]}
    for typed, kept in (("1,000", "1,000"), ("0,125", 0.125), ("1000", 1000), ("1,5", 1.5)):
        texts = {"demographics": [""], "demographics.0.maximum": [typed]}
        after = read_part(part, study, SentForm(texts=texts))
        assert after["demographics"][0]["maximum"] == kept


def _moved_and_sent_as_before(part, before, action):
    """Return the study after a button and then the form as it was before: an undo."""
    shown = SentForm(texts=_as_sent(form_of(part, before), {}))
    after, _ = act(before, action)
    assert after != before
    return read_part(part, after, shown)


@pytest.mark.parametrize(
    "action",
    ["to:rerating.items.0:1", "remove:rerating.items.0", "remove:rerating.items.0.picture"],
)
def test_undoing_gives_every_entry_its_own_picture_back(action):
    """Before: words went back and pictures stayed, so people saw another entry's picture."""
    items = [
        {"key": key, "text": key, "picture": {"file": f"{key}.svg", "alternative": key,
                                              "digest": f"of-{key}"}}
        for key in ("red", "blue")
    ] + [{"key": "none", "text": "No picture"}]  # fmt: skip
    before = STUDIES["rerating"] | {"rerating": STUDIES["rerating"]["rerating"] | {"items": items}}
    part = next(each for each in parts_of("rerating") if each.key == "task")
    assert _moved_and_sent_as_before(part, before, action) == before


def test_undoing_a_move_keeps_what_only_one_type_of_question_has():
    questions = [
        {"key": "one", "text": "?", "type": "slider", "low": "never", "high": "always"},
        {"key": "two", "text": "?", "type": "text"},
    ]
    before = STUDIES["survey"] | {"demographics": questions}
    part = next(each for each in parts_of("survey") if each.key == "questions")
    assert _moved_and_sent_as_before(part, before, "down:demographics.0") == before


def test_a_question_of_each_type_gets_what_it_needs_by_buttons():
    """Before: a matrix had no rows, as its button was refused."""
    study = {"demographics": [{"key": "q", "text": "?", "type": "matrix"}]}
    for _ in range(2):
        study, anchor = act(study, "add:demographics.0.rows")
    assert anchor == "demographics.0.rows.1"
    assert [row["key"] for row in study["demographics"][0]["rows"]] == ["new1", "new2"]
    with pytest.raises(InputError):
        act({"demographics": [{"key": "q", "type": "text"}]}, "add:demographics.0.rows")


def test_a_removed_entry_and_another_order_are_not_every_entry_changed():
    """Before: each entry after a removed one was said to become its neighbour."""
    asked = [{"key": key, "text": f"{key}?"} for key in ("age", "mood", "day", "pet")]
    fewer = [asked[0], asked[3], asked[2] | {"text": "Which day?"}]
    found = changes({"demographics": asked, "n": 1}, {"demographics": fewer, "n": 1.0})
    assert [(each.place, each.before, each.after) for each in found] == [
        ("Demographics “mood” › Name of its column in the data", "mood", "—"),
        ("Demographics “mood” › What do you ask?", "mood?", "—"),
        ("Demographics “day” › What do you ask?", "day?", "Which day?"),
        ("Demographics › Order", "age, day, pet", "age, pet, day"),
    ]
