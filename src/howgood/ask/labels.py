"""The words of rating scales, and their numbers.

In: labels or numbers as they stand in a table. Out: ratings from 1 up, NaN for no answer.
Absent: guessing: a label that is not known is an error that lists those that are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, UnknownScaleWarning, announce
from howgood.stats.arrays import FloatArray

LIKELIHOOD = (
    "Extremely unlikely",
    "Quite unlikely",
    "Slightly unlikely",
    "Neither",
    "Slightly likely",
    "Quite likely",
    "Extremely likely",
)
AGREEMENT = (
    "Strongly disagree",
    "Disagree",
    "Somewhat disagree",
    "Neither agree nor disagree",
    "Somewhat agree",
    "Agree",
    "Strongly agree",
)
# How else the middle of the likelihood scale is written.
_ALSO = {"neither likely nor unlikely": 4, "neither unlikely nor likely": 4, "neutral": 4}
_NUMBER_OF: dict[str, int] = {
    **{label.lower(): number for number, label in enumerate(LIKELIHOOD, start=1)},
    **{label.lower(): number for number, label in enumerate(AGREEMENT, start=1)},
    **_ALSO,
}
SEVEN = len(LIKELIHOOD)
_FIVE = 5
# If at most half of those at 5 or above stop at 5, so many without a 6 or 7 have a chance of 1 %.
_MANY_FIVES = 7
_GAPS = {"", "na", "n/a", "#n/a", "nan", "null", "none"}


def is_gap(value: object) -> bool:
    """Say whether a table cell holds no value."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().lower() in _GAPS


def gaps_in(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Say for each cell of a column whether it holds no value.

    Examples
    --------
    >>> gaps_in(np.array([1.0, np.nan])).tolist(), gaps_in(np.array(["a", "NA"])).tolist()
    ([False, True], [False, True])
    """
    if values.dtype.kind in "fiub":
        return np.asarray(np.isnan(values.astype(np.float64)))
    return np.array([is_gap(value) for value in values.tolist()], dtype=bool)


def ratings_from(values: NDArray[Any], *, scale: int, where: str) -> FloatArray:
    """Return ratings 1..scale as numbers, NaN where there is no answer.

    Examples
    --------
    >>> ratings_from(np.array(["Slightly likely", "NA", "7"], dtype=object), scale=7, where="x")
    array([ 5., nan,  7.])
    """
    distinct, inverse = _distinct(values)
    first_rows = np.unique(inverse, return_index=True)[1] + 1
    numbers = [
        _rating(value, scale, f"{where}, row {row}")
        for value, row in zip(distinct, first_rows, strict=True)
    ]
    return np.array(numbers, dtype=np.float64)[inverse]


def say_unknown_scale(values: NDArray[Any], ratings: FloatArray, where: str) -> None:
    """Refuse or announce ratings that are read as of 7 points but may be of 5.

    Labels say which scale they are of; so does a 6 or a 7.
    """
    given = {int(each) for each in ratings[np.isfinite(ratings)].tolist()}
    is_labelled = any(
        isinstance(each, str) and each.strip().lower() in _NUMBER_OF for each in values.tolist()
    )
    if is_labelled or not given or max(given) > _FIVE:
        return
    n_fives = int(np.sum(ratings == _FIVE))
    if n_fives >= _MANY_FIVES:
        raise InputError(
            where=where,
            found=f"{n_fives} ratings of 5, and none above",
            needed="the number of points of the scale: of 5 points 4 and 5 accept, of 7 points 5 "
            "to 7",
            cure="Say scale=5, or scale=7 if nobody chose 6 or 7.",
        )
    announce(
        f"{where}: no rating above {max(given)}; read as a scale of 7 points, of which 5 to 7 "
        "accept. Say scale=7 to confirm, or how many points the scale has.",
        UnknownScaleWarning,
    )


def _distinct(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Distinct values and where each row finds its own: a scale has few, a table many rows."""
    place: dict[Any, int] = {}
    inverse = np.array([place.setdefault(_key(value), len(place)) for value in values.tolist()])
    return list(place), inverse.astype(np.intp)


def _key(value: object) -> object:
    return None if isinstance(value, float) and np.isnan(value) else value


def _rating(value: object, scale: int, where: str) -> float:
    if is_gap(value):
        return float("nan")
    if isinstance(value, str) and value.strip().lower() in _NUMBER_OF:
        if scale != len(LIKELIHOOD):
            raise InputError(
                where=where,
                found=f"the label {value!r} on a scale of {scale} points",
                needed=f"labels are known for {len(LIKELIHOOD)} points only",
                cure=f"Write the ratings as numbers 1 to {scale}.",
            )
        return float(_NUMBER_OF[value.strip().lower()])
    try:
        number = float(value)  # type: ignore[arg-type]  # foreign data: TypeError is caught below
    except (TypeError, ValueError):
        raise InputError(
            where=where,
            found=f"the answer {value!r}",
            needed=f"a number 1 to {scale}, or one of {', '.join(map(repr, LIKELIHOOD))}",
            cure="Correct the label, leave the cell empty if there is no answer, or write numbers.",
        ) from None
    if not (1 <= number <= scale and number == int(number)):
        raise InputError(
            where=where,
            found=f"the rating {number:g}",
            needed=f"whole numbers from 1 to {scale}",
            cure="Check the scale, or say how many points it has (scale=...).",
        )
    return number
