"""Study 2 (weather): predictive validity. Its answers are not public.

In: nothing but the published numbers. Out: what follows from them by arithmetic, and what cannot
be checked here. Absent: simulated people (see `simulated_people`).
"""

import math

from scipy.special import ndtr

from howgood.flow.reproduce.s0.verdicts import Claim, close, true, unknown
from howgood.records.reproduction import Check
from howgood.show.numbers import plain

_NOT_PUBLIC = "the answers of Study 2 and the forecasters' accuracies were not published"


def study_two_checks() -> list[Check]:
    """Return what the published numbers say about each other, and what cannot be checked."""
    return [_variance_check(), _wet_bias_check(), *_not_checkable()]


def _variance_check() -> Check:
    scales = [math.exp(zeta) for zeta in (-0.437, -0.346)]
    variances = [scale**2 for scale in scales]
    return true(
        Claim(item="S0-42", place="Study 2 results", text="real ratings have about 60 % of the "
              "variance of hypothetical ones (zeta −.437 and −.346)"),
        paper="about .60",
        ours=f"variance {plain(variances[0], digits=2)} and {plain(variances[1], digits=2)}; "
        f"scale {plain(scales[0], digits=2)} and {plain(scales[1], digits=2)}",
        holds=all(abs(value - 0.6) <= 0.05 for value in variances),
        rule="exp(2 zeta) within .05 of .60",
        note="exp(zeta) is the ratio of scales, exp(2 zeta) that of variances; .60 is near "
        "neither. We report both, labelled.",
    )  # fmt: skip


def _wet_bias_check() -> Check:
    mean, lower, upper = 0.461, 0.382, 0.545
    implied = float(ndtr((0.5 - mean) / ((upper - lower) / (2 * 1.96))))
    return close(
        Claim(item="S0-43", place="Fig. 5", text="share of alpha's posterior below .5"),
        paper=0.823,
        ours=implied,
        within=0.01,
        digits=3,
        note="Implied by the published mean and interval, if the posterior is normal.",
    )


def _not_checkable() -> list[Check]:
    claims = (
        ("S0-36", "Study 2", "accuracy of real forecasters, Seattle 2013-14", "ForecastWatch data"),
        ("S0-41", "Results", "MAE of left-out people against the median baseline", ".93 / 1.09"),
        ("S0-42", "Results", "slope b1", "13.4 [9.92, 16.7]"),
        ("S0-42", "Results", "shifts of real ratings", "1.59 and 3.82"),
        ("S0-43", "Results", "alpha", ".461 [.382, .545]"),
        ("S0-43", "Results", "people who call missed rain the worse error", "88 %"),
        ("S0-44", "Results", "correlations of items", ".98 .95 / .37 .13 .55"),
        ("S0-45", "Participants", "22 people, 55 % female", "22"),
    )
    return [
        unknown(Claim(item=item, place=place, text=text), paper=paper, why=_NOT_PUBLIC)
        for item, place, text, paper in claims
    ]
