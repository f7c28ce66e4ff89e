"""Bring howgood itself to readers' browsers: the wheel of the page "Try it", notebooks for Colab.

In: the package, the notebooks as text. Out, while pages are built: `_static/try/howgood.whl` and a
`.ipynb` of every notebook next to its page, with a line above each that says how to open it.
`python docs/_ext/in_the_browser.py` renews the notebooks in the repository, which Colab reads.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1]
_CELL = re.compile(r"```\{code-cell\}[^\n]*\n(.*?)```\n?", re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_INSTALL = '%pip install -q "howgood[files,plots,sklearn]" pandas'


def notebook(text):
    """Return a notebook of Jupyter, without outputs, from one written as MyST text."""
    parts = _CELL.split(_FRONT.sub("", text))
    cells = [_cell("code", _INSTALL)]
    for at, part in enumerate(parts):
        kept = re.sub(r"^:[a-z-]+:.*\n", "", part, flags=re.MULTILINE) if at % 2 else part
        if kept.strip():
            cells.append(_cell("code" if at % 2 else "markdown", kept.strip()))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _cell(kind, text):
    more = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)} | more


def repository():
    """Return "owner/name" on GitHub where the machine that builds says it, else None."""
    address = os.environ.get("READTHEDOCS_GIT_CLONE_URL", "")
    found = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?$", address)
    return found[1] if found else os.environ.get("GITHUB_REPOSITORY") or None


def how_to_open(name):
    """Return the line above a notebook's page."""
    download = f'<a href="{name}.ipynb" download>Download this notebook</a>'
    known = repository()
    if known is None:
        return f"<p>{download}; in Colab: File, Upload notebook.</p>"
    colab = (
        f"https://colab.research.google.com/github/{known}/blob/main/docs/notebooks/{name}.ipynb"
    )
    return f'<p><a href="{colab}">Open in Colab</a> · {download}</p>'


def _add_line(app, docname, source):
    if docname.startswith("notebooks/"):
        line = f"\n```{{raw}} html\n{how_to_open(docname.partition('/')[2])}\n```\n"
        source[0] = re.sub(r"(\n# [^\n]*\n)", lambda title: title[1] + line, source[0], count=1)


def _write_files(app, error):
    if error is not None or app.builder.name != "html":
        return
    place = Path(app.outdir)
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        (place / "notebooks" / path.name).write_text(path.read_text("utf-8"), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(build, cwd=DOCS.parent, check=True, capture_output=True)  # noqa: S603 - ours
        wheel = next(Path(folder).glob("*-py3-none-any.whl"))
        (place / "_static" / "try" / "howgood.whl").write_bytes(wheel.read_bytes())


def setup(app):
    """Tell Sphinx when to call."""
    app.connect("source-read", _add_line)
    app.connect("build-finished", _write_files)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    for path in sorted((DOCS / "notebooks").glob("*.md")):
        path.with_suffix(".ipynb").write_text(notebook(path.read_text("utf-8")), "utf-8")
