"""Owners read the audit; it names no participant and outlives what it tells about."""

import re
from pathlib import Path

from tests.attacks.surface import filled
from tests.flow.hosting.conftest import Person
from tests.web.conftest import hidden_fields

from howgood.flow import in_use
from howgood.flow.api_access import issue_token
from howgood.flow.collected import tidy_rows
from howgood.flow.watching import counts
from howgood.records.api_token import SCOPES
from howgood.store import audit
from howgood.web import permissions
from howgood.web.api.openapi import OPERATIONS
from howgood.web.request_data import now

SOURCE = Path(counts.__file__).parents[2]
FORBIDDEN = 403


def _rows(page):
    cells = re.findall(r"<tr>(<td.*?)</tr>", page.text, re.DOTALL)
    return [re.sub(r"<[^>]+>", " ", row).split() for row in cells]


def test_erasing_and_deleting_leave_lines_that_name_nobody(owner, host):
    someone = Person(host, "doors", seed=1, now=now(), PROLIFIC_PID="secret-id")
    someone.begin()
    (row,) = tidy_rows(host, "doors", table="participants")
    address = "/studies/doors/data"
    sent = {"who": row["participant"], "sure": "yes"}
    owner.post(f"{address}/erase", data=hidden_fields(owner.get(address)) | sent)
    owner.post(f"{address}/delete",
               data=hidden_fields(owner.get(address)) | {"confirmation": "doors"})  # fmt: skip
    page = owner.get("/history?study=doors")
    told = [" ".join(row) for row in _rows(page)]
    assert "ada deleted the study participants: 0" in told[0]
    assert "ada erased a participant participants: 1" in told[1]
    assert "secret-id" not in page.text
    assert "doors" in owner.get("/history").text


def test_every_way_in_which_data_leaves_is_written_down(owner, host, owner_account):
    """A download, the list of a draw, notes, and each operation of the API that gives answers."""
    someone = Person(host, "doors", seed=1, now=now())
    someone.begin()
    someone.finish()
    secret = issue_token(host, owner_account.researcher, name="program", scopes=tuple(SCOPES),
                         study=None, days=None, now=now()).secret  # fmt: skip
    head = {"Authorization": f"Bearer {secret}"}
    reading = [operation for operation in OPERATIONS if operation.method == "GET"
               and permissions.OPERATIONS[operation.name] in ("data", "identified")
               and operation.name not in ABOUT_DATA]  # fmt: skip
    assert len(reading) == 6
    in_use.add_product(host, owner_account.researcher, "doors", name="Camera", application="bell",
                       origins="https://app.example.org", now=now())  # fmt: skip
    pages = ["/studies/doors/data/export/csv", "/studies/doors/people/notes.csv",
             "/studies/doors/draw.csv"]  # fmt: skip
    api = [filled(operation.address, slug="doors", format="csv") for operation in reading]
    for address, given in [*((page, {}) for page in pages), *((page, head) for page in api)]:
        before = _taken_out(host)
        params = {"reason": "a test of the history"} if "identities" in address else {}
        assert owner.get(address, headers=given, params=params).status_code == 200, address
        assert _taken_out(host) == before + 1, address
    # A program that goes on reading has been written down already.
    before = _taken_out(host)
    for _ in range(3):
        assert owner.get("/api/v1/studies/doors/answers", headers=head).status_code == 200
    assert _taken_out(host) == before


# What data means, and what was imported when: no answers.
ABOUT_DATA = {"getCodebook", "listImports"}


def _taken_out(host):
    with host.database.reading() as connection:
        lines = audit.lines(connection, study="doors", most=100)
    return sum(line.action in ("exported data", "read ids") for line in lines)


def test_only_owners_read_it_and_odd_names_find_nothing(owner, viewer):
    assert viewer.get("/history").status_code == FORBIDDEN
    assert "Nothing is written down" in owner.get("/history?study=%3Cscript%3E").text


def test_every_deed_the_program_writes_down_has_words():
    text = "".join(path.read_text() for path in SOURCE.rglob("*.py"))
    written = set(re.findall(r'action="([^"]+)"', text))
    assert len(written) > 15
    assert written <= set(counts._WORDS)
