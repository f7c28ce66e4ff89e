"""Columns of uncertain feedback: which role each plays, and what none of them may hold.

In: column names, and tables held in memory. Out: role -> column, role -> finite floats, or errors
that name column, count and cure. Absent: lazy engines, which count for themselves.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, RatedOnceWarning, announce
from howgood.records.engine_frame import EngineFrame
from howgood.records.missing import check_policy
from howgood.records.table import frame_columns
from howgood.stats.arrays import FloatArray

WHERE = "feedback"
_SYSTEM = "system "
# How many rows are looked at, and how many must look alike, to take means for single ratings.
_LOOKED_AT, _ENOUGH = 1_000, 20


def feedback_roles(
    mean: str, sd: str, predictions: Mapping[str, str] | Sequence[str], trials: str | None
) -> dict[str, str]:
    """Return role -> column; the systems come last, in the order given."""
    if isinstance(predictions, str):
        predictions = [predictions]
    named = (
        dict(predictions)
        if isinstance(predictions, Mapping)
        else {name: name for name in predictions}
    )
    if not named:
        raise InputError(
            where="predictions",
            found="no system",
            needed="at least one column of predictions",
            cure='Name them: predictions={"svd": "column"}.',
        )
    roles = {"mean": mean, "sd": sd} | ({} if trials is None else {"trials": trials})
    return roles | {_SYSTEM + str(name): column for name, column in named.items()}


def system_names(roles: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the systems among the roles, in order."""
    return tuple(role.removeprefix(_SYSTEM) for role in roles if role.startswith(_SYSTEM))


def system_columns(arrays: Mapping[str, FloatArray]) -> list[FloatArray]:
    """Return the predictions among arrays by role, in order."""
    return [values for role, values in arrays.items() if role.startswith(_SYSTEM)]


def finite_arrays(
    frame: Any,  # noqa: ANN401 - any eager frame, or a mapping of columns
    roles: Mapping[str, str],
    *,
    missing: str,
) -> tuple[dict[str, FloatArray], int]:
    """Return role -> checked floats of a table in memory, and how many rows were left out."""
    check_policy(missing)
    raw = frame_columns(frame, roles.values(), where=WHERE)
    arrays = {name: _numeric(values, name) for name, values in raw.items()}
    n_rows = len(next(iter(arrays.values())))
    finite = np.ones(n_rows, dtype=bool)
    for values in arrays.values():
        finite &= np.isfinite(values)
    if not finite.all():
        if missing == "error":
            raise bad_values(
                {name: int(n_rows - np.isfinite(array).sum()) for name, array in arrays.items()},
                n_rows,
            )
        arrays = {name: values[finite] for name, values in arrays.items()}
    by_role = {role: arrays[name] for role, name in roles.items()}
    n_used = int(finite.sum())
    refuse(
        roles,
        n_used=n_used,
        n_negative=int((by_role["sd"] < 0).sum()),
        n_no_trial=n_wrong_trials(by_role),
    )
    return by_role, n_rows - n_used


def n_wrong_trials(by_role: Mapping[str, FloatArray]) -> int:
    """Return how many finite numbers of trials are below 1 or not whole."""
    if "trials" not in by_role:
        return 0
    trials = by_role["trials"]
    return int(((trials < 1) | (trials != np.floor(trials))).sum())


def mention_single_ratings(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: Mapping[str, str],
) -> None:
    """Warn if means that are taken as known look like single ratings: all whole or half numbers.

    People who never waver have such means too, so only pairs with a spread are looked at; the
    first thousand rows are enough.
    """
    names = roles["mean"], roles["sd"]
    if not isinstance(frame, Mapping):
        frame = EngineFrame.of(frame, where=WHERE).frame.head(_LOOKED_AT).to_native()
    columns = frame_columns(frame, names, where=WHERE)
    mean, sd = (_numeric(columns[name][:_LOOKED_AT], name) for name in names)
    looked_at = mean[np.isfinite(mean) & (sd > 0)]
    if looked_at.size >= _ENOUGH and not np.mod(looked_at, 0.5).any():
        announce(
            f"{WHERE}, column {roles['mean']!r}: every mean is a whole or half number, as single "
            "ratings are, but is taken as known. If each is one rating, say so (trials=1, or "
            "--trials 1): else flips look too rare, and scores are too large. If the means are "
            "known: trials=inf, or --trials known",
            RatedOnceWarning,
        )


def _numeric(values: NDArray[Any], name: str) -> FloatArray:
    if values.ndim == 1 and values.dtype.kind in "fiu":
        return values.astype(np.float64, copy=False)
    try:
        if values.ndim != 1 or values.dtype.kind != "O":
            raise TypeError
        if any(isinstance(value, str | bool) for value in values):
            raise TypeError
        return np.array([math.nan if _absent(value) else float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise not_numeric(name, str(values.dtype)) from error


def _absent(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def bad_values(n_bad: Mapping[str, int], n_rows: int) -> InputError:
    """Return the error for missing, NaN or infinite values; `n_bad` maps column to count."""
    listed = ", ".join(f"{count} in {name!r}" for name, count in n_bad.items() if count)
    return InputError(
        where=WHERE,
        found=f"values missing or not finite: {listed}, of {n_rows} rows",
        needed="a finite number for every mean, sd and prediction",
        cure="Fill them in, or leave these rows out: missing='drop'.",
    )


def not_numeric(column: str, kind: str, *texts: str) -> InputError:
    """Return the error for a column of text, dates or truth values; `texts` are examples."""
    return InputError(
        where=f"{WHERE}, column {column!r}",
        found=f"text such as {texts[0]!r}" if texts else f"values of type {kind}",
        needed="numbers",
        cure="Convert the column, or name another one.",
    )


def too_large(column: str) -> InputError:
    """Return the error for values whose powers exceed what a float can hold."""
    return InputError(
        where=f"{WHERE}, column {column!r}",
        found="values so large that their powers overflow",
        needed="numbers below about 1e12",
        cure="Use a smaller unit, for instance divide all columns by 1e6.",
    )


def refuse(roles: Mapping[str, str], *, n_used: int, n_negative: int, n_no_trial: int) -> None:
    """Raise if nothing is left to sum, an sd is negative, or trials are not 1, 2, 3 and so on."""
    if n_used == 0:
        raise InputError(
            where=WHERE,
            found="no row to sum",
            needed="at least one row of finite numbers",
            cure="Check the filter that made this table.",
        )
    if n_negative:
        raise InputError(
            where=f"{WHERE}, column {roles['sd']!r}",
            found="1 negative value" if n_negative == 1 else f"{n_negative} negative values",
            needed="standard deviations of zero or more",
            cure="Name the column that holds standard deviations.",
        )
    if n_no_trial:
        raise InputError(
            where=f"{WHERE}, column {roles.get('trials', 'trials')!r}",
            found=f"{n_no_trial} pairs with fewer than 1 trial, or not a whole number of them",
            needed="the number of ratings behind each mean: 1, 2, 3 and so on",
            cure="Name the column that counts ratings, or leave those pairs out.",
        )
