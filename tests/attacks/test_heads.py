"""What stands in the heads of answers of every kind: frames, caches, cookies, addresses."""

import re
from datetime import UTC, datetime
from http.cookies import SimpleCookie
from urllib.parse import quote, urlsplit

import pytest
from starlette.testclient import TestClient
from tests.attacks.surface import filled, forms, routes, sent_with
from tests.flow.hosting.conftest import RERATING
from tests.web.conftest import PASSWORD, forget_attempts, hidden_fields, sign_in

from howgood.flow.hosting import add_study
from howgood.flow.participate import completion_address
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.web.app import make_app
from howgood.web.render import style_address

BREAK = "x\r\nSet-Cookie: evil=1\r\nLocation: //evil.example\r\n\r\n<script>"
ELSEWHERE = ("//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example",
             "/\t/evil.example", "/\n/evil.example", "http:evil.example", "javascript:alert(1)",
             "//evil.example/%2e%2e", "///evil.example", "/ /evil.example", "%00//evil.example",
             " //evil.example", "/studies/..//evil.example", "https:/evil.example",
             "/@evil.example//", "//user@evil.example", "/\u2028/evil.example")  # fmt: skip


def _every_answer(client):
    """Yield an answer of every kind: pages, files, pictures, faults, refusals, redirects."""
    for method, path in routes(client.app):
        address = filled(path)
        yield address, client.request(method, address, follow_redirects=False)
    for path in ("/nowhere", "/s/none", "/p/none", "/media/9/x.svg", "/static/none", "/studies/",
                 "/api/nowhere", style_address(), "/api/openapi.json"):  # fmt: skip
        yield path, client.get(path, follow_redirects=False)
    yield "too large", client.post("/login", content=b"a", headers={"Content-Length": "9" * 12})
    yield "wrong method", client.put("/login")
    yield "preflight", client.options("/login", headers={"Origin": "https://evil.example"})


@pytest.fixture
def broken(host, monkeypatch):
    """A browser at a server that has a fault, and one that is busy."""

    def fault(*_, **__):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(host.database, "write_async", fault)
    app = make_app(host, Settings())
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def _faults(client):
    form = hidden_fields(client.get("/s/songs")) | {"consent.consent": "yes"}
    failed = client.post("/s/songs", data=form)
    assert failed.status_code == 500
    return failed


def test_no_answer_of_any_kind_can_be_framed(owner, broken):
    answers = dict(_every_answer(owner)) | {"a fault": _faults(broken)}
    assert {each.status_code for each in answers.values()} >= {200, 303, 403, 404, 405, 413, 500}
    for name, answer in answers.items():
        assert answer.headers["x-frame-options"] == "DENY", name
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], name
        assert answer.headers["x-content-type-options"] == "nosniff", name
        assert answer.headers.get_list("content-security-policy") == [
            answer.headers["content-security-policy"]
        ]


def test_nothing_private_is_kept_by_caches(owner, broken):
    answers = dict(_every_answer(owner)) | {"a fault": _faults(broken)}
    kept = {name for name, answer in answers.items()
            if "no-store" not in answer.headers.get("cache-control", "")}  # fmt: skip
    assert kept == {style_address()}


@pytest.mark.parametrize(
    "origin", ["https://evil.example", pytest.param("null", marks=pytest.mark.slow)]
)
def test_no_other_site_may_read_anything(owner, origin):
    head = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    for method, path in routes(owner.app):
        for how in {method, "OPTIONS"}:
            answer = owner.request(how, filled(path), headers=head, follow_redirects=False)
            allowed = [name for name in answer.headers if name.startswith("access-control-")]
            assert not allowed, path
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_line_breaks_in_an_address_write_no_head(owner):
    for method, path in routes(owner.app):
        for name in re.findall(r"\{(\w+)", path) if method == "GET" else ():
            answer = owner.get(filled(path, **{name: BREAK}), follow_redirects=False)
            _is_whole(answer)


def _is_whole(answer):
    assert answer.status_code < 500
    assert "evil" not in answer.cookies
    for name, value in answer.headers.items():
        assert "\r" not in value, name
        assert "\n" not in value, name
    assert urlsplit(answer.headers.get("location", "")).netloc in ("", "testserver")


def test_line_breaks_in_every_field_write_no_head(owner):
    owner.follow_redirects = False
    for form in sorted(forms(owner), key=lambda each: "logout" in each["action"]):
        _is_whole(sent_with(owner, form, BREAK))


@pytest.mark.parametrize("slug", [BREAK, 'a"; filename="evil.html', "a/../../b", "ä", "a b"])
def test_a_short_name_that_could_be_more_than_a_file_name_is_no_short_name(host, slug):
    with pytest.raises(ValueError, match="slug"):
        add_study(host, Study.from_dict(RERATING | {"slug": slug}), folder=None,
                  now=datetime.now(UTC))  # fmt: skip


def test_every_file_that_is_sent_has_a_name_of_plain_signs(owner):
    sent = 0
    for path in ("data/export/csv", "data/export/json", "data/export/parquet",
                 "data/export/html", "file.toml", "file.yaml"):  # fmt: skip
        head = owner.get(f"/studies/doors/{path}").headers["content-disposition"]
        sent += bool(re.fullmatch(r'attachment; filename="[a-zA-Z0-9.-]+"', head))
    assert sent == 6


def test_signing_in_leads_nowhere_else(browser, host, owner_account):
    for address in ELSEWHERE:
        forget_attempts(host)
        page = browser.get("/login", params={"next": address})
        form = hidden_fields(page) | {"name": "ada", "password": PASSWORD, "next": address}
        entered = browser.post("/login", data=form, follow_redirects=False)
        if "\x00" in address:
            assert entered.status_code == 400
            continue
        assert entered.status_code == 303
        _stays(entered.headers["location"])


def _stays(location):
    """Resolve an address as browsers do, who take backslashes for slashes and drop breaks."""
    plain = re.sub(r"[\t\r\n]", "", location).strip("\x00 ").replace("\\", "/")
    assert re.match(r"/(?!/)", plain), location


def test_no_address_of_ours_leads_elsewhere(owner):
    owner.follow_redirects = False
    for address in ELSEWHERE:
        for path, name in (("/library/nearest", "card"), ("/s/songs", "next"), ("/", "next")):
            answer = owner.get(path, params={name: address})
            if "location" in answer.headers:
                _stays(answer.headers["location"])
        for path in ("/" + quote(address, safe="/\\@:"), quote(address, safe="/\\@:") + "/"):
            answer = owner.get(f"http://testserver/{path}")
            assert urlsplit(answer.headers.get("location", "")).netloc in ("", "testserver")


@pytest.mark.parametrize("path", ["/s/songs/", "/s/songs//", "/login/?next=x", "/studies/",
                                  "//evil.example/", "/\\evil.example/", "/api/v1/library/",
                                  "/%2fevil.example/", "/ü/", "/api", "/x%0d%0aA: b/"])  # fmt: skip
def test_a_slash_too_many_leads_to_no_host_that_a_request_names(browser, path):
    heads = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    answer = browser.get(f"http://testserver{path}", headers=heads, follow_redirects=False)
    assert "evil.example" not in urlsplit(answer.headers.get("location", "")).netloc
    if "location" in answer.headers:
        _stays(answer.headers["location"])


def test_a_slash_too_many_after_a_studys_link_does_no_harm(browser):
    found = browser.get("/s/songs/?PROLIFIC_PID=a%26b")
    assert found.status_code == 200
    assert str(found.url).endswith("/s/songs?PROLIFIC_PID=a%26b")
    assert browser.get("/nowhere/").status_code == 404


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example", "data:text/html,x",
                                     "http://plain.example", "{participant}", "https://{study}",
                                     " https://x", "https:evil"])  # fmt: skip
def test_a_study_ends_at_an_https_address_or_nowhere(address):
    with pytest.raises(ValueError, match="redirect"):
        Study.from_dict(RERATING | {"completion": {"redirect": address}})


def test_participants_cannot_change_where_a_study_ends():
    study = Study.from_dict(
        RERATING | {"completion": {"redirect": "https://pay.example/?who={participant}&c={code}"}}
    )
    for said in ("@evil.example/", "&c=1#", "//evil.example", BREAK, "{code}", "\\evil"):
        found = urlsplit(completion_address(study, parameters={"participant": said}))
        assert found.netloc == "pay.example"
        assert found.query.count("&") == 1
        assert not found.fragment


@pytest.mark.parametrize("settings", [Settings(public_url="https://study.example"), Settings()])
def test_cookies_are_kept_from_scripts_other_sites_and_plain_connections(
    host, owner_account, settings
):
    base = "http://testserver" if settings.public_url else "https://testserver"
    with TestClient(make_app(host, settings), base_url=base) as client:
        answers = [client.get("/login"), client.get("/s/songs"), _begun(client)]
        # What a proxy that speaks https would hand on.
        (visitor,) = SimpleCookie(answers[0].headers["set-cookie"]).values()
        client.cookies.set(visitor.key, visitor.value)
        answers += sign_in(client).history
    cookies = [text for each in answers for text in each.headers.get_list("set-cookie")]
    names = {name for text in cookies for name in SimpleCookie(text)}
    assert names == {"howgood-visitor", "howgood-session", "howgood-device", "howgood-songs",
                     "howgood-visit-songs"}  # fmt: skip
    for text in cookies:
        flags = {part.strip().lower() for part in text.split(";")[1:]}
        assert {"httponly", "secure", "samesite=lax"} <= flags, text
        assert not [each for each in flags if each.startswith("domain")], text


def _begun(client):
    form = hidden_fields(client.get("/s/songs")) | {"consent.consent": "yes"}
    return client.post("/s/songs", data=form, follow_redirects=False)


def test_a_forged_host_is_in_no_link_where_the_public_address_is_known(
    settled, host, owner_account
):
    settled.cookies.set("howgood-session", owner_account.token)
    forged = dict.fromkeys(("Host", "X-Forwarded-Host", "X-Original-URL", "X-Rewrite-URL"),
                           "evil.example") | {"Forwarded": "host=evil.example"}  # fmt: skip
    for method, path in routes(settled.app):
        if method == "GET":
            answer = settled.get(filled(path), headers=forged, follow_redirects=False)
            assert "evil.example" not in answer.text, path
            assert "evil.example" not in answer.headers.get("location", ""), path
    form = hidden_fields(settled.get("/studies/songs/links")) | {"people": "1"}
    links = settled.post("/studies/songs/links", data=form, headers=forged)
    assert "https://study.example/p/" in links.text
    assert "evil.example" not in links.text


def test_an_api_token_in_the_address_is_no_token(browser, host, owner_account):
    from howgood.flow.api_access import issue_token
    from howgood.records.api_token import SCOPES

    secret = issue_token(host, owner_account.researcher, name="n", scopes=tuple(SCOPES),
                         study=None, days=None, now=datetime.now(UTC)).secret  # fmt: skip
    head = {"Authorization": f"Bearer {secret}"}
    assert browser.get("/api/v1/studies", headers=head).status_code == 200
    for name in ("token", "access_token", "api_key", "key", "authorization", "bearer"):
        for value in (secret, f"Bearer {secret}"):
            refused = browser.get("/api/v1/studies", params={name: value})
            assert refused.status_code == 401
            assert secret not in refused.text
    browser.cookies.set("howgood-session", secret)
    assert browser.get("/api/v1/studies").status_code == 401
    basic = {"Authorization": f"Basic {secret}"}
    assert browser.get("/api/v1/studies", headers=basic).status_code == 401
