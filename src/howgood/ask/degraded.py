"""A system made worse on purpose, to chosen accuracies: what would people say of it in real use?

In: true labels, scores, the precision and recall wanted. Out: predictions. Absent: serving them,
and making a system better than it is.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError
from howgood.records.probability import check_probability
from howgood.stats.randomness import RandomState, generator_and_seed


def degrade(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    precision: float,
    recall: float,
    random_state: RandomState = None,
) -> NDArray[np.int64]:
    """Return predictions of a system that is as good as asked for, and no better.

    Of the true positives those with the highest scores are flagged, as many as `recall` says, and
    of the true negatives those with the highest scores, as many as `precision` says: the mistakes
    that this system would make first. Ties are broken by chance.

    Parameters
    ----------
    y_true : array
        1 for positives, 0 for negatives.
    scores : array
        One score per case: the higher, the more likely positive.
    precision, recall : float
        The accuracies wanted, above 0; met as closely as whole cases allow.
    random_state : None, int or Generator

    Returns
    -------
    array of 0 and 1

    Raises
    ------
    InputError
        Where no threshold of this system reaches both: it cannot be made better here.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> truth = [1] * 10 + [0] * 30
    >>> scores = [0.9] * 10 + [0.1] * 30
    >>> worse = degrade(truth, scores, precision=0.5, recall=0.8, random_state=1)
    >>> int(worse[:10].sum()), int(worse[10:].sum())
    (8, 8)
    """
    truth, values = np.asarray(y_true), np.asarray(scores, dtype=np.float64)
    _check(truth, values)
    for name, wanted in (("precision", precision), ("recall", recall)):
        check_probability(wanted, name=name, where="degrade", ends=True)
        if wanted == 0:
            raise _impossible(f"a {name} of 0", "accuracies above 0", "Ask for more.")
    rng, _ = generator_and_seed(random_state)
    positives, negatives = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    n_found = max(1, int(np.floor(recall * len(positives) + 0.5)))
    n_false = int(np.floor(n_found / precision + 0.5)) - n_found
    _check_reach(truth, values, n_found, n_false)
    predicted = np.zeros(len(truth), dtype=np.int64)
    for cases, count in ((positives, n_found), (negatives, n_false)):
        order = np.lexsort([rng.random(len(cases)), -values[cases]])
        predicted[cases[order[:count]]] = 1
    return predicted


def _check(truth: NDArray[np.generic], values: NDArray[np.float64]) -> None:
    if truth.shape != values.shape or truth.ndim != 1:
        raise LengthMismatchError(
            where="degrade", lengths={"y_true": truth.size, "scores": values.size}
        )
    if not np.isin(truth, (0, 1)).all() or not (truth == 1).any() or not (truth == 0).any():
        raise _impossible(
            "labels other than 0 and 1, or one class alone", "both 0 and 1", "Code it."
        )
    if not np.isfinite(values).all():
        raise _impossible("scores that are no numbers", "a finite score per case", "Correct them.")


def _check_reach(
    truth: NDArray[np.generic], values: NDArray[np.float64], n_found: int, n_false: int
) -> None:
    """Refuse more than the system itself reaches: with so many found, fewer false alarms."""
    if n_false > int((truth == 0).sum()):
        raise _impossible(
            f"a precision that needs {n_false} false alarms",
            f"at most {int((truth == 0).sum())}, the negatives there are",
            "Ask for more precision or less recall.",
        )
    threshold = np.sort(values[truth == 1])[::-1][n_found - 1]
    least = int(((truth == 0) & (values > threshold)).sum())
    if n_false < least:
        raise _impossible(
            f"{n_found} found with {n_false} false alarms",
            f"at least {least} false alarms, as many as this system makes to find so many",
            "Ask for less precision or less recall: a system can only be made worse.",
        )


def _impossible(found: str, needed: str, cure: str) -> InputError:
    return InputError(where="degrade", found=found, needed=needed, cure=cure)
