"""Metrics of ranked lists: DCG, NDCG, MAP, MRR, precision, recall and hit rate, by their names.

In: feedback of B users on their items in D re-ratings, and the lists of K systems over the same
items, padded to one length. Out: the score of every list. Absent: uncertainty (`decide.lists`).

Items with the same score share the places they stand at: their discounts are averaged, as
scikit-learn does it. A user with nothing relevant scores 0, as in TREC's tools.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PaddedLists:
    """Places (from 1) of B users' items in the lists of K systems; L is the longest list.

    Items with the same score share the places from `first` to `last`; `place` is one of these,
    each once. `listed` (B, K, L) marks items that are in a system's list at all, `filled` (B, L)
    those that are not padding.
    """

    filled: NDArray[np.bool_]
    listed: NDArray[np.bool_]
    first: IntArray
    last: IntArray
    place: IntArray

    @classmethod
    def of(cls, scores: FloatArray, filled: NDArray[np.bool_]) -> "PaddedLists":
        """Order items by falling score (B, K, L); minus infinity: not in the list."""
        order = np.argsort(-scores, axis=2, kind="stable")
        ordered = np.take_along_axis(scores, order, axis=2)
        length = scores.shape[2]
        differs = ordered[:, :, 1:] != ordered[:, :, :-1]
        edge = np.ones((*scores.shape[:2], 1), dtype=bool)
        at = np.arange(length)
        first = np.maximum.accumulate(np.where(np.dstack([edge, differs]), at, 0), axis=2)
        last = np.where(np.dstack([differs, edge]), at, length)[:, :, ::-1]
        last = np.minimum.accumulate(last, axis=2)[:, :, ::-1]
        padded = [np.empty(scores.shape, dtype=np.int64) for _ in range(3)]
        places = (first, last, np.broadcast_to(at, scores.shape))
        for target, source in zip(padded, places, strict=True):
            np.put_along_axis(target, order, source + 1, axis=2)
        listed = np.isfinite(scores) & filled[:, None, :]
        return cls(filled=filled, listed=listed, first=padded[0], last=padded[1], place=padded[2])

    @property
    def longest(self) -> int:
        """The length all lists are padded to."""
        return int(self.filled.shape[1])

    def weights(self, by_place: FloatArray) -> FloatArray:
        """Return the weight of each item (B, K, L): that of its place, averaged over ties."""
        sums = np.concatenate([[0.0], np.cumsum(by_place)])
        mean = (sums[self.last] - sums[self.first - 1]) / (self.last - self.first + 1)
        weights: FloatArray = np.where(self.listed, mean, 0.0)
        return weights


def until(values: FloatArray, cutoff: int | None) -> FloatArray:
    """Return values by place, zero behind the cutoff."""
    return values if cutoff is None else np.where(np.arange(len(values)) < cutoff, values, 0.0)


def over(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return a ratio; nothing over nothing is nothing."""
    ratio: FloatArray = numerator / np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, ratio, 0.0)


class ListMetric(Protocol):
    """A score of a ranked list, greater is better."""

    @property
    def needs_relevant(self) -> bool:
        """Whether it only asks which items are relevant."""
        ...

    @property
    def is_linear(self) -> bool:
        """Whether the score is a weighted sum of the feedback."""
        ...

    @property
    def highest(self) -> float:
        """The largest possible score."""
        ...

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return the weight of each item (B, K, L) in the score, or in its numerator."""
        ...

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return (B, D, K) scores of feedback (B, D, L) and which of it is relevant."""
        ...


@dataclass(frozen=True, slots=True)
class DiscountedGain:
    r"""DCG: the sum of feedback over log2(1 + place) in the first places."""

    cutoff: int | None
    needs_relevant = False
    is_linear = True
    highest = np.inf

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return the discount of each item's place."""
        return lists.weights(_discounts(lists.longest, self.cutoff))

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the discounted sums."""
        return _discounted(feedback, self.weights(lists))


@dataclass(frozen=True, slots=True)
class NormalisedGain:
    """NDCG: DCG over that of the best possible order; feedback below zero counts as zero."""

    cutoff: int | None
    needs_relevant = False
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return the discount of each item's place."""
        return lists.weights(_discounts(lists.longest, self.cutoff))

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the share of the best possible gain."""
        gains = np.where(lists.filled[:, None, :], np.maximum(feedback, 0.0), 0.0)
        reached = _discounted(gains, self.weights(lists))
        gains.sort(axis=2)
        ideal = gains[:, :, ::-1] @ _discounts(lists.longest, self.cutoff)
        return over(reached, ideal[:, :, None])


def _discounts(length: int, cutoff: int | None) -> FloatArray:
    return until(1.0 / np.log2(np.arange(2, length + 2)), cutoff)


def _discounted(feedback: FloatArray, weights: FloatArray) -> FloatArray:
    gains: FloatArray = feedback @ weights.transpose(0, 2, 1)
    return gains


@dataclass(frozen=True, slots=True)
class PrecisionAt:
    """The share of the first places that are relevant; a short list has empty places."""

    cutoff: int
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one over the number of places."""
        return _first_places(lists, self.cutoff) / self.cutoff

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the share of relevant places."""
        return _counted(relevant, self.weights(lists))


@dataclass(frozen=True, slots=True)
class RecallAt:
    """The share of all that is relevant which the first places hold."""

    cutoff: int
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one for each of the first places."""
        return _first_places(lists, self.cutoff)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the share of what is relevant."""
        hits = _counted(relevant, self.weights(lists))
        return over(hits, relevant.sum(axis=2)[:, :, None].astype(np.float64))


@dataclass(frozen=True, slots=True)
class HitAt:
    """Whether the first places hold anything relevant; the mean over users is the hit rate."""

    cutoff: int
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one for each of the first places, ties broken."""
        return (lists.listed & (lists.place <= self.cutoff)).astype(np.float64)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return 1 where something relevant is among the first."""
        return (_counted(relevant, self.weights(lists)) > 0).astype(np.float64)


def _first_places(lists: PaddedLists, cutoff: int) -> FloatArray:
    return lists.weights(until(np.ones(lists.longest), cutoff))


def _counted(relevant: NDArray[np.bool_], weights: FloatArray) -> FloatArray:
    counted: FloatArray = relevant.astype(np.float64) @ weights.transpose(0, 2, 1)
    return counted


@dataclass(frozen=True, slots=True)
class AveragePrecision:
    """The mean precision at the places of relevant items; those not listed count 0."""

    cutoff: int | None
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one over each item's place, ties broken."""
        return np.where(lists.listed, 1.0 / lists.place, 0.0)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the mean precision at relevant places."""
        by_place = until(1.0 / np.arange(1, lists.longest + 1), self.cutoff)
        total = relevant.sum(axis=2).astype(np.float64)
        n_systems = lists.place.shape[1]
        precisions = np.empty((*relevant.shape[:2], n_systems))
        for system in range(n_systems):
            order = np.argsort(lists.place[:, system], axis=1)[:, None, :]
            hits = np.take_along_axis(relevant & lists.listed[:, None, system], order, axis=2)
            precise = np.cumsum(hits, axis=2) * by_place
            precisions[:, :, system] = over(np.where(hits, precise, 0.0).sum(axis=2), total)
        return precisions


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """One over the place of the first relevant item, 0 where there is none."""

    cutoff: int | None
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one over each item's place, ties broken."""
        reached = lists.listed
        if self.cutoff is not None:
            reached = reached & (lists.place <= self.cutoff)
        return np.where(reached, 1.0 / lists.place, 0.0)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the largest reciprocal place among what is relevant."""
        weights = self.weights(lists)
        reciprocals = np.empty((*relevant.shape[:2], weights.shape[1]))
        for system in range(weights.shape[1]):
            reciprocal = weights[:, None, system, :]
            reciprocals[:, :, system] = np.where(relevant, reciprocal, 0.0).max(axis=2)
        return reciprocals


# A new metric is a class above and a line in one of these: with "@10" or without, only with it.
ANY_PLACES: dict[str, Callable[[int | None], ListMetric]] = {
    "ndcg": NormalisedGain,
    "dcg": DiscountedGain,
    "map": AveragePrecision,
    "mrr": ReciprocalRank,
}
SOME_PLACES: dict[str, Callable[[int], ListMetric]] = {
    "precision": PrecisionAt,
    "recall": RecallAt,
    "hit": HitAt,
}

_NAME = re.compile(r"([a-z]+)(?:@(\d{1,6}))?")


def list_metric_names() -> tuple[str, ...]:
    """Return how the metrics are written, with K for the number of places that count.

    Examples
    --------
    >>> list_metric_names()
    ('ndcg@K', 'dcg@K', 'map@K', 'mrr@K', 'precision@K', 'recall@K', 'hit@K')
    """
    return tuple(f"{name}@K" for name in (*ANY_PLACES, *SOME_PLACES))


def is_list_metric(name: str) -> bool:
    """Say whether a name is one of these, whatever its number of places."""
    return name.lower().partition("@")[0] in {*SOME_PLACES, *ANY_PLACES}


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
    if cutoff != 0 and family in ANY_PLACES:
        return ANY_PLACES[family](cutoff)
    if cutoff and family in SOME_PLACES:
        return SOME_PLACES[family](cutoff)
    raise InputError(
        where="metric",
        found=repr(name),
        needed=f"one of {', '.join(list_metric_names())}, with K the number of places that count",
        cure="Write for instance ndcg@10.",
    )
