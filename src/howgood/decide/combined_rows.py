"""Several rows of one rater for one output made one, under a named policy.

In: values and integer codes that say which output and rater each row is of. Out: one value each.
Absent: names of columns (messages take them from the caller).
"""

from collections.abc import Sequence

import numpy as np

from howgood.errors import InputError, check_one_of
from howgood.stats.arrays import FloatArray, IntArray

_LARGEST = int(np.iinfo(np.int64).max)
COMBINATIONS = ("error", "mean", "sum", "last")
# What several rows are, by the rule that makes them one.
_FOR = {"mean": "repeated grades", "sum": "counts of errors", "last": "corrections"}


def combined_rows(
    values: FloatArray,
    codes: Sequence[IntArray],
    *,
    combine: str,
    where: str,
    of: str,
    rules: Sequence[str] = COMBINATIONS,
) -> tuple[FloatArray, IntArray | None, IntArray]:
    """Return one value per distinct codes, the row each is found in, and how many rows each had.

    Where no codes come twice the values are those given, in all their rows (None), once each.

    `of` says what the codes stand for, as in "one rater for one output". The values keep the order
    of their first rows. `rules` are those of `COMBINATIONS` that make sense for the values.

    Examples
    --------
    >>> grade, item = np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1])
    >>> combined_rows(grade, [item], combine="sum", where="grades", of="one item")
    (array([3., 5.]), array([0, 2]), array([2, 1]))
    """
    check_combination(combine, rules)
    key = codes[0]
    for more in codes[1:]:
        if int(key.max()) >= _LARGEST // (int(more.max()) + 1):
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        key = key.astype(np.int64) * (int(more.max()) + 1) + more
    if not _has_repeats(key):
        return values, None, np.ones(1, dtype=np.int64)
    _, first, cell, counts = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    if combine == "error":
        n_several, most = int(np.sum(counts > 1)), int(counts.max())
        raise several_rows(n_several, most, where=where, of=of, rules=rules)
    cell = cell.reshape(-1)
    combined: FloatArray = np.bincount(cell, weights=values).astype(np.float64)
    if combine == "mean":
        combined = combined / counts
    if combine == "last":
        combined[cell] = values  # of several values for one place NumPy keeps the last
    order = np.argsort(first)
    return combined[order], first[order], counts[order]


def check_combination(combine: str, rules: Sequence[str] = COMBINATIONS) -> None:
    """Raise unless this is one of the rules."""
    check_one_of(combine, rules, where="combine")


def several_rows(
    n_several: int, most: int, *, where: str, of: str, rules: Sequence[str] = COMBINATIONS
) -> InputError:
    """Return what is said of several rows where no rule makes them one."""
    return InputError(
        where=where,
        found=f"{'once' if n_several == 1 else f'{n_several} times'} several rows of {of} "
        f"(up to {most})",
        needed="one row each, or a rule that makes them one",
        cure="Say what the rows are: "
        + ", ".join(f"combine='{rule}' for {_FOR[rule]}" for rule in rules if rule in _FOR)
        + ".",
    )


def _has_repeats(key: IntArray) -> bool:
    if int(key.max()) < 2 * len(key):
        # Counting is faster than sorting where few numbers are left out.
        return bool(np.bincount(key).max() > 1)
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())
