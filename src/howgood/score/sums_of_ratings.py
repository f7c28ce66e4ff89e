"""From raw repeated ratings and predictions to sums, on the engine where they live.

In: a long table of ratings, predictions in it or in a second table. Out: `SquaredErrorSums`.
Absent: what is done with them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from howgood.errors import InputError
from howgood.learn.feedback import OWN_NAMES, rating_uncertainty
from howgood.learn.rated_once import LentSpread, lent_spread
from howgood.records.engine_frame import EngineFrame
from howgood.records.sums import SquaredErrorSums
from howgood.score.feedback_columns import feedback_roles, system_names
from howgood.score.sums import POWERS, squared_error_sums


def rating_sums(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    predictions: Mapping[str, str] | Sequence[str],
    predicted: Any = None,  # noqa: ANN401 - any frame
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    trial: str | None = None,
    missing: str = "error",
    once: str | None = None,
    powers: int = POWERS,
) -> SquaredErrorSums:
    """Sum squared errors of predictions against repeated ratings, in one query.

    Parameters
    ----------
    ratings : any frame or dict of columns
        One row per rating: user, item, rating, and perhaps trial.
    predictions : mapping of system name to column, or list of columns
    predicted : frame, optional
        Table with user, item and the prediction columns, one row per pair, on the same engine.
        Without it the columns are looked for in `ratings`, where each must be the same in all
        rows of a pair. Pairs without a prediction count as missing; predictions for pairs nobody
        rated are of no use and ignored.
    user, item, rating, trial, missing, once
        As in `learn.rating_uncertainty`.
    powers : int
        As in `squared_error_sums`.

    Returns
    -------
    SquaredErrorSums
        With `trials`, so that a ranking can say both whether a re-rating would flip it and
        whether the true order might be the opposite.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> ratings = {"user": [1, 1, 2, 2], "item": [5, 5, 5, 5], "rating": [3, 4, 2, 2],
    ...            "svd": [3.2, 3.2, 2.5, 2.5]}
    >>> rating_sums(ratings, predictions=["svd"]).n
    2
    """
    roles = feedback_roles("mean", "sd", predictions, None)
    systems = dict(zip(system_names(roles), list(roles.values())[2:], strict=True))
    if predicted is None:
        ratings, systems = _renamed(ratings, systems)
    else:
        predicted, systems = _renamed(predicted, systems)
    columns = list(dict.fromkeys(systems.values()))
    feedback = rating_uncertainty(
        ratings,
        user=user,
        item=item,
        rating=rating,
        trial=trial,
        keep=columns if predicted is None else (),
        missing=missing,
        once=once,
    )
    lent = _lent(feedback) if once == "borrow" else None
    if predicted is not None:
        feedback = _joined(feedback, predicted, list(dict.fromkeys([user, item])), columns)
    sums = squared_error_sums(
        feedback,
        mean="mean",
        sd="sd",
        trials="trials",
        predictions=systems,
        missing=missing,
        powers=powers,
    )
    if lent is None:
        return sums
    settings = {**sums.provenance.settings, "borrowed": lent.sentence()}
    provenance = replace(sums.provenance, settings=settings)
    return replace(sums, lent_freedom=lent.freedom, provenance=provenance)


def _lent(feedback: Any) -> LentSpread | None:  # noqa: ANN401 - any frame
    """Return what pairs rated once borrowed, if there are any."""
    import narwhals as nw

    pairs = EngineFrame.of(feedback, where="ratings")
    fewest = pairs.one_row(n=nw.col("trials").min())["n"]
    return lent_spread(pairs) if fewest is not None and fewest < 2 else None


def _renamed(frame: Any, systems: dict[str, str]) -> tuple[Any, dict[str, str]]:  # noqa: ANN401 - any frame
    """Give predictions another name that is not one of the feedback's: a system called "mean"."""
    taken = {column: f"predicted {column}" for column in systems.values() if column in OWN_NAMES}
    if not taken:
        return frame, systems
    source = EngineFrame.of(frame, where="predictions")
    source.require(taken)
    renamed = source.replace(source.frame.rename(taken)).native()
    return renamed, {name: taken.get(column, column) for name, column in systems.items()}


def _joined(feedback: Any, predicted: Any, keys: list[str], columns: list[str]) -> Any:  # noqa: ANN401 - any frame
    import narwhals as nw

    left = EngineFrame.of(feedback, where="ratings")
    right = EngineFrame.of(predicted, where="predictions")
    right.require(keys, numeric=columns)
    counts = right.frame.group_by(*keys).agg(nw.len().alias("howgood_n"))
    most = right.replace(counts).one_row(n=nw.col("howgood_n").max())["n"]
    if most is not None and most > 1:
        raise InputError(
            where="predictions",
            found=f"up to {most} rows for one pair",
            needed=f"one row per {' and '.join(keys)}",
            cure="Remove the duplicates.",
        )
    wanted = right.replace(right.frame.select(*keys, *columns))
    return left.left_join(wanted, on=keys).native()
