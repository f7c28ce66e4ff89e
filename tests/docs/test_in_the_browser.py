"""What readers' browsers run: packages that Pyodide brings, notebooks for Colab."""

import json
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
TRY = DOCS / "_static" / "try"
# What Pyodide loads for the page; the other names come with these.
BROUGHT = {"numpy", "scipy", "pydantic", "pydantic_core", "annotated_types", "typing_extensions",
           "typing_inspection"}  # fmt: skip


LOOK = """
import sys
answer('kay2015-answers-electricity', .85, .85)
curve('kay2015-answers-electricity')
files = {name: str(getattr(module, '__file__', '')) for name, module in sys.modules.items()}
found = {name.partition('.')[0] for name, file in files.items() if 'site-packages' in file}
print(json.dumps(sorted(found)))
"""


def test_the_page_needs_no_package_that_pyodide_is_not_asked_for():
    code = (TRY / "try.py").read_text("utf-8") + LOOK
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    asked = set(re.search(r"loadPackage\(\[(.*?)\]", (TRY / "try.js").read_text("utf-8"))[1]
                .replace('"', "").replace(" ", "").split(","))  # fmt: skip
    assert asked <= BROUGHT
    imported = {name for name in json.loads(done.stdout.splitlines()[-1]) if name[0] != "_"}
    assert imported - {"howgood", "charset_normalizer", "sitecustomize"} <= BROUGHT


def test_the_notebooks_of_colab_are_those_of_the_pages():
    sys.path.insert(0, str(DOCS / "_ext"))
    from in_the_browser import notebook

    texts = sorted((DOCS / "notebooks").glob("*.md"))
    assert texts
    for path in texts:
        kept = path.with_suffix(".ipynb").read_text("utf-8")
        assert kept == notebook(path.read_text("utf-8")), "run python docs/_ext/in_the_browser.py"
