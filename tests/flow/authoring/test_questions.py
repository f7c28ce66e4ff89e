"""Every key that the study builder shows is asked as a question, every choice has words."""

import pytest

from howgood.flow.authoring.builder_questions import asked, choice_words
from howgood.flow.authoring.shape import is_hidden
from howgood.flow.authoring.widgets import element, inner, options_of, widget_of
from howgood.kinds import KINDS
from howgood.kinds.study import Study
from howgood.records.record import Record, written_fields

# Pages of their own, or files that have a widget of their own.
_NO_FIELDS = {"Study.translations", "Picture.file"}


def _fields(record, path=(), seen=None):
    """Yield every field that a form may show, by walking the records."""
    seen = set() if seen is None else seen
    if record in seen:
        return
    seen.add(record)
    for name, field in written_fields(record):
        is_editable = not is_hidden((*path, name)) and f"{record.__name__}.{name}" not in _NO_FIELDS
        widget = widget_of(field.annotation, record=record, name=name)
        if is_editable:
            yield record, name, field.annotation, widget
        if widget == "list":
            for entry in (element(field.annotation), *element(field.annotation).__subclasses__()):
                yield from _fields(entry, (*path, name), seen)
        elif widget in ("group", "picture") and issubclass(inner(field.annotation), Record):
            yield from _fields(inner(field.annotation), (*path, name), seen)


FIELDS = list(_fields(Study))


def test_the_walk_reaches_every_kind():
    assert {kind.plan for kind in KINDS.values()} <= {record for record, *_ in FIELDS}


NAMES = [f"{record.__name__}.{name}" for record, name, *_ in FIELDS]


@pytest.mark.parametrize(("record", "name", "hint", "widget"), FIELDS, ids=NAMES)
def test_every_key_is_asked_in_words(record, name, hint, widget):
    found = asked(record, name)
    assert found is not None
    assert found[0] == found[0].strip()
    assert "`" not in " ".join(found)
    if widget == "choice":
        options = options_of(hint, record=record, name=name)
        assert set(options) <= choice_words(record, name).keys()
