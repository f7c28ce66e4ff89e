"""Do the scores mean what they say? A report, and a cure.

In: labels and scores. Out: `CalibrationReport`, `Recalibration`. Absent: training models.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from howgood.errors import InputError
from howgood.learn.elicitation.matrices import check_probabilities, labels_and_scores
from howgood.records.calibration import CalibrationReport, Recalibration
from howgood.records.provenance import Provenance
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_SIMULATIONS = 400


def calibration_report(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    bins: int = 10,
    pos_label: object = 1,
    missing: Literal["error", "drop"] = "error",
    random_state: RandomState = None,
) -> CalibrationReport:
    r"""Compare what scores promise with what happens, bin by bin.

    The expected calibration error is :math:`\sum_b \frac{n_b}{n} |\bar y_b - \bar s_b|` over
    bins with equal numbers of cases. Even perfect scores show some error by chance: its 95 %
    point, by simulation, stands next to it.

    Parameters
    ----------
    y_true, scores : arrays of shape (n,)
        Labels and probabilities of the positive class.
    bins : int
        Most bins; ties in the scores may leave fewer.
    pos_label, missing
        As in `threshold_matrices`.
    random_state : None, int or Generator
        For the simulated error of perfect scores.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> report = calibration_report([0, 0, 1, 1] * 50, [0.5] * 200, random_state=1)
    >>> report.error, report.is_suspicious
    (0.0, False)
    """
    positive, probability, dropped = labels_and_scores(
        y_true, scores, pos_label=pos_label, missing=missing, where="calibration_report"
    )
    check_probabilities(probability, where="calibration_report")
    generator, seed = generator_and_seed(random_state)
    edges = np.unique(np.quantile(probability, np.linspace(0, 1, bins + 1)))
    member = np.searchsorted(edges[1:-1], probability, side="right")
    size = np.bincount(member, minlength=1)
    filled = size > 0
    mean_score = np.bincount(member, weights=probability)[filled] / size[filled]
    share = np.bincount(member, weights=positive.astype(float))[filled] / size[filled]
    perfect = [
        _error(generator.random(probability.size) < probability, probability, member)
        for _ in range(_SIMULATIONS)
    ]
    return CalibrationReport(
        table=Table({"mean score": mean_score, "share positive": share, "cases": size[filled]}),
        error=_error(positive, probability, member),
        error_by_chance=float(np.quantile(perfect, 0.95)),
        provenance=Provenance(
            method="expected calibration error over equally filled bins",
            settings={"bins": bins, "simulations": _SIMULATIONS},
            seed=seed,
            rows_used=int(positive.size),
            rows_dropped={"missing": dropped} if dropped else {},
        ),
    )


def fit_recalibration(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    method: Literal["logistic", "isotonic"] = "logistic",
    pos_label: object = 1,
    missing: Literal["error", "drop"] = "error",
) -> Recalibration:
    """Learn to turn scores into probabilities; apply the result to cases it was not fitted on.

    "logistic" fits two numbers to the scores (to their log-odds when they lie between 0 and 1,
    Platt's method); "isotonic" fits any rising staircase and needs many cases.

    Parameters
    ----------
    y_true, scores : arrays of shape (n,)
        Labels and any scores that rise with the chance of the positive class.
    method : {"logistic", "isotonic"}
        See above.
    pos_label, missing
        As in `threshold_matrices`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> score = rng.normal(size=5000)
    >>> truth = rng.random(5000) < expit(2 * score - 1)
    >>> recalibrate = fit_recalibration(truth, score)
    >>> np.abs(recalibrate([0.0, 1.0]) - expit([-1.0, 1.0])).max() < 0.05
    np.True_
    """
    from scipy.optimize import isotonic_regression  # a third of a second, so only when asked

    positive, values, _ = labels_and_scores(
        y_true, scores, pos_label=pos_label, missing=missing, where="fit_recalibration"
    )
    if method not in ("logistic", "isotonic"):
        raise InputError(
            where="fit_recalibration",
            found=f"method = {method!r}",
            needed="'logistic' or 'isotonic'",
            cure="'logistic' is the safer one for a few hundred cases.",
        )
    if method == "isotonic":
        order = np.argsort(values, kind="stable")
        steps = isotonic_regression(positive[order].astype(float)).x
        return Recalibration(method=method, knots=values[order], values=np.asarray(steps))
    is_probability = bool(values.min() >= 0 and values.max() <= 1)
    x = logit(np.clip(values, 1e-6, 1 - 1e-6)) if is_probability else values
    slope, intercept = _logistic_fit(x, positive)
    return Recalibration(
        method=method, slope=slope, intercept=intercept, on_log_odds=is_probability
    )


def _error(
    positive: NDArray[np.bool_], probability: FloatArray, member: NDArray[np.int64]
) -> float:
    gaps = np.bincount(member, weights=positive - probability)
    return float(np.abs(gaps).sum() / probability.size)


def _logistic_fit(x: FloatArray, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Maximise the likelihood; Platt's softened targets keep separable scores finite."""
    n_positive, n_negative = positive.sum(), (~positive).sum()
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    centre, spread = float(x.mean()), float(x.std()) or 1.0
    standard = (x - centre) / spread

    from scipy.optimize import minimize  # a third of a second, so only when asked

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        linear = weights[0] * standard + weights[1]
        gap = expit(linear) - target
        value = np.logaddexp(0, linear) - target * linear
        return float(value.sum()), np.array([(gap * standard).sum(), gap.sum()])

    slope, intercept = minimize(loss, np.array([1.0, 0.0]), jac=True, method="BFGS").x
    return float(slope / spread), float(intercept - slope * centre / spread)
