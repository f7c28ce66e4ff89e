"""Are the words of a study complete for every screen it can show?

In: a study whose values are right one by one. Out: problems with the phrases of applications and
the words of flow charts. Absent: taste.
"""

from dataclasses import fields

from howgood.errors import InputError
from howgood.kinds.survey.scenarios import BLANK, BLANKS, PHRASES, scenarios_of
from howgood.records.comparison import ComparisonWording
from howgood.records.plans import ComparisonPlan, SurveyPlan
from howgood.records.record import Path, Problem
from howgood.records.study import Study

# The words of charts and questions; `use` ends one sentence of the last questions.
WORDS = frozenset(each.name for each in fields(ComparisonWording)) - {"task", "question", "costs"}
OPTIONAL_WORDS = frozenset({"use"})


def wording_problems(study: Study) -> list[Problem]:
    """Return what is missing to word every scenario or chart."""
    if study.comparison is not None:
        return _comparison_problems(study.comparison)
    return [] if study.survey is None else _survey_problems(study.survey)


def _survey_problems(plan: SurveyPlan) -> list[Problem]:
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


def _comparison_problems(plan: ComparisonPlan) -> list[Problem]:
    path = ("comparison", "words")
    problems = [
        Problem(
            path=path,
            found=f"no word {name!r}",
            needed=f"the words {', '.join(sorted(WORDS))}",
            cure="Add it.",
        )
        for name in sorted(each for each in WORDS if not plan.words.get(each, "").strip())
    ]
    problems += [
        Problem(
            path=(*path, name),
            found=f"a word {name!r}",
            needed=f"one of {', '.join(sorted(WORDS | OPTIONAL_WORDS))}",
            cure="Rename or remove it.",
        )
        for name in sorted(set(plan.words) - WORDS - OPTIONAL_WORDS)
    ]
    if plan.algorithm == "bisection" and any(each.lower is None for each in plan.matrices):
        problems.append(
            Problem(
                path=("comparison", "algorithm"),
                found="bisection over matrices without thresholds",
                needed="lower and upper thresholds of every matrix",
                cure="Name a file of scores, or set algorithm to mixture.",
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
