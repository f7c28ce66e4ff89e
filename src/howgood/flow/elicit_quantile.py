"""Use cases of costs of predictions that are too low or too high.

In: arrays or a table, settings. Out: `QuantileElicitor`, asked where people are, and its result.
Absent: asking itself (`elicit_criteria`), printing.
"""

from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from howgood import ask
from howgood.flow.elicit_criteria import UserInterface, asked, resumed
from howgood.flow.files import naming
from howgood.learn.elicitation.quantile import WHERE, QuantileElicitor
from howgood.records.pinball import QuantileResult
from howgood.records.table import frame_columns
from howgood.stats.randomness import RandomState


def elicit_quantile(
    y: ArrayLike,
    prediction: ArrayLike,
    *,
    unit: str = "",
    ui: UserInterface = "browser",
    resume: str | Path | None = None,
    random_state: RandomState = None,
    **settings: Any,  # noqa: ANN401 - the elicitor's
) -> QuantileResult:
    """Ask somebody whether too low or too high is worse, and return the quantile to predict.

    Parameters
    ----------
    y, prediction : arrays
        What happened and what was predicted, of cases the model was not trained on.
    unit : str
        The unit of both: questions are asked in it.
    ui : {"browser", "notebook", "terminal"} or callable
        Where to ask: on a page of this machine, or by typing. A function of two `Alternative` that
        returns "first", "second" or "same" answers by itself.
    resume : path, optional
        Where to keep the interview; begun there before, it goes on.
    random_state : None, int or Generator
        Decides sides, checks and held-out questions.
    **settings
        Go to `QuantileElicitor`: min_queries, max_queries, catch_pairs, held_out.

    Returns
    -------
    QuantileResult
        With `.quantile`, `.ratio`, `.interval`, `.fits`, `.agreement`, `.shift`, `.scorer()` and
        `.save(path)`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> import numpy as np
    >>> sold = np.random.default_rng(1).normal(100, 15, 400)
    >>> def thrifty(one, other):  # a loaf left over is as bad as three missing
    ...     costs = [side.values["too low"] + 3 * side.values["too high"] for side in (one, other)]
    ...     return "first" if costs[0] < costs[1] else "second"
    >>> result = elicit_quantile(
    ...     sold, np.full(400, 100.0), unit="loaves", ui=thrifty, random_state=1
    ... )
    >>> result.fits, 0.25 in result.interval, result.shift.mean < 0
    (True, True, True)
    """
    elicitor = QuantileElicitor(y, prediction, unit=unit, random_state=random_state, **settings)
    log = None if resume is None else Path(resume)
    if log is not None and log.exists():
        elicitor = resumed(log, of=elicitor)
    return asked(elicitor, ui, log).result()


def start(
    path: Path,
    *,
    truth: str,
    predicted: str,
    unit: str,
    random_state: int | None,
    **settings: int,
) -> QuantileElicitor:
    """Open a table of outcomes and predictions and prepare an interview about them."""
    columns = frame_columns(ask.open_table(path), [truth, predicted], where=str(path))
    with naming({WHERE: path}):
        return QuantileElicitor(
            columns[truth], columns[predicted], unit=unit, random_state=random_state, **settings
        )
