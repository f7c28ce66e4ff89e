"""Every address and every operation, as every role: exactly what the table says.

The expectations are written out here from the issue's words, not read from the program: a role that
gains or loses something fails a test.
"""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.attacks.surface import filled, routes
from tests.flow.hosting.conftest import SURVEY, Person
from tests.web.conftest import PASSWORD, hidden_fields

from howgood.flow import accounts, importing
from howgood.flow.api_access import issue_token
from howgood.flow.hosting import add_study
from howgood.flow.results import requests
from howgood.kinds.study import Study
from howgood.records.api_token import SCOPES
from howgood.records.researcher import ROLES, STUDY_ROLES
from howgood.settings import Settings
from howgood.web import permissions
from howgood.web.access import SESSION
from howgood.web.api.openapi import OPERATIONS
from howgood.web.app import make_app
from howgood.web.permissions import guarded

FORBIDDEN, NOT_FOUND, SEE_OTHER, UNAUTHORISED = 403, 404, 303, 401
# Written by hand: who may do what in a study.
MAY = {
    "live": {"owner", "editor", "analyst", "viewer", "recruiter"},
    "texts": {"owner", "editor", "analyst", "viewer"},
    "results": {"owner", "editor", "analyst", "viewer"},
    "fit": {"owner", "editor", "analyst"},
    "data": {"owner", "editor", "analyst"},
    "links": {"owner", "editor", "recruiter"},
    "edit": {"owner", "editor"},
    "erase": {"owner", "editor"},
    "identified": {"owner"},
    "share": {"owner"},
    "delete": {"owner"},
}
CREATES = {"server-owner", "server-member"}
HOLDS_TOKENS = CREATES | {"owner", "editor", "analyst", "other-study"}
# What somebody with no more than an account is: no study is shared with them.
OUTSIDERS = ("server-member", "server-guest", "other-study")
# Nothing was discarded, no picture drawn, no provider set: the route says so to whoever may enter.
NOT_THERE = {"POST /studies/{slug}/restore", "GET /studies/{slug}/picture/{name}",
             "GET /account/ways/provider"}  # fmt: skip
# Sent with every operation: enough to be understood, too little to do harm.
BODY = {"json": {}, "params": {"confirmation": "wrong", "reason": "a test of roles"}}
SECRET_ID = "PLATFORM-ID-4711"  # noqa: S105 - an id to look for


def _now():
    return datetime.now(UTC)


def _join(host, owner, *, role, name):
    token = accounts.invite(host, owner, role=role, now=_now())
    return accounts.join(host, token, name=name, password=PASSWORD, now=_now()).signed_in


@pytest.fixture
def cast(host, owner_account):
    """One account per role in the study of doors, and per role on the server."""
    ada = owner_account.researcher
    found = {"server-owner": owner_account}
    for role in ROLES:
        if role != "owner":
            found[f"server-{role}"] = _join(host, ada, role=role, name=f"server {role}")
    for role in STUDY_ROLES:
        found[role] = _join(host, ada, role="guest", name=f"study {role}")
        accounts.share(host, ada, "doors", name=f"study {role}", role=role, is_group=False,
                       now=_now())  # fmt: skip
    found["other-study"] = _join(host, ada, role="guest", name="elsewhere")
    accounts.share(host, ada, "songs", name="elsewhere", role="owner", is_group=False, now=_now())
    return found


@pytest.fixture
def doors(host, owner_account):
    """Somebody with a platform id, a fit, an upload, an import and a card in the study of doors."""
    study = Study.from_dict(SURVEY | {"recruitment": "prolific"})
    add_study(host, study, folder=Path(), now=_now())
    someone = Person(host, "doors", now=_now(), PROLIFIC_PID=SECRET_ID)
    someone.begin()
    someone.finish()
    fit = requests.ask_fit(host, "doors", {}, actor="ada", now=_now())
    requests.cancel_job(host, "doors", fit, now=_now())
    content = b"participant,application,precision,recall,acceptable\nr1,bell,1,1,5\n"
    importing.import_files(host, "doors", [("a.csv", content)], mapping={}, missing="error",
                           store=True, actor="ada", now=_now())  # fmt: skip
    return fit


@pytest.fixture
def client(host):
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as client:
        yield client


def _is_refused(answer):
    """Whether the guard turned a request down: a page of refusal, or a study that is not there."""
    return answer.status_code in (FORBIDDEN, NOT_FOUND)


def _role_allows(need, who):
    if need == permissions.CREATE:
        return who in CREATES
    # Those with roles in the study are guests, who make none.
    if need in (permissions.SERVER, permissions.CARD, permissions.COPY):
        return who == "server-owner"
    if need in (permissions.PUBLIC, permissions.ACCOUNT) or who == "server-owner":
        return True
    if need == permissions.TOKENS:
        return who in HOLDS_TOKENS
    if who == "server-viewer":  # reads every study as a viewer does
        return "viewer" in MAY[need]
    return who in MAY.get(need, ())


def test_every_address_is_in_the_table_and_the_table_has_no_other(client):
    served = {f"{method} {path}" for method, path in routes(client.app)}
    pages = {name for name in served if not re.match(r"\w+ /api/(v1|openapi)", name)}
    assert pages == set(permissions.PAGES)
    assert {each.name for each in OPERATIONS} == set(permissions.OPERATIONS)


def test_a_route_without_a_line_in_the_table_cannot_be_served():
    from starlette.routing import Route

    with pytest.raises(permissions.MissingPermissionError, match="GET /new"):
        guarded([Route("/new", lambda request: None, methods=["GET"])])


def _somewhere(client, who):
    """Return a browser at an address of its own: nobody is slowed down by somebody else."""
    place = (f"10.0.0.{1 + sum(map(ord, who)) % 250}", 50000)
    return TestClient(client.app, raise_server_exceptions=False, client=place)


def _walk(client, cast, who):
    """Ask for every page as somebody, with a form that is theirs; yield name, need, answer."""
    client = _somewhere(client, who)
    client.cookies.set(SESSION, cast[who].token)
    csrf = hidden_fields(client.get("/account"))
    for name, need in permissions.PAGES.items():
        method, path = name.split(" ", 1)
        if need == permissions.PUBLIC or path == "/account":
            continue
        address = filled(path, slug="doors", number=999, name="kay2015-electricity")
        sends = {"data": csrf} if method == "POST" else {}
        yield name, need, client.request(method, address, follow_redirects=False, **sends)


def test_every_page_lets_in_exactly_the_roles_of_the_table(client, cast, doors):
    for who in cast:
        asked = 0
        for name, need, answer in _walk(client, cast, who):
            asked += 1
            assert answer.status_code < 500, (who, name)
            if not _role_allows(need, who):
                wanted = NOT_FOUND if "{slug}" in name and who in OUTSIDERS else FORBIDDEN
                assert answer.status_code == wanted, (who, name)
                continue
            # What is not there is answered by the route itself: number 999 is nobody's.
            is_absent = answer.status_code == NOT_FOUND and (
                "999" in str(answer.url) or name in NOT_THERE
            )
            assert is_absent or not _is_refused(answer), (who, name, answer.status_code)
        assert asked > 60


def test_nobody_enters_without_an_account(client, cast, doors):
    for name, need in permissions.PAGES.items():
        method, path = name.split(" ", 1)
        if need == permissions.PUBLIC:
            continue
        answer = client.request(method, filled(path, slug="doors", number=999),
                                follow_redirects=False)  # fmt: skip
        is_asked = answer.status_code == SEE_OTHER and answer.headers["location"].startswith(
            "/login"
        )
        assert is_asked, name


def test_every_operation_lets_in_exactly_the_roles_of_the_table(host, client, cast, doors):
    for who, signed_in in cast.items():
        secret = issue_token(host, signed_in.researcher, name="n", scopes=tuple(SCOPES),
                             study=None, days=None, now=_now()).secret  # fmt: skip
        head = {"Authorization": f"Bearer {secret}"}
        client = _somewhere(client, who)
        for operation in OPERATIONS:
            need = permissions.OPERATIONS[operation.name]
            address = filled(operation.address, slug="doors", fit=999, participant="nobody",
                             product=999)  # fmt: skip
            answer = client.request(operation.method, address, headers=head, **BODY)
            assert answer.status_code < 500, (who, operation.name)
            if operation.name == "answerInUse":  # a product shows a token of its own
                assert answer.status_code == UNAUTHORISED, who
            elif _role_allows(need, who):
                parts = ("999", "nobody", "/imports/")
                is_absent = answer.status_code == NOT_FOUND and any(
                    part in address for part in parts
                )
                assert is_absent or not _is_refused(answer), (who, operation.name, answer.text)
            elif "{slug}" in operation.path and who in OUTSIDERS:
                assert answer.status_code == NOT_FOUND, (who, operation.name)
            else:
                assert answer.status_code == FORBIDDEN, (who, operation.name)


def test_no_operation_works_without_a_token(client, doors):
    for operation in OPERATIONS:
        if permissions.OPERATIONS[operation.name] != permissions.PUBLIC:
            address = filled(operation.address, slug="doors")
            answer = client.request(operation.method, address, **BODY)
            assert answer.status_code == UNAUTHORISED, operation.name


@pytest.mark.parametrize("who", ["editor", "analyst", "viewer", "recruiter", "server-viewer"])
def test_platform_ids_reach_nobody_but_owners(host, client, cast, doors, who):
    secret = issue_token(host, cast[who].researcher, name="n", scopes=tuple(SCOPES), study=None,
                         days=None, now=_now()).secret  # fmt: skip
    head = {"Authorization": f"Bearer {secret}"}
    for _, _, answer in _walk(client, cast, who):
        assert SECRET_ID not in answer.text
    for operation in OPERATIONS:
        if operation.method != "GET":
            continue
        for file_format in ("csv", "json"):
            address = filled(operation.address, slug="doors", format=file_format)
            for table in ("participants", "answers", "screens"):
                params = {"reason": "a test of roles", "table": table, "limit": 50}
                kept = {name: value for name, value in params.items()
                        if operation.query and name in operation.query.model_fields}  # fmt: skip
                answer = client.get(address, headers=head, params=kept)
                assert SECRET_ID not in answer.text, operation.name


def test_a_person_s_own_pages_open_for_those_who_may_read_answers_and_hide_their_platform_id(
    client, cast, doors
):
    readers = MAY["data"] | {"server-owner"}
    for who in cast:
        visitor = _somewhere(client, who)
        visitor.cookies.set(SESSION, cast[who].token)
        for address in ("/studies/doors/people", "/studies/doors/people/1",
                        "/studies/doors/data", "/studies/doors/data/export/csv"):  # fmt: skip
            page = visitor.get(address)
            wanted = 200 if who in readers else NOT_FOUND if who in OUTSIDERS else FORBIDDEN
            assert page.status_code == wanted, (who, address)
            assert SECRET_ID not in page.text, (who, address)
        reviewed = visitor.post("/studies/doors/people/1",
                                data=hidden_fields(visitor.get("/account")))  # fmt: skip
        refused = reviewed.status_code in (FORBIDDEN, NOT_FOUND)
        assert refused == (who not in MAY["edit"] | {"server-owner"}), who


def test_nobody_who_sees_no_answers_finds_one_on_a_page_they_may_open(client, cast, doors):
    """What somebody typed is on no page of viewers and recruiters, whichever they open."""
    for who in ("viewer", "recruiter", "server-viewer"):
        visitor = _somewhere(client, who)
        visitor.cookies.set(SESSION, cast[who].token)
        for path in ("", "/counts", "/results", "/links", "/versions"):
            page = visitor.get(f"/studies/doors{path}")
            assert "answers.csv" not in page.text, (who, path)
            assert SECRET_ID not in page.text, (who, path)
            assert "/people" not in page.text, (who, path)
            assert "/data/export" not in page.text, (who, path)


def test_an_owner_of_the_study_reads_platform_ids_for_a_reason_that_is_written_down(
    host, client, cast, doors
):
    client.cookies.set(SESSION, cast["owner"].token)
    form = hidden_fields(client.get("/studies/doors/data"))
    wanted = {"format": "csv", "table": "participants"}
    refused = client.post("/studies/doors/data/identified", data=form | wanted | {"reason": ""})
    assert refused.status_code == 422
    assert SECRET_ID not in refused.text
    given = client.post("/studies/doors/data/identified",
                        data=form | wanted | {"reason": "paying those who finished"})  # fmt: skip
    assert SECRET_ID in given.text
    client.cookies.set(SESSION, cast["server-owner"].token)
    history = client.get("/history?study=doors").text
    assert "paying those who finished" in history
    assert "study owner" in history
    assert SECRET_ID not in history


def test_a_list_of_studies_holds_those_that_are_shared(host, client, cast):
    def listed(who):
        client.cookies.set(SESSION, cast[who].token)
        return set(re.findall(r'href="/studies/(\w+)"', client.get("/studies").text)) - {"new"}

    assert listed("server-owner") == listed("server-viewer") == {"doors", "songs"}
    assert listed("recruiter") == {"doors"}
    assert listed("other-study") == {"songs"}
    assert listed("server-guest") == listed("server-member") == set()


@pytest.mark.parametrize(("who", "may_write"), [("editor", True), ("viewer", False)])
def test_who_may_only_read_texts_is_not_told_to_change_them(client, cast, doors, who, may_write):
    client.cookies.set(SESSION, cast[who].token)
    page = client.get("/studies/doors/edit").text
    assert ("people see it when you publish it" in page) == may_write
    assert ("Changing it takes the role editor." in page) != may_write
    assert (">Texts</a>" in page) != may_write


def test_a_role_that_is_taken_back_ends_with_the_next_request(host, client, cast, owner_account):
    client.cookies.set(SESSION, cast["viewer"].token)
    assert client.get("/studies/doors/results").status_code == 200
    ada = owner_account.researcher
    (mine,) = (each for each in accounts.sharing_of(host, "doors", now=_now()).shares
               if each.name == "study viewer")  # fmt: skip
    accounts.unshare(host, ada, "doors", mine.number, now=_now())
    assert client.get("/studies/doors/results").status_code == NOT_FOUND


def test_a_group_gives_its_members_a_role_while_they_are_in_it(host, client, cast, owner_account):
    ada = owner_account.researcher
    accounts.make_group(host, ada, name="Lab", now=_now())
    (group,) = accounts.every_group(host)
    accounts.share(host, ada, "doors", name="Lab", role="viewer", is_group=True, now=_now())
    client.cookies.set(SESSION, cast["server-guest"].token)
    assert client.get("/studies/doors").status_code == NOT_FOUND
    accounts.set_group_member(host, ada, group.number, name="server guest", is_in=True, now=_now())
    assert client.get("/studies/doors").status_code == 200
    assert client.get("/studies/doors/data").status_code == FORBIDDEN
    # Several roles add up.
    accounts.share(host, ada, "doors", name="server guest", role="recruiter", is_group=False,
                   now=_now())  # fmt: skip
    assert client.get("/studies/doors/links").status_code == 200
    assert client.get("/studies/doors/results").status_code == 200
    accounts.remove_group(host, ada, group.number, now=_now())
    assert client.get("/studies/doors/results").status_code == FORBIDDEN


def test_who_makes_a_study_owns_it_and_shares_it_from_the_page(host, client, cast):
    client.cookies.set(SESSION, cast["server-member"].token)
    form = hidden_fields(client.get("/studies/new"))
    client.post("/studies/new", data=form | {"template": "survey", "slug": "mine", "title": "Mine"})
    page = client.get("/studies/mine/share")
    form = hidden_fields(page)
    wrong = client.post("/studies/mine/share", data=form | {"name": "nobody", "role": "editor"})
    assert wrong.status_code == 422
    assert "ada" not in re.sub(r"<nav.*?</nav>", "", wrong.text, flags=re.DOTALL)
    client.post("/studies/mine/share", data=form | {"name": "Elsewhere", "role": "analyst"})
    assert "elsewhere" in client.get("/studies/mine/share").text
    client.cookies.set(SESSION, cast["other-study"].token)
    assert client.get("/studies/mine/edit/texts").status_code == 200
    assert client.get("/studies/mine/share").status_code == FORBIDDEN


def test_an_invitation_to_a_study_makes_an_account_that_sees_this_study_alone(host, client, cast):
    client.cookies.set(SESSION, cast["owner"].token)
    form = hidden_fields(client.get("/studies/doors/share"))
    page = client.post("/studies/doors/share/invitations", data=form | {"role": "recruiter"})
    token = re.search(r"/setup/([\w-]+)", page.text)[1]
    client.cookies.clear()
    setup = client.get(f"/setup/{token}")
    assert "recruiter" in setup.text
    client.post(f"/setup/{token}",
                data=hidden_fields(setup) | {"name": "newcomer", "password": PASSWORD})  # fmt: skip
    assert client.get("/studies/doors/links").status_code == 200
    assert client.get("/studies/doors/data").status_code == FORBIDDEN
    assert client.get("/studies/songs").status_code == NOT_FOUND
    assert client.get("/studies/new").status_code == FORBIDDEN


def test_a_link_shows_results_until_it_is_revoked_or_over(host, client, cast, doors):
    client.cookies.set(SESSION, cast["owner"].token)
    form = hidden_fields(client.get("/studies/doors/share"))
    page = client.post("/studies/doors/share/links", data=form | {"name": "the board", "days": "7"})
    token = re.search(r"/r/([\w-]+)", page.text)[1]
    assert f"/r/{token}" not in client.get("/studies/doors/share").text
    client.cookies.clear()
    shown = client.get(f"/r/{token}")
    assert shown.status_code == 200
    assert "the board" in shown.text
    assert SECRET_ID not in shown.text
    assert client.get("/studies/doors/results", follow_redirects=False).status_code == SEE_OTHER
    later = _now() + timedelta(days=8)
    assert accounts.result_link(host, token, now=later) is None
    (made,) = accounts.sharing_of(host, "doors", now=_now()).links
    client.cookies.set(SESSION, cast["owner"].token)
    client.post(f"/studies/songs/share/links/{made.number}/revoke", data=form)
    assert client.get(f"/r/{token}").status_code == 200  # not that study's to revoke
    client.post(f"/studies/doors/share/links/{made.number}/revoke", data=form)
    for path in ("", "/report.html", "/0.svg"):
        assert client.get(f"/r/{token}{path}").status_code == NOT_FOUND


def test_the_last_owner_of_the_server_stays_one(host, client, cast, owner_account):
    client.cookies.set(SESSION, owner_account.token)
    form = hidden_fields(client.get("/people"))
    mine = owner_account.researcher.number
    refused = client.post(f"/people/{mine}/role", data=form | {"role": "guest"})
    assert refused.status_code == 422
    other = cast["server-guest"].researcher.number
    client.post(f"/people/{other}/role", data=form | {"role": "owner"})
    client.post(f"/people/{mine}/role", data=form | {"role": "guest"})
    assert client.get("/people").status_code == FORBIDDEN
