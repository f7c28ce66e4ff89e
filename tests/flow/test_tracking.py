"""Results in MLflow, with a stand-in that records what it is given."""

import sys
from types import ModuleType

import pytest

from howgood.errors import InputError
from howgood.flow import tracking
from howgood.records import Provenance


class _Result:
    def to_dict(self):
        return {
            "verdict": "pass",
            "p_enough": 0.75,
            "acceptance": {"mean": 0.5, "interval": {"lower": float("-inf"), "upper": 1}},
            "is_sure": True,
            "draws": [1.0, 2.0],
            "provenance": Provenance(method="by hand", seed=3).to_dict(),
        }


@pytest.fixture
def mlflow(monkeypatch):
    module = ModuleType("mlflow")
    module.logged = {}
    for name in ("log_metrics", "set_tags", "log_params"):
        setattr(module, name, lambda values, name=name: module.logged.update({name: values}))
    module.log_dict = lambda values, path: module.logged.update({path: values})
    monkeypatch.setitem(sys.modules, "mlflow", module)
    monkeypatch.setattr(tracking, "find_spec", lambda name: object())
    return module


def test_numbers_are_metrics_words_are_tags_and_provenance_is_parameters(mlflow):
    metrics = tracking.log_to_mlflow(_Result(), name="gate")
    expected = {"gate/p_enough": 0.75, "gate/acceptance/mean": 0.5,
                "gate/acceptance/interval/upper": 1.0}  # fmt: skip
    assert metrics == mlflow.logged["log_metrics"] == expected
    assert mlflow.logged["set_tags"]["gate/verdict"] == "pass"
    assert mlflow.logged["log_params"]["gate/made/seed"] == "3"
    assert mlflow.logged["howgood/gate.json"]["draws"] == [1.0, 2.0]
    assert mlflow.logged["howgood/gate.json"]["provenance"]["method"] == "by hand"


def test_without_mlflow_the_cure_is_named(monkeypatch):
    monkeypatch.setattr(tracking, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install mlflow-skinny"):
        tracking.log_to_mlflow(_Result(), name="gate")
