"""Kinds of failure in words, tables and a picture: what weighs, what is tolerated.

In: `FailuresFit`, `FailureBar`, `FailureGate`. Out: findings, plain values, a `Report`, thresholds
for promptfoo. Absent: fitting, deciding, writing files.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.learn.failures import FailuresFit, silent_reason
from howgood.records.estimate import Estimate
from howgood.records.evidence import FEW_PEOPLE
from howgood.records.failures import FailureBar, FailureGate
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.show.acceptability import USUAL_PEOPLE, picture_section
from howgood.show.figures import theme
from howgood.show.figures.theme import COLOURS, INK, canvas
from howgood.show.numbers import percent, plain, share_of_draws, share_text
from howgood.show.people import fitted_people
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TONES = {"pass": "good", "fail": "bad", "investigate": "unsure"}
_SHARE = 0.7
# A kind is said to be the first where it is with this probability.
_SURE = 0.9
CAUTIONS = (
    "These are answers about imagined systems, in counts as they were shown; rates far outside "
    "those shown are extrapolated.",
    "The results hold for the feature as it was described and for people like those asked.",
)


def failure_findings(fit: FailuresFit, *, bar: FailureBar | None = None) -> tuple[Finding, ...]:
    """Return what the fit says, most useful first; a bar that is known says what is tolerated."""
    people = fitted_people(fit.n_respondents, fit.provenance)
    if silent_reason(fit.cells):  # all else would come from the priors
        return (*_evidence(fit), *people)
    usual = usual_rates(fit)
    return (
        *_evidence(fit),
        *_relative(fit),
        _accepting(fit, usual),
        *_removing(fit, usual),
        *(_tolerated(fit) if bar is None else ()),
        *people,
    )


def usual_rates(fit: FailuresFit) -> dict[str, float]:
    """Return one failure of every kind in a scenario: rates to speak about."""
    rate = 1.0 / fit.out_of
    most = int(0.5 * fit.out_of)
    return dict.fromkeys(fit.kinds[:most], rate)


def failure_report(fit: FailuresFit, bar: FailureBar | None = None) -> Report:
    """Return the report of a fit of failures; with a bar, what that asks for comes first."""
    weights = dict(sorted(fit.weights.items(), key=lambda pair: -pair[1].mean))
    return Report(
        title="Which failures people tolerate",
        question="Which kinds of failure weigh most, and how often may each happen?",
        findings=failure_findings(fit, bar=bar),
        sections=(
            picture_section(
                "What one failure costs",
                f"Logits lost by one failing answer of {fit.out_of}, by kind, with 95 % interval.",
                weight_figure(weights, out_of=fit.out_of),
            ),
            Section(
                title="How often each may happen",
                text=f"The rate at which {percent(_SHARE)} of people still accept, when nothing "
                "else fails.",
                table=tolerable_table(fit),
            ),
            Section(
                title="How many of one weigh as much as one of another",
                text="Medians with 95 % intervals; rows weigh as much as so many of the column.",
                table=relative_table(fit),
            ),
            Section(
                title="Parameters",
                is_detail=True,
                about="Every number the model learned, with its interval.",
                table=fit.summary(),
            ),
            *_powers(fit),
        ),
        methods=fit.methods_text(),
        provenance=fit.provenance,
        cautions=CAUTIONS,
        headlines=() if silent_reason(fit.cells) else (failure_headline(fit, bar),),
    )


def failure_headline(fit: FailuresFit, bar: FailureBar | None = None) -> Headline:
    """Return the answer: who would accept one failure of every kind, what weighs most."""
    rates = usual_rates(fit)
    share = fit.predict(rates)
    ends = share.interval
    more = [_heaviest(fit)]
    if bar is not None:
        more.append(bar_findings(bar)[-1].text)
    return Headline(
        title=f"One failure of {'every kind' if len(rates) > 1 else 'this kind'} in {fit.out_of}",
        text=f"When each kind ({', '.join(rates)}) happens once in {fit.out_of} answers, "
        f"{percent(share.mean)} of people would accept it (likely between {100 * ends.lower:.0f} "
        f"and {100 * ends.upper:.0f} %).",
        share=(ends.lower, share.mean, ends.upper),
        point=(0.0, 0.0),
        people=fit.n_respondents,
        wanted=USUAL_PEOPLE,
        more=tuple(more),
        is_enough=fit.evidence == "enough",
    )


def _heaviest(fit: FailuresFit) -> str:
    """Say which kind weighs most, where that is settled, and how much of it is tolerated."""
    heaviest = max(fit.kinds, key=lambda kind: fit.weights[kind].mean)
    rate = _rate_text(fit.tolerable(heaviest, share=_SHARE))
    chance = _leads({kind: fit.weights[kind].draws for kind in fit.kinds}, heaviest)
    if chance >= _SURE:
        return f"{heaviest} weighs most: alone, {percent(_SHARE)} of people tolerate {rate} of it."
    return (
        f"Which kind weighs most is not settled: {heaviest} does with a probability of "
        f"{percent(chance)}. Alone, {percent(_SHARE)} of people tolerate {rate} of it."
    )


def _leads(draws: Mapping[str, FloatArray], name: str) -> float:
    """Return the probability that the draws of a name are the largest."""
    return float(np.mean(draws[name] >= np.max(list(draws.values()), axis=0)))


def failure_values(fit: FailuresFit) -> dict[str, Any]:
    """Return a fit's results as plain values, ready for JSON."""
    return {
        "findings": [finding.text for finding in failure_findings(fit)],
        "evidence": fit.evidence,
        "weights": {kind: weight.to_dict() for kind, weight in fit.weights.items()},
        "tolerable": tolerable_table(fit),
        "relative": relative_table(fit),
        "powers": {f"{p:g}": share for p, share in fit.power_probabilities.items()},
        "diagnostics": fit.diagnostics.to_dict(),
        "methods": fit.methods_text(),
        "provenance": fit.provenance.to_dict(),
    }


def save_weights_picture(fit: FailuresFit, path: Path) -> Path:
    """Write the picture of the weights to a file."""
    with weight_figure(fit.weights, out_of=fit.out_of) as figure:
        return theme.save(figure, path)


@contextmanager
def weight_figure(weights: Mapping[str, Estimate], *, out_of: int) -> Iterator["Figure"]:
    """Draw the cost of one failure of each kind with its interval."""
    with canvas(width=6.0, height=1.3 + 0.5 * len(weights)) as figure:
        axes = figure.subplots()
        for row, estimate in enumerate(weights.values()):
            ends = estimate.interval
            axes.plot([ends.lower, ends.upper], [-row, -row], color=COLOURS[0], lw=2.4)
            axes.plot([estimate.mean], [-row], "o", color=COLOURS[0], ms=7)
            axes.annotate(
                plain(estimate.mean, digits=2), (ends.upper, -row), xytext=(8, 0),
                textcoords="offset points", va="center", color=INK, fontsize=9,
            )  # fmt: skip
        axes.set_yticks([-row for row in range(len(weights))], list(weights))
        axes.set_ylim(-len(weights) + 0.4, 0.6)
        axes.set_xlim(left=0.0)
        axes.set_xlabel(f"logits lost by one failing answer of {out_of}, 95 % interval")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        yield figure


def tolerable_table(fit: FailuresFit) -> Table:
    """Return the tolerable rate of each kind alone, with its interval."""
    tolerable = [fit.tolerable(kind, share=_SHARE) for kind in fit.kinds]
    return Table(
        {
            "kind": list(fit.kinds),
            "rate": [_percent(estimate.mean) for estimate in tolerable],
            "lower": [_percent(estimate.interval.lower) for estimate in tolerable],
            "upper": [_percent(estimate.interval.upper) for estimate in tolerable],
        }
    )


def relative_table(fit: FailuresFit) -> Table:
    """Return how many of each other kind weigh as much as one of a kind."""
    columns: dict[str, list[str]] = {"one of": list(fit.kinds)}
    for to in fit.kinds:
        columns[f"weighs like so many of {to}"] = [
            "1" if kind == to else _ratio_text(fit.relative(kind, to=to)) for kind in fit.kinds
        ]
    return Table(columns)


def bar_findings(bar: FailureBar) -> tuple[Finding, ...]:
    """Say what rates of failure are tolerated."""
    share = percent(bar.share)
    alone = "; ".join(f"{kind} {_rate_text(one_rate)}" for kind, one_rate in bar.alone.items())
    findings = (
        []  # what is tolerated would come from the priors
        if bar.evidence == "none"
        else [Finding(text=f"Where nothing else fails, {share} of people tolerate: {alone}.")]
    )
    if bar.together is None:
        why = (
            "the answers do not suffice"
            if bar.evidence != "enough"
            else f"{share} accept with probability {percent(bar.reachable, digits=1)} even where "
            "almost nothing fails"
        )
        text = (
            f"No rates are known to be low enough with certainty {percent(bar.certainty)}: {why}."
        )
        return (*findings, Finding(text=text, tone="unsure"))
    listed = ", ".join(f"{kind} {_percent(rate)}" for kind, rate in bar.together.items())
    text = (
        f"Together, these rates are low enough for {share} of people with certainty "
        f"{percent(bar.certainty)}: {listed}; so at least {_percent(1 - (bar.failing or 0.0))} of "
        "the answers must be right."
    )
    return (*findings, Finding(text=text, tone="good"))


def failure_gate_findings(gate: FailureGate) -> tuple[Finding, ...]:
    """Say whether a system fails seldom enough, and why."""
    meaning = {
        "pass": "enough people would accept it",
        "fail": "too few people would accept it",
        "investigate": "the evidence does not say; ask more people or evaluate more cases",
    }[gate.verdict]
    rates = ", ".join(f"{kind} {_percent(rate)}" for kind, rate in gate.rates.items())
    text = (
        f"{gate.verdict}: {meaning}. Of {gate.cases} answers failed: {rates}. "
        f"{gate.application}: {share_text(gate.acceptance)} would accept it; probability "
        f"{share_of_draws(gate.p_enough)} that at least {percent(gate.share)} do."
    )
    return (Finding(text=text, tone=_TONES[gate.verdict]),)


def promptfoo_config(bar: FailureBar) -> str:
    """Return thresholds as a piece of a promptfoo configuration (YAML).

    promptfoo stops a run below a pass rate of all tests (PROMPTFOO_PASS_RATE_THRESHOLD, in per
    cent); the rates by kind stand in `metadata`, where `howgood bar FIT --log` and people find
    them.
    """
    if bar.together is None:
        raise ValueError("no rates are known to be low enough")
    needed = 100.0 * (1.0 - sum(bar.together.values()))
    kinds = "".join(f"      {_quoted(kind)}: {rate:.6f}\n" for kind, rate in bar.together.items())
    return (
        f"# howgood bar: {percent(bar.share)} of people accept {bar.application!r} with certainty "
        f"{percent(bar.certainty)}\n"
        f'env:\n  PROMPTFOO_PASS_RATE_THRESHOLD: "{needed:.2f}"\n'
        f"defaultTest:\n  metadata:\n    tolerable_failure_rates:\n{kinds}"
    )


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _evidence(fit: FailuresFit) -> list[Finding]:
    reason = silent_reason(fit.cells)
    if reason:
        text = f"Not enough evidence: the answers say nothing about {reason}."
        return [Finding(text=text, tone="bad")]
    if fit.n_respondents < FEW_PEOPLE:
        text = (
            f"Not enough evidence: {fit.n_respondents} people answered, and decisions need "
            f"{FEW_PEOPLE} or more."
        )
        return [Finding(text=text, tone="unsure")]
    return []


def _relative(fit: FailuresFit) -> list[Finding]:
    """Compare each kind with the next lighter one, and the heaviest with the lightest."""
    order = sorted(fit.kinds, key=lambda kind: -fit.weights[kind].mean)
    if len(order) < 2:
        return []
    pairs = (
        [(order[0], order[-1])] if len(order) == 2 else [(order[0], order[-1]), *pairwise(order)]
    )
    findings = []
    for heavy, light in pairs[:3]:
        ratio = fit.relative(heavy, to=light)
        tone = "neutral" if ratio.interval.lower > 1.0 else "unsure"
        weight = _ratio_text(ratio)
        text = f"One failure of the kind {heavy!r} weighs as much as {weight} of {light!r}."
        findings.append(Finding(text=text, tone=tone))
    return findings


def _accepting(fit: FailuresFit, rates: Mapping[str, float]) -> Finding:
    listed = ", ".join(f"{_percent(rate)} {kind}" for kind, rate in rates.items())
    return Finding(text=f"{share_text(fit.predict(rates))} would accept it with {listed}.")


def _removing(fit: FailuresFit, rates: Mapping[str, float]) -> list[Finding]:
    if len(rates) < 2:
        return []
    gains = {kind: fit.without(kind, rates) for kind in rates}
    best = max(rates, key=lambda kind: gains[kind].mean)
    left = {kind: rate for kind, rate in rates.items() if kind != best}
    gain = gains[best]
    chance = _leads({kind: each.draws for kind, each in gains.items()}, best)
    most = ", the most of all kinds" if chance >= _SURE else ""
    points = f"{100 * gain.mean:.0f} [{100 * gain.interval.lower:.0f} to "
    text = (
        f"Without {best!r}, {share_text(fit.predict(left))} would: {points}"
        f"{100 * gain.interval.upper:.0f}] percentage points more{most}."
    )
    return [Finding(text=text)]


def _tolerated(fit: FailuresFit) -> list[Finding]:
    rates = [f"{kind} {_rate_text(fit.tolerable(kind, share=_SHARE))}" for kind in fit.kinds]
    text = f"Where nothing else fails, {percent(_SHARE)} of people tolerate: {'; '.join(rates)}."
    return [Finding(text=text)]


def _powers(fit: FailuresFit) -> list[Section]:
    if len(fit.power_probabilities) < 2:
        return []
    table = Table(
        {
            "power of the rate": [f"{p:g}" for p in fit.power_probabilities],
            "probability": list(fit.power_probabilities.values()),
        }
    )
    text = "1: the tenth failure weighs as much as the first; below 1 the first ones weigh most."
    return [Section(title="Do the first failures weigh most?", text=text, table=table)]


def _ratio_text(ratio: Estimate) -> str:
    ends = ratio.interval
    return f"{np.median(ratio.draws):.2g} [{ends.lower:.2g} to {ends.upper:.2g}]"


def _rate_text(rate: Estimate) -> str:
    ends = rate.interval
    return f"{_percent(rate.mean)} [{100 * ends.lower:.1f} to {100 * ends.upper:.1f}]"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"
