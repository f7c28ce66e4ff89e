"""Whose answers enter a fit: the one rule, for stored studies and for files alike.

In: what is known of a person (a test run? finished? attention checks passed?) and a policy. Out:
why their answers are left out, or nothing. Absent: reading that from a database or a file.
"""

from collections.abc import Mapping
from typing import Literal

from howgood.errors import UnknownNameError

PeoplePolicy = Literal["attentive", "finished", "everyone"]
DEFAULT: PeoplePolicy = "attentive"
POLICIES: Mapping[str, str] = {
    "attentive": "everyone but those who failed attention checks",
    "finished": "only those who finished, without those who failed attention checks",
    "everyone": "everyone who gave any judgement, checks or no checks",
}
# Columns of a table of answers that the rule reads; howgood's exports have them.
PILOT_COLUMN, FINISHED_COLUMN, CHECKS_COLUMN = "pilot", "finished", "passed_checks"
EXCLUDED_COLUMN = "excluded"
FACTS = (PILOT_COLUMN, FINISHED_COLUMN, CHECKS_COLUMN, EXCLUDED_COLUMN)

PILOT = "test runs"
EXCLUDED = "excluded by hand"  # by a researcher, with a reason that the data hold
NO_ANSWERS = "gave no judgement"
INATTENTIVE = "failed an attention check"
CARELESS = "chose the clearly worse side at least twice"  # comparisons: known after replaying
# Likewise: nothing that was learned predicts their other answers.
LIKE_RANDOM = "chose in a way that can hardly be distinguished from random clicks"
UNFINISHED = "did not finish"


def why_left_out(
    policy: str,
    *,
    is_pilot: bool,
    is_finished: bool,
    passed_checks: bool | None,
    is_excluded: bool = False,
) -> str | None:
    """Return why a person's answers do not enter a fit, the plainest reason first; None: they do.

    `passed_checks` is None for people who saw no attention check. Test runs never count, nor whom
    a researcher excluded.

    Examples
    --------
    >>> why_left_out("attentive", is_pilot=False, is_finished=False, passed_checks=False)
    'failed an attention check'
    >>> why_left_out("everyone", is_pilot=False, is_finished=False, passed_checks=False) is None
    True
    """
    if policy not in POLICIES:
        raise UnknownNameError(where="people", name=policy, names=POLICIES)
    if is_pilot:
        return PILOT
    if is_excluded:
        return EXCLUDED
    if policy == "everyone":
        return None
    if policy == "finished" and not is_finished:
        return UNFINISHED
    return INATTENTIVE if passed_checks is False else None


def columns_read(policy: str) -> tuple[str, ...]:
    """Return the columns of a table that decide under a policy."""
    if policy not in POLICIES:
        raise UnknownNameError(where="people", name=policy, names=POLICIES)
    return {
        "attentive": (PILOT_COLUMN, EXCLUDED_COLUMN, CHECKS_COLUMN),
        "finished": (PILOT_COLUMN, EXCLUDED_COLUMN, CHECKS_COLUMN, FINISHED_COLUMN),
        "everyone": (PILOT_COLUMN, EXCLUDED_COLUMN),
    }[policy]
