"""The one check of shares and probabilities that callers give.

In: a number, or an array of them. Out: the number, or an error that names the first that is none.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.table import as_numbers

Given = TypeVar("Given", bound=ArrayLike)


def check_probability(
    value: Given, *, name: str, where: str, ends: bool = False, such_as: float = 0.8
) -> Given:
    """Return `value`, or refuse what lies outside 0 to 1; 0 and 1 themselves need `ends`.

    Examples
    --------
    >>> check_probability(0.95, name="certainty", where="gate")
    0.95
    """
    place, needed = f"{where}, {name}", "a number between 0 and 1"
    values = np.atleast_1d(as_numbers(value, where=place, needed=needed, parse_text=False))
    inside = (values >= 0.0) & (values <= 1.0) if ends else (values > 0.0) & (values < 1.0)
    if inside.all():
        return value
    wrong = float(values[~inside][0])
    one = f"{wrong:g}"
    raise InputError(
        where=place,
        found=one if values.size == 1 else f"{np.sum(~inside)} of {values.size}, first {one}",
        needed=needed,
        cure="Divide percentages by 100." if wrong > 1.0 else f"Use for instance {such_as:g}.",
    )
