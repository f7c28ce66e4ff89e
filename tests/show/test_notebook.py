"""Results in a notebook: small, safe, with a picture, in one piece of well-formed HTML."""

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from howgood import ask, decide, learn, score
from howgood.records.table import Table
from howgood.show.notebook import html_of

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def fit():
    answers = ask.simulate_answers(
        {EVIL: {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}, people=25, random_state=1
    )
    return learn.fit_acceptability(answers, draws=400, random_state=1)


@pytest.fixture(scope="module")
def elicited():
    truth = np.tile([1, 0, 0, 1, 0], 40)
    scores = np.clip(0.55 * truth + np.random.default_rng(1).uniform(0, 0.6, 200), 0, 1)
    learner = learn.Elicitor(
        learn.threshold_matrices(truth, scores), families=("linear",), random_state=1, max_queries=8
    )
    return learn.ask_oracle(learner, _misses_weigh_three_times)


def _misses_weigh_three_times(first, second):
    cost = [3 * each.false_negatives + each.false_positives for each in (first, second)]
    return "same" if cost[0] == cost[1] else "first" if cost[0] < cost[1] else "second"


def _results(fit, elicited):
    truth, predicted = np.repeat([1, 0], 100), np.repeat([1, 0, 1, 0], [90, 10, 15, 85])
    ranking = decide.rank(
        {EVIL: [3.1, 4.2, 2.2], "b": [3.0, 3.0, 3.0]}, mean=[3.0, 4.0, 2.0], sd=[0.5, 0.8, 0.1]
    )
    rows = {"y": list("ababab") * 5, "c": list("xxyyzz") * 5}
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    report = score.relevance_report(
        rows["y"], ["a"] * 30, contexts={"c": rows["c"]}, table=table, random_state=1
    )
    return {
        "fit": fit,
        "elicitation": elicited,
        "ranking": ranking,
        "score": score.rmse([3.0, 4.0], [1.0, 0.5], [3.5, 4.0]),
        "relevance": report,
        "gate": decide.gate(fit, EVIL, truth, predicted, share=0.5, random_state=1),
        "estimate": fit.person_sd,
        "table": Table({EVIL: [EVIL, "b"], "n": [1, 2]}),
    }


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs


@pytest.mark.parametrize(
    "kind",
    ["fit", "elicitation", "ranking", "score", "relevance", "gate", "estimate", "table"],
)
def test_a_result_shows_itself_small_and_safe(fit, elicited, kind):
    shown = _results(fit, elicited)[kind]._repr_html_()
    reader = _Reader()
    reader.feed(shown)
    assert "script" not in reader.tags
    assert not [name for name, value in reader.attributes if name.startswith("on")]
    assert "http" not in shown
    assert len(shown) < 30_000
    ET.fromstring(shown.replace("<details open>", "<details>"))  # noqa: S314 - our own text
    assert ("svg" in reader.tags) == (kind != "table")


def test_a_picture_puts_the_dot_between_its_ends():
    shown = ET.fromstring(html_of(score.rmse([3.0, 4.0], [1.0, 0.5], [3.5, 4.0])))  # noqa: S314 - our own text
    (line,) = [each for each in shown.iter("line") if each.get("stroke-width") == "3"]
    (dot,) = shown.iter("circle")
    assert float(line.get("x1")) < float(dot.get("cx")) < float(line.get("x2"))


def test_what_nobody_described_shows_its_table():
    assert "<details open>" in html_of(Table({"threshold": [0.1, 0.2], "recall": [0.9, 0.8]}))


def test_a_record_within_a_result_is_printed_in_words():
    systems = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.5, 2.0, 3.0, 4.4]}
    ranking = decide.rank(systems, mean=[1.0, 2.0, 3.0, 4.0], sd=[0.5] * 4)
    text = str(ranking.needed("a", "b", error=0.01))
    assert "Requirement(" not in text
    assert "rerating    error now" in text
