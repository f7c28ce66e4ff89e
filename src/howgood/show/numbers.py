"""Numbers as people read them: the uncertainty decides the digits.

In: floats and estimates. Out: short strings. Absent: units and sentences.
"""

import math

from howgood.records.estimate import Estimate

# Rarer than this is rarer than anybody can check, or than a Gaussian tail can be trusted.
_RARE = 0.0001
_OF_DRAWS = 0.001  # thousands of draws say no more


def digits_for(uncertainty: float, *, most: int = 6) -> int:
    """Return how many decimals show two significant digits of `uncertainty`.

    Examples
    --------
    >>> digits_for(0.034), digits_for(12.0), digits_for(0.0)
    (3, 0, 6)
    """
    if not math.isfinite(uncertainty) or uncertainty <= 0:
        return most
    return min(max(0, 1 - math.floor(math.log10(uncertainty))), most)


def plain(value: float, *, digits: int = 3) -> str:
    """Show a number without an uncertainty of its own.

    Examples
    --------
    >>> plain(0.12345), plain(float("nan")), plain(float("inf"))
    ('0.123', 'not known', 'infinite')
    """
    if math.isnan(value):
        return "not known"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    text = f"{value:.{digits}f}"
    return text[1:] if text.lstrip("-").strip("0.") == "" and text.startswith("-") else text


def threshold_digits(threshold: float, width: float = 0.0) -> int:
    """Return how many decimals keep a threshold, known to so much, apart from 0 and 1.

    Examples
    --------
    >>> threshold_digits(0.356, 0.2), threshold_digits(0.00003), threshold_digits(0.99999, 2e-6)
    (3, 6, 7)
    """
    apart = [each for each in (width, abs(threshold), abs(1.0 - threshold)) if each > 0]
    return max(3, digits_for(min(apart), most=12))


def with_interval(estimate: Estimate) -> str:
    """Show mean (or of a ratio the median) and interval with the digits the spread deserves.

    Examples
    --------
    >>> import numpy as np
    >>> with_interval(Estimate.from_draws(np.linspace(0.1, 0.3, 101), kind="quantile"))
    '0.200 [0.105, 0.295]'
    """
    lower, upper = estimate.interval.lower, estimate.interval.upper
    # Draws may agree and leave doubt all the same: then a quarter of the interval is its spread.
    digits = digits_for(estimate.sd or (upper - lower) / 4.0, most=4)
    return (
        f"{plain(estimate.middle, digits=digits)} "
        f"[{plain(lower, digits=digits)}, {plain(upper, digits=digits)}]"
    )


def times(value: float) -> str:
    """Show how many times as much: two digits, but whole numbers and no power of ten from 100 on.

    Examples
    --------
    >>> times(0.534), times(12.3), times(99.7), times(123.4)
    ('0.53', '12', '100', '123')
    """
    return f"{value:.2g}" if value < 99.5 else f"{value:.0f}"


def percent(share: float, *, digits: int = 0) -> str:
    """Show a share as a percentage.

    Examples
    --------
    >>> percent(0.624), percent(0.0004), percent(0.99996)
    ('62 %', '< 1 %', '> 99 %')
    """
    if math.isnan(share):
        return "not known"
    smallest = 10.0**-digits
    value = 100.0 * share
    if 0 < value <= smallest / 2:
        return f"< {smallest:.{digits}f} %"
    if 100 - smallest / 2 <= value < 100:
        return f"> {100 - smallest:.{digits}f} %"
    return f"{value:.{digits}f} %"


def as_given(share: float) -> str:
    """Show a percentage with the decimals somebody gave it, up to two; any other without.

    Examples
    --------
    >>> as_given(0.825), as_given(0.85), as_given(0.81349)
    ('82.5 %', '85 %', '81 %')
    """
    for digits in range(3):
        if abs(100 * share - round(100 * share, digits)) < 1e-9:
            return percent(share, digits=digits)
    return percent(share)


def probability(value: float) -> str:
    """Show a probability as people read it; below 1 in 10,000 only that it is.

    Examples
    --------
    >>> probability(0.0137), probability(0.00055), probability(1.1e-6), probability(0.0)
    ('0.014', '0.0006', '< 0.0001', '0')
    >>> probability(0.99999), probability(1.0)
    ('> 0.9999', '1')
    """
    if math.isnan(value):
        return "not known"
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    if value < _RARE:
        return f"< {_RARE}"
    if value > 1 - _RARE:
        return f"> {1 - _RARE}"
    return f"{value:.4f}" if min(value, 1 - value) < 0.001 else f"{value:.3f}"


def share_of_draws(value: float) -> str:
    """Show a probability that was counted in draws: none or all of them make nothing certain.

    Examples
    --------
    >>> share_of_draws(0.0), share_of_draws(0.0137), share_of_draws(1.0)
    ('< 0.001', '0.014', '> 0.999')
    """
    if value < _OF_DRAWS:
        return f"< {_OF_DRAWS}"
    return f"> {1 - _OF_DRAWS}" if value > 1 - _OF_DRAWS else probability(value)


def percent_of_draws(value: float) -> str:
    """Show a probability that was counted in draws as a percentage, never as certain.

    Examples
    --------
    >>> percent_of_draws(0.0), percent_of_draws(0.58), percent_of_draws(1.0)
    ('< 1 %', '58 %', '> 99 %')
    """
    return percent(min(max(value, _OF_DRAWS), 1 - _OF_DRAWS))


def with_probability(value: float) -> str:
    """Show a probability in a sentence.

    Examples
    --------
    >>> with_probability(0.0137), with_probability(1.1e-6)
    ('with a probability of 0.014', 'with a probability below 0.0001')
    """
    amount = f"below {_RARE}" if 0 < value < _RARE else f"of {probability(value)}"
    return f"with a probability {amount}"


def share_text(estimate: Estimate) -> str:
    """Show a share with its interval.

    Examples
    --------
    >>> import numpy as np
    >>> share_text(Estimate.from_draws(np.linspace(0.4, 0.8, 101), kind="quantile"))
    '60 % [41–79]'
    """
    lower, upper = (round(100 * end) for end in (estimate.interval.lower, estimate.interval.upper))
    return f"{percent(estimate.mean)} [{lower}–{upper}]"
