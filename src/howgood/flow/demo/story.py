"""The demo's four chapters, one report.

In: a folder and a seed. Out: `Demo`: findings by chapter, the report, the commands to go on with.
Absent: servers, accounts, real people.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from howgood.flow.demo import alarm, lighting, recommenders, stakeholder
from howgood.flow.demo.chapter import Chapter
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.records.report import Report, Section
from howgood.show import page
from howgood.writing import write_text

METHODS = (
    "Everything here is synthetic: people, ratings, choices and the classifier's data were drawn "
    "with known parameters, so that each answer can be compared with what is true. Acceptability "
    "is the mixed model of Kay, Patel and Kientz (2015); the metric was elicited with the family "
    "mixture that extends Ali et al. (2022); the ranking is paired, after Jasberg and Sizov "
    "(2018); relevance is the score of Gopalakrishna et al. (2013)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What the demo found and where its report is."""

    chapters: tuple[Chapter, ...]
    report: Report
    path: Path


def run_demo(folder: Path, *, seed: int = 85, progress: Progress = silent) -> Demo:
    """Run the whole story and write `report.html` beside its data."""
    folder.mkdir(parents=True, exist_ok=True)
    progress(0.05, "asking 25 people about a smart alarm")
    first, classifier = alarm.run(folder, seed=seed)
    progress(0.45, "interviewing one stakeholder")
    second = stakeholder.run(folder, classifier.truth, classifier.scores, seed=seed)
    progress(0.65, "ranking three recommenders")
    third = recommenders.run(folder, seed=seed)
    progress(0.85, "grading a lighting model")
    chapters = (first, second, third, lighting.run(folder, seed=seed))
    report = _report(chapters, seed)
    path = write_text(folder / "report.html", page.to_html(report))
    progress(1.0, "done")
    return Demo(chapters=chapters, report=report, path=path)


def _report(chapters: tuple[Chapter, ...], seed: int) -> Report:
    return Report(
        title="howgood: a whole study in a minute",
        question="Is it good enough for the people who use it, and which one should we ship?",
        findings=tuple(finding for chapter in chapters for finding in chapter.findings),
        sections=tuple(
            _under(chapter.title, section) for chapter in chapters for section in chapter.sections
        ),
        methods=METHODS,
        provenance=Provenance(method="demo with synthetic people", seed=seed),
        cautions=("Nothing here says anything about real people: the demo made its own.",),
    )


def _under(title: str, section: Section) -> Section:
    return replace(section, title=f"{title}: {section.title[0].lower()}{section.title[1:]}")
