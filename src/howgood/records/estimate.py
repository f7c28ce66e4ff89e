"""A learned quantity with its uncertainty.

In: draws, or the summary someone published. Out: `Estimate`, whose `Interval` says in which
sense it holds. Absent: rounding, but for `print` (see `show.numbers`).
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.evidence import Evidence
from howgood.records.saved import Saved
from howgood.records.shown import Shown
from howgood.stats.arrays import FloatArray

# "every look": holds at all times together, however often one looks while answers come in.
IntervalKind = Literal["quantile", "highest-density", "every look"]
# What stands for the quantity where one number is printed.
Centre = Literal["mean", "median"]
_LARGE = 1e150


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval(Saved):
    """Where a quantity plausibly lies, and in which sense.

    Stability: stable
    """

    is_plain: ClassVar[bool] = True

    lower: float
    upper: float
    probability: float
    kind: IntervalKind

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise InputError(
                where="Interval",
                found=f"lower {self.lower} and upper {self.upper}",
                needed="a lower end that does not exceed the upper",
                cure="Swap them, or check the draws for NaN.",
            )

    def __str__(self) -> str:
        return f"[{self.lower:.3g}, {self.upper:.3g}]"

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    @property
    def width(self) -> float:
        """Upper minus lower end."""
        return self.upper - self.lower

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "probability": self.probability,
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Shown):
    """A quantity learned from people: mean, spread, interval and the draws behind them.

    `draws` has shape (n_draws,) and stays paired with the draws of every other estimate of
    the same fit: subtract first, then summarise. It is empty for published summaries. `evidence`
    says whether the answers behind it suffice ("enough", "few people" or "none"), where its maker
    judged them; `print` says it where they do not. `centre` says what `print` puts next to the
    interval, and `middle` is its value: the median of a ratio, as its mean follows its few largest
    draws, else the mean.

    Stability: stable
    """

    mean: float
    sd: float
    interval: Interval
    draws: FloatArray = field(repr=False, compare=False)
    n_respondents: int | None = None
    evidence: Evidence | None = None
    centre: Centre = "mean"

    def __str__(self) -> str:
        notes = {"few people": f", few people ({self.n_respondents})", "none": ", no evidence"}
        return f"{self.middle:.3g} {self.interval}{notes.get(self.evidence or '', '')}"

    @classmethod
    def from_draws(
        cls,
        draws: ArrayLike,
        *,
        probability: float = 0.95,
        kind: IntervalKind = "highest-density",
        n_respondents: int | None = None,
        evidence: Evidence | None = None,
        centre: Centre = "mean",
    ) -> "Estimate":
        """Summarise equally weighted draws.

        Examples
        --------
        >>> estimate = Estimate.from_draws([1.0, 2.0, 3.0], kind="quantile")
        >>> estimate.mean
        2.0
        >>> print(estimate)
        2 [1.05, 2.95]
        """
        values = np.asarray(draws, dtype=np.float64).ravel()
        if values.size == 0 or not np.all(np.isfinite(values)):
            raise InputError(
                where="Estimate",
                found=f"{values.size} draws, {int(np.sum(~np.isfinite(values)))} not finite",
                needed="at least one draw, all finite",
                cure="Check what produced the draws.",
            )
        # Draws whose squares no number can hold are measured in units of the largest.
        largest = float(np.abs(values).max())
        unit = largest if largest > _LARGE else 1.0
        measured = values / unit
        lower, upper = (unit * end for end in _interval_ends(measured, probability, kind))
        return cls(
            mean=unit * float(measured.mean()),
            sd=unit * float(measured.std()),
            interval=Interval(lower=lower, upper=upper, probability=probability, kind=kind),
            draws=values,
            n_respondents=n_respondents,
            evidence=evidence,
            centre=centre,
        )

    @property
    def middle(self) -> float:
        """What to print next to the interval: the mean, or of a ratio the median."""
        return float(np.median(self.draws)) if self.centre == "median" else self.mean

    def probability_above(self, value: float) -> float:
        """Return the share of draws above `value`, ties counting one half."""
        return float(np.mean(self.draws > value) + 0.5 * np.mean(self.draws == value))

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON (without the draws)."""
        judged = {} if self.evidence is None else {"evidence": self.evidence}
        centre = {"median": self.middle} if self.centre == "median" else {}
        return {
            "mean": self.mean,
            **centre,
            "sd": self.sd,
            "interval": self.interval.to_dict(),
            "n_draws": int(self.draws.size),
            "n_respondents": self.n_respondents,
            **judged,
        }


def _interval_ends(
    values: FloatArray, probability: float, kind: IntervalKind
) -> tuple[float, float]:
    if kind == "quantile":
        tail = (1.0 - probability) / 2.0
        lower, upper = np.quantile(values, [tail, 1.0 - tail])
        return float(lower), float(upper)
    if values.size == 1 or values.min() == values.max():
        return float(values.min()), float(values.max())
    # Highest density: the shortest stretch of the sorted draws that holds so many of them.
    ordered, n_inside = np.sort(values), int(probability * values.size)
    first = int(np.argmin(ordered[n_inside:] - ordered[: values.size - n_inside]))
    return float(ordered[first]), float(ordered[first + n_inside])
