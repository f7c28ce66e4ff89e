"""What accuracy to aim for, and what a point of it is worth.

In: a fit or model card. Out: `Target` (needed accuracy, gains, diminishing returns) and `TradeOff`
(acceptance when accuracy is given up). Absent: how to reach the accuracy.
"""

import numpy as np

from howgood.decide.shares import check_share
from howgood.errors import InputError
from howgood.records.acceptance import AcceptanceDraws, AcceptanceModel, draws_for
from howgood.records.decision import Target, TradeOff
from howgood.records.provenance import Provenance
from howgood.records.table import Table

POINT = 0.01
_FEWEST_REACHING = 0.05  # below this share of draws there is no needed mean worth reporting


def target(
    fit: AcceptanceModel,
    application: str | None = None,
    *,
    share: float = 0.8,
    precision: float | None = None,
    recall: float | None = None,
    least_gain: float = 0.005,
) -> Target:
    r"""Return the accuracy at which `share` of people accept, and what one more point brings.

    Per draw the needed mean solves
    :math:`E_U[\operatorname{expit}(b_0 + b\,m + U)] = \text{share}`; draws in which not even
    perfect accuracy reaches the share count as not reachable.

    Parameters
    ----------
    fit : fit of answers, or model card
    application : str
        Which application; may be left out when the fit knows only one.
    share : float
        The share of people that should accept.
    precision, recall : float
        Where the classifier is now, for the gains; both at the needed mean when left out.
    least_gain : float
        Returns diminish where one more point of both adds less than this to the accepting share.

    Returns
    -------
    Target

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood.records.acceptance import AcceptanceDraws
    >>> people = AcceptanceDraws(
    ...     application="alarm", p=0, alpha=0.3, intercept=-12, slope=16, person_sd=0
    ... )
    >>> round(target(people, "alarm", share=0.5).needed_mean.mean, 3)
    0.75
    """
    check_share(share, name="share", where="target")
    draws = draws_for(fit, application, where="target")
    needed = draws.mean_for_share(share)
    reached = needed[needed <= 1.0]
    reachable = float(reached.size / needed.size)
    is_known = reachable >= _FEWEST_REACHING
    start = float(np.median(np.clip(reached, 0.0, 1.0))) if is_known else 0.9
    now = (_accuracy(precision, start, "precision"), _accuracy(recall, start, "recall"))
    here = draws.shares(*now)
    return Target(
        application=draws.application,
        share=share,
        needed_mean=draws.estimate(np.maximum(reached, 0.0)) if is_known else None,
        reachable=reachable,
        at_best=draws.estimate(draws.shares(1.0, 1.0)),
        precision=now[0],
        recall=now[1],
        acceptance=draws.estimate(here),
        precision_gain=draws.estimate(draws.shares(min(now[0] + POINT, 1.0), now[1]) - here),
        recall_gain=draws.estimate(draws.shares(now[0], min(now[1] + POINT, 1.0)) - here),
        diminishing_from=_diminishing_from(draws, least_gain),
        least_gain=least_gain,
        provenance=Provenance(
            method="needed weighted mean per posterior draw, population share integrated",
            settings={"share": share, "draws": len(draws), "one point": POINT},
        ),
        evidence=draws.evidence,
    )


def trade_off(
    fit: AcceptanceModel,
    application: str | None = None,
    *,
    share: float = 0.8,
    certainty: float = 0.95,
    precision_per_recall: float = 1.0,
) -> TradeOff:
    """Return how acceptance falls as accuracy is given up, and how much can be given up.

    For privacy, cheap hardware or plausible deniability a weaker classifier may be wanted; this
    is the curve of acceptance over accuracy, with recall at `accuracy` and precision at
    `accuracy` times `precision_per_recall` (at most 1).

    Parameters
    ----------
    fit, application, share
        As in `target`.
    certainty : float
        How sure the accepting share must be.
    precision_per_recall : float
        1 moves both together.

    Returns
    -------
    TradeOff
        `least_accuracy` is None when no accuracy reaches the share with this certainty, or when
        the answers do not suffice; it is never below the lowest accuracy people were asked about.

    Notes
    -----
    Stability: experimental

    References
    ----------
    Kay, Patel, Kientz (2015), "The potential of a low-performing classifier".
    """
    check_share(share, name="share", where="trade_off")
    check_share(certainty, name="certainty", where="trade_off")
    draws = draws_for(fit, application, where="trade_off")
    accuracy = np.arange(0.0, 1.0 + POINT / 2, POINT)
    accepting = draws.shares(np.minimum(accuracy * precision_per_recall, 1.0), accuracy)
    enough = (np.mean(accepting >= share, axis=0) >= certainty) & (draws.evidence == "enough")
    # Below what people were asked about, the curve is a guess: nothing is given up there.
    lowest = draws.lowest_shown or 0.0
    enough &= accuracy >= lowest - POINT / 2
    # Enough from here on: a lucky dip below a failing accuracy does not count.
    from_here = np.logical_and.accumulate(enough[::-1])[::-1]
    lower, upper = np.quantile(accepting, (0.025, 0.975), axis=0)
    return TradeOff(
        application=draws.application,
        share=share,
        certainty=certainty,
        least_accuracy=float(accuracy[np.argmax(from_here)]) if from_here.any() else None,
        curve=Table(
            {
                "accuracy": accuracy,
                "accepting": accepting.mean(axis=0),
                "lower": lower,
                "upper": upper,
            }
        ),
        provenance=Provenance(
            method="accepting share of the population by accuracy, 95 % quantile band",
            settings={"draws": len(draws), "precision per recall": precision_per_recall},
        ),
        evidence=draws.evidence,
        lowest_shown=draws.lowest_shown,
    )


def _accuracy(value: float | None, default: float, name: str) -> float:
    if value is None:
        return default
    if not 0.0 <= value <= 1.0:
        raise InputError(
            where=f"target, {name}",
            found=f"{value}",
            needed=f"{name} must lie between 0 and 1",
            cure="Divide percentages by 100.",
        )
    return float(value)


def _diminishing_from(draws: AcceptanceDraws, least_gain: float) -> float | None:
    grid = np.arange(0.0, 1.0 + POINT / 2, POINT)
    accepting = draws.shares_at_mean(np.broadcast_to(grid, (len(draws), grid.size))).mean(axis=0)
    gains = np.diff(accepting)
    steepest = int(np.argmax(gains))
    small = np.flatnonzero(gains[steepest:] < least_gain)
    return float(grid[steepest + small[0]]) if small.size else None
