"""The demo in the browser: one study of each kind, answered by synthetic people.

In: a database. Out: studies with answers, for demonstrations and tests. Absent: real people.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from scipy.special import expit
from sqlalchemy.engine import Connection

from howgood.demo.walkthrough import save_table
from howgood.flow import hosting
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host, tokens
from howgood.flow.participate import choose_condition, fill, take_part
from howgood.flow.participate.bot import Filler
from howgood.flow.results.requests import ask_fit
from howgood.flow.study_files import read_study
from howgood.flow.study_files.new import new_study
from howgood.kinds.criteria import screens as criteria
from howgood.kinds.failures import screens as failures
from howgood.kinds.failures.plan import FailuresPlan
from howgood.kinds.pair_choices import CHOICE, PAIR
from howgood.kinds.rerating.plan import ReratingPlan
from howgood.kinds.rerating.screens import RATING
from howgood.kinds.seeded import draw
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey import screens as survey
from howgood.kinds.survey.plan import SurveyPlan
from howgood.kinds.votes.next_pair import Pair
from howgood.kinds.votes.plan import VotesPlan
from howgood.records.participant import Status
from howgood.records.progress import Progress, silent
from howgood.records.screen import Participation, Screen
from howgood.records.table import Table
from howgood.store import answers, participants
from howgood.store.participants import NewParticipant

Form = dict[str, str | list[str]]
_BETWEEN = timedelta(minutes=7)
_ON_PHONES = 0.6
# Kinds whose synthetic people are written; a kind without them is not in the demo.
PEOPLE = {"survey": 25, "comparison": 12, "rerating": 12, "criteria": 12, "votes": 12}
_ACTOR = "demo"
# Of the first survey, so many more do not read what they answer.
CARELESS = 3


def add_people(
    host: Host, slug: str, *, people: int, seed: int, now: datetime, careless: int = 0
) -> None:
    """Let this many synthetic people take part, one after another, ending by `now`.

    The first `careless` of them do not read: they take turns in giving the same answer to
    everything, answering at random, and hurrying.
    """
    row = find_study(host, slug)
    study = host.study(row.version)
    counts: dict[str, int] = {}
    for number in range(people):
        own = seed * 1000 + number
        condition = choose_condition(study, counts, own) or ""
        counts[condition] = counts.get(condition, 0) + 1
        manner = _MANNERS[number % len(_MANNERS)] if number < careless else "careful"
        screens, taken = take_part(
            study,
            seed=own,
            now=now - _BETWEEN * (people - number) - timedelta(hours=1),
            condition=condition,
            filler=_filler(study, condition, own, manner),
        )
        new = NewParticipant(
            study=row.number,
            version=row.version,
            token_digest=tokens.digest(tokens.fresh_token()),
            seed=own,
            status=Status.ACTIVE,
            origin={},
        )
        _store(host, new, screens, taken, is_hurried=manner == "hurried")


def _store(
    host: Host,
    new: NewParticipant,
    screens: tuple[Screen, ...],
    taken: Participation,
    *,
    is_hurried: bool,
) -> None:
    pace = math.exp(0.35 * _normal(new.seed, "pace"))
    answered, late = {}, timedelta()
    for answer in taken.answers:
        if is_hurried:
            begun = taken.answers[0].at
            late += timedelta(seconds=0.8 + 1.2 * draw(new.seed, answer.screen, "s"))
            answered[answer.screen] = answer._replace(at=begun + late)
            continue
        late += timedelta(seconds=6 * pace * math.exp(0.5 * _normal(new.seed, answer.screen, "s")))
        answered[answer.screen] = answer._replace(at=answer.at + late)
    first, last = taken.answers[0].at, answered[taken.answers[-1].screen].at

    def store(connection: Connection) -> None:
        number = participants.add(connection, new, now=first)
        device = "phone" if draw(new.seed, "device") < _ON_PHONES else "computer"
        condition = taken.condition or ""
        participants.admit(connection, number, condition=condition, now=first, device=device)
        given = answered
        shown = first - timedelta(seconds=5)
        for position, screen in enumerate(screens, start=1):
            answers.add_screen(connection, number, screen.key, screen, position=position, now=shown)
            answer = given.get(screen.key)
            if answer is not None:
                answers.add_answer(connection, number, screen.key, answer.values, now=answer.at)
                shown = answer.at
        participants.set_status(connection, number, Status.COMPLETE, finished_at=last)

    host.database.write(store)


_MANNERS = ("same", "random", "hurried")


def _filler(study: Study, condition: str, seed: int, manner: str) -> Filler:
    rules: dict[str, Callable[[], Callable[[Screen, Form], Mapping[str, str]]]] = {
        "survey": lambda: _judging(study, condition, seed),
        "comparison": lambda: _choosing(seed),
        "rerating": lambda: _rating(seed),
        "criteria": lambda: _weighing(study, seed),
        "votes": lambda: _voting(study, seed),
        "failures": lambda: _minding(study, seed),
    }
    rule = rules[study.kind]()

    def filled(screen: Screen) -> Form:
        form = fill(screen, seed=seed)
        given = rule(screen, form)
        if manner == "same":
            rated = (field for field in screen.fields if field.name in given and field.options)
            return {**form, **{field.name: field.options[-2].value for field in rated}}
        return form if manner == "random" else {**form, **given}

    return filled


def _judging(
    study: Study, condition: str, seed: int
) -> Callable[[Screen, Form], Mapping[str, str]]:
    """Judge a scenario by the weighted geometric mean of its precision and recall.

    Who accepts (rates above the middle) follows the model of `learn.fit_acceptability` exactly.
    """
    plan = plan_of(study, SurveyPlan)
    shown = {page.key: page for page in survey.pages(plan, condition, seed)}
    items = [survey_item.key for survey_item in survey.survey_items(plan, study.language)]
    points = len(plan.scale) or 7
    leniency = _normal(seed, "leniency")
    above = points - points // 2  # ratings beyond this one accept
    middle = math.log(above / (points - above))
    alphas = {
        application.key: 0.3 + 0.35 * place / max(1, len(plan.applications) - 1)
        for place, application in enumerate(plan.applications)
    }

    def answer(screen: Screen, form: Form) -> Mapping[str, str]:
        page = shown.get(screen.key)
        if page is None:
            return {}
        alpha = alphas[page.application.key]
        mean = page.scenario.precision**alpha * page.scenario.recall ** (1 - alpha)
        wanted = {}
        for item in items:
            chance = draw(seed, screen.key, item, "chance")
            noise = math.log(max(chance, 1e-12) / (1 - chance))
            value = 16 * mean - 12.5 + 1.5 * leniency + noise
            share = 1 / (1 + math.exp(-value / 2 - middle))
            wanted[item] = str(1 + min(points - 1, int(points * share)))
        if page.check is not None:
            wanted[survey.check_name(page.check)] = str(page.check.answer)
        return wanted

    return answer


def _choosing(seed: int) -> Callable[[Screen, Form], Mapping[str, str]]:
    """Choose the side that costs less; one miss is worth a few false alarms, more to some."""
    worth = math.exp(1.4 + 0.5 * _normal(seed, "worth"))

    def answer(screen: Screen, form: Form) -> Mapping[str, str]:
        pair = next((field.value for field in screen.fields if field.name == PAIR), "")
        if not isinstance(pair, str) or " / " not in pair:
            return {"ratio": f"{worth:.1f}"} if "ratio" in form else {}
        costs = [_cost(side, worth) for side in pair.split(" / ")]
        noise = 1.5 * _normal(seed, screen.key)
        return {CHOICE: "first" if costs[0] + noise < costs[1] else "second"}

    return answer


def _cost(side: str, worth: float) -> float:
    _, misses, alarms, _ = (float(count) for count in side.split())
    return worth * misses + alarms


def _weighing(study: Study, seed: int) -> Callable[[Screen, Form], Mapping[str, str]]:
    """Choose the side that is better by this person's own weights, with some noise."""
    table = criteria.table_of(study)
    weights = np.exp([_normal(seed, criterion.name) for criterion in table.criteria])
    weights = weights / weights.sum()

    def answer(screen: Screen, form: Form) -> Mapping[str, str]:
        if not criteria.shows_pair(screen):
            return {}
        pair = next(field.value for field in screen.fields if field.name == PAIR)
        sides = np.array([[float(score) for score in side.split()] for side in pair.split(" / ")])
        values = table.features(sides) @ weights
        noise = 0.03 * _normal(seed, screen.key)
        return {CHOICE: "first" if values[0] + noise > values[1] else "second"}

    return answer


def _voting(study: Study, seed: int) -> Callable[[Screen, Form], Mapping[str, str]]:
    """Vote for what is longer on the whole; systems are better or worse by themselves too."""
    plan = plan_of(study, VotesPlan)

    def answer(screen: Screen, form: Form) -> Mapping[str, str]:
        text = next((field.value for field in screen.fields if field.name == PAIR), "")
        if not text:
            return {}
        pair = Pair.from_text(text)
        left, right = (
            math.log(1 + len(plan.output_of[pair.prompt, system].text)) + _normal(0, system)
            for system in (pair.left, pair.right)
        )
        gap = left - right + 0.8 * _normal(seed, screen.key)
        return {CHOICE: "tie" if abs(gap) < 0.25 else "left" if gap > 0 else "right"}

    return answer


def _minding(study: Study, seed: int) -> Callable[[Screen, Form], Mapping[str, str]]:
    """Rate a system lower the more often it fails; every kind weighs more than the one before."""
    plan = plan_of(study, FailuresPlan)
    points = len(failures.scale_of(study, plan))

    def answer(screen: Screen, form: Form) -> Mapping[str, str]:
        shown = failures.counts_of(plan, screen.key)
        if shown is None:
            return {}
        cost = sum(
            (1 + place) * shown.counts[kind.key] / shown.out_of
            for place, kind in enumerate(plan.kinds)
        )
        value = points * (1 - 2 * cost) + _normal(seed, "leniency") + _normal(seed, screen.key)
        return {failures.RATING: str(min(points, max(1, round(value))))}

    return answer


def _rating(seed: int) -> Callable[[Screen, Form], Mapping[str, str]]:
    """Rate an item by how good it is to this person, with noise in every round."""

    def answer(screen: Screen, form: Form) -> Mapping[str, str]:
        if RATING not in form:
            return {}
        points = next(len(field.options) for field in screen.fields if field.name == RATING)
        item = screen.key.split("-", 2)[-1]
        middle = (points + 1) / 2
        value = middle + 1.1 * _normal(0, item) + 0.7 * _normal(seed, item)
        value += 0.6 * _normal(seed, screen.key)
        return {RATING: str(min(points, max(1, round(value))))}

    return answer


def _normal(seed: int, *purpose: object) -> float:
    """Return a standard normal number that depends on nothing but seed and purpose."""
    first, second = draw(seed, *purpose, "radius"), draw(seed, *purpose, "angle")
    return math.sqrt(-2 * math.log(1 - first)) * math.cos(2 * math.pi * second)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoHost:
    """A database that is ready to be looked at, and what may be uploaded to it."""

    host: hosting.Host
    database: str
    studies: tuple[Study, ...]
    uploads: tuple[Path, ...]


def load_demo(
    folder: Path, *, seed: int = 85, now: datetime, progress: Progress = silent
) -> DemoHost:
    """Make a database in the folder with a study of each kind, answered, and a fit queued."""
    database = str(folder / "demo.sqlite")
    host = hosting.open_host(database)
    studies = []
    for place, (kind, people) in enumerate(PEOPLE.items()):
        progress(place / len(PEOPLE), f"{people} synthetic people answer a {kind}")
        study = read_study(new_study(kind, folder / f"{kind}.toml"))
        hosting.add_study(host, study, folder=folder, now=now)
        careless = 0 if place else CARELESS
        add_people(
            host, study.slug, people=people + careless, seed=seed, now=now, careless=careless
        )
        ask_fit(host, study.slug, {}, actor=_ACTOR, now=now)
        studies.append(study)
    progress(1.0, "done")
    return DemoHost(
        host=host, database=database, studies=tuple(studies), uploads=_tables(folder, studies, seed)
    )


def _tables(folder: Path, studies: list[Study], seed: int) -> tuple[Path, ...]:
    """Write a classifier's scores, and three systems' predictions for the items rated."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(1000) < 0.3).astype(int)
    score = expit(generator.normal(2.6 * truth - 1.6))
    scores, predictions = folder / "scores.csv", folder / "predictions.csv"
    save_table(Table({"y_true": truth, "y_score": score.round(4)}), scores)
    plans = [study.plan for study in studies]
    items = [item.key for plan in plans if isinstance(plan, ReratingPlan) for item in plan.items]
    middle = generator.normal(3.0, 0.7, len(items))
    systems = {
        name: (middle + generator.normal(0, spread, len(items))).round(2)
        for name, spread in (("svd", 0.2), ("knn", 0.25), ("popular", 0.9))
    }
    save_table(Table({"item": items, **systems}), predictions)
    return scores, predictions
