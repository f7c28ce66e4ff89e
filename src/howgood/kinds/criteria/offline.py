"""A study of criteria as one page without a server: its screens and the plans of its pairs.

In: a study of criteria. Out: `OfflineTask`. Absent: the pairs (`pool`), the page itself
(`flow.survey_export`).
"""

from howgood.kinds.criteria import screens
from howgood.kinds.criteria.plan import CriteriaPlan
from howgood.kinds.criteria.pool import bank_of, pool_of
from howgood.kinds.offline_pairs import as_outline
from howgood.kinds.screen_parts import introduction
from howgood.kinds.study import Study, plan_of
from howgood.kinds.task_export import OfflineTask
from howgood.records.elicitation import Query


def offline_task(study: Study) -> OfflineTask:
    """Return every screen, and the plans that the page follows."""
    plan, table = plan_of(study, CriteriaPlan), screens.table_of(study)
    pool, bank = (
        pool_of(table, plan.imagined, plan.evaluation),
        bank_of(table, plan.imagined),
    )
    first = introduction(study, plan.task)
    steps = {first.key: first}
    for number, (one, other) in enumerate(pool.pairs):
        for swapped, (left, right) in enumerate(((one, other), (other, one))):
            query = Query(first=bank.alternatives[left], second=bank.alternatives[right], number=1)
            steps[f"pair-{number}-{swapped}"] = screens.pair_step(
                study, plan, query, 1, may_undo=True
            )
    return OfflineTask(
        outline={
            "walk": "pairs",
            "before": [first.key],
            "practice": None,
            "then": [],
            "after": [],
            **as_outline(pool, queries=plan.queries, checks=plan.checks, repeats=0),
        },
        steps=steps,
    )
