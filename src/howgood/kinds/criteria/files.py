"""What a study of criteria takes from a file named in it: alternatives with their scores.

In: the plan's values as written, and a reader of tables. Out: the values with alternatives filled
in. Absent: opening files.
"""

from collections.abc import Mapping
from typing import Any

from howgood.errors import HowgoodError, InputError
from howgood.kinds.protocol import OpenTable
from howgood.learn.elicitation.criteria_table import criteria_table
from howgood.records.record import Problem

FILE_KEYS = ("table",)
_FILLED = "alternatives"


def fill_from_files(
    plan: dict[str, Any], open_table: OpenTable, problems: list[Problem]
) -> frozenset[str]:
    """Put in the alternatives of a table; return what stays empty because a file is wrong."""
    name, measures = plan.get("table"), _directions(plan.get("measures"))
    # Values of a wrong type are reported when the plan is read, so they fill nothing here.
    if not isinstance(name, str) or not name or not measures:
        return frozenset()
    try:
        made = criteria_table(open_table(name), criteria=measures)
    except HowgoodError as error:
        problems.append(_problem(error))
        return frozenset({_FILLED})
    plan[_FILLED] = [
        {"key": key, "scores": scores, **({"sds": sds} if any(sds) else {})}
        for key, scores, sds in zip(
            made.names, made.scores.tolist(), made.sds.tolist(), strict=True
        )
    ]
    return frozenset()


def _directions(measures: object) -> dict[str, str]:
    if not isinstance(measures, list | tuple):
        return {}
    given = [
        (each.get("key"), each.get("direction")) for each in measures if isinstance(each, Mapping)
    ]
    return {
        key: direction
        for key, direction in given
        if isinstance(key, str) and isinstance(direction, str)
    }


def _problem(error: HowgoodError) -> Problem:
    path = ("criteria", "table")
    if isinstance(error, InputError):
        found = f"{error.where}: {error.found}"
        return Problem(path=path, found=found, needed=error.needed, cure=error.cure)
    return Problem(path=path, found=str(error), needed="a readable table", cure="Save it as CSV.")
