"""Rank systems scored on the same uncertain feedback, with the probability of being wrong.

In: predictions with feedback means and sds, or `SquaredErrorSums`. Out: `Ranking`. Absent: the
data themselves once they are summed, and draws in more dimensions than there are systems.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.decide.other_scores import SIGNIFICANT, feedback_scores, significant_scores
from howgood.decide.scores import (
    JointScores,
    absolute_scores,
    scores_of_absolute_sums,
    simulated_scores,
    squared_scores,
)
from howgood.errors import InputError, LengthMismatchError
from howgood.records.absolute_sums import AbsoluteErrorSums
from howgood.records.probability import check_probability
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance, versions_of
from howgood.records.ranking import Ranking
from howgood.records.sums import SquaredErrorSums
from howgood.records.table import Table, frame_column_names, frame_columns
from howgood.score.feedback import DiscreteFeedback
from howgood.score.feedback_columns import (
    feedback_roles,
    finite_arrays,
    mention_single_ratings,
)
from howgood.score.sums import squared_error_sums
from howgood.stats.arrays import FloatArray
from howgood.stats.gaussian_ranks import (
    OrderedDraws,
    RankProbabilities,
    difference_errors,
    ordered_draws,
    rank_probabilities,
    ranks_of_draws,
    ranks_of_two,
    shares_above,
)
from howgood.stats.randomness import RandomState, generator_and_seed

Metric = Callable[[FloatArray, FloatArray], float]

METRICS = ("rmse", "mse", "mae")


def rank(
    predictions: Any,  # noqa: ANN401 - a mapping of arrays, or any frame narwhals knows
    *,
    mean: ArrayLike | None = None,
    sd: ArrayLike | None = None,
    feedback: DiscreteFeedback | None = None,
    metric: str | Metric = "rmse",
    paired: bool = True,
    level: float = 0.05,
    trials: float | ArrayLike | None = None,
    missing: str = "error",
    greater_is_better: bool | None = None,
    draws: int = 1000,
    random_state: RandomState = 0,
    progress: Progress = silent,
) -> Ranking:
    r"""Rank systems by their score on uncertain feedback, and say how far to trust each place.

    Feedback of pair v is :math:`X_v \sim N(\mu_v, \sigma_v^2)`. All systems are scored on the
    SAME feedback, so the difference of two mean squared errors is linear in X and exactly
    Gaussian; system 1 scores worse than or equal to system 2 with probability

    .. math:: \Phi(m/\sqrt v),\quad m = \tfrac1N\sum_v(\Delta_{1v}^2-\Delta_{2v}^2),\quad
              v = \tfrac4{N^2}\sum_v\sigma_v^2(\pi_{1v}-\pi_{2v})^2 .

    Parameters
    ----------
    predictions : mapping of system name to array of shape (n,), or frame
        Of a frame, every column is a system: leave out the others first.
    mean, sd : arrays of shape (n,), or one number for all
        Mean and standard deviation of each pair's feedback. sd 0 is legal. Without `trials` the
        means are taken as known; ratings that were given once are not: say `trials=1`.
    feedback : DiscreteFeedback, optional
        Instead of mean and sd, feedback that is not Gaussian: `score.categorical_feedback`,
        `score.empirical_feedback` or `score.beta_feedback`. Taken as known, and paired.
    metric : {"rmse", "mse", "mae", "srmse", "smae"} or callable(y_true, y_pred) -> float
        "rmse" and "mse" give the same order. "mae" of known means: the exact distribution of each
        difference, but below 50 pairs 65,536 shared re-ratings. "mae" with `trials`: the score is
        that of the ratings themselves, and re-ratings lie around it as Gaussians (see Notes).
        "srmse" and "smae" count significant deviations only (`score.significant_rmse`), with
        `paired=False`. A callable is evaluated on `draws` shared re-ratings.
    paired : bool
        False treats the systems' scores as independent, each Gaussian with the paper's moments
        (Eq. 5, 12, 13). It can be wrong in either direction.
    level : float
        Error level of tie groups and rank intervals.
    trials : int or array, optional
        From how many ratings each mean came. From two on, sd is theirs (ddof 0). Where it is 1,
        mean is the rating itself and sd from another source: how far one rating lies from the
        mean of many. The rating holds its noise already, so no sd is added to the score; a
        re-rating differs from the mean of n ratings by :math:`\sigma^2 (1 + 1/n)`, which is twice
        :math:`\sigma^2` for a single one; and `true_error` says how likely the order of the
        people's MEAN opinions is the opposite, which is a different question from a re-rating.
        None: the means are taken as known; where all look like single ratings, a
        `RatedOnceWarning` asks. `math.inf` says that they are known.
    missing : {"error", "drop"}
        What to do with rows holding a missing or infinite value.
    greater_is_better : bool, optional
        Must be given with a callable metric.
    draws : int
        Re-ratings simulated for a callable metric.
    random_state : None, int or Generator
        For sampled parts: rank probabilities of 4 systems or more, "mae" on few pairs, and
        callable metrics. The default is fixed, so the same call gives the same answer.
    progress : callable
        Told the share done, for callable metrics.

    Returns
    -------
    Ranking

    References
    ----------
    Jasberg & Sizov (2018), "Human Uncertainty and Ranking Error", Eq. 3-5, 12, 13.

    Notes
    -----
    MAE with `trials`: the difference of two MAEs in the n ratings seen and in one more of everybody
    differ by a number that is symmetric about zero, with 1 + 1/n times the variance of one. That
    variance is unbiased for two ratings, and on average not too small for one or more than two, so
    that orders flip about as often as said or less. This holds for predictions made without these
    ratings: who predicts the very ratings it is scored on loses more in a re-rating than said, by
    MAE; a score below the magic barrier is a sign of it.

    Stability: stable

    Examples
    --------
    >>> mean = [3.0, 4.0, 2.0, 5.0]
    >>> ranking = rank(
    ...     {"svd": [3.1, 4.2, 2.2, 4.6], "constant": [3.0, 3.0, 3.0, 3.0]}, mean=mean, sd=0.5
    ... )
    >>> ranking.order
    ('svd', 'constant')
    >>> round(ranking.error("svd", "constant"), 3)
    0.004
    """
    check_level(level)
    systems = _systems(predictions)
    _refuse_unknown(metric)
    generator, seed = generator_and_seed(random_state)
    if feedback is not None or mean is None or sd is None:
        known = _only_feedback(feedback, mean, sd, trials, metric, paired)
        scores = feedback_scores(
            known,
            systems,
            metric=metric,
            greater_is_better=callable(metric) and _direction(greater_is_better, paired),
            draws=draws,
            generator=generator,
            progress=progress,
        )
        return ranking_of(scores, level, generator, seed, dropped={})
    is_known = np.ndim(trials) == 0 and trials == math.inf  # type: ignore[arg-type]  # any array
    roles, columns = _aligned(systems, mean, sd, None if is_known else trials)
    if metric in ("rmse", "mse"):
        sums = _sums_of(systems, roles, columns, is_known=is_known, missing=missing)
        return rank_sums(
            sums, metric=str(metric), paired=paired, level=level, random_state=random_state
        )
    arrays, dropped = finite_arrays(columns, roles, missing=missing)
    if trials is None:
        mention_single_ratings(columns, roles)
    if isinstance(metric, str):
        scores = _scores_of_rows(arrays, metric, paired, generator)
    else:
        scores = simulated_scores(
            metric,
            arrays,
            draws=draws,
            greater_is_better=_direction(greater_is_better, paired),
            generator=generator,
            progress=progress,
        )
    return ranking_of(scores, level, generator, seed, dropped={"missing or not finite": dropped})


def _scores_of_rows(
    arrays: Mapping[str, FloatArray], metric: str, paired: bool, generator: np.random.Generator
) -> JointScores:
    if metric == "mae":
        return absolute_scores(arrays, paired=paired, generator=generator)
    return significant_scores(arrays, metric=metric, paired=paired)


def _sums_of(
    systems: Mapping[str, ArrayLike],
    roles: Mapping[str, str],
    columns: dict[str, NDArray[Any]],
    *,
    is_known: bool,
    missing: str,
) -> SquaredErrorSums:
    return squared_error_sums(
        Table(columns),
        mean="mean",
        sd="sd",
        predictions={name: f"predictions[{name!r}]" for name in systems},
        trials=math.inf if is_known else roles.get("trials"),
        missing=missing,
        powers=2,
    )


def _refuse_unknown(metric: str | Metric) -> None:
    if not callable(metric) and metric not in (*METRICS, *SIGNIFICANT):
        raise InputError(
            where="metric",
            found=repr(metric),
            needed=f"one of {', '.join((*METRICS, *SIGNIFICANT))}, or a function "
            "metric(y_true, y_pred)",
            cure="Choose one of these.",
        )


def _only_feedback(
    feedback: DiscreteFeedback | None,
    mean: ArrayLike | None,
    sd: ArrayLike | None,
    trials: float | ArrayLike | None,
    metric: str | Metric,
    paired: bool,
) -> DiscreteFeedback:
    """Return the feedback; refuse what does not go together with it."""
    others = {"mean": mean, "sd": sd, "trials": trials}
    given = [name for name, value in others.items() if value is not None]
    if feedback is None or given:
        raise InputError(
            where="rank",
            found=", ".join([*given, *(["feedback"] if feedback is not None else [])]) or "nothing",
            needed="mean and sd, or feedback alone",
            cure="Give mean=..., sd=..., or feedback=score.beta_feedback(...).",
        )
    if not paired or metric in SIGNIFICANT:
        raise InputError(
            where="rank, feedback",
            found="paired=False" if not paired else f"metric {metric!r}",
            needed="mean and sd for scores treated as independent (Eq. 5, 18 to 20)",
            cure="Give mean=feedback.mean, sd=feedback.sd, or leave it out.",
        )
    return feedback


def rank_sums(
    sums: SquaredErrorSums | AbsoluteErrorSums,
    *,
    metric: str | None = None,
    paired: bool = True,
    level: float = 0.05,
    random_state: RandomState = 0,
) -> Ranking:
    """Rank systems from sums already made: the cost no longer depends on the number of rows.

    Parameters
    ----------
    sums : SquaredErrorSums or AbsoluteErrorSums
        From `score.squared_error_sums` or `score.absolute_error_sums`, on any engine; sums of parts
        may be added first.
    metric : {"rmse", "mse", "mae"}, optional
        Of squared errors "rmse" (unless said otherwise) and "mse" give the same order; the unit of
        the scores differs. Absolute errors give the "mae", of 50 pairs or more: then differences
        are Gaussian, with their exact means and variances.
    paired, level, random_state
        As in `rank`.

    Returns
    -------
    Ranking

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood.score import squared_error_sums
    >>> table = {"mu": [3.0, 4.0], "sigma": [0.3, 0.5], "svd": [3.1, 4.0], "knn": [2.0, 4.5]}
    >>> sums = squared_error_sums(table, mean="mu", sd="sigma", predictions=["svd", "knn"])
    >>> rank_sums(sums).order
    ('svd', 'knn')
    """
    check_level(level)
    is_absolute = isinstance(sums, AbsoluteErrorSums)
    metric = metric or ("mae" if is_absolute else "rmse")
    if metric not in (("mae",) if is_absolute else ("rmse", "mse")):
        kind, known = ("absolute", "mae") if is_absolute else ("squared", "rmse or mse")
        raise InputError(
            where="metric",
            found=repr(metric),
            needed=f"{known}: sums of {kind} errors say nothing about others",
            cure="Rank the predictions themselves with decide.rank.",
        )
    generator, seed = generator_and_seed(random_state)
    if isinstance(sums, AbsoluteErrorSums):
        scores = scores_of_absolute_sums(sums, paired=paired)
    else:
        scores = squared_scores(sums, metric=metric, paired=paired)
    return ranking_of(
        scores, level, generator, seed, dropped=sums.provenance.rows_dropped, source=sums.provenance
    )


def ranking_of(
    scores: JointScores,
    level: float,
    generator: np.random.Generator,
    seed: int | None,
    *,
    dropped: Mapping[str, int],
    source: Provenance | None = None,
) -> Ranking:
    """Return the ranking that joint scores imply."""
    if len(scores.systems) < 2:
        raise InputError(
            where="predictions",
            found=f"{len(scores.systems)} system",
            needed="at least two systems to rank",
            cure="Add another system, for instance the constant prediction of the mean.",
        )
    sign = -1.0 if scores.greater_is_better else 1.0
    ordered = None
    if scores.draws is not None:
        ordered = ordered_draws(sign * scores.draws, generator=generator)
    places = _rank_places(scores, sign, generator, ordered)
    return Ranking(
        systems=scores.systems,
        metric=scores.metric,
        paired=scores.paired,
        level=level,
        n=scores.n,
        greater_is_better=scores.greater_is_better,
        scores=scores.means,
        score_sds=scores.sds,
        differences=scores.differences,
        difference_variances=scores.difference_variances,
        difference_scale=scores.difference_scale,
        errors=_errors(scores, sign, ordered),
        true_errors=_true_errors(scores, sign),
        mean_variances=scores.mean_variances,
        ranks=places.ranks,
        likely_orderings=places.orderings,
        mcse=places.mcse,
        barrier=scores.barrier,
        doubt=scores.doubt,
        provenance=_provenance(scores, level, seed, dropped, source),
    )


def _provenance(
    scores: JointScores,
    level: float,
    seed: int | None,
    dropped: Mapping[str, int],
    source: Provenance | None,
) -> Provenance:
    return Provenance(
        method=scores.method,
        settings={
            "metric": scores.metric,
            "paired": scores.paired,
            "level": level,
            **scores.settings,
            **({"sums": dict(source.settings)} if source else {}),
        },
        seed=seed,
        rows_used=scores.n,
        rows_dropped={name: count for name, count in dropped.items() if count},
        versions=versions_of("numpy", "scipy") | (dict(source.versions) if source else {}),
    )


def _errors(scores: JointScores, sign: float, ordered: OrderedDraws | None) -> FloatArray:
    if scores.tails is not None:
        return scores.tails
    if ordered is None:
        return difference_errors(sign * scores.differences, scores.flip_variances())
    return _drawn_errors(scores, ordered)


def _true_errors(scores: JointScores, sign: float) -> FloatArray | None:
    if scores.true_draws is not None:
        # Pairs are counted without chance, which only decides orderings: none is asked for here.
        generator = np.random.default_rng(0)
        return _drawn_errors(scores, ordered_draws(sign * scores.true_draws, generator=generator))
    variances = scores.true_variances()
    return None if variances is None else difference_errors(sign * scores.differences, variances)


def _drawn_errors(scores: JointScores, ordered: OrderedDraws) -> FloatArray:
    errors = shares_above(ordered)
    certain = scores.difference_variances <= 0
    return np.where(certain, errors, _with_unseen(errors, 0.5, len(ordered.draws)))


def _with_unseen(shares: FloatArray, alike: float, n_draws: int) -> FloatArray:
    """Add one draw in which all orders are alike: what no draw has shown may still happen.

    Errors and ranks take in the same draw, so that they stay those of one distribution.
    """
    return (n_draws * shares + alike) / (n_draws + 1.0)


def _rank_places(
    scores: JointScores,
    sign: float,
    generator: np.random.Generator,
    ordered: OrderedDraws | None,
) -> RankProbabilities:
    known = scores.tails
    if known is not None and len(known) == 2:
        return ranks_of_two(float(known[0, 1]), mcse=scores.tail_error)
    if ordered is None:
        means, variances = sign * scores.differences[:, 0], scores.next_variances()
        freedom = np.inf if scores.mean_variances is None else scores.freedom
        places = rank_probabilities(means, variances, generator=generator, freedom=freedom)
        if known is None:
            return places
        # How far the Gaussians behind the ranks are off where the exact errors are known.
        off = np.abs(difference_errors(sign * scores.differences, variances) - known).max()
        return replace(places, mcse=max(places.mcse, float(off)))
    ranks, orderings = ranks_of_draws(ordered)
    n_draws = len(ordered.draws)
    # The standard error of a share, at its largest.
    mcse = float(np.sqrt(ranks * (1 - ranks) / n_draws).max())
    if np.any(scores.difference_variances > 0):
        ranks = _with_unseen(ranks, 1.0 / len(ranks), n_draws)
    return RankProbabilities(ranks=ranks, orderings=tuple(orderings), mcse=mcse)


def _systems(predictions: Any) -> Mapping[str, ArrayLike]:  # noqa: ANN401 - foreign data enters here
    """Return each system's predictions; the columns of a frame are systems."""
    if isinstance(predictions, Mapping):
        return predictions
    where = "predictions"
    try:
        return frame_columns(predictions, frame_column_names(predictions), where=where)
    except InputError as error:
        raise InputError(
            where=where,
            found=error.found,
            needed="a dict of system name to array, or a data frame with a column per system",
            cure='Write {"svd": array, ...}.',
        ) from error


def _aligned(
    predictions: Mapping[str, ArrayLike],
    mean: ArrayLike,
    sd: ArrayLike,
    trials: float | ArrayLike | None,
) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Return role -> column and columns of one length; single numbers are repeated."""
    systems = {name: f"predictions[{name!r}]" for name in predictions}
    roles = feedback_roles("mean", "sd", systems, None if trials is None else "trials")
    given = {"mean": mean, "sd": sd, "trials": trials}
    given |= {systems[name]: values for name, values in predictions.items()}
    columns = {name: np.asarray(given[name]) for name in roles.values()}
    length = max(values.size for values in columns.values())
    for name in ("mean", "sd", "trials"):
        if name in columns and columns[name].ndim == 0:
            columns[name] = np.full(length, columns[name])
    lengths = {name: len(np.atleast_1d(values)) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise LengthMismatchError(where="rank", lengths=lengths)
    return roles, columns


def _direction(greater_is_better: bool | None, paired: bool) -> bool:
    if not paired:
        raise InputError(
            where="paired",
            found="False with a metric of your own",
            needed="shared draws: Eq. 5 is for rmse, mse and mae",
            cure="Leave paired=True.",
        )
    if greater_is_better is None:
        raise InputError(
            where="greater_is_better",
            found="nothing",
            needed="True or False for a metric of your own",
            cure="Pass greater_is_better=True for accuracy-like metrics, False for errors.",
        )
    return greater_is_better


def check_level(level: float) -> None:
    """Raise unless `level` is a probability."""
    check_probability(level, name="level", where="ranking", such_as=0.05)
