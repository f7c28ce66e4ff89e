"""Pages never speak of the command line: neither their own words nor errors that reach them."""

import re
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pytest
from tests.flow.results.conftest import RERATING, SURVEY
from tests.web.conftest import hidden_fields

from howgood.demo.web import add_people
from howgood.flow.hosting import add_study
from howgood.kinds.study import Study
from howgood.web.page_words import on_a_page

OPTION = re.compile(
    r"(?<![\w-])--[a-z]|\bhowgood (?:serve|fit|new|check|export|import|rank|elicit)\b"
)
# Styles and scripts that stand in a page, and comments of templates.
UNSEEN = re.compile(r"<style.*?</style>|<script.*?</script>|\{#.*?#\}|<!--.*?-->", re.S)
TABLE = "csv", "text/csv"
CARD = "/library/kay2015-answers-alarm-police"


def _templates():
    folder = files("howgood.web") / "templates"
    found = [*folder.iterdir(), *(folder / "dashboard").iterdir()]
    return [path for path in found if path.name.endswith(".html")]


@pytest.mark.parametrize("template", _templates(), ids=lambda path: path.name)
def test_no_template_names_a_command_or_an_option(template):
    assert OPTION.search(UNSEEN.sub("", template.read_text(encoding="utf-8"))) is None


@pytest.fixture
def asked(host):
    now = datetime.now(UTC)
    for study in (SURVEY, RERATING):
        row = add_study(host, Study.from_dict(study), folder=Path(), now=now)
        add_people(host, row.slug, people=2, seed=1, now=now)


def _file(content, name="t.csv"):
    return {"file": (name, content, "text/csv")}


WRONG_TABLES = [
    b"",
    b"a,b\n1,2\n",
    b"y_true,y_pred\n1\n",
    b"\xff\xfe\x00",
    b"y_true,y_pred\n2,3\n4,5\n",
]


@pytest.mark.parametrize("content", WRONG_TABLES)
def test_wrong_tables_are_said_without_options(owner, asked, content):
    pages = [owner.post(CARD, files=_file(content))]
    form = hidden_fields(owner.get("/studies/doors/data"))
    upload = {"files": ("t.csv", content, "text/csv")}
    pages.append(owner.post("/studies/doors/data/import", data=form, files=upload))
    pages += [
        owner.post(f"/studies/{slug}/results/uploads", data=form | {"purpose": purpose},
                   files=_file(content))
        for slug, purpose in (("doors", "classifier"), ("songs", "systems"))
    ]  # fmt: skip
    pages.append(owner.post("/studies/upload", data=form, files=_file(content, "study.toml")))
    for page in pages:
        assert OPTION.search(UNSEEN.sub("", page.text)) is None


@pytest.mark.parametrize("given", [{"people": "nobody"}, {"seed": "x"}, {"model": "none"}, {}])
def test_wrong_options_of_a_fit_are_said_without_options_to_type(owner, asked, given):
    form = hidden_fields(owner.get("/studies/doors/results"))
    page = owner.post("/studies/doors/results", data=form | given)
    assert OPTION.search(UNSEEN.sub("", page.text)) is None
    unknown = owner.post("/studies/doors/data/erase", data=form | {"who": "999", "sure": "yes"})
    assert OPTION.search(UNSEEN.sub("", unknown.text)) is None


def test_what_is_left_of_a_message_is_still_a_message():
    assert on_a_page("--counts: found 3 numbers; 4 are needed") == "found 3 numbers; 4 are needed"
    assert on_a_page("It needs a column. Name it: --map a=B.") == "It needs a column."
    assert on_a_page("no such file") == "no such file"
