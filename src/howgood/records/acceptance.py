"""What a fit knows about acceptance in one application, as paired draws.

In: posterior draws of the acceptability model's parameters. Out: `AcceptanceDraws`, which turns
precision and recall into the share of people accepting; `AcceptanceModel`, the shape of anything
that has such draws (a fit, a model card). Absent: fitting (see `learn`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, UnknownNameError
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.shown import Shown
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean

_DRAWS = 300  # of a surface
Who: TypeAlias = Literal["population", "average"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceDraws(Shown):
    r"""Paired posterior draws of one application's acceptability model.

    .. math:: \operatorname{logit} \Pr(\text{accept}) = b_0 + b \, M_{p,\alpha}(P, R) + U_k,
        \qquad U_k \sim \mathrm{Normal}(0, \sigma^2)

    Every array has shape (n_draws,) and row d of each belongs to the same draw: `p` the order of
    the mean, `alpha` the weight of precision, `intercept` :math:`b_0`, `slope` :math:`b`,
    `person_sd` :math:`\sigma`, `flawless` what is added to the logit where there is no error at
    all (P = R = 1; zero where the fit has no such term). `evidence` says whether the answers behind
    them suffice to decide, `lowest_shown` the lowest accuracy (mean of precision and recall) people
    were asked about. Where specificity counts too, `specificity` is its weight in the mean (alpha
    is then precision's share of the rest) and `others` how many other cases there are per real
    one, from which precision and recall say what specificity is.

    Stability: experimental

    Examples
    --------
    >>> draws = AcceptanceDraws(
    ...     application="alarm", p=[0, 0], alpha=[0.3, 0.4], intercept=[-12, -13],
    ...     slope=[16, 17], person_sd=[2.0, 2.5],
    ... )
    >>> draws.shares(0.9, 0.8).shape, draws.shares([[0.8, 0.9]], [[0.7], [0.8]]).shape
    ((2,), (2, 2, 2))
    """

    application: str
    p: FloatArray
    alpha: FloatArray
    intercept: FloatArray
    slope: FloatArray
    person_sd: FloatArray
    flawless: FloatArray | float = 0.0
    n_respondents: int | None = None
    evidence: Evidence = "enough"
    lowest_shown: float | None = None
    specificity: FloatArray | float = 0.0
    others: float | None = None

    def __post_init__(self) -> None:
        names = ("p", "alpha", "intercept", "slope", "person_sd")
        for name in names:
            object.__setattr__(self, name, np.atleast_1d(np.asarray(getattr(self, name), float)))
        lengths = {name: getattr(self, name).size for name in names}
        if len(set(lengths.values())) > 1:
            raise LengthMismatchError(where="AcceptanceDraws", lengths=lengths)
        for name in ("flawless", "specificity"):
            more = np.broadcast_to(np.asarray(getattr(self, name), dtype=float), self.p.shape)
            object.__setattr__(self, name, np.array(more))

    def __len__(self) -> int:
        return self.p.size

    @property
    def applications(self) -> tuple[str, ...]:
        """The one application; so draws alone can stand in for a fit in every decision."""
        return (self.application,)

    def acceptance_draws(self, application: str) -> "AcceptanceDraws":
        """Return these draws, if they are of that application."""
        if application != self.application:
            raise UnknownNameError(where="application", name=application, names=self.applications)
        return self

    def means(self, precision: ArrayLike, recall: ArrayLike) -> FloatArray:
        """Return the weighted power mean per draw: shape (n_draws, *broadcast shape)."""
        first, second = np.broadcast_arrays(np.asarray(precision), np.asarray(recall))
        return self._mean(first[None], second[None], first)

    def paired_means(
        self,
        precision_draws: ArrayLike,
        recall_draws: ArrayLike,
        specificity_draws: ArrayLike | None = None,
    ) -> FloatArray:
        """Return the mean per draw where precision and recall have draws of their own.

        All have shape (n_draws, ...); row d is seen with the people of draw d. Specificity, where
        it counts, is what was observed: a test set need not be as rare as `others` says.
        """
        first, second = np.asarray(precision_draws), np.asarray(recall_draws)
        third = None if specificity_draws is None else np.asarray(specificity_draws)
        return self._mean(first, second, first[0], third)

    def _mean(
        self,
        precision: FloatArray,
        recall: FloatArray,
        shape: FloatArray,
        specificity: FloatArray | None = None,
    ) -> FloatArray:
        order, alpha = _column(self.p, shape), _column(self.alpha, shape)
        mean = power_mean(precision, recall, p=order, alpha=alpha)
        if self.others is None:
            return mean
        # A weighted power mean of three is that of the first two with the third.
        rest = 1.0 - _column(np.asarray(self.specificity), shape)
        third = self.specificity_at(precision, recall) if specificity is None else specificity
        return power_mean(mean, third, p=order, alpha=rest)

    def specificity_at(self, precision: ArrayLike, recall: ArrayLike) -> FloatArray:
        """Return the specificity of a precision and recall, by how rare the thing is."""
        if self.others is None:
            raise ValueError("only where specificity counts")
        return specificity_of(precision, recall, self.others)

    def shares(
        self, precision: ArrayLike, recall: ArrayLike, *, who: Who = "population"
    ) -> FloatArray:
        """Return the share accepting per draw: shape (n_draws, *broadcast shape).

        `who="population"` integrates over the spread of people; "average" is the person with
        U = 0.
        """
        return self.shares_at_mean(self.means(precision, recall), who=who)

    def shares_at_mean(self, mean: ArrayLike, *, who: Who = "population") -> FloatArray:
        """Return the share accepting per draw at given means, of shape (n_draws, ...).

        A mean of exactly 1 is a system without any error.
        """
        # Loaded here: a server knows this class long before anything is computed with it.
        from scipy.special import expit

        from howgood.stats.logistic import logistic_normal_mean

        values = np.asarray(mean, dtype=np.float64)
        trailing = values[0]
        location = _column(self.intercept, trailing) + _column(self.slope, trailing) * values
        location = location + _column(np.asarray(self.flawless), trailing) * (values == 1.0)
        if who == "average":
            return np.asarray(expit(location))
        return logistic_normal_mean(location, _column(self.person_sd, trailing))

    def estimate(self, values: FloatArray) -> Estimate:
        """Return the estimate of something worked out draw by draw, with whom it rests on."""
        return Estimate.from_draws(values, n_respondents=self.n_respondents, evidence=self.evidence)

    def ends(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper ends of every column's estimate; rows are draws."""
        intervals = [self.estimate(column).interval for column in values.T]
        lower, upper = ([getattr(each, end) for each in intervals] for end in ("lower", "upper"))
        return np.array(lower), np.array(upper)

    def mean_for_share(self, share: float) -> FloatArray:
        """Return the mean at which `share` of the population accepts, per draw.

        1 means that only a system without any error is enough, values above 1 that no accuracy
        is. Where acceptance does not grow with accuracy
        (slope not above 0) the value is 0 if perfect accuracy is enough, and so every other is, and
        infinite if it is not.
        """
        from howgood.stats.logistic import location_for_mean

        location = location_for_mean(share, self.person_sd)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = (location - self.intercept) / self.slope
        anyway = np.where(self.intercept + self.slope >= location, 0.0, np.inf)
        needed = np.where(self.slope > 0, needed, anyway)
        is_enough = self.intercept + self.slope + self.flawless >= location
        return np.where((needed > 1.0) & is_enough, 1.0, needed)

    def thinned(self, n_draws: int) -> "AcceptanceDraws":
        """Return at most `n_draws` draws, evenly spaced; the draws are exchangeable."""
        if len(self) <= n_draws:
            return self
        kept = np.linspace(0, len(self) - 1, n_draws).round().astype(int)
        return self.taken(kept)

    def repeated(self, n_draws: int) -> "AcceptanceDraws":
        """Return exactly `n_draws` draws: repeated in turn where there are fewer."""
        return self.thinned(n_draws).taken(np.arange(n_draws) % min(len(self), n_draws))

    def taken(self, rows: NDArray[np.intp]) -> "AcceptanceDraws":
        """Return the named draws, in that order."""
        return replace(
            self,
            p=self.p[rows],
            alpha=self.alpha[rows],
            intercept=self.intercept[rows],
            slope=self.slope[rows],
            person_sd=self.person_sd[rows],
            flawless=np.asarray(self.flawless)[rows],
            specificity=np.asarray(self.specificity)[rows],
        )


@runtime_checkable
class AcceptanceModel(Protocol):
    """Anything that knows people's acceptance per application: a fit or a model card.

    Stability: experimental
    """

    @property
    def applications(self) -> tuple[str, ...]:
        """Names of the applications it knows."""

    def acceptance_draws(self, application: str) -> AcceptanceDraws:
        """Return the paired draws of one application."""


@runtime_checkable
class PartedModel(Protocol):
    """A fit of several parts of a study: imagined systems, and real ones in use."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts it knows."""

    def in_part(self, part: str) -> AcceptanceModel:
        """Return what is known about one part's people."""


@runtime_checkable
class SegmentedModel(Protocol):
    """A fit that may know segments of people."""

    @property
    def segments(self) -> tuple[str, ...]:
        """Names of the segments; empty where people were not divided."""

    def in_segment(self, segment: str) -> AcceptanceModel:
        """Return what is known about one segment's people."""


def draws_by_segment(
    model: object, application: str | None, *, where: str
) -> dict[str, AcceptanceDraws]:
    """Return paired draws of every segment asked about the application; none without segments."""
    if not isinstance(model, SegmentedModel):
        return {}
    fits = {name: model.in_segment(name) for name in model.segments}
    return {
        name: draws_for(fit, application, where=where)
        for name, fit in fits.items()
        if application is None or application in fit.applications
    }


def of_part(
    model: "AcceptanceModel | PartedModel", part: str | None, *, where: str
) -> AcceptanceModel:
    """Return the people of one part of an ordinal fit, or of the only one; others have no parts."""
    if isinstance(model, PartedModel):
        if part is None and len(model.parts) == 1:
            return model.in_part(model.parts[0])
        if part is None:
            raise InputError(
                where=where,
                found="an ordinal fit, and no part named",
                needed=f"one of {', '.join(map(repr, model.parts))}: people rate what they use and "
                "what they imagine on other scales",
                cure=f"Pass part={model.parts[-1]!r}.",
            )
        return model.in_part(part)
    if part is not None:
        raise InputError(
            where=f"{where}, part",
            found=f"{part!r}, for a model without parts",
            needed="an ordinal fit (learn.fit_ordinal)",
            cure="Leave it out.",
        )
    return model


def draws_for(model: AcceptanceModel, application: str | None, *, where: str) -> AcceptanceDraws:
    """Return the draws of the named application, or of the only one."""
    names = known_applications(model, where=where)
    if application is None and len(names) == 1:
        return model.acceptance_draws(names[0])
    if application is None:
        raise InputError(
            where=where,
            found="no application named",
            needed=f"one of {', '.join(repr(name) for name in names)}",
            cure=f"Name one: application={names[0]!r}.",
        )
    if application not in names:
        raise UnknownNameError(where=f"{where}, application", name=application, names=names)
    return model.acceptance_draws(application)


def known_applications(model: AcceptanceModel, *, where: str) -> tuple[str, ...]:
    """Return the applications a model knows; refuse anything that is not a model."""
    if not isinstance(model, AcceptanceModel):
        raise InputError(
            where=where,
            found=f"a {type(model).__name__}",
            needed="a fit of answers (learn.fit_acceptability) or a model card with draws",
            cure="Fit the answers first.",
        )
    return tuple(model.applications)


def acceptance_surface(draws: AcceptanceDraws, *, points: int, who: Who) -> Table:
    """Return the share accepting, row by row, with the ends of its 95 % interval."""
    ticks = np.linspace(0.0, 1.0, points)
    recall, precision = (axis.ravel() for axis in np.meshgrid(ticks, ticks, indexing="ij"))
    shares = draws.thinned(_DRAWS).shares(precision, recall, who=who)
    lower, upper = np.quantile(shares, [0.025, 0.975], axis=0)
    return Table(
        {
            "precision": precision,
            "recall": recall,
            "share": shares.mean(axis=0),
            "lower": lower,
            "upper": upper,
        }
    )


def equal_acceptance(surface: Table, *, points: int, shares: Sequence[float]) -> Table:
    """Return the recall needed at each precision, per share; without a row where none is enough."""
    ticks = np.linspace(0.0, 1.0, points)
    by_precision = surface["share"].reshape(points, points).T
    rows = [
        (share, precision, float(np.interp(share, along, ticks)))
        for share in shares
        for precision, along in zip(ticks, np.maximum.accumulate(by_precision, 1), strict=True)
        if along[0] <= share <= along[-1]
    ]
    columns = np.array(rows).reshape(-1, 3).T
    return Table(dict(zip(("share", "precision", "recall"), columns, strict=True)))


def specificity_of(precision: ArrayLike, recall: ArrayLike, others: float) -> FloatArray:
    """Return TN / (TN + FP) of a precision and recall, with `others` other cases per real one.

    Nothing flagged (both 0) is no false alarm; more false alarms than other cases count as all.

    Examples
    --------
    >>> # Of 10 real and 40 other cases: 8 false alarms.
    >>> round(float(specificity_of(0.5, 0.8, 4.0)), 3)
    0.8
    """
    first, second = np.asarray(precision, dtype=float), np.asarray(recall, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        alarms = np.where(second > 0, second * (1.0 / first - 1.0), 0.0)
    return np.asarray(1.0 - np.minimum(alarms / others, 1.0))


def _column(values: FloatArray, trailing: FloatArray) -> FloatArray:
    """Per-draw values shaped to broadcast over the trailing axes."""
    return values.reshape((-1,) + (1,) * trailing.ndim)
