"""Texts of the library as a page shows them: no options to type, no breaks inside numbers.

In: a message. Out: the same for people in a browser. Absent: the messages themselves.
"""

import re

_COMMANDS = re.compile(r"(?<![\w-])--[a-z]|\bhowgood [a-z]")
_OPTION = re.compile(r"\s*\(?(?<![\w-])--[a-z][a-z-]*(?:[ =][A-Z][A-Z,]*\b)?\)?:?")


def on_a_page(text: str) -> str:
    """Return a message without sentences about the command line: a page has no options to type.

    Examples
    --------
    >>> on_a_page("x.csv: no column y. Choose another. Name it with --truth NAME.")
    'x.csv: no column y. Choose another.'
    >>> on_a_page("--map: there is no column y.")
    'there is no column y.'
    """
    said = re.split(r"(?<=[.!?])\s+", text)
    kept = [sentence for sentence in said if not _COMMANDS.search(sentence)]
    return " ".join(kept) if kept else _OPTION.sub("", text).strip()


def unbroken(text: str) -> str:
    """Return a text without line breaks between a number and its per cent sign, or its `<`."""
    for gap in (" %", "< ", "> "):
        text = text.replace(gap, gap.replace(" ", "\N{NO-BREAK SPACE}"))
    return text
