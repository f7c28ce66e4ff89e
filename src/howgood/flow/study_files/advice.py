"""What experience says about a study that is formally right.

In: a study. Out: sentences, each with its reason. Absent: rules; nothing here stops a study.
"""

from howgood.flow.study_files.attention_text import attention_advice
from howgood.kinds.survey.scenarios import scenarios_of
from howgood.records.plans import SurveyPlan
from howgood.records.scenario import Scenario
from howgood.records.study import Study

_MOST_SCENARIOS, _MOST_APPLICATIONS, _MOST_LISTED = 8, 2, 3


def advice_on(study: Study) -> tuple[str, ...]:
    """Return advice for the researcher."""
    found = list(attention_advice(study))
    plan = study.survey
    if plan is not None:
        found += _colliding(plan)
    if plan is not None and not plan.micro_task:
        scenarios = len(plan.precision) * len(plan.recall)
        per_application = min(plan.per_application or scenarios, scenarios)
        if per_application > _MOST_SCENARIOS:
            found.append(
                f"{per_application} scenarios per application: many people stop before the end; "
                f"per_application = {_MOST_SCENARIOS} asks fewer of each (Kay et al. 2015)."
            )
        longest = max((len(each.applications) for each in plan.branches), default=0)
        applications = plan.applications_each or longest or len(plan.applications)
        if applications > _MOST_APPLICATIONS:
            found.append(
                f"{applications} applications per person: with three, 11 of 26 people stopped "
                f"early, with two 3 of 24 (Kay et al. 2015); applications_each = 2 helps."
            )
    if study.recruitment != "none" and not (study.completion.code or study.completion.redirect):
        found.append(
            f"people from {study.recruitment} need a completion code or a redirect to be paid."
        )
    if not study.consent.contact:
        found.append("consent.contact is empty: most ethics boards want a name and an address.")
    return tuple(found)


def _colliding(plan: SurveyPlan) -> list[str]:
    """Say which levels are the same once they are whole counts: people judge them twice."""
    alike: dict[tuple[int, int, int], list[Scenario]] = {}
    scenarios = scenarios_of(plan)
    for each in scenarios:
        counts = each.true_positives, each.false_negatives, each.false_positives
        alike.setdefault(counts, []).append(each)
    if len(alike) == len(scenarios):
        return []
    pairs = [" = ".join(_levels(each) for each in same) for same in alike.values() if len(same) > 1]
    listed = "; ".join(pairs[:_MOST_LISTED]) + ("; ..." if len(pairs) > _MOST_LISTED else "")
    return [
        f"{len(alike)} distinct scenarios of {len(scenarios)}: in whole counts out of "
        f"{plan.real_positives} some levels are the same (precision/recall {listed}). Raise "
        "real_positives, or choose levels further apart."
    ]


def _levels(scenario: Scenario) -> str:
    wanted = scenario.desired_precision, scenario.desired_recall
    return "/".join("?" if each is None else f"{each:.3g}" for each in wanted)
