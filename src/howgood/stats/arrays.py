"""The types of arrays that annotations speak of, and columns of an array by name."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def columns_by_name(sizes: Mapping[str, int]) -> dict[str, slice]:
    """Return where each of several blocks of columns stands that follow one another.

    Examples
    --------
    >>> columns_by_name({"slope": 2, "sd": 1})
    {'slope': slice(0, 2, None), 'sd': slice(2, 3, None)}
    """
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}
