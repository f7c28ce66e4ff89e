"""Draw the table of docs/explanation/mutants.md from what the last runs found.

In: `.mutants/results.json` and `checks/explained.toml` (patterns of mutants no test can or should
notice, with the reason). Out: the page below its marker. Run: `python -m checks.mutants_page`.
"""

import sys
from collections import Counter, defaultdict

from checks.mutants_kept import (
    ALIVE,
    AREAS,
    ROOT,
    explained,
    fate_of,
    kept,
    modules_of,
    reason_for,
    source_of,
)
from checks.mutations import Mutant, mutants_of

PAGE = ROOT / "docs" / "explanation" / "mutants.md"
MARKER = "<!-- Below: written by python -m checks.mutants_page -->\n"


def main() -> int:
    """Write the page; fail when a survivor has neither been killed nor explained."""
    results, reasons = kept("results.json"), explained()
    judged = {
        module: mutants_of(module, source_of(module))
        for area in AREAS
        for module in modules_of(area)
    }
    alive = [
        mutant
        for mutants in judged.values()
        for mutant in mutants
        if fate_of(mutant, results) in ALIVE
    ]
    table = "\n".join(_table(judged, results, reasons))
    head = PAGE.read_text(encoding="utf-8").split(MARKER)[0]
    PAGE.write_text(f"{head}{MARKER}\n{table}\n\n{_list(alive, reasons)}", encoding="utf-8")
    unexplained = [mutant for mutant in alive if not reason_for(mutant, reasons)]
    for mutant in unexplained:
        print(f"{mutant.module}:{mutant.line} {mutant.name}")
    print(f"{len(alive)} survivors, {len(unexplained)} neither killed nor explained")
    return int(bool(unexplained))


def _table(
    judged: dict[str, list[Mutant]], results: dict[str, dict[str, str]], reasons: dict[str, str]
) -> list[str]:
    rows = [
        "| Module | possible | tried | killed | timed out | explained | open |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    total: Counter[str] = Counter()
    for module, mutants in judged.items():
        count = Counter(possible=len(mutants))
        for mutant in mutants:
            fate = fate_of(mutant, results)
            if fate is None:
                continue
            count["tried"] += 1
            if fate in ALIVE:
                fate = "explained" if reason_for(mutant, reasons) else "open"
            count[fate] += 1
        total += count
        rows.append(_row(f"`{module}`", count))
    return [*rows, _row("**all**", total)]


def _row(name: str, count: Counter[str]) -> str:
    columns = ["possible", "tried", "killed", "timeout", "explained", "open"]
    return f"| {name} | " + " | ".join(str(count[column]) for column in columns) + " |"


def _list(alive: list[Mutant], reasons: dict[str, str]) -> str:
    """Say for every reason which mutants it excuses."""
    by_reason: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in alive:
        by_reason[reason_for(mutant, reasons)].append(mutant)
    parts = []
    for why, mutants in by_reason.items():
        places = ", ".join(f"`{m.scope}` ({m.change})" for m in mutants)
        parts.append(f"- **{mutants[0].module}**: {why or 'Open.'} {places}")
    return "## Survivors and why they live\n\n" + "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
