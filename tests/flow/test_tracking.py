"""Results in MLflow: the real one, with its own rules for names, writing into a folder."""

import json
import warnings

import numpy as np
import pytest

from howgood import decide, learn, score
from howgood.errors import InputError
from howgood.flow import tracking
from howgood.records import Provenance


class _Result:
    def __init__(self, **more):
        self._more = more

    def to_dict(self):
        return {
            "verdict": "pass",
            "p_enough": 0.75,
            "acceptance": {"mean": 0.5, "interval": {"lower": float("-inf"), "upper": 1}},
            "is_sure": True,
            "draws": [1.0, 2.0],
            "provenance": Provenance(method="by hand", seed=3).to_dict(),
        } | self._more


@pytest.fixture
def mlflow(monkeypatch, tmp_path):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "quiet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of its own packages are not ours to mend
        import mlflow

        mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
        yield mlflow


def logged(mlflow, result, name):
    """Log a result and return what the run then holds: metrics, tags, parameters, the file."""
    with mlflow.start_run() as run:
        said = tracking.log_to_mlflow(result, name=name)
    stored = mlflow.get_run(run.info.run_id)
    file = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="howgood")
    assert stored.data.metrics == pytest.approx(said)
    return stored.data, file


def test_numbers_are_metrics_words_are_tags_and_provenance_is_parameters(mlflow):
    data, folder = logged(mlflow, _Result(), "gate")
    expected = {"gate/p_enough": 0.75, "gate/acceptance/mean": 0.5,
                "gate/acceptance/interval/upper": 1.0}  # fmt: skip
    assert data.metrics == expected
    assert data.tags["gate/verdict"] == "pass"
    assert data.params["gate/made/seed"] == "3"
    with open(f"{folder}/gate.json", encoding="utf-8") as file:
        whole = json.load(file)
    assert whole["draws"] == [1.0, 2.0]
    assert whole["provenance"]["method"] == "by hand"


def _elicited():
    rng = np.random.default_rng(1)
    chance = rng.beta(0.5, 0.9, 1000)
    truth = rng.random(1000) < chance
    return learn.threshold_matrices(truth, chance), truth, chance


def _with_held_out_questions():
    matrices, _, _ = _elicited()
    learner = learn.Elicitor(matrices, random_state=1, held_out=4, direct_ratio=4.0)
    return learn.ask_oracle(learner, score.LinearMetric(a0=0.2).prefers)


def _bisected():
    matrices, _, _ = _elicited()
    return learn.ask_oracle(learn.Bisection(matrices), score.LinearMetric(a0=0.2).prefers)


def _threshold():
    _, truth, chance = _elicited()
    return decide.threshold(score.LinearMetric(a0=0.2), truth, chance, random_state=1)


def _ranking():
    rng = np.random.default_rng(2)
    mean = rng.normal(3, 1, 50)
    predictions = {"a = 1": mean + 0.1, "b/2, (new)": mean + rng.normal(0, 1, 50), "..": mean}
    return decide.rank(predictions, mean=mean, sd=np.full(50, 0.5))


@pytest.mark.parametrize(
    "make",
    [_with_held_out_questions, _bisected, _threshold, _ranking],
    ids=lambda make: make.__name__,
)
def test_every_number_of_a_result_arrives(mlflow, make):
    result = make()
    data, _ = logged(mlflow, result, "found")
    plain = json.loads(tracking.to_json(result.to_dict()))
    plain.pop("provenance", None)
    assert len(data.metrics) == sum(1 for _ in _numbers(plain))


def test_baselines_of_held_out_questions_are_among_the_metrics(mlflow):
    data, _ = logged(mlflow, _with_held_out_questions(), "elicited")
    below = "elicited/agreement/baselines/"
    assert {name.removeprefix(below) for name in data.metrics if name.startswith(below)} == {
        "accuracy", "constant a0_0.141", "direct question",
    }  # fmt: skip


def test_names_that_differ_by_a_refused_sign_alone_both_arrive(mlflow):
    result = _Result(shares={"a=b": 0.25, "a>b": 0.5, "x" * 300: 0.125, "": 1.0})
    data, _ = logged(mlflow, result, "by hand: 1")
    found = {name: value for name, value in data.metrics.items() if "/shares/" in name}
    assert found["by hand_1/shares/a_b"] == 0.25
    assert found["by hand_1/shares/a_b_2"] == 0.5
    assert sorted(found.values()) == [0.125, 0.25, 0.5, 1.0]


def _numbers(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value):
        yield value


def test_without_mlflow_the_cure_is_named(monkeypatch):
    monkeypatch.setattr(tracking, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install mlflow-skinny"):
        tracking.log_to_mlflow(_Result(), name="gate")


def test_a_metrics_file_of_dvc_holds_the_finite_numbers_under_their_names(tmp_path):
    written = tracking.write_dvc_metrics({"gate": _Result()}, tmp_path / "metrics.json")
    assert json.loads((tmp_path / "metrics.json").read_text()) == written
    assert written == {
        "gate": {"p_enough": 0.75, "acceptance": {"mean": 0.5, "interval": {"upper": 1}}}
    }


def test_a_metrics_file_of_dvc_has_no_packed_record(tmp_path):
    systems = {"a": [3.1, 4.2, 2.2], "b": [3.0, 3.0, 3.0]}
    ranking = decide.rank(systems, mean=[3.0, 4.0, 2.0], sd=0.5)
    written = tracking.write_dvc_metrics({"ranking": ranking}, tmp_path / "metrics.json")
    assert written["ranking"]["errors"]["a"]["b"] == ranking.error("a", "b")
    assert "record" not in written["ranking"]
