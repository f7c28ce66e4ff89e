"""A study's data page and the tokens page: what owners do, and what viewers cannot."""

import io
import re
import zipfile
from datetime import UTC, datetime
from html import unescape

import pytest
from tests.flow.hosting.conftest import Person
from tests.web.conftest import hidden_fields

from howgood.flow import accounts
from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import every_study
from howgood.store import audit, studies
from howgood.store.studies import NewVersion

ROOT = "/studies/doors/data"
TABLE = "who,application,precision,recall,acceptable\nr1,bell,1,1,5\nr2,camera,0.5,1,4\n"


def _post(client, path, *, page=ROOT, files=None, **fields):
    csrf = hidden_fields(client.get(page))["csrf"]
    return client.post(path, data={"csrf": csrf, **fields}, files=files)


def _text(page):
    return unescape(re.sub(r"<[^>]+>", "", page.text))


@pytest.fixture
def answered(host):
    for seed in (1, 2):
        someone = Person(host, "doors", seed=seed)
        someone.begin()
        someone.finish()


def test_owners_and_analysts_can_download(owner, owner_account, viewer, browser, answered, host):
    accounts.share(host, owner_account.researcher, "doors", name="grace", role="analyst",
                   is_group=False, now=datetime.now(UTC))  # fmt: skip
    assert browser.get(ROOT, follow_redirects=False).headers["location"].startswith("/login")
    for client in (owner, viewer):
        assert "2 people began, and answered" in _text(client.get(ROOT))
        archive = zipfile.ZipFile(io.BytesIO(client.get(f"{ROOT}/export/csv").content))
        assert archive.testzip() is None
        answers = client.get(f"{ROOT}/export/csv?table=answers")
        assert answers.text.count("\n") == 1 + len(list(tidy_rows(host, "doors")))
        assert "attachment" in answers.headers["content-disposition"]
        for kind in ("parquet", "json", "html", "limesurvey", "qualtrics"):
            assert client.get(f"{ROOT}/export/{kind}").status_code == 200
    assert browser.get(f"{ROOT}/export/csv", follow_redirects=False).status_code == 303
    assert owner.get(f"{ROOT}/export/pdf").status_code == 404
    assert owner.get("/studies/nothing/data").status_code == 404
    assert "cannot ask" in _text(owner.get("/studies/songs/data/export/limesurvey"))


def test_a_table_is_mapped_looked_at_and_imported(owner, host):
    page = _post(owner, f"{ROOT}/import", files={"files": ("a.csv", TABLE.encode())})
    address = page.url.path
    assert re.fullmatch(rf"{ROOT}/import/\d+", address)
    assert "Choose the column that holds “participant”" in _text(page)
    assert "r1 · r2" in _text(page)
    mapping = {"map-participant": "who", "map-application": "application",
               "map-precision": "precision", "map-recall": "recall",
               "map-acceptable": "acceptable"}  # fmt: skip
    looked = _post(owner, address, page=address, action="check", **mapping)
    assert "Will add 2 people with 2 answers." in _text(looked)
    assert list(tidy_rows(host, "doors")) == []
    wrong = _post(owner, address, page=address, action="import",
                  **(mapping | {"map-acceptable": "who"}))  # fmt: skip
    assert wrong.status_code == 422
    assert "line 2, column 'who': 'r1'" in _text(wrong)
    done = _post(owner, address, page=address, action="import", **mapping)
    assert "Added 2 people with 2 answers." in _text(done)
    assert len(list(tidy_rows(host, "doors"))) == 2
    assert owner.get(address).status_code == 404  # the file is gone


def test_the_studys_own_export_is_recognised_before_anything_is_stored(owner, host, answered):
    exported = owner.get(f"{ROOT}/export/csv?table=answers").content
    page = _post(owner, f"{ROOT}/import", files={"files": ("answers.csv", exported)})
    assert "Nothing to add." in _text(page)
    assert f"Already here: 2 people with {len(list(tidy_rows(host, 'doors')))} answers." in _text(
        page
    )
    assert 'value="import"' not in page.text
    assert len(list(tidy_rows(host, "doors", table="participants"))) == 2


def test_an_import_is_undone_after_a_question(owner, viewer, host):
    page = _post(owner, f"{ROOT}/import", files={"files": ("a.csv", TABLE.encode())})
    address, mapping = page.url.path, {"map-participant": "who", "map-application": "application",
                                       "map-precision": "precision", "map-recall": "recall",
                                       "map-acceptable": "acceptable"}  # fmt: skip
    done = _post(owner, address, page=address, action="import", **mapping)
    undo = re.search(rf'href="({ROOT}/imports/\d+/undo)"', done.text)[1]
    asked = owner.get(undo)
    assert "2 answers of 2 people will be taken out" in _text(asked)
    assert len(list(tidy_rows(host, "doors"))) == 2
    assert viewer.get(undo).status_code == 403
    gone = _post(owner, undo, page=undo)
    assert "The import is undone" in _text(gone)
    assert list(tidy_rows(host, "doors", table="participants")) == []
    assert owner.get(undo).status_code == 404
    assert "undid an import" in _text(owner.get("/history?study=doors"))


def test_a_table_can_be_thrown_away_and_nonsense_is_refused(owner, host):
    page = _post(owner, f"{ROOT}/import", files={"files": ("a.csv", TABLE.encode())})
    gone = _post(owner, page.url.path, page=page.url.path, action="discard")
    assert "nothing was imported" in _text(gone)
    assert owner.get(page.url.path).status_code == 404
    for content in (b"", b"\x00\x01", b"one column\n"):
        refused = _post(owner, f"{ROOT}/import", files={"files": ("a.csv", content)})
        assert refused.status_code == 422
    assert _post(owner, f"{ROOT}/import").status_code == 422
    wrong = _post(owner, f"{ROOT}/import", files={"files": ("a.json", b"{}")})
    assert "a.json" in _text(wrong)


def test_people_and_studies_are_erased_after_a_word(owner, host, answered):
    number = next(tidy_rows(host, "doors", table="participants"))["participant"]
    assert _post(owner, f"{ROOT}/erase", who=number).status_code == 422
    assert "no participant '999'" in _text(_post(owner, f"{ROOT}/erase", who="999", sure="yes"))
    assert "is erased" in _text(_post(owner, f"{ROOT}/erase", who=number, sure="yes"))
    assert len(list(tidy_rows(host, "doors", table="participants"))) == 1
    assert _post(owner, f"{ROOT}/delete", confirmation="door").status_code == 422
    assert _post(owner, f"{ROOT}/delete", confirmation="doors").url.path == "/studies"
    assert [each.slug for each in every_study(host)] == ["songs"]
    with host.database.reading() as connection:
        told = [(line.action, line.detail) for line in audit.lines(connection, study="doors")]
    assert told == [("delete study", {"participants": 1}),
                    ("erase participant", {"participants": 1})]  # fmt: skip


def test_a_study_that_was_never_published_can_only_be_deleted(owner, host):
    new = NewVersion(slug="draft", title="Draft", kind="survey", digest="", content={})
    now = datetime.now(UTC)
    host.database.write(lambda c: studies.add_study(c, new, is_open=False, now=now))
    page = owner.get("/studies/draft/data")
    assert "never published" in _text(page)
    assert "Erase a participant" not in page.text
    assert owner.get("/studies/draft/data/export/csv").status_code == 422
    gone = _post(owner, "/studies/draft/data/delete", page="/studies/draft/data",
                 confirmation="draft")  # fmt: skip
    assert gone.url.path == "/studies"


@pytest.mark.parametrize("path", [f"{ROOT}/import", f"{ROOT}/erase", f"{ROOT}/delete", "/tokens",
                                  "/tokens/1/revoke", f"{ROOT}/import/1"])  # fmt: skip
def test_viewers_strangers_and_forged_forms_change_nothing(owner, viewer, browser, host, path):
    fields = {"who": "1", "sure": "yes", "confirmation": "doors", "name": "x"}
    csrf = hidden_fields(viewer.get("/account"))["csrf"]
    assert viewer.post(path, data=fields | {"csrf": csrf}).status_code == 403
    assert browser.post(path, data=fields, follow_redirects=False).status_code == 303
    assert owner.post(path, data=fields).status_code == 403
    assert len(every_study(host)) == 2


def test_viewers_see_no_data_and_no_tokens(owner, viewer):
    for path in (ROOT, f"{ROOT}/export/csv", f"{ROOT}/export/json", "/studies/doors/people",
                 "/studies/doors/people/1", "/tokens"):  # fmt: skip
        assert viewer.get(path).status_code == 403, path
    _post(owner, "/tokens", page="/tokens", name="nightly", scopes="studies:read", study="songs",
          days="30")  # fmt: skip
    csrf = hidden_fields(viewer.get("/account"))["csrf"]
    assert viewer.post("/tokens/1/revoke", data={"csrf": csrf}).status_code == 403
    assert "nightly" in owner.get("/tokens").text


def test_a_token_is_shown_once_works_and_is_revoked(owner, browser):
    page = _post(owner, "/tokens", page="/tokens", name="nightly", scopes="studies:read",
                 study="songs", days="30")  # fmt: skip
    secret = re.search(r"howgood_[\w-]{20,}", page.text)[0]
    again = owner.get("/tokens")
    assert secret not in again.text
    assert "nightly" in again.text
    key = {"Authorization": f"Bearer {secret}"}
    found = browser.get("/api/v1/studies", headers=key).json()["studies"]
    assert [each["slug"] for each in found] == ["songs"]
    number = re.search(r"/tokens/(\d+)/revoke", again.text)[1]
    _post(owner, f"/tokens/{number}/revoke", page="/tokens")
    assert browser.get("/api/v1/studies", headers=key).status_code == 401
    assert _post(owner, f"/tokens/{number}/revoke", page="/tokens").status_code == 404
    assert _post(owner, "/tokens", page="/tokens", name="x").status_code == 422


def test_the_api_page_names_every_operation(browser, owner):
    for client in (browser, owner):
        page = client.get("/api/docs")
        assert page.status_code == 200
        text = page.text.replace("<wbr>", "")  # where long addresses may break
        assert "DELETE /api/v1/studies/{slug}/participants/{participant}" in text


def test_hostile_text_comes_out_as_text(owner, host):
    evil = "<script>alert(1)</script>"
    table = f"who{evil},application,precision,recall,acceptable\n{evil},bell,1,1,{evil}\n"
    page = _post(owner, f"{ROOT}/import", files={"files": (f"{evil}.csv", table.encode())})
    looked = _post(owner, page.url.path, page=page.url.path, action="check",
                   **{"map-participant": f"who{evil}", "map-application": "application",
                      "map-precision": "precision", "map-recall": "recall",
                      "map-acceptable": "acceptable"})  # fmt: skip
    named = _post(owner, "/tokens", page="/tokens", name=evil, scopes="studies:read")
    erased = _post(owner, f"{ROOT}/erase", who=evil, sure="yes")
    for each in (page, looked, named, erased):
        assert "<script>alert" not in each.text
        assert "&lt;script&gt;alert" in each.text
