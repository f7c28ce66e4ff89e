"""Which measure of accuracy people follow: candidates side by side.

In: what a comparison found. Out: `MeasureComparison`. Absent: comparing (see `learn.measures`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular

# Beyond this many standard errors a difference of held-out scores is more than chance.
SURE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureComparison(Tabular):
    """Candidate measures, best first by the score of people left out.

    `table` has a row per measure: `log_evidence`; `probability`, where all are equally likely
    beforehand; `held_out_log_score`, the log probability of everybody's answers, each predicted
    from the others'; its `difference` from the best and that one's standard error over people;
    `refitted`, for how many people left out the others were fitted anew, since reweighting was not
    sound; `reliable`, whether the draws passed their gates. `not_computed` says why a candidate is
    missing.

    Stability: experimental

    Examples
    --------
    >>> from howgood.records.provenance import Provenance
    >>> rows = {"measure": ["G", "F"], "log_evidence": [-90.0, -95.0], "probability": [0.99, 0.01],
    ...         "held_out_log_score": [-88.0, -94.0], "difference": [0.0, -6.0],
    ...         "difference_se": [0.0, 2.0], "refitted": [0, 1], "reliable": [True, True]}
    >>> compared = MeasureComparison(
    ...     table=Table(rows), not_computed={}, n_respondents=30, provenance=Provenance(method="x")
    ... )
    >>> compared.best, compared.as_good
    ('G', ('G',))
    """

    frame_of: ClassVar[str] = "table"

    table: Table
    not_computed: Mapping[str, str]
    n_respondents: int
    provenance: Provenance = field(repr=False)

    @property
    def as_good(self) -> tuple[str, ...]:
        """The best measure, and all whose score is within two standard errors of it."""
        near = -self.table["difference"] <= SURE * self.table["difference_se"]
        return tuple(str(name) for name in self.table["measure"][near].tolist())

    @property
    def best(self) -> str | None:
        """The one measure that predicts people best; None where the answers do not say."""
        return self.as_good[0] if len(self.as_good) == 1 else None

    def __str__(self) -> str:
        return str(self.table)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "best": self.best,
            "as_good": list(self.as_good),
            "table": self.table,
            "not_computed": dict(self.not_computed),
            "n_respondents": self.n_respondents,
            "provenance": self.provenance.to_dict(),
        }


def sorted_by_score(rows: list[dict[str, Any]], differences: list[tuple[float, float]]) -> Table:
    """Return the rows as a table, best first, with differences from the best."""
    order = np.argsort([-float(row["held_out_log_score"]) for row in rows], kind="stable")
    joined = [
        {**rows[at], "difference": differences[at][0], "difference_se": differences[at][1]}
        for at in order
    ]
    names = (
        "measure", "log_evidence", "probability", "held_out_log_score", "difference",
        "difference_se", "refitted", "reliable",
    )  # fmt: skip
    return Table({name: np.array([row[name] for row in joined]) for name in names})
