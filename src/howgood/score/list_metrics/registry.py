"""The names of metrics of ranked lists: `ndcg@10`, `map`, `hit@5`.

In: a name. Out: the metric. A new family is a module next to this one and a line here.
"""

import re
from collections.abc import Callable, Mapping

from howgood.errors import InputError
from howgood.score.list_metrics.average_precision import AveragePrecision
from howgood.score.list_metrics.counted import HitAt, PrecisionAt, RecallAt
from howgood.score.list_metrics.first_relevant import ReciprocalRank
from howgood.score.list_metrics.gains import DiscountedGain, NormalisedGain
from howgood.score.list_metrics.protocol import ListMetric

# Name -> the family; those that need a number of places, and those that may do without.
_WITH_PLACES: Mapping[str, Callable[[int], ListMetric]] = {
    "precision": PrecisionAt,
    "recall": RecallAt,
    "hit": HitAt,
}
_ANY: Mapping[str, Callable[[int | None], ListMetric]] = {
    "ndcg": NormalisedGain,
    "dcg": DiscountedGain,
    "map": AveragePrecision,
    "mrr": ReciprocalRank,
}
LIST_METRICS = ("ndcg@K", "dcg@K", "map", "mrr", "precision@K", "recall@K", "hit@K")

_NAME = re.compile(r"([a-z]+)(?:@(\d{1,6}))?")


def is_list_metric(name: str) -> bool:
    """Say whether a name is one of these, whatever its number of places."""
    return name.lower().partition("@")[0] in {*_WITH_PLACES, *_ANY}


def list_metric(name: str) -> ListMetric:
    """Return the metric of that name.

    Examples
    --------
    >>> list_metric("ndcg@10")
    NormalisedGain(cutoff=10)
    """
    parts = _NAME.fullmatch(name.lower())
    family, places = (parts[1], parts[2]) if parts else ("", None)
    cutoff = None if places is None else int(places)
    if cutoff != 0 and family in _ANY:
        return _ANY[family](cutoff)
    if cutoff and family in _WITH_PLACES:
        return _WITH_PLACES[family](cutoff)
    raise InputError(
        where="metric",
        found=repr(name),
        needed=f"one of {', '.join(LIST_METRICS)}, with K the number of places that count",
        cure="Write for instance ndcg@10.",
    )
