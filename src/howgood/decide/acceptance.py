"""Would people accept this classifier, and in which application best?

In: a fit or model card, true and predicted labels. Out: the accepting share with people's and the
test set's uncertainty; the application in which one classifier is best accepted. Absent: choosing
a threshold (see `threshold`).
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from howgood.decide.sampling import PRIOR_CASES, Counts, counted, resampled
from howgood.decide.shares import check_share
from howgood.records.acceptance import AcceptanceModel, draws_for, known_applications
from howgood.records.decision import ApplicationChoice
from howgood.records.estimate import Estimate
from howgood.records.evidence import weakest
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

N_DRAWS = 4000


def acceptance(
    fit: AcceptanceModel,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    application: str | None = None,
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
    draws = draws_for(fit, application, where="acceptance")
    counts = counted(y_true, y_pred, pos_label=pos_label, where="acceptance")
    generator, _ = generator_and_seed(random_state)
    tables = resampled(counts, N_DRAWS, generator)
    return acceptance_of_tables(fit, draws.application, tables)


def acceptance_of_tables(fit: AcceptanceModel, application: str | None, tables: Counts) -> Estimate:
    """Return the accepting share where the confusion table has draws of its own."""
    draws = draws_for(fit, application, where="acceptance").repeated(tables.precision.size)
    shares = draws.shares_at_mean(draws.paired_means(tables.precision, tables.recall))
    return draws.estimate(shares)


def best_application(
    fit: AcceptanceModel,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    applications: Iterable[str] | None = None,
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
    check_share(certainty, name="certainty", where="best_application")
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
