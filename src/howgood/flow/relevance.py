"""Score the predictions in a file by relevance.

In: a table file of outcomes, predictions and contexts, and which rows feed the probabilities.
Out: `RelevanceStudy`. Absent: printing and drawing (see `cli` and `show`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howgood.ask.files import open_table
from howgood.ask.row_numbers import with_rows_as_in_file
from howgood.errors import InputError, UnknownNameError
from howgood.learn.outcomes import outcome_probabilities
from howgood.learn.random_choices import context_agreement
from howgood.learn.relevance_weights import RelevanceWeights, fit_relevance_weights
from howgood.records.agreement_by_feature import ContextAgreement
from howgood.records.levels import as_column
from howgood.records.missing import complete_rows
from howgood.records.outcomes import OutcomeTable
from howgood.records.table import Table, frame_column_names, frame_columns
from howgood.score.relevance import Unseen
from howgood.score.relevance_reporting import RelevanceReport, relevance_report
from howgood.score.relevance_sweeping import RelevanceSweep, relevance_sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceQuestion:
    """What to score, and how: the columns of the test file and the settings of the score.

    `reference` is "all", "cross-fit", or the path of a file with other rows. `judgements` is a
    file of graded mismatches that replaces `alpha` and `beta`. `randomness` asks which feature of
    the context (dropped ones included) the outcomes depend on.
    """

    outcome: str
    predicted: Mapping[str, str]
    context: Sequence[str]
    drop: Sequence[str] = ()
    reference: str = "all"
    folds: str | None = None
    weights: str | None = None
    groups: str | None = None
    smoothing: float = 0.0
    alpha: float = 2.0
    beta: float = 1.0
    unseen: Unseen = "exclude"
    missing: str = "error"
    judgements: str | None = None
    judged_prediction: str = "predicted"
    grade: str = "grade"
    respondent: str | None = None
    engine: str = "auto"
    randomness: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceStudy:
    """One report per model, their sweep, the table behind them and learned weights, if any."""

    question: RelevanceQuestion
    table: OutcomeTable
    reports: dict[str, RelevanceReport]
    sweep: RelevanceSweep
    learned: RelevanceWeights | None
    agreement: ContextAgreement | None = None


@with_rows_as_in_file
def score_file(path: str | Path, question: RelevanceQuestion, *, seed: int) -> RelevanceStudy:
    """Score every model of a test file; the resamples of the models are paired."""
    test = open_table(path, engine=question.engine)
    columns = _columns(test, question, where=str(path))
    table = _table(columns if question.missing == "drop" else test, question)
    learned = _learned(table, question, seed)
    alpha, beta = (learned.alpha, learned.beta) if learned else (question.alpha, question.beta)
    contexts = table.encode({name: columns[name] for name in table.encoded_columns})
    reports = {
        model: relevance_report(
            columns[question.outcome],
            columns[column],
            contexts=contexts,
            table=table,
            alpha=alpha,
            beta=beta,
            sample_weight=columns[question.weights] if question.weights else None,
            unseen=question.unseen,
            groups=columns[question.groups] if question.groups else None,
            random_state=seed,
        )
        for model, column in question.predicted.items()
    }
    return RelevanceStudy(
        question=question,
        table=table,
        reports=reports,
        sweep=relevance_sweep(reports),
        learned=learned,
        agreement=_agreement(test, question, where=str(path)) if question.randomness else None,
    )


def _agreement(
    test: Any,  # noqa: ANN401 - any supported frame
    question: RelevanceQuestion,
    *,
    where: str,
) -> ContextAgreement:
    features = list(dict.fromkeys([*question.context, *question.drop]))
    wanted = list(dict.fromkeys([*features, question.outcome, *filter(None, [question.groups])]))
    columns = Table(frame_columns(test, wanted, where=where))
    if question.missing == "drop":
        columns = Table(complete_rows(columns, missing="drop", where=where)[0])
    return context_agreement(
        columns, outcome=question.outcome, context=features, groups=question.groups
    )


def _table(test: Any, question: RelevanceQuestion) -> OutcomeTable:  # noqa: ANN401 - a frame
    named = question.reference in ("all", "cross-fit")
    if not named and not Path(question.reference).suffix:
        names = ("all", "cross-fit", "the path of a table file")
        raise UnknownNameError(where="reference", name=question.reference, names=names)
    rows = test if named else _other_rows(question)
    # Other rows need not hold a column that is left out of the context anyway.
    known = {*question.context, *frame_column_names(rows)}
    return outcome_probabilities(
        rows,
        outcome=question.outcome,
        context=question.context,
        drop=[name for name in question.drop if name in known],
        weights=question.weights,
        smoothing=question.smoothing,
        reference=question.reference if named else "train",  # type: ignore[arg-type]  # checked
        folds=question.folds,
    )


def _columns(
    test: Any,  # noqa: ANN401 - any supported frame
    question: RelevanceQuestion,
    *,
    where: str,
) -> Table:
    """Read the test rows first, so that a gap is reported with its file and row."""
    context = [name for name in question.context if name not in question.drop]
    predicted = list(question.predicted.values())
    present = frame_column_names(test)
    for name in question.drop:
        if name not in (*question.context, *present):
            raise UnknownNameError(where="drop", name=name, names=present)
    _refuse_predictions_as_context(context, predicted)
    full = [*context, question.outcome, *predicted]
    optional = [name for name in (question.folds, question.weights, question.groups) if name]
    columns = Table(frame_columns(test, [*full, *optional], where=where))
    if len(columns) == 0:
        raise InputError(
            where=where,
            found="a table without rows",
            needed="at least one row",
            cure="Check how the rows were selected.",
        )
    if question.missing == "drop":
        return Table(complete_rows(columns, missing="drop", where=where)[0])
    for name in full:
        as_column(columns[name], where=f"{where}, column {name!r}")
    return columns


def _other_rows(question: RelevanceQuestion) -> Any:  # noqa: ANN401 - any supported frame
    """Open the reference file; leaving rows out needs them in memory, else its engine counts."""
    rows = open_table(question.reference, engine=question.engine)
    if question.missing != "drop":
        return rows
    context = [name for name in question.context if name not in question.drop]
    wanted = [*context, question.outcome, *([question.weights] if question.weights else [])]
    columns = frame_columns(rows, wanted, where=question.reference)
    return Table(complete_rows(columns, missing="drop", where=question.reference)[0])


def _refuse_predictions_as_context(context: Sequence[str], predicted: Sequence[str]) -> None:
    both = [name for name in predicted if name in context]
    if both:
        raise InputError(
            where="context",
            found=f"the prediction {both[0]!r} among the context columns",
            needed="a context that is known before anything is predicted",
            cure="Leave the prediction out of the context.",
        )


def _learned(
    table: OutcomeTable, question: RelevanceQuestion, seed: int
) -> RelevanceWeights | None:
    if question.judgements is None:
        return None
    return fit_relevance_weights(
        open_table(question.judgements, engine=question.engine),
        table=table,
        predicted=question.judged_prediction,
        grade=question.grade,
        respondent=question.respondent,
        random_state=seed,
    )
