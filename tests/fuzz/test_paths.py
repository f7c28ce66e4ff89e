"""A study file has only files of its own folder read, and nothing that is opened runs."""

import ast
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from howgood import learn
from howgood.errors import FileFormatError, HowgoodError
from howgood.flow.study_files import check_study
from howgood.flow.study_files.new import template

OUTSIDE = ["../secret.png", "/etc/hosts.png", "pictures/../../secret.png", "a/../../secret.png"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a study's folder with a secret beside it."""
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "secret.csv").write_text("y,s\n" + "1,0.5\n0,0.4\n" * 30, encoding="utf-8")
    (tmp_path / "study").mkdir()
    return tmp_path / "study"


def _with_picture(folder: Path, name: str) -> Path:
    text = template("rerating")
    marked = text.replace("[[rerating.items]]", "[[rerating.items]]\npicture = {FILE}", 1)
    assert marked != text
    path = folder / "study.toml"
    picture = f"{{ file = {json.dumps(name)}, alt = 'a picture' }}"
    path.write_text(marked.replace("{FILE}", picture), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_picture_outside_the_folder_is_refused(folder: Path, name: str) -> None:
    checked = check_study(_with_picture(folder, name))

    assert checked.study is None
    assert any("outside the study's folder" in str(each) for each in checked.problems)


def test_a_link_that_leads_outside_is_refused(folder: Path) -> None:
    os.symlink(folder.parent / "secret.png", folder / "harmless.png")

    checked = check_study(_with_picture(folder, "harmless.png"))

    assert any("outside the study's folder" in str(each) for each in checked.problems)


@pytest.mark.parametrize("name", ["a\0b.png", "x" * 5000 + ".png", ".", "", "con\n.png"])
def test_a_name_no_file_can_have_is_a_problem_not_a_crash(folder: Path, name: str) -> None:
    checked = check_study(_with_picture(folder, name.replace("\0", "\\u0000")))

    assert checked.study is None


def test_links_in_a_circle_are_a_problem_not_a_hang(folder: Path) -> None:
    os.symlink(folder / "b.png", folder / "a.png")
    os.symlink(folder / "a.png", folder / "b.png")

    assert check_study(_with_picture(folder, "a.png")).study is None


@pytest.mark.parametrize("key", ["scores", "table"])
def test_a_table_outside_the_folder_is_refused(folder: Path, key: str) -> None:
    given = {
        "scores": 'scores = { file = "../secret.csv", truth = "y", score = "s" }',
        "table": 'table = "../secret.csv"',
    }
    path = folder / "study.toml"
    path.write_text(f"[comparison]\n{given[key]}\n", encoding="utf-8")

    problems = check_study(path).problems

    assert any("outside the study's folder" in str(each) for each in problems)


class _Runs:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.mark,))


def test_a_saved_fit_never_runs_what_is_pickled_in_it(tmp_path: Path) -> None:
    mark, path = tmp_path / "it ran", tmp_path / "fit.npz"
    harm = np.empty(1, dtype=object)
    harm[0] = _Runs(mark)
    np.savez(path, header=harm, averaged=harm)

    with pytest.raises(FileFormatError):
        learn.load_fit(path)

    assert not mark.exists()


def test_a_bare_pickle_in_place_of_a_fit_never_runs(tmp_path: Path) -> None:
    mark, path = tmp_path / "it ran", tmp_path / "fit.npz"
    harm, target = np.empty(1, dtype=object), io.BytesIO()
    harm[0] = _Runs(mark)
    harm.dump(target)
    path.write_bytes(target.getvalue())

    with pytest.raises(FileFormatError):
        learn.load_fit(path)

    assert not mark.exists()


_RUNS_CODE = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal",
              "shelve", "imp"}  # fmt: skip
_EVALUATES = {"eval", "exec", "compile", "__import__"}


def _faults(tree: ast.AST) -> Iterator[str]:
    """Yield whatever in a module could turn the bytes of a file into running code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.split(".")[0] in _RUNS_CODE)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _RUNS_CODE:
            yield str(node.module)
        elif isinstance(node, ast.Call):
            yield from _faults_of_call(node)


def _faults_of_call(node: ast.Call) -> Iterator[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    whose = ast.unparse(node.func).split(".")[0]
    given = {each.arg: ast.unparse(each.value) for each in node.keywords}
    if isinstance(node.func, ast.Name) and name in _EVALUATES:
        yield name
    if given.get("allow_pickle", "False") != "False":
        yield f"{name} with allow_pickle"
    # Its default is False today; what is opened must not depend on a default.
    if whose in ("np", "numpy") and name == "load" and given.get("allow_pickle") != "False":
        yield "np.load without allow_pickle=False"
    if name in ("read_pickle", "to_pickle", "unsafe_load", "full_load"):
        yield name
    if whose == "yaml" and name in ("load", "load_all") and "Safe" not in ast.unparse(node):
        yield "a YAML reader that makes objects"


def test_the_search_for_readers_that_run_code_finds_them() -> None:
    for text in ("import pickle", "from joblib import load", "np.load(x)", "eval(text)",
                 "np.load(x, allow_pickle=True)", "pd.read_pickle(x)", "yaml.load(x)",
                 "numpy.load(x, allow_pickle=maybe)"):  # fmt: skip
        assert list(_faults(ast.parse(text))), text
    assert not list(_faults(ast.parse("np.load(x, allow_pickle=False); re.compile(x)")))


def test_no_module_of_the_package_can_unpickle() -> None:
    source = Path(__file__).parents[2] / "src" / "howgood"
    found = [
        f"{path.relative_to(source)}: {fault}"
        for path in source.rglob("*.py")
        for fault in _faults(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found


@pytest.mark.parametrize("mode", [0o000])
def test_a_file_nobody_may_read_is_refused_kindly(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "study.toml"
    path.write_text("title = 'x'", encoding="utf-8")
    path.chmod(mode)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    with pytest.raises(HowgoodError):
        check_study(path)
