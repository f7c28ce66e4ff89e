"""Answers people gave, one row per question.

In: columns that were read and checked (see `ask.read_answers`). Out: `Answers`, a `Table` that
remembers how its rows were chosen. Absent: files, labels, missing values.
"""

from collections.abc import Mapping

from numpy.typing import ArrayLike

from howgood.records.provenance import Provenance
from howgood.records.table import Table


class Answers(Table):
    """A table of answers with the provenance of its rows.

    Columns: `participant`, `application`, `precision`, `recall`, `rating` and/or `accepted`;
    where they were asked, `usefulness`, `intent`, `ease` and `part`.

    Stability: stable

    Examples
    --------
    >>> answers = Answers(
    ...     {"participant": ["a"], "rating": [6]}, provenance=Provenance(method="typed in")
    ... )
    >>> len(answers), answers.provenance.method
    (1, 'typed in')
    """

    def __init__(self, columns: Mapping[str, ArrayLike], *, provenance: Provenance) -> None:
        super().__init__(columns)
        self.provenance = provenance
