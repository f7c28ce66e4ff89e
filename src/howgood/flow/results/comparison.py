"""The result of a comparison: each person's metric, the group's, and how well it predicts.

In: who was gathered. Out: `StudyResult` with draws of the group's mean weight. Absent: the search
(`learn`), the pictures (`show`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howgood import learn
from howgood.errors import InputError
from howgood.flow.participate import comparison
from howgood.flow.participate.cards import wording_of
from howgood.flow.participate.interview import Interview, replayed
from howgood.flow.results.nothing import not_enough
from howgood.flow.results.people import Gathered, Taken
from howgood.learn.elicitation.group import group_agreement, group_mean, spread_between
from howgood.records.confusion import Range
from howgood.records.elicitation import Agreement, ElicitationResult
from howgood.records.estimate import Estimate, Interval
from howgood.records.inclusion import CARELESS, POLICIES
from howgood.records.progress import Progress
from howgood.records.provenance import Provenance
from howgood.records.report import Report
from howgood.records.result import StudyResult
from howgood.records.study import Study
from howgood.show.group import GroupWeight, PersonWeight, group_findings, group_sections
from howgood.show.people import people_text
from howgood.show.results import whole_report

_QUESTION = "How much worse is a miss than a false alarm, to each person and to the group?"
_CURE = "Let more people compare; about a dozen show how much people differ."
_LEAST_PAIRS = 3
_KEPT_DRAWS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """One person's weight, as told and as draws."""

    told: PersonWeight
    a0: Estimate


def comparison_result(
    gathered: Gathered, study: Study, settings: Mapping[str, Any], *, held: int, progress: Progress
) -> StudyResult:
    """Replay every person's choices and return what they say, one by one and together."""
    heard, left_out = _hear(gathered, progress)
    if not heard:
        why = (
            "Nobody has compared enough pairs yet."
            if gathered.taken
            else "Nobody has answered yet."
        )
        return not_enough(gathered, question=_QUESTION, why=why, cure=_CURE, held=held)
    progress(0.9, "drawing the pictures")
    seed = int(settings.get("seed", 1))
    group = _group(heard, seed)
    people = [each.told for each in heard]
    report = Report(
        title=study.title,
        question=_QUESTION,
        findings=group_findings(people, group, wording_of(study)),
        sections=group_sections(people, group),
        methods=_METHODS,
        provenance=Provenance(
            method="each person's choices replayed; widened Bayesian bootstrap over people",
            seed=seed,
            rows_used=sum(each.pairs for each in people),
        ),
        cautions=_CAUTIONS,
    )
    return StudyResult(
        report=whole_report(
            report,
            title=study.title,
            first=(),
            left_out=left_out,
            policy=POLICIES[gathered.policy],
        ),
        summary=people_text(len(heard), gathered.n_rows),
        people=len(heard),
        answers=held,
        left_out=left_out,
        weight_draws=group.a0.draws[:: max(1, group.a0.draws.size // _KEPT_DRAWS)],
    )


def _hear(gathered: Gathered, progress: Progress) -> tuple[list[_Heard], dict[str, int]]:
    heard, left_out = [], dict(gathered.left_out)
    for place, person in enumerate(gathered.taken):
        progress(0.9 * place / len(gathered.taken), f"person {place + 1}")
        found = _person(person)
        if found is None:
            left_out[_TOO_FEW] = left_out.get(_TOO_FEW, 0) + 1
        elif found[1] and gathered.policy != "everyone":
            left_out[CARELESS] = left_out.get(CARELESS, 0) + 1
        else:
            heard.append(found[0])
    return heard, left_out


_TOO_FEW = f"judged fewer than {_LEAST_PAIRS} pairs"


def _person(person: Taken) -> tuple[_Heard, bool] | None:
    """Return what one person's choices say and whether they look careless; None: too few."""
    answered = {each.screen: each for each in person.participation.answers}
    choices = comparison.choices_so_far(answered)
    if len(choices) < _LEAST_PAIRS:
        return None
    interview = replayed(
        person.study,
        seed=person.participation.seed,
        ratio=comparison.direct_ratio(answered, comparison.BEFORE),
        choices=choices,
    )
    result = interview.result()
    if isinstance(result, ElicitationResult):
        a0 = result.a0 or _point(0.5)
        ends: Interval | Range = a0.interval
        kind = max(result.families, key=lambda name: result.families[name])
        agreement, is_careless = result.agreement, result.checks.looks_careless
    else:
        # A bisection has no model of error: its last bracket is taken as evenly likely.
        ends = result.interval
        a0 = Estimate.from_draws(
            np.linspace(ends.lower, ends.upper, 101), probability=0.9, kind="quantile"
        )
        kind, agreement, is_careless = "linear", _bisection_agreement(interview), False
    told = PersonWeight(
        name=person.participation.participant,
        a0=a0.mean,
        lower=ends.lower,
        upper=ends.upper,
        is_bracket=not isinstance(result, ElicitationResult),
        kind={"f_beta": "F-beta", "cap": "a cap on misses"}.get(kind, kind),
        pairs=len(choices),
        agreement=agreement,
    )
    return _Heard(told=told, a0=a0), is_careless


def _bisection_agreement(interview: Interview) -> Agreement | None:
    held_out = [each for each in interview.answered if each.query.kind == "held-out"]
    try:
        return learn.agreement(interview.result().metric, held_out)
    except InputError:  # nobody was asked, or nobody preferred a side
        return None


def _point(value: float) -> Estimate:
    return Estimate.from_draws(np.full(101, value), probability=0.9, kind="quantile")


def _group(heard: list[_Heard], seed: int) -> GroupWeight:
    weights = [each.a0 for each in heard]
    kept_back = [each.told.agreement for each in heard if each.told.agreement is not None]
    return GroupWeight(
        a0=group_mean(weights, random_state=seed),
        spread=spread_between(weights),
        agreement=group_agreement(kept_back, random_state=seed) if kept_back else None,
    )


_METHODS = (
    "Each person's choices were replayed through the search that asked them: for the mixture, "
    "sensitivity, lapses and the width of indifference were unknown and averaged over, and a0 is "
    "the weight of a correct negative if the metric is linear; for the bisection, its last "
    "bracket. The group's mean is over people like those asked: the Bayesian bootstrap, "
    "widened for their number (of one person alone, that person's posterior). M is the share of "
    "held-out pairs in which a person's metric picks the side that person picked (Ali et al. "
    "2022); the group's is the mean of people's shares as counted, and its interval is over people "
    "too, but never narrower than so few questions would make it."
)
_CAUTIONS = (
    "The mean hides people: look at the spread before one weight is used for everybody.",
    "Agreement on held-out pairs is easy to reach; read it beside its baselines.",
)
