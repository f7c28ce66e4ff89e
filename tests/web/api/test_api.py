"""The API does what the dashboard does, for those who may, and says why not to others."""

import io
import json
import logging
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.errors import InputError
from howgood.flow import watching
from howgood.flow.api_access import issue_token, revoke_token, tokens_of
from howgood.flow.collected import tidy_rows
from howgood.flow.results import requests
from howgood.records.participant import Status
from howgood.settings import Settings
from howgood.store import audit, studies
from howgood.store.schema import api_tokens, researchers, uploads
from howgood.store.studies import NewVersion
from howgood.web.api.openapi import OPERATIONS, openapi
from howgood.web.api.operation import PRODUCT
from howgood.web.app import make_app
from howgood.web.middleware import Pace

PROBLEM = "application/problem+json"
NEW = {**RERATING, "slug": "fresh"}


def test_studies_are_listed_made_changed_opened_and_deleted(api, host):
    assert [each["slug"] for each in api("GET", "/studies").json()["studies"]] == ["doors", "songs"]
    made = api("POST", "/studies", json={"study": NEW})
    assert (made.status_code, made.json()["is_open"]) == (201, False)
    assert api("POST", "/studies", json={"study": NEW}).status_code == 409
    content = api("GET", "/studies/fresh").json()
    assert content["study"]["rerating"]["question"] == "How good?"
    changed = content["study"] | {"title": "Fresh songs"}
    newer = api("POST", "/studies/fresh/versions", json={"study": changed})
    assert (newer.status_code, newer.json()["title"]) == (201, "Fresh songs")
    assert newer.json()["version"] != content["version"]
    assert api("PATCH", "/studies/fresh", json={"is_open": True}).json()["is_open"] is True
    refused = api("DELETE", "/studies/fresh", params={"confirmation": "fresher"})
    assert refused.status_code == 422
    gone = api("DELETE", "/studies/fresh", params={"confirmation": "fresh"})
    assert gone.json() == {"participants": 0, "is_off_disk": True}
    assert api("GET", "/studies/fresh").status_code == 404
    with host.database.reading() as connection:
        actions = [(line.actor, line.action) for line in audit.lines(connection, study="fresh")]
    done = ("delete study", "open study", "publish version", "create study")
    assert actions == [("token test", each) for each in done]


def test_a_draft_keeps_its_name_and_a_study_its_kind(api, host):
    draft = NewVersion(slug="fresh", title="Mine", kind="survey", digest="", content={})
    now = datetime.now(UTC)
    host.database.write(lambda c: studies.add_study(c, draft, is_open=False, now=now))
    assert api("POST", "/studies", json={"study": NEW}).status_code == 409
    refused = api("POST", "/studies/doors/versions", json={"study": NEW | {"slug": "doors"}})
    assert (refused.status_code, refused.json()["where"]) == (422, "study.kind")


def test_wrong_studies_come_back_with_every_problem(api):
    wrong = NEW | {"title": 3, "rerating": NEW["rerating"] | {"rounds": 1, "itmes": []}}
    answer = api("POST", "/studies", json={"study": wrong})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == PROBLEM
    found = answer.json()
    assert {"study.title", "study.rerating.rounds", "study.rerating.itmes"} <= {
        each["where"] for each in found["problems"]
    }
    assert {"where", "found", "needed", "cure", "status", "title", "type"} <= set(found)
    picture = {"file": "../../secret.svg", "alternative": "x"}
    items = [each | {"picture": picture} for each in NEW["rerating"]["items"]]
    hostile = NEW | {"rerating": NEW["rerating"] | {"items": items}}
    assert "picture" in api("POST", "/studies", json={"study": hostile}).json()["found"]


def test_participants_links_answers_and_erasing(api, finished, client):
    finished("doors", 1, 2, 3)
    links = api("POST", "/studies/doors/invitations", json={"people": 2}).json()["links"]
    assert len(links) == 2
    assert client.get(links[0]).status_code == 200
    first = api("GET", "/studies/doors/participants", params={"limit": 2}).json()
    second = api("GET", "/studies/doors/participants", params={"after": first["next"]}).json()
    numbers = [row["participant"] for row in first["rows"] + second["rows"]]
    assert (len(numbers), second["next"]) == (3, None)
    answers = api("GET", "/studies/doors/answers").json()["rows"]
    assert len(answers) == 6
    gone = api("DELETE", f"/studies/doors/participants/{numbers[0]}")
    assert gone.json() == {"participants": 1, "is_off_disk": True}
    assert api("DELETE", f"/studies/doors/participants/{numbers[0]}").status_code == 404
    assert len(api("GET", "/studies/doors/answers").json()["rows"]) == 4


def test_data_streams_and_exports(api, host, finished):
    finished("doors", 1, 2)
    lines = api("GET", "/studies/doors/rows").text.splitlines()
    assert [json.loads(line) for line in lines] == list(tidy_rows(host, "doors"))
    archive = zipfile.ZipFile(io.BytesIO(api("GET", "/studies/doors/exports/csv").content))
    assert "codebook.csv" in archive.namelist()
    one = api("GET", "/studies/doors/exports/csv", params={"table": "answers"})
    assert one.headers["content-disposition"] == 'attachment; filename="doors-answers.csv"'
    assert one.text.count("\n") == 5
    for kind in ("json", "parquet", "html", "limesurvey", "qualtrics"):
        assert api("GET", f"/studies/doors/exports/{kind}").status_code == 200
    assert api("GET", "/studies/doors/exports/pdf").status_code == 404
    assert api("GET", "/studies/songs/exports/limesurvey").status_code == 422
    book = api("GET", "/studies/doors/codebook").json()
    assert book["tables"]["answers"][0]["name"] == "participant"


def test_answers_are_imported_all_or_nothing(api):
    table = "who,application,precision,recall,acceptable\nr1,bell,1,1,5\n"
    body = {"name": "a.csv", "content": table, "mapping": {"participant": "who"}}
    looked = api("POST", "/studies/doors/imports", json=body | {"dry_run": True}).json()
    assert (looked["people"], looked["number"]) == (1, None)
    done = api("POST", "/studies/doors/imports", json=body).json()
    assert (done["people"], done["answers"], done["left_out"]) == (1, 1, {})
    assert api("POST", "/studies/doors/imports", json=body).json()["people_here"] == 1
    wrong = api("POST", "/studies/doors/imports", json=body | {"content": table + "r2,x,1,1,5\n"})
    assert (wrong.status_code, wrong.json()["where"]) == (422, "a.csv:3, column 'application'")


def test_imports_are_listed_and_undone(api):
    table = "who,application,precision,recall,acceptable\nr1,bell,1,1,5\n"
    body = {"name": "a.csv", "content": table, "mapping": {"participant": "who"}}
    number = api("POST", "/studies/doors/imports", json=body).json()["number"]
    (made,) = api("GET", "/studies/doors/imports").json()["imports"]
    assert (made["number"], made["source"], made["people"]) == (number, "a.csv", 1)
    gone = api("DELETE", f"/studies/doors/imports/{number}")
    assert gone.json() == {"number": number, "people": 1, "answers": 1}
    assert api("DELETE", f"/studies/doors/imports/{number}").status_code == 404
    assert api("DELETE", "/studies/doors/imports/x").status_code == 404
    assert api("GET", "/studies/doors/imports").json() == {"imports": []}


def test_a_fit_is_queued_seen_and_cancelled(api, finished):
    finished("doors", 1)
    queued = api("POST", "/studies/doors/fits", json={"seed": 3})
    assert (queued.status_code, queued.json()["status"]) == (202, "queued")
    number = queued.json()["number"]
    assert api("GET", f"/studies/doors/fits/{number}").json()["result"] is None
    assert api("GET", "/studies/doors/fits").json()["fits"][0]["number"] == number
    assert api("GET", f"/studies/songs/fits/{number}").status_code == 404
    assert api("DELETE", f"/studies/doors/fits/{number}").json()["status"] == "cancelled"
    assert api("POST", "/studies/doors/fits", json={"model": "magic"}).status_code == 422


def test_a_library_that_is_not_public_needs_a_token_of_whatever_scope(host, token):
    """Before: the pages were closed, and the API gave every card to everybody."""
    secret = token("fits:read", study="doors").secret
    over = token(days=1, now=datetime.now(UTC) - timedelta(days=2)).secret
    with TestClient(make_app(host, Settings(public_library=False))) as client:
        for wrong in ({}, {"Authorization": f"Bearer {over}"}, {"Authorization": "Bearer x"}):
            refused = client.get("/api/v1/library", headers=wrong)
            assert refused.status_code == 401
            assert "cards" not in refused.text
        given = client.get("/api/v1/library", headers={"Authorization": f"Bearer {secret}"})
        assert given.json()["cards"]


def test_the_library_needs_no_token(api):
    cards = api("GET", "/library", secret="").json()["cards"]
    assert cards
    assert {"name", "application"} & set(cards[0])


# What a product sends comes with the product's own token, which has no scopes.
SCOPED = [operation for operation in OPERATIONS if operation.scope not in (None, PRODUCT)]


@pytest.mark.parametrize("operation", SCOPED, ids=lambda operation: operation.name)
def test_every_operation_needs_its_scope_and_reaches_its_study_alone(api, token, operation):
    names = {"slug": "doors", "participant": "1", "format": "csv", "fit": "1", "import": "1",
             "product": "1", "person": "1"}  # fmt: skip
    path = operation.path.format(**names)
    assert api(operation.method, path, secret="").status_code == 401
    others = [other.scope for other in SCOPED if other.scope != operation.scope]
    refused = api(operation.method, path, secret=token(*others).secret)
    assert (refused.status_code, refused.headers["content-type"]) == (403, PROBLEM)
    assert operation.scope in refused.json()["needed"]
    elsewhere = api(operation.method, path, secret=token(operation.scope, study="songs").secret)
    if "slug" in operation.names:
        assert elsewhere.status_code == 404
        assert "doors" in elsewhere.json()["found"]


def test_counts_are_those_of_the_live_page(api, finished, host):
    before = api("GET", "/studies/doors/counts").json()
    assert (before["places_taken"], before["seconds"]) == (0, None)
    finished("doors", 1, 2)
    api("POST", "/studies/doors/invitations", json={"people": 3})
    now = api("GET", "/studies/doors/counts").json()
    live = watching.watch(host, "doors", now=datetime.now(UTC))
    assert now["people"] == {status: live.counts.get(status, 0) for status in Status}
    assert (now["people"]["complete"], now["people"]["invited"], now["places_taken"]) == (2, 3, 2)
    assert sum(each["finished"] for each in now["conditions"]) == 2
    assert now["pages"][0]["reached"] == 2
    assert now["seconds"]["low"] <= now["seconds"]["median"] <= now["seconds"]["high"]
    assert api("GET", "/studies/nothing/counts").status_code == 404


def test_quota_and_pilot_mode_are_changed_as_on_the_dashboard(api, host):
    changed = api("PUT", "/studies/doors/places", json={"pilot": True, "quota": 7})
    assert changed.status_code == 200
    assert (changed.json()["pilot"], changed.json()["quota"]) == (True, 7)
    content = api("GET", "/studies/doors").json()
    assert (content["quota"], content["study"]["pilot"]) == (7, True)
    api("PUT", "/studies/doors/places", json={"pilot": False, "quota": None})
    assert api("GET", "/studies/doors/counts").json()["quota"] is None
    for wrong in ({"pilot": True}, {"pilot": True, "quota": 0}, {"pilot": 1, "quota": 2}):
        assert api("PUT", "/studies/doors/places", json=wrong).status_code == 422
    assert api("PUT", "/studies/x/places", json={"pilot": True, "quota": 1}).status_code == 404
    with host.database.reading() as connection:
        told = [(line.actor, line.detail) for line in audit.lines(connection, study="doors")]
    assert told[-1] == ("token test", {"pilot": True, "quota": 7})


def test_versions_are_listed_and_an_earlier_one_comes_back_by_its_content(api, finished):
    finished("songs", 1)
    first = api("GET", "/studies/songs").json()
    api("POST", "/studies/songs/versions", json={"study": first["study"] | {"title": "New"}})
    newer, older = api("GET", "/studies/songs/versions").json()["versions"]
    assert (newer["people"], newer["is_from_file"]) == (0, False)
    assert (older["version"], older["people"], older["is_from_file"]) == (first["version"], 1, True)
    api("POST", "/studies/songs/versions", json={"study": first["study"]})
    again = api("GET", "/studies/songs/versions").json()["versions"]
    assert [each["version"] for each in again] == [older["version"], newer["version"]]
    assert api("GET", "/studies/nothing/versions").status_code == 404


def test_a_fit_is_cut_where_a_program_says(api):
    fit = api("POST", "/studies/doors/fits", json={"cut": 6})
    assert (fit.status_code, fit.json()["settings"]["cut"]) == (202, 6)
    assert "cut" not in api("POST", "/studies/doors/fits", json={}).json()["settings"]
    for wrong in (1, 8, "6", 10**30):
        assert api("POST", "/studies/doors/fits", json={"cut": wrong}).status_code == 422


def test_a_table_is_sent_and_judged_in_one_request(api, host):
    table = {"purpose": "systems", "name": "dir/predictions.csv",
             "content": "item_id,ours,theirs\nx,1,2\ny,2,2\n"}  # fmt: skip
    fit = api("POST", "/studies/songs/judgements", json=table)
    assert (fit.status_code, fit.json()["task"], fit.json()["status"]) == (202, "systems", "queued")
    settings = fit.json()["settings"]
    assert (settings["item"], settings["user"], settings["file"]) == (
        "item_id", "", "predictions.csv")  # fmt: skip
    kept = requests.open_upload(host, "songs", settings["upload"])
    assert kept.table.columns == ["item_id", "ours", "theirs"]


def test_a_table_that_cannot_be_judged_is_not_kept(api, database):
    scores = {"purpose": "classifier", "name": "s.csv", "content": "y_true,score\n1,0.5\n0,0.1\n"}
    early = api("POST", "/studies/doors/judgements", json=scores)
    assert (early.status_code, early.json()["cure"]) == (422, "Fit the study first.")
    systems = scores | {"purpose": "systems"}
    unknown = api("POST", "/studies/songs/judgements", json=systems)
    assert (unknown.status_code, unknown.json()["where"]) == (422, "item")
    for wrong in ({"content": ""}, {"purpose": "anything"}, {"item": "absent"}):
        assert api("POST", "/studies/songs/judgements", json=systems | wrong).status_code == 422
    with database.reading() as connection:
        assert not connection.execute(sa.select(uploads)).all()
        assert not audit.lines(connection, study="songs")


def test_a_study_token_lists_its_study_and_makes_none(api, token):
    bound = token(study="songs").secret
    assert [each["slug"] for each in api("GET", "/studies", secret=bound).json()["studies"]] == [
        "songs"
    ]
    assert api("POST", "/studies", secret=bound, json={"study": NEW}).status_code == 403


def test_tokens_end_by_time_by_revocation_and_with_their_owner(api, token, host, people, database):
    now = datetime.now(UTC)
    over = token(days=1, now=now - timedelta(days=2)).secret
    assert api("GET", "/studies", secret=over).status_code == 401
    issued = token()
    assert api("GET", "/studies", secret=issued.secret).status_code == 200
    revoke_token(host, people["owner"], issued.number, now=now)
    assert api("GET", "/studies", secret=issued.secret).status_code == 401
    for wrong in ("howgood_x", "x", issued.secret[:-1], issued.secret + "x"):
        assert api("GET", "/studies", secret=wrong).status_code == 401
    kept = token().secret
    viewing = sa.update(researchers).where(researchers.c.name == "owner").values(role="viewer")
    database.write(lambda c: c.execute(viewing))
    assert api("GET", "/studies", secret=kept).status_code == 200
    refused = api("PATCH", "/studies/doors", secret=kept, json={"is_open": False})
    assert (refused.status_code, "editor" in refused.json()["needed"]) == (403, True)
    gone = sa.delete(researchers).where(researchers.c.name == "owner")
    database.write(lambda c: c.execute(gone))
    assert api("GET", "/studies", secret=kept).status_code == 401


def test_tokens_are_made_with_care_and_the_database_holds_digests(host, token, people, database):
    now = datetime.now(UTC)
    good = {"name": "n", "scopes": ["answers:read"], "study": None, "days": None, "now": now}
    for wrong in ({"name": ""}, {"name": "x" * 101}, {"scopes": []}, {"scopes": ["all"]},
                  {"days": 0}, {"study": "unknown"}):  # fmt: skip
        with pytest.raises(InputError):
            issue_token(host, people["owner"], **(good | wrong))
    secret = token(study="doors", days=3).secret
    with database.reading() as connection:
        stored = str(connection.execute(sa.select(api_tokens)).all())
        told = str(audit.lines(connection))
    assert secret not in stored + told
    assert secret.removeprefix("howgood_") not in stored
    (kept,) = tokens_of(host, people["owner"])
    assert tokens_of(host, people["viewer"]) == ()
    with pytest.raises(InputError):
        revoke_token(host, people["viewer"], kept.number, now=now)
    assert (kept.study, kept.owner, kept.expires_at is not None) == ("doors", "owner", True)


@pytest.mark.parametrize(("options", "status"), [
    ({"content": b"{", "headers": {"Content-Type": "application/json"}}, 400),
    ({"content": b'{"is_open": NaN}', "headers": {"Content-Type": "application/json"}}, 400),
    ({"content": b'{"is_open": "\\ud800"}', "headers": {"Content-Type": "application/json"}}, 400),
    ({"content": b'{"is_open": "\\u0000"}', "headers": {"Content-Type": "application/json"}}, 400),
    ({"content": b"[" * 50_000, "headers": {"Content-Type": "application/json"}}, 400),
    ({"content": b"is_open=1", "headers": {"Content-Type": "text/plain"}}, 415),
    ({"json": {"is_open": True, "x": "y" * 70_000}}, 413),
    ({"json": {}}, 422), ({"json": []}, 422), ({"json": {"is_open": 1}}, 422),
    ({"json": {"is_open": True}, "params": {"unknown": "1"}}, 422),
])  # fmt: skip
def test_bodies_that_are_wrong_are_refused_kindly(client, token, options, status):
    headers = {"Authorization": f"Bearer {token().secret}"} | options.pop("headers", {})
    answer = client.patch("/api/v1/studies/doors", headers=headers, **options)
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM)


@pytest.mark.parametrize("path", ["/studies/doors/participants?after=-1",
                                  "/studies/doors/participants?after=x",
                                  "/studies/doors/participants?after=--5",
                                  "/studies/doors/participants?after=%C2%B2",
                                  "/studies/doors/participants?limit=1&limit=2",
                                  "/studies/doors/participants?limit=100000000000000000000",
                                  "/studies/doors/participants?pilots=1",
                                  "/studies/%ED%A0%80", "/nothing", "/studies/a%0Ab",
                                  "/studies/doors/fits/%C2%B2"])  # fmt: skip
def test_addresses_that_are_wrong_are_refused_kindly(api, path):
    answer = api("GET", path)
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"] == PROBLEM


def test_a_wrong_method_names_the_right_ones(api):
    answer = api("PUT", "/studies/doors", json={})
    assert (answer.status_code, answer.headers["content-type"]) == (405, PROBLEM)
    assert {"GET", "PATCH", "DELETE"} <= set(answer.headers["allow"].split(", "))


def test_too_many_requests_are_slowed_down(host, token, monkeypatch):
    monkeypatch.setattr("howgood.web.api.app.PACE", Pace(at_once=5, per_second=0.01))
    first, second = ({"Authorization": f"Bearer {token().secret}"} for _ in range(2))
    with TestClient(make_app(host, Settings())) as client:
        codes = [client.get("/api/v1/studies", headers=first).status_code for _ in range(7)]
        assert codes == [200] * 5 + [429] * 2
        assert client.get("/api/v1/studies", headers=second).status_code == 200
        guesses = [client.get("/api/v1/studies").status_code for _ in range(7)]
        assert guesses == [401] * 5 + [429] * 2


def test_logs_hold_no_token_and_no_answer(api, finished, caplog):
    caplog.set_level(logging.DEBUG)
    finished("doors", 1)
    secret = "howgood_" + "s" * 32
    api("GET", "/studies", secret=secret)
    api("POST", "/studies/doors/imports", json={"name": "a.csv", "content": "a,b\nprivate,1\n"})
    api("GET", "/studies/doors/answers")
    assert secret not in caplog.text
    assert "private" not in caplog.text
    assert "operation=listAnswers" in caplog.text


def test_the_document_is_served_and_names_every_operation(client):
    document = client.get("/api/openapi.json").json()
    assert document == json.loads(json.dumps(openapi()))
    assert document["openapi"] == "3.1.0"
    named = {each["operationId"] for path in document["paths"].values() for each in path.values()}
    assert named == {each.name for each in OPERATIONS}
    assert "Study" in document["components"]["schemas"]


def test_a_version_may_keep_the_pictures_of_the_one_before(api, host, tmp_path):
    from howgood.flow.hosting import add_study
    from howgood.flow.study_files.attached_files import filled_from_files
    from howgood.kinds.study import Study

    (tmp_path / "bell.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    picture = {"file": "bell.svg", "alternative": "A bell"}
    task = SURVEY["survey"]
    shown = [each | {"picture": picture} for each in task["applications"]]
    data = SURVEY | {"slug": "shown", "survey": task | {"applications": shown}}
    study = Study.from_dict(filled_from_files(data, folder=tmp_path, problems=[]).data)
    add_study(host, study, folder=tmp_path, now=datetime.now(UTC))
    content = api("GET", "/studies/shown").json()["study"]
    newer = api("POST", "/studies/shown/versions", json={"study": content | {"title": "Newer"}})
    assert newer.status_code == 201
    content["survey"]["applications"][0]["picture"]["digest"] = "0" * 16
    refused = api("POST", "/studies/shown/versions", json={"study": content})
    assert (refused.status_code, "picture" in refused.json()["found"]) == (422, True)
