"""The weight of precision as it is printed: with an interval that holds for other people.

In: `AcceptabilityFit`. Out: the estimates that texts, pictures and tables show, the sentence that
says what they are for, and plain values. Absent: fitting (see `learn.other_people`).
"""

from typing import Any

from scipy.special import expit

from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.other_people import OtherPeople
from howgood.records.estimate import Estimate
from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.show.numbers import percent_of_draws, plain, with_interval


def shown_alpha(fit: AcceptabilityFit, name: str) -> Estimate:
    """Return alpha among people like those asked; of the one weight where nothing else is known."""
    others = fit.other_people()
    return fit.estimate("alpha", name) if others is None else others.alpha(name)


def shown_difference(fit: AcceptabilityFit, first: str, second: str) -> Estimate:
    """Return the difference of two alphas among people like those asked."""
    others = fit.other_people()
    if others is None:
        return fit.difference("alpha", first, second)
    return others.difference(first, second)


def other_people_finding(fit: AcceptabilityFit) -> Finding:
    """Say whether people weigh errors differently, and for whom intervals of alpha hold."""
    others = fit.other_people()
    if others is None:
        return Finding(
            text="Whether people weigh errors differently was not worked out: the intervals of "
            "alpha take one weight for everybody, and other people's may lie further away.",
            tone="unsure",
        )
    likeliest = max(fit.mean_probabilities.values(), default=1.0)
    is_open = others.verdict != "one weight" and likeliest < _DECISIVE
    return Finding(text=_sentence(others) + _OPEN * is_open, tone=_TONES[others.verdict])


_WIDE_ENOUGH = "the intervals of alpha are wide enough for other people if they do."
# The probability from which on a kind of mean is said to be decided.
_DECISIVE = 0.95
_OPEN = " They take the likeliest kind of mean as known, which these answers leave open."
_TONES = {"own weights": "neutral", "one weight": "neutral", "not enough evidence": "unsure"}


def _sentence(others: OtherPeople) -> str:
    likely = percent_of_draws(others.probability)
    if others.verdict == "one weight":
        return (
            f"People weigh errors alike ({likely} probability that they do not): the intervals of "
            "alpha hold for other people, too."
        )
    if others.verdict == "own weights":
        # Nine in ten of a normal lie below 1.28 sd.
        lower, upper = (expit(sign * 1.28 * others.spread.mean) for sign in (-1.0, 1.0))
        return (
            f"People weigh errors differently ({likely} probability): where the middle person's "
            f"alpha is 0.5, four in five lie between {plain(lower, digits=2)} and "
            f"{plain(upper, digits=2)}. The intervals of alpha are about the middle person, and "
            "hold for people who were not asked."
        )
    if others.probability != others.probability:
        return (
            "Whether people weigh errors differently is not compared where the order of the mean "
            f"is continuous: {_WIDE_ENOUGH}"
        )
    return (
        "Not enough evidence to say whether people weigh errors differently "
        f"({likely} probability): {_WIDE_ENOUGH}"
    )


def other_people_sections(fit: AcceptabilityFit) -> list[Section]:
    """Return alpha where everybody has the same weight, and where everybody may have their own."""
    others = fit.other_people()
    if others is None:
        return []
    names = fit.applications
    return [
        Section(
            title="What other people would weigh",
            is_detail=True,
            about="The weight of precision if everybody has the same, and if people differ.",
            text="If everybody had the same weight, many answers of few people would show it; "
            "where everybody has their own, only more people do. If people differ, the sd of the "
            f"logit of alpha between them is {with_interval(others.spread)}.",
            table=Table(
                {
                    "application": list(names),
                    "alpha, one weight for all": [
                        with_interval(fit.estimate("alpha", name)) for name in names
                    ],
                    "alpha of the middle person": [
                        with_interval(others.alpha(name)) for name in names
                    ],
                }
            ),
        )
    ]


def other_people_values(fit: AcceptabilityFit) -> dict[str, Any] | None:
    """Return what is known of other people's weights as plain values; None where nothing is."""
    others = fit.other_people()
    if others is None:
        return None
    return {
        "verdict": others.verdict,
        "probability weights differ": None if others.probability != others.probability
        else others.probability,
        "mean_probabilities": {f"{p:g}": share for p, share in others.mean_probabilities.items()},
        "sd of logit alpha between people": others.spread.to_dict(),
        "alpha": {name: others.alpha(name).to_dict() for name in others.applications},
        "diagnostics": others.diagnostics.to_dict(),
        "provenance": others.provenance.to_dict(),
    }  # fmt: skip
