"""The top of a smooth function with a known gradient, and its curvature there.

In: a function that returns value and gradient. Out: the point, and the Hessian. Absent:
bounds: parameters are transformed to the whole line before they come here.
"""

from collections.abc import Callable

import numpy as np

from howgood.stats.arrays import FloatArray

ValueAndGradient = Callable[[FloatArray], tuple[float, FloatArray]]

_STEP = 1e-4
# A step this many times longer than the point itself is a wrong guess of the curvature.
_LONGEST_STEP = 10.0


def maximise(
    function: ValueAndGradient, start: FloatArray, *, tolerance: float = 1e-5, most: int = 300
) -> FloatArray:
    """Return where `function` is largest, by BFGS with backtracking from `start`.

    The first metric is the curvature at the start, its wrong signs turned: parameters of very
    different scale then need no tuning.

    Examples
    --------
    >>> def bowl(x):
    ...     return -float(x @ x), -2.0 * x
    >>> maximise(bowl, np.array([3.0, -4.0])).round(6).tolist()
    [0.0, 0.0]
    """
    point = start
    value, gradient = function(point)
    inverse = inverse_curvature(hessian(function, point))
    for _ in range(most):
        direction = _not_too_long(inverse @ gradient, point)
        promised = float(gradient @ direction)
        if promised < tolerance**2 * max(1.0, abs(value)) or not np.isfinite(promised):
            break
        step = _accepted_step(function, point, value, direction, promised)
        if step is None:
            break
        size, new_value, new_gradient = step
        inverse = _bfgs(inverse, size * direction, gradient - new_gradient)
        point, value, gradient = point + size * direction, new_value, new_gradient
    return point


def _not_too_long(direction: FloatArray, point: FloatArray) -> FloatArray:
    longest = _LONGEST_STEP * (1.0 + float(np.linalg.norm(point)))
    return direction * min(1.0, longest / max(float(np.linalg.norm(direction)), 1e-300))


def _accepted_step(
    function: ValueAndGradient,
    point: FloatArray,
    value: float,
    direction: FloatArray,
    promised: float,
) -> tuple[float, float, FloatArray] | None:
    size = 1.0
    for _ in range(40):
        with np.errstate(over="ignore", invalid="ignore"):  # a step too far is taken back
            new_value, new_gradient = function(point + size * direction)
        enough = value + 1e-4 * size * promised
        if np.isfinite(new_value) and new_value >= enough and np.all(np.isfinite(new_gradient)):
            return size, new_value, new_gradient
        size *= 0.5
    return None


def _bfgs(inverse: FloatArray, move: FloatArray, fall: FloatArray) -> FloatArray:
    """Update the inverse curvature from a move and the fall of the gradient along it."""
    bend = float(move @ fall)
    if bend <= 1e-12 * float(np.linalg.norm(move) * np.linalg.norm(fall)):
        return inverse
    left = np.eye(move.size) - np.outer(move, fall) / bend
    return left @ inverse @ left.T + np.outer(move, move) / bend


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
    return np.asarray((vectors / safe) @ vectors.T)
