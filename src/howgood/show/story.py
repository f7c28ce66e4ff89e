"""A report as one story: the answer, its map, at most three findings, pictures, then detail.

In: `Report`. Out: HTML of its body, the same on a results page and in report.html. Absent: the page
around it (`page`, `web`), and styles: everything has classes of `assets/components.css`.
"""

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence

from howgood.names import visible
from howgood.records.estimate import Estimate, Interval
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.show.numbers import as_given, percent, plain
from howgood.stats.arrays import FloatArray

# Draws a picture: the place of its section in the report, and the section.
Picture = Callable[[int, Section], str]
MOST_FINDINGS = 3
_THIN = "Not enough evidence"
_DRAWN = ("p", "alpha", "intercept", "slope", "person_sd")
_MAP_DRAWS = 400
_MOST_PARTS = 40
# Letters in a row of a table that fits into half of a page, and of a cell before it breaks.
_HALF_PAGE, _MOST_IN_CELL, _SENTENCE = 80, 24, 48
# Nothing but numbers: 0.744 ± 0.015, 69 % [55–83].
_VALUE = re.compile(r"[<>−-]? ?\d[^a-zA-Z]*")
# What the map's script says and fills in; in attributes, to be translated like the page.
_SAYS = {
    "says": "At {precision} precision and {recall} recall, {share} of people would accept it "
    "(likely between {lower} and {upper} %).",
    "accept": "{share} accept",
    "between": "Between {lower} and {upper} %",
    "beyond": "Nobody was asked about accuracies this low: this is an extrapolation.",
    "best": "{file}: most people would accept the threshold {threshold}. The file stayed on your "
    "machine; the interval does not hold the uncertainty of your test set.",
    "columns": "It needs a column y_true and a column score.",
    "labels": "No row has the label 1 (or true, yes, positive).",
}
_SAID = "".join(f' data-text-{name}="{sentence}"' for name, sentence in _SAYS.items())
_WORDS = {"good": "✓ Good.", "bad": "✕ Problem.", "unsure": "! Caution."}


def story(report: Report, picture: Picture) -> str:
    """Return a report's body, from the answer down to how it was made."""
    first, others = _split(report)
    plain_sections = [
        one_section for one_section in enumerate(report.sections) if not one_section[1].is_detail
    ]
    details = [
        one_section for one_section in enumerate(report.sections) if one_section[1].is_detail
    ]
    answer = ""
    if _is_answered_by(report.headlines, plain_sections):
        answer = _section(*plain_sections.pop(0), picture, level=3)
    parts = [
        '<div class="story">',
        f'<p class="question">{_prose(report.question)}</p>',
        _findings(first),
        *(headline_html(headline, picture=answer) for headline in report.headlines),
        _sections([_section(place, section, picture) for place, section in plain_sections]),
        _fold("More findings", "Everything the answers say, with its numbers.", _findings(others))
        if others
        else "",
        *(_detail(place, section, picture) for place, section in details),
        _cautions(report.cautions),
        _fold(
            "Methods",
            "What was computed, ready for a paper.",
            f'<div lang="en">{paragraphs(report.methods)}</div>',
        ),
        _fold(
            "Provenance",
            "Settings, seed, versions: what is needed to compute it again.",
            table_html(provenance_table(report)),
        ),
        "</div>",
    ]
    return "\n".join(part for part in parts if part)


def _is_answered_by(headlines: Sequence[Headline], sections: Sequence[tuple[int, Section]]) -> bool:
    """Return whether the first picture belongs to the only answer, which has no map of its own."""
    if len(headlines) != 1 or headlines[0].acceptance is not None or not sections:
        return False
    first = sections[0][1]
    return bool(first.svg) and first.table is None


def _split(report: Report) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return the findings above the first picture, and the rest.

    Headlines say the answer already: above them stands only what warns of them. Nothing is left
    out.
    """
    if not report.headlines:
        return report.findings[:MOST_FINDINGS], report.findings[MOST_FINDINGS:]
    urgent = [
        finding
        for finding in report.findings
        if finding.tone == "bad" or finding.text.startswith(_THIN)
    ][:MOST_FINDINGS]
    return urgent, [finding for finding in report.findings if finding not in urgent]


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    rows = "".join(
        f'<li class="{text_html(finding.tone)}">{_word(finding.tone)}{_prose(finding.text)}</li>'
        for finding in findings
    )
    return f'<ul class="findings">{rows}</ul>'


def _word(tone: str) -> str:
    return f'<span class="word">{_WORDS[tone]}</span> ' if tone in _WORDS else ""


def headline_html(headline: Headline, *, picture: str = "") -> str:
    """Return an answer: sentence, number with its interval drawn, whom it rests on, its picture."""
    draws, title = headline.acceptance, text_html(headline.title)
    # Values in an attribute: the dashboard's policy allows no script in a page.
    data = "" if draws is None else f' data-map="{text_html(_map_values(headline))}"{_SAID}'
    more = "".join(f"<p>{_prose(text)}</p>" for text in headline.more)
    shape = " with-map" if data else " with-picture" if picture else ""
    parts = [
        f'<section class="verdict{shape}"{data}><div>',
        f'<h2>{title}</h2><p class="hero"><span data-hero>{_hero(headline)}</span> '
        f"<small>{text_html(headline.caption)}</small></p>",
        _band(headline.share, headline.ends) if headline.ends else "",
        f'<p class="says" data-says>{_prose(headline.text)}</p>{more}{_meter(headline)}</div>',
        _map(headline) + _what_if(headline) if data else picture,
        "</section>",
    ]
    return "".join(parts)


def _map_values(headline: Headline) -> str:
    draws = headline.acceptance
    if draws is None:
        raise ValueError("a headline without draws has no map")
    kept = draws.thinned(_MAP_DRAWS)
    values = {name: _short(getattr(kept, name)) for name in _DRAWN}
    return json.dumps({**values, "lowest": kept.lowest_shown}, separators=(",", ":"))


def _short(values: FloatArray) -> list[float]:
    return [float(f"{value:.5g}") for value in values.tolist()]


def _hero(headline: Headline) -> str:
    return text_html(headline.hero or percent(headline.share[1]))


def _band(share: tuple[float, float, float], ends: Sequence[str]) -> str:
    lower, middle, upper = share
    names = [text_html(end) for end in ends]
    return (
        '<svg class="band" data-band viewBox="0 0 300 34" preserveAspectRatio="xMinYMid" '
        'role="img" aria-label="Between '
        f'{100 * lower:.0f} and {100 * upper:.0f} %">'
        '<rect class="all" x="0" y="6" width="300" height="8" rx="4"/>'
        f'<rect class="range" x="{300 * lower:.1f}" y="6" width="{300 * (upper - lower):.1f}" '
        f'height="8" rx="4"/><rect class="middle" x="{300 * middle - 2:.1f}" y="2" width="4" '
        f'height="16" rx="2"/><text class="first" x="0" y="30">{names[0]}</text>'
        f'<text x="150" y="30">{names[1]}</text>'
        f'<text class="last" x="300" y="30">{names[2]}</text></svg>'
    )


def _meter(headline: Headline) -> str:
    people, wanted = headline.people, headline.wanted
    few = " few" if people < wanted or not headline.is_enough else ""
    if not headline.is_enough:
        more = ". Not enough evidence to decide by: ask more people."
    elif few:
        more = f". About {wanted} are usual."
    else:
        more = ". As many as are usual."
    number = min(wanted, _MOST_PARTS)
    on = min(number, round(people * number / wanted))
    parts = '<i class="on"></i>' * on + "<i></i>" * (number - on)
    return (
        f'<div class="meter{few}"><p><strong>{people} of about {wanted} people</strong>{more}</p>'
        f'<div class="parts" aria-hidden="true">{parts}</div></div>'
    )


def _map(headline: Headline) -> str:
    draws = headline.acceptance
    if draws is None:
        return ""
    lower, middle, upper = headline.share
    interval = Interval(lower=lower, upper=upper, probability=0.95, kind="highest-density")
    share = Estimate(mean=middle, sd=0.0, interval=interval, draws=draws.p[:0])
    from howgood.show.acceptance_map import acceptance_map, map_lines  # few reports have one

    drawn = acceptance_map(
        map_lines(draws),
        application=visible(headline.title),
        point=headline.point,
        accepting=share,
        lowest_shown=draws.lowest_shown,
    )
    hatched = " Hatched: nobody was asked about accuracies this low." if draws.lowest_shown else ""
    return (
        f'<figure class="map">{drawn}<figcaption>Along a line the same share of people accepts.'
        f"{hatched}</figcaption></figure>"
    )


def _what_if(headline: Headline) -> str:
    """Return sliders, and a place to drop a classifier's scores; scripts show them."""
    sliders = "".join(
        f'<label><span>{name.capitalize()}</span><input type="range" min="40" max="100" '
        f'value="{100 * value:.0f}" data-{name}><output>{as_given(value)}</output></label>'
        for name, value in zip(("precision", "recall"), headline.point, strict=True)
    )
    return (
        '<div class="ask-map" hidden><p><strong>What if?</strong> Drag in the map, or move the '
        f'sliders.</p>{sliders}<label class="drop">Drop your classifier\'s scores here: a CSV with '
        "the columns y_true and score. It stays on your machine."
        '<input type="file" accept=".csv,.tsv,.txt,text/csv" data-file></label>'
        '<p data-dropped role="status"></p></div>'
    )


def _sections(parts: Sequence[str]) -> str:
    return f'<div class="sections">{"".join(parts)}</div>' if parts else ""


def _section(place: int, section: Section, picture: Picture, *, level: int = 2) -> str:
    heading = f"<h{level}>{text_html(section.title)}</h{level}>"
    return f"<section>{heading}{_inside(place, section, picture)}</section>"


def _detail(place: int, section: Section, picture: Picture) -> str:
    return _fold(section.title, section.about, _inside(place, section, picture))


def _inside(place: int, section: Section, picture: Picture) -> str:
    parts = [paragraphs(section.text)]
    if section.svg:
        parts.append(picture(place, section))
    if section.table is not None and len(section.table):
        parts.append(table_html(section.table, name=section.title))
    return "".join(parts)


def _fold(title: str, about: str, inside: str) -> str:
    small = f" <small>{text_html(about)}</small>" if about else ""
    return (
        f'<details class="fold"><summary>{text_html(title)}{small}</summary>{inside}</details>'
        if inside
        else ""
    )


def _cautions(cautions: Sequence[str]) -> str:
    if not cautions:
        return ""
    rows = "".join(f"<li>{_prose(text)}</li>" for text in cautions)
    return f"<section><h2>What not to conclude</h2><ul>{rows}</ul></section>"


def text_html(text: str) -> str:
    """Return text for HTML."""
    return html.escape(visible(text))


def paragraphs(text: str) -> str:
    """Return text with its paragraphs."""
    return "".join(f"<p>{_prose(part)}</p>" for part in text.split("\n\n") if part.strip())


def _prose(text: str) -> str:
    """Return text for HTML in which no line breaks between a number and its per cent sign."""
    shown = text_html(text)
    for gap in (" %", "&lt; ", "&gt; "):
        shown = shown.replace(gap, gap.replace(" ", "\N{NO-BREAK SPACE}"))
    return shown


def table_html(table: Table, *, name: str = "table") -> str:
    """Return a table as HTML, numbers to the right."""
    numeric = {name: values.dtype.kind in "fiu" for name, values in table.items()}
    head = "".join(
        f'<th scope="col"{_numeric_class(numeric[name])}>{text_html(name)}</th>' for name in table
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_cell_class(cell(value), numeric[name])}>{_prose(cell(value))}</td>"
            for name, value in row.items()
        )
        + "</tr>"
        for row in table.rows()
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{text_html(name)}">'
        f"<table{_wide_class(table)}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        "</div>"
    )


def _wide_class(table: Table) -> str:
    """Mark a table that does not fit into half of a page."""
    letters = sum(
        max([len(name), *(min(len(cell(value)), _MOST_IN_CELL) for value in values.tolist())])
        for name, values in table.items()
    )
    return ' class="many"' if letters + 2 * len(table) > _HALF_PAGE else ""


def _numeric_class(is_numeric: bool) -> str:
    return ' class="n"' if is_numeric else ""


def _cell_class(text: str, is_numeric: bool) -> str:
    """Keep a number with its interval in one line, and leave sentences room."""
    if len(text) > _SENTENCE:
        return ' class="sentence"'
    is_value = len(text) <= _MOST_IN_CELL and _VALUE.fullmatch(text) is not None
    return ' class="value"' if is_value and not is_numeric else _numeric_class(is_numeric)


def cell(value: object) -> str:
    """Show one cell of a table."""
    return plain(value) if isinstance(value, float) else "" if value is None else str(value)


def _fact(value: object) -> str:
    """Return a setting in words: an estimate as 0.22 [-1.48, 1.91]."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping) and value.keys() == {"estimate", "lower", "upper"}:
        return f"{value['estimate']:.2f} [{value['lower']:.2f}, {value['upper']:.2f}]"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_fact(entry)}" for name, entry in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_fact, value))
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def provenance_table(report: Report) -> Table:
    """Return how a report was made, fact by fact."""
    made = report.provenance
    facts: dict[str, str] = {"method": made.method}
    facts |= {str(name): _fact(value) for name, value in made.settings.items()}
    facts["seed"] = "none needed" if made.seed is None else str(made.seed)
    if made.rows_used is not None:
        facts["rows used"] = str(made.rows_used)
    facts |= {f"rows dropped: {why}": str(n) for why, n in made.rows_dropped.items()}
    facts |= {f"version of {name}": text for name, text in made.versions.items()}
    return Table({"fact": list(facts.keys()), "value": list(facts.values())})
