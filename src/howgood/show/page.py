"""A `Report` as one self-contained page, as Markdown, and as plain values.

In: `Report`. Out: HTML, Markdown or a dict. Absent: addresses of other hosts, and the order of
what is said (`story`).
"""

import re
from typing import Any

from howgood.names import in_markdown, one_line
from howgood.records.report import Report, Section
from howgood.records.table import Table
from howgood.show.design import asset, mark_address
from howgood.show.story import cell, provenance_table, story, table_html, text_html
from howgood.show.translation import ENGLISH, translated_page

__all__ = ["cell", "table_html", "to_html", "to_markdown", "to_plain"]

_SIZE = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
# Pictures wider than this many points do not fit into half of a page.
WIDE = 440

# What a report adds to the components that it shares with the dashboard.
_STYLE = """
body{font:100%/1.55 var(--font);color:var(--ink);background:var(--paper);max-width:76rem;
margin:0 auto;padding:var(--space-5);overflow-wrap:break-word}
h1{font-size:var(--type-5);line-height:1.2;letter-spacing:-.01em}p,li{max-width:45rem}
h2{line-height:1.3;margin-top:var(--space-6)}a{color:var(--act)}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
pre{background:var(--soft);padding:.8rem;overflow-x:auto;white-space:pre-wrap}
@page{margin:1.6cm}
@media print{body{max-width:none;padding:0;font-size:10.5pt}}
"""


def to_html(report: Report, *, language: str = ENGLISH) -> str:
    """Return the report as one HTML page that needs nothing else, as far as a language knows it.

    Its only script lets readers drag in the map; without scripts the map stands still.
    """
    style = asset("tokens.css") + asset("components.css") + _STYLE
    has_map = any(headline.acceptance is not None for headline in report.headlines)
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{text_html(report.title)}</title>',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f'<link rel="icon" href="{mark_address()}">',
        f"<style>{style}</style></head><body><main>",
        f"<h1>{text_html(report.title)}</h1>",
        story(report, _inline),
        "</main>",
        f"<script>{asset('story.js')}</script>" if has_map else "",
        "</body></html>",
    ]
    return translated_page("\n".join(part for part in parts if part), language)


def _inline(place: int, section: Section) -> str:
    caption = f"<figcaption>{text_html(section.alt)}</figcaption>"
    size = _SIZE.search(section.svg)
    wide = " wide" if size is not None and float(size[1]) > WIDE else ""
    return f'<figure class="plot{wide}">{section.svg}{caption}</figure>'


def to_markdown(report: Report) -> str:
    """Return the report as Markdown without pictures, for a model card or an issue."""
    lines = [f"# {_line(report.title)}", "", in_markdown(report.question)]
    lines += ["", "## What we found", ""]
    lines += [f"- {in_markdown(finding.text)}" for finding in report.findings]
    for section in report.sections:
        lines += ["", f"## {_line(section.title)}", ""]
        lines += [in_markdown(section.text), ""] if section.text else []
        lines += _table_markdown(section.table) if section.table is not None else []
    if report.cautions:
        lines += [
            "",
            "## What not to conclude",
            "",
            *(f"- {_line(caution)}" for caution in report.cautions),
        ]
    lines += ["", "## Methods", "", in_markdown(report.methods), "", "## Provenance", ""]
    lines += _table_markdown(provenance_table(report))
    return "\n".join(lines) + "\n"


def to_plain(report: Report) -> dict[str, Any]:
    """Return the report as plain values for JSON (pictures left out)."""
    return {
        "title": report.title,
        "question": report.question,
        "findings": [finding.text for finding in report.findings],
        "sections": [
            {"title": section.title, "text": section.text, "table": section.table}
            for section in report.sections
        ],
        "cautions": list(report.cautions),
        "methods": report.methods,
        "provenance": report.provenance.to_dict(),
    }


def _table_markdown(table: Table) -> list[str]:
    head = "| " + " | ".join(map(_line, table.columns)) + " |"
    rule = "|" + "|".join("---:" if v.dtype.kind in "fiu" else "---" for v in table.values()) + "|"
    rows = [
        "| " + " | ".join(_line(cell(value)) for value in row.values()) + " |"
        for row in table.rows()
    ]
    return [head, rule, *rows]


def _line(text: str) -> str:
    """Return text for one line of Markdown."""
    return in_markdown(one_line(text))
