"""Results of promptfoo (`promptfoo eval -o results.json`).

In: parsed JSON. Out: `EvaluationLog`, one row per test and repeat. Absent: promptfoo itself; the
layout is its documented output, versions 2 to 4.

A column of promptfoo's table is a provider with a prompt: that is a system. It is called by its
provider, and where a provider has several prompts, by the prompt's number too: `openai:gpt-5#2`.
"""

import json
from pathlib import Path
from typing import Any

from howgood.errors import FileFormatError
from howgood.records.evaluation_log import EvaluationLog, log_from_rows, named_apart

_ERROR = 2  # failureReason: the provider failed, not an assertion
NAME = "promptfoo"


def recognises(path: Path, document: Any) -> bool:  # noqa: ANN401 - parsed JSON
    """Say whether these are results of promptfoo."""
    rows = _rows(document)
    return bool(rows) and all(isinstance(row, dict) for row in rows) and "success" in rows[0]


def read(path: Path, document: Any, system: str | None) -> EvaluationLog:  # noqa: ANN401 - JSON
    """Return success, score and named scores of every test of one provider and prompt."""
    rows = _rows(document)
    systems = _systems(rows)
    names = list(dict.fromkeys(systems))
    if len(names) > 1 and system not in names:
        raise FileFormatError(
            where=str(path),
            found=f"results of {len(names)} systems"
            + (f", no {system!r}" if system is not None else ""),
            needed=f"one of them: {', '.join(map(repr, names[:6]))}",
            cure=f"Name it after the file: {path.name}#{names[0]}",
        )
    if system is not None and system not in names:
        raise FileFormatError(
            where=str(path),
            found=f"no system {system!r}",
            needed=f"{names[0]!r}",
            cure=f"Leave the name out: {path.name}",
        )
    mine = [row for row, name in zip(rows, systems, strict=True) if name == (system or names[0])]
    unscored = sum(bool(row.get("error")) and row.get("score") is None for row in mine)
    failed = sum(
        row.get("failureReason") == _ERROR and row.get("score") is not None for row in mine
    )
    notes = [f"{unscored} of {len(mine)} tests ended with an error"] if unscored else []
    if failed:
        notes.append(
            f"{failed} of {len(mine)} tests ended with an error of the provider and count as failed"
        )
    items = named_apart([(_item(row), _asserted(row)) for row in sorted(mine, key=_test)])
    return log_from_rows(
        [_row(row, item) for row, item in zip(sorted(mine, key=_test), items, strict=True)],
        source=str(path),
        kind=NAME,
        system=system or names[0],
        notes=notes,
    )


def _rows(document: Any) -> list[Any]:  # noqa: ANN401 - parsed JSON
    inner = document.get("results") if isinstance(document, dict) else None
    rows = inner.get("results") if isinstance(inner, dict) else inner
    return rows if isinstance(rows, list) else []


def _systems(rows: list[dict[str, Any]]) -> list[str]:
    """Return which system each row is of: its provider, and its prompt where that has several."""
    prompts: dict[str, list[str]] = {}
    # Rows stand in the order in which answers came back; the table's columns are numbered.
    for row in sorted(rows, key=_column):
        seen = prompts.setdefault(_provider(row), [])
        if _prompt(row) not in seen:
            seen.append(_prompt(row))
    names = []
    for row in rows:
        seen = prompts[_provider(row)]
        number = f"#{seen.index(_prompt(row)) + 1}" if len(seen) > 1 else ""
        names.append(_provider(row) + number)
    return names


def _column(row: dict[str, Any]) -> float:
    column = row.get("promptIdx")
    return column if isinstance(column, int | float) else 0.0


def _provider(row: dict[str, Any]) -> str:
    provider = row.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider or "")


def _prompt(row: dict[str, Any]) -> str:
    """Return what is the same in all rows of a prompt: its id, else its words before filling in."""
    prompt = row.get("prompt")
    words = prompt.get("label") or prompt.get("display") if isinstance(prompt, dict) else ""
    return str(row.get("promptId") or words or "")


def _row(row: dict[str, Any], item: str) -> dict[str, Any]:
    named = row.get("namedScores")
    metrics = {str(name): value for name, value in named.items()} if isinstance(named, dict) else {}
    is_cached = _inner(row, "response").get("cached") is True
    return {
        "item": item,
        "metrics": {"success": row.get("success"), "score": row.get("score"), **metrics},
        "attributes": {
            str(name): value
            for name, value in _inner(row, "metadata").items()
            if isinstance(value, str | int | bool)
        },
        # An answer out of the cache cost nothing and came at once: it says neither.
        "cost": None if is_cached else row.get("cost"),
        "latency": None if is_cached else row.get("latencyMs"),
    }


def _item(row: dict[str, Any]) -> str:
    """Return what names a test in two files: its variables, else its number.

    Tests with the same variables differ by their description, or by the strategy of an attack.
    """
    test = _inner(row, "testCase")
    known = [test.get("description"), _inner(test, "metadata").get("strategyId")]
    more = "".join(f", {name}" for name in known if isinstance(name, str) and name)
    variables = _inner(row, "vars")
    if variables:
        return json.dumps(variables, sort_keys=True, ensure_ascii=False, default=str) + more
    return f"{row.get('testIdx', '')}{more}"


def _asserted(row: dict[str, Any]) -> str:
    """Return what a test asks for: tests with equal variables may ask for different things.

    `promptfoo eval --repeat` writes equal tests, so those are repeats.
    """
    return json.dumps(_inner(row, "testCase").get("assert"), sort_keys=True, default=str)


def _test(row: dict[str, Any]) -> float:
    number = row.get("testIdx")
    return float(number) if isinstance(number, int | float) else 0.0


def _inner(row: dict[str, Any], name: str) -> dict[str, Any]:
    found = row.get(name)
    return found if isinstance(found, dict) else {}
