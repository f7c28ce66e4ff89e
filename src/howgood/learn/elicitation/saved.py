"""An elicited metric as a file of its own: written by one program, used by another.

In: an `ElicitationResult`, or the file of any interview. Out: the file, or the result with all its
draws. Absent: the interview (see `elicitor`); the file holds what was learned, so that later
versions, which may ask other questions, still read it.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from howgood.errors import FileFormatError, InputError
from howgood.learn.elicitation.family_registry import metric_from_dict
from howgood.records.confusion import ConfusionMatrix, Range
from howgood.records.criteria import CriteriaResult
from howgood.records.elicitation import (
    Agreement,
    AttentionChecks,
    ElicitationResult,
    WeightsResult,
)
from howgood.records.estimate import Centre, Estimate
from howgood.records.pinball import QuantileResult
from howgood.records.provenance import Provenance
from howgood.stats.shares import beta_draws
from howgood.writing import write_text

FORMAT = "howgood elicited metric"
_VERSION = 1
_LARGEST = 50_000_000  # bytes; a result has some hundred thousand
_DIGITS = 9
# What is stored as it is, next to what needs making.
_PLAIN = (
    "families", "family", "queries", "choices", "preferences", "stopped", "expected_agreement",
    "fewer_misses", "positive",
)  # fmt: skip
# Interviews about weights, whose files have the format of all other results.
_OF_WEIGHTS: dict[str, type[WeightsResult | QuantileResult | CriteriaResult]] = {
    "WeightsResult": WeightsResult,
    "QuantileResult": QuantileResult,
    "CriteriaResult": CriteriaResult,
}
_CHECKS = ("catch_asked", "catch_wrong", "repeats_asked", "repeats_changed")


def save_elicited(result: ElicitationResult, path: str | Path) -> None:
    """Write a result to a JSON file that only its owner can read: somebody's preferences."""
    values = result.to_dict()
    for name in ("a0", "ratio"):
        estimate: Estimate | None = getattr(result, name)
        values[name] = estimate and [round(draw, _DIGITS) for draw in estimate.draws.tolist()]
    for name in ("thresholds", "optimal_range"):
        ends: Range | None = getattr(result, name)
        # JSON has no infinity: an open end is null.
        values[name] = ends and [end if abs(end) < float("inf") else None for end in ends]
    values["possible"] = [metric.to_dict() for metric in result.possible]
    head = {"format": FORMAT, "version": _VERSION}
    write_text(Path(path), json.dumps(head | values, indent=1, default=str), private=True)


def load_elicited(path: str | Path) -> Any:  # noqa: ANN401 - the result of any interview
    """Return the result that `result.save(path)` wrote, whatever the interview was about.

    `ElicitationResult` of two errors, `WeightsResult` of classes and groups, `QuantileResult` of
    too low and too high, `CriteriaResult` of criteria.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> load_elicited("nowhere.json")
    Traceback (most recent call last):
        ...
    howgood.errors.FileFormatError: nowhere.json: no such file; ...
    """
    values = _read(Path(path))
    if values.get("format") != FORMAT:
        return _OF_WEIGHTS[values["class"]].load(path)
    try:
        return _result(values)
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FileFormatError(
            where=str(path),
            found=f"a part that cannot be read ({error!s:.200})",
            needed="the file as result.save wrote it",
            cure="Save the result again.",
        ) from error


def is_elicited(path: str | Path) -> bool:
    """Say whether a file is one that `result.save` wrote, without reading all of it."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            head = file.read(200)
        return f'"format": "{FORMAT}"' in head or any(
            f'"class": "{name}"' in head for name in _OF_WEIGHTS
        )
    except (OSError, ValueError):
        return False


def _read(path: Path) -> dict[str, Any]:
    needed, cure = "a file that result.save wrote", "Check the path."
    if not path.is_file():
        raise FileFormatError(where=str(path), found="no such file", needed=needed, cure=cure)
    if path.stat().st_size > _LARGEST:
        raise FileFormatError(where=str(path), found="more than 50 MB", needed=needed, cure=cure)
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            where=str(path), found=f"no JSON ({error!s:.120})", needed=needed, cure=cure
        ) from error
    kind = values.get("class") if isinstance(values, dict) else None
    if isinstance(values, dict) and isinstance(kind, str) and kind in _OF_WEIGHTS:
        return values
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise FileFormatError(
            where=str(path),
            found=f"a saved {kind:.60}" if isinstance(kind, str) else "no elicited metric",
            needed="what result.save wrote after an interview",
            cure=cure,
        )
    if values.get("version") != _VERSION:
        raise FileFormatError(
            where=str(path),
            found=f"version {values.get('version')!r:.40}",
            needed=f"version {_VERSION}",
            cure="Read it with the version of howgood that wrote it.",
        )
    return values


def _result(values: Mapping[str, Any]) -> ElicitationResult:
    made = {name: values[name] for name in _PLAIN}
    for name in ("matrix", "counts"):
        made[name] = values[name] and ConfusionMatrix.from_dict(values[name])
    for name in ("a0", "ratio"):
        made[name] = values[name] and _estimate(name, values[name])
    for name in ("thresholds", "optimal_range"):
        made[name] = values[name] and _range(*values[name])
    for name in ("misfit", "advice", "disagreeing"):
        made[name] = tuple(values[name])
    return ElicitationResult(
        **made,
        is_informative=bool(values.get("is_informative", True)),
        metric=values["metric"] and metric_from_dict(values["metric"]),
        # Files of earlier versions have none.
        possible=tuple(metric_from_dict(metric) for metric in values.get("possible", ())),
        checks=AttentionChecks(**{name: int(values["checks"][name]) for name in _CHECKS}),
        agreement=values["agreement"] and _agreement(values["agreement"]),
        provenance=Provenance(
            **{field.name: values["provenance"][field.name] for field in fields(Provenance)}
        ),
    )


def _estimate(name: str, draws: list[float]) -> Estimate:
    values = np.array([float(draw) for draw in draws])
    if not (np.isfinite(values) & (values >= 0)).all() or (name == "a0" and values.max() > 1):
        raise ValueError(f"draws of {name} that are no weights")
    centre: Centre = "median" if name == "ratio" else "mean"
    return Estimate.from_draws(
        values, probability=0.9, kind="quantile", n_respondents=1, centre=centre
    )


def _range(lower: float | None, upper: float | None) -> Range:
    infinite = float("inf")
    return Range(
        -infinite if lower is None else float(lower), infinite if upper is None else float(upper)
    )


def _agreement(values: Mapping[str, Any]) -> Agreement:
    agreeing, asked = int(values["n_agreeing"]), int(values["n_questions"])
    return Agreement(
        share=Estimate.from_draws(beta_draws(agreeing, asked), probability=0.9, kind="quantile"),
        n_agreeing=agreeing,
        n_questions=asked,
        n_without_preference=int(values["n_without_preference"]),
        baselines={str(name): float(value) for name, value in values["baselines"].items()},
    )
