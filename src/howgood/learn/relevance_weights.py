"""Learn alpha and beta of the Relevance Score from people's grades of mismatches.

In: graded mismatches (context, actual, predicted, grade) and an `OutcomeTable`. Out:
`RelevanceWeights`, with uncertainty. Absent: the score itself (see `score.relevance`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import FewRespondentsWarning, InputError, MissingValueError, announce
from howgood.learn.mismatch import label_codes, mismatch
from howgood.records.estimate import Estimate
from howgood.records.levels import as_column, codes_of, distinct
from howgood.records.outcomes import OutcomeTable
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.arrays import FloatArray
from howgood.stats.bootstrap import widened
from howgood.stats.randomness import RandomState, generator_and_seed

_WHERE = "fit_relevance_weights"
_FEW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceWeights(Shown):
    """Alpha and beta as people's grades imply them.

    `alpha_share` is alpha / (alpha + beta), all that matters; `alpha` and `beta` are its mean and
    the rest, ready for `score.relevance_score`. `base_error` is what people take off for a
    mismatch at zero distance, on a scale from 0 to 1: the formula assumes 0, so a value clearly
    above 0 says that the formula is too kind for these respondents.

    Stability: experimental
    """

    alpha_share: Estimate
    base_error: Estimate
    residual_sd: float
    n_judgements: int
    n_ignored: int
    provenance: Provenance = field(repr=False)

    @property
    def alpha(self) -> float:
        """Alpha, scaled so that alpha + beta = 1."""
        return self.alpha_share.mean

    @property
    def beta(self) -> float:
        """Beta, scaled so that alpha + beta = 1."""
        return 1.0 - self.alpha_share.mean

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "alpha_share": self.alpha_share.to_dict(),
            "base_error": self.base_error.to_dict(),
            "residual_sd": self.residual_sd,
            "n_judgements": self.n_judgements,
            "n_ignored": self.n_ignored,
            "provenance": self.provenance.to_dict(),
        }


def fit_relevance_weights(
    judgements: Any,  # noqa: ANN401 - any supported frame, or a dict of columns
    *,
    table: OutcomeTable,
    predicted: str,
    grade: str,
    actual: str | None = None,
    respondent: str | None = None,
    scale: Sequence[float] = (0.0, 100.0),
    draws: int = 4000,
    random_state: RandomState = None,
) -> RelevanceWeights:
    r"""Return alpha and beta from people's grades of wrong predictions.

    .. math:: 1 - g_{ij} = u_j + a\,(P_H - P_P)_i + b\,|P_P - P_A|_i + \varepsilon_{ij},
       \qquad \alpha : \beta = a : b, \quad a, b \ge 0

    with grade g between 0 and 1 and a severity u of each respondent. Uncertainty comes from the
    Bayesian bootstrap over respondents, widened for their small number: no assumption about how
    grades scatter. One respondent alone differs from nobody: then it is over that person's
    judgements, and says nothing about other people.

    Parameters
    ----------
    judgements : frame
        One row per grade: the table's context columns and the columns below. Rows in which
        prediction and actual agree, and contexts never seen, are ignored and counted.
    table : OutcomeTable
        From `learn.outcome_probabilities`.
    predicted, grade, actual : str
        Columns with the predicted outcome, the grade, and the actual outcome (the table's
        outcome column by default).
    respondent : str, optional
        Column that says who graded. Without it every row counts as another person, with one
        severity for all.
    scale : pair of float
        Worst and best grade.
    draws : int
        Bootstrap draws.

    Notes
    -----
    Stability: experimental

    References
    ----------
    Rubin (1981), "The Bayesian Bootstrap", Annals of Statistics 9.

    Examples
    --------
    >>> from howgood import learn
    >>> choices = {"room": ["x"] * 10, "light": [*"AAAAABBBCC"]}
    >>> table = learn.outcome_probabilities(choices, outcome="light", context=["room"])
    >>> judged = {"room": ["x"] * 4, "light": [*"BCAC"], "shown": [*"AABB"],
    ...           "grade": [90.0, 85.0, 80.0, 81.0]}
    >>> fit = fit_relevance_weights(judged, table=table, predicted="shown", grade="grade",
    ...                             random_state=0)
    >>> 0 <= fit.alpha_share.mean <= 1
    True
    """
    generator, seed = generator_and_seed(random_state)
    rows = _judged(judgements, table, predicted, grade, actual, respondent, scale)
    people = rows.people
    centred = rows.distances - _means(rows.distances, rows.offsets)[rows.offsets]
    error = rows.error - _means(rows.error[:, None], rows.offsets)[rows.offsets, 0]
    _require_evidence(centred)
    n_units = int(people.max()) + 1
    _warn_if_few(rows.n_respondents)
    weights = generator.dirichlet(np.ones(n_units), size=draws) * n_units
    # The first row weighs everybody alike: the estimate itself, which the draws are around.
    weights = np.vstack([np.ones(n_units), weights])
    slopes = _slopes(centred, error, people, weights)
    total = slopes.within.sum(axis=1)
    _require_slope(total)
    severity = _means(np.column_stack([rows.error, rows.distances]), people)
    drawn = weights @ severity / n_units
    base = drawn[:, 0] - np.sum(drawn[:, 1:] * slopes.within, axis=1)
    # Two slopes are fitted, and a mean severity where people have none of their own.
    n_fitted = 3 if rows.offsets.max() == 0 else 2
    stretched = partial(widened, n_units=n_units, n_fitted=n_fitted, generator=generator)
    share = slopes.share[total > 0]
    best = slopes.within[0]
    estimate = partial(_estimate, n_respondents=rows.n_respondents)
    return RelevanceWeights(
        alpha_share=estimate(
            np.clip(stretched(share[1:], share[0]), 0.0, 1.0), mean=best[0] / total[0]
        ),
        base_error=estimate(stretched(base[1:], base[0]), mean=base[0]),
        residual_sd=float(np.std(error - centred @ best)),
        n_judgements=len(error),
        n_ignored=rows.n_ignored,
        provenance=Provenance(
            method="non-negative least squares, widened Bayesian bootstrap over "
            + ("judgements" if n_units == len(error) else "respondents"),
            settings={"scale": list(scale), "draws": draws, "respondent": respondent},
            seed=seed,
            rows_used=len(error),
            rows_dropped={"right, or context never seen": rows.n_ignored},
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """Distances (rows, 2), error 0 to 1, who is resampled, who has a severity of their own."""

    distances: FloatArray
    error: FloatArray
    people: NDArray[np.int64]
    offsets: NDArray[np.int64]
    n_respondents: int | None
    n_ignored: int


def _judged(
    judgements: Any,  # noqa: ANN401 - any supported frame
    table: OutcomeTable,
    predicted: str,
    grade: str,
    actual: str | None,
    respondent: str | None,
    scale: Sequence[float],
) -> _Judged:
    truth = actual or table.outcome
    names = [*table.encoded_columns, truth, predicted, grade] + ([respondent] if respondent else [])
    columns = frame_columns(judgements, names, where=_WHERE)
    labels = label_codes(table, columns[truth], columns[predicted])
    codes = table.encode({name: columns[name] for name in table.encoded_columns}).codes
    judged = mismatch(table, codes, labels.actual, labels.predicted, n_labels=len(labels.values))
    used = ~judged.right & judged.seen
    if used.sum() < 2:
        raise InputError(
            where=_WHERE,
            found=f"{int(used.sum())} graded mismatches in known contexts among {len(used)} rows",
            needed="at least two, and better a hundred",
            cure="Ask people to grade wrong predictions in contexts the table holds.",
        )
    distances = np.stack(
        [judged.highest - judged.predicted, np.abs(judged.predicted - judged.actual)], axis=1
    )
    people, offsets = np.arange(int(used.sum())), np.zeros(int(used.sum()), dtype=np.int64)
    n_respondents = None
    if respondent:
        who = as_column(columns[respondent], where=f"{_WHERE}, column {respondent!r}")[used]
        offsets = codes_of(who, distinct(who, where=respondent), where=respondent)
        n_respondents = int(offsets.max()) + 1
        people = offsets if n_respondents > 1 else people
    return _Judged(
        distances=distances[used],
        error=1.0 - _graded(columns[grade], grade, scale)[used],
        people=people,
        offsets=offsets,
        n_respondents=n_respondents,
        n_ignored=int(np.sum(~used)),
    )


def _graded(values: NDArray[Any], name: str, scale: Sequence[float]) -> FloatArray:
    worst, best = (float(end) for end in scale)
    grades = as_numbers(values, where=f"{_WHERE}, column {name!r}")
    missing = ~np.isfinite(grades)
    if missing.any():
        raise MissingValueError(
            where=_WHERE,
            column=name,
            n_missing=int(missing.sum()),
            n_rows=len(grades),
            first=int(np.argmax(missing)),
        )
    if not worst < best or grades.min() < worst or grades.max() > best:
        raise InputError(
            where=f"{_WHERE}, column {name!r}",
            found=f"grades from {grades.min():g} to {grades.max():g}",
            needed=f"grades within the scale ({worst:g}, {best:g}), worst first",
            cure="Name the scale the grades were given on: scale=(worst, best).",
        )
    return (grades - worst) / (best - worst)


def _means(values: FloatArray, groups: NDArray[np.int64]) -> FloatArray:
    sizes = np.bincount(groups)
    return np.stack([np.bincount(groups, weights=v) / sizes for v in values.T], axis=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slopes:
    """Slopes (a, b) within their bounds, and a / (a + b) that may leave 0 to 1 as chance takes it.

    Draws that stop at the bounds are too much alike when the truth is near one.
    """

    within: FloatArray
    share: FloatArray


def _slopes(
    centred: FloatArray,
    error: FloatArray,
    people: NDArray[np.int64],
    weights: FloatArray,
) -> _Slopes:
    """Return least-squares slopes under each row of person weights."""
    x, z = centred.T
    sums = np.stack(
        [np.bincount(people, weights=v) for v in (x * x, x * z, z * z, x * error, z * error)]
    )
    xx, xz, zz, xe, ze = (weights @ sums.T).T
    determinant = xx * zz - xz**2
    safe = np.where(determinant > 0, determinant, 1.0)
    free = np.stack([(zz * xe - xz * ze) / safe, (xx * ze - xz * xe) / safe], axis=1)
    only_x = np.stack([np.maximum(xe / np.where(xx > 0, xx, 1.0), 0.0), np.zeros_like(xe)], axis=1)
    only_z = np.stack([np.zeros_like(ze), np.maximum(ze / np.where(zz > 0, zz, 1.0), 0.0)], axis=1)
    inside = (free >= 0).all(axis=1) & (determinant > 0)
    # On the border the better of the two single-distance fits explains more.
    gain_x, gain_z = only_x[:, 0] * xe, only_z[:, 1] * ze
    border = np.where((gain_x >= gain_z)[:, None], only_x, only_z)
    within = np.where(inside[:, None], free, border)
    # A sum of slopes that is not positive has no share; its bounded slopes say on which side.
    has_share = (determinant > 0) & (free.sum(axis=1) > 0)
    a, b = np.where(has_share[:, None], free, within).T
    return _Slopes(within=within, share=a / np.where(a + b > 0, a + b, 1.0))


def _estimate(draws: FloatArray, *, mean: float, n_respondents: int | None) -> Estimate:
    """Return draws by quantiles; the mean of draws with such tails would say little."""
    estimate = Estimate.from_draws(draws, kind="quantile", n_respondents=n_respondents)
    return replace(estimate, mean=float(mean))


def _require_evidence(centred: FloatArray) -> None:
    spread = np.linalg.svd(centred, compute_uv=False)
    if spread[-1] <= 1e-9 * max(spread[0], 1e-300):
        raise InputError(
            where=_WHERE,
            found="the two distances move together in every graded mismatch",
            needed="mismatches that tell alpha from beta",
            cure="Add wrong predictions of the likeliest outcome (case 2) next to others, "
            "several per respondent.",
        )


def _require_slope(total: FloatArray) -> None:
    if total[0] <= 0 or np.mean(total > 0) < 0.5:
        raise InputError(
            where=_WHERE,
            found="grades that do not fall as the prediction gets less likely",
            needed="grades in which greater is better",
            cure="Check the direction of the scale: scale=(worst, best).",
        )


def _warn_if_few(n_respondents: int | None) -> None:
    if n_respondents == 1:
        announce(
            "One respondent graded mismatches: weights and intervals are about that person alone.",
            FewRespondentsWarning,
        )
    elif n_respondents and n_respondents < _FEW:
        announce(
            f"{n_respondents} respondents graded mismatches: intervals are widened for so few, "
            f"and rest on how alike these happen to be; {_FEW} or more say it better.",
            FewRespondentsWarning,
        )
