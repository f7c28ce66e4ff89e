"""A comparison as one page without a server: its screens, and what the page needs to choose pairs.

In: a comparison. Out: `OfflineTask`. Absent: formats and the page itself (`flow.survey_export`).

The bisection runs as it is: every state it can reach lies in the page. The mixture needs a
posterior, so the page asks by a plan instead (`kinds.offline_pairs`).
"""

from collections.abc import Iterator
from typing import Any

from howgood import learn
from howgood.errors import InputError
from howgood.kinds.comparison import screens
from howgood.kinds.comparison.interview import Interview, Pair, matrices_of, most_pairs
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.comparison.pool import bank_of, pool_of
from howgood.kinds.comparison.practice import offline_practice, practice_steps
from howgood.kinds.offline_pairs import as_outline, seat_seeds
from howgood.kinds.pair_choices import Choice
from howgood.kinds.screen_parts import Step
from howgood.kinds.study import Study, plan_of
from howgood.kinds.task_export import OfflineTask
from howgood.records.confusion import ConfusionMatrix

_MOST_STATES, _BISECTION_SEATS = 12_000, 12
_ANSWERS: tuple[Choice, ...] = ("first", "second", "same")
# Two matrices by number, as the pool and the page know them.
Numbered = dict[tuple[ConfusionMatrix, ConfusionMatrix], int]


def offline_task(study: Study) -> OfflineTask:
    """Return every screen of a comparison, and how the page chooses its pairs."""
    plan = plan_of(study, ComparisonPlan)
    shown, asks = _bisection(study, plan) if plan.algorithm == "bisection" else _mixture(study)
    steps = {step.key: step for step in _around(study, plan)}
    for number, (one, other) in enumerate(shown):
        for name, left, right in (
            (f"pair-{number}-0", one, other),
            (f"pair-{number}-1", other, one),
        ):
            pair = Pair(left=left, right=right, kind="choice")
            steps[name] = screens.pair_step(study, plan, pair, 1, may_undo=True)
    before = [step.key for step in _before(study, plan)]
    after = [step.key for step in _after(study, plan)]
    return OfflineTask(
        outline={
            "walk": "pairs",
            "before": ["task"],
            "practice": offline_practice(study) if plan.practice else None,
            "then": before,
            "after": after,
            **asks,
        },
        steps=steps,
    )


def _around(study: Study, plan: ComparisonPlan) -> Iterator[Step]:
    yield screens.task_step(study, plan)
    if plan.practice:
        yield from practice_steps(study, {})
    yield from _before(study, plan)
    yield from _after(study, plan)


def _before(study: Study, plan: ComparisonPlan) -> Iterator[Step]:
    if plan.direct in ("both", "before"):
        yield screens.direct_step(study, screens.BEFORE, ())


def _after(study: Study, plan: ComparisonPlan) -> Iterator[Step]:
    if plan.direct in ("both", "after"):
        yield screens.direct_step(study, screens.AFTER, ())
    if plan.interview:
        yield screens.interview_step(plan, study.language)


Shown = list[tuple[ConfusionMatrix, ConfusionMatrix]]


def _mixture(study: Study) -> tuple[Shown, dict[str, Any]]:
    plan, matrices = plan_of(study, ComparisonPlan), matrices_of(study)
    pool, bank = pool_of(matrices, plan.evaluation), bank_of(matrices)
    shown = [(bank.matrices[one], bank.matrices[other]) for one, other in pool.pairs]
    return shown, as_outline(pool, queries=plan.queries, checks=plan.checks, repeats=plan.repeats)


def _bisection(study: Study, plan: ComparisonPlan) -> tuple[Shown, dict[str, Any]]:
    """Return the pairs of every state that Algorithm 1 can reach, and of the end, per seat."""
    numbered: Numbered = {}
    graph = _graph(study, plan, numbered)
    seats = []
    for seed in seat_seeds(_BISECTION_SEATS):
        kept = Interview(study, seed=seed, ratio=None).kept_back
        after = [numbered.setdefault((query.first, query.second), len(numbered)) for query in kept]
        seats.append({"seed": seed, "after": after})
    return list(numbered), {"graph": graph, "seats": seats, "most": most_pairs(plan)}


def _graph(study: Study, plan: ComparisonPlan, numbered: Numbered) -> list[list[int]]:
    """Return the states: a pair each, and the state after each answer; -1 where it ends."""

    def search(choices: tuple[Choice, ...]) -> learn.Bisection:
        begun = Interview(study, seed=0, ratio=None).search
        if not isinstance(begun, learn.Bisection):
            raise TypeError("not a bisection")
        for choice in choices:
            begun.answer(choice)
        return begun

    paths: list[tuple[Choice, ...]] = [()]
    places, graph = {search(()).state: 0}, list[list[int]]()
    for path in paths:
        query = search(path).query()
        if query is None:
            graph.append([-1, -1, -1, -1])
            continue
        row = [numbered.setdefault((query.first, query.second), len(numbered))]
        for choice in _ANSWERS:
            state = search((*path, choice)).state
            if state not in places:
                places[state] = len(paths)
                paths.append((*path, choice))
            row.append(places[state])
        graph.append(row)
        _check_size(study, plan, len(paths))
    return graph


def _check_size(study: Study, plan: ComparisonPlan, n_states: int) -> None:
    if n_states > _MOST_STATES:
        raise InputError(
            where=f"study {study.slug!r}, comparison.tolerance",
            found=f"{plan.tolerance:g}: more than {_MOST_STATES:,} states of the bisection",
            needed="a page that people can open",
            cure="Use a tolerance of 0.02 or more, or run it with howgood serve.",
        )
