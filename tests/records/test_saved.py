"""Every result and every metric becomes plain values, text and a file, and comes back whole."""

import base64
import inspect
import json
import pkgutil
import zlib
from dataclasses import fields, is_dataclass, replace
from importlib import import_module

import numpy as np
import pytest

from howgood import ask, decide, learn, score
from howgood.errors import FileFormatError, InputError
from howgood.learn.segmented import SegmentedPeople
from howgood.records import Estimate, Interval, Provenance, Reproduction, Table
from howgood.records.saved import Saved, pack, unpack
from howgood.show.text import to_json

STAGES = ("records", "ask", "learn", "score", "decide")
# Public classes that are neither a result nor a metric.
NO_RESULTS = {
    "Bisection", "Elicitor", "FairElicitor", "FractionalElicitor", "MulticlassBisection",
    "MulticlassElicitor", "CriteriaElicitor", "QuantileElicitor",  # searches: their results are
    "AcceptanceModel",  # a protocol
    "Ordering",  # a named tuple: a list in JSON
    "ContextCodes", "ComparisonWording", "Criterion",  # inputs
    "Finding", "Section", "Report", "Check",  # words about results
    "Priors",  # has `to_dict` and `from_dict` of its own
}  # fmt: skip


def _public():
    names = {}
    for stage in STAGES:
        module = import_module(f"howgood.{stage}")
        names |= {name: getattr(module, name) for name in module.__all__}
    return {name: thing for name, thing in names.items() if inspect.isclass(thing)}


def _with_provenance():
    """Return every class that says where it came from: a result, public or not."""
    found = set()
    for stage in STAGES:
        package = import_module(f"howgood.{stage}")
        for info in pkgutil.walk_packages(package.__path__, f"howgood.{stage}."):
            for name, thing in vars(import_module(info.name)).items():
                is_ours = inspect.isclass(thing) and thing.__module__ == info.name
                if is_ours and is_dataclass(thing) and _is_result(thing) and name[0] != "_":
                    found.add(thing)
    return found


def _is_result(kind):
    return "provenance" in {field.name for field in fields(kind)}


RESULTS = {thing for name, thing in _public().items() if name not in NO_RESULTS} | {
    thing for thing in _with_provenance() if thing.__name__ not in NO_RESULTS
}


@pytest.mark.parametrize("kind", sorted(RESULTS, key=lambda kind: kind.__name__))
def test_every_result_and_metric_can_be_saved(kind):
    assert issubclass(kind, Saved), "derive it from Shown, Tabular or Saved, or list it above"


@pytest.fixture(scope="module")
def examples():
    """Return one small example per class, by name."""
    made = [*_metrics(), *_from_scores(), *_from_fits(), *_from_choices(), *_from_judgements()]
    return {type(example).__name__: example for example in made}


def _metrics():
    return [
        score.PowerMean(p=0, alpha=0.35),
        score.LinearMetric(a0=0.2),
        score.FBetaMetric(beta=2.0),
        score.CappedMetric(cap=0.1),
        score.AlarmCapMetric(alarms=0.2),
        score.LimitsMetric(misses=0.1, alarms=0.2),
        score.PowerCostMetric(a0=0.3, power=0.5),
        score.MonotoneMetric(
            misses=(0.0, 0.5), miss_costs=(0.0, 2.0), alarms=(0.0, 0.5), alarm_costs=(0.0, 1.0)
        ),
        learn.ConfusionMatrix(
            true_positives=8, false_negatives=2, false_positives=5, true_negatives=85
        ),
        Interval(lower=0.1, upper=0.4, probability=0.95, kind="quantile"),
        Provenance(method="by hand", settings={"means": [-1, 0]}, seed=3, rows_dropped={"gap": 1}),
    ]


def _from_scores():
    mean, sd = np.array([3.0, 4.0, 2.0]), np.array([0.5, 0.8, 0.1])
    predictions = {"a": [3.1, 4.2, 2.2], "b": [3.0, 3.0, 3.0]}
    ranking = decide.rank(predictions, mean=mean, sd=sd)
    frame = {"mean": mean, "sd": sd} | {name: np.array(p) for name, p in predictions.items()}
    sums = score.squared_error_sums(frame, mean="mean", sd="sd", predictions={"a": "a", "b": "b"})
    absolute = score.absolute_error_sums(frame, mean="mean", sd="sd", predictions=["a", "b"])
    propagated = score.propagate_systems(
        lambda y, p: float(np.abs(y - p).max()),
        mean=mean, sd=sd, predictions=predictions, draws=20, random_state=1,
    )  # fmt: skip
    grades = {
        "item": np.repeat(np.arange(12), 4),
        "system": ["a", "a", "b", "b"] * 12,
        "rater": ["x", "y"] * 24,
        "grade": np.random.default_rng(1).normal(size=48),
    }
    board = decide.rank_grades(grades, item="item", system="system", rater="rater", grade="grade")
    ratings = {"user": [1, 1, 2, 2], "item": [5, 5, 5, 5], "rating": [3, 3, 2, 4]}
    rows = {"room": ["x"] * 10, "light": [*"AAAAABBBCC"]}
    table = learn.outcome_probabilities(rows, outcome="light", context=["room"])
    relevance = score.relevance_sums(
        rows | {"guess": [*"ABABABABAB"]}, outcome="light", predicted="guess", context=["room"]
    )
    homes = {"user": [*"aabbaabb"], "room": [*"xxxxyyyy"], "light": [*"11221122"]}
    agreement = learn.context_agreement(homes, outcome="light", context=["user", "room"])
    report = score.relevance_report(
        [*"ABCAB"], [*"ACABB"], contexts={"room": ["x"] * 5}, table=table, random_state=0
    )
    judged = {"room": ["x"] * 4, "light": [*"BCAC"], "shown": [*"AABB"],
              "grade": [90.0, 85.0, 80.0, 81.0]}  # fmt: skip
    weights = learn.fit_relevance_weights(
        judged, table=table, predicted="shown", grade="grade", random_state=0
    )
    return [
        ranking,
        ranking.needed("a", "b"),
        board.needed("a", "b"),
        sums,
        absolute,
        relevance,
        propagated,
        propagated.scores["a"],
        score.fit_family(np.arange(1.0, 60.0)),
        agreement,
        agreement.features[0],
        decide.rank_sessions(
            {
                "user": [1, 1, 2, 2],
                "item": [1] * 4,
                "trial": [1, 2] * 2,
                "rating": [3, 4, 2, 2],
                "a": [3.0] * 4,
                "b": [2.0] * 4,
            },
            predictions=["a", "b"],
        ),
        score.rmse(mean, sd, predictions["a"]),
        score.categorical_feedback([[0.2, 0.8], [0.5, 0.5]], values=[1, 2]),
        learn.rater_consistency(ratings),
        learn.rating_uncertainty(ratings),
        table,
        report,
        score.relevance_sweep({"model": report}, steps=3),
        score.relevance_scorer(table),
        weights,
    ]


class _TwoSegments:
    """A fit of two segments with the same people."""

    applications = ("alarm",)
    segments = ("cold", "warm")

    def __init__(self, draws):
        self._draws = draws

    def in_segment(self, segment):
        return self._draws

    def acceptance_draws(self, application):
        return self._draws


def _from_fits():
    people = {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}
    answers = ask.simulate_answers(people, people=25, random_state=1)
    fit = learn.fit_acceptability(answers, draws=200, random_state=1)
    ordinal = ask.simulate_ordinal_answers(people=40, random_state=1)
    truth, scores = np.tile([1, 0, 0, 1, 0], 20), np.linspace(0, 1, 100)
    predicted = (scores > 0.5).astype(int)
    curve = {"size": [10, 20], "precision": [0.6, 0.8], "recall": [0.6, 0.85]}
    failing = ask.simulate_failure_answers({"wrong": 0.3, "rude": 1.0}, people=20, random_state=1)
    failures = learn.fit_failures(failing, kinds=("wrong", "rude"), draws=200, random_state=1)
    return [
        fit,
        failures,
        learn.FailurePriors(),
        ask.failure_scenarios(("wrong", "rude"), random_state=1)[0],
        decide.failure_bar(failures, share=0.3),
        decide.failure_gate(failures, {"wrong": 3}, cases=40, random_state=1),
        learn.fit_ordinal(ordinal, means=(0,), draws=200, random_state=1),
        learn.fit_multinomial(answers, means=(0,), draws=200, random_state=1),
        learn.LeftOut(
            predictions=Table(
                {
                    "participant": ["a"],
                    "rating": [4],
                    "predicted": [3.5],
                    "lower": [3],
                    "upper": [5],
                    "baseline": [5.0],
                }
            ),
            mean_absolute_error=0.5,
            baseline=1.0,
            n_respondents=1,
            n_refitted=0,
            provenance=Provenance(method="by hand"),
        ),
        learn.compare_measures(answers, measures=("F", "G"), draws=200, random_state=1),
        fit.other_people(),
        fit.acceptance_draws("alarm"),
        fit.predict(precision=0.8, recall=0.8, application="alarm"),
        decide.gate(fit, "alarm", truth, predicted, random_state=1),
        decide.metric_gate(score.LinearMetric(a0=0.2), truth, predicted),
        decide.target(fit, "alarm"),
        decide.trade_off(fit, "alarm"),
        decide.go_live(fit, "alarm", curve, random_state=1),
        decide.threshold(fit, truth, scores, application="alarm", random_state=1),
        decide.best_application(fit, truth, predicted, random_state=1),
        SegmentedPeople(
            column="participant",
            fits={},
            spread_draws=np.zeros((0, 2)),
            person_spread_draws=np.array([0.2, 0.3]),
            person_order=0.0,
            people=Table({"participant": ["a"], "mean": [0.4], "lower": [0.2], "upper": [0.6]}),
            log_evidence=0.0,
            pooled_log_evidence=-3.0,
            person_diagnostics=fit.diagnostics,
        ),
        decide.one_threshold(
            _TwoSegments(fit.acceptance_draws("alarm")), truth, scores, random_state=1
        ),
        decide.study_size(people, width=0.5, people=(10,), studies=2, random_state=1),
        learn.calibration_report(truth, scores, random_state=1),
    ]


def _from_choices():
    truth, scores = np.tile([1, 0, 0, 1, 0], 40), np.linspace(0.01, 0.99, 200)
    matrices = learn.threshold_matrices(truth, scores)
    person = score.LinearMetric(a0=0.2)
    learner = learn.Elicitor(matrices, families=("linear",), random_state=1, max_queries=8)
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([1, 1, 1], size=500)
    classes = (rng.random((500, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    outcomes = learn.weighted_outcomes(classes, chances, random_state=0)
    several = learn.MulticlassElicitor(outcomes, max_queries=4, random_state=0)
    by_class = learn.MulticlassBisection(classes, chances, tolerance=0.2)
    while by_class.query() is not None:
        by_class.answer("first")
    while several.query() is not None:
        several.answer("first")
    fractional = learn.FractionalElicitor(_curve, tolerance=0.1)
    models = {"model": ["small", "large"], "quality": [70, 90], "price": [1.0, 4.0]}
    criteria = learn.CriteriaElicitor(
        models, criteria={"quality": "max", "price": "min"}, random_state=1
    )
    while (query := criteria.query()) is not None:
        gap = query.first.values["quality"] - query.second.values["quality"]
        criteria.answer("first" if gap > 0 else "second" if gap < 0 else "same")
    return [
        criteria.result(),
        matrices,
        learn.ask_oracle(learn.Bisection(matrices), person.prefers),
        learn.ask_oracle(learner, person.prefers),
        learn.ask_oracle(fractional, score.FBetaMetric(beta=2.0).prefers),
        several.result(),
        learn.ask_oracle(
            learn.QuantileElicitor(scores**2, scores, max_queries=4, random_state=1),
            lambda *_: "first",
        ),
        score.PinballMetric(quantile=0.8),
        learn.stakeholders(
            {
                name: learn.ask_oracle(
                    learn.Elicitor(matrices, families=("linear",), random_state=1, max_queries=8),
                    person.prefers,
                )
                for name in ("ann", "bo")
            }
        ),
        learn.WeightedArgmax(weights=(0.7, 0.3), labels=("ill", "well")),
        learn.GroupThresholds(thresholds={"a": 0.3, "b": 0.6}),
        by_class.result(),
    ]


def _curve(threshold):
    return learn.ConfusionMatrix(
        true_positives=(1 - threshold**2) / 2,
        false_negatives=threshold**2 / 2,
        false_positives=(1 - threshold) ** 2 / 2,
        true_negatives=threshold - threshold**2 / 2,
    )


def _from_judgements():
    labels = {
        "item": [1, 2, 3, 4, 5, 6, 7, 8],
        "rater": ["ann", "bo", "cy", "di"] * 2,
        "label": [1, 1, 0, 1, 0, 1, 1, None],
        "judge": [1, 1, 0, 0, 0, 1, 1, 1],
    }
    report = score.judge(labels)
    base = {"item": list(range(40)), "correct": [0, 1] * 20}
    candidate = {"item": list(range(40)), "correct": [1, 1, 0, 1] * 10}
    decision = decide.ship(base, candidate, metric="correct")
    before = {"item": [1, 2, 3, 4], "judge": [3, 4, 2, 5]}
    after = {"item": [1, 2, 3, 4], "judge": [4, 5, 3, 5]}
    log = ask.EvaluationLog(
        source="run.json", format="table", system="a", items=("1", "2"),
        metrics={"correct": np.array([1.0, np.nan])},
    )  # fmt: skip
    grades = {"item": [1, 1, 2, 2, 3, 3], "rater": ["a", "b"] * 3, "grade": [1, 1, 2, 2, 3, 2]}
    said = {"item": [1, 1, 1, 2, 2, 2], "label": ["a", "a", "b", "b", "b", "b"]}
    rated = {"participant": list("abcdef"), "x": [1, 2, 3, 4, 5, 6], "y": [1, 3, 3, 4, 6, 6],
             "z": [2, 2, 3, 5, 5, 6]}  # fmt: skip
    fallen = {"participant": [str(n) for n in range(120)], "accepted": [n < 60 for n in range(120)],
              "at": [f"2026-{1 + n // 28:02}-{1 + n % 28:02}" for n in range(120)]}  # fmt: skip
    seen = decide.watch(fallen)
    return [
        learn.reliability(rated, items=["x", "y", "z"]),
        seen,
        seen.changes[0],
        learn.rater_agreement(grades),
        score.noise_ceiling("accuracy", said),
        report,
        report.agreement,
        report.plan(width=0.2),
        score.judge_drift(before, after),
        decision,
        decision.comparisons[0],
        log,
        Reproduction(paper="s9", citation="Nobody (2026)", checks=()),
    ]


def _as_json(result):
    return json.dumps(result.to_dict(), sort_keys=True)


KINDS = sorted(kind.__name__ for kind in RESULTS)


@pytest.mark.parametrize("name", KINDS)
def test_a_result_comes_back_from_json_text(examples, name):
    assert name in examples, "add a small example of the new class to this file"
    result = examples[name]
    again = type(result).from_dict(json.loads(_as_json(result)))
    assert type(again) is type(result)
    assert _as_json(again) == _as_json(result)
    assert result.is_plain or pack(again) == pack(result)


@pytest.mark.parametrize("name", KINDS)
def test_a_result_comes_back_from_its_file(examples, name, tmp_path):
    result = examples[name]
    result.save(tmp_path / "result")
    again = type(result).load(tmp_path / "result")
    assert _without_record(again) == _without_record(result)


def _without_record(result):
    """Return the readable values; files of elicited metrics keep nine digits."""
    return json.loads(to_json(result.to_dict()), parse_float=lambda digits: f"{float(digits):.7g}")


@pytest.mark.parametrize("name", KINDS)
def test_print_shows_lines_that_can_be_read(examples, name):
    text = str(examples[name])
    assert text.strip()
    assert "array(" not in text
    assert max(map(len, text.splitlines())) < 600


def test_what_commands_print_has_no_packed_record(examples):
    assert "record" not in json.loads(to_json(examples["Gate"].to_dict()))


def test_a_printed_dict_shows_the_size_of_the_record_not_its_text(examples):
    values = examples["Gate"].to_dict()
    assert len(repr(values)) < 3000 < len(values["record"])


def test_a_part_that_somebody_else_wrote_leaves_the_readable_values(examples):
    class Own(score.LinearMetric):
        pass

    result = replace(examples["ElicitationResult"], metric=Own(a0=0.25))
    values = result.to_dict()
    assert values["metric"] == {"family": "linear", "a0": 0.25}
    assert "record" not in values
    with pytest.raises(InputError, match="no packed record"):
        type(result).from_dict(values)


def test_draws_come_back_paired(examples):
    gate = examples["Gate"]
    again = type(gate).from_dict(gate.to_dict())
    np.testing.assert_array_equal(again.acceptance.draws, gate.acceptance.draws)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, 0.1, float("-inf"), "text", (1, (2,)), [1, [2]], {"a": 1, (0, 1): None},
        np.float32(0.1), np.arange(6).reshape(2, 3), np.array(["a", "bc"]), np.array([1j]),
        np.array([None, "a", 2], dtype=object), Table({"a": [1]}),
    ],
)  # fmt: skip
def test_values_come_back_with_their_types(value):
    again = unpack(pack(value))
    assert type(again) is type(value)
    assert repr(again) == repr(value)


@pytest.mark.parametrize(
    "evil",
    [
        {"class": "cli.main:main", "fields": {}},
        {"class": "records..writing:write_text", "fields": {}},
        {"class": "records.saved:import_module", "values": ["os"]},
        {"class": "records.saved:json", "values": []},
        {"call": "records.saved:unpack", "with": []},
        {"call": "stats.arrays:np", "with": []},
        {"array": "AAAA", "dtype": "|O8", "shape": [1]},
        {"array": "AAAA", "dtype": "<f8", "shape": [1]},
        {"class": "records.estimate:Interval", "fields": {"lower": 2, "upper": 1,
         "probability": 0.9, "kind": "quantile"}},
        {"tuple": 3},
        {},
    ],
)  # fmt: skip
def test_a_forged_record_is_refused_kindly(evil):
    text = base64.b64encode(zlib.compress(json.dumps(evil).encode())).decode()
    with pytest.raises(InputError):
        unpack(text)


@pytest.mark.parametrize("text", [None, 3, "", "no base64!", "AAAA"])
def test_a_damaged_record_is_refused_kindly(text):
    with pytest.raises(InputError):
        Estimate.from_dict({"record": text})


def test_another_class_is_refused_by_name(examples, tmp_path):
    examples["Gate"].save(tmp_path / "gate.json")
    with pytest.raises(FileFormatError, match="a saved Gate; expected a saved Ranking"):
        decide.Ranking.load(tmp_path / "gate.json")
    with pytest.raises(InputError, match="a packed Gate"):
        decide.Ranking.from_dict(examples["Gate"].to_dict())


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "howgood result", "version": 9, "values": {}}']
)
def test_a_file_that_is_no_saved_result_is_refused(text, tmp_path):
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(FileFormatError):
        decide.Ranking.load(tmp_path / "result.json")
