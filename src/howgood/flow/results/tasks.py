"""What a job does: gather the people whose answers count, then fit or judge.

In: a host, a study's number, a task and its settings. Out: `StudyResult`: a fit, a classifier
judged by the people of an earlier fit, or systems ranked on a rerating study's ratings. Absent: the
queue (`worker`), the fits (`kinds`) and the web. Who counts is decided by `records.inclusion`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood import decide
from howgood.decide.ranking import rank_sums
from howgood.errors import InputError, MissingColumnError, UnknownNameError
from howgood.flow import in_use
from howgood.flow.collected.rows import participation_of, people, who_counts
from howgood.flow.decisions import positives
from howgood.flow.hosting import Host
from howgood.flow.participate import answers_as_rows
from howgood.flow.ranking import RankedFile, ranking_report
from howgood.flow.registry import cards
from howgood.flow.results.descriptives import described
from howgood.flow.results.uploaded import column, names_as_text, numbers, read_upload
from howgood.kinds import kind_of
from howgood.kinds.fit import Respondent, Sample
from howgood.kinds.study import Study
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.decision import ThresholdChoice
from howgood.records.estimate import Estimate
from howgood.records.inclusion import (
    CHECKS_COLUMN,
    EXCLUDED,
    EXCLUDED_COLUMN,
    FINISHED_COLUMN,
    NO_ANSWERS,
    PILOT,
    PILOT_COLUMN,
    POLICIES,
    columns_read,
    why_left_out,
)
from howgood.records.job import CLASSIFIER, SYSTEMS
from howgood.records.progress import Progress, silent
from howgood.records.report import Finding, Section
from howgood.records.result import StudyResult
from howgood.records.screen import Participation
from howgood.records.table import Table
from howgood.score.sums_of_ratings import rating_sums
from howgood.show.decisions import threshold_headline, threshold_report
from howgood.show.numbers import percent, plain
from howgood.show.people import people_text
from howgood.show.results import whole_report
from howgood.store import answers, imported, jobs, studies, uploads
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow


def run_task(
    host: Host, study: int, task: str, settings: Mapping[str, Any], *, progress: Progress = silent
) -> StudyResult:
    """Do one job and return its result.

    `task` is "fit", "classifier" (an uploaded table judged by the people of an earlier fit) or
    "systems" (an uploaded table of predictions ranked on the study's ratings).
    """
    with host.database.reading() as connection:
        row = studies.find_number(connection, study)
    if row is None:
        raise _gone("a study that is gone")
    if task == CLASSIFIER:
        return classifier_result(
            _earlier(host, study, int(settings["result"])),
            _table(host, study, settings),
            settings,
            progress=progress,
        )
    return _on_answers(host, row, task, settings, progress)


def _on_answers(
    host: Host, row: StudyRow, task: str, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    with host.database.reading() as connection:
        # Counted before they are read: what comes in between makes the result stale, not wrong.
        held = answers.count_of_study(connection, row.number)
        known = imported.numbers_of_study(connection, row.number)
    progress(0.0, "reading the answers")
    study = host.study(row.version)
    sample = gather(host, row, policy=str(settings.get("people", "attentive")))
    said = partial(in_use.use_rows, host, row.slug)
    sample = replace(sample, held=held, cards=cards, in_use=said)
    if task == SYSTEMS:
        table = _table(host, row.number, settings)
        result = systems_result(sample, study, table, settings, progress=progress)
    else:
        result = kind_of(study).result(sample, study, settings, progress)
        report = result.report
        more = described(sample, study) if result.is_enough else ()
        result = replace(result, report=replace(report, sections=(*report.sections, *more)))
    return replace(result, imports=known)


def gather(host: Host, row: StudyRow, *, policy: str) -> Sample:
    """Read every person of a study once and keep those the rule keeps."""
    columns_read(policy)  # refuses a policy that does not exist, even where nobody answered
    left_out: Counter[str] = Counter()
    taken = []
    for person in people(host, row, pilots=True):
        study = host.study(person.version)
        participation = participation_of(person)
        rows = answers_as_rows(study, participation)
        reason = _why_left_out(study, person, participation, policy)
        if reason not in (PILOT, EXCLUDED) and not rows:
            reason = NO_ANSWERS
        if reason is None:
            taken.append(Respondent(study=study, participation=participation, rows=rows))
        else:
            left_out[reason] += 1
    return Sample(people=tuple(taken), left_out=dict(left_out), policy=policy)


def _why_left_out(
    study: Study, person: PersonRow, participation: Participation, policy: str
) -> str | None:
    facts = who_counts(study, person, participation)
    return why_left_out(
        policy,
        is_pilot=bool(facts[PILOT_COLUMN]),
        is_finished=bool(facts[FINISHED_COLUMN]),
        passed_checks=facts[CHECKS_COLUMN],
        is_excluded=bool(facts[EXCLUDED_COLUMN]),
    )


def _earlier(host: Host, study: int, number: int) -> StudyResult:
    with host.database.reading() as connection:
        job, content = jobs.find(connection, number), jobs.result(connection, number)
    if job is None or job.study != study or content is None:
        raise _gone("a fit that is gone")
    return StudyResult.from_dict(content)


def _table(host: Host, study: int, settings: Mapping[str, Any]) -> Table:
    with host.database.reading() as connection:
        upload = uploads.find(connection, study, int(settings["upload"]))
    if upload is None:
        raise _gone("an upload that is gone")
    return read_upload(upload.name, upload.content)


def _gone(found: str) -> InputError:
    return InputError(where="job", found=found, needed="what it was asked about", cure="Ask anew.")


# A classifier judged by the people of a study: acceptance by threshold, and the best one.

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
            sections=(
                _neighbours(choice, truth, scores),
                *report.sections,
                _every_threshold(choice),
            ),
            headlines=(threshold_headline(choice, draws, people=known.people, title=where),),
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
        error.cured_by(
            "Choose another column, or name the label that counts as positive in the form."
        )
        raise


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


_STEP = 0.03  # of recall: a neighbour that differs by less is no choice


def _neighbours(
    choice: ThresholdChoice, truth: NDArray[np.int_], scores: NDArray[np.float64]
) -> Section:
    """Return the chosen threshold next to a stricter and a laxer one, in cases of the test set."""
    rows = list(choice.curve.rows())
    at = int(np.argmin([abs(row["threshold"] - choice.chosen) for row in rows]))
    recall = rows[at]["recall"]
    laxer = [row for row in rows if row["recall"] >= recall + _STEP]
    stricter = [row for row in rows if row["recall"] <= recall - _STEP]
    picked = {
        "laxer": max(laxer, key=lambda row: row["threshold"], default=None),
        "chosen": rows[at],
        "stricter": min(stricter, key=lambda row: row["threshold"], default=None),
    }
    shown = {name: row for name, row in picked.items() if row is not None}
    flagged = [np.asarray(scores) >= row["threshold"] for row in shown.values()]
    value = "people accepting" if choice.acceptance is not None else choice.objective
    as_text = _share if choice.acceptance is not None else _number
    return Section(
        title="The chosen threshold and its neighbours",
        text=f"What each would do with the {len(truth)} uploaded cases, {int(truth.sum())} of them "
        "positive. Intervals that overlap much mean that the choice between neighbours matters "
        "little to people.",
        table=Table(
            {
                "threshold": [f"{plain(row['threshold'])} ({name})" for name, row in shown.items()],
                "misses": [int(np.sum(~flags & (truth == 1))) for flags in flagged],
                "false alarms": [int(np.sum(flags & (truth == 0))) for flags in flagged],
                "precision": [percent(row["precision"]) for row in shown.values()],
                "recall": [percent(row["recall"]) for row in shown.values()],
                value: [as_text(row) for row in shown.values()],
            }
        ),
    )


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
        about="Precision, recall and what people make of them, from strict to lenient.",
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
        is_detail=True,
    )


def _share(row: Mapping[str, Any]) -> str:
    ends = f"{round(100 * row['lower'])}–{round(100 * row['upper'])}"
    return f"{percent(row['expected'])} [{ends}]"


def _number(row: Mapping[str, Any]) -> str:
    return f"{plain(row['expected'])} [{plain(row['lower'])}, {plain(row['upper'])}]"


# Systems ranked on a rerating study's ratings: which places are real?

MOST_SYSTEMS = 50


def systems_result(
    sample: Sample,
    study: Study,
    table: Table,
    settings: Mapping[str, Any],
    *,
    progress: Progress,
) -> StudyResult:
    """Return the ranking of the systems on ratings that people repeated."""
    where = str(settings.get("file", "the file"))
    ratings = kind_of(study).repeated_ratings(sample)
    if not len(ratings):
        raise InputError(
            where="ratings",
            found="no item that somebody rated twice",
            needed="repeated ratings, which show how noisy they are",
            cure="Let people come back for the next round.",
        )
    systems = _systems(table, settings, where)
    progress(0.1, "matching predictions to ratings")
    joined, unused = _with_predictions(ratings, table, settings, systems, where)
    progress(0.3, "ranking")
    sums = rating_sums(dict(joined), predictions=systems)
    ranking = rank_sums(sums, metric="rmse", random_state=int(settings.get("seed", 1)))
    progress(0.6, "drawing the pictures")
    report = ranking_report(RankedFile(ranking=ranking, sums=sums))
    people = len(np.unique(joined["user"]))
    report = whole_report(
        replace(report, findings=(*report.findings, *_unused(unused))),
        title=f"{where}: {report.title[0].lower()}{report.title[1:]}",
        first=(),
        left_out=sample.left_out,
        policy=POLICIES[sample.policy],
    )
    return StudyResult(
        report=report,
        summary=f"{where}: {len(systems)} systems on {people_text(people, len(joined))}",
        people=people,
        answers=sample.held,
        left_out=sample.left_out,
    )


def _systems(table: Table, settings: Mapping[str, Any], where: str) -> list[str]:
    """Return the columns that are systems: those named, else all that are no key."""
    keys = {settings["item"], settings.get("user") or ""}
    named = [str(system) for system in settings.get("systems", [])]
    systems = named or [column for column in table.columns if column not in keys]
    if not 1 <= len(systems) <= MOST_SYSTEMS:
        raise InputError(
            where=where,
            found=f"{len(systems)} columns of systems among {', '.join(table.columns)[:300]}",
            needed=f"1 to {MOST_SYSTEMS}",
            cure="Leave only the item, perhaps the user, and one column per system.",
        )
    return systems


def _with_predictions(
    ratings: Table, table: Table, settings: Mapping[str, Any], systems: list[str], where: str
) -> tuple[Table, list[str]]:
    """Return the ratings with each system's prediction, and items without one."""
    keys = _keys(table, settings, where)
    predicted = {name: numbers(table, name, where=where) for name in systems}
    rows = {key: place for place, key in enumerate(keys)}
    if len(rows) < len(keys):
        raise InputError(
            where=where,
            found=f"{len(keys) - len(rows)} rows for an item (and user) that has one already",
            needed="one row for each",
            cure="Remove the duplicates.",
        )
    has_users = bool(settings.get("user"))
    wanted = [
        (user, item) if has_users else ("", item)
        for user, item in zip(ratings["user"].tolist(), ratings["item"].tolist(), strict=True)
    ]
    known = np.array([key in rows for key in wanted], dtype=bool)
    if not known.any():
        raise InputError(
            where=where,
            found=f"items such as {', '.join(item for _, item in keys[:4])}",
            needed=f"the study's items: {', '.join(sorted(set(ratings['item']))[:6])}",
            cure="Use the items' keys from the study"
            + (", and participants' numbers as in its data." if has_users else "."),
        )
    places = np.array([rows[key] for key in wanted if key in rows], dtype=int)
    unused = sorted(
        {item for (_, item), is_known in zip(wanted, known, strict=True) if not is_known}
    )
    columns = {name: ratings[name][known] for name in ("user", "item", "rating")}
    return Table(columns | {name: predicted[name][places] for name in systems}), unused


def _keys(table: Table, settings: Mapping[str, Any], where: str) -> list[tuple[str, str]]:
    items = names_as_text(column(table, str(settings["item"]), where=where)).tolist()
    user = settings.get("user")
    if not user:
        return [("", item) for item in items]
    return list(
        zip(names_as_text(column(table, str(user), where=where)).tolist(), items, strict=True)
    )


def _unused(items: list[str]) -> list[Finding]:
    if not items:
        return []
    text = (
        f"No prediction was given for all ratings of {', '.join(items[:6])}"
        f"{' and more' if len(items) > 6 else ''}: these ratings were left out for every system."
    )
    return [Finding(text=text, tone="unsure")]
