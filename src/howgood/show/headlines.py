"""What a reader of a survey's result came for, application by application.

In: an `AcceptabilityFit`. Out: `Headline`s with the share that would accept, what to aim for, and
which errors weigh more. Absent: drawing them (`story`), and everything that needs statistics words.
"""

from howgood import decide
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.evidence import falling_applications, silent_applications
from howgood.records.estimate import Estimate
from howgood.records.report import Headline
from howgood.show.numbers import percent

USUAL_PEOPLE = 25  # per application, as in the published studies
_REFERENCE = 0.85
_AIM = 0.8
_DRAWS = 2000


def fit_headlines(fit: AcceptabilityFit) -> tuple[Headline, ...]:
    """Return one headline per application whose answers say something about it."""
    quiet = {*silent_applications(fit.cells), *falling_applications(fit.cells)}
    return tuple(_headline(fit, name) for name in fit.applications if name not in quiet)


def _headline(fit: AcceptabilityFit, name: str) -> Headline:
    draws = fit.acceptance_draws(name).thinned(_DRAWS)
    share = draws.estimate(draws.shares(_REFERENCE, _REFERENCE))
    return Headline(
        title=name,
        text=accepting_text(share, _REFERENCE, _REFERENCE),
        share=(share.interval.lower, share.mean, share.interval.upper),
        point=(_REFERENCE, _REFERENCE),
        people=fit.respondents[name],
        wanted=USUAL_PEOPLE,
        more=(_weighing(fit, name), _aim(fit, name)),
        is_enough=fit.evidence_for(name) == "enough",
        acceptance=draws,
    )


def accepting_text(share: Estimate, precision: float, recall: float) -> str:
    """Say what share accepts an accuracy, with its interval in words.

    Examples
    --------
    >>> import numpy as np
    >>> share = Estimate.from_draws(np.linspace(0.5, 0.9, 101), kind="quantile")
    >>> accepting_text(share, 0.85, 0.9)[35:]
    '70 % of people would accept it (likely between 51 and 89 %).'
    """
    ends = share.interval
    return (
        f"At {percent(precision)} precision and {percent(recall)} recall, {percent(share.mean)} of "
        f"people would accept it (likely between {100 * ends.lower:.0f} and "
        f"{100 * ends.upper:.0f} %)."
    )


def _weighing(fit: AcceptabilityFit, name: str) -> str:
    above = fit.estimate("alpha", name).probability_above(0.5)
    if above <= 0.025:
        return "Misses weigh more than false alarms."
    if above >= 0.975:
        return "False alarms weigh more than misses."
    return "Not enough answers to say whether misses or false alarms weigh more."


def _aim(fit: AcceptabilityFit, name: str) -> str:
    target = decide.target(fit, name, share=_AIM)
    if target.needed_mean is None or target.reachable < 0.5:
        return f"Even a perfect system would probably not reach {percent(_AIM)} of people."
    ends = target.needed_mean.interval
    text = (
        f"For {percent(_AIM)} of people to accept it, aim for about "
        f"{percent(target.needed_mean.mean)} precision and recall (likely between "
        f"{100 * ends.lower:.0f} and {100 * min(ends.upper, 1):.0f} %)."
    )
    if target.reachable < 0.95:
        text += (
            f" Even a perfect system might not reach that many: {percent(target.reachable)} "
            "likely that it would."
        )
    return text
