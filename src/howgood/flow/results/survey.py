"""The result of a survey: what accuracy people accept, and what to aim for.

In: who was gathered, settings. Out: `StudyResult` with a model card per application. Absent: the
model (`learn`), the pictures (`show`).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from howgood import decide, learn
from howgood.ask.intake import read_answers
from howgood.errors import InputError, UngatedPosteriorError
from howgood.flow.registry import card_of_fit, cards, prior_of_card
from howgood.flow.results.nothing import not_enough
from howgood.flow.results.people import Gathered
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.ordinal_fit import OrdinalFit
from howgood.records.answers import Answers
from howgood.records.card import ModelCard
from howgood.records.inclusion import POLICIES
from howgood.records.plans import SurveyPlan
from howgood.records.priors import PRESETS, Priors
from howgood.records.progress import Progress
from howgood.records.report import Finding, Report
from howgood.records.result import StudyResult
from howgood.records.study import Study, plan_of
from howgood.show.acceptability import fit_report
from howgood.show.ordinal import ordinal_report
from howgood.show.people import people_text
from howgood.show.results import target_finding, whole_report

MODELS = {
    "binary": "accept or not, by application",
    "parts": "imagined and real systems on one scale",
}
CARD_PRIOR = "card:"
SHARES = (0.5, 0.8)
_IMAGINED = "hypothetical"
_QUESTION = "What accuracy do people accept, and which errors weigh more?"
_LEAST_PEOPLE = 2
_FIT_SHARE = 0.75  # of the progress bar; pictures and checks take the rest


def survey_result(
    gathered: Gathered, study: Study, settings: Mapping[str, Any], *, held: int, progress: Progress
) -> StudyResult:
    """Fit a survey's answers and return the report, or what is missing for one."""
    missing = _what_is_missing(gathered)
    if missing:
        return not_enough(gathered, question=_QUESTION, why=missing, cure=_CURE, held=held)
    try:
        if settings.get("model", "binary") == "parts":
            if len(plan_of(study, SurveyPlan).applications) > 1:
                return not_enough(gathered, question=_QUESTION, why=_POOLED, cure=_APART, held=held)
            return _parts(gathered, study, settings, held=held, progress=progress)
        return _binary(gathered, study, settings, held=held, progress=progress)
    except UngatedPosteriorError as error:
        why = f"The answers do not pin the model down: {error}"
        return not_enough(gathered, question=_QUESTION, why=why, cure=_CURE, held=held)


_POOLED = (
    "The study is about several applications, and the model of imagined and real systems has one "
    "alpha and one slope: it would pool them."
)
_APART = "Choose the model of accepting or not, which tells applications apart."
_CURE = (
    "Ask more people: 20 to 25 per application are usual. Answers that are all alike (everybody "
    "accepts everything, or nothing) say little however many there are."
)


def _what_is_missing(gathered: Gathered) -> str:
    if not gathered.taken:
        return (
            "Nobody has answered yet." if not gathered.left_out else "Nobody's answers count yet."
        )
    if len(gathered.taken) < _LEAST_PEOPLE:
        return "Only one person has answered: one person cannot tell how people differ."
    return ""


def _binary(
    gathered: Gathered, study: Study, settings: Mapping[str, Any], *, held: int, progress: Progress
) -> StudyResult:
    answers = _answers(gathered, study, only=_IMAGINED)
    fit = learn.fit_acceptability(
        answers,
        cut=_cut(study, settings),
        priors=priors_of(str(settings.get("priors", "howgood")), study),
        random_state=int(settings.get("seed", 1)),
        progress=lambda share, step: progress(_FIT_SHARE * share, step),
    )
    progress(_FIT_SHARE, "drawing the pictures")
    targets = [_target(fit, name) for name in fit.applications]
    report = whole_report(
        fit_report(fit),
        title=study.title,
        first=targets,
        left_out=gathered.left_out,
        policy=POLICIES[gathered.policy],
    )
    report = replace(report, question=_QUESTION)
    return _result(report, fit, gathered, held=held, cards=_cards(fit, study))


def _target(fit: AcceptabilityFit, name: str) -> Finding:
    found = target_finding([decide.target(fit, name, share=share) for share in SHARES])
    return found if fit.evidence_for(name) == "enough" else replace(found, tone="unsure")


def _parts(
    gathered: Gathered, study: Study, settings: Mapping[str, Any], *, held: int, progress: Progress
) -> StudyResult:
    fit = learn.fit_ordinal(
        _answers(gathered, study, only=None),
        scale=_points(study),
        priors=priors_of(str(settings.get("priors", "howgood")), study),
        random_state=int(settings.get("seed", 1)),
        progress=lambda share, step: progress(_FIT_SHARE * share, step),
    )
    progress(_FIT_SHARE, "drawing the pictures")
    report = whole_report(
        ordinal_report(fit),
        title=study.title,
        first=(),
        left_out=gathered.left_out,
        policy=POLICIES[gathered.policy],
    )
    return _result(report, fit, gathered, held=held, cards=())


def _result(
    report: Report,
    fit: AcceptabilityFit | OrdinalFit,
    gathered: Gathered,
    *,
    held: int,
    cards: tuple[ModelCard, ...],
) -> StudyResult:
    # What was fitted, not what was given: rows about systems in use are in no binary fit.
    return StudyResult(
        report=report,
        summary=people_text(fit.n_respondents, fit.provenance.rows_used or 0),
        people=fit.n_respondents,
        answers=held,
        left_out=gathered.left_out,
        cards=cards,
    )


def _answers(gathered: Gathered, study: Study, *, only: str | None) -> Answers:
    """Return the judgements with applications by the names people saw."""
    table = gathered.table(
        "participant", "application", "precision", "recall", "rating", "part",
        where=None if only is None else lambda row: row["part"] == only,
    )  # fmt: skip
    names = {each.key: each.name for each in plan_of(study, SurveyPlan).applications}
    if len(set(names.values())) == len(names):
        table["application"] = table["application"].copy()
        table["application"][:] = [names.get(key, key) for key in table["application"]]
    answers = read_answers(table, scale=_points(study))
    made = answers.provenance
    rule = {"people": POLICIES[gathered.policy], "people_left_out": dict(gathered.left_out)}
    return Answers(dict(answers), provenance=replace(made, settings={**made.settings, **rule}))


def _points(study: Study) -> int:
    return len(plan_of(study, SurveyPlan).scale) or 7


def _cut(study: Study, settings: Mapping[str, Any]) -> int:
    """Return the lowest rating that accepts: by default the first above the middle."""
    points = _points(study)
    return int(settings.get("cut") or points - points // 2 + 1)


def priors_of(name: str, study: Study) -> str | Priors:
    """Return a preset, or what a model card of the library says about a similar application."""
    if not name.startswith(CARD_PRIOR):
        if name not in PRESETS:
            raise InputError(
                where="priors",
                found=repr(name),
                needed=f"one of {', '.join(PRESETS)}, or a card",
                cure="Choose one of these.",
            )
        return name
    known = cards()
    card = known.get(name.removeprefix(CARD_PRIOR))
    if card is None:
        raise InputError(
            where="priors", found=repr(name), needed="a card of the library", cure="Choose one."
        )
    only = plan_of(study, SurveyPlan).applications
    if len(only) != 1:
        raise InputError(
            where="priors",
            found=f"a card about {card.application}, for {len(only)} applications",
            needed="a study of one application, of which the card can be a prior",
            cure="Choose a preset.",
        )
    return prior_of_card(card, application=only[0].name)


def _cards(fit: AcceptabilityFit, study: Study) -> tuple[ModelCard, ...]:
    return tuple(
        card_of_fit(
            fit,
            name,
            name=card_name(study.slug, name),
            description=_description(study, name),
            citation=f"howgood study {study.title!r}",
        )
        for name in fit.applications
    )


def card_name(slug: str, application: str) -> str:
    """Return a name that may stand in an address.

    Examples
    --------
    >>> card_name("doors", "The bell (loud)")
    'doors-the-bell-loud'
    """
    return f"{slug}-{re.sub(r'[^a-z0-9]+', '-', application.lower()).strip('-')}"[:80].strip("-")


def _description(study: Study, application: str) -> str:
    found = [
        each.description
        for each in plan_of(study, SurveyPlan).applications
        if application in (each.name, each.key)
    ]
    return found[0] if found else study.title
