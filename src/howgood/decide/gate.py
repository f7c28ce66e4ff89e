"""A gate for releases: would enough people accept this classifier?

In: a fit or model card, labels, the share that must accept. Out: pass, fail or investigate, with
the probability behind it. Absent: exit codes and badges (see `cli` and `show`).
"""

import numpy as np
from numpy.typing import ArrayLike

from howgood.decide.acceptance import N_DRAWS, acceptance
from howgood.decide.sampling import PRIOR_CASES
from howgood.decide.shares import check_share
from howgood.records.acceptance import AcceptanceModel, draws_for
from howgood.records.decision import Gate, GateVerdict
from howgood.records.provenance import Provenance
from howgood.stats.randomness import RandomState, generator_and_seed


def gate(
    fit: AcceptanceModel,
    application: str | None,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    share: float = 0.8,
    certainty: float = 0.95,
    pos_label: object = 1,
    random_state: RandomState = None,
) -> Gate:
    """Say whether at least `share` of people would accept this classifier.

    Parameters
    ----------
    fit : fit of answers, or model card
        Whom we asked.
    application : str
        Which application; None when the fit knows only one.
    y_true, y_pred : array
        True and predicted labels of the test set.
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
    check_share(share, name="share", where="gate")
    check_share(certainty, name="certainty", where="gate")
    generator, seed = generator_and_seed(random_state)
    draws = draws_for(fit, application, where="gate")
    accepting = acceptance(
        fit,
        y_true,
        y_pred,
        application=draws.application,
        pos_label=pos_label,
        random_state=generator,
    )
    p_enough = float(np.mean(accepting.draws >= share))
    return Gate(
        application=draws.application,
        verdict=_verdict(p_enough, certainty) if draws.evidence == "enough" else "investigate",
        p_enough=p_enough,
        acceptance=accepting,
        share=share,
        certainty=certainty,
        provenance=Provenance(
            method="posterior draws of people, paired with Dirichlet draws of the test set",
            settings={"prior cases per cell": PRIOR_CASES, "draws": N_DRAWS},
            seed=seed,
            rows_used=int(np.asarray(y_true).size),
        ),
        evidence=draws.evidence,
    )


def _verdict(p_enough: float, certainty: float) -> GateVerdict:
    if p_enough >= certainty:
        return "pass"
    return "fail" if p_enough <= 1.0 - certainty else "investigate"
