"""Sphinx settings: Markdown pages, reference from docstrings, nothing from other hosts."""

from howgood import __version__

project = "howgood"
author = "The howgood developers"
copyright = "2026, the howgood developers"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "howgood"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
