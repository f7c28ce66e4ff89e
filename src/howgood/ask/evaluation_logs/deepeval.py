"""Test runs of DeepEval (`.deepeval/.latest_test_run.json`, or an exported run).

In: parsed JSON. Out: `EvaluationLog`, one row per test case. Absent: DeepEval itself; names of
fields are those of its documented test run, in camel case or with underscores.
"""

import json
from pathlib import Path
from typing import Any

from howgood.records.evaluation_log import EvaluationLog, log_from_rows, named_apart

NAME = "DeepEval"


def recognises(path: Path, document: Any) -> bool:  # noqa: ANN401 - parsed JSON
    """Say whether this is a test run of DeepEval."""
    return bool(_cases(document))


def read(path: Path, document: Any, system: str | None) -> EvaluationLog:  # noqa: ANN401 - JSON
    """Return every metric's score of every test case, and whether the case passed."""
    cases = _cases(document)
    named = [(str(_said(case, number)), _asked(case)) for number, case in enumerate(cases)]
    rows = [_row(case, item) for case, item in zip(cases, named_apart(named), strict=True)]
    broken = sum(any(measured.get("error") for measured in _measured(case)) for case in cases)
    return log_from_rows(
        rows,
        source=str(path),
        kind=NAME,
        system=system or path.stem,
        notes=[f"a metric of {broken} of {len(cases)} test cases ended with an error"]
        if broken
        else (),
    )


def _cases(document: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - parsed JSON
    if not isinstance(document, dict):
        return []
    inner = document.get("testRunData", document)
    if not isinstance(inner, dict):
        return []
    test_cases: list[dict[str, Any]] = []
    for name in ("testCases", "test_cases", "test_results", "testResults",
                 "conversationalTestCases", "conversational_test_cases"):  # fmt: skip
        cases = inner.get(name)
        test_cases += (
            [one_case for one_case in cases if isinstance(one_case, dict)]
            if isinstance(cases, list)
            else []
        )
    return [case for case in test_cases if _either(case, "metricsData", "metrics_data") is not None]


def _said(case: dict[str, Any], number: int) -> object:
    """Return what was asked, the same in two runs: the name of a case only counts cases."""
    turns = case.get("turns")
    asked = [
        str(turn.get("content", ""))
        for turn in (turns if isinstance(turns, list) else ())
        if isinstance(turn, dict) and turn.get("role") == "user"
    ]
    said = case.get("input") or case.get("scenario") or " / ".join(asked)
    return said if isinstance(said, str) and said else case.get("name") or number


def _asked(case: dict[str, Any]) -> str:
    """Return what else is part of a case: equal questions may have different right answers.

    `deepeval test run --repeat` writes equal cases, so those are repeats.
    """
    more = [_either(case, "expectedOutput", "expected_output"), case.get("context")]
    return json.dumps(more, sort_keys=True, default=str)


def _measured(case: dict[str, Any]) -> list[dict[str, Any]]:
    measured = _either(case, "metricsData", "metrics_data")
    found = measured if isinstance(measured, list) else []
    return [measurement for measurement in found if isinstance(measurement, dict)]


def _row(case: dict[str, Any], item: str) -> dict[str, Any]:
    metrics = {
        str(measurement.get("name", "score")): measurement.get("score")
        for measurement in _measured(case)
    }
    passed = case.get("success")
    return {
        "item": item,
        "metrics": {**metrics, **({"success": passed} if isinstance(passed, bool) else {})},
        # What the answer took; evaluationCost and runDuration are what measuring it took.
        "cost": _either(case, "tokenCost", "token_cost"),
        "latency": _either(case, "completionTime", "completion_time"),
    }


def _either(case: dict[str, Any], *names: str) -> Any:  # noqa: ANN401 - parsed JSON
    return next((case[name] for name in names if case.get(name) is not None), None)
