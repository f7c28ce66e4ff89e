"""Accuracy levels to whole counts a respondent can imagine.

In: levels of precision and recall. Out: `Scenario` records. Absent: wording and order of
presentation (see `ask.wording`).
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from howgood.errors import InputError
from howgood.records.scenario import Scenario, level_from

LEVELS = (Fraction(1, 2), Fraction(2, 3), Fraction(5, 6), Fraction(1))


def scenarios(
    *,
    precision: Sequence[float | Fraction | str] = LEVELS,
    recall: Sequence[float | Fraction | str] = LEVELS,
    real_positives: int = 10,
    cases: int | None = None,
) -> tuple[Scenario, ...]:
    r"""Return one scenario per pair of levels, recall outer and precision inner.

    Counts are rounded half up on exact fractions:

    .. math::
        TP = \lfloor RP \cdot R + 1/2 \rfloor, \quad
        FP = \lfloor TP / P + 1/2 \rfloor - TP, \quad FN = RP - TP

    and, with `cases`, :math:`TN = cases - RP - FP`.

    Parameters
    ----------
    precision, recall : sequence of numbers, or of text such as "2/3"
        Levels above 0 and up to 1; 2/3, "2/3" and 0.6667 mean the same.
    real_positives : int
        How often the thing happens in every scenario (RP).
    cases : int, optional
        All occasions, such as 30 days; then true negatives are counted too.

    Returns
    -------
    tuple of Scenario

    Raises
    ------
    InputError
        When a level cannot be expressed in such counts: no true positive is left, or `cases` leaves
        no room for the false positives.

    Notes
    -----
    Stability: stable

    References
    ----------
    Kay, Patel, Kientz (2015), "How Good is 85%?", CHI, footnote 1.

    Examples
    --------
    >>> study = scenarios()
    >>> len(study), study[5].true_positives, study[5].false_positives  # recall 2/3, precision 2/3
    (16, 7, 4)
    >>> study[5].desired_precision, study[5].precision
    (0.6666666666666666, 0.6363636363636364)
    """
    if real_positives < 1 or real_positives != int(real_positives):
        raise InputError(
            where="real_positives",
            found=repr(real_positives),
            needed="a whole number of at least 1",
            cure="Say how often the thing happens, for instance 10.",
        )
    precisions = [_level(value, "precision") for value in precision]
    recalls = [_level(value, "recall") for value in recall]
    return tuple(
        _scenario(wanted_precision, wanted_recall, int(real_positives), cases)
        for wanted_recall in recalls
        for wanted_precision in precisions
    )


def _level(value: float | Fraction | str, name: str) -> Fraction:
    level = level_from(value)
    if level is None:
        raise InputError(
            where=f"{name} level",
            found=repr(value),
            needed="a number above 0 and up to 1",
            cure="Write 85 % as 0.85.",
        )
    return level


def _half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def _scenario(precision: Fraction, recall: Fraction, positives: int, cases: int | None) -> Scenario:
    true_positives = _half_up(positives * recall)
    if true_positives == 0:
        raise InputError(
            where="scenarios",
            found=f"recall {float(recall):.3g} of {positives} real positives rounds to none found",
            needed="at least one true positive, or precision has no meaning",
            cure="Use more real positives, or a higher recall.",
        )
    false_positives = _half_up(true_positives / precision) - true_positives
    true_negatives = None if cases is None else cases - positives - false_positives
    if true_negatives is not None and true_negatives < 0:
        raise InputError(
            where="scenarios",
            found=f"precision {float(precision):.3g} at recall {float(recall):.3g} needs "
            f"{false_positives} false positives next to {positives} real positives",
            needed=f"together at most cases = {cases}",
            cure=f"Use at least {positives + false_positives} cases, or a higher precision.",
        )
    return Scenario(
        true_positives=true_positives,
        false_negatives=positives - true_positives,
        false_positives=false_positives,
        true_negatives=true_negatives,
        desired_precision=float(precision),
        desired_recall=float(recall),
    )
