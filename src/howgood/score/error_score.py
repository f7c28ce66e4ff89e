"""What RMSE, MSE and MAE share: from feedback and predictions to a distribution of the error.

In: terms and named choices. Out: `ScoreDistribution`. Absent: the public functions (see
`error_metrics`).
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from howgood.records.progress import Progress
from howgood.score.distribution import ScoreDistribution, provenance_of, share_above
from howgood.score.error_terms import ErrorMetric, Terms
from howgood.score.pairs import MissingPolicy, require_choice, require_count
from howgood.stats.arrays import FloatArray
from howgood.stats.discrete_sum import DiscreteLaw, DiscreteMean
from howgood.stats.distributions import DrawsLaw, Law, NormalLaw, RootLaw
from howgood.stats.inversion import InvertedLaw
from howgood.stats.moments import propagate_first_order
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.weighted_chi_square import WeightedChiSquare

Method = Literal["exact", "paper", "monte-carlo"]

METHODS = ("exact", "paper", "monte-carlo")
_ANSWERS_AT_ONCE = 4_000_000

_SERIES = "12 cumulants inverted by Gil-Pelaez and along the saddlepoint contour"
_CONTOUR = "exact characteristic function on shared lines and along the saddlepoint contour"
_POINT = "no spread anywhere: a point"
_LISTED = "all outcomes listed by convolution"
PAPER = "first-order Gaussian error propagation (Jasberg and Sizov 2018, Eq. 12 and 13)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorOptions:
    """The named choices of an error metric."""

    method: Method
    missing: MissingPolicy
    draws: int
    random_state: RandomState
    progress: Progress = field(repr=False)


def error_score(terms: Terms, options: ErrorOptions) -> ScoreDistribution:
    """Return the distribution of an error metric."""
    require_choice(options.method, METHODS, name="method", where=terms.metric)
    exact = terms.law()
    root = terms.metric == "rmse"
    seed = None
    settings: dict[str, object] = {"feedback": terms.kind, "missing": options.missing}
    law: Law
    if options.method == "exact":
        law, how = rooted(exact) if root else exact, how_inverted(exact)
    elif options.method == "paper":
        law, how = propagated(exact, root=root), PAPER
    else:
        require_count(options.draws, where=terms.metric)
        generator, seed = generator_and_seed(options.random_state)
        values = _draws(terms, exact, options, generator)
        law, how = DrawsLaw(draws=np.sort(np.sqrt(values) if root else values)), "draws"
        settings["draws"] = options.draws
    return describe(
        terms.metric,
        law,
        expected=exact.mean,
        floor=terms.floor(),
        n=terms.n,
        method=options.method,
        how=how,
        dropped=terms.dropped,
        seed=seed,
        **settings,
    )


def describe(
    metric: ErrorMetric,
    law: Law,
    *,
    expected: float,
    floor: float,
    n: int,
    method: str,
    how: str,
    dropped: dict[str, int],
    seed: int | None = None,
    **settings: object,
) -> ScoreDistribution:
    """Put a law, its magic barrier and its provenance together.

    `expected` and `floor` are those of the mean squared or absolute error; for RMSE their roots
    are compared.
    """
    if metric == "rmse":
        expected, floor = float(np.sqrt(expected)), float(np.sqrt(floor))
    return ScoreDistribution(
        metric=metric,
        law=law,
        n=n,
        method=method,
        barrier=floor,
        headroom=share_above(floor, expected),
        provenance=provenance_of(
            metric, how=how, rows=n, dropped=dropped, seed=seed, method=method, **settings
        ),
    )


def rooted(square: InvertedLaw | DiscreteLaw) -> Law:
    """Return the law of the square root."""
    return square.root() if isinstance(square, DiscreteLaw) else RootLaw(square)


def propagated(inner: InvertedLaw | DiscreteLaw, *, root: bool) -> NormalLaw:
    """Return the Gaussian of first-order error propagation, through the root if asked."""
    if not root:
        return NormalLaw(mean=inner.mean, variance=inner.variance)
    if inner.mean == 0.0:
        return NormalLaw(mean=0.0, variance=0.0)
    mean, variance = propagate_first_order(
        lambda x: float(np.sqrt(x[0])),
        np.array([inner.mean]),
        np.array([np.sqrt(inner.variance)]),
        gradient=lambda x: 0.5 / np.sqrt(x),
    )
    return NormalLaw(mean=mean, variance=variance)


def how_inverted(law: InvertedLaw | DiscreteLaw) -> str:
    """Say in words how an exact law is computed."""
    if isinstance(law, DiscreteLaw):
        return _LISTED
    if law.is_point:
        return _POINT
    smooth = "; runs smoothly through its steps" if isinstance(law, DiscreteMean) else ""
    return (_SERIES if law.series is not None else _CONTOUR) + smooth


def _draws(
    terms: Terms,
    exact: InvertedLaw | DiscreteLaw,
    options: ErrorOptions,
    generator: np.random.Generator,
) -> FloatArray:
    """Return draws of the mean squared or absolute error."""
    if isinstance(exact, WeightedChiSquare) and not exact.is_point:
        # Pairs that share their sigma add up to one non-central chi-square.
        return exact.sample_groups(
            options.draws, generator, lambda share: options.progress(share, "drawing feedback")
        )
    batch = max(1, _ANSWERS_AT_ONCE // terms.n)
    parts = []
    for start in range(0, options.draws, batch):
        size = min(batch, options.draws - start)
        distance = terms.draw(generator, size) - terms.prediction
        parts.append(np.mean(np.abs(distance) if terms.metric == "mae" else distance**2, axis=1))
        options.progress((start + size) / options.draws, "drawing feedback")
    return np.concatenate(parts)
