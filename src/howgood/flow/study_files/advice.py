"""What experience says about a study that is formally right.

In: a study. Out: sentences, each with its reason. Absent: rules; nothing here stops a study.
"""

from howgood.flow.study_files.attention_text import attention_advice
from howgood.records.study import Study

_MOST_SCENARIOS, _MOST_APPLICATIONS, _SECONDS_PER_PAGE = 8, 2, 15


def advice_on(study: Study) -> tuple[str, ...]:
    """Return advice for the researcher."""
    found = list(attention_advice(study))
    plan = study.survey
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
