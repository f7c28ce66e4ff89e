"""What we would upload: whole, installable into an empty environment, typed."""

import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "howgood"


def _names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    files = {
        f"howgood/{path.relative_to(SOURCE).as_posix()}"
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert _names(wheel) == files


def test_the_wheel_is_pure_python_and_so_runs_in_browsers(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in _names(wheel) if name.endswith((".so", ".pyd", ".dll"))]


def test_the_wheel_carries_the_description(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))
    text = metadata.get_payload()
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert targets
    assert all(target.startswith("https://") for target in targets)
    assert "## Ten lines" in text


@pytest.mark.parametrize(
    "ending",
    ["howgood/py.typed", "howgood/decide/__init__.pyi", "layout.html", "howgood.css", "en.toml",
     "kinds/survey/template.toml", "m0001_first_layout.py", "kay2015-weather.json"],
)  # fmt: skip
def test_the_wheel_holds_data_that_is_read_while_running(wheel, ending):
    assert any(name.endswith(ending) for name in _names(wheel))


def test_a_wheel_from_the_sdist_is_the_same_wheel(sdist, wheel, build, tmp_path):
    with tarfile.open(sdist) as archive:
        # Our own archive; early releases of Python 3.11 know no filter.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(tmp_path / "source", **safely)  # noqa: S202 - our own archive
    (source,) = (tmp_path / "source").iterdir()
    assert (source / "LICENSE").is_file()
    (tmp_path / "again").mkdir()
    assert _names(build("wheel", source, tmp_path / "again")) == _names(wheel)


def test_the_wheel_installs_into_an_empty_environment_and_runs(wheel, tmp_path):
    """Dependencies come from the environment of the tests: no network is needed."""
    fresh = tmp_path / "fresh"
    venv.create(fresh, with_pip=False)
    python = fresh / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps",
         "--no-index", "--no-compile", "--disable-pip-version-check", str(wheel)],
        check=True,
    )  # fmt: skip
    place = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    (Path(place) / "tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    for arguments in (["--version"], ["new", "survey", str(tmp_path / "study.toml")]):
        done = subprocess.run(
            [python.parent / "howgood", *arguments], env={"PATH": ""}, capture_output=True,
            text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    where = subprocess.run(
        [python, "-I", "-c", "import howgood; print(howgood.__file__)"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert where.startswith(place)


def test_every_extra_is_documented():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (ROOT / "docs" / "howto" / "install.md").read_text("utf-8")
    for extra in extras["optional-dependencies"]:
        assert f"| `{extra}` |" in page


def test_wheel_and_sdist_bear_the_version_of_the_package(wheel, sdist):
    import howgood

    assert wheel.name == f"howgood-{howgood.__version__}-py3-none-any.whl"
    assert sdist.name == f"howgood-{howgood.__version__}.tar.gz"


def test_the_citation_file_names_this_version_and_the_four_papers():
    import howgood

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == howgood.__version__
    assert [each["year"] for each in citation["references"]] == [2015, 2022, 2013, 2018]
