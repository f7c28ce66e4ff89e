"""The threat model names tests and files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
PROOFS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


THREATS = re.findall(
    r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", PAGE.partition("## Threats")[2], re.MULTILINE
)
# What the page owes at least.
OWED = ("another study", "tokens are guessed", "CSRF", "XSS", "SQL injection", "header injection",
        "open redirect", "oversized", "slow", "bombs", "formulas", "path traversal",
        "code in saved files", "time signing in", "logs", "session fixation", "clickjacking",
        "SVG", "caches", "CORS", "Host", "cookies", "API token")  # fmt: skip


def test_there_are_proofs():
    assert len(PROOFS) > 60


@pytest.mark.parametrize("name", OWED)
def test_every_threat_we_know_of_is_on_the_page(name):
    assert [threat for threat, _ in THREATS if name in threat]


@pytest.mark.parametrize(("threat", "proof"), THREATS, ids=[each for each, _ in THREATS])
def test_every_threat_names_its_test(threat, proof):
    assert (
        set(threat) <= {"-"} or threat == "threat" or re.search(r"`tests/[\w/]+\.py::\w+`", proof)
    )


@pytest.mark.parametrize(("path", "name"), PROOFS)
def test_every_test_that_is_named_exists(path, name):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?!tests/)[\w/]+\.py)`", PAGE))))
def test_every_file_that_is_named_exists(name):
    assert (ROOT / "src" / "howgood" / name).is_file()
