"""What may be chosen before a survey is fitted: model, priors, where accepting begins.

In: a study, what somebody chose. Out: what there is to choose, and checked settings. Absent: the
fit (`results`).
"""

from collections.abc import Mapping
from typing import Any

from howgood.errors import InputError
from howgood.kinds.fit import Cards, FitOption, chosen_name, chosen_number
from howgood.kinds.protocol import AskedInUse
from howgood.kinds.questions import Question
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.plan import SurveyPlan
from howgood.kinds.survey.screens import survey_scale
from howgood.records.priors import PRESETS, Priors

MODELS = {
    "binary": "accept or not, by application",
    "parts": "imagined and real systems on one scale",
    "levels": "every rating by itself",
}
_ONE_PART = "ratings in their order"
EVERYONE, BY_PERSON = "", "participant"
_MOST_GROUPS = 12  # as many as `learn.segments` fits; importing it would load what fits need
_BY_HELP = (
    "Groups of people by what they answered, each with its own weights; decide which question "
    "matters before you look."
)
CARD_PRIOR = "card:"
_PRIORS = {
    "howgood": "howgood: weak, for any application",
    "kay2015": "kay2015: as in the published study",
}
_PRIORS_HELP = (
    "What is assumed before anybody answered; the report shows what other priors would change."
)


def fit_options(study: Study, cards: Cards) -> tuple[FitOption, ...]:
    """Return what a form offers; some things only where the study asked what they need."""
    from howgood.show.cards import card_warning, readable  # loads what fits need

    plan = plan_of(study, SurveyPlan)
    models = MODELS | ({} if plan.real is not None else {"parts": _ONE_PART})
    priors = {name: _PRIORS.get(name, name) for name in PRESETS}
    if len(plan.applications) == 1:
        priors |= {
            f"{CARD_PRIOR}{name}": f"similar application: {readable(card.application)} ({name})"
            + (" – few people" if card_warning(card) else "")
            for name, card in cards().items()
            if card.draws
        }
    labels = survey_scale(study, plan)
    cuts = {
        str(point): f"{point}: {label}" if label else str(point)
        for point, label in enumerate(labels, start=1)
        if point > 1
    }
    return (
        FitOption(name="model", label="Model", choices=models),
        FitOption(name="by", label="Compare people by", choices=_groups(study), help=_BY_HELP),
        *_measures(plan),
        FitOption(name="priors", label="Priors", choices=priors, help=_PRIORS_HELP),
        FitOption(
            name="cut",
            label="Accepting begins at",
            choices=cuts,
            default=str(cut_of(study, {})),
        ),
    )


def _groups(study: Study) -> dict[str, str]:
    """Return what people can be compared by: questions with a few options."""
    return {
        EVERYONE: "nothing: everybody together",
        BY_PERSON: "everybody's own weights",
        **{key: question.text for key, question in grouping_questions(study).items()},
    }


def grouping_questions(study: Study) -> dict[str, Question]:
    """Return questions of which everybody chose one of a few options, by their keys."""
    return {
        question.key: question
        for question in (*study.demographics, *study.closing)
        # One more is for those who gave no answer.
        if question.type == "choice" and 2 <= len(question.options) < _MOST_GROUPS
    }


def _measures(plan: SurveyPlan) -> tuple[FitOption, ...]:
    """Offer specificity where people were shown how many cases there were."""
    if (plan.cases or 0) <= plan.real_positives:
        return ()
    choices = {"": "precision and recall", "specificity": "precision, recall and specificity"}
    return (FitOption(name="measures", label="What is weighed", choices=choices),)


def fit_settings(study: Study, chosen: Mapping[str, str], cards: Cards) -> dict[str, Any]:
    """Return what was chosen, checked before anything waits."""
    settings: dict[str, Any] = {
        "model": chosen_name(chosen.get("model") or "binary", MODELS, "model"),
        "priors": chosen.get("priors") or "howgood",
    }
    priors_of(settings["priors"], study, cards)
    asked = _of_binary(study, chosen)
    if asked and settings["model"] != "binary":
        raise InputError(
            where="fit",
            found=f"{' and '.join(asked)} with the model {settings['model']!r}",
            needed="the model of accepting or not: only it compares people or weighs specificity",
            cure="Choose that model, or ask for neither.",
        )
    if settings["model"] != "binary" and settings["priors"].startswith(CARD_PRIOR):
        raise InputError(
            where="priors",
            found=f"a model card with the model {settings['model']!r}",
            needed="the model of accepting or not, which cards are about",
            cure="Choose that model, or other priors.",
        )
    settings |= asked
    if chosen.get("cut"):
        settings["cut"] = chosen_number(chosen["cut"], "accepting from", 2, points_of(study))
    return settings


def _of_binary(study: Study, chosen: Mapping[str, str]) -> dict[str, Any]:
    """Return whom to compare and what to weigh, where somebody chose to."""
    settings: dict[str, Any] = {}
    if chosen.get("by"):
        settings["by"] = chosen_name(chosen["by"], tuple(_groups(study)), "compare people by")
    if chosen.get("measures"):
        offered = _measures(plan_of(study, SurveyPlan))
        if not offered:
            raise InputError(
                where="what is weighed",
                found="a study that does not show how many cases there were",
                needed="scenarios with all cases (cases in the study file), for specificity",
                cure="Weigh precision and recall.",
            )
        names = [name for option in offered for name in option.choices]
        settings["measures"] = chosen_name(chosen["measures"], names, "what is weighed")
    return settings


def points_of(study: Study) -> int:
    """Return how many points the scale has."""
    return len(plan_of(study, SurveyPlan).scale) or 7


def asked_in_use(study: Study) -> AskedInUse:
    """Return the applications that people can be asked about while they use one."""
    named = {part.key: part.name for part in plan_of(study, SurveyPlan).applications}
    return AskedInUse(applications=named, points=points_of(study), cut=cut_of(study, {}))


def cut_of(study: Study, settings: Mapping[str, Any]) -> int:
    """Return the lowest rating that accepts: by default the first above the middle."""
    points = points_of(study)
    return int(settings.get("cut") or points - points // 2 + 1)


def priors_of(name: str, study: Study, cards: Cards) -> str | Priors:
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
    card = cards().get(name.removeprefix(CARD_PRIOR))
    if card is None:
        raise InputError(
            where="priors", found=repr(name), needed="a card of the library", cure="Choose one."
        )
    applications = plan_of(study, SurveyPlan).applications
    if len(applications) != 1:
        raise InputError(
            where="priors",
            found=f"a card about {card.application}, for {len(applications)} applications",
            needed="a study of one application, of which the card can be a prior",
            cure="Choose a preset.",
        )
    from howgood.learn.cards import prior_of_card  # loads what fits need

    return prior_of_card(card, application=applications[0].name)
