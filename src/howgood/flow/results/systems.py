"""Systems ranked on a rerating study's ratings: which places are real?

In: the sample and an uploaded table of predictions (item, perhaps user, one column per
system). Out: `StudyResult`. Absent: the statistics (`decide`) and the pictures (`show`).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from howgood.decide.ranking import rank_sums
from howgood.errors import InputError
from howgood.flow.ranking import RankedFile, ranking_report
from howgood.flow.results.uploaded import column, names_as_text, numbers
from howgood.kinds import kind_of
from howgood.kinds.fit import Sample
from howgood.kinds.study import Study
from howgood.records.inclusion import POLICIES
from howgood.records.progress import Progress
from howgood.records.report import Finding
from howgood.records.result import StudyResult
from howgood.records.table import Table
from howgood.score.sums_of_ratings import rating_sums
from howgood.show.people import people_text
from howgood.show.results import whole_report

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
    named = [str(each) for each in settings.get("systems", [])]
    systems = named or [each for each in table.columns if each not in keys]
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
    """Return the ratings with each system's prediction beside them, and items without one."""
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
