"""Rules hold everywhere in the package; an exception stands on its line, with its reason."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]


def _lines(folder):
    for path in sorted((ROOT / folder).rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def test_the_rules_about_security_are_on_for_the_package():
    assert "S" in RULES["select"]
    assert not [code for code in RULES["ignore"] if code.startswith("S")]
    assert not [name for name in RULES["per-file-ignores"] if name.startswith(("src", "**", "*"))]


def test_every_exception_says_why():
    bare = [
        place
        for folder in ("src", "checks")
        for place, line in _lines(folder)
        if re.search(r"#\s*noqa", line) and not re.search(r"# noqa: [A-Z0-9, ]+ - \w+", line)
    ]
    assert not bare


def test_no_exception_from_security_is_given_to_a_whole_file():
    whole = [place for place, line in _lines("src") if re.search(r"#\s*ruff:\s*noqa", line)]
    assert not whole


def test_make_check_runs_every_static_check():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    check = text.partition("\ncheck:")[2].partition("\n\n")[0]
    named = re.search(r"^STATIC = (.+)$", text, re.MULTILINE)[1].split()
    assert set(named) == set(re.findall(r"^(check-\w+):", check, re.MULTILINE))
    assert "-j 2 $(STATIC)" in check
    for each in ("ruff check .", "mypy", "lint-imports", "detect-secrets-hook", "pip-licenses",
                 "codespell", "zizmor", "hadolint"):  # fmt: skip
        assert each in check
