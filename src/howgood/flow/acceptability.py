"""Use cases of acceptability: fit a file of answers, open what is known, decide from files.

In: paths, names and settings. Out: fits and decisions. Absent: printing, pictures and exit codes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood import ask, decide, learn
from howgood.errors import FileFormatError, InputError
from howgood.flow import registry
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.records.acceptance import AcceptanceModel
from howgood.records.decision import ApplicationChoice, Gate, GoLive, Target, ThresholdChoice
from howgood.records.priors import PRESETS, Priors
from howgood.records.progress import Progress, silent
from howgood.records.table import frame_columns

_ANSWER_FILES = {".csv", ".tsv", ".txt", ".parquet", ".pq"}
_MOST_BYTES = 1_000_000


def fit_answers(
    answers: Path,
    *,
    columns: Mapping[str, str] | None = None,
    priors: str = "howgood",
    cut: int = 5,
    engine: str = "auto",
    random_state: int | None = None,
    progress: Progress = silent,
) -> AcceptabilityFit:
    """Fit the binary model to a file of answers; `priors` is a preset or a file of priors."""
    return learn.fit_acceptability(
        answers,
        columns=columns,
        priors=open_priors(priors),
        cut=cut,
        engine=engine,  # type: ignore[arg-type]  # the fit refuses unknown names kindly
        random_state=random_state,
        progress=progress,
    )


def open_priors(name: str) -> Priors | str:
    """Return the preset of that name, or the priors in a JSON file."""
    if name in PRESETS or not name.endswith(".json"):
        return name
    path = Path(name)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("too large")
        return Priors.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            where=name,
            found=f"no readable priors ({type(error).__name__})",
            needed=f"a file written by `howgood registry prior`, or one of {', '.join(PRESETS)}",
            cure="Check the path.",
        ) from error


def open_model(
    source: str,
    *,
    folder: Path | None = None,
    columns: Mapping[str, str] | None = None,
    random_state: int | None = None,
) -> AcceptanceModel:
    """Open what is known about people: a saved fit, a model card, or a file of answers."""
    suffix = Path(source).suffix.lower()
    if suffix == ".npz":
        return learn.load_fit(source)
    if suffix in _ANSWER_FILES:
        return learn.fit_acceptability(source, columns=columns, random_state=random_state)
    return registry.find_card(source, folder=folder)


def open_fit(source: str) -> AcceptabilityFit:
    """Open a saved fit, or fit a file of answers; a card is refused."""
    model = open_model(source)
    if not isinstance(model, AcceptabilityFit):
        raise InputError(
            where=source,
            found="a model card",
            needed="a saved fit, or answers",
            cure="Write one with `howgood fit ANSWERS --save fit.npz`.",
        )
    return model


def decide_threshold(
    objective: Any,  # noqa: ANN401 - a metric, or a model
    scores: Path,
    *,
    truth: str,
    score: str,
    positive: str = "1",
    application: str | None = None,
    random_state: int | None = None,
) -> ThresholdChoice:
    """Choose a threshold from a file of true labels and scores."""
    columns = frame_columns(ask.open_table(scores), [truth, score], where=str(scores))
    return decide.threshold(
        objective,
        positives(columns[truth], positive, where=f"{scores}, column {truth!r}"),
        columns[score],
        application=application,
        random_state=random_state,
    )


def decide_gate(
    model: AcceptanceModel,
    labels: tuple[NDArray[np.int_], NDArray[np.int_]],
    *,
    application: str | None,
    share: float,
    certainty: float,
    random_state: int | None = None,
) -> Gate:
    """Pass, fail or investigate, from true and predicted labels."""
    return decide.gate(
        model,
        application,
        *labels,
        share=share,
        certainty=certainty,
        random_state=random_state,
    )


def decide_application(
    model: AcceptanceModel,
    labels: tuple[NDArray[np.int_], NDArray[np.int_]],
    *,
    certainty: float,
    random_state: int | None = None,
) -> ApplicationChoice:
    """Say in which application a classifier is best accepted, from its labels."""
    return decide.best_application(model, *labels, certainty=certainty, random_state=random_state)


def decide_go_live(
    model: AcceptanceModel,
    learning_curve: Path,
    *,
    application: str | None,
    share: float,
    certainty: float,
    random_state: int | None = None,
) -> GoLive:
    """Say from which training size on enough people would accept."""
    return decide.go_live(
        model,
        application,
        ask.open_table(learning_curve),
        share=share,
        certainty=certainty,
        random_state=random_state,
    )


def decide_target(
    model: AcceptanceModel,
    *,
    application: str | None,
    share: float,
    precision: float | None,
    recall: float | None,
) -> Target:
    """Return the accuracy to aim for."""
    return decide.target(model, application, share=share, precision=precision, recall=recall)


def read_labels(
    path: Path, *, truth: str, predicted: str, positive: str = "1"
) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return true and predicted labels of a file as 1 (positive) and 0."""
    columns = frame_columns(ask.open_table(path), [truth, predicted], where=str(path))
    return (
        positives(columns[truth], positive, where=f"{path}, column {truth!r}"),
        positives(columns[predicted], positive, where="", may_be_none=True),
    )


def labels_of_counts(counts: tuple[int, int, int, int]) -> tuple[Any, Any]:
    """Return labels with the given true positives, false negatives, false positives, negatives."""
    return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)


def positives(
    values: NDArray[Any], label: str, *, where: str, may_be_none: bool = False
) -> NDArray[np.int_]:
    """Return 1 where a value is the positive label, however the column spells it.

    Examples
    --------
    >>> positives(np.array([1.0, 0.0]), "1", where="y").tolist()
    [1, 0]
    >>> positives(np.array([True, False]), "1", where="y").tolist()
    [1, 0]
    """
    spelled = {label.strip().lower()}
    if spelled & {"1", "1.0", "true"}:
        spelled = {"1", "1.0", "true"}
    found = np.array([str(value).strip().lower() in spelled for value in values.tolist()])
    if not may_be_none and not found.any():
        seen = ", ".join(sorted({str(value) for value in values.tolist()[:1000]})[:6])
        raise InputError(
            where=where,
            found=f"no {label!r}, but {seen}",
            needed="at least one positive case",
            cure="Name the positive label with --positive.",
        )
    return found.astype(np.int_)
