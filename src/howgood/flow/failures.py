"""Use cases of failures by kind: fit a file of answers, set the bar, hold a log against it.

In: paths, names and settings. Out: fits, bars, verdicts. Absent: statistics (`learn`, `decide`),
printing (`cli`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from howgood import decide, learn
from howgood.ask.evaluation_logs import read_log
from howgood.ask.intake import MissingPolicy
from howgood.errors import InputError, UnknownNameError
from howgood.learn.failures import FailuresFit
from howgood.records.evaluation_log import EvaluationLog
from howgood.records.failures import FailureGate
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.progress import Progress, silent


def fit_failure_answers(
    answers: str | Path,
    *,
    kinds: Sequence[str],
    out_of: int = 20,
    columns: Mapping[str, str] | None = None,
    application: str | None = None,
    cut: int | None = None,
    scale: int | None = None,
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    random_state: int | None = None,
    progress: Progress = silent,
) -> FailuresFit:
    """Fit a file of answers about failures."""
    if not kinds:
        raise InputError(
            where="kinds of failure",
            found="none named",
            needed="the columns with the counts of each kind",
            cure="Name them: --kind wrong --kind invented.",
        )
    return learn.fit_failures(
        answers,
        kinds=kinds,
        out_of=out_of,
        columns=columns,
        application=application,
        cut=cut,
        scale=scale,
        missing=missing,
        people=people,
        random_state=random_state,
        progress=progress,
    )


def counts_in_log(log: EvaluationLog, metrics: Mapping[str, str]) -> tuple[dict[str, int], int]:
    """Return how many answers of a log failed in each way, and how many there are.

    `metrics` maps a kind of failure to the metric that is 1 where an answer failed so, or, with a
    ! before its name, 0 where it failed. An answer that failed in several ways counts under the
    first one named.
    """
    failed_before = np.zeros(len(log.items), dtype=bool)
    counts: dict[str, int] = {}
    for kind, named in metrics.items():
        name = named.removeprefix("!")
        if name not in log.metrics:
            raise UnknownNameError(where=f"{log.source}, metric", name=name, names=log.metrics)
        values = log.metrics[name]
        _check_verdicts(values, name, log.source)
        failed = (values < 0.5) if named.startswith("!") else (values >= 0.5)
        counts[kind] = int((failed & ~failed_before).sum())
        failed_before |= failed
    return counts, len(log.items)


def _check_verdicts(values: np.ndarray, name: str, source: str) -> None:
    if np.isin(values, (0.0, 1.0)).all():
        return
    wrong = values[~np.isin(values, (0.0, 1.0))][0]
    raise InputError(
        where=f"{source}, metric {name!r}",
        found=f"{wrong:g}" if np.isfinite(wrong) else "an answer without a verdict",
        needed="0 or 1 for every answer: failed in this way, or not",
        cure="Score every answer, as passed or failed.",
    )


def judge_log(
    fit: FailuresFit,
    path: str | Path,
    metrics: Mapping[str, str],
    *,
    share: float,
    certainty: float,
    random_state: int | None = None,
) -> FailureGate:
    """Say whether enough people would accept the system of an evaluation log."""
    known = {kind: kind for kind in fit.kinds} if not metrics else dict(metrics)
    counts, cases = counts_in_log(read_log(path), known)
    return decide.failure_gate(
        fit, counts, cases=cases, share=share, certainty=certainty, random_state=random_state
    )
