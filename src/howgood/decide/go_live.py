"""When to switch from training to predicting.

In: a fit or model card, and a learning curve. Out: `GoLive`. Absent: training.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.decide.sampling import PRIOR_CASES, Counts, resampled
from howgood.decide.shares import check_share
from howgood.errors import InputError, UnknownNameError
from howgood.records.acceptance import AcceptanceDraws, AcceptanceModel, draws_for
from howgood.records.decision import GoLive
from howgood.records.provenance import Provenance
from howgood.records.table import Table, as_numbers, frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_COUNTS = ("true_positives", "false_negatives", "false_positives")
_RATES = ("precision", "recall")
_WHERE = "learning curve"


def go_live(
    fit: AcceptanceModel,
    application: str | None,
    learning_curve: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    columns: Mapping[str, str] | None = None,
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
    columns : mapping, optional
        Our name to yours, for columns called otherwise: {"size": "n_train"}.
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
    curve = _columns(learning_curve, columns or {})
    accepting = (
        _with_sampling(draws, curve, generator)
        if "true_positives" in curve
        else draws.shares(curve["precision"], curve["recall"])
    )
    p_enough = np.mean(accepting >= share, axis=0)
    passes = (p_enough >= certainty) & (draws.evidence == "enough")
    from_here = np.logical_and.accumulate(passes[::-1])[::-1]
    return GoLive(
        application=draws.application,
        size=float(curve["size"][np.argmax(from_here)]) if from_here.any() else None,
        share=share,
        certainty=certainty,
        table=_table(curve["size"], accepting, p_enough, passes),
        provenance=Provenance(
            method="accepting share of the population by training size",
            settings={
                "test-set sampling": "true_positives" in curve,
                "prior cases per cell": PRIOR_CASES,
                "draws": len(draws),
            },
            seed=seed,
            rows_used=int(curve["size"].size),
        ),
        evidence=draws.evidence,
    )


def _table(
    sizes: FloatArray, accepting: FloatArray, p_enough: FloatArray, passes: NDArray[np.bool_]
) -> Table:
    lower, upper = np.quantile(accepting, (0.025, 0.975), axis=0)
    return Table(
        {
            "size": sizes,
            "accepting": accepting.mean(axis=0),
            "lower": lower,
            "upper": upper,
            "p_enough": p_enough,
            "passes": passes,
        }
    )


def _columns(
    learning_curve: Any,  # noqa: ANN401 - any frame
    yours: Mapping[str, str],
) -> dict[str, FloatArray]:
    names = ("size", *_RATES, *_COUNTS)
    unknown = next((name for name in yours if name not in names), None)
    if unknown is not None:
        raise UnknownNameError(where=f"{_WHERE}, columns", name=unknown, names=names)
    source = {name: yours.get(name, name) for name in names}
    present = set(frame_column_names(learning_curve))
    wanted = _COUNTS if {source[name] for name in _COUNTS} <= present else _RATES
    found = frame_columns(
        learning_curve,
        [source[name] for name in ("size", *wanted)],
        where=_WHERE,
        ours={column: name for name, column in yours.items()},
    )
    columns = {}
    for name in ("size", *wanted):
        where = f"{_WHERE}, column {source[name]!r}"
        columns[name] = as_numbers(found[source[name]], where=where)
        _check_range(columns[name], 1.0 if name in _RATES else np.inf, where)
    order = np.argsort(columns["size"], kind="stable")
    return {name: values[order] for name, values in columns.items()}


def _check_range(values: FloatArray, highest: float, where: str) -> None:
    wrong = ~((values >= 0) & (values <= highest))
    if values.size == 0 or np.any(wrong):
        raise InputError(
            where=where,
            found=f"{int(wrong.sum())} of {values.size} values out of range"
            + (f", such as {values[wrong][0]:g}" if wrong.any() else ""),
            needed="rates from 0 to 1, counts and sizes of at least 0, one row or more",
            cure="Write 85 % as 0.85." if highest == 1.0 else "Check the learning curve.",
        )


def _with_sampling(
    draws: AcceptanceDraws, columns: dict[str, FloatArray], generator: np.random.Generator
) -> FloatArray:
    shares = []
    for row in zip(*(columns[name] for name in _COUNTS), strict=True):
        # True negatives bear on neither precision nor recall.
        tables = resampled(Counts.of_cells(*row, 0.0), len(draws), generator)
        shares.append(draws.shares_at_mean(draws.paired_means(tables.precision, tables.recall)))
    return np.column_stack(shares)
