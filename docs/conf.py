"""Sphinx settings: Markdown pages, reference from docstrings, nothing from other hosts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from howgood import __version__

project = "howgood"
author = "The howgood developers"
copyright = "2026, the howgood developers"
version = release = __version__
extensions = [
    "in_the_browser",
    "mathml",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
html_math_renderer = "mathml"
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["_build", "notebooks/*.ipynb"]  # Colab reads these
html_theme = "furo"
html_title = "howgood"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = html_favicon = "../src/howgood/show/assets/mark.svg"
highlight_language = "text"  # a block without a language is a command, or what it prints
# Signatures show names and defaults; what a parameter may be is said in its description.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
# Notebooks are run when the pages are built; a cell that fails fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True  # what a cell prints is one block
# "array of shape (n,)" in a docstring is a shape, not a reference to something called n.
suppress_warnings = ["ref.python"]
