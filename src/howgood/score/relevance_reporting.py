"""The Relevance Score with everything needed to read it honestly.

In: as `relevance_score`. Out: `RelevanceReport`: score and interval, cases, rows per context,
bounds, and what the score would be without any skill (a chance predictor, always the likeliest
outcome, dice-thrown outcomes on the same contexts). Absent: sentences and pictures (see `show`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError
from howgood.learn.mismatch import TIE, Mismatch, mismatch
from howgood.records.estimate import Estimate, Interval
from howgood.records.levels import as_column, codes_of, distinct, numbered
from howgood.records.outcomes import OutcomeTable
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.score.relevance import (
    CodedRows,
    Unseen,
    alpha_share,
    coded_rows,
    counted_rows,
    nothing_to_score,
    refuse_unseen,
    row_scores,
)
from howgood.score.relevance_resampling import resampled_ends
from howgood.stats.arrays import FloatArray
from howgood.stats.bootstrap import ratio_draws, summed_by_group, widened
from howgood.stats.randomness import RandomState, generator_and_seed

_MOST_DRAWS, _LEAST_DRAWS, _CELL_BUDGET = 8192, 16, 300_000
_Unseen = Callable[[FloatArray], FloatArray]
# Table 2 of the paper; the paper leaves ties open, so they are cases of their own.
CASES = (
    "not graded: context never seen",
    "1 right",
    "2 moderately relevant: predicted the likeliest",
    "3 relevant: likeliest > predicted > actual",
    "4 less relevant: likeliest > actual > predicted",
    "5 irrelevant: actual was the likeliest",
    "tie: predicted, actual and likeliest equal",
    "tie: predicted and actual equal, below the likeliest",
)


def chance_score(coded: CodedRows, share: float) -> float:
    """Return the expected score of a predictor that picks among all outcomes at random."""
    return _expected(coded, share, lambda rows: np.ones(rows.predicted.shape))


def most_probable_score(coded: CodedRows, share: float) -> float:
    """Return the score of always predicting the likeliest outcome; ties are drawn by lot."""
    return _expected(coded, share, _is_likeliest)


def _is_likeliest(rows: Mismatch) -> FloatArray:
    return (rows.predicted >= rows.highest - TIE).astype(np.float64)


def _expected(
    coded: CodedRows, share: float, chosen_from: Callable[[Mismatch], FloatArray]
) -> float:
    """Average over predictions drawn evenly from those `chosen_from` marks with a 1."""
    n_labels, n_outcomes = len(coded.labels.values), len(coded.table.outcomes)
    actual = coded.labels.actual.astype(np.int64)
    pairs, place = numbered(coded.codes * n_labels + actual)
    mass = np.bincount(place, weights=coded.weight, minlength=len(pairs))[:, np.newaxis]
    codes, actual = pairs[:, np.newaxis] // n_labels, pairs[:, np.newaxis] % n_labels
    predicted = np.arange(n_outcomes)[np.newaxis]
    known = mismatch(coded.table, codes, actual, predicted, n_labels=n_labels, marginal=True)
    rows = mismatch(
        coded.table,
        codes,
        actual,
        predicted,
        n_labels=n_labels,
        marginal=coded.unseen == "marginal",
    )
    chosen = chosen_from(known)
    chosen = mass * chosen / chosen.sum(axis=1, keepdims=True) * counted_rows(rows)
    total = float(chosen.sum())
    return float(np.sum(chosen * row_scores(rows, share))) / total if total > 0 else float("nan")


def dice_score(coded: CodedRows, share: float, *, generator: np.random.Generator) -> float:
    """Return the expected score when outcomes are shuffled on the same contexts.

    This is the paper's control (section 4.4) without refitting a model: when outcomes are dice,
    no predictor does better than another, and the score depends on rows per context alone.
    """
    reference = _rows_behind(coded)
    sizes, place = numbered(_coarse(reference))
    mass = np.bincount(place, weights=coded.weight, minlength=len(sizes))
    budget = _CELL_BUDGET // len(sizes)
    by_size = [_dice_at(int(size), coded.table, share, budget, generator) for size in sizes]
    counted = np.array([part for _, part in by_size])
    scores = np.array([score for score, _ in by_size])
    return float(mass @ (scores * counted) / (mass @ counted))


def _rows_behind(coded: CodedRows) -> NDArray[np.int64]:
    """Return how many rows of the table speak for each test row's context."""
    table = coded.table
    if table.folds is not None:
        totals = np.rint(table.weights.sum(axis=1)).astype(np.int64)
        totals[table.n_contexts :: table.n_contexts + 1] = 0
    else:
        totals = np.append(table.rows, 0) - int(table.leaves_one_out)
    totals = np.maximum(totals, 0)
    if coded.unseen == "marginal":
        totals[totals == 0] = table.n_rows
    rows: NDArray[np.int64] = totals[coded.codes]
    return rows


def _coarse(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep two digits of large sizes: 2412 and 2398 rows per context score alike."""
    digits = np.floor(np.log10(np.maximum(rows, 1))).astype(np.int64)
    unit = 10 ** np.maximum(digits - 1, 0)
    coarse: NDArray[np.int64] = (rows + unit // 2) // unit * unit
    return coarse


def _dice_at(
    n_rows: int, table: OutcomeTable, share: float, budget: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Return the mean score with `n_rows` dice in the context, and the share of rows counted."""
    n_outcomes = len(table.outcomes)
    if n_rows == 0:
        return 100.0, 1.0 / n_outcomes
    n_draws = int(np.clip(budget // n_outcomes**2, _LEAST_DRAWS, _MOST_DRAWS))
    counts = generator.multinomial(n_rows, np.full(n_outcomes, 1 / n_outcomes), size=n_draws)
    smoothed = counts + table.smoothing
    shares = smoothed / smoothed.sum(axis=1, keepdims=True)
    actual, predicted = shares[:, :, np.newaxis], shares[:, np.newaxis, :]
    rows = Mismatch(
        highest=shares.max(axis=1)[:, np.newaxis, np.newaxis],
        predicted=predicted,
        actual=actual,
        right=np.eye(n_outcomes, dtype=bool)[np.newaxis],
        seen=np.array(True),
        absent=np.array(False),
    )
    by_actual = row_scores(rows, share).mean(axis=2)
    # A row of the table itself is as likely to show an outcome as that outcome is frequent.
    chances = counts / n_rows if table.reference == "all" else np.full(counts.shape, 1 / n_outcomes)
    return float(np.mean(np.sum(by_actual * chances, axis=1))), 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceReport(Tabular):
    """A Relevance Score with its interval, cases and baselines.

    `scores` holds the score per row (NaN where not graded), `cases` the place of each row's case
    in `CASES`, and `weights` what each row weighs (1 without `sample_weight`). `distances` has
    shape (n_rows, 3): how far the likeliest outcome's probability is above the predicted one's,
    d(HP), predicted and actual one's are apart, d(PA), and the likeliest one's is above the actual
    one's, d(HA); NaN where not graded. `chance` picks
    among all outcomes at random, `most_probable` always predicts the likeliest outcome of the
    context, `dice` is what any predictor gets when outcomes are shuffled on the same
    contexts. `acceptable` is the share of rows whose predicted outcome somebody chose in that
    context. `bounds` are the scores at infinite alpha or beta, in order: no alpha and beta leave
    this range. `rows_per_context`, `singleton_share` and `dice` count rows, whatever they weigh.

    Stability: stable
    """

    frame_of: ClassVar[str] = "case_table"

    value: float
    estimate: Estimate
    scores: FloatArray = field(repr=False)
    cases: NDArray[np.int8] = field(repr=False)
    weights: FloatArray = field(repr=False)
    distances: FloatArray = field(repr=False, default_factory=lambda: np.full((0, 3), np.nan))
    accuracy: float
    acceptable: float
    chance: float
    most_probable: float
    dice: float
    at_infinite_alpha: Estimate
    at_infinite_beta: Estimate
    alpha: float
    beta: float
    n_rows: int
    n_excluded: int
    n_contexts: int
    rows_per_context: float
    singleton_share: float
    reference: str
    provenance: Provenance = field(repr=False)

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest score any alpha and beta can give."""
        ends = (self.at_infinite_alpha.mean, self.at_infinite_beta.mean)
        return min(ends), max(ends)

    @property
    def mean_distances(self) -> tuple[float, float, float]:
        """Weighted means of d(HP), d(PA) and d(HA) over graded rows (Eq. 3 to 5)."""
        if not len(self.distances):
            return (float("nan"),) * 3
        graded = ~np.isnan(self.scores)
        means = [
            _weighted_mean(column[graded], self.weights[graded]) for column in self.distances.T
        ]
        return means[0], means[1], means[2]

    @property
    def case_shares(self) -> FloatArray:
        """Share of the (weighted) rows in each of `CASES`."""
        mass = np.bincount(self.cases, weights=self.weights, minlength=len(CASES))
        shares: FloatArray = mass / mass.sum()
        return shares

    @property
    def case_table(self) -> Table:
        """Rows, share and mean score of each case, in the order of the paper's Table 2."""
        counts = np.bincount(self.cases, minlength=len(CASES))
        order = [*range(1, len(CASES)), 0]
        inside = [self.cases == case for case in order]
        means = [_weighted_mean(self.scores[rows], self.weights[rows]) for rows in inside]
        return Table(
            {
                "case": [CASES[case] for case in order],
                "rows": counts[order],
                "share": self.case_shares[order],
                "mean score": means,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON (without the rows)."""
        numbers = (
            "value", "accuracy", "acceptable", "chance", "most_probable", "dice", "alpha", "beta",
            "n_rows", "n_excluded", "n_contexts", "rows_per_context", "singleton_share",
            "reference",
        )  # fmt: skip
        return {
            **{name: getattr(self, name) for name in numbers},
            "interval": self.estimate.interval.to_dict(),
            "mean_distances": dict(zip(("HP", "PA", "HA"), self.mean_distances, strict=True)),
            "at_infinite_alpha": self.at_infinite_alpha.to_dict(),
            "at_infinite_beta": self.at_infinite_beta.to_dict(),
            "cases": list(self.case_table.rows()),
            "provenance": self.provenance.to_dict(),
        }


def relevance_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    contexts: Any,  # noqa: ANN401 - a frame, an array, or ContextCodes
    table: OutcomeTable,
    alpha: float = 2.0,
    beta: float = 1.0,
    sample_weight: ArrayLike | None = None,
    unseen: Unseen = "exclude",
    groups: ArrayLike | None = None,
    probability: float = 0.95,
    resamples: int = 2000,
    random_state: RandomState = None,
) -> RelevanceReport:
    """Return the Relevance Score with interval, cases, rows per context and baselines.

    Parameters
    ----------
    y_true, y_pred, contexts, table, alpha, beta, sample_weight, unseen
        As in `relevance_score`.
    groups : array of shape (n_rows,), optional
        Whose row it is. Rows of one person are alike, so groups are weighed anew as a whole;
        without groups rows are, which is too sure when people gave several rows each.
    probability : float
        Of the interval (equal tails): the Bayesian bootstrap, widened for few units, and never
        narrower than half a unit of score 0 and half a unit of score 100 more would make it.
    resamples : int
        Bootstrap draws over the test rows; of very large tables fewer, 200 at least. A table made
        from the test rows (reference "all" or "cross-fit") is counted anew in every draw, as other
        people would have brought another one: the interval is about what as many other people
        would show on average. A table of other rows ("train") is taken as given: the interval then
        tells how far other test rows would move the score, not other tables.
    random_state : int, Generator or None
        Same seed, same rows: the resamples of two models are paired.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn
    >>> rows = {"room": ["x"] * 10, "light": [*"AAAABBBBCC"]}
    >>> table = learn.outcome_probabilities(rows, outcome="light", context=["room"])
    >>> report = relevance_report([*"ABCAB"], [*"ACABB"], contexts={"room": ["x"] * 5},
    ...                           table=table, random_state=0)
    >>> report.accuracy, report.cases.tolist(), report.scores.round(1).tolist()
    (0.4, [1, 5, 2, 6, 1], [100.0, 80.0, 93.3, 100.0, 100.0])
    """
    share = alpha_share(alpha, beta)
    _check_interval(probability, resamples)
    coded = coded_rows(
        y_true, y_pred, contexts=contexts, table=table, sample_weight=sample_weight, unseen=unseen
    )
    generator, seed = generator_and_seed(random_state)
    rows, counted, mass = _graded(coded)
    ends = np.stack([row_scores(rows, 1.0), row_scores(rows, 0.0)], axis=1)
    units = None if groups is None else _group_codes(groups, len(mass))
    again = resampled_ends(coded, units, draws=resamples, generator=generator)
    draws, unseen_too = _end_draws(ends, mass, units, again, resamples, generator)
    settings = {"alpha": float(alpha), "beta": float(beta), "probability": probability}
    how = {"resamples": len(draws), "interval": _how(groups, again)}
    means = mass @ ends / mass.sum()
    weight = coded.mass(np.ones_like(counted))
    scores = np.where(counted, row_scores(rows, share), np.nan)
    mix = np.array([share, 1.0 - share])
    return RelevanceReport(
        value=float(np.nansum(scores * mass) / mass.sum()),
        estimate=_estimate(float(means @ mix), draws @ mix, unseen_too, probability),
        scores=scores,
        cases=np.where(counted, case_codes(rows), 0).astype(np.int8),
        weights=weight,
        distances=_distances(rows, counted),
        accuracy=float(np.average(rows.right, weights=weight)),
        acceptable=float(np.average((rows.predicted > TIE) & rows.seen, weights=weight)),
        chance=chance_score(coded, share),
        most_probable=most_probable_score(coded, share),
        dice=dice_score(coded, share, generator=generator),
        at_infinite_alpha=_estimate(float(means[0]), draws[:, 0], unseen_too, probability),
        at_infinite_beta=_estimate(float(means[1]), draws[:, 1], unseen_too, probability),
        alpha=float(alpha),
        beta=float(beta),
        n_rows=len(counted),
        n_excluded=int(np.sum(~counted)),
        **_context_facts(table),
        provenance=_provenance(coded, counted, seed, {**settings, **how}),
    )


def _graded(
    coded: CodedRows,
) -> tuple[Mismatch, NDArray[np.bool_], FloatArray]:
    """Return the rows' probabilities, which rows count, and with what weight."""
    rows = coded.mismatch()
    rows.require_rows_of_the_table()
    counted = counted_rows(rows)
    refuse_unseen(coded, counted)
    mass = coded.mass(counted)
    if not mass.sum() > 0:
        raise nothing_to_score(len(counted))
    return rows, counted, mass


def _distances(rows: Mismatch, counted: NDArray[np.bool_]) -> FloatArray:
    """Return d(HP), d(PA) and d(HA) of every graded row."""
    highest, predicted, actual = np.broadcast_arrays(rows.highest, rows.predicted, rows.actual)
    distances = np.stack(
        [highest - predicted, np.abs(predicted - actual), highest - actual], axis=1
    )
    return np.where(counted[:, np.newaxis], distances, np.nan)


def _context_facts(table: OutcomeTable) -> dict[str, Any]:
    return {
        "n_contexts": table.n_contexts,
        "rows_per_context": table.n_rows / table.n_contexts,
        "singleton_share": float(np.mean(table.rows == 1)),
        "reference": table.reference,
    }


def _check_interval(probability: float, resamples: int) -> None:
    if not 0 < probability < 1 or resamples < 2:
        raise InputError(
            where="relevance_report",
            found=f"probability {probability} from {resamples} resamples",
            needed="a probability between 0 and 1 from at least two resamples",
            cure="The defaults are probability=.95 and resamples=2000.",
        )


def case_codes(rows: Mismatch) -> NDArray[np.int64]:
    """Return the place of each graded row among `CASES`."""
    level = np.abs(rows.predicted - rows.actual) <= TIE
    top = rows.predicted >= rows.highest - TIE
    better = rows.predicted > rows.actual
    actual_top = rows.actual >= rows.highest - TIE
    conditions = [rows.right, level & top, level, top, better, actual_top]
    return np.select(conditions, [1, 6, 7, 2, 3, 5], default=4)


def _how(groups: ArrayLike | None, again: FloatArray | None) -> str:
    table = "table fixed (it is of other rows)" if again is None else "table counted anew with them"
    return f"Bayesian bootstrap of {'rows' if groups is None else 'groups'}, {table}"


def _group_codes(groups: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    column = as_column(groups, where="groups")
    if len(column) != n_rows:
        raise LengthMismatchError(
            where="relevance_report", lengths={"y_true": n_rows, "groups": len(column)}
        )
    return codes_of(column, distinct(column, where="groups"), where="groups")


def _end_draws(
    ends: FloatArray,
    mass: FloatArray,
    units: NDArray[np.int64] | None,
    again: FloatArray | None,
    resamples: int,
    generator: np.random.Generator,
) -> tuple[FloatArray, _Unseen]:
    """Weigh rows or groups anew; both bounds share the weights, so any mix of them does too.

    `again`: draws with the table counted anew. They lie about another centre (the likeliest outcome
    of a small table is the likelier for it); what as many other people would show on average does
    not, so they are moved back.
    """
    above = np.where(mass[:, np.newaxis] > 0, ends, 0.0) * mass[:, np.newaxis]
    below = np.repeat(mass[:, np.newaxis], 2, axis=1)
    if units is not None:
        above, below = summed_by_group(above, units), summed_by_group(below, units)
    centre = above.sum(axis=0) / below.sum(axis=0)
    counting = int(np.sum(below[:, 0] > 0))
    if again is None:
        draws = ratio_draws(above, below, draws=resamples, generator=generator)
    else:
        draws = again + centre - again.mean(axis=0)
    draws = widened(draws, centre, n_units=counting, n_fitted=1, generator=generator)
    return np.clip(draws, 0.0, 100.0), _with_unseen_units(counting, len(draws), generator)


def _with_unseen_units(n_units: int, draws: int, generator: np.random.Generator) -> _Unseen:
    """Return what half a unit of score 0 and half a unit of 100 would make of draws.

    As Jeffreys has it for shares: rows that are all right leave doubt about the next one.
    """
    seen = generator.standard_gamma(n_units, size=draws)
    worst, best = 0.5 * generator.standard_exponential((2, draws))
    return lambda scores: (seen * scores + 100.0 * best) / (seen + worst + best)


def _estimate(value: float, draws: FloatArray, unseen_too: _Unseen, probability: float) -> Estimate:
    tail = (1.0 - probability) / 2.0
    ends = np.quantile([draws, unseen_too(draws)], [tail, 1.0 - tail], axis=1)
    lower, upper = ends[0].min(), ends[1].max()
    return Estimate(
        mean=value,
        sd=float(draws.std()),
        interval=Interval(
            lower=float(lower), upper=float(upper), probability=probability, kind="quantile"
        ),
        draws=draws,
    )


def _weighted_mean(scores: FloatArray, weights: FloatArray) -> float:
    total = float(weights.sum())
    return float(scores @ weights) / total if total > 0 else float("nan")


def _provenance(
    coded: CodedRows, counted: NDArray[np.bool_], seed: int | None, settings: dict[str, Any]
) -> Provenance:
    return Provenance(
        method="Relevance Score (Gopalakrishna et al. 2013, Eq. 2 and 8)",
        settings={**coded.table.provenance.settings, "unseen": coded.unseen, **settings},
        seed=seed,
        rows_used=int(counted.sum()),
        rows_dropped={"wrong in a context never seen": int(np.sum(~counted))},
    )
