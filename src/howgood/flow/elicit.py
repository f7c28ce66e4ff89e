"""Use cases of metric elicitation: start, resume, replay or simulate an interview.

In: paths and settings. Out: `Interview`, answered as far as somebody answers. Absent: printing,
reading keys (see `cli.elicit`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howgood import ask, learn
from howgood.errors import FileFormatError, InputError
from howgood.flow.decisions import positives
from howgood.flow.json_files import read_json
from howgood.learn.elicitation.elicitor import Elicitor
from howgood.learn.elicitation.families import DEFAULT_FAMILIES, FAMILIES
from howgood.learn.elicitation.matrices import check_finite
from howgood.records.calibration import CalibrationReport
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import Query
from howgood.records.elicited_metric import Choice, ElicitedMetric
from howgood.records.table import as_numbers, frame_columns
from howgood.show.text import to_json
from howgood.writing import write_text

Reply = Literal["first", "second", "same", "undo", "stop"]
Respondent = Callable[[ConfusionMatrix, ConfusionMatrix], Choice]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """An elicitation under way, and how well the scores behind it are calibrated.

    `direct_after` is the respondent's own guess of the ratio once the choices are over; the guess
    before them is a setting of the elicitor, since it shapes the prior.
    """

    elicitor: Elicitor
    calibration: CalibrationReport | None
    direct_after: float | None = None

    @property
    def direct_before(self) -> float | None:
        """The respondent's own guess of the ratio before the choices."""
        ratio: float | None = self.elicitor.settings["direct_ratio"]
        return ratio

    def to_dict(self) -> dict[str, object]:
        """Return the result and the direct answers as plain values, ready for JSON."""
        direct = {"before": self.direct_before, "after": self.direct_after}
        return self.elicitor.result().to_dict() | {"direct": direct}


def start(
    scores: Path,
    *,
    truth: str,
    score: str,
    positive: str = "1",
    families: Sequence[str] = DEFAULT_FAMILIES,
    direct_ratio: float | None = None,
    held_out: int = 0,
    max_queries: int = 25,
    checks: bool = True,
    recalibrate: bool = False,
    random_state: int | None = None,
) -> Interview:
    """Open a table of labels and scores and prepare an interview about its thresholds."""
    columns = frame_columns(ask.open_table(scores), [truth, score], where=str(scores))
    labels = positives(columns[truth], positive, where=f"{scores}, column {truth!r}")
    values = _numbers_of(columns[score], column=score, where=str(scores))
    try:
        if recalibrate:
            values = learn.fit_recalibration(labels, values)(values)
        matrices = learn.threshold_matrices(labels, values, out_of="auto")
    except InputError as error:
        # Whoever passed a file is helped by its name, not by that of a function.
        raise InputError(
            where=f"{scores}, columns {truth!r} and {score!r}",
            found=error.found,
            needed=error.needed,
            cure=error.cure,
        ) from error
    elicitor = Elicitor(
        matrices,
        families=families,
        direct_ratio=direct_ratio,
        held_out=held_out,
        max_queries=max_queries,
        min_queries=min(6, max_queries),
        catch_pairs=6 if checks else 0,
        repeats=2 if checks else 0,
        random_state=random_state,
    )
    report = learn.calibration_report(labels, values, random_state=elicitor.seed)
    return Interview(elicitor=elicitor, calibration=report)


def _numbers_of(values: NDArray[Any], *, column: str, where: str) -> NDArray[np.float64]:
    cure = "Name the column of scores with --score."
    numbers = as_numbers(values, where=f"{where}, column {column!r}", cure=cure)
    check_finite(numbers, column=column, where=where)
    return numbers


def resume(log: Path, *, of: Interview | None = None) -> Interview:
    """Take up an interview from its log; `of` is the interview its scores would start.

    Scores that lead to other systems than the log's are refused: the result would be taken for
    theirs.
    """
    found = read_log(log)
    after = found.get("direct_after")
    elicitor = learn.replay(found)
    if of is not None and tuple(of.elicitor.matrices) != tuple(elicitor.matrices):
        raise InputError(
            where=str(log),
            found="an interview about other systems than these scores lead to",
            needed="the scores, columns and settings the log was begun with",
            cure="Name another --log to begin anew, or leave SCORES out to go on with this one.",
        )
    return Interview(
        elicitor=elicitor,
        calibration=of.calibration if of is not None else None,
        direct_after=float(after) if isinstance(after, float | int) and 0 < after < 1e300 else None,
    )


def expecting(interview: Interview, ratio: float) -> Interview:
    """Return the same interview, not yet begun, with the respondent's own guess as its prior."""
    asked = interview.elicitor
    settings = asked.settings | {"direct_ratio": ratio}
    return replace(
        interview, elicitor=Elicitor(asked.matrices, random_state=asked.seed, **settings)
    )


def hold(
    interview: Interview,
    reply: Callable[[Query], Reply],
    *,
    log: Path | None = None,
    clock: Callable[[], float] | None = time.monotonic,
) -> None:
    """Put question after question to `reply` until all are answered or it says "stop".

    The log is written after every answer, so that nothing is lost when the power goes. It holds
    how long each answer took by `clock` (None: a simulation takes no time); nothing else depends
    on that.
    """
    elicitor = interview.elicitor
    while (query := elicitor.query()) is not None:
        shown = clock() if clock else 0.0
        said = reply(query)
        if said == "stop":
            break
        if said == "undo":
            elicitor.undo()
        else:
            elicitor.answer(said, milliseconds=round(1000 * (clock() - shown)) if clock else None)
        if log is not None:
            write_log(interview, log)
    if log is not None:
        write_log(interview, log)


def write_log(interview: Interview, path: Path) -> None:
    """Write the whole interview as JSON that only its owner can read: somebody's answers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    log = learn.elicitation_log(interview.elicitor) | {"direct_after": interview.direct_after}
    write_text(path, to_json(log), private=True)


def read_log(path: Path) -> dict[str, object]:
    """Return what a log file holds."""
    needed = "a log that howgood elicit wrote"
    found = read_json(path, needed=needed)
    if not isinstance(found, dict):
        raise FileFormatError(
            where=str(path),
            found=f"a JSON {type(found).__name__}",
            needed=needed,
            cure="Check the path.",
        )
    return found


def read_wording(path: Path | None) -> ComparisonWording:
    """Return the words of a JSON file, or general ones."""
    if path is None:
        return ask.GENERIC_WORDING
    return ComparisonWording.from_dict(dict(read_log(path)))


def simulated_respondent(description: str, *, random_state: int | None) -> Respondent:
    """Return the respondent that "a0=.2,noise=.1" describes.

    The parameters of a family's metric (`a0`, `beta`, `cap` and so on) say what they value; `noise`
    is the share of answers the wrong way round, `sensitivity` how sharply they see differences.

    Examples
    --------
    >>> callable(simulated_respondent("beta=2,noise=.1", random_state=1))
    True
    """
    given = _numbers(description)
    flips, sensitivity = given.pop("noise", 0.0), given.pop("sensitivity", None)
    for parameters, metric_class in _simulated_metrics().items():
        if set(parameters) == set(given):
            return ask.simulate_respondent(
                metric_class(**given),
                flips=flips,
                sensitivity=sensitivity,
                random_state=random_state,
            )
    raise _wrong_simulation(description)


def _simulated_metrics() -> dict[tuple[str, ...], type[ElicitedMetric]]:
    """Return the families' metrics by the names of their parameters."""
    classes = [family.metric_class for family in FAMILIES.values()]
    return {tuple(signature(each).parameters): each for each in classes}


def _numbers(description: str) -> dict[str, float]:
    pairs = [part.partition("=") for part in description.split(",")]
    try:
        return {name.strip(): float(value) for name, _, value in pairs}
    except ValueError as error:
        raise _wrong_simulation(description) from error


def _wrong_simulation(description: str) -> InputError:
    return InputError(
        where="--simulate",
        found=repr(description),
        needed="the numbers of one metric ("
        + ", or ".join("=, ".join(names) + "=" for names in _simulated_metrics())
        + "), and perhaps noise= and sensitivity=",
        cure="For instance: --simulate a0=.2,noise=.1",
    )
