"""The scan finds secrets of every kind it knows, and is quiet about ordinary lines."""

import pytest
from checks.secrets import findings

# Put together here, so that this file holds none either.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789"
PLANTED = {
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "AWS key": "AKIA" + "ABCDEFGHIJKLMNOP",
    "GitHub token": "ghp_" + LETTERS[:36],
    "GitLab token": "glpat-" + LETTERS[:20],
    "Slack token": "xoxb-" + "123456789012-abcdef",
    "Google key": "AIza" + LETTERS[:35],
    "PyPI token": "pypi-" + LETTERS + LETTERS[:10],
    "npm token": "npm_" + LETTERS[:36],
    "Stripe key": "sk_live_" + LETTERS[:24],
    "OpenAI-like key": "sk-" + LETTERS[:40],
    "JSON web token": "eyJ" + LETTERS[:20] + ".eyJ" + LETTERS[:20] + "." + LETTERS[:20],
    "password in an address": "postgresql://me:" + "hunter2@db.example.org/x",
    "a random value called a secret": 'api_key = "' + "q7Zp2Kx9Vb4Nt8Lm3Rw6Ys1Hd5" + '"',
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_secret_is_found_with_its_line(kind: str) -> None:
    assert (2, kind) in list(findings(f"first line\nx {PLANTED[kind]} y\n"))


@pytest.mark.parametrize("kind", PLANTED)
def test_an_excused_line_is_left_alone(kind: str) -> None:
    assert not list(findings(f"{PLANTED[kind]}  # no secret: for a test"))


@pytest.mark.parametrize(
    "line",
    ["token = fresh_token()", 'password = "correct horse battery staple"', "http://localhost:8000/",
     "postgresql://user@host/name", "https://example.org/a@b", "digest: sha256",
     "postgresql://me:{password}@db/x"],
)  # fmt: skip
def test_ordinary_lines_are_no_findings(line: str) -> None:
    assert not list(findings(line))
