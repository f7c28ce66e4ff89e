"""Who sees what: conditions of a study, and the next person's, kept in balance.

In: a study, how many are in each condition, a seed. Out: a condition, or None when all are full.
Absent: counting; the store counts and assigns in one transaction.
"""

from collections.abc import Mapping

from howgood.flow.participate.chance import shuffled
from howgood.flow.participate.survey import micro_conditions
from howgood.records.study import Study

EVERYBODY = "all"


def conditions(study: Study) -> tuple[str, ...]:
    """Return the conditions of a study: branches, single scenarios of a micro-task, or "all".

    Notes
    -----
    Stability: experimental
    """
    if study.survey is None:
        return (EVERYBODY,)
    if study.survey.micro_task:
        return micro_conditions(study.survey)
    return tuple(each.key for each in study.survey.branches) or (EVERYBODY,)


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
    limits = {each.key: each.quota for each in study.survey.branches} if study.survey else {}
    free = [
        each
        for each in conditions(study)
        if (limit := limits.get(each)) is None or counts.get(each, 0) < limit
    ]
    if not free:
        return None
    fewest = min(counts.get(each, 0) for each in free)
    return shuffled([each for each in free if counts.get(each, 0) == fewest], seed, "condition")[0]
