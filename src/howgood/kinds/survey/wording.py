"""Are the phrases of a survey complete for every scenario it can show?

In: a survey whose values are right one by one. Out: problems with the phrases of its applications.
Absent: taste (`advice`).
"""

from howgood.errors import InputError
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.plan import SurveyPlan
from howgood.kinds.survey.scenarios import BLANK, BLANKS, PHRASES, scenarios_of
from howgood.records.record import Path, Problem


def wording_problems(study: Study) -> list[Problem]:
    """Return what is missing to word every scenario."""
    plan = plan_of(study, SurveyPlan)
    problems = []
    for index, application in enumerate(plan.applications):
        needed = PHRASES if plan.cases else PHRASES - {"cleared"}
        path = ("survey", "applications", index, "phrases")
        problems += [
            Problem(
                path=path,
                found=f"no phrase {name!r}",
                needed=f"the phrases {', '.join(sorted(needed))}",
                cure="Add it.",
            )
            for name in sorted(needed - set(application.phrases))
        ]
        for name, phrase in application.phrases.items():
            problems += _phrase_problems(name, phrase, (*path, name))
    try:
        scenarios_of(plan)
    except InputError as error:
        problems.append(
            Problem(
                path=("survey", "cases"), found=error.found, needed=error.needed, cure=error.cure
            )
        )
    return problems


def _phrase_problems(name: str, phrase: str, path: Path) -> list[Problem]:
    blanks = set(BLANK.findall(phrase))
    unknown = sorted(each for each in blanks if each not in BLANKS and "|" not in each)
    problems = []
    if name not in PHRASES:
        known = ", ".join(sorted(PHRASES))
        problems.append(
            Problem(path=path, found=f"a phrase {name!r}", needed=f"one of {known}", cure="Rename.")
        )
    if unknown:
        problems.append(
            Problem(
                path=path,
                found=f"the blank {{{unknown[0]}}}",
                needed="{n}, {real}, {system} or a pair such as {time|times}",
                cure="Correct it.",
            )
        )
    if "n" not in blanks:
        problems.append(
            Problem(
                path=path,
                found="no {n}",
                needed="the count, written {n}",
                cure="Write {n} where the number belongs.",
            )
        )
    return problems
