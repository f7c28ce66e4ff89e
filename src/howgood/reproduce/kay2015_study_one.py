"""Kay, Patel, Kientz (2015), Study 1: face validity, on the public answers; checks and their rules.

In: the public answers, read as the paper describes them. Out: `Check`s and pictures. Absent:
Study 2 and what can only be simulated (see `kay2015`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood import ask, learn
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.records.estimate import Estimate
from howgood.records.progress import Progress
from howgood.records.reproduction import Check
from howgood.records.table import Table, frame_columns
from howgood.show.acceptability import answered_curves, curves, observed_shares
from howgood.show.figures import acceptability as figures
from howgood.show.figures import theme
from howgood.show.numbers import plain

COLUMNS = {
    "participant": "participant",
    "application": "application",
    "precision": "ppv",
    "recall": "tpr",
    "rating": "acceptable",
    "usefulness": "useful",
    "intent": "would_use",
}
_OTHERS = ("branch", "gender", "tp", "fn", "fp", "desired_tpr", "desired_ppv")
NAMES = {
    "alarm_police": "Alarm (police)",
    "alarm_text_message": "Alarm (text message)",
    "electricity": "Electricity monitor",
    "location": "Location tracker",
}
PER_BRANCH = {"Application": 3 * 16, "UI": 2 * 16}
_TEXT, _POLICE = "alarm_text_message", "alarm_police"
_ELECTRICITY, _LOCATION = "electricity", "location"
NO_DATA = (
    "needs the public answers (kay2015_study1.csv, CC BY 4.0, in the authors' repository): "
    "get them with --fetch, or name the file with --data"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Where the paper says what."""

    item: str
    place: str
    text: str


def close(
    claim: Claim, *, paper: float, ours: float, within: float, digits: int = 2, note: str = ""
) -> Check:
    """Hold when our number lies within a distance of the paper's."""
    return _check(
        claim,
        paper=plain(paper, digits=digits),
        ours=plain(ours, digits=digits + 1),
        holds=abs(paper - ours) <= within,
        rule=f"within {within:g}",
        note=note,
    )


def close_interval(
    claim: Claim, *, paper: tuple[float, float, float], ours: Estimate, within: float
) -> Check:
    """Hold when mean and both ends lie within a distance and agree about zero."""
    own = (ours.mean, ours.interval.lower, ours.interval.upper)
    near = all(abs(a - b) <= within for a, b in zip(paper, own, strict=True))
    same_verdict = (paper[1] <= 0 <= paper[2]) == (0.0 in ours.interval)
    return _check(
        claim,
        paper=_with_ends(paper),
        ours=_with_ends(own),
        holds=near and same_verdict,
        rule=f"mean and ends within {within:g}, and the same answer to: is zero outside?",
    )


def true(claim: Claim, *, paper: str, ours: str, holds: bool, rule: str, note: str = "") -> Check:
    """Hold when a statement is true of our numbers."""
    return _check(claim, paper=paper, ours=ours, holds=holds, rule=rule, note=note)


def unknown(claim: Claim, *, paper: str, why: str) -> Check:
    """Say that a claim cannot be checked here, and why."""
    return Check(
        item=claim.item,
        place=claim.place,
        claim=claim.text,
        paper=paper,
        ours="",
        verdict="cannot be checked here",
        note=why,
    )


def simulated(checks: Sequence[Check]) -> list[Check]:
    """Label checks as made on simulated people."""
    return [
        Check(
            item=check.item,
            place=check.place,
            claim=check.claim,
            paper=check.paper,
            ours=check.ours,
            verdict=check.verdict,
            rule=check.rule,
            note=" ".join(filter(None, ("On simulated people.", check.note))),
        )
        for check in checks
    ]


def _check(claim: Claim, *, paper: str, ours: str, holds: bool, rule: str, note: str = "") -> Check:
    return Check(
        item=claim.item,
        place=claim.place,
        claim=claim.text,
        paper=paper,
        ours=ours,
        verdict="holds" if holds else "does not hold",
        rule=rule,
        note=note,
    )


def _with_ends(values: tuple[float, float, float]) -> str:
    mean, lower, upper = (plain(value, digits=2) for value in values)
    return f"{mean} [{lower}, {upper}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOne:
    """The raw columns, and a fit of both branches together and of each alone."""

    raw: Mapping[str, NDArray[Any]]
    both: AcceptabilityFit
    application: AcceptabilityFit
    interface: AcceptabilityFit

    def people(self, branch: str) -> int:
        """Return how many people answered a branch."""
        return len(set(self.raw["participant"][self.raw["branch"] == branch].tolist()))

    def incomplete(self, branch: str) -> int:
        """Return how many people of a branch did not answer all of its scenarios."""
        here = self.raw["branch"] == branch
        _, counts = np.unique(self.raw["participant"][here].astype(str), return_counts=True)
        return int(np.sum(counts < PER_BRANCH[branch]))

    def share_female(self) -> float:
        """Return the share of people who call themselves female."""
        people = dict(zip(self.raw["participant"], self.raw["gender"], strict=True))
        return float(np.mean([gender == "Female" for gender in people.values()]))


def read_study_one(data: Path, *, random_state: int, progress: Progress) -> StudyOne:
    """Read the public file and fit it three times with the paper's priors."""
    raw = frame_columns(ask.open_table(data), [*COLUMNS.values(), *_OTHERS], where=str(data))
    fits = []
    for index, branch in enumerate((None, "Application", "UI")):
        progress(0.05 + 0.2 * index, f"fit {branch or 'both branches'}")
        rows = np.full(len(raw["branch"]), True) if branch is None else raw["branch"] == branch
        table = Table({ours: raw[theirs][rows] for ours, theirs in COLUMNS.items()})
        fits.append(
            learn.fit_acceptability(table, priors="kay2015", random_state=random_state + index)
        )
    return StudyOne(raw=raw, both=fits[0], application=fits[1], interface=fits[2])


def study_one_checks(study: StudyOne) -> list[Check]:
    """Return every check of Study 1."""
    return [
        *_scenario_checks(study),
        *_sample_checks(study),
        *_mean_checks(study.both),
        *_alpha_checks(study),
        *_difference_checks(study),
        *_pooling_checks(study),
        *_slope_checks(study),
        *_item_checks(study.both),
    ]


def study_one_without_data() -> list[Check]:
    """Name every check that needs the file."""
    claims = (
        ("S0-11", "Instrument, fn 1", "sixteen scenarios in whole numbers", "16"),
        ("S0-21", "Participants", "50 people, 26 and 24 per branch, half of them female", "50"),
        ("S0-22", "Participants", "11 and 3 people did not finish", "11 / 3"),
        ("S0-28", "Results", "P(p), Bayes factor", ".81 / .17 / 4.7"),
        ("S0-30", "Fig. 2", "acceptance rises with the weighted mean", "rises"),
        ("S0-31", "Fig. 3", "alphas", ".49 .49 .30 .53 .42"),
        ("S0-32", "Results T3, T4", "differences of alpha", "-.19 -.19 -.12"),
        ("S0-33", "fn 6", "both branches together are consistent and more precise", "consistent"),
        ("S0-34", "Results T3", "odds ratio, difference of slopes", "1.2 / 6.6"),
        ("S0-35", "Results T1, T2", "Spearman correlations", ".89 / .85"),
    )
    return [
        unknown(Claim(item=item, place=place, text=text), paper=paper, why=NO_DATA)
        for item, place, text, paper in claims
    ]


def study_one_figures(study: StudyOne) -> dict[str, str]:
    """Return Fig. 2 and Fig. 3 as SVG."""
    with figures.acceptance_figure(
        {NAMES[name]: draws for name, draws in curves(study.both, p=0).items()},
        _renamed(study.both),
        {NAMES[name]: curve for name, curve in answered_curves(study.both, p=0).items()},
    ) as figure:
        second = theme.to_svg(figure, title="Fig. 2: acceptance by weighted geometric mean")
    groups = {
        "A. Application branch": study.application,
        "B. Both branches together": study.both,
        "C. User interface branch": study.interface,
    }
    alphas = {
        title: {NAMES[name]: fit.estimate("alpha", name, p=0) for name in fit.applications}
        for title, fit in groups.items()
    }
    with figures.alpha_figure(alphas, title="Weight of precision (alpha), given p = 0") as figure:
        third = theme.to_svg(figure, title="Fig. 3: posterior of alpha by branch")
    return {"s0-fig2-acceptance": second, "s0-fig3-alpha": third}


def _scenario_checks(study: StudyOne) -> list[Check]:
    shown = {
        (scenario.true_positives, scenario.false_negatives, scenario.false_positives)
        for scenario in ask.scenarios()
    }
    asked = {
        tuple(int(value) for value in row)
        for row in zip(study.raw["tp"], study.raw["fn"], study.raw["fp"], strict=True)
    }
    return [
        true(
            Claim(item="S0-11", place="Instrument, fn 1", text="16 scenarios, whole numbers"),
            paper="16",
            ours=f"{len(shown)}; {len(shown & asked)} of the {len(asked)} people saw",
            holds=shown == asked,
            rule="our generator gives exactly the counts in the public answers",
        )
    ]


def _sample_checks(study: StudyOne) -> list[Check]:
    counts = (study.people("Application"), study.people("UI"))
    missing = (study.incomplete("Application"), study.incomplete("UI"))
    file_note = "The public file holds three more people than the paper reports."
    return [
        true(
            Claim(item="S0-21", place="Participants", text="people, per branch"),
            paper="50 (26 / 24)",
            ours=f"{sum(counts)} ({counts[0]} / {counts[1]})",
            holds=counts == (26, 24),
            rule="the same numbers",
            note=file_note,
        ),
        close(
            Claim(item="S0-21", place="Participants", text="share of women"),
            paper=0.5,
            ours=study.share_female(),
            within=0.05,
        ),
        true(
            Claim(item="S0-22", place="Participants", text="people who did not finish, per branch"),
            paper="11 / 3",
            ours=f"{missing[0]} / {missing[1]}",
            holds=missing == (11, 3),
            rule="fewer answers than the branch has scenarios (48 and 32)",
            note=file_note,
        ),
    ]


def _mean_checks(fit: AcceptabilityFit) -> list[Check]:
    probability = fit.mean_probabilities
    factor = fit.bayes_factor(0, -1)
    return [
        close(
            Claim(item="S0-28", place="Results", text="P(geometric mean)"),
            paper=0.81, ours=probability[0], within=0.05,
        ),
        close(
            Claim(item="S0-28", place="Results", text="P(harmonic mean, F-measure)"),
            paper=0.17, ours=probability[-1], within=0.05,
        ),
        true(
            Claim(item="S0-28", place="Results", text="Bayes factor geometric : harmonic"),
            paper="4.7",
            ours=plain(factor, digits=1),
            holds=4.7 / 1.5 <= factor <= 4.7 * 1.5,
            rule="within a factor of 1.5",
            note="The paper's .81 / .17 round to 4.8. With slopes of prior sd 5 the harmonic mean "
            "would win: the answers do not settle the kind of mean.",
        ),
    ]  # fmt: skip


def _alpha_checks(study: StudyOne) -> list[Check]:
    claims = (
        ("Fig. 3A", study.application, _ELECTRICITY, 0.49),
        ("Fig. 3A", study.application, _LOCATION, 0.49),
        ("Fig. 3A", study.application, _TEXT, 0.30),
        ("Fig. 3C", study.interface, _POLICE, 0.53),
        ("Fig. 3C", study.interface, _TEXT, 0.42),
    )
    checks = [
        close(
            Claim(item="S0-31", place=place, text=f"alpha of {NAMES[name]}, given p = 0"),
            paper=paper,
            ours=fit.estimate("alpha", name, p=0).mean,
            within=0.02,
        )
        for place, fit, name, paper in claims
    ]
    above = study.interface.probability_alpha_above(0.5, application=_POLICE, p=0)
    checks.append(
        close(
            Claim(item="S0-32", place="Results T4", text="P(alpha of the police alarm > .5)"),
            paper=0.81,
            ours=above,
            within=0.05,
        )
    )
    return [*checks, _rises_check(study)]


def _rises_check(study: StudyOne) -> Check:
    observed = observed_shares(study.both)
    correlations = {}
    for name in study.both.applications:
        rows = observed["application"] == name
        mean = study.both.metric(name, p=0).of(
            observed["precision"][rows], observed["recall"][rows]
        )
        correlations[name] = float(np.corrcoef(mean, observed["accepted"][rows])[0, 1])
    lowest = min(correlations.values())
    return true(
        Claim(item="S0-30", place="Fig. 2", text="acceptance rises with the weighted mean"),
        paper="clearly associated",
        ours=f"correlation over scenarios at least {plain(lowest, digits=2)}",
        holds=lowest >= 0.8,
        rule="correlation of at least .8 in every application",
    )


def _difference_checks(study: StudyOne) -> list[Check]:
    claims = (
        (study.application, _TEXT, _ELECTRICITY, (-0.19, -0.30, -0.09), "T3"),
        (study.application, _TEXT, _LOCATION, (-0.19, -0.32, -0.07), "T3"),
        (study.interface, _TEXT, _POLICE, (-0.12, -0.22, -0.01), "T4"),
    )
    return [
        close_interval(
            Claim(
                item="S0-32",
                place=f"Results {test}",
                text=f"alpha: {NAMES[first]} − {NAMES[second]}",
            ),
            paper=paper,
            ours=fit.difference("alpha", first, second, p=0),
            within=0.02,
        )
        for fit, first, second, paper, test in claims
    ]


def _pooling_checks(study: StudyOne) -> list[Check]:
    pooled = study.both.estimate("alpha", _TEXT, p=0)
    alone = [fit.estimate("alpha", _TEXT, p=0) for fit in (study.application, study.interface)]
    apart = [
        0.0 not in study.both.difference("alpha", _TEXT, other, p=0).interval
        for other in (_ELECTRICITY, _LOCATION, _POLICE)
    ]
    inside = all(pooled.mean in estimate.interval for estimate in alone)
    return [
        true(
            Claim(item="S0-33", place="fn 6, Fig. 3B", text="pooled alpha of the text alarm: more "
                  "precise, inside both intervals, same credible differences"),
            paper="yes",
            ours=f"{plain(pooled.mean, digits=3)}, sd {plain(pooled.sd, digits=3)} against "
            f"{plain(alone[0].sd, digits=3)} and {plain(alone[1].sd, digits=3)}",
            holds=inside and pooled.sd < min(estimate.sd for estimate in alone) and all(apart),
            rule="all three",
        )
    ]  # fmt: skip


def _slope_checks(study: StudyOne) -> list[Check]:
    ratios = {
        (fit_name, name): fit.odds_ratio(name, p=0)
        for fit_name, fit in (("A", study.application), ("C", study.interface))
        for name in fit.applications
    }
    typical = float(np.median([ratio.mean for ratio in ratios.values()]))
    return [
        close(
            Claim(item="S0-34", place="Results T3", text="typical odds ratio per .01 of the mean"),
            paper=1.2,
            ours=typical,
            within=0.05,
            digits=1,
        ),
        true(
            Claim(item="S0-34", place="Results T3", text="every slope credibly above 0"),
            paper="yes",
            ours=f"lowest odds ratio's lower end "
            f"{plain(min(ratio.interval.lower for ratio in ratios.values()), digits=2)}",
            holds=all(ratio.interval.lower > 1 for ratio in ratios.values()),
            rule="every interval of the odds ratio above 1",
        ),
        close_interval(
            Claim(item="S0-34", place="Results T3", text="slope: electricity − location"),
            paper=(6.6, 0.3, 12.6),
            ours=study.application.difference("slope", _ELECTRICITY, _LOCATION, p=0),
            within=1.0,
        ),
    ]


def _item_checks(fit: AcceptabilityFit) -> list[Check]:
    claims = {"T1": (0.89, "acceptability and usefulness"), "T2": (0.85, "usefulness and intent")}
    rows = {row["test"]: row for row in fit.correlations.rows()} if fit.correlations else {}
    return [
        close(
            Claim(item="S0-35", place=f"Results {test}", text=f"Spearman: {text}"),
            paper=paper,
            ours=rows[test]["spearman"],
            within=0.005,
            note=f"standard error {plain(rows[test]['se'], digits=3)}, people left out in turn: "
            "p < .001 follows",
        )
        for test, (paper, text) in claims.items()
    ]


def _renamed(fit: AcceptabilityFit) -> Table:
    table = observed_shares(fit)
    table["application"] = np.array([NAMES[name] for name in table["application"]], dtype=object)
    return table
