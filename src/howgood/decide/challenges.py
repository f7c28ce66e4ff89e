"""Where research would matter most, and how far a card of another application may mislead.

In: model cards, with what systems reach where somebody entered it. Out: `Challenge`s, `Transfer`,
the cards nearest to a description. Absent: files and pages (`flow.registry`, `show.challenges`).

Nearness is by words: the share of words two descriptions have in common, rare ones counting more.
It says nothing about people. What using another application's card costs is measured: each
application is left out in turn, and its share of people accepting is predicted by every other one.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from howgood.records.card import ModelCard, ReachedSystem
from howgood.records.estimate import Estimate
from howgood.records.probability import check_probability

SHARE = 0.8
POINTS = 0.05  # what "a little better" means: so much more precision and recall
REFERENCE = 0.85
NEAR = 0.5  # from here on two descriptions share most of what they say
_COMMON = 0.15  # below this they share hardly more than everyday words
_SHORT = 3


class Challenge(NamedTuple):
    """One application: what people accept, what systems reach, what a better one would bring."""

    card: str
    application: str
    n_respondents: int | None
    best: ReachedSystem | None
    accepting: Estimate | None
    probability_enough: float | None
    gain: Estimate | None
    reachable: float


class Transfer(NamedTuple):
    """What predicting an application by another one's card costs, in share of people.

    `mean` and `largest` of the absolute gaps, over every ordered pair of `n_applications`; None
    below two. `held` is how often the 95 % interval of the other card held the share.
    """

    n_applications: int
    mean: float | None
    largest: float | None
    held: float | None


class Near(NamedTuple):
    """A card and how near its description is, from 0 (no word in common) to 1 (the same words)."""

    card: str
    application: str
    nearness: float

    @property
    def is_near(self) -> bool:
        """Whether the descriptions share most of what they say."""
        return self.nearness >= NEAR

    @property
    def is_far(self) -> bool:
        """Whether they share hardly more than everyday words."""
        return self.nearness < _COMMON


def challenges(cards: Mapping[str, ModelCard], *, share: float = SHARE) -> tuple[Challenge, ...]:
    """Return applications, the one in which better systems would matter most first.

    That is where the best system entered is accepted by the fewest for sure, and five points more
    of precision and recall win most people. Applications without an entered system come last.
    """
    check_probability(share, name="share", where="challenges")
    known = [_challenge(card, share) for card in cards.values() if card.draws]
    return tuple(sorted(known, key=_urgency))


def _challenge(card: ModelCard, share: float) -> Challenge:
    draws = card.acceptance_draws(card.application)
    best = max(
        card.systems,
        key=lambda system: float(draws.shares(system.precision, system.recall).mean()),
        default=None,
    )
    reachable = float(np.mean(draws.mean_for_share(share) <= 1.0))
    named = (card.name, card.application, card.n_respondents, best)
    if best is None:
        return Challenge(*named, None, None, None, reachable)
    here = draws.shares(best.precision, best.recall)
    better = draws.shares(min(best.precision + POINTS, 1.0), min(best.recall + POINTS, 1.0))
    return Challenge(
        *named,
        draws.estimate(here),
        float(np.mean(here >= share)),
        draws.estimate(better - here),
        reachable,
    )


def _urgency(one: Challenge) -> tuple[bool, float, str]:
    """Order: people to win where it is not yet enough; then names."""
    if one.gain is None or one.probability_enough is None:
        return True, 0.0, one.card
    return False, -one.gain.mean * (1.0 - one.probability_enough), one.card


def transfer(cards: Mapping[str, ModelCard]) -> Transfer:
    """Return how far other applications' cards miss the share accepting one accuracy.

    Each application is left out in turn. Several cards of one application count as one, the one
    with most people: else an application would be predicted by itself.
    """
    draws = [card.acceptance_draws(card.application) for card in _one_each(cards).values()]
    if len(draws) < 2:
        return Transfer(len(draws), None, None, None)
    shares = [one.estimate(one.shares(REFERENCE, REFERENCE)) for one in draws]
    pairs = list(permutations(shares, 2))
    gaps = [abs(truth.mean - other.mean) for truth, other in pairs]
    held = [other.interval.lower <= truth.mean <= other.interval.upper for truth, other in pairs]
    return Transfer(len(draws), float(np.mean(gaps)), max(gaps), float(np.mean(held)))


def _one_each(cards: Mapping[str, ModelCard]) -> dict[str, ModelCard]:
    chosen: dict[str, ModelCard] = {}
    for card in cards.values():
        other = chosen.get(card.application)
        if card.draws and (other is None or (card.n_respondents or 0) > (other.n_respondents or 0)):
            chosen[card.application] = card
    return chosen


def nearest(cards: Mapping[str, ModelCard], description: str) -> tuple[Near, ...]:
    """Return the cards that predict, nearest description first.

    Examples
    --------
    >>> nearest({}, "a fridge that orders milk")
    ()
    """
    able = [card for card in cards.values() if card.draws]
    words = [_words(f"{card.application} {card.description}") for card in able]
    asked = _words(description)
    weight = _rarity([*words, asked])
    ranked = [
        Near(card.name, card.application, _alike(asked, own, weight))
        for card, own in zip(able, words, strict=True)
    ]
    return tuple(sorted(ranked, key=lambda one: (-one.nearness, one.card)))


def _words(text: str) -> set[str]:
    """Words of more than three letters, without endings that only inflect."""
    plain = re.findall(r"[^\W\d_]+", text.lower())
    return {re.sub(r"(ings?|ed|es|s)$", "", word) for word in plain if len(word) > _SHORT}


def _rarity(texts: Sequence[set[str]]) -> dict[str, float]:
    """Words weigh the more the fewer descriptions have them."""
    counts = Counter(word for text in texts for word in text)
    return {word: math.log(1.0 + len(texts) / count) for word, count in counts.items()}


def _alike(first: set[str], second: set[str], weight: Mapping[str, float]) -> float:
    """Cosine of two sets of weighted words."""
    sizes = [math.sqrt(sum(weight[word] ** 2 for word in text)) for text in (first, second)]
    if not all(sizes):
        return 0.0
    return sum(weight[word] ** 2 for word in first & second) / (sizes[0] * sizes[1])
