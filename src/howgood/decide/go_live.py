"""When to switch from training to predicting.

In: a fit or model card, and a learning curve. Out: `GoLive`. Absent: training.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.decide.sampling import PRIOR_CASES, Counts, resampled
from howgood.decide.shares import check_share
from howgood.errors import InputError
from howgood.records.acceptance import AcceptanceDraws, AcceptanceModel, draws_for
from howgood.records.decision import GoLive
from howgood.records.provenance import Provenance
from howgood.records.table import Table, as_numbers, frame_column_names, frame_columns
from howgood.stats.randomness import RandomState, generator_and_seed

FloatArray = NDArray[np.float64]

_COUNTS = ("true_positives", "false_negatives", "false_positives")
_RATES = ("precision", "recall")


def go_live(
    fit: AcceptanceModel,
    application: str | None,
    learning_curve: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    share: float = 0.8,
    certainty: float = 0.95,
    random_state: RandomState = None,
) -> GoLive:
    """Return the first training size from which enough people would accept, or say it is unknown.

    Parameters
    ----------
    fit : fit of answers, or model card
    application : str
        Which application; None when the fit knows only one.
    learning_curve : frame
        Columns `size` and either `precision` and `recall`, or the counts `true_positives`,
        `false_negatives` and `false_positives` of a test set (then the test set's sampling is
        part of the answer).
    share : float
        The share of people that should accept.
    certainty : float
        The wanted probability that at least `share` accepts.
    random_state : None, int or Generator
        Chance of the test-set draws.

    Returns
    -------
    GoLive
        `size` is None when the evidence suffices at no size; a size counts only if every larger
        one passes too.

    Notes
    -----
    Stability: stable

    References
    ----------
    Kay, Patel, Kientz (2015), "Training a new model: predicting when to predict".

    Examples
    --------
    >>> from howgood.records.acceptance import AcceptanceDraws
    >>> people = AcceptanceDraws(
    ...     application="alarm", p=0, alpha=0.3, intercept=-12, slope=16, person_sd=2
    ... )
    >>> curve = {"size": [10, 20, 40], "precision": [0.6, 0.8, 0.95], "recall": [0.6, 0.85, 0.97]}
    >>> go_live(people, "alarm", curve).size
    40.0
    """
    check_share(share, name="share", where="go_live")
    check_share(certainty, name="certainty", where="go_live")
    draws = draws_for(fit, application, where="go_live")
    generator, seed = generator_and_seed(random_state)
    columns = _columns(learning_curve)
    accepting = (
        _with_sampling(draws, columns, generator)
        if "true_positives" in columns
        else draws.shares(columns["precision"], columns["recall"])
    )
    p_enough = np.mean(accepting >= share, axis=0)
    passes = p_enough >= certainty
    from_here = np.logical_and.accumulate(passes[::-1])[::-1]
    lower, upper = np.quantile(accepting, (0.025, 0.975), axis=0)
    return GoLive(
        application=draws.application,
        size=float(columns["size"][np.argmax(from_here)]) if from_here.any() else None,
        share=share,
        certainty=certainty,
        table=Table(
            {
                "size": columns["size"],
                "accepting": accepting.mean(axis=0),
                "lower": lower,
                "upper": upper,
                "p_enough": p_enough,
                "passes": passes,
            }
        ),
        provenance=Provenance(
            method="accepting share of the population by training size",
            settings={
                "test-set sampling": "true_positives" in columns,
                "prior cases per cell": PRIOR_CASES,
                "draws": len(draws),
            },
            seed=seed,
            rows_used=int(columns["size"].size),
        ),
    )


def _columns(learning_curve: Any) -> dict[str, FloatArray]:  # noqa: ANN401 - any frame
    present = frame_column_names(learning_curve)
    wanted = _COUNTS if set(_COUNTS) <= set(present) else _RATES
    where = "go_live, learning curve"
    columns = {
        name: as_numbers(values, where=f"{where}, column {name!r}")
        for name, values in frame_columns(learning_curve, ["size", *wanted], where=where).items()
    }
    for name, values in columns.items():
        highest = 1.0 if name in _RATES else np.inf
        wrong = ~((values >= 0) & (values <= highest))
        if values.size == 0 or np.any(wrong):
            raise InputError(
                where=f"{where}, column {name!r}",
                found=f"{int(wrong.sum())} of {values.size} values out of range",
                needed="rates from 0 to 1, counts and sizes of at least 0, one row or more",
                cure="Check the learning curve.",
            )
    order = np.argsort(columns["size"], kind="stable")
    return {name: values[order] for name, values in columns.items()}


def _with_sampling(
    draws: AcceptanceDraws, columns: dict[str, FloatArray], generator: np.random.Generator
) -> FloatArray:
    shares = []
    for row in zip(*(columns[name] for name in _COUNTS), strict=True):
        # True negatives bear on neither precision nor recall.
        tables = resampled(Counts.of_cells(*row, 0.0), len(draws), generator)
        shares.append(draws.shares_at_mean(draws.paired_means(tables.precision, tables.recall)))
    return np.column_stack(shares)
