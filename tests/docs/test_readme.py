"""The README keeps its promises: its lines print what it shows, its links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_ten_lines_print_what_the_readme_shows(capsys):
    block = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
    exec(compile(block[1], "README.md", "exec"), {})  # noqa: S102 - our own page
    assert capsys.readouterr().out == block[2]


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_every_link_leads_somewhere(link):
    if link.startswith("../../actions/workflows/"):  # where the hosting shows a workflow's runs
        link = f".github/workflows/{link.split('/')[4]}"
    assert (ROOT / link).exists()


def test_the_two_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in README
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_ci_runs_the_readme_s_test_command():
    assert "\nmake test\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "lock"),
    [
        ("make demo", "requirements-demo.lock"),
        ("make test-library", "requirements-library.lock"),
        ("make test", "requirements.lock"),
    ],
)
def test_the_readme_counts_the_packages_of_the_lock_files(command, lock):
    (row,) = re.findall(rf"^\| `{command}` \|.*$", README, re.MULTILINE)
    pinned = re.findall(r"^[A-Za-z0-9._-]+==", (ROOT / lock).read_text("utf-8"), re.MULTILINE)
    assert f"at most {len(pinned)} packages" in row
