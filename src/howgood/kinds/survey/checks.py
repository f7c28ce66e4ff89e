"""What is wrong with a survey's words, and what experience says about one that is formally right.

In: a survey whose values are right one by one. Out: problems with the phrases of its applications,
and advice with its reasons; only problems stop a study. Absent: taste.

Attention checks must be followed on every screen. On a phone the answers stand below each other:
who is asked for "the second answer from the left" cannot tell which one is meant, and failing drops
them from the fit. A label is the same everywhere.
"""

import re
from collections.abc import Iterator

from howgood.errors import InputError
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.plan import AttentionCheck, SurveyPlan
from howgood.kinds.survey.scenarios import BLANK, BLANKS, PHRASES, scenarios_of
from howgood.kinds.survey.screens import survey_scale
from howgood.records.record import Path, Problem
from howgood.records.scenario import Scenario


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
    unknown = sorted(blank for blank in blanks if blank not in BLANKS and "|" not in blank)
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


_MOST_SCENARIOS, _MOST_APPLICATIONS, _MOST_LISTED = 8, 2, 3
_MOST_WITH_TAM = 4

# Words that always say where an answer stands, in English and German.
_PLACES = (
    r"left(?:most|-hand)?|right(?:most|-hand)?|top(?:most)?|bottom(?:most)?|upper(?:most)?|"
    r"lower(?:most)?|above|below|middle|cent(?:er|re)|leftwards?|rightwards?|"
    r"links|rechts|oben|unten|(?:link|recht|ober|unter|mittler)(?:e|er|es|en|em|ste|sten|stes)|"
    r"mitte|außen|darüber|darunter"
)
# Words that count, and so say it only of answers: "the second answer", "third from the end".
_COUNTS = (
    r"first|second|third|fourth|fifth|sixth|seventh|last|\d+(?:st|nd|rd|th)|"
    r"(?:erst|zweit|dritt|viert|fünft|sechst|siebt|letzt|vorletzt)(?:e|er|es|en|em)|\d+\."
)
_COUNTED = (
    r"answers?|options?|choices?|points?|buttons?|box|boxes|circles?|columns?|rows?|one|from|"
    r"antwort|antworten|option|möglichkeit|punkt|feld|kästchen|kreis|spalte|zeile|von"
)
_POSITION = re.compile(
    rf"\b(?:{_PLACES})\b|(?<!\w)(?:{_COUNTS})(?=\W+(?:\w+\W+)?(?:{_COUNTED})\b)", re.IGNORECASE
)


def advice(study: Study) -> tuple[str, ...]:
    """Return advice on checks, on levels that are the same in whole counts, and on length."""
    plan = plan_of(study, SurveyPlan)
    return (
        *_on_attention(study, plan),
        *_on_equal_levels(plan),
        *_on_length(plan),
        *_on_battery(study, plan),
        *_on_rules(plan),
    )


def _on_rules(plan: SurveyPlan) -> Iterator[str]:
    if plan.applications and all(application.show_if for application in plan.applications):
        yield (
            "Every application has a rule (show_if): people for whom none holds judge nothing. "
            "Leave one without a rule, or screen those people out."
        )


def _on_battery(study: Study, plan: SurveyPlan) -> Iterator[str]:
    if plan.battery == "none":
        return
    if plan.items:
        yield "battery: the study has items of its own, so the battery is not asked."
    if study.language != "en":
        yield "battery: its own items are in English; write them as items in your language."
    scenarios = len(plan.precision) * len(plan.recall)
    if not plan.micro_task and min(plan.per_application or scenarios, scenarios) > _MOST_WITH_TAM:
        yield (
            f"battery: 13 items with every scenario; per_application = {_MOST_WITH_TAM} or fewer "
            "keeps the study short enough to finish."
        )


def _on_length(plan: SurveyPlan) -> Iterator[str]:
    if plan.micro_task:
        return
    scenarios = len(plan.precision) * len(plan.recall)
    per_application = min(plan.per_application or scenarios, scenarios)
    if per_application > _MOST_SCENARIOS:
        yield (
            f"{per_application} scenarios per application: many people stop before the end; "
            f"per_application = {_MOST_SCENARIOS} asks fewer of each (Kay et al. 2015)."
        )
    longest = max((len(branch.applications) for branch in plan.branches), default=0)
    applications = plan.applications_each or longest or len(plan.applications)
    if applications > _MOST_APPLICATIONS:
        yield (
            f"{applications} applications per person: with three, 11 of 26 people stopped "
            f"early, with two 3 of 24 (Kay et al. 2015); applications_each = 2 helps."
        )


def _on_attention(study: Study, plan: SurveyPlan) -> Iterator[str]:
    """Yield a sentence for every check that says where its answer stands, or not which it is."""
    scale = survey_scale(study, plan)
    for number, check in enumerate(plan.attention):
        sentence = _about(check, scale)
        if sentence:
            yield f"survey.attention[{number}].text {sentence}"


def _about(check: AttentionCheck, scale: tuple[str, ...]) -> str:
    label = scale[check.answer - 1]
    rest = re.sub(re.escape(label), " ", check.text, flags=re.IGNORECASE)
    position = _POSITION.search(rest)
    if position:
        return (
            f'says where the answer stands ("{position[0]}"): on a phone answers stand below each '
            f'other, and who fails is left out of the fit; name its label instead: "{label}".'
        )
    if label.casefold() not in check.text.casefold():
        return f'does not name the answer that passes, number {check.answer}: "{label}"; name it.'
    return ""


def _on_equal_levels(plan: SurveyPlan) -> list[str]:
    """Say which levels are the same once they are whole counts: people judge them twice."""
    by_counts: dict[tuple[int, int, int], list[Scenario]] = {}
    scenarios = scenarios_of(plan)
    for scenario in scenarios:
        counts = (scenario.true_positives, scenario.false_negatives, scenario.false_positives)
        by_counts.setdefault(counts, []).append(scenario)
    if len(by_counts) == len(scenarios):
        return []
    pairs = [
        " = ".join(_levels(scenario) for scenario in same)
        for same in by_counts.values()
        if len(same) > 1
    ]
    listed = "; ".join(pairs[:_MOST_LISTED]) + ("; ..." if len(pairs) > _MOST_LISTED else "")
    return [
        f"{len(by_counts)} distinct scenarios of {len(scenarios)}: in whole counts out of "
        f"{plan.real_positives} some levels are the same (precision/recall {listed}). Raise "
        "real_positives, or choose levels further apart."
    ]


def _levels(scenario: Scenario) -> str:
    wanted = scenario.desired_precision, scenario.desired_recall
    return "/".join("?" if level is None else f"{level:.3g}" for level in wanted)
