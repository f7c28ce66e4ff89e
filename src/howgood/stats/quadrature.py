r"""Averages over a normal variable on a fixed grid.

In: how many nodes. Out: nodes in standard deviations and their weights. Absent: adaptivity:
one grid serves every group, so that a whole sample is integrated by one matrix product.

The trapezoid rule converges faster than any power of the spacing for smooth functions that
vanish at both ends; over ±6 standard deviations the cut tails hold :math:`2\cdot10^{-9}`.
"""

import numpy as np

from howgood.stats.arrays import FloatArray

N_NODES = 65
REACH = 6.0


def normal_nodes(n_nodes: int = N_NODES) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights (summing to 1) for averages over a standard normal variable.

    Examples
    --------
    >>> nodes, weights = normal_nodes()
    >>> round(float(weights @ nodes**2), 6)
    1.0
    """
    nodes = np.linspace(-REACH, REACH, n_nodes)
    weights = np.exp(-0.5 * nodes**2)
    weights[[0, -1]] *= 0.5
    return nodes, weights / weights.sum()
