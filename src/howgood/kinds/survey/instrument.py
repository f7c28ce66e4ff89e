"""The questionnaire as psychologists expect it: validity, reliability, branches, design.

In: the sample, the fit, the study. Out: sections of a report, and a paragraph on how people were
asked. Absent: the fit itself (`results`), who answered (`flow.results.descriptives`).

T1 to T4 are the tests of Kay et al. (2015): acceptability goes with usefulness (T1), usefulness
with intention (T2), answers tell applications apart (T3), and interfaces that burden people
differently (T4).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howgood import learn
from howgood.errors import InputError
from howgood.kinds.fit import Sample
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.battery import constructs_of
from howgood.kinds.survey.plan import SurveyPlan
from howgood.kinds.survey.screens import survey_items
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.correlations import item_correlations
from howgood.learn.interface import InterfaceEffect
from howgood.records.answers import Answers
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.report import Section
from howgood.records.table import Table
from howgood.show.numbers import with_interval
from howgood.show.other_people import shown_alpha

_IMAGINED = "hypothetical"
# Columns of the survey -> what the correlations call them.
TESTED = {"rating": "rating", "useful": "usefulness", "intent": "intent", "ease": "ease"}
_LEAST_IN_BRANCH = 5


def instrument_sections(
    sample: Sample,
    study: Study,
    fit: AcceptabilityFit,
    effects: Sequence[InterfaceEffect],
    by_branch: Mapping[str, AcceptabilityFit],
) -> tuple[Section, ...]:
    """Return validity, reliability and fits by branch."""
    table = _ratings(sample, study)
    return (
        _validity(table, fit, effects),
        *_reliability(table, study),
        *_branches(by_branch, fit),
    )


def _ratings(sample: Sample, study: Study) -> Table:
    keys = [item.key for item in survey_items(plan_of(study, SurveyPlan), study.language)]
    table = sample.table(
        "participant", "rating", *keys, where=lambda row: row["part"] == _IMAGINED
    )  # fmt: skip
    numbers = {
        name: np.array([np.nan if value is None else float(value) for value in values])
        for name, values in table.items()
        if name != "participant"
    }
    return Table({"participant": table["participant"], **numbers})


def _validity(table: Table, fit: AcceptabilityFit, effects: Sequence[InterfaceEffect]) -> Section:
    rows = [
        *_correlated(table),
        ("T3", "answers tell applications apart", _applications_differ(fit)),
        ("T4", "answers tell interfaces apart at the same accuracy", _interfaces(effects)),
    ]
    return Section(
        title="Validity of the questionnaire",
        text="The four tests of Kay et al. (2015). Correlations are Spearman's with 95 % "
        "intervals over people; differences count where their 95 % interval leaves out zero.",
        table=Table(
            {
                "test": [row[0] for row in rows],
                "expected": [row[1] for row in rows],
                "found": [row[2] for row in rows],
            }
        ),
    )


def _correlated(table: Table) -> list[tuple[str, str, str]]:
    names = {ours: theirs for ours, theirs in TESTED.items() if ours in table}
    answers = Answers(
        {"participant": table["participant"], **{names[name]: table[name] for name in names}},
        provenance=Provenance(method="answers of the study"),
    )
    correlations = item_correlations(answers)
    expected = {
        "T1": "acceptability goes with usefulness",
        "T2": "usefulness goes with intention to use",
    }
    correlations_by_test = (
        {}
        if correlations is None
        else {row["test"]: row for row in correlations.rows() if row["test"]}
    )
    return [
        (test, text, _correlation(correlations_by_test.get(test)))
        for test, text in expected.items()
    ]


def _correlation(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "not asked"
    if not np.isfinite(row["spearman"]):
        return "not known: the answers do not differ"
    value = f"{row['spearman']:.2f}"
    if not np.isfinite(row["lower"]):
        return f"{value}; too few people for an interval"
    return f"{value} [{row['lower']:.2f}, {row['upper']:.2f}]"


def _applications_differ(fit: AcceptabilityFit) -> str:
    if len(fit.applications) < 2:
        return "not tested: one application"
    parts = []
    for name, words in (("alpha", "in which errors weigh more"), ("slope", "in how much they do")):
        table = fit.differences(name)
        parts.append(f"{int(table['credible'].sum())} of {len(table)} pairs differ {words}")
    return "; ".join(parts)


def _interfaces(effects: Sequence[InterfaceEffect]) -> str:
    if not effects:
        return "not tested: one interface"
    telling = sum(not effect.lower <= 0 <= effect.upper for effect in effects)
    return f"{telling} of {len(effects)} interfaces are rated differently from the first"


def _reliability(table: Table, study: Study) -> tuple[Section, ...]:
    """Return the reliability of every construct with several items."""
    keys = tuple(item.key for item in survey_items(plan_of(study, SurveyPlan), study.language))
    rows = []
    for name, items in constructs_of(keys).items():
        try:
            reliabilities = learn.reliability(table, items=items)
        except InputError:
            rows.append((name, len(items), "not known: the answers do not differ", "", 0))
            continue
        omega = (
            "no single factor fits" if reliabilities.omega is None else _shown(reliabilities.omega)
        )
        known = omega if len(items) > 2 else "needs three items"
        rows.append((name, len(items), _shown(reliabilities.alpha), known, reliabilities.n_people))
    if not rows:
        return ()
    heads = ("construct", "items", "Cronbach's alpha", "McDonald's omega", "people")
    return (
        Section(
            title="Reliability",
            text="How consistently several items measure one thing, from 0 to 1, with 95 % "
            "intervals over people.",
            table=Table({head: [row[at] for row in rows] for at, head in enumerate(heads)}),
        ),
    )


def _shown(estimate: Estimate) -> str:
    if not np.isfinite(estimate.sd):
        return f"{estimate.mean:.2f}; too few people for an interval"
    return with_interval(estimate)


def branches_to_fit(sample: Sample, study: Study) -> dict[str, set[str]]:
    """Return the people of every branch that has enough for a fit of its own; none for one."""
    known = [branch.key for branch in plan_of(study, SurveyPlan).branches]
    people: dict[str, set[str]] = {}
    for person in sample.people:
        name = (person.participation.condition or "").partition(":")[0]
        if name in known:
            people.setdefault(name, set()).add(person.participation.participant)
    enough = {name: who for name, who in people.items() if len(who) >= _LEAST_IN_BRANCH}
    return enough if len(enough) > 1 else {}


def _branches(
    by_branch: Mapping[str, AcceptabilityFit], together: AcceptabilityFit
) -> tuple[Section, ...]:
    if not by_branch:
        return ()
    rows = [
        (branch, name, fit.respondents[name], with_interval(shown_alpha(fit, name)))
        for branch, fit in {**by_branch, "all together": together}.items()
        for name in fit.applications
    ]
    heads = ("branch", "application", "people", "alpha")
    return (
        Section(
            title="Branch by branch",
            is_detail=True,
            about="The weight of precision as each branch alone gives it, and all together.",
            text="0: only recall counts; 1: only precision. Means with 95 % intervals, which "
            "hold for other people like these.",
            table=Table({head: [row[at] for row in rows] for at, head in enumerate(heads)}),
        ),
    )


def design_text(sample: Sample, study: Study) -> str:
    """Return how people were asked: design, levels, recruitment, exclusions."""
    plan = plan_of(study, SurveyPlan)
    scenarios = len(plan.precision) * len(plan.recall)
    names = ", ".join(application.name for application in plan.applications)
    text = (
        f"Participants judged scenarios of {len(plan.applications)} application(s) ({names}). "
        f"Precision took the levels {_levels(plan.precision)} and recall "
        f"{_levels(plan.recall)}, shown as whole counts for {plan.real_positives} occurrences"
        f"{f' in {plan.cases} cases' if plan.cases else ''}; each person judged "
        f"{_shown_per_application(plan, scenarios)}, in random order. "
    )
    if plan.branches:
        text += (
            f"People were assigned at random, in balance, to {len(plan.branches)} branches of "
            "applications. "
        )
    items = survey_items(plan, study.language)
    text += f"Each scenario was rated on {len(items)} item(s). "
    text += f"Recruitment: {study.recruitment or 'not stated in the study file'}. "
    left = ", ".join(f"{n} ({reason})" for reason, n in sample.left_out.items())
    text += f"{len(sample.people)} people entered the analysis; left out: {left or 'nobody'}."
    return text


def _shown_per_application(plan: SurveyPlan, scenarios: int) -> str:
    if plan.micro_task:
        return "one scenario"
    shown = min(plan.per_application or scenarios, scenarios)
    of_all = f"a random {shown} of {scenarios}" if shown < scenarios else f"all {scenarios}"
    return f"{of_all} scenarios per application"


def _levels(levels: Sequence[float | str]) -> str:
    return ", ".join(str(level) for level in levels)
