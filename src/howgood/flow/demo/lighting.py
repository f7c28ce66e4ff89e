"""A lighting model where several answers are acceptable: relevance beside accuracy.

In: a folder and a seed. Out: `Chapter`. Absent: real choices of light.
"""

from pathlib import Path

import numpy as np

from howgood import ask
from howgood.flow.demo.chapter import Chapter, save_table
from howgood.flow.relevance import RelevanceQuestion, RelevanceStudy, score_file
from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.show.figures import relevance as pictures
from howgood.show.figures.theme import to_svg
from howgood.show.relevance import context_sentence, findings, scores_table

CONTEXT = ("activity", "area", "company", "time", "daylight")


def run(folder: Path, *, seed: int) -> Chapter:
    """Train a tree on simulated choices, and grade it."""
    path = folder / "lighting.csv"
    save_table(_predicted(seed), path)
    question = RelevanceQuestion(outcome="light", predicted={"tree": "tree"}, context=CONTEXT)
    study = score_file(path, question, seed=seed)
    return Chapter(
        title="Grade a lighting model where several answers are acceptable",
        findings=tuple(Finding(text=text) for text in findings(study.reports, None)),
        sections=(_section(study),),
        command=(
            f"howgood relevance {path} --outcome light --predicted tree "
            f"--context {','.join(CONTEXT)}"
        ),
    )


def _predicted(seed: int) -> Table:
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    choices = ask.simulate_lighting(random_state=seed)
    features = np.column_stack([choices[name] for name in CONTEXT])
    model = make_pipeline(
        OneHotEncoder(handle_unknown="ignore"),
        DecisionTreeClassifier(min_samples_leaf=4, random_state=seed),
    )
    return Table({**choices, "tree": cross_val_predict(model, features, choices["light"], cv=5)})


def _section(study: RelevanceStudy) -> Section:
    with pictures.scores_figure(study.reports) as figure:
        svg = to_svg(figure, title="Relevance Score and accuracy")
    return Section(
        title="Relevance beside accuracy",
        text=context_sentence(study.reports),
        svg=svg,
        alt="Dot: Relevance Score and interval; diamond: accuracy; bars: yardsticks.",
        table=scores_table(study.reports),
    )
