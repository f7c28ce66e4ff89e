"""One product from asking to shipping, with synthetic people: ask, learn, score, decide.

In: a folder and a seed. Out: `Demo`: findings by chapter (what people accept of a smart alarm, and
the threshold that follows; its product owner's own metric; three versions of its urgency model on
repeated ratings; the lights it sets, where several answers are fine; whether to ship), the report,
the commands to go on with. Absent: servers, accounts, real people.
"""

import csv
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from howgood import ask, decide, learn, score
from howgood.flow.ranking import FeedbackColumns, RankedFile, picture, rank_file
from howgood.flow.relevance import RelevanceQuestion, RelevanceStudy, score_file
from howgood.learn import AcceptabilityFit
from howgood.learn.elicitation.family_registry import family_label
from howgood.records.decision import ThresholdChoice
from howgood.records.elicitation import ElicitationResult
from howgood.records.estimate import Estimate
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.show import page
from howgood.show.acceptability import (
    accepting_text,
    curves,
    fit_headlines,
    observed_shares,
    picture_section,
)
from howgood.show.decisions import gate_findings
from howgood.show.figures import acceptability as acceptance_pictures
from howgood.show.figures import decisions as decision_pictures
from howgood.show.figures import relevance as pictures
from howgood.show.figures.theme import to_svg
from howgood.show.numbers import percent, plain, share_text, with_interval
from howgood.show.other_people import shown_alpha
from howgood.show.ranking import findings as ranking_findings
from howgood.show.ranking import readable_table
from howgood.show.relevance import context_sentence, scores_table
from howgood.show.relevance import findings as relevance_findings
from howgood.stats.arrays import FloatArray
from howgood.writing import replacing, write_text

APPLICATION = "smart alarm"
N_PEOPLE, N_SCENARIOS = 25, 8
# Synthetic respondents who mind a missed burglary more than a false alarm.
RESPONDENTS = {APPLICATION: {"alpha": 0.25, "intercept": -10.0, "slope": 14.0, "p": 0}}
TRUE_WEIGHT, SLIPS = 0.2, 0.1
# How far each version's predictions of urgency spread around people's mean ratings.
SPREADS = {"version_a": 0.60, "version_b": 0.61, "version_c": 0.90}
WANTED = 0.6  # of people have to accept the alarm before it ships
CONTEXT = ("activity", "area", "company", "time", "daylight")
METHODS = (
    "Everything here is synthetic: people, ratings, choices and the classifier's data were drawn "
    "with known parameters, so that each answer can be compared with what is true. Acceptability "
    "is the mixed model of Kay, Patel and Kientz (2015); the metric was elicited with the family "
    "mixture that extends Ali et al. (2022); the ranking is paired, after Jasberg and Sizov "
    "(2018); relevance is the score of Gopalakrishna et al. (2013)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Findings and sections of one part, and the command that repeats it on the saved data."""

    title: str
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    command: str


def save_table(table: Table, path: Path) -> None:
    """Write a table as CSV, so that the reader can go on with the same data."""
    with replacing(path) as file, TextIOWrapper(file, newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(table.columns)
        writer.writerows(row.values() for row in table.rows())


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifier:
    """A fitted classifier's held-out truth and scores."""

    truth: NDArray[np.int64]
    scores: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What was learned of people, the classifier's thresholds, and who accepts it at people's."""

    fit: AcceptabilityFit
    classifier: Classifier
    for_people: float
    for_f1: float
    accepting: Estimate


def run_alarm(folder: Path, *, seed: int) -> tuple[Chapter, Tuned]:
    """Ask, fit, tune; return the chapter, and what the next ones go on with."""
    answers = ask.simulate_answers(
        RESPONDENTS, people=N_PEOPLE, per_person=N_SCENARIOS, random_state=seed
    )
    save_table(answers, folder / "answers.csv")
    fit = learn.fit_acceptability(answers, random_state=seed)
    classifier = _trained_classifier(seed)
    save_table(Table({"y": classifier.truth, "s": classifier.scores}), folder / "scores.csv")
    choice = decide.threshold(
        fit, classifier.truth, classifier.scores, application=APPLICATION, random_state=seed
    )
    by_f1 = _threshold_for_f1(classifier)
    before, after = (_acceptance(fit, classifier, at, seed) for at in (by_f1, choice.chosen))
    chapter = Chapter(
        title="Ask 25 people, and tune the alarm to what they value",
        findings=_findings(fit, choice, by_f1, before, after),
        sections=_sections(fit, choice, classifier, by_f1, before, after),
        command=f"howgood fit {folder / 'answers.csv'} --seed {seed} --out fit.html",
    )
    tuned = Tuned(
        fit=fit,
        classifier=classifier,
        for_people=choice.chosen,
        for_f1=by_f1,
        accepting=after,
    )
    return chapter, tuned


def _trained_classifier(seed: int) -> Classifier:
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    features, truth = make_classification(
        4000, 12, n_informative=6, weights=[0.75], class_sep=1.1, flip_y=0.03, random_state=seed
    )
    train, test, train_truth, test_truth = train_test_split(
        features, truth, test_size=0.5, random_state=seed, stratify=truth
    )
    model = LogisticRegression(max_iter=500).fit(train, train_truth)
    return Classifier(truth=test_truth, scores=model.predict_proba(test)[:, 1])


def _threshold_for_f1(classifier: Classifier) -> float:
    """Return the threshold with the highest F1: what teams do today."""
    from sklearn.metrics import precision_recall_curve

    precision, recall, thresholds = precision_recall_curve(classifier.truth, classifier.scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return float(thresholds[int(np.argmax(f1[:-1]))])


def _acceptance(
    fit: AcceptabilityFit, classifier: Classifier, threshold: float, seed: int
) -> Estimate:
    flagged = (classifier.scores >= threshold).astype(np.int64)
    return decide.acceptance(
        fit, classifier.truth, flagged, application=APPLICATION, random_state=seed
    )


def _findings(
    fit: AcceptabilityFit,
    choice: ThresholdChoice,
    by_f1: float,
    before: Estimate,
    after: Estimate,
) -> tuple[Finding, ...]:
    alpha = shown_alpha(fit, APPLICATION)
    return (
        Finding(
            text=(
                f"People weigh precision with alpha = {with_interval(alpha)}: below one half, a "
                "missed burglary weighs more than a false alarm."
            )
        ),
        Finding(
            text=(
                f"Tuned to people (threshold {plain(choice.chosen, digits=2)}), "
                f"{share_text(after)} of them would accept the alarm; tuned to F1 (threshold "
                f"{plain(by_f1, digits=2)}), {share_text(before)}."
            ),
            tone="good" if after.mean > before.mean else "neutral",
        ),
    )


def _sections(
    fit: AcceptabilityFit,
    choice: ThresholdChoice,
    classifier: Classifier,
    by_f1: float,
    before: Estimate,
    after: Estimate,
) -> tuple[Section, ...]:
    precision, recall = choice.precision.mean, choice.recall.mean
    return (
        picture_section(
            "How acceptance rises with accuracy",
            "Share accepting against the weighted mean of precision and recall: dots are answers, "
            "the curve is the fit with its 95 % band.",
            acceptance_pictures.acceptance_figure(curves(fit), observed_shares(fit)),
            text=f"{N_PEOPLE} synthetic people judged {N_SCENARIOS} accuracy scenarios each.",
        ),
        picture_section(
            "Where this classifier can go",
            "Lines of equal acceptance over precision and recall, the classifier's curve, and the "
            "chosen point.",
            decision_pictures.map_figure(
                fit.acceptance_draws(APPLICATION),
                curve=choice.curve,
                chosen=(precision, recall),
                acceptance=after,
            ),
        ),
        Section(
            title="Two thresholds for one classifier",
            table=Table(
                {
                    "tuned to": ["F1", "people"],
                    "threshold": [by_f1, choice.chosen],
                    "precision": [_precision(classifier, at) for at in (by_f1, choice.chosen)],
                    "recall": [_recall(classifier, at) for at in (by_f1, choice.chosen)],
                    "share accepting": [share_text(before), share_text(after)],
                }
            ),
        ),
    )


def _precision(classifier: Classifier, threshold: float) -> float:
    return float(np.mean(classifier.truth[classifier.scores >= threshold] == 1))


def _recall(classifier: Classifier, threshold: float) -> float:
    return float(np.mean(classifier.scores[classifier.truth == 1] >= threshold))


def run_stakeholder(
    folder: Path, truth: NDArray[np.int64], scores: FloatArray, *, seed: int
) -> Chapter:
    """Interview the product owner about the alarm of the chapter before."""
    matrices = learn.threshold_matrices(truth, scores, out_of="auto")
    respondent = ask.simulate_respondent(
        score.LinearMetric(a0=TRUE_WEIGHT), flips=SLIPS, random_state=seed
    )
    result = learn.ask_oracle(learn.Elicitor(matrices, random_state=seed), respondent)
    families = Table(
        {
            "kind of metric": [family_label(name) for name in result.families],
            "probability": [percent(share) for share in result.families.values()],
        }
    )
    return Chapter(
        title="Check it against the product owner's own choices",
        findings=(Finding(text=_sentence(result)),),
        sections=(
            Section(
                title="What kind of metric the choices imply",
                text=(
                    f"The synthetic owner's true weight is {TRUE_WEIGHT}, and one answer in "
                    "ten is a slip."
                ),
                table=families,
            ),
        ),
        command=f"howgood elicit {folder / 'scores.csv'} --truth y --score s",
    )


def _sentence(result: ElicitationResult) -> str:
    weight = result.a0
    if weight is None or result.metric is None:
        return f"After {result.queries} choices no metric is named: {result.why_no_metric}."
    ratio = (1 - weight.mean) / weight.mean
    return (
        f"After {result.queries} choices: to the product owner a missed burglary costs about "
        f"{ratio:.0f} false alarms (weight of correct rejections {with_interval(weight)})."
    )


def run_versions(folder: Path, *, seed: int) -> Chapter:
    """Simulate households who rate how urgent alerts are, and rank versions that predict it."""
    path = folder / "ratings.csv"
    save_table(_rated_and_predicted(seed), path)
    ranked = rank_file(
        path,
        feedback=FeedbackColumns(repeated=True, trial="trial"),
        systems={name: name for name in SPREADS},
    )
    systems = " ".join(f"--system {name}" for name in SPREADS)
    return Chapter(
        title="Choose a version: which one knows what is urgent?",
        findings=ranking_findings(ranked.ranking),
        sections=(_ranking_section(ranked),),
        command=f"howgood rank {path} --repeated {systems}",
    )


def _rated_and_predicted(seed: int) -> Table:
    ratings = ask.simulate_ratings(users=150, items=8, random_state=seed)
    consistency = learn.rating_uncertainty(ratings)
    generator = np.random.default_rng(seed)
    pair = {
        key: place
        for place, key in enumerate(zip(consistency["user"], consistency["item"], strict=True))
    }
    rows = [pair[key] for key in zip(ratings["user"], ratings["item"], strict=True)]
    predictions = {
        name: (consistency["mean"] + generator.normal(0.0, spread, len(pair)))[rows]
        for name, spread in SPREADS.items()
    }
    return Table({**ratings, **predictions})


def _ranking_section(ranked: RankedFile) -> Section:
    with picture(ranked) as figure:
        svg = to_svg(figure, title="Score distributions and rank probabilities")
    return Section(
        title="Scores and places",
        text="150 synthetic households rated five times how urgent 8 kinds of alert are; a third "
        "of them never waver. Three versions of the alarm predict these ratings.",
        svg=svg,
        alt="The distribution of each version's score, and the probability of each rank.",
        table=readable_table(ranked.ranking),
    )


def run_lighting(folder: Path, *, seed: int) -> Chapter:
    """Train a tree on simulated choices, and grade it."""
    path = folder / "lighting.csv"
    save_table(_predicted(seed), path)
    question = RelevanceQuestion(outcome="light", predicted={"tree": "tree"}, context=CONTEXT)
    study = score_file(path, question, seed=seed)
    return Chapter(
        title="Grade the lights it sets, where several answers are fine",
        findings=tuple(Finding(text=text) for text in relevance_findings(study.reports, None)),
        sections=(_relevance_section(study),),
        command=(
            f"howgood relevance {path} --outcome light --predicted tree "
            f"--context {','.join(CONTEXT)} --seed {seed}"
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


def _relevance_section(study: RelevanceStudy) -> Section:
    with pictures.scores_figure(study.reports) as figure:
        svg = to_svg(figure, title="Relevance Score and accuracy")
    return Section(
        title="Relevance and accuracy",
        text=context_sentence(study.reports),
        svg=svg,
        alt="Dot: Relevance Score and interval; diamond: accuracy; bars: baselines.",
        table=scores_table(study.reports),
    )


def run_gate(folder: Path, tuned: Tuned, *, seed: int) -> Chapter:
    """Ask whether enough people would accept the alarm at either threshold."""
    truth, scores = tuned.classifier.truth, tuned.classifier.scores
    flagged = {
        name: (scores >= at).astype(np.int64)
        for name, at in (("people", tuned.for_people), ("F1", tuned.for_f1))
    }
    save_table(Table({"y": truth, **flagged}), folder / "predictions.csv")
    gates = {
        name: decide.gate(tuned.fit, APPLICATION, truth, given, share=WANTED, random_state=seed)
        for name, given in flagged.items()
    }
    rows = Table(
        {
            "tuned to": list(gates),
            "verdict": [gate.verdict for gate in gates.values()],
            "people accepting": [share_text(gate.acceptance) for gate in gates.values()],
            f"P(at least {percent(WANTED)} accept)": [
                percent(gate.p_enough) for gate in gates.values()
            ],
        }
    )
    return Chapter(
        title="Ship it, or not",
        findings=gate_findings(gates["people"])[:1],
        sections=(
            Section(
                title="The gate",
                text=f"At least {percent(WANTED)} of people should accept it, with 95 % certainty. "
                "Where the evidence does not say, the verdict is to investigate.",
                table=rows,
            ),
        ),
        command=f"howgood gate {folder / 'answers.csv'} {folder / 'predictions.csv'} --truth y "
        f"--predicted people --share {WANTED} --seed {seed}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What the demo found and where its report is."""

    chapters: tuple[Chapter, ...]
    report: Report
    path: Path


def run_demo(folder: Path, *, seed: int = 85, progress: Progress = silent) -> Demo:
    """Run the whole story and write `report.html` next to its data."""
    folder.mkdir(parents=True, exist_ok=True)
    progress(0.05, "asking 25 people about a smart alarm")
    first, tuned = run_alarm(folder, seed=seed)
    progress(0.45, "interviewing the product owner")
    classifier = tuned.classifier
    second = run_stakeholder(folder, classifier.truth, classifier.scores, seed=seed)
    progress(0.6, "ranking three versions")
    third = run_versions(folder, seed=seed)
    progress(0.8, "grading the lights")
    fourth = run_lighting(folder, seed=seed)
    progress(0.9, "deciding whether to ship")
    chapters = (first, second, third, fourth, run_gate(folder, tuned, seed=seed))
    report = _report(chapters, tuned, seed)
    path = write_text(folder / "report.html", page.to_html(report))
    progress(1.0, "done")
    return Demo(chapters=chapters, report=report, path=path)


def _report(chapters: tuple[Chapter, ...], tuned: Tuned, seed: int) -> Report:
    return Report(
        title="A smart alarm, from asking to shipping",
        question="Is the alarm good enough for the people who live with it, and what should ship?",
        findings=tuple(finding for chapter in chapters for finding in chapter.findings),
        headlines=_headlines(tuned),
        sections=tuple(
            section
            for number, chapter in enumerate(chapters, start=1)
            for section in _chapter_sections(number, chapter)
        ),
        methods=METHODS,
        provenance=Provenance(method="demo with synthetic people", seed=seed),
        cautions=("Nothing here says anything about real people: the demo made its own.",),
    )


def _headlines(tuned: Tuned) -> tuple[Headline, ...]:
    """Return the fit's headline at the tuned threshold, with the test set's uncertainty too."""
    precision = _precision(tuned.classifier, tuned.for_people)
    recall = _recall(tuned.classifier, tuned.for_people)
    share, ends = tuned.accepting, tuned.accepting.interval
    return tuple(
        replace(
            headline,
            text=accepting_text(share, precision, recall),
            share=(ends.lower, share.mean, ends.upper),
        )
        for headline in fit_headlines(tuned.fit, precision=precision, recall=recall)
    )


def _chapter_sections(number: int, chapter: Chapter) -> tuple[Section, ...]:
    """Return a chapter: its title over what was found, then its pictures and tables."""
    said = "\n\n".join(finding.text for finding in chapter.findings)
    return (Section(title=f"{number}. {chapter.title}", text=said), *chapter.sections)
