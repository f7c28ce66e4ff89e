r"""The one cleaner of names that others chose, wherever they are drawn, printed or written.

In: text with names of systems, applications, columns and people. Out: the same text as a terminal,
a page or a picture can show it. Absent: changing names; results keep them as they were given.

A name may hold what a terminal obeys (escape sequences), what turns the direction of letters round,
what Markdown takes for formatting, or what matplotlib and Markdown take for mathematics. Characters
that only act are written as JSON writes them (`\u001b`), so text in JSON stays the same text.
HTML is escaped by `html.escape` and by the templates after this, spreadsheets' formulas by
`flow.collected.export`, and mathematics is switched off in `show.figures.theme`.
"""

import re
import unicodedata

# How German writes letters with dots where there are none.
_WITHOUT_DOTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
# Control characters but tab and line feed; separators of lines; what overrides directions (marks
# of direction stay: Arabic and Hebrew need them); halves of characters, which nothing can encode.
_ACTING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
    "\N{LEFT-TO-RIGHT EMBEDDING}-\N{RIGHT-TO-LEFT OVERRIDE}"
    "\N{LEFT-TO-RIGHT ISOLATE}-\N{POP DIRECTIONAL ISOLATE}\ud800-\udfff"
)
_INVISIBLE = re.compile(f"[{_ACTING}]")
_BREAKING = re.compile(f"[{_ACTING}\t\n]")
# What Markdown takes for code, formulas, tables, tags, entities, links and emphasis.
_MARKS = re.compile(
    r"[\\`$|~]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[:])|(?<!\s)\*|\*(?!\s)|(?<![^\W_])_|_(?![^\W_])"
)
# And at the beginning of a line for headings, quotations, lists and tasks.
_LINE_MARKS = re.compile(
    r"^(\s*(?:\d{1,9}(?=[.)](?:\s|$)))?)([>[]|[-+.)#=](?=[-=#\s]|$))", re.MULTILINE
)


def plain_letters(text: str) -> str:
    """Return text in small letters without accents, to make a short name of it.

    Examples
    --------
    >>> plain_letters("Überraschung: Café, Größe")
    'ueberraschung: cafe, groesse'
    """
    small = unicodedata.normalize("NFC", text).casefold().translate(_WITHOUT_DOTS)
    apart = unicodedata.normalize("NFKD", small)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def visible(text: str) -> str:
    r"""Return text in which every character is seen and none acts; lines stay lines.

    Examples
    --------
    >>> print(visible("red \x1b[31m, turned \u202e"))
    red \u001b[31m, turned \u202e
    """
    return _INVISIBLE.sub(_written, text)


def one_line(text: str) -> str:
    r"""Return the same for a place that has one line: a cell, a sentence, a title.

    Examples
    --------
    >>> print(one_line("best\npass: 99 % accept"))
    best\u000apass: 99 % accept
    """
    return _BREAKING.sub(_written, text)


def in_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is: no formatting, no HTML, no mathematics.

    Examples
    --------
    >>> print(in_markdown("*a* costs $5 | <b>, y_true, _b_"))
    \*a\* costs \$5 \| \<b>, y_true, \_b\_
    """
    escaped = _MARKS.sub(lambda match: "\\" + match[0], visible(text))
    return _LINE_MARKS.sub(r"\1\\\2", escaped)


def _written(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
