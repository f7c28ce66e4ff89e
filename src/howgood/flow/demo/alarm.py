"""A smart-alarm team: what do people accept, and where should the threshold be?

In: a folder and a seed. Out: `Chapter` with the answers of 25 synthetic people, the fit, and a real
classifier tuned to them instead of to F1. Absent: real people.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from howgood import ask, decide, learn
from howgood.flow.demo.chapter import Chapter, save_table
from howgood.learn import AcceptabilityFit
from howgood.records.decision import ThresholdChoice
from howgood.records.estimate import Estimate
from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.show.acceptability import curves, observed_shares, picture_section, share_text
from howgood.show.figures import acceptability as acceptance_pictures
from howgood.show.figures import decisions as decision_pictures
from howgood.show.numbers import plain, with_interval

APPLICATION = "smart alarm"
N_PEOPLE, N_SCENARIOS = 25, 8
# Synthetic respondents who mind a missed burglary more than a false alarm.
RESPONDENTS = {APPLICATION: {"alpha": 0.25, "intercept": -10.0, "slope": 14.0, "p": 0}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifier:
    """A fitted classifier's held-out truth and scores."""

    truth: NDArray[np.int64]
    scores: NDArray[np.float64]


def run(folder: Path, *, seed: int) -> tuple[Chapter, Classifier]:
    """Ask, fit, tune; return the chapter, and the classifier for the next one."""
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
        title="Ask 25 people, tune the alarm to what they value",
        findings=_findings(fit, choice, by_f1, before, after),
        sections=_sections(fit, choice, classifier, by_f1, before, after),
        command=f"howgood fit {folder / 'answers.csv'} --out fit.html",
    )
    return chapter, classifier


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
    alpha = fit.estimate("alpha", APPLICATION)
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
                fit.acceptance_draws(APPLICATION), curve=choice.curve, chosen=(precision, recall)
            ),
        ),
        Section(
            title="Two thresholds for one classifier",
            table=Table(
                {
                    "tuned to": ["F1", "people"],
                    "threshold": [by_f1, choice.chosen],
                    "recall": [_recall(classifier, at) for at in (by_f1, choice.chosen)],
                    "share accepting": [with_interval(before), with_interval(after)],
                }
            ),
        ),
    )


def _recall(classifier: Classifier, threshold: float) -> float:
    return float(np.mean(classifier.scores[classifier.truth == 1] >= threshold))
