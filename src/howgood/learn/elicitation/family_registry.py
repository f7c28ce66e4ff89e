"""The families of metrics by name: the one registry.

In: names. Out: families with grids for given systems, labels, metrics. Absent: the families.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from howgood.errors import UnknownNameError
from howgood.learn.elicitation.families import (
    HUNDRED,
    AlarmCap,
    Concave,
    Family,
    FBeta,
    Linear,
    MissCap,
    Monotone,
    Quadratic,
    Satisfice,
)
from howgood.learn.elicitation.rate_families import Fractional, QuadraticRates
from howgood.records.elicited_metric import ElicitedMetric
from howgood.stats.arrays import FloatArray

# The registry: the one place that lists the families, in the order in which results name them.
FAMILIES: dict[str, type[Family]] = {
    family.name: family
    for family in (
        Linear, FBeta, MissCap, AlarmCap, Satisfice, Concave, Quadratic, Monotone,
        Fractional, QuadraticRates,
    )
}  # fmt: skip
# Considered where nothing else is said; the others are asked for by name.
_BY_NAME_ONLY = (Fractional, QuadraticRates)
DEFAULT_FAMILIES = tuple(
    name for name, one_family in FAMILIES.items() if one_family not in _BY_NAME_ONLY
)


def make_families(
    names: Sequence[str], *, systems: FloatArray = HUNDRED, direct_ratio: float | None = None
) -> tuple[Family, ...]:
    """Return the named families with grids for these systems.

    One that the systems cannot tell from the others is left out, unless nothing else is named: it
    would win by the number of its nodes alone.
    """
    classes = [family_class(name) for name in dict.fromkeys(names)]
    distinct = [one_class for one_class in classes if one_class.is_distinct(systems)]
    return tuple(
        one_class.over(systems, direct_ratio=direct_ratio) for one_class in distinct or classes
    )


def family_class(name: str) -> type[Family]:
    """Return the family of this name."""
    if name not in FAMILIES:
        raise UnknownNameError(where="families", name=name, names=FAMILIES)
    return FAMILIES[name]


def family_label(name: str | None) -> str:
    """Return what tables call a family; None is no family."""
    return "not settled" if name is None else family_class(name).label


def metric_from_dict(values: Mapping[str, Any]) -> ElicitedMetric:
    """Return the metric whose `to_dict` is given."""
    parameters = {name: value for name, value in values.items() if name != "family"}
    return family_class(str(values.get("family"))).metric_class(**parameters)
