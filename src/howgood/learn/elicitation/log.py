"""An interview as plain values: stop, resume, replay, audit.

In: an `Elicitor`, or the log it wrote. Out: the log, or the `Elicitor`. Absent: files.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from howgood.errors import FileFormatError, InputError
from howgood.learn.elicitation.elicitor import Elicitor
from howgood.records.confusion import (
    ConfusionMatrix,
    ThresholdCounts,
    ThresholdMatrices,
    plain_end,
    range_from,
)
from howgood.records.saved import readable_values

FORMAT = "howgood elicitation log"
_VERSION = 1


def elicitation_log(elicitor: Elicitor) -> dict[str, Any]:
    """Return everything needed to continue or repeat an interview, ready for JSON.

    Every question is listed as it was displayed, with sides, thresholds, answer and time, then
    the result so far.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn
    >>> scores = [step / 40 for step in range(40)]
    >>> matrices = learn.threshold_matrices([0, 0, 1, 1] * 10, scores)
    >>> learner = learn.Elicitor(matrices, random_state=1)
    >>> learner.answer("first")
    >>> learn.replay(elicitation_log(learner)).query() == learner.query()
    True
    """
    matrices = elicitor.matrices
    log: dict[str, Any] = {
        "format": FORMAT,
        "version": _VERSION,
        "seed": elicitor.seed,
        "settings": dict(elicitor.settings),
        "matrices": [matrix.to_dict() for matrix in matrices],
    }
    if isinstance(matrices, ThresholdMatrices):
        log["thresholds"] = [[plain_end(end) for end in one_range] for one_range in matrices.ranges]
        log["counts"] = matrices.counts and matrices.counts.to_dict()
        log["out_of"] = matrices.out_of
        log["rows_used"], log["rows_dropped"] = matrices.rows_used, matrices.rows_dropped
    answers = []
    for answered in elicitor.answers:
        entry = answered.to_dict()
        if isinstance(matrices, ThresholdMatrices):
            for side in ("first", "second"):
                reached = matrices.thresholds_of(getattr(answered.query, side))
                entry[f"{side}_thresholds"] = [plain_end(end) for end in reached]
        answers.append(entry)
    return log | {"answers": answers, "result": readable_values(elicitor.result())}


def replay(log: Mapping[str, Any], *, answers: int | None = None) -> Elicitor:
    """Return the interview a log describes, answers taken in, ready to continue.

    Parameters
    ----------
    log : mapping
        What `elicitation_log` returned, perhaps read back from JSON.
    answers : int, optional
        Take in only the first so many answers.

    Notes
    -----
    Stability: stable

    Every question is compared with the one in the log: a log that was edited, or written by a
    version that asks differently, is refused instead of silently misread.

    Examples
    --------
    >>> replay({"format": "something else"})
    Traceback (most recent call last):
        ...
    howgood.errors.FileFormatError: elicitation log: format 'something else', ...
    """
    if log.get("format") != FORMAT or log.get("version") != _VERSION:
        raise FileFormatError(
            where="elicitation log",
            found=f"format {log.get('format')!r}, version {log.get('version')!r}",
            needed=f"{FORMAT!r}, version {_VERSION}",
            cure="Pass a log that howgood elicit wrote.",
        )
    try:
        elicitor = Elicitor(_matrices(log), random_state=int(log["seed"]), **log["settings"])
        entries = list(log["answers"])[:answers]
        for entry in entries:
            _take(elicitor, entry)
    except InputError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise FileFormatError(
            where="elicitation log",
            found=f"a part that cannot be read ({error!s:.200})",
            needed="seed, settings, matrices and answers",
            cure="Pass the log as it was written.",
        ) from error
    return elicitor


def _take(elicitor: Elicitor, entry: Mapping[str, Any]) -> None:
    query = elicitor.query()
    asked = None if query is None else (query.first.to_dict(), query.second.to_dict())
    if asked != (entry["first"], entry["second"]):
        raise FileFormatError(
            where=f"elicitation log, answer {entry.get('number')}",
            found="a question that this seed and these answers do not lead to",
            needed="the log as it was written, by the same version of howgood",
            cure="Start a new interview, or replay with the version that wrote it.",
        )
    elicitor.answer(entry["choice"], milliseconds=entry.get("milliseconds"))


def _matrices(log: Mapping[str, Any]) -> ThresholdMatrices | tuple[ConfusionMatrix, ...]:
    matrices = tuple(ConfusionMatrix.from_dict(matrix) for matrix in log["matrices"])
    if "thresholds" not in log:
        return matrices
    counts = log.get("counts")  # logs of earlier versions have none
    made = ThresholdMatrices(
        matrices=matrices,
        ranges=tuple(range_from(threshold) for threshold in log["thresholds"]),
        out_of=log["out_of"],
        rows_used=log["rows_used"],
        rows_dropped=log["rows_dropped"],
        counts=None if counts is None else ThresholdCounts.from_dict(counts),
    )
    if made.counts is not None and not _belong_together(made, made.counts):
        raise FileFormatError(
            where="elicitation log",
            found="counts that do not lead to the systems shown",
            needed="the log as it was written",
            cure="Start a new interview from the scores.",
        )
    return made


def _belong_together(made: ThresholdMatrices, counts: ThresholdCounts) -> bool:
    """Say whether every threshold of the counts shows the system that the log shows there."""
    uppers = np.array([one_range.upper for one_range in made.ranges])
    places = np.searchsorted(uppers, [one_range.upper for one_range in counts.ranges], side="left")
    return all(
        place < len(made) and made[place] == counts.matrix(index).displayed(out_of=made.out_of)
        for index, place in enumerate(places.tolist())
    )
