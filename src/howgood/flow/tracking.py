"""Write a result into an experiment tracker people already use: MLflow, DVC.

In: any result with `to_dict()`. Out: in MLflow numbers as metrics, words as tags, provenance as
parameters, everything as a JSON file of the run; for DVC a metrics file with the numbers. Absent: a
dependency; MLflow is imported only here, only when called, and DVC only reads the file.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from howgood.errors import InputError
from howgood.show.text import to_json
from howgood.writing import write_text

# MLflow refuses longer values of parameters and tags, and longer names.
_LONGEST_VALUE, _LONGEST_NAME = 500, 250
# Names are letters, digits and _ . - / and spaces; anything else, with the spaces around it.
_REFUSED = re.compile(r"\s*[^\w.\- ]+\s*")


class Result(Protocol):
    """A result of any stage."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""


def log_to_mlflow(result: Result, *, name: str) -> dict[str, float]:
    """Log a result to the active MLflow run and return the metrics it wrote.

    Nested names are joined by slashes: `gate/acceptance/mean`. Signs that MLflow refuses in names
    become "_": `agreement/baselines/constant a0_0.141`. Numbers that are not finite, and lists,
    are only in the JSON file `howgood/NAME.json`, which has every name as it was.

    Notes
    -----
    Stability: experimental
    """
    if find_spec("mlflow") is None:
        raise InputError(
            where="log_to_mlflow",
            found="no package mlflow",
            needed="mlflow or mlflow-skinny",
            cure="Run: pip install mlflow-skinny.",
        )
    mlflow = import_module("mlflow")
    values: dict[str, Any] = json.loads(to_json(result.to_dict()))
    provenance = values.pop("provenance", {})
    name = "/".join(_allowed(part) for part in name.split("/"))
    leaves = _named(values, name)
    metrics = {key: float(value) for key, value in leaves.items() if _is_number(value)}
    tags = {key: value[:_LONGEST_VALUE] for key, value in leaves.items() if isinstance(value, str)}
    mlflow.log_metrics(metrics)
    mlflow.set_tags(tags)
    mlflow.log_params(
        {
            key: str(value)[:_LONGEST_VALUE]
            for key, value in _named(provenance, f"{name}/made").items()
        }
    )
    mlflow.log_dict(values | {"provenance": provenance}, f"howgood/{name}.json")
    return metrics


def write_dvc_metrics(results: Mapping[str, Result], path: str | Path) -> dict[str, Any]:
    """Write the numbers of results to a JSON file that `dvc metrics show` and `diff` read.

    The names given are the outermost keys; numbers that are not finite, words and lists are left
    out. Name the file under `metrics:` of a stage in dvc.yaml.

    Notes
    -----
    Stability: experimental
    """
    plain = {name: json.loads(to_json(result.to_dict())) for name, result in results.items()}
    numbers: dict[str, Any] = {name: _numbers(values) for name, values in plain.items()}
    write_text(path, json.dumps(numbers, indent=2) + "\n")
    return numbers


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the finite numbers of nested values, without provenance and empty parts."""
    parts = {
        name: _numbers(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if name != "provenance"
    }
    return {
        name: value
        for name, value in parts.items()
        if _is_number(value) or isinstance(value, dict)
        if value != {}
    }


def _named(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return every value under a name of its own, also where two names differ by a refused sign."""
    named: dict[str, Any] = {}
    for full, value in _leaves(values, name):
        key, number = full[:_LONGEST_NAME], 1
        while key in named:
            number += 1
            ending = f"_{number}"
            key = full[: _LONGEST_NAME - len(ending)] + ending
        named[key] = value
    return named


def _allowed(part: str) -> str:
    """Return one part of a name as MLflow takes it.

    Examples
    --------
    >>> _allowed("constant a0 = 0.141"), _allowed(".."), _allowed("a/b")
    ('constant a0_0.141', '_', 'a_b')
    """
    tidy = _REFUSED.sub("_", part).strip()
    return tidy if tidy.strip(".") else "_"


def _leaves(value: object, name: str) -> Iterator[tuple[str, Any]]:
    """Yield every value that is neither a mapping nor a list, with its full name."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}/{_allowed(str(key))}")
    elif value is not None and not isinstance(value, list):
        yield name, value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
