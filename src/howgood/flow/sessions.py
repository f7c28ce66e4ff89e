"""Score systems in every session of a file of ratings.

In: a path and column names. Out: `Sessions`. Absent: statistics (see `decide.sessions`), printing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from howgood.ask.files import open_table
from howgood.decide.sessions import rank_sessions
from howgood.flow.files import naming
from howgood.records.sessions import Sessions


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
