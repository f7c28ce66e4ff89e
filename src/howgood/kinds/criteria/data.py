"""Choices by criteria as rows, and what their columns mean.

In: a study of criteria and one person's participation. Out: one row per pair shown, facts about
the person with their weights, columns. Absent: many people together (`results`).
"""

from collections.abc import Iterator

from howgood.kinds import pair_choices
from howgood.kinds.criteria import screens
from howgood.kinds.criteria.plan import CriteriaPlan
from howgood.kinds.offline_pairs import is_offline
from howgood.kinds.pair_choices import Choice
from howgood.kinds.protocol import Row
from howgood.kinds.study import Study, plan_of
from howgood.records.codebook import PARTICIPANT, SECONDS, Column, columns
from howgood.records.elicitation import QUERY_KINDS, Query
from howgood.records.screen import Answer, Participation

# What the column of choices holds, by what a page sends.
EXPORTED = {"first": "left", "second": "right", "same": "same", pair_choices.UNDO: "undo"}
_CHOICE_LEVELS = {
    "left": "chooses the left option",
    "right": "chooses the right option",
    "same": "no preference",
    "undo": "took the choice before back",
}
_KIND_LEVELS = {str(kind): why for kind, why in QUERY_KINDS.items()}
_FACTS = columns(
    ("best", "text", "alternative with the least expected regret; empty: none is named"),
    ("best_probability", "number", "probability that it is the best for this person"),
    ("fits", "boolean", "whether weights describe this person; if not, do not use them"),
    ("agreement", "number", "percent of hidden pairs that the weights predict"),
    ("checks_wrong", "integer", "pairs with a plainly better side answered against it"),
)


def rows(study: Study, participation: Participation) -> Iterator[Row]:
    """Yield one row per pair shown, undone ones too: scores, sides, choice, kind and time."""
    answered = {answer.screen: answer for answer in participation.answers}
    offline = is_offline(answered)
    interview, choices = screens.begun(study, participation.seed, offline=offline), list[Choice]()
    for answer in pair_choices.compare_answers(answered):
        pair = interview.pair()
        given = answer.values.get(pair_choices.CHOICE)
        if not isinstance(given, str) or not (pair or answer.values.get(pair_choices.PAIR)):
            return
        yield _row(study, participation, answer, pair, number=len(choices) + 1)
        if given == pair_choices.UNDO:
            del choices[-1:]
            interview = screens.replayed(
                study, seed=participation.seed, choices=tuple(choices), offline=offline
            )
        else:
            choices.append(pair_choices.as_choice(given))
            interview.take(choices[-1])


def _row(
    study: Study, participation: Participation, answer: Answer, pair: Query | None, *, number: int
) -> Row:
    """Return one pair as it was shown; what kind it was comes from replaying the choices."""
    table = screens.table_of(study)
    replayed_text = screens.pair_text(pair, table) if pair else None
    shown = str(answer.values.get(pair_choices.PAIR) or replayed_text)
    sides = zip(("left", "right"), shown.split(" / "), strict=True)
    return {
        "participant": participation.participant,
        "screen": answer.screen,
        "number": number,
        "kind": pair.kind if pair and shown == replayed_text else None,
        **{
            f"{side}_{criterion.name}": float(score)
            for side, scores in sides
            for criterion, score in zip(table.criteria, scores.split(), strict=True)
        },
        "choice": EXPORTED[str(answer.values[pair_choices.CHOICE])],
        "seconds": answer.seconds,
    }


def answer_columns(study: Study) -> tuple[Column, ...]:
    """Return the columns of a pair."""
    measures = plan_of(study, CriteriaPlan).measures
    return columns(
        PARTICIPANT,
        ("screen", "text", "name of the page"),
        ("number", "integer", "number of the pair; a pair that was undone is asked again"),
        ("kind", "text", "why this pair was asked; empty: not known", _KIND_LEVELS),
        *(
            (f"{side}_{measure.key}", "number", f"{measure.text}, {side}")
            for side in ("left", "right")
            for measure in measures
        ),
        ("choice", "text", "what was chosen", _CHOICE_LEVELS),
        SECONDS,
    )


def person_facts(study: Study, participation: Participation) -> Row:
    """Return what the choices say: weights, the best alternative, and how far to trust it."""
    answered = {answer.screen: answer for answer in participation.answers}
    if not pair_choices.standing_answers(answered):
        return {}
    result = screens.heard(study, participation).elicitor.result()
    facts: Row = {}
    for name, weight in result.weights.items():
        facts |= {
            f"weight_{name}": weight.mean,
            f"weight_{name}_lower": weight.interval.lower,
            f"weight_{name}_upper": weight.interval.upper,
        }
    return facts | {
        "best": result.best,
        "best_probability": None if result.best is None else result.best_probability[result.best],
        "fits": result.fits,
        "agreement": result.agreement.percent if result.agreement else None,
        "checks_wrong": result.checks.catch_wrong,
    }


def person_columns(study: Study) -> tuple[Column, ...]:
    """Return the columns of `person_facts`."""
    return (
        *(
            column
            for measure in plan_of(study, CriteriaPlan).measures
            for column in columns(
                (f"weight_{measure.key}", "number", f"weight of {measure.text}, from 0 to 1"),
                (f"weight_{measure.key}_lower", "number", "lower end of its 90 % interval"),
                (f"weight_{measure.key}_upper", "number", "upper end of its 90 % interval"),
            )
        ),
        *_FACTS,
    )
