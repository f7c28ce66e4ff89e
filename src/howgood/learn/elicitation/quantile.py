"""Is a prediction that is too low worse than one too high, and by how much?

In: outcomes and predictions, and answers. Out: questions in the user's units (see
`weights_search`) and `QuantileResult`. Absent: costs that do not grow evenly with the error.
"""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError, LengthMismatchError
from howgood.learn.elicitation.matrices import check_finite
from howgood.learn.elicitation.weights_search import (
    PARTICLES,
    Counted,
    WeightsSearch,
    weight_estimate,
)
from howgood.records.criteria import CriteriaTable, Criterion
from howgood.records.elicitation import FEWEST_PREFERENCES
from howgood.records.pinball import PinballMetric, QuantileResult
from howgood.records.provenance import Provenance
from howgood.records.table import as_numbers
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState
from howgood.stats.weighted_choices import particle_weights

WHERE = "elicit_quantile"
_SHOWN = {"too low": "too low, on average", "too high": "too high, on average"}
_LEVELS = np.linspace(0.02, 0.98, 41)
_FEWEST_CASES = 20
_DIGITS = 3


class QuantileElicitor(WeightsSearch):
    r"""Learn how many units too high are as bad as one unit too low.

    People compare forecasts by how far they are too low and too high on average, in their own
    units. With costs :math:`c_l` and :math:`c_h` per unit, the best prediction is the quantile
    :math:`\tau = c_l / (c_l + c_h)`.

    Parameters
    ----------
    y : array
        What happened.
    prediction : array
        What was predicted. The forecasts compared are these, moved up or down.
    unit : str
        The unit of both, such as "EUR" or "loaves".
    min_queries, max_queries : int
        Fewest and most questions asked to learn.
    catch_pairs, held_out : int
        Questions that check attention (at most 3), and that are kept back to test the ratio.
    random_state : None, int or Generator
        Decides sides, checks and held-out questions.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import learn
    >>> rng = np.random.default_rng(1)
    >>> sold = rng.normal(100, 15, 500)
    >>> learner = QuantileElicitor(sold, np.full(500, 100.0), unit="loaves", random_state=1)
    >>> def baker(one, other):  # a loaf too few is as bad as four too many
    ...     costs = [4 * each.values["too low"] + each.values["too high"] for each in (one, other)]
    ...     return "first" if costs[0] < costs[1] else "second"
    >>> result = learn.ask_oracle(learner, baker)
    >>> abs(result.quantile.mean - 0.8) < 0.03, round(result.shift.mean) in range(9, 17)
    (True, True)
    """

    task = (
        "Forecasts are too low in some cases and too high in others. Each option says by how much, "
        "on average over all cases; less is better. Please choose between two such forecasts, "
        "again and again."
    )
    until = "ratio"

    def __init__(
        self,
        y: ArrayLike,
        prediction: ArrayLike,
        *,
        unit: str = "",
        min_queries: int = 6,
        max_queries: int = 25,
        catch_pairs: int = 3,
        held_out: int = 8,
        random_state: RandomState = None,
    ) -> None:
        self.unit = unit
        self.truth, self.prediction = _checked(y, prediction)
        super().__init__(
            _forecasts(self.truth - self.prediction, unit),
            random_state=random_state,
            min_queries=min(min_queries, max_queries),
            max_queries=max_queries,
            catch_pairs=catch_pairs,
            held_out=held_out,
            imagined=True,
        )

    def anew(self, *, random_state: RandomState, **settings: Any) -> Self:  # noqa: ANN401 - its own
        """Return an interview about the same forecasts, not yet begun."""
        settings.pop("imagined", None)
        return type(self)(
            self.truth, self.prediction, unit=self.unit, random_state=random_state, **settings
        )

    def result(self) -> QuantileResult:
        """Return what the answers so far say."""
        particles, _ = self._last_particles()
        weights = particle_weights(particles)
        counted, fit = Counted(self._answered, self._steps), self._fit(particles)
        is_said = counted.preferences >= FEWEST_PREFERENCES and fit.holds
        quantile = np.clip(weights[:, 0], 1e-6, 1 - 1e-6)
        return QuantileResult(
            quantile=weight_estimate(quantile),
            ratio=replace(weight_estimate(quantile / (1 - quantile)), centre="median"),
            metric=PinballMetric(quantile=float(quantile.mean())) if is_said else None,
            unit=self.unit,
            residuals=self.truth - self.prediction,
            queries=len(self._answered),
            choices=counted.choices,
            preferences=counted.preferences,
            stopped=self._stopped or "interrupted",
            checks=counted.checks,
            agreement=self._agreement(weights.mean(axis=0)),
            misfit=fit.reasons,
            advice=fit.advice,
            is_informative=fit.is_informative,
            provenance=Provenance(
                method="QuantileElicitor (sequential Monte Carlo)",
                settings={**self.settings, "particles": PARTICLES},
                seed=self.seed,
                rows_used=self.truth.size,
            ),
        )


def _forecasts(residuals: FloatArray, unit: str) -> CriteriaTable:
    """Return what the predictions, moved to each quantile of their errors, miss on average."""
    shifts = np.unique(np.quantile(residuals, _LEVELS))
    left = residuals[None, :] - shifts[:, None]
    errors = np.column_stack([np.maximum(left, 0).mean(axis=1), np.maximum(-left, 0).mean(axis=1)])
    # As many digits as tell the forecasts apart, and no more.
    digits = _DIGITS - 1 - int(np.floor(np.log10(np.ptp(errors, axis=0).max())))
    return CriteriaTable(
        names=tuple(f"predictions {shift:+.6g}" for shift in shifts.tolist()),
        criteria=tuple(
            Criterion(name=name, direction="min", unit=unit, label=label)
            for name, label in _SHOWN.items()
        ),
        scores=np.round(errors, digits),
        sds=np.zeros_like(errors),
        common_unit=True,
    )


def _checked(y: ArrayLike, prediction: ArrayLike) -> tuple[FloatArray, FloatArray]:
    truth, predicted = (
        np.asarray(as_numbers(np.asarray(column).ravel(), where=f"{WHERE}, {name}"))
        for column, name in ((y, "y"), (prediction, "prediction"))
    )
    if truth.size != predicted.size:
        raise LengthMismatchError(
            where=WHERE, lengths={"y": truth.size, "prediction": predicted.size}
        )
    for name, values in (("y", truth), ("prediction", predicted)):
        check_finite(values, column=name, where=WHERE)
    n_different = np.unique(truth - predicted).size
    if truth.size < _FEWEST_CASES or n_different < 3:
        raise InputError(
            where=WHERE,
            found=f"{truth.size} cases with {n_different} different errors",
            needed=f"at least {_FEWEST_CASES} cases whose errors differ",
            cure="Pass predictions of cases the model was not trained on.",
        )
    return truth, predicted
