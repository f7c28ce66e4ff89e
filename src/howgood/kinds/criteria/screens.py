"""Choose between two alternatives, again and again: an introduction, then pairs.

In: study, seed, answers. Out: the steps of the task, and the interview they come from; every screen
of a page without a server. Absent: how the next pair is chosen (`learn`, and `pool` where no server
is), and how an alternative looks (`show.criteria_card`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from howgood.ask.sentences import sentence
from howgood.kinds.criteria.plan import CriteriaPlan
from howgood.kinds.offline_pairs import as_outline, is_offline
from howgood.kinds.pair_choices import (
    CHOICE,
    PAIR,
    UNDO,
    Choice,
    Interviews,
    choices_over_time,
    choices_so_far,
    compare_answers,
    pair_key,
    pair_steps,
    replay,
)
from howgood.kinds.screen_parts import Step, introduction, paragraphs, unreached, words
from howgood.kinds.study import Study, plan_of
from howgood.kinds.task_export import OfflineTask
from howgood.learn.elicitation.further import MOST_TESTED_OF_WEIGHTS, most_further
from howgood.records.criteria import Alternative, CriteriaTable
from howgood.records.elicitation import Query
from howgood.records.screen import (
    Answer,
    Button,
    Card,
    Cards,
    Drawing,
    Field,
    Participation,
    Screen,
)
from howgood.show.criteria_card import criteria_card, described, same_for_both, trade_off

if TYPE_CHECKING:
    from howgood.learn.elicitation.criteria import CriteriaElicitor

_LARGEST_SEED = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """One participant's interview about a study's alternatives."""

    elicitor: "CriteriaElicitor"

    def pair(self) -> Query | None:
        """Return the pair to show, or None when all is asked."""
        return self.elicitor.query()

    def take(self, choice: Choice) -> None:
        """Take the choice between left ("first") and right ("second"), or "same"."""
        if self.elicitor.query() is not None:
            self.elicitor.answer(choice)

    def closing(self) -> tuple[int, float] | None:
        """Return how many of the last pairs are answered, and how far they are, once known."""
        return self.elicitor.closing()


_INTERVIEWS: Interviews[Query] = Interviews()


@lru_cache(maxsize=64)
def table_of(study: Study) -> CriteriaTable:
    """Return the study's alternatives as `learn` knows them."""
    return plan_of(study, CriteriaPlan).as_table()


def begun(study: Study, seed: int, *, offline: bool = False) -> Interview:
    """Return a participant's interview before the first pair."""
    from howgood.learn.elicitation.criteria import CriteriaElicitor  # loads SciPy

    plan = plan_of(study, CriteriaPlan)
    elicitor = CriteriaElicitor(
        table_of(study),
        criteria={},
        random_state=seed % _LARGEST_SEED,
        max_queries=plan.queries,
        catch_pairs=plan.checks,
        held_out=plan.evaluation,
        imagined=plan.imagined,
        until=plan.until,
    )
    if offline:
        from howgood.kinds.criteria.pool import plan_to_follow  # loads SciPy

        elicitor.follow(plan_to_follow(table_of(study), plan, seed))
    return Interview(elicitor=elicitor)


def replayed(
    study: Study, *, seed: int, choices: tuple[Choice, ...], offline: bool = False
) -> Interview:
    """Return the interview after these choices, made from nothing."""
    interview = begun(study, seed, offline=offline)
    for choice in choices:
        interview.take(choice)
    return interview


def heard(study: Study, participation: Participation) -> Interview:
    """Return a person's interview after the choices that this version would have asked for."""
    answered = {answer.screen: answer for answer in participation.answers}
    interview = begun(study, participation.seed, offline=is_offline(answered))
    replay(interview, answered, partial(pair_text, table=table_of(study)))
    return interview


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> list[Step]:
    """Return the steps: what it is about, then as many pairs as are still possible."""
    plan = plan_of(study, CriteriaPlan)
    first, most = introduction(study, plan.task), most_pairs(plan)
    if first.key not in answered:
        return [first, unreached("pairs ahead", advance=most)]
    offline = is_offline(answered)
    pair, at = _INTERVIEWS.next_pair(
        (study.version, seed, offline),
        choices_over_time(answered),
        lambda: begun(study, seed, offline=offline),
        most=most,
    )
    shown = None
    if pair is not None:
        number = len(compare_answers(answered)) + 1
        shown = pair_step(study, plan, pair, number, may_undo=bool(choices_so_far(answered)))
    return [first, *pair_steps(shown, answered, at=at, most=most)]


def most_pairs(plan: CriteriaPlan) -> int:
    """Return how many pairs a participant sees at most."""
    further = most_further(plan.evaluation, most=MOST_TESTED_OF_WEIGHTS)
    return plan.queries + plan.checks + plan.evaluation + further


def shows_pair(screen: Screen) -> bool:
    """Return whether a screen asks about a pair."""
    return any(field.name == PAIR for field in screen.fields)


def pair_text(pair: Query, table: CriteriaTable) -> str:
    """Return the scores as shown, left and right; kept with the answer as what was judged."""
    return " / ".join(
        " ".join(f"{side.values[criterion.name]:.12g}" for criterion in table.criteria)
        for side in (pair.first, pair.second)
    )


def pair_step(
    study: Study, plan: CriteriaPlan, pair: Query, number: int, *, may_undo: bool
) -> Step:
    """Return the page of a pair."""
    language, key, table = study.language, pair_key(number), table_of(study)

    def make() -> Screen:
        same = sentence(language, "no_preference")
        buttons = [Button(label=same, name=CHOICE, value="same", main=False, key="0")]
        if may_undo:
            undo = sentence(language, "undo")
            buttons.append(Button(label=undo, name=CHOICE, value=UNDO, main=False, key="u"))
        alike = same_for_both(pair.first, pair.second, table, language=language)
        return Screen(
            key=key,
            kind="task",
            title=plan.question,
            language=language,
            blocks=(_cards(pair, table, language), *paragraphs(alike)),
            fields=(Field(name=PAIR, kind="hidden", label="", value=pair_text(pair, table)),),
            buttons=tuple(buttons),
        )

    return Step(key=key, make=make)


def _cards(pair: Query, table: CriteriaTable, language: str) -> Cards:
    def card(name: str, value: str, key: str, one: Alternative, other: Alternative) -> Card:
        return Card(
            title=sentence(language, "option_title", name=name),
            drawing=Drawing(
                svg=criteria_card(one, other, table, name=name, language=language),
                alternative=described(one, other, table, name=name, language=language),
            ),
            button=Button(
                label=sentence(language, "prefer_this"), name=CHOICE, value=value, key=key
            ),
        )

    return Cards(
        cards=(
            card("A", "first", "1", pair.first, pair.second),
            card("B", "second", "2", pair.second, pair.first),
        ),
        between=words(trade_off(pair.first, pair.second, table, language=language)),
    )


def offline_task(study: Study) -> OfflineTask:
    """Return every screen, and the plans that the page follows."""
    from howgood.kinds.criteria.pool import bank_of, pool_of  # loads SciPy

    plan, table = plan_of(study, CriteriaPlan), table_of(study)
    pool = pool_of(table, plan.imagined, plan.evaluation)
    bank = bank_of(table, plan.imagined)
    first = introduction(study, plan.task)
    steps = {first.key: first}
    for number, (one, other) in enumerate(pool.pairs):
        for swapped, (left, right) in enumerate(((one, other), (other, one))):
            query = Query(first=bank.alternatives[left], second=bank.alternatives[right], number=1)
            steps[f"pair-{number}-{swapped}"] = pair_step(study, plan, query, 1, may_undo=True)
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
