"""The top of a smooth function with a known gradient, and its curvature there.

In: a function that returns value and gradient. Out: the point, and the Hessian. Absent:
bounds: parameters are transformed to the whole line before they come here.
"""

from collections.abc import Callable

import numpy as np

from howgood.stats.arrays import FloatArray

ValueAndGradient = Callable[[FloatArray], tuple[float, FloatArray]]

_STEP = 1e-4


def maximise(
    function: ValueAndGradient, start: FloatArray, *, tolerance: float = 1e-5, most: int = 300
) -> FloatArray:
    """Return where `function` is largest, by SciPy's BFGS from `start`.

    The first metric is the curvature at the start, its wrong signs turned: parameters of very
    different scale then need no tuning.

    Examples
    --------
    >>> def bowl(x):
    ...     return -float(x @ x), -2.0 * x
    >>> maximise(bowl, np.array([3.0, -4.0])).round(6).tolist()
    [0.0, 0.0]
    """
    from scipy.optimize import minimize  # a fifth of a second, so only when asked

    def turned(point: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = function(point)
        return -value, -gradient

    first = inverse_curvature(hessian(function, start))
    options = {"hess_inv0": first, "gtol": tolerance, "maxiter": most}
    with np.errstate(over="ignore", invalid="ignore"):  # a step too far is taken back
        found = minimize(turned, start, jac=True, method="BFGS", options=options)
    return np.asarray(found.x, dtype=np.float64)


def hessian(function: ValueAndGradient, point: FloatArray) -> FloatArray:
    """Return the matrix of second derivatives, by central differences of the gradient."""
    rows = []
    for index in range(point.size):
        shift = np.zeros(point.size)
        shift[index] = _STEP * max(1.0, abs(point[index]))
        above, below = function(point + shift)[1], function(point - shift)[1]
        rows.append((above - below) / (2.0 * shift[index]))
    matrix = np.array(rows)
    return np.asarray(0.5 * (matrix + matrix.T))


def inverse_curvature(matrix: FloatArray, *, largest: float = 1e3) -> FloatArray:
    """Return the inverse of minus `matrix`, made positive definite where it is not."""
    values, vectors = np.linalg.eigh(matrix)
    safe = np.maximum(np.abs(values), 1.0 / largest**2)
    inverse = (vectors / safe) @ vectors.T
    return np.asarray(0.5 * (inverse + inverse.T))
