"""Would people accept this classifier, does it pass, and what accuracy should one aim for?

In: a fit or model card; true and predicted labels; the share that must accept. Out: the accepting
share with people's and the test set's uncertainty; the application in which one classifier is best
accepted; pass, fail or investigate; `Target` (needed accuracy, gains, diminishing returns) and
`TradeOff` (acceptance when accuracy is given up). Absent: choosing a threshold (see `thresholds`),
exit codes and badges (see `cli` and `show`).
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from howgood.decide.sampling import PRIOR_CASES, Counts, counted, resampled
from howgood.records.acceptance import (
    AcceptanceDraws,
    AcceptanceModel,
    PartedModel,
    draws_by_segment,
    draws_for,
    known_applications,
    of_part,
)
from howgood.records.decision import ApplicationChoice, Gate, GateVerdict, Target, TradeOff
from howgood.records.estimate import Estimate
from howgood.records.evidence import weakest
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

N_DRAWS = 4000
POINT = 0.01
_FEWEST_REACHING = 0.05  # below this share of draws there is no needed mean worth reporting


def acceptance(
    fit: AcceptanceModel | PartedModel,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    application: str | None = None,
    part: str | None = None,
    pos_label: object = 1,
    random_state: RandomState = None,
) -> Estimate:
    r"""Return the share of people who would accept this classifier.

    Each draw pairs one posterior draw of the people with one draw of the confusion table from its
    Dirichlet posterior (half a case of prior in each cell), so the interval covers both whom we
    asked and which cases the test set happened to hold.

    Parameters
    ----------
    fit : fit of answers, or model card
        From `learn.fit_acceptability`, or a card with draws.
    y_true, y_pred : array
        True and predicted labels of the test set.
    application : str
        Which application; may be left out when the fit knows only one.
    part : str, optional
        Of an ordinal fit: which part's people, such as "last 30 days".
    pos_label : object
        The label that counts as positive.
    random_state : None, int or Generator
        Chance of the test-set draws.

    Returns
    -------
    Estimate
        The accepting share of the population.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood.records.acceptance import AcceptanceDraws
    >>> people = AcceptanceDraws(
    ...     application="alarm", p=0, alpha=0.3, intercept=-12, slope=16, person_sd=2
    ... )
    >>> share = acceptance(people, [1] * 90 + [0] * 90, [1] * 80 + [0] * 100, random_state=1)
    >>> 0.7 < share.mean < 0.9
    True
    """
    fit = of_part(fit, part, where="acceptance")
    draws = draws_for(fit, application, where="acceptance")
    counts = counted(y_true, y_pred, pos_label=pos_label, where="acceptance")
    generator, _ = generator_and_seed(random_state)
    tables = resampled(counts, N_DRAWS, generator)
    return acceptance_of_tables(fit, draws.application, tables)


def acceptance_of_tables(fit: AcceptanceModel, application: str | None, tables: Counts) -> Estimate:
    """Return the accepting share where the confusion table has draws of its own."""
    draws = draws_for(fit, application, where="acceptance")
    return draws.estimate(_shares_of_tables(draws, tables))


def _shares_of_tables(draws: AcceptanceDraws, tables: Counts) -> FloatArray:
    """Return one accepting share per table, its draws of people taken in turn."""
    people = draws.repeated(tables.precision.size)
    rates = tables.precision, tables.recall, tables.specificity
    return people.shares_at_mean(people.paired_means(*rates))


def best_application(
    fit: AcceptanceModel | PartedModel,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    applications: Iterable[str] | None = None,
    part: str | None = None,
    certainty: float = 0.95,
    pos_label: object = 1,
    random_state: RandomState = None,
) -> ApplicationChoice:
    """Say in which application or interface this classifier is best accepted.

    The applications are compared draw by draw, on the same draws of the test set. A classifier
    with more recall than precision, say, belongs where people weigh recall.

    Parameters
    ----------
    fit, y_true, y_pred, pos_label, random_state
        As in `acceptance`.
    applications : iterable of str
        The applications to compare; all of the fit when left out.
    part : str, optional
        As in `acceptance`.
    certainty : float
        An application is called best when it is so in this share of the draws.

    Returns
    -------
    ApplicationChoice
        With `best` None when the evidence does not say.

    Notes
    -----
    Stability: stable

    References
    ----------
    Kay, Patel, Kientz (2015), "Selecting a user interface to build".
    """
    check_probability(certainty, name="certainty", where="best_application")
    fit = of_part(fit, part, where="best_application")
    names = tuple(applications or known_applications(fit, where="best_application"))
    counts = counted(y_true, y_pred, pos_label=pos_label, where="best_application")
    generator, seed = generator_and_seed(random_state)
    tables = resampled(counts, N_DRAWS, generator)
    estimates = {name: acceptance_of_tables(fit, name, tables) for name in names}
    p_best = best_shares(np.column_stack([estimates[name].draws for name in names]))
    likeliest = int(np.argmax(p_best))
    evidence = weakest(draws_for(fit, name, where="best_application").evidence for name in names)
    is_sure = evidence == "enough" and p_best[likeliest] >= certainty
    return ApplicationChoice(
        acceptance=estimates,
        best_probability={name: float(value) for name, value in zip(names, p_best, strict=True)},
        best=names[likeliest] if is_sure else None,
        certainty=certainty,
        provenance=Provenance(
            method="posterior draws of people, paired with Dirichlet draws of the test set",
            settings={"prior cases per cell": PRIOR_CASES, "draws": N_DRAWS},
            seed=seed,
            rows_used=int(np.asarray(y_true).size),
        ),
        evidence=evidence,
    )


def best_shares(value_draws: FloatArray) -> FloatArray:
    """Return how often each column is the highest of its row; ties are shared."""
    highest = value_draws == value_draws.max(axis=1, keepdims=True)
    shared: FloatArray = (highest / highest.sum(axis=1, keepdims=True)).mean(axis=0)
    return shared


def gate(
    fit: AcceptanceModel | PartedModel,
    application: str | None,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    part: str | None = None,
    share: float = 0.8,
    certainty: float = 0.95,
    pos_label: object = 1,
    random_state: RandomState = None,
) -> Gate:
    """Say whether at least `share` of people would accept this classifier.

    Parameters
    ----------
    fit : fit of answers, or model card
        Whom we asked. Where it has segments (`fit_acceptability(..., by=...)`), every one of them
        must accept; name one with `fit.in_segment(name)`.
    application : str
        Which application; None when the fit knows only one.
    y_true, y_pred : array
        True and predicted labels of the test set.
    part : str, optional
        As in `acceptance`.
    share : float
        The share of people that must accept.
    certainty : float
        "pass" needs this probability that the share is reached, "fail" the same probability that
        it is not; anything between is "investigate", and so is everything where the answers do not
        suffice (`fit.evidence` is not "enough").
    pos_label : object
        The label that counts as positive.
    random_state : None, int or Generator
        Chance of the test-set draws.

    Returns
    -------
    Gate
        With `verdict`, `p_enough` and the `acceptance` behind them.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood.records.acceptance import AcceptanceDraws
    >>> people = AcceptanceDraws(
    ...     application="alarm", p=0, alpha=0.3, intercept=-12, slope=16, person_sd=2
    ... )
    >>> gate(people, "alarm", [1] * 90 + [0] * 90, [1] * 30 + [0] * 150, random_state=1).verdict
    'fail'
    """
    check_probability(share, name="share", where="gate")
    check_probability(certainty, name="certainty", where="gate")
    generator, seed = generator_and_seed(random_state)
    fit = of_part(fit, part, where="gate")
    divided = draws_by_segment(fit, application, where="gate")
    asked = divided or {"": draws_for(fit, application, where="gate")}
    counts = counted(y_true, y_pred, pos_label=pos_label, where="gate")
    tables = resampled(counts, N_DRAWS, generator)
    shares = {name: _shares_of_tables(draws, tables) for name, draws in asked.items()}
    first = next(iter(asked.values()))
    evidence = weakest(draws.evidence for draws in asked.values())
    # The least satisfied segment of every draw: chance may make one or another so.
    accepting = np.min(list(shares.values()), axis=0)
    p_enough = float(np.mean(accepting >= share))
    return Gate(
        application=first.application,
        verdict=_verdict(p_enough, certainty) if evidence == "enough" else "investigate",
        p_enough=p_enough,
        acceptance=Estimate.from_draws(
            accepting,
            n_respondents=min((draws.n_respondents or 0) for draws in asked.values()) or None,
            evidence=evidence,
        ),
        share=share,
        certainty=certainty,
        provenance=Provenance(
            method="posterior draws of people, paired with Dirichlet draws of the test set",
            settings={"prior cases per cell": PRIOR_CASES, "draws": N_DRAWS},
            seed=seed,
            rows_used=int(np.asarray(y_true).size),
        ),
        evidence=evidence,
        segments={name: draws.estimate(shares[name]) for name, draws in divided.items()},
    )


def _verdict(p_enough: float, certainty: float) -> GateVerdict:
    if p_enough >= certainty:
        return "pass"
    return "fail" if p_enough <= 1.0 - certainty else "investigate"


def target(
    fit: AcceptanceModel | PartedModel,
    application: str | None = None,
    *,
    part: str | None = None,
    share: float = 0.8,
    precision: float | None = None,
    recall: float | None = None,
    least_gain: float = 0.005,
) -> Target:
    r"""Return the accuracy at which `share` of people accept, and what one more point brings.

    Per draw the needed mean solves
    :math:`E_U[\operatorname{expit}(b_0 + b\,m + U)] = \text{share}`; draws in which not even
    perfect accuracy reaches the share count as not reachable. Where a fit has a term for no error
    at all, a draw in which only that is enough needs a mean of 1.

    Parameters
    ----------
    fit : fit of answers, or model card
    application : str
        Which application; may be left out when the fit knows only one.
    part : str, optional
        As in `acceptance`.
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
    check_probability(share, name="share", where="target")
    draws = draws_for(of_part(fit, part, where="target"), application, where="target")
    needed = draws.mean_for_share(share)
    reached = needed[needed <= 1.0]
    reachable = float(reached.size / needed.size)
    is_known = reachable >= _FEWEST_REACHING
    below = reached[reached < 1.0]
    start = 0.9
    if below.size and is_known:
        start = _alike(draws, float(np.median(np.maximum(below, 0.0))))
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
        only_flawless=float(np.mean(needed == 1.0)),
    )


def trade_off(
    fit: AcceptanceModel | PartedModel,
    application: str | None = None,
    *,
    part: str | None = None,
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
    fit, application, part, share
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
    check_probability(share, name="share", where="trade_off")
    check_probability(certainty, name="certainty", where="trade_off")
    draws = draws_for(of_part(fit, part, where="trade_off"), application, where="trade_off")
    accuracy = np.arange(0.0, 1.0 + POINT / 2, POINT)
    accepting = draws.shares(np.minimum(accuracy * precision_per_recall, 1.0), accuracy)
    enough = (np.mean(accepting >= share, axis=0) >= certainty) & (draws.evidence == "enough")
    # Below what people were asked about, the curve is a guess: nothing is given up there.
    lowest = draws.lowest_shown or 0.0
    enough &= accuracy >= lowest - POINT / 2
    # Enough from here on: a lucky dip below a failing accuracy does not count.
    from_here = np.logical_and.accumulate(enough[::-1])[::-1]
    lower, upper = draws.ends(accepting)
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
            method="accepting share of the population by accuracy, 95 % highest-density intervals",
            settings={"draws": len(draws), "precision per recall": precision_per_recall},
        ),
        evidence=draws.evidence,
        lowest_shown=draws.lowest_shown,
    )


def _accuracy(value: float | None, default: float, name: str) -> float:
    return check_probability(
        default if value is None else value, name=name, where="target", ends=True
    )


def _alike(draws: AcceptanceDraws, mean: float) -> float:
    """Return the precision, and recall, that have this mean: itself, unless specificity counts."""
    if draws.others is None:
        return mean
    levels = np.linspace(0.01, 1.0, 397)
    return float(np.interp(mean, np.median(draws.means(levels, levels), axis=0), levels))


def _diminishing_from(draws: AcceptanceDraws, least_gain: float) -> float | None:
    grid = np.arange(0.0, 1.0 + POINT / 2, POINT)
    accepting = draws.shares_at_mean(np.broadcast_to(grid, (len(draws), grid.size))).mean(axis=0)
    gains = np.diff(accepting)
    steepest = int(np.argmax(gains))
    small = np.flatnonzero(gains[steepest:] < least_gain)
    return float(grid[steepest + small[0]]) if small.size else None
