"""Requests made to take our time, memory or places from everybody else."""

import gzip
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
import uvicorn
from starlette.testclient import TestClient
from tests.attacks.surface import filled
from tests.web.conftest import hidden_fields

from howgood.errors import InputError
from howgood.flow import in_use
from howgood.flow.api_access import issue_token
from howgood.flow.importing.sheet import read_sheet
from howgood.flow.results import counting
from howgood.records.api_token import SCOPES
from howgood.settings import Settings
from howgood.web import middleware, server, timeouts
from howgood.web.api.openapi import OPERATIONS
from howgood.web.api.operation import PRODUCT
from howgood.web.app import make_app
from howgood.web.middleware import TABLES, Pace, Rate

_SOON = 60  # seconds, on a busy machine


@pytest.fixture
def port(host, monkeypatch):
    """A real server, as `howgood serve` runs it, with short timeouts and places are few."""
    monkeypatch.setattr(timeouts, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.3)
    app = make_app(host, Settings(busy_limit=2))
    running = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, **server.options()))
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield running.servers[0].sockets[0].getsockname()[1]
    running.should_exit = True
    thread.join()


def _told(port, *pieces):
    """Send pieces, then wait until the server hangs up; return what it said."""
    with socket.create_connection(("127.0.0.1", port), timeout=_SOON) as line:
        for piece in pieces:
            line.sendall(piece)
        found = b""
        while piece := line.recv(65536):
            found += piece
    return found


def _ask(port):
    return _told(port, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")


@pytest.mark.parametrize("head", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-A: b"])
def test_a_request_that_is_never_finished_is_hung_up_on(port, head):
    assert _told(port, head) == b""
    assert b"200 OK" in _ask(port)


def test_a_second_request_that_is_never_finished_is_hung_up_on_too(port):
    whole = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    assert _told(port, whole + b"GET / HT").count(b"200 OK") == 1
    with socket.create_connection(("127.0.0.1", port), timeout=_SOON) as line:
        line.sendall(whole)
        assert b"200 OK" in line.recv(65536)
        line.sendall(b"\r\n")  # ends the rest between two requests, and begins none
        assert line.recv(65536) == b""


def test_a_head_that_does_not_end_is_refused_before_it_fills_the_memory(port):
    with socket.create_connection(("127.0.0.1", port), timeout=_SOON) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ")
        with pytest.raises(OSError, match=r"reset|pipe"):
            line.sendall(b"a" * 50_000_000)
    assert b"200 OK" in _ask(port)


@pytest.mark.parametrize("path", [b"/s/songs", b"/login", b"/library/kay2015-electricity"])
def test_a_body_that_never_comes_gives_its_place_back(port, path):
    head = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    slow = head % path + b"Content-Length: 200\r\n\r\nvisit="
    lines = [socket.create_connection(("127.0.0.1", port), timeout=_SOON) for _ in range(2)]
    for line in lines:
        line.sendall(slow)
    for line in lines:  # both places were taken, and both are told so
        assert b" 408 " in line.recv(65536)
        line.close()
    assert b"200 OK" in _ask(port)


def test_a_body_in_drips_is_not_waited_for(port):
    line = socket.create_connection(("127.0.0.1", port), timeout=_SOON)
    line.sendall(b"POST /s/songs HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
    began = time.monotonic()
    line.settimeout(0.05)
    told = b""
    while not told and time.monotonic() - began < _SOON:
        line.sendall(b"a")
        try:
            told = line.recv(65536)
        except TimeoutError:
            continue
    assert b" 408 " in told
    line.close()


def test_a_body_of_unknown_length_is_not_read(port):
    head = b"POST /s/songs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    said = _told(port, head + b"Connection: close\r\n\r\n1\r\na\r\n")
    assert b" 413 " in said.partition(b"\r\n")[0]


@pytest.mark.parametrize(
    "path",
    [
        b"/login",
        b"/setup/x",
        b"/studies/upload",
        b"/logout",
        b"/library/kay2015-electricity",
        b"/studies/songs/data/import",
    ],
)
def test_no_form_of_unknown_length_is_read_anywhere(port, path):
    """Neither fields nor files: the refusal comes before a byte of the body is waited for."""
    for kind in (b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x"):
        head = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\n" % (path, kind)
        said = _told(port, head + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        assert b" 413 " in said.partition(b"\r\n")[0]


def test_a_body_for_programs_is_read_up_to_its_limit(browser, host, owner_account):
    """JSON may come in pieces of unknown length; what is too much is noticed while it comes."""
    secret = issue_token(host, owner_account.researcher, name="n", scopes=tuple(SCOPES), study=None,
                         days=None, now=datetime.now(UTC)).secret  # fmt: skip
    head = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    added = in_use.add_product(
        host, owner_account.researcher, "doors", name="app", application="bell", origins="",
        now=datetime.now(UTC),
    )  # fmt: skip
    of_product = head | {"Authorization": f"Bearer {added.token}"}
    taking = [operation for operation in OPERATIONS if operation.body is not None]
    assert taking
    for operation in taking:
        pieces = iter([b"[" * operation.largest, b"["])
        path = filled(f"/api/v1{operation.path}")
        headers = of_product if operation.scope == PRODUCT else head
        sent = browser.request(operation.method, path, content=pieces, headers=headers)
        assert sent.status_code == 413, path
        assert f"{operation.largest:,}" in sent.json()["needed"]


def test_strangers_have_no_body_read_by_the_api(port):
    """Without a token the answer comes before the body does."""
    head = b"POST /api/v1/studies HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=_SOON) as line:
        line.sendall(head + b"Content-Length: 1999999\r\n\r\n[")
        assert b" 401 " in line.recv(65536).partition(b"\r\n")[0]


@pytest.mark.parametrize("depth", [100, 100_000])
def test_json_that_nests_without_end_is_refused_kindly(host, owner_account, depth):
    secret = issue_token(host, owner_account.researcher, name="n", scopes=tuple(SCOPES), study=None,
                         days=None, now=datetime.now(UTC)).secret  # fmt: skip
    head = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as client:
        for body in (b"[" * depth + b"]" * depth, b'{"study":' * depth + b"1" + b"}" * depth):
            sent = client.post("/api/v1/studies", content=body, headers=head)
            assert sent.status_code in (400, 422)


def test_a_multipart_form_of_one_long_head_is_refused(owner):
    csrf = hidden_fields(owner.get("/studies/new"))["csrf"]
    part = f'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{csrf}\r\n'
    long = '--x\r\nContent-Disposition: form-data; name="' + "a" * 2_000_000 + '"\r\n\r\nb\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    start = time.process_time()
    for body in (part + long + "--x--\r\n", part + "\r\n" * 500_000, part + "--x\r\n" * 100_000):
        sent = owner.post("/studies/upload", content=body.encode(), headers=kind)
        assert sent.status_code in (400, 403, 422)
    assert time.process_time() - start < _SOON


def test_somebody_who_leaves_in_the_middle_is_no_fault_of_ours(port, caplog):
    with socket.create_connection(("127.0.0.1", port), timeout=_SOON) as line:
        line.sendall(b"POST /s/songs HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\na")
    assert b"200 OK" in _ask(port)
    assert "Traceback" not in caplog.text


def test_a_length_of_thousands_of_digits_is_too_large(browser):
    sent = browser.post("/login", content=b"a", headers={"Content-Length": "9" * 5000})
    assert sent.status_code == 413


def test_a_form_of_many_parts_is_refused(owner):
    form = hidden_fields(owner.get("/studies/new")) | {f"x{n}": "" for n in range(6000)}
    assert owner.post("/studies/new", data=form).status_code == 400


def test_a_packed_body_stays_packed(browser):
    bomb = gzip.compress(b"a=" + b"b" * 10_000_000)
    assert len(bomb) < 20_000
    sent = browser.post("/s/songs", content=bomb, headers={"Content-Encoding": "gzip"})
    assert sent.status_code == 400  # a character zero, and no signature: it was not unpacked


@pytest.mark.parametrize(
    "content",
    [
        b",".join(b"c%d" % n for n in range(1_000_000)) + b"\n1\n",
        b",".join([b"c"] * 1_000_000) + b"\n1\n",
        b"a,b\n" + b"1\n" * 600_000,
        b",".join(b"c%d" % n for n in range(9_000)) + b"\n" + b"1\n" * 100_000,
    ],
    ids=["a million columns", "a million times the same", "many rows", "short rows to fill up"],
)
def test_a_table_of_absurd_size_is_refused_soon(content):
    with pytest.raises(InputError, match=r"columns|rows|twice|more than 4 MB|found 1 field"):
        read_sheet(content, name="bomb.csv")


def test_numbers_of_thousands_of_digits_are_wrong_numbers(owner):
    many = "9" * 5000
    form = hidden_fields(owner.get("/studies/songs/links"))
    assert owner.post("/studies/songs/links", data=form | {"people": many}).status_code == 422
    assert owner.post("/studies/songs/places", data=form | {"quota": many}).status_code == 422
    assert owner.get("/studies/songs/preview", params={"page": many}).status_code == 200
    field = {"edition": many, f"rerating.items.{many}.key": "x", "rerating.rounds": many}
    for part in ("texts", "task"):
        sent = owner.post(f"/studies/songs/edit/{part}", data=form | field)
        assert sent.status_code < 500
    sent = owner.post("/studies/songs/results/fit", data=form | {"seed": many})
    assert sent.status_code < 500


def test_an_address_with_a_number_no_database_holds_leads_nowhere(browser, owner):
    many = "9" * 30
    assert browser.get(f"/media/{many}/x.png").status_code == 404
    for path in (f"results/{many}", f"results/{many}/progress", f"results/uploads/{many}",
                 f"results/{many}/report.html", f"data/import/{many}"):  # fmt: skip
        assert owner.get(f"/studies/songs/{path}").status_code == 404


def test_forged_addresses_of_callers_do_not_lift_the_limits(host, owner_account):
    config = uvicorn.Config(make_app(host, Settings()), **server.options())
    config.load()
    with TestClient(config.loaded_app, client=("203.0.113.9", 5000)) as client:
        form = hidden_fields(client.get("/login")) | {"password": "wrong"}
        codes = [
            client.post("/login", data=form | {"name": f"n{n}"},
                        headers={"X-Forwarded-For": f"198.51.100.{n}"}).status_code
            for n in range(35)
        ]  # fmt: skip
    assert codes[:29] == [422] * 29
    assert 429 in codes[29:]


def test_a_proxy_on_this_machine_is_believed_about_who_calls(host, owner_account):
    config = uvicorn.Config(make_app(host, Settings()), **server.options())
    config.load()
    with TestClient(config.loaded_app, client=("127.0.0.1", 5000)) as client:
        form = hidden_fields(client.get("/login")) | {"password": "wrong"}
        codes = {
            client.post("/login", data=form | {"name": f"n{n}"},
                        headers={"X-Forwarded-For": f"198.51.100.{n}"}).status_code
            for n in range(35)
        }  # fmt: skip
    assert codes == {422}


_TABLE = b"y_true,y_pred\n" + b"1,1\n" * 8 + b"1,0\n" * 2 + b"0,0\n" * 9


def _send_table(client, content=_TABLE):
    address = "/library/kay2015-answers-electricity"
    return client.post(address, files={"file": ("x.csv", content)}, follow_redirects=False)


@pytest.mark.parametrize(
    "content",
    [b"y_true,y_pred\n" + b"1,1\n" * 1_200_000, b"y_true,y_pred" + b",x" * 1_000 + b"\n1,1\n",
     b"y_true,y_pred\n" + b"1,1\r" * 1_200_000, b"y_true,y_pred\n" + b"1" * 6_000_000],
    ids=["many rows", "many columns", "many rows of an old Macintosh", "many bytes"],
)  # fmt: skip
def test_a_strangers_table_of_absurd_size_is_refused_before_it_is_parsed(
    browser, monkeypatch, content
):
    monkeypatch.setattr(counting, "CHILD", ("there is no such program",))
    refused = _send_table(browser, content)
    assert refused.status_code == 413
    assert "type the" in refused.text


def test_a_strangers_table_that_needs_too_much_memory_ends_its_own_process_alone(
    browser, monkeypatch
):
    """The limit is the child's own; whatever is in the table, the server goes on."""
    greedy = "from howgood.flow.results import counting_child, counting\n" \
             "counting_child._limit(memory=counting.MEMORY, seconds=5)\n" \
             "bytearray(counting.MEMORY)"  # fmt: skip
    monkeypatch.setattr(counting, "CHILD", (sys.executable, "-c", greedy))
    assert _send_table(browser).status_code == 413
    monkeypatch.setattr(counting, "CHILD", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(counting, "SECONDS", 0.2)
    assert _send_table(browser).status_code == 413
    monkeypatch.undo()
    assert _send_table(browser).status_code == 303


def test_two_tables_are_counted_at_once_and_others_are_asked_to_come_back(browser, monkeypatch):
    go_on, counted = threading.Event(), []

    def slowly(name, content, *, positive, truth, predicted):
        counted.append(name)
        go_on.wait()
        return 8, 2, 0, 9

    monkeypatch.setattr(counting, "count_apart", slowly)
    with ThreadPoolExecutor(5) as pool:
        sent = [pool.submit(_send_table, browser) for _ in range(5)]
        try:
            while sum(each.done() for each in sent) < 3:
                time.sleep(0.01)
        finally:
            go_on.set()
        answers = [each.result() for each in sent]
    assert sorted(each.status_code for each in answers) == [303, 303, 503, 503, 503]
    assert len(counted) == 2
    refused = next(each for each in answers if each.status_code == 503)
    assert refused.headers["retry-after"]
    assert "Try again in a moment" in refused.text
    browser.app.state.tables = Rate(TABLES)
    assert _send_table(browser).status_code == 303


def test_one_network_may_not_send_table_after_table(host):
    """Addresses of one IPv6 network count as one."""
    app = make_app(host, Settings())
    app.state.tables = Rate(Pace(at_once=2, per_second=1e-6))
    codes = [
        _send_table(TestClient(app, client=(f"2001:db8::{number:x}", 5000)), b"no").status_code
        for number in range(4)
    ]
    assert codes == [422, 422, 429, 429]


def test_a_library_that_is_not_public_is_for_people_with_an_account(host, owner, owner_account):
    with TestClient(make_app(host, Settings(public_library=False))) as stranger:
        for path in ("/library", "/library/kay2015-answers-electricity"):
            led = stranger.get(path, follow_redirects=False)
            assert led.status_code == 303
            assert led.headers["location"].startswith("/login")
        assert _send_table(stranger).headers["location"].startswith("/login")
        stranger.cookies = owner.cookies
        assert stranger.get("/library").status_code == 200
        assert "matrix=8+2+0+9" in _send_table(stranger).headers["location"]
