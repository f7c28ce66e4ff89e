"""Answers from inside a product: taken once, shown over time, erased when asked."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import hidden_fields

from howgood.flow import in_use
from howgood.flow.collected import tidy_rows
from howgood.flow.erasing import delete_study
from howgood.flow.in_use import SaidInUse
from howgood.settings import Settings
from howgood.store.schema import use_answers
from howgood.web.api.app import SENDER_PACE
from howgood.web.app import make_app

PAGE = "https://app.example.org"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def product(host, owner_account):
    return in_use.add_product(
        host, owner_account.researcher, "doors", name="Door camera", application="bell",
        origins=PAGE, now=START,
    )  # fmt: skip


@pytest.fixture
def send(browser, product):
    def call(key="answer-0001", *, token=product.token, headers=None, **changes):
        body = {"id": key, "user": "u1", "acceptable": True, "hits": 8, "misses": 2,
                "false_alarms": 1} | changes  # fmt: skip
        return browser.post(
            f"/api/v1/products/{product.product.number}/answers",
            json={name: value for name, value in body.items() if value is not None},
            headers={"Authorization": f"Bearer {token}"} | (headers or {}),
        )

    return call


def _stored(host):
    with host.database.reading() as connection:
        return connection.execute(use_answers.select()).all()


def test_an_answer_sent_twice_is_stored_once(host, send):
    first, again = send(), send()
    assert (first.status_code, first.json()["is_new"]) == (201, True)
    assert (again.status_code, again.json()["is_new"]) == (201, False)
    assert len(_stored(host)) == 1


def test_another_answer_under_the_same_id_is_refused_and_changes_nothing(host, send):
    send()
    refused = send(acceptable=False)
    assert refused.status_code == 409
    assert "new id" in refused.json()["needed"]
    assert [row.accepted for row in _stored(host)] == [True]


def test_the_id_of_the_person_is_not_stored(host, send):
    send(user="ada@example.org")
    assert "ada" not in str(_stored(host))


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"acceptable": None}, 422),
        ({"rating": 6}, 422),
        ({"acceptable": None, "rating": 8}, 422),
        ({"acceptable": None, "rating": 7}, 201),
        ({"hits": -1}, 422),
        ({"hits": None}, 422),
        ({"user": ""}, 422),
        ({"id": "short"}, 422),
        ({"more": 1}, 422),
        ({"hits": 0, "misses": 0, "false_alarms": 0}, 201),
    ],
)
def test_what_is_wrong_is_said(send, changes, status):
    assert send(**changes).status_code == status


def test_only_the_products_own_token_lets_answers_in(host, send, owner_account, product):
    assert send(token="howgood_use_wrong").status_code == 401  # noqa: S106 - nobody's
    other = in_use.add_product(
        host, owner_account.researcher, "doors", name="Other", application="bell", origins="",
        now=START,
    )  # fmt: skip
    assert send(token=other.token).status_code == 401
    renewed = in_use.renew_token(
        host, owner_account.researcher, "doors", product.product.number, now=START
    )
    assert send().status_code == 401
    assert send(token=renewed.token).status_code == 201
    in_use.close_product(host, owner_account.researcher, "doors", product.product.number, now=START)
    assert send("answer-0002", token=renewed.token).status_code == 401


def test_a_products_token_opens_nothing_else(browser, product):
    head = {"Authorization": f"Bearer {product.token}"}
    assert browser.get("/api/v1/studies", headers=head).status_code == 401
    assert browser.get("/api/v1/studies/doors/answers", headers=head).status_code == 401


def test_named_web_pages_may_send_and_read_what_was_wrong(send):
    taken = send(headers={"Origin": PAGE})
    assert taken.status_code == 201
    assert taken.headers["access-control-allow-origin"] == PAGE
    wrong = send(headers={"Origin": PAGE}, hits=-1)
    assert wrong.status_code == 422
    assert wrong.headers["access-control-allow-origin"] == PAGE
    other = send("answer-0002", headers={"Origin": "https://evil.example"})
    assert other.status_code == 403
    assert "access-control-allow-origin" not in other.headers


def test_browsers_ask_before_a_page_sends(browser, product):
    address = f"/api/v1/products/{product.product.number}/answers"
    head = {"Access-Control-Request-Method": "POST"}
    allowed = browser.options(address, headers=head | {"Origin": PAGE})
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == PAGE
    assert "authorization" in allowed.headers["access-control-allow-headers"].lower()
    for origin in ("https://evil.example", "null"):
        assert browser.options(address, headers=head | {"Origin": origin}).status_code == 403
    assert browser.options("/api/v1/products/999/answers", headers=head | {"Origin": PAGE})
    assert (
        browser.options("/api/v1/products/x/answers", headers={"Origin": PAGE}).status_code == 403
    )


def test_a_flood_is_slowed_down_and_nothing_acknowledged_is_lost(host, send):
    answers = [send(f"answer-{number:04}") for number in range(int(SENDER_PACE.at_once) + 20)]
    taken = [answer.json()["id"] for answer in answers if answer.status_code == 201]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert refused[0].headers["retry-after"]
    assert sorted(row.key for row in _stored(host)) == sorted(taken)


def _fill(host, product, *, people=120, change=60):
    """Ratings of new people, who become less content half way."""
    for number in range(people):
        fine = number % 10 != 0 if number < change else number % 3 == 0
        said = SaidInUse(
            key=f"answer-{number:04}", user=f"u{number}", acceptable=fine, rating=None, hits=8,
            misses=2, false_alarms=number % 3,
        )  # fmt: skip
        in_use.take_answer(host, product.product, said, now=START + timedelta(hours=9 * number))


def test_the_page_shows_acceptance_over_time_and_warns_of_a_change(host, owner, product):
    _fill(host, product)
    page = owner.get("/studies/doors/use")
    assert page.status_code == 200
    text = unescape(page.text)
    assert "Acceptance fell" in text
    assert "however often you look" in text
    assert '<svg class="acceptance-chart"' in text
    assert "YOUR_TOKEN" in text
    assert product.token not in text


def test_a_change_that_is_understood_is_not_warned_of_again(host, owner, product):
    _fill(host, product)
    page = owner.get("/studies/doors/use")
    done = owner.post(f"/studies/doors/use/{product.product.number}/anew",
                      data=hidden_fields(page))  # fmt: skip
    assert "none since it is watched anew" in unescape(done.text)


def test_a_product_is_added_on_the_page_and_its_snippet_works(host, owner, browser):
    page = owner.get("/studies/doors/use")
    given = {"name": "Door camera", "application": "bell", "origins": f"{PAGE}/"}
    assert '<form method="post" action="/studies/doors/use" novalidate>' in page.text
    made = unescape(owner.post("/studies/doors/use", data=hidden_fields(page) | given).text)
    token = re.search(r"Bearer (howgood_use_[\w-]+)", made)[1]
    address = re.search(r'fetch\("http://testserver(/api/v1/products/\d+/answers)"', made)[1]
    taken = browser.post(
        address, headers={"Authorization": f"Bearer {token}", "Origin": PAGE},
        json={"id": "answer-0001", "user": "u", "acceptable": True, "hits": 1, "misses": 0,
              "false_alarms": 0},
    )  # fmt: skip
    assert taken.status_code == 201


@pytest.mark.parametrize(
    "wrong", [{"origins": "http://app.example.org"}, {"origins": "https://a.example/path"},
              {"name": ""}, {"application": "nothing"}],
)  # fmt: skip
def test_a_wrong_product_is_refused_and_what_was_typed_stays(owner, wrong):
    page = owner.get("/studies/doors/use")
    given = {"name": "Door camera", "application": "bell", "origins": ""} | wrong
    refused = owner.post("/studies/doors/use", data=hidden_fields(page) | given)
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    assert all(unescape(value) in unescape(refused.text) for value in given.values())


def test_a_person_is_erased_by_the_products_id(host, owner, product):
    _fill(host, product, people=4)
    page = owner.get("/studies/doors/use")
    root = f"/studies/doors/use/{product.product.number}/erase"
    fields = hidden_fields(page)
    assert (
        "1 answers of this person were erased"
        in owner.post(root, data=fields | {"user": "u2"}).text
    )
    assert len(_stored(host)) == 3
    assert owner.post(root, data=fields | {"user": "u2"}).status_code == 422


def test_exports_hold_answers_in_use_and_deletion_takes_them(host, product):
    _fill(host, product, people=3)
    rows = [row for row in tidy_rows(host, "doors") if row["part"] == "in use"]
    assert [row["acceptable"] for row in rows] == [False, True, True]
    assert rows[0]["precision"] == 1.0
    assert rows[1]["precision"] == pytest.approx(8 / 9)
    assert {row["application"] for row in rows} == {"bell"}
    delete_study(host, "doors", confirmation="doors", actor="ada", now=START)
    assert _stored(host) == []


def test_products_of_another_study_are_not_found(host, owner, product):
    page = owner.get("/studies/doors/use")
    for action in ("token", "close", "anew", "erase"):
        gone = owner.post(
            f"/studies/songs/use/{product.product.number}/{action}",
            data=hidden_fields(page) | {"user": "u1"},
        )
        assert gone.status_code == 404


def test_a_study_that_is_no_survey_says_so(owner):
    page = owner.get("/studies/songs/use")
    assert page.status_code == 200
    assert "has to be a survey" in page.text


def test_answers_survive_a_new_server(host, send, database):
    send()
    with TestClient(make_app(host, Settings())) as other:
        assert other.get("/health").status_code == 200
    assert len(_stored(host)) == 1
