"""Are the words of a comparison complete for every chart and question it can show?

In: a comparison whose values are right one by one. Out: problems with its words, and with a search
that its matrices do not allow. Absent: taste.
"""

from dataclasses import fields

from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.study import Study, plan_of
from howgood.records.comparison import ComparisonWording
from howgood.records.record import Problem

# The words of charts and questions; `use` ends one sentence of the last questions.
WORDS = frozenset(field.name for field in fields(ComparisonWording)) - {"task", "question", "costs"}
OPTIONAL_WORDS = frozenset({"use"})


def wording_problems(study: Study) -> list[Problem]:
    """Return what is missing to word every chart."""
    plan = plan_of(study, ComparisonPlan)
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
