"""The result of a survey: what accuracy people accept, and what to aim for.

In: the sample, settings. Out: `StudyResult` with a model card per application. Absent: the
model (`learn`), the pictures (`show`).
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood import decide, learn
from howgood.errors import HowgoodWarning, InputError, UngatedPosteriorError
from howgood.kinds.fit import Sample, insufficient_evidence
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.fit_options import (
    BY_PERSON,
    cut_of,
    grouping_questions,
    points_of,
    priors_of,
)
from howgood.kinds.survey.instrument import (
    TESTED,
    branches_to_fit,
    design_text,
    instrument_sections,
)
from howgood.kinds.survey.plan import SurveyPlan
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.cards import card_of_fit
from howgood.learn.interface import InterfaceEffect, interface_effects
from howgood.learn.multinomial import MultinomialFit
from howgood.learn.ordinal_fit import OrdinalFit
from howgood.records.answers import Answers
from howgood.records.card import ModelCard
from howgood.records.inclusion import POLICIES
from howgood.records.progress import Progress
from howgood.records.report import Finding, Report
from howgood.records.result import StudyResult
from howgood.show.acceptability import fit_report
from howgood.show.cards import with_warning
from howgood.show.ordinal import multinomial_report, ordinal_report
from howgood.show.people import people_text
from howgood.show.results import interface_finding, target_finding, whole_report, worse_finding
from howgood.show.watching import in_use_findings

SHARES = (0.5, 0.8)
_IMAGINED = "hypothetical"
_QUESTION = "What accuracy do people accept, and which errors weigh more?"
_LEAST_PEOPLE = 2
_BRANCH_DRAWS = 2000
_ASKED = {"by": "compare people as asked", "measures": "weigh specificity"}
_FIT_SHARE = 0.75  # of the progress bar; pictures and checks take the rest


def result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    """Fit a survey's answers and return the report, or what is missing for one."""
    missing = _what_is_missing(sample)
    if missing:
        return insufficient_evidence(sample, question=_QUESTION, why=missing, cure=_CURE)
    try:
        if settings.get("model", "binary") == "parts":
            if _has_strangers(study):
                return insufficient_evidence(
                    sample, question=_QUESTION, why=_STRANGERS, cure=_BELONGING
                )
            return _parts(sample, study, settings, progress)
        if settings.get("model") == "levels":
            return _levels(sample, study, settings, progress)
        return _binary(sample, study, settings, progress)
    except UngatedPosteriorError as error:
        why = f"The answers do not pin the model down: {error}"
        return insufficient_evidence(sample, question=_QUESTION, why=why, cure=_CURE)


_STRANGERS = (
    "The study is about several applications, and does not say to which of them each system in use "
    "belongs."
)
_BELONGING = (
    'Add application = "..." to every system under [[survey.real.systems]], or choose the model of '
    "accepting or not."
)
_UNSAID = "no answer"
_UNRATED = "Nobody has rated a scenario yet."
_CURE = (
    "Ask more people: 20 to 25 per application are usual. Answers that are all alike (everybody "
    "accepts everything, or nothing) say little however many there are."
)


def _what_is_missing(sample: Sample) -> str:
    if not sample.people:
        return "Nobody has answered yet." if not sample.left_out else "Nobody's answers count yet."
    if len(sample.people) < _LEAST_PEOPLE:
        return "Only one person has answered: one person cannot tell how people differ."
    return ""


def _binary(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    answers = _answers(sample, study, only=_IMAGINED)
    if not len(answers):
        return insufficient_evidence(sample, question=_QUESTION, why=_UNRATED, cure=_CURE)
    fit, unmet = _fitted(answers, sample, study, settings, progress)
    progress(_FIT_SHARE, "drawing the pictures")
    targets = [_target(fit, name) for name in fit.applications]
    effects = _effects(sample, study, settings)
    report = whole_report(
        fit_report(fit),
        title=study.title,
        first=[
            *unmet,
            *targets,
            *(interface_finding(*pair) for pair in effects),
            *said_worse(sample, study),
        ],
        left_out=sample.left_out,
        policy=POLICIES[sample.policy],
    )
    branches = _by_branch(answers, sample, study, settings)
    more = instrument_sections(sample, study, fit, [points for points, _ in effects], branches)
    report = replace(
        report,
        question=_QUESTION,
        sections=(*report.sections, *more),
        methods=f"{design_text(sample, study)} {report.methods}",
    )
    return _result(report, fit, sample, cards=_cards(fit, study))


def _fitted(
    answers: Answers, sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> tuple[AcceptabilityFit, list[Finding]]:
    """Fit with the comparison or the measures asked for; without them where they cannot be had."""
    fit = partial(
        learn.fit_acceptability,
        cut=cut_of(study, settings),
        priors=priors_of(str(settings.get("priors", "howgood")), study, sample.cards),
        random_state=int(settings.get("seed", 1)),
        progress=lambda share, step: progress(_FIT_SHARE * share, step),
    )
    by, has_specificity = settings.get("by"), bool(settings.get("measures"))
    if not by and not has_specificity:
        return fit(answers), []
    asked: dict[str, Any] = {}
    more = dict(answers.items())
    if by:
        asked["by"] = by if by == BY_PERSON or by not in more else f"answer to {by}"
        more[asked["by"]] = _groups_of(more["participant"], sample, study, str(by))
    if has_specificity:
        asked["measures"] = ("precision", "recall", "specificity")
        more["specificity"] = _specificity(sample)
    # Minutes of another engine are not for a page that somebody waits for.
    given = Answers(more, provenance=answers.provenance)
    asking = partial(fit, given, engine="importance")
    if len(asked) > 1:
        with suppress(UngatedPosteriorError, InputError):
            return asking(**asked), []
    kept: dict[str, Any] = {}
    fitted, unmet = None, []
    for name, value in asked.items():  # one may be had without the other
        try:
            fitted = asking(**kept, **{name: value})
        except (UngatedPosteriorError, InputError) as error:
            text = f"Not enough evidence to {_ASKED[name]}: {error}"
            unmet.append(Finding(text=text, tone="unsure"))
        else:
            kept[name] = value
    return fitted or fit(answers), unmet


def _groups_of(
    participants: NDArray[Any], sample: Sample, study: Study, by: str
) -> NDArray[np.object_]:
    """Return what whoever gave each row answered to one question; themselves for everybody."""
    if by == BY_PERSON:
        return participants
    names = {option.key: option.text for option in grouping_questions(study)[by].options}
    said = {
        person.participation.participant: names.get(str(answer.values[by]), _UNSAID)
        for person in sample.people
        for answer in person.participation.answers
        if by in answer.values
    }
    return np.array([said.get(str(name), _UNSAID) for name in participants.tolist()], dtype=object)


def _specificity(sample: Sample) -> NDArray[np.float64]:
    """Return the share of other cases that each rated scenario left alone."""
    shown = sample.table(
        "true_negatives", "false_positives",
        where=lambda row: row["part"] == _IMAGINED and row.get("rating") is not None,
    )  # fmt: skip
    left, alarms = (np.asarray(column, dtype=np.float64) for column in shown.values())
    return np.asarray(left / (left + alarms))


def _target(fit: AcceptabilityFit, name: str) -> Finding:
    finding = target_finding([decide.target(fit, name, share=share) for share in SHARES])
    return finding if fit.evidence_for(name) == "enough" else replace(finding, tone="unsure")


def _by_branch(
    answers: Answers, sample: Sample, study: Study, settings: Mapping[str, Any]
) -> dict[str, AcceptabilityFit]:
    """Fit every branch for itself, where there are several with enough people."""
    fits = {}
    for name, people in branches_to_fit(sample, study).items():
        chosen = np.isin(answers["participant"].astype(str), sorted(people))
        own = Answers(
            {column: values[chosen] for column, values in answers.items()},
            provenance=replace(answers.provenance, rows_used=int(chosen.sum())),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowgoodWarning)  # said of the whole already
            try:
                fits[name] = learn.fit_acceptability(
                    own, cut=cut_of(study, settings), draws=_BRANCH_DRAWS,
                    random_state=int(settings.get("seed", 1)),
                )  # fmt: skip
            except (UngatedPosteriorError, InputError):
                return {}
    return fits


def _interfaces(sample: Sample, study: Study, settings: Mapping[str, Any]) -> list[Finding]:
    """Return what each interface changes, in words."""
    return [interface_finding(*pair) for pair in _effects(sample, study, settings)]


def _effects(
    sample: Sample, study: Study, settings: Mapping[str, Any]
) -> list[tuple[InterfaceEffect, InterfaceEffect]]:
    """Return what each interface changes; the fit itself takes all interfaces together."""
    factor = plan_of(study, SurveyPlan).interface
    if factor is None:
        return []
    table = sample.table(
        "participant", "application", "desired_precision", "desired_recall", "interface", "rating",
        where=lambda row: row["part"] == _IMAGINED and row.get("rating") is not None,
    )  # fmt: skip
    shown = zip(
        table["application"], table["desired_precision"], table["desired_recall"], strict=True
    )
    rating = np.asarray(table["rating"], dtype=np.float64)
    compare = partial(
        interface_effects,
        table["participant"],
        [" ".join(map(str, levels)) for levels in shown],
        table["interface"],
        levels=[level.key for level in factor.levels],
    )
    points = compare(rating)
    shares = compare((rating >= cut_of(study, settings)).astype(np.float64))
    return list(zip(points, shares, strict=True))


def _parts(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    said = tuple(sample.in_use())
    used = tuple(row for row in said if row["precision"] is not None and row["recall"] is not None)
    cut = cut_of(study, settings) if any(row["rating"] is None for row in used) else None
    answers = _answers(sample, study, only=None, in_use=used, cut=cut)
    if not len(answers):
        return insufficient_evidence(sample, question=_QUESTION, why=_UNRATED, cure=_CURE)
    fit = learn.fit_ordinal(
        answers,
        systems=_systems(study),
        scale=points_of(study) if cut is None else 2,
        priors=priors_of(str(settings.get("priors", "howgood")), study, sample.cards),
        random_state=int(settings.get("seed", 1)),
        progress=lambda share, step: progress(_FIT_SHARE * share, step),
    )
    progress(_FIT_SHARE, "predicting ratings left out")
    left = (
        learn.leave_one_person_out(fit, draws=1000, random_state=int(settings.get("seed", 1)))
        if fit.cells.n_outside > 1
        else None
    )
    report = whole_report(
        ordinal_report(fit, left),
        title=study.title,
        first=[
            *in_use_findings(said, used, cut=cut),
            *_interfaces(sample, study, settings),
            *said_worse(sample, study),
        ],
        left_out=sample.left_out,
        policy=POLICIES[sample.policy],
    )
    return _result(report, fit, sample, cards=())


def _levels(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    answers = _answers(sample, study, only=_IMAGINED)
    if not len(answers):
        return insufficient_evidence(sample, question=_QUESTION, why=_UNRATED, cure=_CURE)
    fit = learn.fit_multinomial(
        answers,
        cut=cut_of(study, settings),
        priors=priors_of(str(settings.get("priors", "howgood")), study, sample.cards),
        random_state=int(settings.get("seed", 1)),
        progress=lambda share, step: progress(_FIT_SHARE * share, step),
    )
    report = whole_report(
        multinomial_report(fit),
        title=study.title,
        first=said_worse(sample, study),
        left_out=sample.left_out,
        policy=POLICIES[sample.policy],
    )
    return _result(report, fit, sample, cards=())


def _has_strangers(study: Study) -> bool:
    """Whether a system in use could belong to any of several applications."""
    plan = plan_of(study, SurveyPlan)
    systems = plan.real.systems if plan.real is not None else ()
    return len(plan.applications) > 1 and any(not system.application for system in systems)


def _systems(study: Study) -> dict[str, str]:
    """Return to which application each real system belongs, where the study says so."""
    plan = plan_of(study, SurveyPlan)
    names = {application.key: application.name for application in plan.applications}
    systems = plan.real.systems if plan.real is not None else ()
    return {
        system.key: names.get(system.application, system.application)
        for system in systems
        if system.application
    }


def said_worse(sample: Sample, study: Study) -> list[Finding]:
    """Say which error people call worse when asked, where a question has both as options."""
    for question in (*study.demographics, *study.closing):
        options = {option.key: option.text for option in getattr(question, "options", ())}
        if not {"missed", "false_alarm"} <= set(options):
            continue
        said = [
            answer.values[question.key]
            for person in sample.people
            for answer in person.participation.answers
            if question.key in answer.values
        ]
        counts = {options[key]: said.count(key) for key in options}
        return [worse_finding(question.text, counts)] if sum(counts.values()) else []
    return []


def _result(
    report: Report,
    fit: AcceptabilityFit | OrdinalFit | MultinomialFit,
    sample: Sample,
    *,
    cards: tuple[ModelCard, ...],
) -> StudyResult:
    # What was fitted, not what was given: rows about systems in use are in no binary fit.
    return StudyResult(
        report=report,
        summary=people_text(fit.n_respondents, fit.provenance.rows_used or 0),
        people=fit.n_respondents,
        answers=sample.held,
        left_out=sample.left_out,
        cards=cards,
    )


def _answers(
    sample: Sample,
    study: Study,
    *,
    only: str | None,
    in_use: Sequence[Mapping[str, Any]] = (),
    cut: int | None = None,
) -> Answers:
    """Return the judgements with applications by the names people saw.

    Answers in use that are yes or no have two points; then every rating is cut to two.
    """
    names = {
        application.key: application.name for application in plan_of(study, SurveyPlan).applications
    }
    return sample.answers(
        "precision",
        "recall",
        scale=points_of(study) if cut is None else 2,
        where=None if only is None else lambda row: row["part"] == only,
        names=names if len(set(names.values())) == len(names) else {},
        also=in_use,
        rated=None if cut is None else partial(_of_two, cut=cut),
        items={} if only else {key: name for key, name in TESTED.items() if key != "rating"},
    )


def _of_two(row: Mapping[str, Any], *, cut: int) -> int | None:
    """Return 2 for accepting and 1 for not, whichever way it was asked."""
    rating, acceptable = row.get("rating"), row.get("acceptable")
    if rating is None:
        return None if acceptable is None else 1 + acceptable
    return 1 + int(rating >= cut)


def _cards(fit: AcceptabilityFit, study: Study) -> tuple[ModelCard, ...]:
    return tuple(
        with_warning(
            card_of_fit(
                fit,
                name,
                name=card_name(study.slug, name),
                description=_description(study, name),
                citation=f"howgood study {study.title!r}",
            )
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
    parts = [
        part.description
        for part in plan_of(study, SurveyPlan).applications
        if application in (part.name, part.key)
    ]
    return parts[0] if parts else study.title
