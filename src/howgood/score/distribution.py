"""A score that is a distribution, because the feedback it rests on is uncertain.

In: a law from `stats`, and where it came from; or draws of any score. Out: `ScoreDistribution`; a
family of distributions fitted to draws and how far it is from them (`FamilyFit`). Absent: the
metrics themselves, and drawing (see `propagation`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.estimate import Interval
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.records.table import Table, Tabular
from howgood.score.pairs import numeric
from howgood.stats.arrays import FloatArray
from howgood.stats.distributions import Law
from howgood.stats.randomness import RandomState, generator_and_seed

FAMILIES = ("normal", "lognormal", "gamma", "weibull", "beta")
_LEAST_DRAWS = 20
_MOST_BINS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDistribution(Shown):
    """The distribution of a score over repetitions of the same uncertain feedback.

    `barrier` is the magic barrier: the score, in the metric's own units, that no system can
    be expected to beat, because the feedback itself varies. `headroom` is the share of the
    expected score that lies above it, between 0 and 1. `method` names how the distribution was
    found; `provenance` says it in detail.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import score
    >>> distribution = score.rmse([3.0, 4.0, 2.0], 1.0, [3.5, 4.0, 3.0])
    >>> round(distribution.mean, 3), round(distribution.sd, 3)
    (1.102, 0.449)
    >>> interval = distribution.interval(0.95)
    >>> round(interval.lower, 3), round(interval.upper, 3)
    (0.33, 2.059)
    """

    metric: str
    law: Law = field(repr=False)
    n: int
    method: str
    barrier: float
    headroom: float
    provenance: Provenance = field(repr=False)

    @property
    def mean(self) -> float:
        """Expected score."""
        return float(self.law.mean)

    @property
    def variance(self) -> float:
        """Variance of the score."""
        return float(self.law.variance)

    @property
    def sd(self) -> float:
        """Standard deviation of the score."""
        return float(np.sqrt(self.variance))

    def cdf(self, x: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the probability of a score of at most `x`."""
        return _like(x, self.law.cdf(np.asarray(x, dtype=np.float64)))

    def sf(self, x: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the probability of a score above `x`, accurate however small it is."""
        return _like(x, self.law.sf(np.asarray(x, dtype=np.float64)))

    def pdf(self, x: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the density at `x`."""
        return _like(x, self.law.pdf(np.asarray(x, dtype=np.float64)))

    def quantile(self, q: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the score below which a share `q` of repetitions falls."""
        wanted = np.asarray(q, dtype=np.float64)
        for value in (np.min(wanted), np.max(wanted)) if wanted.size else ():
            if not 0.0 <= value <= 1.0:
                check_probability(float(value), name="q", where="quantile", such_as=0.05)
        return _like(q, self.law.quantile(wanted))

    def interval(self, probability: float = 0.95) -> Interval:
        """Return the central interval that holds this probability."""
        check_probability(probability, name="probability", where="interval", such_as=0.05)
        tail = (1.0 - probability) / 2.0
        lower, upper = self.law.quantile(np.array([tail, 1.0 - tail]))
        return Interval(
            lower=float(lower), upper=float(upper), probability=probability, kind="quantile"
        )

    def sample(self, n: int, random_state: RandomState = None) -> FloatArray:
        """Return `n` independent scores."""
        generator, _ = generator_and_seed(random_state)
        return self.law.sample(n, generator)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        return {
            "metric": self.metric,
            "n": self.n,
            "method": self.method,
            "mean": self.mean,
            "sd": self.sd,
            "variance": self.variance,
            "interval": self.interval().to_dict(),
            "barrier": self.barrier,
            "headroom": self.headroom,
            "provenance": self.provenance.to_dict(),
        }


def share_above(barrier: float, expected: float) -> float:
    """Return the share of an expected score that lies above the barrier (0 for a score of 0)."""
    return max(0.0, 1.0 - barrier / expected) if expected > 0.0 else 0.0


def provenance_of(
    metric: str,
    *,
    how: str,
    rows: int,
    dropped: Mapping[str, int],
    seed: int | None = None,
    **settings: object,
) -> Provenance:
    """Return the record of how a score was made."""
    return Provenance(
        method=how,
        settings={"metric": metric, **settings},
        seed=seed,
        rows_used=rows,
        rows_dropped=dropped,
    )


def _like(given: ArrayLike, result: FloatArray) -> Any:  # noqa: ANN401 - see the callers
    return float(result) if np.ndim(given) == 0 else result


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyFit(Tabular):
    """The likeliest family of draws, its parameters, and its distance from them.

    `distance` is the Jensen-Shannon divergence between the draws and the family, divided by its
    largest value log 2: 0 for the same distribution, 1 for none in common (Eq. 16 and 17 of Jasberg
    and Sizov). `by_chance` is about the distance that so many draws of the family itself would
    have; a `distance` well above it says that the family does not fit. `largest_gap` is the largest
    difference of the two distribution functions. `others` holds the same of every family tried.

    Notes
    -----
    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    family: str
    parameters: dict[str, float]
    distance: float
    by_chance: float
    largest_gap: float
    others: tuple[dict[str, Any], ...] = field(repr=False)
    n_draws: int
    provenance: Provenance = field(repr=False)

    def table(self) -> Table:
        """Return one row per family, likeliest first."""
        names = ("family", "log_likelihood", "aic", "distance", "largest_gap")
        return Table({name: [row[name] for row in self.others] for name in names})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "family": self.family,
            "parameters": dict(self.parameters),
            "distance": self.distance,
            "by_chance": self.by_chance,
            "largest_gap": self.largest_gap,
            "n_draws": self.n_draws,
            "families": [dict(row) for row in self.others],
            "provenance": self.provenance.to_dict(),
        }


def fit_family(draws: ArrayLike, *, families: Sequence[str] | None = None) -> FamilyFit:
    r"""Fit families of distributions to draws by maximum likelihood, and say how far they are off.

    Parameters
    ----------
    draws : array of shape (n_draws,)
        For instance `score.propagate(...).draws`.
    families : sequence of str, optional
        Some of "normal", "lognormal", "gamma", "weibull" (draws above 0) and "beta" (draws between
        0 and 1). None: all that these draws can come from.

    Returns
    -------
    FamilyFit
        The family with the smallest AIC; `.table()` compares all.

    References
    ----------
    Jasberg and Sizov (2018), "Human Uncertainty and Ranking Error", Section 3.2, Eq. 16, 17.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> import numpy as np
    >>> found = fit_family(np.random.default_rng(1).gamma(4.0, 0.5, 5000))
    >>> found.family, found.distance < 0.01
    ('gamma', True)
    """
    where = "fit_family"
    values = _checked(draws, where)
    possible = [name for name in FAMILIES if _can_be(name, values)]
    for name in families or ():
        if name not in possible:
            raise InputError(
                where=f"{where}, families",
                found=f"{name!r}, for draws from {values.min():g} to {values.max():g}",
                needed=f"some of {', '.join(possible)}",
                cure="Choose one of these.",
            )
    chosen = list(dict.fromkeys(families or possible))
    rows = sorted((_fitted(name, values) for name in chosen), key=lambda row: row["aic"])
    best = rows[0]
    return FamilyFit(
        family=best["family"],
        parameters=best["parameters"],
        distance=best["distance"],
        by_chance=_by_chance(values),
        largest_gap=best["largest_gap"],
        others=tuple(rows),
        n_draws=values.size,
        provenance=provenance_of(
            where, how="maximum likelihood, smallest AIC", rows=values.size, dropped={},
            families=chosen,
        ),
    )  # fmt: skip


def _checked(draws: ArrayLike, where: str) -> FloatArray:
    values = numeric(draws, column="draws", where=where).ravel()
    if values.size < _LEAST_DRAWS or not np.isfinite(values).all() or np.ptp(values) == 0:
        raise InputError(
            where=f"{where}, draws",
            found=f"{values.size} draws, {np.unique(values).size} different",
            needed=f"at least {_LEAST_DRAWS} finite draws that are not all the same",
            cure="Draw more; a score that never varies has no distribution to fit.",
        )
    return values


def _can_be(name: str, values: FloatArray) -> bool:
    if name == "normal":
        return True
    return bool(values.min() > 0 and (name != "beta" or values.max() < 1))


def _fitted(name: str, values: FloatArray) -> dict[str, Any]:
    from scipy import stats

    makers: dict[str, Callable[[], tuple[Any, dict[str, float]]]] = {
        "normal": lambda: _normal(values),
        "lognormal": lambda: _lognormal(values),
        "gamma": lambda: _by_scipy(stats.gamma, values, ("shape", "scale"), floc=0),
        "weibull": lambda: _by_scipy(stats.weibull_min, values, ("shape", "scale"), floc=0),
        "beta": lambda: _by_scipy(stats.beta, values, ("a", "b"), floc=0, fscale=1),
    }
    law, parameters = makers[name]()
    likelihood = float(np.sum(law.logpdf(values)))
    ordered = np.sort(values)
    reached = law.cdf(ordered)
    steps = np.arange(values.size + 1) / values.size
    gap = max(np.abs(reached - steps[1:]).max(), np.abs(reached - steps[:-1]).max())
    return {
        "family": name,
        "parameters": parameters,
        "log_likelihood": likelihood,
        "aic": 2.0 * len(parameters) - 2.0 * likelihood,
        "distance": _distance(values, law.cdf),
        "largest_gap": float(gap),
    }


def _normal(values: FloatArray) -> tuple[Any, dict[str, float]]:
    from scipy import stats

    mean, sd = float(values.mean()), float(values.std())
    return stats.norm(mean, sd), {"mean": mean, "sd": sd}


def _lognormal(values: FloatArray) -> tuple[Any, dict[str, float]]:
    from scipy import stats

    logs = np.log(values)
    mean, sd = float(logs.mean()), float(logs.std())
    return stats.lognorm(sd, scale=np.exp(mean)), {"log_mean": mean, "log_sd": sd}


def _by_scipy(
    family: Any,  # noqa: ANN401 - a distribution of SciPy
    values: FloatArray,
    names: tuple[str, str],
    **fixed: float,
) -> tuple[Any, dict[str, float]]:
    """Return the fitted law; location (and for beta the scale) are not free."""
    parameters = [float(value) for value in family.fit(values, **fixed)]
    first = parameters[0]
    if "fscale" in fixed:
        return family(first, parameters[1]), dict(zip(names, parameters[:2], strict=True))
    return family(first, scale=parameters[2]), {names[0]: first, names[1]: parameters[2]}


def _distance(values: FloatArray, cdf: Callable[[FloatArray], FloatArray]) -> float:
    """Return the normed Jensen-Shannon divergence between draws and a distribution, in bins."""
    edges = _edges(values)
    counted = np.histogram(values, edges)[0] / values.size
    reached = np.concatenate([[0.0], cdf(edges[1:-1]), [1.0]])
    expected = np.diff(reached)
    middle = (counted + expected) / 2
    return float((_entropy(counted, middle) + _entropy(expected, middle)) / 2 / np.log(2.0))


def _edges(values: FloatArray) -> FloatArray:
    """Return edges of bins with equally many draws; the outer ones hold all that is beyond."""
    n_bins = int(np.clip(round(2 * values.size ** (1 / 3)), 5, _MOST_BINS))
    return np.unique(np.quantile(values, np.linspace(0, 1, n_bins + 1)))


def _entropy(p: FloatArray, q: FloatArray) -> float:
    is_there = p > 0
    return float(np.sum(p[is_there] * np.log(p[is_there] / q[is_there])))


def _by_chance(values: FloatArray) -> float:
    """Return the distance expected of draws that come from the family, to leading order.

    Counts of B bins are off by a chi-square with B - 1 degrees of freedom, of which the divergence
    is an eighth, over the number of draws.
    """
    return float((len(_edges(values)) - 2) / (8.0 * values.size * np.log(2.0)))
