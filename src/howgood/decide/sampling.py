"""What another test set of the same size might have shown.

In: labels and predictions or scores. Out: confusion counts, and draws of precision and recall
that carry the sampling of the test set. Absent: people (see `records.acceptance`).

A single confusion table has a Dirichlet posterior with half a case of prior in each cell. Over
thresholds the Bayesian bootstrap is used: every case gets a random weight, the same at every
threshold, so that precision and recall stay consistent from one threshold to the next. Where the
best threshold itself is sought, scores are moved a little too: another test set would hold other
scores, and with few cases the gaps between those seen are wide.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.decide.scores import refuse_huge
from howgood.errors import InputError, LengthMismatchError
from howgood.records.label_metric import complete_labels
from howgood.records.table import as_numbers
from howgood.stats.arrays import FloatArray

PRIOR_CASES = 0.5  # Jeffreys: zero errors among few cases is not proof of none
# Neighbouring thresholds then have at most half a percent of the cases of either class between
# them. The standard error of a share of n cases is up to .5 / sqrt(n): below 10,000 cases of a
# class that is more than the gap. By rank among all cases a rare class would lie in one gap.
MOST_THRESHOLDS = 400
# How far "nearby" reaches, times m^.8 with m the cases of the rarer class: true positives bend on
# the scale of the positives, however many negatives there are. As a share of m that is m^(-1/5),
# the rate of local linear regression. A parabola could reach further (its own rate is m^(-1/9));
# staying below it keeps the bias small next to the noise, as an interval needs. The factor is the
# largest whole one whose bias costs a 90 % interval at most one point: a bias of b standard errors
# leaves Phi(1.645 - b) + Phi(1.645 + b) - 1, which is .89 at b = .24. Between two normal classes
# 2 sd apart, where the best threshold lies in the middle, the parabola misses the true positives by
# .19 standard errors with 20 cases of each class and by .08 with 1,000; with a factor of 3 it would
# miss them by .23 to .55. Classes 3 sd apart bend faster: there it misses by .8, to the cautious
# side (tests/decide/test_sampling.py, docs/explanation/calibration.md).
_NEARBY = 2.0
# Of so few thresholds nearby the best is hardly flattered, and so few steps are no smooth curve.
_FEW = 10
# How far scores of a class of n cases are moved: so many sds of the class, divided by n^1.25, up to
# a limit. Neighbouring scores in the middle of a normal class lie 2.5 sd / n apart (one over n by
# the density there). The move is that gap times (20 / n)^(1/4), as 2.5 * 20^.25 = 5.3: whole gaps
# where 20 cases leave the place of the best threshold open, vanishing faster than the gaps where
# hundreds show it. That it starts from 20 was settled on normal, beta, log-normal, t, Laplace and
# gamma populations of 20 to 100 cases (docs/explanation/calibration.md). The limit holds for fewer
# than 7 cases: moved further, a class would no longer look like the one that was seen.
_MOVED, _MOST_MOVED = 5.3, 0.5
_IQR_OF_NORMAL = 1.349


@dataclass(frozen=True, slots=True)
class Counts:
    """The four cells of a confusion table, as numbers or as arrays of equal shape."""

    true_positives: FloatArray
    false_negatives: FloatArray
    false_positives: FloatArray
    true_negatives: FloatArray

    @classmethod
    def of_cells(cls, *cells: ArrayLike) -> "Counts":
        """Return the table of true positives, false negatives, false positives, true negatives."""
        return cls(*(np.asarray(cell, dtype=np.float64) for cell in cells))

    @property
    def precision(self) -> FloatArray:
        """Share of predicted positives that are real; 0 where none is predicted."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> FloatArray:
        """Share of real positives that are found."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def specificity(self) -> FloatArray:
        """Share of other cases that are left alone."""
        return _share(self.true_negatives, self.true_negatives + self.false_positives)

    def cells(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the cells in the order of `of_counts`."""
        return (
            self.true_positives,
            self.false_negatives,
            self.false_positives,
            self.true_negatives,
        )


def counted(y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: object, where: str) -> Counts:
    """Count the four outcomes of predicted labels."""
    truth = complete_labels(y_true, name="y_true", where=where)
    predicted = complete_labels(y_pred, name="y_pred", where=where)
    if truth.size != predicted.size:
        raise LengthMismatchError(
            where=where, lengths={"y_true": truth.size, "y_pred": predicted.size}
        )
    real, reported = truth == pos_label, predicted == pos_label
    _need_positives(real, pos_label=pos_label, where=where)
    outcomes = (real & reported, real & ~reported, ~real & reported, ~real & ~reported)
    return Counts.of_cells(*(np.sum(outcome) for outcome in outcomes))


def resampled(counts: Counts, n_draws: int, generator: np.random.Generator) -> Counts:
    """Draw confusion tables (as proportions) from the Dirichlet posterior of one table."""
    cells = np.array([float(cell) for cell in counts.cells()])
    drawn = generator.dirichlet(cells + PRIOR_CASES, size=n_draws)
    return Counts.of_cells(*drawn.T)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBins:
    """Cases between neighbouring thresholds: a case in bin k has thresholds[k] <= score.

    `thresholds` rise; `positives` and `negatives` count the cases of each bin. Scores that
    `are_steps` (most cases share theirs) are the only thresholds there could be.
    """

    thresholds: FloatArray
    positives: FloatArray
    negatives: FloatArray
    are_steps: bool

    @property
    def n_cases(self) -> int:
        """All cases."""
        return int(self.positives.sum() + self.negatives.sum())

    @property
    def n_rarer(self) -> int:
        """Cases of the rarer class."""
        return int(min(self.positives.sum(), self.negatives.sum()))

    def counts(self) -> Counts:
        """Return the confusion tables at every threshold, as observed: arrays (n_thresholds,)."""
        return _cumulated(self.positives, self.negatives)

    @property
    def order_z(self) -> float:
        """How many standard errors positives score above negatives (Mann and Whitney's test)."""
        below = np.cumsum(self.negatives) - self.negatives / 2
        pairs = float(self.positives.sum() * self.negatives.sum())
        area = float(self.positives @ below) / pairs
        return (area - 0.5) / float(np.sqrt((self.n_cases + 1) / (12 * pairs)))

    def smoothed_at(self, index: int) -> Counts:
        """Return the confusion table at one threshold as its neighbours suggest it.

        A best threshold sits where the test set happened to be kind: its own counts flatter it.
        True positives are therefore read off a parabola through the tables nearby (local quadratic
        regression over the number of cases flagged); how many cases are flagged is kept. Where
        scores are so coarse that few thresholds are near, nothing is smoothed.
        """
        counts = self.counts()
        flagged = counts.true_positives + counts.false_positives
        positives, negatives = self.positives.sum(), self.negatives.sum()
        away = (flagged - flagged[index]) / (_NEARBY * min(positives, negatives) ** 0.8)
        near = np.abs(away) < 1.0
        if near.sum() < _FEW:
            return Counts.of_cells(*(cell[index] for cell in counts.cells()))
        root = np.sqrt(1.0 - away[near] ** 2)
        powers = np.vander(away[near], 3, increasing=True)
        at_index = np.linalg.lstsq(
            powers * root[:, None], counts.true_positives[near] * root, rcond=None
        )[0][0]
        lowest = max(0.0, flagged[index] - negatives)
        smooth = float(np.clip(at_index, lowest, min(positives, flagged[index])))
        alarms = flagged[index] - smooth
        return Counts.of_cells(smooth, positives - smooth, alarms, negatives - alarms)

    def resampled(
        self, n_draws: int, generator: np.random.Generator, *, prior_cases: float = 0.0
    ) -> Counts:
        """Return Bayesian-bootstrap confusion tables: arrays (n_draws, n_thresholds).

        The weights of the cases of a bin add up to a Gamma(number of cases) variable, so one
        draw per bin replaces one per case, exactly. With `prior_cases` in each cell, the tables of
        any one threshold are those of the function `resampled`.
        """
        size = (n_draws, self.thresholds.size)
        weights = [
            generator.standard_gamma(side, size=size) for side in (self.positives, self.negatives)
        ]
        prior = generator.standard_gamma(prior_cases, size=(4, n_draws, 1))
        total = sum(weight.sum(axis=1, keepdims=True) for weight in (*weights, *prior))
        cells = _cumulated(*weights).cells()
        return Counts.of_cells(
            *((cell + extra) / total for cell, extra in zip(cells, prior, strict=True))
        )

    def moved(self, n_draws: int, generator: np.random.Generator) -> tuple[Counts, FloatArray]:
        """Return Bayesian-bootstrap tables of cases with moved scores, and those scores.

        Every draw moves the scores of each class by normal amounts (a smoothed bootstrap). Both
        have shape (n_draws, n_scores); scores rise, and each is a threshold of its draw.
        """
        places, weights = [], []
        for counts in (self.positives, self.negatives):
            held = counts > 0
            size = (n_draws, int(held.sum()))
            reach = self._reach(counts) * generator.standard_normal(size)
            places.append(self.thresholds[held] + reach)
            weights.append(generator.standard_gamma(counts[held], size=size))
        place, weight = np.hstack(places), np.hstack(weights)
        order = np.argsort(place, axis=1)
        is_positive = order < places[0].shape[1]
        share = np.take_along_axis(weight, order, axis=1) / weight.sum(axis=1, keepdims=True)
        tables = _cumulated(share * is_positive, share * ~is_positive)
        return tables, np.take_along_axis(place, order, axis=1)

    def _reach(self, counts: FloatArray) -> float:
        """Return the sd of the moves of a class; the whole test set stands in for a single case."""
        weights = counts if counts.sum() > 1 else self.positives + self.negatives
        n = float(weights.sum())
        mean = weights @ self.thresholds / n
        spread = float(np.sqrt(weights @ (self.thresholds - mean) ** 2 / (n - 1)))
        lower, upper = np.quantile(
            self.thresholds, (0.25, 0.75), weights=weights, method="inverted_cdf"
        )
        if upper > lower:
            spread = min(spread, float(upper - lower) / _IQR_OF_NORMAL)
        return spread * float(min(_MOST_MOVED, _MOVED / counts.sum() ** 1.25))


def score_bins(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    pos_label: object,
    where: str,
    most: int = MOST_THRESHOLDS,
) -> ScoreBins:
    """Sort cases into bins between candidate thresholds (at most `most`, quantiles by class)."""
    truth = complete_labels(y_true, name="y_true", where=where)
    values = _checked_scores(scores, where=where)
    if truth.size != values.size:
        raise LengthMismatchError(
            where=where, lengths={"y_true": truth.size, "scores": values.size}
        )
    real = truth == pos_label
    _need_positives(real, pos_label=pos_label, where=where)
    if np.all(real):
        raise InputError(
            where=f"{where}, y_true",
            found=f"only positives ({pos_label!r})",
            needed="both positive and negative cases",
            cure="Add negative cases: without them every threshold has precision 1.",
        )
    thresholds = np.unique(values)
    are_steps = thresholds.size < values.size / 2
    if thresholds.size > most:
        thresholds = _evenly_by_class(values, real, most)
    bins = np.searchsorted(thresholds, values, side="right") - 1
    n_bins = thresholds.size
    return ScoreBins(
        thresholds=thresholds,
        positives=np.bincount(bins[real], minlength=n_bins).astype(np.float64),
        negatives=np.bincount(bins[~real], minlength=n_bins).astype(np.float64),
        are_steps=are_steps,
    )


def _evenly_by_class(values: FloatArray, real: NDArray[np.bool_], most: int) -> FloatArray:
    """Return at most `most` scores, evenly spaced by rank where either class has half the cases."""
    order = np.argsort(values)
    weights = np.where(real, 0.5 / real.sum(), 0.5 / (~real).sum())[order]
    middles = np.cumsum(weights) - weights / 2
    wanted = np.linspace(middles[0], middles[-1], most)
    ranks = np.interp(wanted, middles, np.arange(values.size)).round().astype(int)
    return np.unique(values[order[ranks]])


def _checked_scores(scores: ArrayLike, *, where: str) -> FloatArray:
    array = np.asarray(scores)
    if array.ndim == 2 and array.shape[1] == 2:
        raise InputError(
            where=f"{where}, scores",
            found=f"an array of shape {array.shape}",
            needed="one score of the positive class per case",
            cure="Pass the second column of predict_proba, or decide.positive_scores(model, X).",
        )
    values = as_numbers(
        array,
        where=f"{where}, scores",
        needed="numbers: the higher, the more likely positive",
        cure="Pass probabilities or decision values, not labels.",
    ).ravel()
    gaps = ~np.isfinite(values)
    if gaps.any():
        raise InputError(
            where=f"{where}, scores",
            found=f"{int(gaps.sum())} of {values.size} missing or not finite"
            f" (first: row {int(np.argmax(gaps)) + 1})",
            needed="a finite score for every case",
            cure="Leave these cases out, or score them.",
        )
    refuse_huge(values, where=f"{where}, scores", what="score")
    return values


def _need_positives(real: NDArray[np.bool_], *, pos_label: object, where: str) -> None:
    if not np.any(real):
        raise InputError(
            where=f"{where}, y_true",
            found=f"no case labelled {pos_label!r} among {real.size}",
            needed="at least one positive case, else recall has no meaning",
            cure="Name the positive label with pos_label.",
        )


def _cumulated(positives: FloatArray, negatives: FloatArray) -> Counts:
    hits = np.cumsum(positives[..., ::-1], axis=-1)[..., ::-1]
    alarms = np.cumsum(negatives[..., ::-1], axis=-1)[..., ::-1]
    return Counts(
        true_positives=hits,
        false_negatives=np.maximum(hits[..., :1] - hits, 0.0),
        false_positives=alarms,
        true_negatives=np.maximum(alarms[..., :1] - alarms, 0.0),
    )


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)
