"""A `Report` as one self-contained page, as Markdown, and as plain values.

In: `Report`. Out: HTML, Markdown or a dict. Absent: scripts and addresses of other hosts.
"""

import html
from typing import Any

from howgood.names import in_markdown, one_line, visible
from howgood.records.report import Report, Section
from howgood.records.table import Table
from howgood.show.numbers import plain

_STYLE = """
:root{color-scheme:light dark;--ink:#1b1b1f;--paper:#fff;--soft:#f3f4f6;--line:#c9ccd3;
--good:#00694d;--bad:#a33b00;--unsure:#5b4a8a}
@media screen and (prefers-color-scheme:dark){:root{--ink:#ececf1;--paper:#16171b;--soft:#24262c;
--line:#4a4d57;--good:#5fd3ae;--bad:#ffae80;--unsure:#c7b8f5}}
body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:52rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2.2rem}
.question{font-size:1.1rem}
.findings{padding:0;list-style:none}.findings li{background:var(--soft);border-left:.35rem solid
var(--line);padding:.6rem .9rem;margin:.5rem 0}
.findings .good{border-color:var(--good)}.findings .bad{border-color:var(--bad)}
.findings .unsure{border-color:var(--unsure)}
figure{margin:1rem 0}figure svg{max-width:100%;height:auto}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:left}
td.n,th.n{text-align:right}
pre{background:var(--soft);padding:.8rem;overflow-x:auto;white-space:pre-wrap}
@media print{:root{color-scheme:light}body{max-width:none;padding:0}
h2{break-after:avoid}figure,tr,li{break-inside:avoid}}
"""


def _text(text: str) -> str:
    return html.escape(visible(text))


def to_html(report: Report) -> str:
    """Return the report as one HTML page that needs nothing else."""
    findings = "".join(
        f'<li class="{_text(finding.tone)}">{_prose(finding.text)}</li>'
        for finding in report.findings
    )
    cautions = "".join(f"<li>{_prose(text)}</li>" for text in report.cautions)
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{_text(report.title)}</title>',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<style>{_STYLE}</style></head><body><main>",
        f'<h1>{_text(report.title)}</h1><p class="question">{_text(report.question)}</p>',
        f'<h2>What we found</h2><ul class="findings">{findings}</ul>',
        *(_section_html(section) for section in report.sections),
        f"<h2>What not to conclude</h2><ul>{cautions}</ul>" if cautions else "",
        f"<h2>Methods</h2>{_paragraphs(report.methods)}",
        f"<h2>Provenance</h2>{table_html(_provenance_table(report))}",
        "</main></body></html>",
    ]
    return "\n".join(part for part in parts if part)


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
            *(f"- {_line(each)}" for each in report.cautions),
        ]
    lines += ["", "## Methods", "", in_markdown(report.methods), "", "## Provenance", ""]
    lines += _table_markdown(_provenance_table(report))
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


def _section_html(section: Section) -> str:
    parts = [f"<h2>{_text(section.title)}</h2>", _paragraphs(section.text)]
    if section.svg:
        parts.append(f"<figure>{section.svg}<figcaption>{_text(section.alt)}</figcaption></figure>")
    if section.table is not None:
        parts.append(table_html(section.table))
    return "".join(parts)


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_prose(part)}</p>" for part in text.split("\n\n") if part.strip())


def _prose(text: str) -> str:
    """Return text for HTML in which no line breaks between a number and its per cent sign."""
    return _text(text).replace(" %", "\N{NO-BREAK SPACE}%")


def table_html(table: Table) -> str:
    """Return a table as HTML, numbers to the right."""
    numeric = {name: values.dtype.kind in "fiu" for name, values in table.items()}
    head = "".join(
        f'<th scope="col"{_numeric_class(numeric[name])}>{_text(name)}</th>' for name in table
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_numeric_class(numeric[name])}>{_text(cell(value))}</td>"
            for name, value in row.items()
        )
        + "</tr>"
        for row in table.rows()
    )
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="table">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _numeric_class(is_numeric: bool) -> str:
    return ' class="n"' if is_numeric else ""


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


def cell(value: object) -> str:
    """Show one cell of a table."""
    return plain(value) if isinstance(value, float) else "" if value is None else str(value)


def _provenance_table(report: Report) -> Table:
    facts: dict[str, str] = {"method": report.provenance.method}
    facts |= {str(name): str(value) for name, value in report.provenance.settings.items()}
    facts["seed"] = "none needed" if report.provenance.seed is None else str(report.provenance.seed)
    if report.provenance.rows_used is not None:
        facts["rows used"] = str(report.provenance.rows_used)
    facts |= {f"rows dropped: {why}": str(n) for why, n in report.provenance.rows_dropped.items()}
    facts |= {f"version of {name}": text for name, text in report.provenance.versions.items()}
    return Table({"fact": list(facts.keys()), "value": list(facts.values())})
