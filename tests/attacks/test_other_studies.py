"""One study is no way into another, by any number, name or token there is."""

import re
from datetime import UTC, datetime

import pytest
from tests.attacks.surface import content, filled, routes
from tests.flow.hosting.conftest import SURVEY, Person
from tests.web.conftest import PASSWORD, hidden_fields
from tests.web.test_studies import edit, make

from howgood.flow import accounts, importing, in_use, notices
from howgood.flow.api_access import issue_token
from howgood.flow.hosting import add_study, tokens
from howgood.flow.results import requests
from howgood.flow.study_files.attached_files import filled_from_files
from howgood.kinds.study import Study
from howgood.records.api_token import SCOPES
from howgood.settings import Settings
from howgood.web.access import SESSION

NOT_FOUND = 404
TABLE = b"who,application,precision,recall,acceptable\nr1,bell,1,1,5\n"


@pytest.fixture
def doors(host, owner_account):
    """What belongs to the study of doors: somebody, a fit, a table to import, an upload."""
    now = datetime.now(UTC)
    someone = Person(host, "doors", now=now)
    someone.begin()
    someone.finish()
    fit = requests.ask_fit(host, "doors", {}, actor="ada", now=now)
    requests.cancel_job(host, "doors", fit, now=now)
    upload = requests.take_upload(host, "doors", purpose="classifier", name="a.csv",
                                content=b"y,s\n" + b"1,0.5\n0,0.4\n" * 30, actor="ada",
                                now=now)  # fmt: skip
    table = importing.take_upload(host, "doors", name="a.csv", content=TABLE, now=now)
    return {"fit": fit, "upload": upload, "table": table, "token": someone.token}


def test_jobs_uploads_and_tables_are_reached_by_their_own_study_alone(owner, host, doors):
    before = content(host)
    form = hidden_fields(owner.get("/account")) | {"action": "import", "sure": "yes", "who": "1"}
    for method, path in routes(owner.app):
        # Versions are counted in each study by itself.
        if not re.match(r"/studies/\{slug\}/(?!versions).*\{number", path):
            continue
        for number in {doors["fit"], doors["upload"], doors["table"]}:
            address = filled(path, slug="songs", number=number)
            sends = {"data": form} if method == "POST" else {}
            answer = owner.request(method, address, **sends)
            assert answer.status_code == NOT_FOUND, address
    assert content(host) == before


@pytest.fixture
def rich_doors(host, owner_account, doors):
    """What else a study has numbers for: a product, a webhook, a share, a link, an import."""
    now, ada = datetime.now(UTC), owner_account.researcher
    in_use.add_product(host, ada, "doors", name="Door camera", application="bell",
                       origins="https://app.example.org", now=now)  # fmt: skip
    notices.add_webhook(host, Settings(), ada, "doors", target="https://93.184.216.34/",
                        events=notices.EVENTS, now=now)  # fmt: skip
    _joined(host, ada, "grace", now)
    accounts.share(host, ada, "doors", name="grace", role="analyst", is_group=False, now=now)
    accounts.make_result_link(host, ada, "doors", name="board", days=30, now=now)
    importing.import_files(host, "doors", [("a.csv", TABLE)], mapping={"participant": "who"},
                           actor="ada", now=now)  # fmt: skip
    return doors


def _joined(host, ada, name, now):
    token = accounts.invite(host, ada, role="guest", now=now)
    return accounts.join(host, token, name=name, password=PASSWORD, now=now).signed_in


def test_the_owner_of_one_study_reaches_nothing_of_another_by_its_numbers(
    browser, host, owner_account, rich_doors
):
    now, ada = datetime.now(UTC), owner_account.researcher
    mallory = _joined(host, ada, "mallory", now)
    accounts.share(host, ada, "songs", name="mallory", role="owner", is_group=False, now=now)
    (own,) = accounts.sharing_of(host, "songs", now=now).shares
    browser.cookies.set(SESSION, mallory.token)
    form = hidden_fields(browser.get("/account")) | {
        "action": "import", "sure": "yes", "who": "1", "user": "1", "counts": "no", "reason": "x",
    }  # fmt: skip
    before, asked = content(host), 0
    for method, path in routes(browser.app):
        if not re.match(r"/studies/\{slug\}/(?!versions).*\{number", path):
            continue
        for number in range(1, 9):
            if "/share/{number" in path and number == own.number:
                continue
            asked += 1
            answer = browser.request(method, filled(path, slug="songs", number=number),
                                     **({"data": form} if method == "POST" else {}))  # fmt: skip
            assert answer.status_code == NOT_FOUND, (method, path, number)
            assert "bell" not in answer.text.lower()
    assert asked > 150
    assert content(host) == before


def test_what_belongs_to_a_study_is_reached_by_it(owner, doors):
    for path in (f"results/{doors['fit']}", f"results/uploads/{doors['upload']}",
                 f"data/import/{doors['table']}"):  # fmt: skip
        assert owner.get(f"/studies/doors/{path}").status_code == 200


def test_somebody_is_erased_by_their_own_study_alone(owner, host, doors):
    before = content(host)
    form = hidden_fields(owner.get("/studies/songs/data")) | {"sure": "yes"}
    for who in ("1", doors["token"], tokens.digest(doors["token"])):
        sent = owner.post("/studies/songs/data/erase", data=form | {"who": who})
        assert sent.status_code == 422, who
    assert content(host)["participants"] == before["participants"]


def test_a_program_of_one_study_reaches_nothing_of_another(browser, host, owner_account, doors):
    secret = issue_token(host, owner_account.researcher, name="n", scopes=tuple(SCOPES),
                         study="songs", days=None, now=datetime.now(UTC)).secret  # fmt: skip
    head, before, asked = {"Authorization": f"Bearer {secret}"}, content(host), 0
    for method, path in routes(browser.app):
        if not path.startswith("/api/v1/studies/"):
            continue
        asked += 1
        # By the other study's name, and by its numbers under the name of its own.
        own = filled(path, slug="songs", fit=doors["fit"], participant=doors["token"])
        for address in (filled(path, slug="doors"), own):
            if address == own and "{fit}" not in path and "{participant}" not in path:
                continue
            answer = browser.request(method, address, headers=head, json={},
                                     params={"confirmation": "doors"})  # fmt: skip
            assert answer.status_code in (NOT_FOUND, 422), address
            assert "bell" not in answer.text
    assert asked > 10
    after = content(host)
    assert {name: after[name] for name in before if name != "api_tokens"} == {
        name: before[name] for name in before if name != "api_tokens"
    }


def test_a_personal_link_opens_one_place_and_no_page_of_researchers(browser, host, doors):
    token = doors["token"]
    browser.cookies.set("howgood-session", token)
    for method, path in routes(browser.app):
        if method == "GET" and path.startswith(("/studies", "/people", "/account", "/tokens")):
            answer = browser.get(filled(path), follow_redirects=False)
            assert answer.headers.get("location", "").startswith("/login"), path
    head = {"Authorization": f"Bearer {token}"}
    assert browser.get("/api/v1/studies", headers=head).status_code == 401


def test_pictures_of_a_draft_are_for_those_who_are_signed_in_and_by_their_study(
    owner, browser, host, tmp_path
):
    make(owner, "rerating")
    (tmp_path / "bell.svg").write_bytes(b"<svg/>")
    task = SURVEY["survey"]
    picture = {"file": "bell.svg", "alternative": "A bell"}
    shown = [each | {"picture": picture} for each in task["applications"]]
    data = SURVEY | {"slug": "shown", "survey": task | {"applications": shown}}
    study = Study.from_dict(filled_from_files(data, folder=tmp_path, problems=[]).data)
    row = add_study(host, study, folder=tmp_path, now=datetime.now(UTC))
    edit(owner, slug="shown", title="Another")
    assert owner.get("/studies/shown/picture/bell.svg").status_code == 200
    for slug in ("songs", "new-alarm", "nothing"):
        assert owner.get(f"/studies/{slug}/picture/bell.svg").status_code == NOT_FOUND
    refused = browser.get("/studies/shown/picture/bell.svg", follow_redirects=False)
    assert refused.headers["location"].startswith("/login")
    assert browser.get(f"/media/{row.version}/bell.svg").status_code == 200
    for version in range(row.version + 3):
        if version != row.version:
            assert browser.get(f"/media/{version}/bell.svg").status_code == NOT_FOUND


def test_names_of_pictures_lead_to_no_file_of_the_machine(owner):
    for name in ("../1/bell.svg", "..%2fbell.svg", "/etc/passwd", "%2e%2e/x", "~/.ssh/id_rsa",
                 "bell.svg/../../../etc/passwd", "....//etc/hosts", "bell.svg%00.png"):  # fmt: skip
        for address in (f"/media/1/{name}", f"/studies/songs/picture/{name}", f"/static/{name}"):
            answer = owner.get(address, follow_redirects=False)
            assert answer.status_code in (NOT_FOUND, 303, 400, 405), address


def test_tokens_that_are_nearly_right_open_nothing(browser, host, doors):
    token = doors["token"]
    assert browser.get(f"/p/{token}").status_code == 200
    other = "B" if token[-1] == "A" else "A"
    near = {token[:-1], token + "A", token[:-1] + other, token.swapcase(), token[::-1],
            token.lower(), tokens.digest(token), token + "=", f"{token} ", f" {token}",
            token.replace("-", "+").replace("_", "/"), "", "%", "_" * 32, "*", "0"}  # fmt: skip
    for guess in near - {token}:
        assert browser.get(filled("/p/{token}", token=guess)).status_code == NOT_FOUND, guess


def test_tokens_are_long_random_and_never_the_same():
    made = {tokens.fresh_token() for _ in range(2000)}
    assert len(made) == 2000
    assert min(map(len, made)) >= 32  # 192 bits
    # Every place takes many different signs: no part of it counts or tells the time.
    assert all(len({each[place] for each in made}) > 40 for place in range(32))
    assert tokens.derived_token(b"key", "study", "p1") != tokens.derived_token(
        b"yek", "study", "p1"
    )
