"""Who sees what: conditions of a study, and the next person's, kept in balance.

In: a study, how many are in each condition, a seed. Out: a condition, or None when all are full.
Absent: counting; the store counts and assigns in one transaction.
"""

from collections.abc import Mapping

from howgood.kinds import kind_of
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Study


def conditions(study: Study) -> tuple[str, ...]:
    """Return the conditions of a study: branches, single scenarios of a micro-task, or "all".

    Notes
    -----
    Stability: experimental
    """
    return kind_of(study).conditions(study)


def has_quota(study: Study) -> bool:
    """Return whether a study may become full, wholly or in one of its conditions."""
    quotas = kind_of(study).quotas(study).values()
    return study.quota is not None or any(quota is not None for quota in quotas)


def choose_condition(study: Study, counts: Mapping[str, int], seed: int) -> str | None:
    """Return the condition for the next participant: one of those with the fewest people.

    Parameters
    ----------
    study : Study
    counts : mapping of condition to number of people
        Everybody who holds a place: finished or still taking part. Missing means none.
    seed : int
        The participant's own number; decides between equals.

    Returns
    -------
    str or None
        None when every branch has reached its quota.

    Notes
    -----
    Stability: experimental
    """
    quotas = kind_of(study).quotas(study)
    free = [
        condition
        for condition in conditions(study)
        if (quota := quotas.get(condition)) is None or counts.get(condition, 0) < quota
    ]
    if not free:
        return None
    fewest = min(counts.get(condition, 0) for condition in free)
    equals = [condition for condition in free if counts.get(condition, 0) == fewest]
    return shuffled(equals, seed, "condition")[0]
