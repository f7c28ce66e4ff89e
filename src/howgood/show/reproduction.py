"""A reproduction as lines people can read, and several as one page.

In: `Reproduction`. Out: text, one claim per paragraph; a `Report`. Absent: running it.
"""

import textwrap
from collections.abc import Iterator, Sequence

from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Report, Section
from howgood.records.reproduction import Check, Reproduction
from howgood.records.table import Table

_VERDICTS = ("holds", "does not hold", "cannot be checked here")
_MARKS = {"holds": "✓", "does not hold": "✗", "cannot be checked here": "?"}


def reproduction_text(reproduction: Reproduction, *, width: int = 100) -> str:
    """Return citation, counts, every check, the errata."""
    lines = [reproduction.citation, _counts(reproduction), ""]
    known, groups = _grouped(reproduction.checks)
    lines += [_lines(check, width) for check in known]
    for why, checks in groups.items():
        lines.append(_wrapped(_group_title(checks, why), width, "  "))
        lines += [_wrapped(_place_and_claim(check), width, "    ", start="  ") for check in checks]
    lines += [""] if reproduction.errata else []
    lines += [_wrapped(f"erratum: {erratum}", width, "  ") for erratum in reproduction.errata]
    return "\n".join(lines)


def reproduction_report(reproductions: Sequence[Reproduction]) -> Report:
    """Return one report: counts first, then each paper's claims, pictures and misprints."""
    return Report(
        title="Four papers, recomputed" if len(reproductions) > 1 else "A paper, recomputed",
        question="Which published claims hold when they are computed again, and which do not?",
        findings=tuple(
            Finding(
                text=f"{reproduction.paper}, {reproduction.citation}: {_counts(reproduction)}.",
                tone=_tone(reproduction),
            )
            for reproduction in reproductions
        ),
        sections=tuple(
            section for reproduction in reproductions for section in _sections(reproduction)
        ),
        methods=(
            "Every claim was computed again from the paper's definitions; each verdict names the "
            "rule it was reached by. Where the paper's data are not public, data with the "
            "published properties were simulated, and the claim says so; what simulation cannot "
            "show counts as not checkable here."
        ),
        provenance=Provenance(
            method="howgood reproduce", seed=reproductions[0].seed if reproductions else None
        ),
        cautions=(
            "A claim that does not hold here may still hold for the paper's own data, when those "
            "were not at hand.",
            "A claim that holds was recomputed, not replicated: no new people were asked.",
        ),
    )


def _sections(reproduction: Reproduction) -> Iterator[Section]:
    name = reproduction.paper
    known, groups = _grouped(reproduction.checks)
    yield Section(
        title=f"{name}: ours next to theirs",
        text=reproduction.citation,
        table=_claims(known) if known else None,
    )
    for why, checks in groups.items():
        yield Section(
            title=f"{name}: not checked here",
            text=_group_title(checks, why),
            table=Table(
                {
                    "claim": [f"{check.claim} ({check.item}, {check.place})" for check in checks],
                    "paper": [check.paper for check in checks],
                }
            ),
        )
    for figure, svg in reproduction.figures.items():
        title = figure.removeprefix(f"{name}-").replace("-", " ")
        yield Section(title=f"{name}: {title}", svg=svg, alt=f"Recomputed: {title}.")
    if reproduction.errata:
        yield Section(title=f"{name}: errata", text="\n\n".join(reproduction.errata))


def _grouped(checks: Sequence[Check]) -> tuple[list[Check], dict[str, list[Check]]]:
    """Part what was checked from what could not be, the latter by its reason."""
    known = [check for check in checks if check.verdict != "cannot be checked here"]
    groups: dict[str, list[Check]] = {}
    for check in checks:
        if check.verdict == "cannot be checked here":
            groups.setdefault(check.note, []).append(check)
    return known, groups


def _group_title(checks: Sequence[Check], why: str) -> str:
    count = "1 claim" if len(checks) == 1 else f"{len(checks)} claims"
    return f"? {count} cannot be checked here" + (f": {why}" if why else "")


def _place_and_claim(check: Check) -> str:
    paper = f" (paper: {check.paper})" if check.paper else ""
    return f"{check.item} {check.place}: {check.claim}{paper}"


def _claims(checks: Sequence[Check]) -> Table:
    return Table(
        {
            "verdict": [f"{_MARKS[check.verdict]} {check.verdict}" for check in checks],
            "claim": [f"{check.claim} ({check.item}, {check.place})" for check in checks],
            "paper": [check.paper for check in checks],
            "ours": [check.ours or "none" for check in checks],
            "how judged": [". ".join(filter(None, (check.rule, check.note))) for check in checks],
        }
    )


def _counts(reproduction: Reproduction) -> str:
    words = dict(zip(_VERDICTS, ("hold", "do not hold", "cannot be checked here"), strict=True))
    return ", ".join(
        f"{sum(check.verdict == verdict for check in reproduction.checks)} {word}"
        for verdict, word in words.items()
    )


def _tone(reproduction: Reproduction) -> str:
    failing = any(check.verdict == "does not hold" for check in reproduction.checks)
    return "unsure" if failing else "good"


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
