"""Owners read the audit; it names no participant and outlives what it tells about."""

import re
from pathlib import Path

from tests.flow.hosting.conftest import Person
from tests.web.conftest import hidden_fields

from howgood.flow.collected import tidy_rows
from howgood.flow.watching import counts
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


def test_only_owners_read_it_and_odd_names_find_nothing(owner, viewer):
    assert viewer.get("/history").status_code == FORBIDDEN
    assert "Nothing is written down" in owner.get("/history?study=%3Cscript%3E").text


def test_every_deed_the_program_writes_down_has_words():
    text = "".join(path.read_text() for path in SOURCE.rglob("*.py"))
    written = set(re.findall(r'action="([^"]+)"', text))
    assert len(written) > 15
    assert written <= set(counts._WORDS)
