"""A reproduction as lines people can read.

In: `Reproduction`. Out: text, one claim per paragraph. Absent: running it.
"""

import textwrap

from howgood.records.reproduction import Check, Reproduction

_VERDICTS = ("holds", "does not hold", "cannot be checked here")
_MARKS = {"holds": "✓", "does not hold": "✗", "cannot be checked here": "?"}


def reproduction_text(reproduction: Reproduction, *, width: int = 100) -> str:
    """Return citation, counts, every check, the errata."""
    counts = ", ".join(
        f"{sum(check.verdict == verdict for check in reproduction.checks)} {verdict}"
        for verdict in _VERDICTS
    )
    lines = [reproduction.citation, counts, ""]
    lines += [_lines(check, width) for check in reproduction.checks]
    lines += [""] if reproduction.errata else []
    lines += [_wrapped(f"erratum: {each}", width, "  ") for each in reproduction.errata]
    return "\n".join(lines)


def _lines(check: Check, width: int) -> str:
    numbers = f"paper {check.paper}" + (f", ours {check.ours}" if check.ours else "")
    rule = f" ({check.rule})" if check.rule else ""
    first = f"{_MARKS[check.verdict]} {check.item} {check.place}: {check.claim}"
    second = f"{check.verdict}: {numbers}{rule}"
    parts = [_wrapped(first, width, "    "), _wrapped(second, width, "    ", start="    ")]
    if check.note:
        parts.append(_wrapped(check.note, width, "    ", start="    "))
    return "\n".join(parts)


def _wrapped(text: str, width: int, indent: str, *, start: str = "") -> str:
    return textwrap.fill(text, width, initial_indent=start, subsequent_indent=indent)
