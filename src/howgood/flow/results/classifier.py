"""A classifier judged by the people of a study: acceptance by threshold, and the best one.

In: what a fit taught (a model card, or the group's weight) and an uploaded table. Out:
`StudyResult`. Absent: fitting people; the newest fit of the study is taken.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood import decide
from howgood.errors import InputError, MissingColumnError, UnknownNameError
from howgood.flow.decisions import positives
from howgood.flow.results.uploaded import column, numbers
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.decision import ThresholdChoice
from howgood.records.estimate import Estimate
from howgood.records.progress import Progress
from howgood.records.report import Finding, Section
from howgood.records.result import StudyResult
from howgood.records.table import Table
from howgood.show.decisions import threshold_report
from howgood.show.numbers import percent, plain

_MOST_ROWS = 25


def classifier_result(
    known: StudyResult, table: Table, settings: Mapping[str, Any], *, progress: Progress
) -> StudyResult:
    """Return how people would judge a classifier at each threshold."""
    where = str(settings.get("file", "the file"))
    truth = _labels(table, settings, where)
    scores = numbers(table, settings["score"], where=where)
    judge, draws = _judge(known, str(settings.get("application", "")))
    progress(0.1, "trying thresholds")
    choice = decide.threshold(
        judge, truth, scores, application=None, random_state=int(settings.get("seed", 1))
    )
    progress(0.6, "drawing the pictures")
    report = threshold_report(choice, draws)
    return StudyResult(
        report=replace(
            report,
            title=f"{where}: {report.title[0].lower()}{report.title[1:]}",
            findings=(*report.findings, _basis(known)),
            sections=(*report.sections, _every_threshold(choice)),
        ),
        summary=f"{where}: threshold {plain(choice.chosen)}",
        people=known.people,
        answers=known.answers,
        left_out=known.left_out,
    )


def _labels(table: Table, settings: Mapping[str, Any], where: str) -> NDArray[np.int_]:
    name, positive = str(settings["truth"]), str(settings.get("positive") or "1")
    place = f"{where}, column {name!r}"
    try:
        return positives(column(table, name, where=where), positive, where=place)
    except MissingColumnError:
        raise
    except InputError as error:
        raise InputError(
            where=error.where,
            found=error.found,
            needed=error.needed,
            cure="Choose another column, or name the label that counts as positive in the form.",
        ) from error


def _judge(
    known: StudyResult, application: str
) -> tuple[AcceptanceDraws | Estimate, AcceptanceDraws | None]:
    """Return whom to judge by: the people of one application, or the group's weight of errors."""
    if known.cards:
        cards = {card.application: card for card in known.cards}
        if application not in cards:
            raise UnknownNameError(where="application", name=application, names=cards)
        draws = cards[application].acceptance_draws(application)
        return draws, draws
    if known.weight_draws.size:
        weight = Estimate.from_draws(known.weight_draws, probability=0.9, kind="quantile")
        return weight, None
    raise InputError(
        where="classifier",
        found="a result that knows neither acceptance nor a weight of errors",
        needed="a fit with enough evidence",
        cure="Fit the study first.",
    )


def _basis(known: StudyResult) -> Finding:
    what = "their answers" if known.cards else "their choices, as the group's mean weight of errors"
    return Finding(text=f"This rests on {known.summary} ({what}), and on the uploaded cases.")


def _every_threshold(choice: ThresholdChoice) -> Section:
    """Return what each threshold would bring, thinned to a readable table with the chosen one."""
    curve = choice.curve
    rows = list(curve.rows())
    chosen = int(np.argmin(np.abs(np.asarray(curve["threshold"], dtype=float) - choice.chosen)))
    evenly = np.linspace(0, len(rows) - 1, min(_MOST_ROWS, len(rows))).round().astype(int)
    picked = np.unique([*evenly, chosen])
    shown = [rows[place] for place in picked]
    value = "people accepting" if choice.acceptance is not None else choice.objective
    as_text = _share if choice.acceptance is not None else _number
    return Section(
        title="Every threshold",
        text=f"{len(shown)} of {len(rows)} thresholds tried, with 95 % intervals.",
        table=Table(
            {
                "threshold": [
                    plain(row["threshold"]) + (" (use this)" if place == chosen else "")
                    for place, row in zip(picked, shown, strict=True)
                ],
                "precision": [percent(row["precision"]) for row in shown],
                "recall": [percent(row["recall"]) for row in shown],
                value: [as_text(row) for row in shown],
            }
        ),
    )


def _share(row: Mapping[str, Any]) -> str:
    ends = f"{round(100 * row['lower'])}–{round(100 * row['upper'])}"
    return f"{percent(row['expected'])} [{ends}]"


def _number(row: Mapping[str, Any]) -> str:
    return f"{plain(row['expected'])} [{plain(row['lower'])}, {plain(row['upper'])}]"
