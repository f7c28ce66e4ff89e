"""What is assumed before the answers are seen.

In: named distributions. Out: `Priors`, printable before anything is fitted. Absent: densities
(see `learn.prior_density`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from howgood.errors import InputError

# Where the level of a curve is stated: in the middle of the accuracies usual studies show.
USUAL_MEAN = 0.75


@dataclass(frozen=True, slots=True)
class Normal:
    """A normal distribution by mean and standard deviation."""

    mean: float
    sd: float

    def __str__(self) -> str:
        return f"Normal({self.mean:g}, sd {self.sd:.4g})"


@dataclass(frozen=True, slots=True)
class Beta:
    """A beta distribution; Beta(1, 1) is uniform."""

    a: float
    b: float

    def __str__(self) -> str:
        return "Uniform(0, 1)" if self.a == self.b == 1 else f"Beta({self.a:g}, {self.b:g})"


@dataclass(frozen=True, slots=True)
class HalfNormal:
    """A normal distribution around zero, cut to positive values."""

    scale: float

    def __str__(self) -> str:
        return f"HalfNormal({self.scale:g})"


@dataclass(frozen=True, slots=True)
class GammaPrecision:
    """A standard deviation whose precision 1/sd² is gamma distributed."""

    shape: float
    rate: float

    def __str__(self) -> str:
        return f"1/sd² ~ Gamma({self.shape:g}, {self.rate:g})"


@dataclass(frozen=True, slots=True)
class LogNormal:
    """A positive quantity whose logarithm is normal."""

    mean_log: float
    sd_log: float

    def __str__(self) -> str:
        return f"LogNormal({self.mean_log:.4g}, {self.sd_log:.4g})"


@dataclass(frozen=True, slots=True)
class JointNormal:
    """A joint normal of (intercept, slope, logit alpha): what an earlier study learned."""

    mean: tuple[float, float, float]
    covariance: tuple[tuple[float, float, float], ...]

    def __str__(self) -> str:
        center = ", ".join(f"{value:.3g}" for value in self.mean)
        return f"joint normal around ({center})"


@dataclass(frozen=True, slots=True)
class RisingCurve:
    """A curve of acceptance over accuracy by where it lies in the middle, and how it rises.

    People's mean logit to accept is Normal(`level_mean`, `level_sd`) at a weighted mean of 0.75
    (`USUAL_MEAN`) and rises by HalfNormal(`slope_scale`) per unit of the mean.
    """

    level_mean: float
    level_sd: float
    slope_scale: float

    def __str__(self) -> str:
        return (
            f"{Normal(self.level_mean, self.level_sd)} at a mean of {USUAL_MEAN:g}, rising by "
            f"{HalfNormal(self.slope_scale)} per unit of the mean"
        )


SpreadPrior = HalfNormal | GammaPrecision | LogNormal


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """Everything assumed about an acceptability model, by name.

    `applications` holds what is already known about single applications (from a registry card or
    an earlier fit); all others use `intercept`, `slope` and `alpha`. `curve`, where it is
    given, takes the place of `intercept` and `slope` in the binary model. `means` weighs the kinds
    of mean before the answers are seen; left empty, all are equally likely. `order` is the prior of
    a continuous p; `threshold`, `shift` and `log_scale` belong to the ordinal model, which uses
    `slope` too. `flawless` is how many logits more a system without any error is accepted than its
    accuracy alone says, where a fit has that term.

    Stability: stable

    Examples
    --------
    >>> print(KAY2015.slope, "|", KAY2015.person_sd)
    Normal(0, sd 31.62) | 1/sd² ~ Gamma(0.001, 0.001)
    >>> HOWGOOD.curve
    RisingCurve(level_mean=0.0, level_sd=1.6, slope_scale=15.0)
    """

    name: str
    intercept: Normal = Normal(0.0, 1000.0**0.5)
    slope: Normal = Normal(0.0, 1000.0**0.5)
    alpha: Beta = Beta(1.0, 1.0)
    person_sd: SpreadPrior = HalfNormal(2.5)
    means: Mapping[float, float] = field(default_factory=dict)
    order: Normal = Normal(0.0, 1.0)
    applications: Mapping[str, JointNormal] = field(default_factory=dict)
    threshold: Normal = Normal(0.0, 1000.0**0.5)
    shift: Normal = Normal(0.0, 5.0)
    log_scale: Normal = Normal(0.0, 1.0)
    curve: RisingCurve | None = None
    flawless: HalfNormal = HalfNormal(5.0)

    def __post_init__(self) -> None:
        for name in ("intercept", "slope", "threshold", "shift", "log_scale", "order"):
            if not getattr(self, name).sd > 0:
                raise InputError(
                    where=f"priors {self.name!r}, {name}",
                    found=f"sd {getattr(self, name).sd}",
                    needed="a standard deviation above 0",
                    cure="Use a small positive value to say you are nearly certain.",
                )

    def describe(self) -> dict[str, str]:
        """Return every assumption in words."""
        known = {f"{name} (informed)": str(prior) for name, prior in self.applications.items()}
        means = ", ".join(f"P(p = {p:g}) = {share:g}" for p, share in self.means.items())
        plain = {name: str(getattr(self, name)) for name in _DISTRIBUTIONS}
        if self.curve is not None:
            plain["curve"] = str(self.curve)
        return {**plain, "means": means or "all equally likely", **known}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; `Priors.from_dict` reads them back."""
        return {
            "name": self.name,
            **{name: _plain(getattr(self, name)) for name in _DISTRIBUTIONS},
            "curve": None if self.curve is None else _plain(self.curve),
            "means": [[p, share] for p, share in self.means.items()],
            "applications": {name: _plain(prior) for name, prior in self.applications.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Priors":
        """Build priors from what `to_dict` gave."""
        return cls(
            name=str(values["name"]),
            # Priors written by earlier versions do not name all of them.
            **{name: _distribution(values[name]) for name in _DISTRIBUTIONS if name in values},
            curve=_distribution(values["curve"]) if values.get("curve") else None,
            means={float(p): float(share) for p, share in values["means"]},
            applications={
                str(name): _distribution(value) for name, value in values["applications"].items()
            },
        )


_DISTRIBUTIONS = (
    "intercept", "slope", "alpha", "person_sd", "order", "threshold", "shift", "log_scale",
    "flawless",
)  # fmt: skip
_POSITIVE = ("sd", "a", "b", "scale", "shape", "rate", "sd_log", "level_sd", "slope_scale")
# Beyond these the densities of priors cannot be computed.
_LEAST, _MOST = 1e-9, 1e9
_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (Normal, Beta, HalfNormal, GammaPrecision, LogNormal, JointNormal, RisingCurve)
}


def _plain(prior: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the kinds above
    return {"kind": type(prior).__name__, **asdict(prior)}


def _distribution(values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any of the kinds above
    named = {name: _numbers(value) for name, value in values.items() if name != "kind"}
    spreads = [named[name] for name in _POSITIVE if name in named]
    if not all(isinstance(spread, float) and _LEAST < spread < _MOST for spread in spreads):
        raise ValueError(f"a spread or a count of a prior that is not in {_LEAST:g} to {_MOST:g}")
    made = _KINDS[values["kind"]](**named)
    if isinstance(made, JointNormal):
        sizes = [len(made.mean), len(made.covariance), *(len(row) for row in made.covariance)]
        if sizes != [3] * 5:
            raise ValueError(f"a joint prior of sizes {sizes}, where all must be 3")
    return made


def _numbers(value: Any) -> Any:  # noqa: ANN401 - numbers, or lists from JSON
    """Return numbers, lists of them as tuples."""
    if isinstance(value, list | tuple):
        return tuple(_numbers(entry) for entry in value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST:
        raise ValueError(f"{value!r:.60} where a number below {_MOST:g} is needed")
    return float(value)


# The paper states no priors for its second study; wide ones as in the first are taken.
KAY2015 = Priors(
    name="kay2015", person_sd=GammaPrecision(0.001, 0.001), shift=Normal(0.0, 1000.0**0.5)
)
# Weakly informative about the share accepting: wide priors of logits are nearly certain that it is
# 0 or 1. Drawn in docs/explanation/acceptability.md.
HOWGOOD_CURVE = RisingCurve(0.0, 1.6, 15.0)
HOWGOOD = Priors(name="howgood", curve=HOWGOOD_CURVE)
PRESETS: dict[str, Priors] = {"howgood": HOWGOOD, "kay2015": KAY2015}
