"""Statements in texts: no text reaches a database as anything but a value.

On SQLite and on PostgreSQL: every field of every form, every part of every address, every parameter
and every body of the API.
"""

import ast
import re
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.attacks.surface import content, filled, forms, routes, sent_with
from tests.flow.hosting.conftest import RERATING, SURVEY, Person
from tests.postgresql import empty_postgresql_database
from tests.web.conftest import PASSWORD, forget_attempts, hidden_fields

from howgood.flow import accounts
from howgood.flow.api_access import issue_token
from howgood.flow.hosting import add_study
from howgood.kinds.study import Study
from howgood.records.api_token import SCOPES

SOURCE = Path(__file__).parents[2] / "src" / "howgood"
# Ends a statement, a string, a list and a comment, on both databases.
ATTACK = (
    "x'); DROP TABLE participants; DELETE FROM answers; UPDATE researchers SET role='owner'; "
    'SELECT pg_sleep(5); --" OR "1"="1\\\' %s :x ${1} %(a)s ?'
)
ALWAYS = ("' OR '1'='1", "' OR 1=1 --", '" OR ""="', "x' UNION SELECT 1,2,3,4 --", "%", "_%")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_address(request, tmp_path):
    """Both kinds of database: statements are written for each."""
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    return empty_postgresql_database(request.getfixturevalue("postgresql_server"))


@pytest.fixture
def taken(host):
    """Somebody has answered, so that there is something to lose."""
    someone = Person(host, "songs", now=datetime.now(UTC))
    someone.begin()
    someone.finish()
    return someone


@pytest.fixture
def secret(host, owner_account):
    return issue_token(host, owner_account.researcher, name="test", scopes=tuple(SCOPES),
                       study=None, days=None, now=datetime.now(UTC)).secret  # fmt: skip


def _held(host):
    found = content(host, without=())
    assert found["participants"]
    assert found["answers"]
    return {name: found[name] for name in ("participants", "answers", "researchers")}


def test_a_statement_in_every_field_of_every_form_is_only_text(owner, host, taken):
    before = _held(host)
    found = sorted(forms(owner), key=lambda each: "logout" in each["action"])
    assert len(found) > 15
    for form in found:
        answer = sent_with(owner, form, ATTACK)
        assert answer.status_code < 500, form["action"]
    assert _held(host) == before


def test_a_statement_in_every_part_of_every_address_is_only_text(owner, host, taken):
    before = _held(host)
    for method, path in routes(owner.app):
        if method != "GET" or path.startswith("/api/v1"):
            continue
        for name in re.findall(r"\{(\w+)\}", path):
            answer = owner.get(filled(path, **{name: ATTACK}), follow_redirects=False)
            assert answer.status_code in (200, 303, 404, 422), path
        query = dict.fromkeys(("page", "condition", "done", "table", "card", "matrix"), ATTACK)
        assert owner.get(filled(path), params=query).status_code < 500, path
    assert _held(host) == before


def test_a_statement_in_every_call_of_the_api_is_only_text(browser, host, taken, secret):
    before, asked = _held(host), 0
    head = {"Authorization": f"Bearer {secret}"}
    for method, path in routes(browser.app):
        if not path.startswith("/api/v1"):
            continue
        for name in (*re.findall(r"\{(\w+)\}", path), ""):
            if method == "DELETE" and not name:
                continue  # that would rightly erase what is named
            values = {name: ATTACK} if name else {}
            body = {"name": ATTACK, "content": ATTACK, "people": ATTACK, "priors": ATTACK,
                    "study": RERATING | {"title": ATTACK, "slug": ATTACK}}  # fmt: skip
            sends = {"json": body} if method in ("POST", "PATCH") else {}
            answer = browser.request(method, filled(path, **values), headers=head, **sends,
                                     params={"confirmation": ATTACK} if name else {})  # fmt: skip
            assert answer.status_code < 500, path
            asked += 1
    assert asked > 25
    assert _held(host) == before


def test_what_is_always_true_opens_nothing(browser, host, owner_account, taken):
    form = hidden_fields(browser.get("/login"))
    for always in ALWAYS:
        forget_attempts(host)
        for name, password in (("ada", always), (always, PASSWORD), (always, always)):
            sent = browser.post("/login", data=form | {"name": name, "password": password})
            assert sent.status_code == 422
        head = {"Authorization": f"Bearer {always}"}
        assert browser.get("/api/v1/studies", headers=head).status_code == 401
        for path in ("/p/{token}", "/s/{slug}", "/setup/{token}", "/library/{name}"):
            values = dict.fromkeys(("token", "slug", "name"), always)
            assert browser.get(filled(path, **values)).status_code == 404, path
        assert accounts.who(host, always, now=datetime.now(UTC)) is None


def test_a_statement_as_an_answer_is_stored_as_it_was_typed(browser, host):
    asked = {"demographics": [{"key": "words", "text": "What?", "type": "text"}]}
    study = Study.from_dict(SURVEY | asked | {"slug": "words", "recruitment": "prolific"})
    add_study(host, study, folder=Path(), now=datetime.now(UTC))
    address = "/s/words?" + urlencode({"PROLIFIC_PID": ATTACK[:100]})
    form = hidden_fields(browser.get(address)) | {"consent.consent": "yes"}
    begun = browser.post(address, data=form)
    (field,) = re.findall(r'name="([^"]*words)"', begun.text)
    browser.post(begun.url.path, data=hidden_fields(begun) | {field: ATTACK})
    found = content(host)
    assert [row.content for row in found["answers"] if row.content.get("words") == ATTACK]
    assert ATTACK[:100] in str(found["participants"])


def test_a_title_that_is_a_statement_is_kept_as_it_is(browser, host, secret):
    head = {"Authorization": f"Bearer {secret}"}
    study = RERATING | {"title": ATTACK, "slug": "another"}
    made = browser.post("/api/v1/studies", json={"study": study}, headers=head)
    assert made.status_code == 201, made.text
    assert browser.get("/api/v1/studies/another", headers=head).json()["title"] == ATTACK


def _names(node):
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _written_statements():
    """Yield every place where a statement is given to a database as text."""
    for path in sorted((SOURCE / "store").rglob("*.py")) + sorted((SOURCE / "flow").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "sqlalchemy" in text else "")):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                is_text = node.func.attr in ("text", "literal_column", "exec_driver_sql") or (
                    node.func.attr == "execute" and _names(node.func) in ("op", "cursor")
                )
                if is_text and node.args:
                    yield path, node


def test_no_statement_is_put_together_from_texts():
    found = list(_written_statements())
    assert found
    made = [
        f"{path.name}:{node.lineno}"
        for path, node in found
        # A name is a constant of the module (BEGIN), a call a statement of SQLAlchemy's, which is
        # looked at by itself; everything else is written out.
        if not isinstance(node.args[0], ast.Constant | ast.Name | ast.Call)
    ]
    assert not made
