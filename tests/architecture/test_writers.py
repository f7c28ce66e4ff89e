"""`howgood.writing` is the only module that writes files."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "howgood"
WRITER = PACKAGE / "writing.py"
# Calls that write a file, whatever they are called on.
WRITERS = {"write_text", "write_bytes", "touch", "savefig", "savez", "savez_compressed", "savetxt",
           "tofile", "to_csv", "to_parquet", "write_csv", "write_parquet", "sink_csv", "copyfile",
           "sink_parquet", "copy2", "mkstemp", "NamedTemporaryFile"}  # fmt: skip
# Where such a call leaves no file of its own behind, and why.
ALLOWED = {
    ("show/figures/theme.py", "savefig"): "into a buffer, or into a file of `writing`",
    ("learn/fit_file.py", "savez_compressed"): "into a file of `writing`",
    ("flow/results/uploaded.py", "write_bytes"): "into a temporary folder",
    ("flow/authoring/publishing.py", "write_bytes"): "into a temporary folder",
    ("store/database.py", "touch"): "an empty database with its rights, before SQLite fills it",
    ("store/server_lock.py", "open"): "the lock, one file for as long as anybody may hold it",
    ("flow/authoring/publishing.py", "ZipFile"): "an archive in memory",
    ("flow/collected/export.py", "ZipFile"): "an archive made while it is read",
    ("flow/collected/export.py", "open"): "a member of that archive",
    ("flow/results/child.py", "fdopen"): "the pipe to the parent process",
}


def _written_by(path):
    """Return the names of a module's calls that write files."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ours = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "howgood.writing"
        for alias in node.names
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {_called(each) for each in calls if _writes(each) and not _is_ours(each, ours)}


def _called(call):
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_ours(call, imported):
    whole = ast.unparse(call.func)
    return whole in imported or whole.startswith("writing.")


def _writes(call):
    name = _called(call)
    if name in ("replace", "rename", "open") and ast.unparse(call.func) == f"os.{name}":
        text = ast.unparse(call)
        return name != "open" or "os.O_CREAT" in text or "os.O_TRUNC" in text
    if name not in ("open", "fdopen", "ZipFile", "TarFile"):
        return name in WRITERS
    given = [*call.args, *(each.value for each in call.keywords if each.arg == "mode")]
    texts = [str(each.value) for each in given if isinstance(each, ast.Constant)]
    return any(len(text) < 4 and set(text) & set("wax+") for text in texts)


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_no_other_module_writes_files(path):
    place = path.relative_to(PACKAGE).as_posix()
    found = {(place, name) for name in _written_by(path)}
    if path != WRITER:
        assert found - set(ALLOWED) == set(), "write it with howgood.writing"


def test_the_search_finds_writers_of_every_kind(tmp_path):
    sample = tmp_path / "sample.py"
    lines = ["p.write_text('x')", "open(p, 'w')", "p.open(mode='ab')", "figure.savefig(p)",
             "os.replace(a, b)", "os.open(p, os.O_CREAT)", "frame.write_parquet(p)"]  # fmt: skip
    for line in lines:
        sample.write_text(line)
        assert _written_by(sample), line
    for line in ["p.open('rb')", "os.open(p, os.O_RDONLY)", "p.open()", "writing.write_text(p)"]:
        sample.write_text(line)
        assert not _written_by(sample), line
