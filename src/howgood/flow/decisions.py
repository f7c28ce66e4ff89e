"""Use cases of deciding: from files of labels, scores and learning curves.

In: what is known about people, paths and settings. Out: decisions. Absent: printing, exit codes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from howgood import ask, decide
from howgood.ask.row_numbers import rows_as_in
from howgood.decide.watching import Period
from howgood.errors import InputError, OneAgainstRestWarning, announce
from howgood.flow.files import naming
from howgood.records.acceptance import AcceptanceModel
from howgood.records.criteria import CriteriaResult
from howgood.records.decision import (
    ApplicationChoice,
    Gate,
    GoLive,
    MetricGate,
    OneThreshold,
    StudySize,
    Target,
    ThresholdChoice,
    TradeOff,
)
from howgood.records.elicitation import ElicitationResult, WeightsResult
from howgood.records.levels import missing_values
from howgood.records.missing import complete_rows
from howgood.records.outcomes_by_class import FairMetric
from howgood.records.pinball import QuantileResult
from howgood.records.progress import Progress, silent
from howgood.records.table import Table, as_numbers, frame_column_names, frame_columns
from howgood.records.watch import IN_USE, AcceptanceWatch

Elicited: TypeAlias = ElicitationResult | WeightsResult | QuantileResult | CriteriaResult
Labels: TypeAlias = tuple[NDArray[np.int_], NDArray[np.int_]]

# An alarm that sends a text message and one that calls the police: the alphas published by
# Kay et al. (2015); intercepts and slopes, which they do not print, as fits of their answers give.
IMAGINED: dict[str, dict[str, float]] = {
    "text message": {"alpha": 0.36, "intercept": -13.0, "slope": 16.0, "p": 0.0},
    "police": {"alpha": 0.53, "intercept": -17.0, "slope": 20.0, "p": 0.0},
}


def decide_threshold(
    objective: Any,  # noqa: ANN401 - a metric, or a model
    scores: Path,
    *,
    truth: str,
    score: str,
    positive: str = "1",
    missing: str = "error",
    application: str | None = None,
    random_state: int | None = None,
) -> ThresholdChoice:
    """Choose a threshold from a file of true labels and scores."""
    labels, values, dropped = _scored(scores, truth, score, positive, missing)
    choice = decide.threshold(
        objective, labels, values, application=application, random_state=random_state
    )
    return replace(choice, provenance=replace(choice.provenance, rows_dropped=dropped))


def compare_thresholds(
    model: object,
    scores: Path,
    *,
    truth: str,
    score: str,
    positive: str = "1",
    missing: str = "error",
    application: str | None = None,
    random_state: int | None = None,
) -> OneThreshold:
    """Compare one threshold for all with one per segment, from a file of labels and scores."""
    labels, values, dropped = _scored(scores, truth, score, positive, missing)
    choice = decide.one_threshold(
        model, labels, values, application=application, random_state=random_state
    )
    return replace(choice, provenance=replace(choice.provenance, rows_dropped=dropped))


def _scored(
    scores: Path, truth: str, score: str, positive: str, missing: str
) -> tuple[NDArray[Any], NDArray[Any], dict[str, int]]:
    """Return labels and scores of a file, and the rows left out."""
    with rows_as_in(scores):
        columns = frame_columns(ask.open_table(scores), [truth, score], where=str(scores))
        columns[score] = as_numbers(columns[score], where=f"{scores}, column {score!r}")
        rows, n_dropped = complete_rows(
            columns, missing=missing, where=str(scores), numbers=[score]
        )
        labels = positives(rows[truth], positive, where=f"{scores}, column {truth!r}")
    return labels, rows[score], {"missing or not finite": n_dropped} if n_dropped else {}


def decide_gate(
    model: AcceptanceModel,
    labels: Labels,
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


def decide_metric_gate(
    elicited: Elicited,
    predictions: Path | None,
    *,
    than: str | None,
    counts: str | None,
    certainty: float,
    truth: str,
    predicted: str,
    positive: str | None,
    margin: float = 0.0,
    group: str | None = None,
    missing: str = "error",
    random_state: int | None = None,
) -> MetricGate:
    """Pass, fail or investigate by an elicited metric; `than` names the other labels."""
    if predictions is None and (than is not None or not isinstance(elicited, ElicitationResult)):
        raise InputError(
            where="--counts",
            found="counts, and no table",
            needed="a table: systems, classes and groups are compared on the same cases",
            cure="Name the table of predictions.",
        )
    columns = [predicted, *([than] if than else [])]
    if predictions is not None:
        real, labels, groups = predictions_for(
            elicited, predictions, truth=truth, systems=columns, positive=positive, group=group,
            missing=missing,
        )  # fmt: skip
    else:
        spelled = positive_of(elicited, positive)
        real, *labels = labels_from(
            None, counts=counts, truth=truth, predicted=predicted, positive=spelled
        )
        groups = None
    return decide.metric_gate(
        elicited,
        real,
        labels[0],
        than=labels[1] if than else None,
        margin=margin,
        pos_label=1,
        groups=groups,
        certainty=certainty,
        random_state=random_state,
    )


def positive_of(elicited: object, positive: str | None) -> str:
    """Return the label named, else the one the interview was about, else 1."""
    return positive if positive is not None else str(getattr(elicited, "positive", 1))


def predictions_for(
    elicited: Elicited,
    path: Path | str,
    *,
    truth: str,
    systems: Sequence[str],
    positive: str | None,
    group: str | None,
    missing: str,
) -> tuple[NDArray[Any], list[NDArray[Any]], NDArray[Any] | None]:
    """Return what is true, what each system predicted, and groups, as an interview needs them.

    Labels (1 and 0) where it was about two errors or groups, classes as they are spelled, numbers
    where it was about too low and too high.
    """
    if isinstance(elicited, CriteriaResult):
        raise InputError(
            where="elicited",
            found="weights of criteria",
            needed="an interview about errors: of two classes, several, groups, or numbers",
            cure="The alternatives are ranked already: result.table(), or the report.",
        )
    is_about_groups = isinstance(elicited, WeightsResult) and isinstance(
        elicited.metric, FairMetric
    )
    if group is not None and not is_about_groups:
        raise InputError(
            where="--group",
            found="an interview that gave gaps between groups no weight",
            needed="a file of howgood elicit --group",
            cure="Leave --group out.",
        )
    if isinstance(elicited, ElicitationResult) or is_about_groups:
        spelled, more = positive_of(elicited, positive), [group] if group else []
        real, *labels, groups = _labels_and_groups(path, truth, systems, spelled, more, missing)
        return real, list(labels), groups
    read = frame_columns(ask.open_table(path), [truth, *systems], where=str(path))
    names = [truth, *systems]
    numbers = names if isinstance(elicited, QuantileResult) else []
    for name in numbers:
        read[name] = as_numbers(read[name], where=f"{path}, column {name!r}")
    with rows_as_in(path):
        columns, _ = complete_rows(read, missing=missing, where=str(path), numbers=numbers)
    return columns[truth], [columns[name] for name in systems], None


def _labels_and_groups(
    path: Path | str,
    truth: str,
    systems: Sequence[str],
    positive: str,
    more: Sequence[str],
    missing: str,
) -> tuple[Any, ...]:
    read = frame_columns(ask.open_table(path), [truth, *systems, *more], where=str(path))
    with rows_as_in(path):
        columns, _ = complete_rows(read, missing=missing, where=str(path))
        labels = [
            positives(
                columns[name], positive, where=f"{path}, column {name!r}", may_be_none=name != truth
            )
            for name in (truth, *systems)
        ]
    return *labels, columns[more[0]] if more else None


def labels_of_systems(
    path: Path | str, *, truth: str, systems: Sequence[str], positive: str, missing: str
) -> tuple[NDArray[np.int_], ...]:
    """Return true labels and those of several systems (1 and 0) on the same rows of a file."""
    *labels, _ = _labels_and_groups(path, truth, systems, positive, (), missing)
    return tuple(labels)


def decide_application(
    model: AcceptanceModel,
    labels: Labels,
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
    columns: Mapping[str, str],
    application: str | None,
    share: float,
    certainty: float,
    random_state: int | None = None,
) -> GoLive:
    """Say from which training size on enough people would accept."""
    curve = ask.open_table(learning_curve)
    with naming({"learning curve": learning_curve, "the table": learning_curve}):
        return decide.go_live(
            model,
            application,
            curve,
            columns=columns,
            share=share,
            certainty=certainty,
            random_state=random_state,
        )


def watch_file(
    answers: str | Path,
    *,
    columns: Mapping[str, str],
    share: float,
    level: float,
    cut: int,
    since: str | None,
    period: str,
) -> AcceptanceWatch:
    """Say whether a system in use is acceptable; of a study's export, by answers in use alone."""
    frame = ask.open_table(answers)
    present = frame_column_names(frame)
    names = {"participant": "participant", "at": "at", "rating": "rating", "accepted": "accepted"}
    if "accepted" not in present and "acceptable" in present:
        names["accepted"] = "acceptable"
    names |= columns
    kept = [name for name in (*names.values(), "part") if name in present]
    table = Table(frame_columns(frame, kept, where="answers"))
    if "part" in table and IN_USE in table["part"].tolist():
        chosen = table["part"] == IN_USE
        table = Table({name: values[chosen] for name, values in table.items()})
    with naming({"answers": answers}):
        return decide.watch(
            table, share=share, level=level, cut=cut, since=since, period=cast(Period, period),
            **names,
        )  # fmt: skip


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


def decide_trade_off(
    model: AcceptanceModel, *, application: str | None, share: float, certainty: float
) -> TradeOff:
    """Return how much accuracy can be given up."""
    return decide.trade_off(model, application, share=share, certainty=certainty)


def decide_study_size(
    applications: Mapping[str, Mapping[str, float]],
    *,
    width: float,
    people: Sequence[int],
    per_person: Sequence[int],
    studies: int,
    alpha_sd: float = 0.0,
    random_state: int | None = None,
    progress: Progress = silent,
) -> StudySize:
    """Simulate studies; without applications, the two alarms of Kay et al. (2015) are imagined."""
    return decide.study_size(
        applications or IMAGINED,
        width=width,
        people=people,
        per_person=per_person,
        studies=studies,
        alpha_sd=alpha_sd,
        random_state=random_state,
        progress=progress,
    )


def labels_from(
    path: Path | None,
    *,
    counts: str | None,
    truth: str,
    predicted: str,
    positive: str,
    missing: str = "error",
) -> Labels:
    """Return true and predicted labels (1 and 0) of a file, or of "TP,FN,FP,TN"."""
    if counts is not None:
        cells = _parsed_counts(counts)
        return np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
    if path is None:
        raise InputError(
            where="labels",
            found="neither a table nor counts",
            needed="a table of predictions, or four counts",
            cure="Name the table, or give --counts TP,FN,FP,TN.",
        )
    one, other = labels_of_systems(
        path, truth=truth, systems=[predicted], positive=positive, missing=missing
    )
    return one, other


def _parsed_counts(counts: str) -> list[int]:
    parts = [part.strip() for part in counts.split(",")]
    if len(parts) != 4 or not all(part.isdecimal() for part in parts):
        raise InputError(
            where="--counts",
            found=repr(counts),
            needed="four whole numbers: TP,FN,FP,TN",
            cure="For instance --counts 85,15,10,890.",
        )
    cells = [int(part) for part in parts]
    if cells[0] + cells[1] == 0:
        raise InputError(
            where="--counts",
            found=f"{counts!r}, without a positive case",
            needed="true positives or false negatives, else recall has no meaning",
            cure="Test on cases that are really positive; the order is TP,FN,FP,TN.",
        )
    return cells


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
    _refuse_missing_labels(values, where)
    spelled = {label.strip().lower()}
    if spelled & {"1", "1.0", "true"}:
        spelled = {"1", "1.0", "true"}
    is_positive = np.array([str(value).strip().lower() in spelled for value in values.tolist()])
    if not may_be_none and not is_positive.any():
        labels = sorted({str(value) for value in values.tolist()[:1000]})
        seen = ", ".join(labels[:6])
        raise InputError(
            where=where,
            found=f"no {label!r}, but {seen}",
            needed="at least one positive case",
            cure="Name the positive label with --positive."
            if len(labels) > 1
            else "Use cases of both labels; with one alone there is nothing to decide.",
        )
    _say_what_counts(values[~is_positive], label, where)
    return is_positive.astype(np.int_)


def _say_what_counts(negatives: NDArray[Any], label: str, where: str) -> None:
    """Warn when several labels count as negative: whoever meant one of them should know."""
    others = sorted({str(value) for value in negatives.tolist()})
    if len(others) > 1:
        shown = ", ".join(map(repr, others[:4])) + (", ..." if len(others) > 4 else "")
        announce(
            f"{where}: {label!r} counts as positive, all of {shown} as negative",
            OneAgainstRestWarning,
        )


def _refuse_missing_labels(values: NDArray[Any], where: str) -> None:
    """Refuse gaps: neither positive nor negative, they would move every rate if counted."""
    is_blank = np.array([str(value).strip() == "" for value in values.tolist()], dtype=bool)
    missing = np.flatnonzero(missing_values(values) | is_blank)
    if missing.size:
        raise InputError(
            where=where,
            found=f"{len(missing)} of {len(values)} labels missing (first: row {missing[0] + 1})",
            needed="a label in every row",
            cure="Fill them in, or leave these rows out.",
        )
