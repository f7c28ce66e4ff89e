"""Acceptance over the whole plane of precision and recall.

In: paired draws of one application. Out: tables of the share accepting, and of lines along which
it is equal. Absent: pictures (see `show.figures`).
"""

from collections.abc import Sequence

import numpy as np

from howgood.records.acceptance import AcceptanceDraws, Who
from howgood.records.table import Table

_DRAWS = 300


def acceptance_surface(draws: AcceptanceDraws, *, points: int, who: Who) -> Table:
    """Return the share accepting, row by row, with the ends of its 95 % interval."""
    ticks = np.linspace(0.0, 1.0, points)
    recall, precision = (axis.ravel() for axis in np.meshgrid(ticks, ticks, indexing="ij"))
    shares = draws.thinned(_DRAWS).shares(precision, recall, who=who)
    lower, upper = np.quantile(shares, [0.025, 0.975], axis=0)
    return Table(
        {
            "precision": precision,
            "recall": recall,
            "share": shares.mean(axis=0),
            "lower": lower,
            "upper": upper,
        }
    )


def equal_acceptance(surface: Table, *, points: int, shares: Sequence[float]) -> Table:
    """Return the recall needed at each precision, per share; without a row where none is enough."""
    ticks = np.linspace(0.0, 1.0, points)
    by_precision = surface["share"].reshape(points, points).T
    rows = [
        (share, precision, float(np.interp(share, along, ticks)))
        for share in shares
        for precision, along in zip(ticks, np.maximum.accumulate(by_precision, 1), strict=True)
        if along[0] <= share <= along[-1]
    ]
    columns = np.array(rows).reshape(-1, 3).T
    return Table(dict(zip(("share", "precision", "recall"), columns, strict=True)))
