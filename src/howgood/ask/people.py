"""The rule of whose answers count, applied to the rows of a table.

In: columns of answers, a policy. Out: which rows stay, and who is left out and why. Absent: the
rule itself (`records.inclusion`).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.inclusion import (
    CHECKS_COLUMN,
    FINISHED_COLUMN,
    PILOT_COLUMN,
    POLICIES,
    columns_read,
    why_left_out,
)
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which rows stay, how many people and rows do not, and the rule in words."""

    keep: NDArray[np.bool_]
    rule: str
    people_left_out: Mapping[str, int] = field(default_factory=dict)
    rows_left_out: Mapping[str, int] = field(default_factory=dict)


def choose_people(
    participant: NDArray[Any],
    facts: Mapping[str, FloatArray],
    *,
    policy: str,
    where: str,
) -> Chosen:
    """Return whose rows count; `facts` holds 1, 0 or NaN (not known) per row and known column."""
    if policy == "finished" and FINISHED_COLUMN not in facts:
        raise InputError(
            where=where,
            found=f"no column {FINISHED_COLUMN!r}",
            needed="to know who finished, for people='finished'",
            cure="Export the answers again with howgood export, or choose another policy.",
        )
    keep = np.ones(len(participant), dtype=bool)
    if not set(facts) & set(columns_read(policy)):
        said = "of attention checks or test runs" if policy != "everyone" else "of test runs"
        return Chosen(keep=keep, rule=f"everyone in the table, which says nothing {said}")
    people: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    _, person = np.unique(participant.astype(str), return_inverse=True)
    order = np.argsort(person, kind="stable")
    for mine in np.split(order, np.flatnonzero(np.diff(person[order])) + 1):
        reason = why_left_out(
            policy,
            is_pilot=_any_is(facts, PILOT_COLUMN, mine, 1.0),
            is_finished=_any_is(facts, FINISHED_COLUMN, mine, 1.0),
            passed_checks=not _any_is(facts, CHECKS_COLUMN, mine, 0.0),
        )
        if reason is not None:
            people[reason] += 1
            rows[reason] += len(mine)
            keep[mine] = False
    return Chosen(
        keep=keep, rule=POLICIES[policy], people_left_out=dict(people), rows_left_out=dict(rows)
    )


def _any_is(
    facts: Mapping[str, FloatArray], column: str, rows: NDArray[np.intp], value: float
) -> bool:
    return column in facts and bool((facts[column][rows] == value).any())
