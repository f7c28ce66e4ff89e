"""Rank systems from a file: open, sum or learn, rank; then the picture and the report.

In: a path and column names. Out: `RankedFile`, a picture, a `Report`; `Sessions` of a file in which
people rated several times. Absent: statistics (see `score`, `decide`) and printing (see `cli`).
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from howgood.ask.files import open_table
from howgood.decide.other_scores import SIGNIFICANT
from howgood.decide.ranking import METRICS, rank, rank_sums
from howgood.errors import InputError
from howgood.flow.files import naming
from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report
from howgood.records.sessions import Sessions
from howgood.records.sums import SquaredErrorSums
from howgood.records.table import frame_columns
from howgood.score.feedback import DiscreteFeedback, beta_feedback
from howgood.score.list_metrics import is_list_metric, list_metric
from howgood.score.score_from_sums import from_sums
from howgood.score.sums import POWERS, squared_error_sums
from howgood.show import ranking as words
from howgood.show.figures.ranking import ScoreCurve, gaussian_curve, ranking_figure
from howgood.show.figures.theme import to_svg
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackColumns:
    """Which columns hold the feedback: its mean and sd, or who rated what how often.

    `sd` may also be a number, the same for all. `trials` says from how many ratings each mean came:
    a number, a column, or "known" for means that are known. With `repeated`, mean and sd are
    learned from the ratings of each user and item; `once`: what becomes of pairs rated once.

    With `rater`, the ratings are those of several people, each a sample of all raters; `combine`
    says what becomes of several ratings of one rater for one item.

    `law` "beta" takes each pair's feedback as a beta between the two ends of the `scale`, which
    has the mean and sd given or learned.
    """

    mean: str = "mean"
    sd: str = "sd"
    repeated: bool = False
    user: str = "user"
    item: str = "item"
    rating: str = "rating"
    trial: str | None = None
    trials: str | None = None
    once: str | None = None
    rater: str | None = None
    combine: str = "error"
    law: str = "gaussian"
    scale: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What is relevant, what an error is about, and what becomes of items in one table only."""

    relevant: float | None = None
    about: str = "re-rating"
    unrated: str = "error"
    unlisted: str = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFile:
    """A ranking and, for squared errors, the sums it rests on."""

    ranking: Ranking
    sums: SquaredErrorSums | None


def rank_file(
    path: str | Path,
    *,
    feedback: FeedbackColumns,
    systems: Mapping[str, str],
    predictions: str | Path | None = None,
    metric: str = "rmse",
    paired: bool = True,
    level: float = 0.05,
    missing: str = "error",
    engine: str = "auto",
    for_picture: bool = True,
    lists: ListOptions | None = None,
) -> RankedFile:
    """Rank the systems in a file; squared errors need one pass and no memory for rows.

    `for_picture` keeps the sums from which score distributions are drawn; without it a large file
    takes half the time.

    `predictions` names a second file with user, item and the systems' columns, for repeated
    ratings whose predictions are in another file.
    """
    frame = open_table(path, engine=engine)
    predicted = None if predictions is None else open_table(predictions, engine=engine)
    named = {"ratings": path, "feedback": path, "predictions": predictions or path}
    with naming(named if predictions else {**named, "the table": path}):
        if is_list_metric(metric):
            ranking = _rank_lists(
                frame, predicted, feedback, systems, lists or ListOptions(), metric, level, missing
            )
            return RankedFile(ranking=ranking, sums=None)
        if feedback.rater is not None:
            from howgood.decide.rank_by_raters import rank_by_raters  # few ask raters by name

            ranking = rank_by_raters(
                frame,
                predictions=systems,
                predicted=predicted,
                item=feedback.item,
                rater=feedback.rater,
                rating=feedback.rating,
                metric=metric,
                combine=feedback.combine,
                level=level,
                missing=missing,
            )
            return RankedFile(ranking=ranking, sums=None)
        if feedback.repeated:
            from howgood.decide.rank_by_raters import refuse_item_as_user

            refuse_item_as_user(feedback.user, feedback.item)
        if metric not in ("rmse", "mse") or feedback.law != "gaussian":
            ranking = _rank_rows(frame, feedback, systems, metric, paired, level, missing)
            return RankedFile(ranking=ranking, sums=None)
        powers = POWERS if for_picture else 2
        sums = _sums(frame, predicted, feedback, systems, missing, powers)
        ranking = rank_sums(sums, metric=metric, paired=paired, level=level)
    return RankedFile(ranking=ranking, sums=sums)


def rank_labels(
    path: str | Path,
    elicited: Path,
    *,
    truth: str,
    systems: Mapping[str, str],
    positive: str | None = None,
    group: str | None = None,
    level: float = 0.05,
    missing: str = "error",
) -> RankedFile:
    """Rank predictions of a file by a saved interview."""
    # Only labels need these: ratings are ranked without them.
    from howgood.decide.by_metric import rank_predictions
    from howgood.flow.decisions import predictions_for
    from howgood.learn.elicitation.saved import load_elicited

    metric = load_elicited(elicited)
    real, predicted, groups = predictions_for(
        metric, path, truth=truth, systems=list(systems.values()), positive=positive, group=group,
        missing=missing,
    )  # fmt: skip
    named = dict(zip(systems, predicted, strict=True))
    ranking = rank_predictions(metric, real, named, pos_label=1, groups=groups, level=level)
    return RankedFile(ranking=ranking, sums=None)


def _words(ranking: Ranking) -> ModuleType:
    """Return the module of `show` that words such a ranking; only that one is loaded."""
    if ranking.provenance.method.startswith("labels by a metric"):
        from howgood.show import labels

        return labels
    if "lists" in ranking.provenance.settings:
        from howgood.show import lists

        return lists
    if ranking.doubt == "re-rating":
        return words
    from howgood.show import leaderboard

    return leaderboard


def findings(ranked: RankedFile) -> tuple[Finding, ...]:
    """Return what the ranking says in words."""
    said: tuple[Finding, ...] = _words(ranked.ranking).findings(ranked.ranking)
    return said


def ranking_report(ranked: RankedFile) -> Report:
    """Return the report with its picture."""
    with picture(ranked) as figure:
        svg = to_svg(figure, title="Score distributions and rank probabilities")
    report: Report = _words(ranked.ranking).report(ranked.ranking, svg=svg)
    return report


@contextmanager
def picture(ranked: RankedFile) -> Iterator["Figure"]:
    """Draw scores and rank probabilities, best system on top."""
    ranking = ranked.ranking
    ranks = np.stack([ranking.rank_probabilities[name] for name in ranking.order])
    with ranking_figure(
        [_curve(ranked, name) for name in ranking.order],
        rank_probabilities=ranks,
        barrier=None if np.isnan(ranking.barrier) else ranking.barrier,
        score_name=words.score_axis(ranking),
        title=words.picture_title(ranking),
    ) as figure:
        yield figure


def _sums(
    frame: Any,  # noqa: ANN401 - any frame
    predicted: Any,  # noqa: ANN401 - any frame, or None
    feedback: FeedbackColumns,
    systems: Mapping[str, str],
    missing: str,
    powers: int,
) -> SquaredErrorSums:
    if feedback.repeated:
        from howgood.score.sums_of_ratings import rating_sums  # as rare as what it learns

        return rating_sums(
            frame,
            predictions=systems,
            predicted=predicted,
            user=feedback.user,
            item=feedback.item,
            rating=feedback.rating,
            trial=feedback.trial,
            missing=missing,
            once=feedback.once,
            powers=powers,
        )
    frame, sd = _with_sd(frame, feedback.sd)
    return squared_error_sums(
        frame,
        mean=feedback.mean,
        sd=sd,
        trials=_trials(feedback.trials),
        predictions=systems,
        missing=missing,
        powers=powers,
    )


def _rank_lists(
    frame: Any,  # noqa: ANN401 - any frame
    predicted: Any,  # noqa: ANN401 - any frame, or None
    feedback: FeedbackColumns,
    systems: Mapping[str, str],
    lists: ListOptions,
    metric: str,
    level: float,
    missing: str,
) -> Ranking:
    """Rank lists; how far ratings vary is said (sd), or their repeats tell."""
    from howgood.decide.lists import rank_lists  # most rankings are not of lists

    predictions: Any = dict(systems)
    if predicted is not None:
        keys = [feedback.user, feedback.item]
        columns = frame_columns(predicted, [*keys, *systems.values()], where="predictions")
        named = {name: columns[column] for name, column in systems.items()}
        predictions = {**{key: columns[key] for key in keys}, **named}
    try:
        sd: str | float | None = None if feedback.repeated else float(feedback.sd)
    except ValueError:
        sd = feedback.sd
    trials = _trials(feedback.trials)
    if isinstance(trials, str):
        raise InputError(
            where="trials",
            found=trials,
            needed="a number of ratings, the same for all, or 'known'",
            cure="Rank the ratings themselves, one row each.",
        )
    return rank_lists(
        predictions,
        frame,
        metric=metric,
        user=feedback.user,
        item=feedback.item,
        rating=feedback.rating,
        sd=sd,
        trials=1 if trials is None else trials,
        relevant=lists.relevant,
        about=lists.about,
        level=level,
        missing=missing,
        once=feedback.once or "borrow",
        unrated=lists.unrated,
        unlisted=lists.unlisted,
    )


def _trials(said: str | None) -> str | float | None:
    """Return a number of trials as a number, "known" as infinitely many, else a column."""
    if said is None or said == "known":
        return math.inf if said else None
    try:
        return float(said)
    except ValueError:
        return said


def _rank_rows(
    frame: Any,  # noqa: ANN401 - any frame
    feedback: FeedbackColumns,
    systems: Mapping[str, str],
    metric: str,
    paired: bool,
    level: float,
    missing: str,
) -> Ranking:
    """Absolute and significant errors, and other laws, need every row: no sum would do."""
    mean, sd, trials = feedback.mean, feedback.sd, _trials(feedback.trials)
    if feedback.repeated:
        from howgood.learn.feedback import rating_uncertainty

        mean, sd, trials = "mean", "sd", "trials"
        frame = rating_uncertainty(
            frame,
            user=feedback.user,
            item=feedback.item,
            rating=feedback.rating,
            trial=feedback.trial,
            keep=list(systems.values()),
            missing=missing,
            once=feedback.once,
        )
    else:
        frame, sd = _with_sd(frame, sd)
    wanted = [mean, sd, *([trials] if isinstance(trials, str) else []), *systems.values()]
    columns = frame_columns(frame, wanted, where="ratings")
    predicted = {name: columns[column] for name, column in systems.items()}
    if metric in SIGNIFICANT and feedback.repeated:
        trials = math.inf  # which deviations count is asked of means that are known
    if feedback.law == "beta":
        known = _beta(columns[mean], columns[sd], feedback.scale)
        return rank(predicted, feedback=known, metric=metric, paired=paired, level=level)
    return rank(
        predicted,
        mean=columns[mean],
        sd=columns[sd],
        trials=columns[trials] if isinstance(trials, str) else trials,
        metric=metric,
        paired=paired,
        level=level,
        missing=missing,
    )


def _beta(mean: FloatArray, sd: FloatArray, scale: tuple[float, float] | None) -> DiscreteFeedback:
    if scale is None:
        raise InputError(
            where="feedback",
            found="beta, without the ends of the scale",
            needed="the lowest and the highest rating there is",
            cure="Add for instance --scale 1 5.",
        )
    return beta_feedback(mean, sd, lowest=scale[0], highest=scale[1])


def _with_sd(
    frame: Any,  # noqa: ANN401 - any frame
    sd: str,
) -> tuple[Any, str]:
    """Return the frame and its sd column, made constant when `sd` is a number."""
    try:
        constant = float(sd)
    except ValueError:
        return frame, sd
    if not 0.0 <= constant < np.inf:
        raise InputError(
            where="sd",
            found=sd,
            needed="finite standard deviations of zero or more",
            cure="Give for instance 0.8, or the name of a column.",
        )
    if isinstance(frame, Mapping):
        length = len(next(iter(frame.values())))
        return {**frame, "howgood_sd": np.full(length, constant)}, "howgood_sd"
    import narwhals as nw

    column = nw.lit(constant).alias("howgood_sd")
    return nw.from_native(frame).with_columns(column).to_native(), "howgood_sd"


def _curve(ranked: RankedFile, name: str) -> ScoreCurve:
    """Return the exact density where sums allow it, else the Gaussian with the same moments."""
    ranking = ranked.ranking
    place = ranking.index(name)
    mean, sd = float(ranking.scores[place]), float(ranking.score_sds[place])
    least, most = _possible_scores(ranking)
    curve = gaussian_curve(name, mean, sd, least=least, most=most)
    if ranked.sums is None or sd <= 0:
        return curve
    metric: Literal["mse", "rmse"] = "mse" if ranking.metric == "mse" else "rmse"
    distribution = from_sums(ranked.sums, name, metric=metric)
    interval = distribution.interval(0.95)
    return replace(
        curve,
        density=np.maximum(distribution.pdf(curve.grid), 0.0),
        lower=interval.lower,
        upper=interval.upper,
    )


def _possible_scores(ranking: Ranking) -> tuple[float, float]:
    """Return between what a score lies: errors are not below 0, mean grades within the grades."""
    settings = ranking.provenance.settings
    lowest, highest = (settings.get(f"{end} grade", np.nan) for end in ("lowest", "highest"))
    if lowest < highest:
        return lowest, highest
    if is_list_metric(ranking.metric):
        return 0.0, list_metric(ranking.metric).highest
    return (0.0 if ranking.metric in METRICS else -np.inf), np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionColumns:
    """Which columns say who rated what, when and how."""

    session: str
    user: str = "user"
    item: str = "item"
    rating: str = "rating"


def sessions_of_file(
    path: str | Path,
    *,
    columns: SessionColumns,
    systems: Mapping[str, str],
    metric: str = "rmse",
    missing: str = "error",
    level: float = 0.05,
) -> Sessions:
    """Score systems in every session, and test whether sessions are alike."""
    from howgood.decide.sessions import rank_sessions  # `rank` does without

    with naming({"ratings": path, "the table": path}):
        return rank_sessions(
            open_table(path),
            predictions=systems,
            session=columns.session,
            user=columns.user,
            item=columns.item,
            rating=columns.rating,
            metric=metric,
            missing=missing,
            level=level,
        )
