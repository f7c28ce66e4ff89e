"""The demo in the browser: one study of each kind, answered by synthetic people.

In: a folder and a seed. Out: a host with studies, answers and fits that wait for the worker; tables
to upload. Absent: the server (`web`) and real people.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from howgood.flow import hosting
from howgood.flow.demo.chapter import save_table
from howgood.flow.demo.people import add_people
from howgood.flow.results.asking import ask_fit
from howgood.flow.study_files import read_study
from howgood.flow.study_files.new import KINDS, new_study
from howgood.records.progress import Progress, silent
from howgood.records.study import Study
from howgood.records.table import Table

PEOPLE = {"survey": 25, "comparison": 12, "rerating": 12}
_ACTOR = "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoHost:
    """A database that is ready to be looked at, and what may be uploaded to it."""

    host: hosting.Host
    database: str
    studies: tuple[Study, ...]
    uploads: tuple[Path, ...]


def load_demo(
    folder: Path, *, seed: int = 85, now: datetime, progress: Progress = silent
) -> DemoHost:
    """Make a database in the folder with a study of each kind, answered, and a fit queued."""
    database = str(folder / "demo.sqlite")
    host = hosting.open_host(database)
    studies = []
    for place, kind in enumerate(KINDS):
        progress(place / len(KINDS), f"{PEOPLE[kind]} synthetic people answer a {kind}")
        study = read_study(new_study(kind, folder / f"{kind}.toml"))
        hosting.add_study(host, study, folder=folder, now=now)
        add_people(host, study.slug, people=PEOPLE[kind], seed=seed, now=now)
        ask_fit(host, study.slug, {}, actor=_ACTOR, now=now)
        studies.append(study)
    progress(1.0, "done")
    return DemoHost(
        host=host, database=database, studies=tuple(studies), uploads=_tables(folder, studies, seed)
    )


def _tables(folder: Path, studies: list[Study], seed: int) -> tuple[Path, ...]:
    """Write a classifier's scores, and three systems' predictions for the items rated."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(1000) < 0.3).astype(int)
    score = 1 / (1 + np.exp(-generator.normal(2.6 * truth - 1.6)))
    scores, predictions = folder / "scores.csv", folder / "predictions.csv"
    save_table(Table({"y_true": truth, "y_score": score.round(4)}), scores)
    items = [item.key for study in studies if study.rerating for item in study.rerating.items]
    middle = generator.normal(3.0, 0.7, len(items))
    systems = {
        name: (middle + generator.normal(0, spread, len(items))).round(2)
        for name, spread in (("svd", 0.2), ("knn", 0.25), ("popular", 0.9))
    }
    save_table(Table({"item": items, **systems}), predictions)
    return scores, predictions
