"""One way to turn a caller's `random_state` into a generator and a seed to record.

In: None, an int, or a NumPy Generator. Out: a Generator and the seed that made it.
Absent: any module-level generator.
"""

import secrets
from typing import TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.random.Generator | None


def generator_and_seed(random_state: "RandomState") -> tuple[np.random.Generator, int | None]:
    """Return a generator, and the seed that reproduces it (None when given a Generator).

    Examples
    --------
    >>> generator, seed = generator_and_seed(7)
    >>> seed
    7
    >>> generator_and_seed(None)[1] is not None
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state, None
    seed = secrets.randbits(32) if random_state is None else int(random_state)
    return np.random.default_rng(seed), seed
