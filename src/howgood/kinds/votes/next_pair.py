"""Which pair somebody sees next: one whose vote says most about the order, as far as it is known.

In: the plan, a person's seed and pairs so far, everybody's votes so far. Out: `Pair`. Absent:
screens, and reading votes from a database. The same arguments always give the same pair.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from howgood.kinds.seeded import draw, shuffled
from howgood.kinds.study import Study, plan_of
from howgood.kinds.votes.plan import VotesPlan
from howgood.records.screen import AnswerValue
from howgood.stats.arrays import FloatArray

PAIR, CHOICE, REASON = "pair", "choice", "reason"
LEFT_WINS, RIGHT_WINS = "left", "right"
# What the ranking makes of each answer: whatever is no side is a tie.
WINNERS = {
    LEFT_WINS: LEFT_WINS,
    RIGHT_WINS: RIGHT_WINS,
    "tie": "tie",
    "both_good": "tie",
    "both_bad": "tie",
}
# A pair comes again after at least so many others.
_LEAST_BETWEEN = 3
# Votes of one person or on one prompt go together: gaps are known worse than single votes say.
_CLUSTERED, _LEVEL, _MOST_OPEN = 1.4, 0.05, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two outputs for one prompt; `repeats` is the number of the vote it asks again, else 0."""

    prompt: str
    left: str
    right: str
    repeats: int = 0

    def as_text(self) -> str:
        """Return the pair as it is kept with the answer."""
        return json.dumps([self.prompt, self.left, self.right, self.repeats], ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> "Pair":
        """Return the pair that `as_text` wrote."""
        prompt, left, right, repeats = json.loads(text)
        return cls(prompt=prompt, left=left, right=right, repeats=int(repeats))

    @property
    def systems(self) -> frozenset[str]:
        """Which two systems, whatever their sides."""
        return frozenset((self.left, self.right))


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesSoFar:
    """How often each vote was given, (left, right, winner) -> count, and votes by prompt."""

    counts: tuple[tuple[tuple[str, str, str], int], ...] = ()
    prompts: tuple[tuple[str, int], ...] = ()


def votes_so_far(study: Study, answers: Iterable[Mapping[str, AnswerValue]]) -> VotesSoFar:
    """Count the votes in answers; those to pairs that were asked again count once."""
    counts: Counter[tuple[str, str, str]] = Counter()
    prompts: Counter[str] = Counter()
    for values in answers:
        text, choice = values.get(PAIR), values.get(CHOICE)
        if not isinstance(text, str) or choice not in WINNERS:
            continue
        pair = Pair.from_text(text)
        if not pair.repeats:
            counts[pair.left, pair.right, WINNERS[str(choice)]] += 1
            prompts[pair.prompt] += 1
    return VotesSoFar(counts=tuple(sorted(counts.items())), prompts=tuple(sorted(prompts.items())))


def next_pair(
    study: Study, seed: int, shown: Sequence[Pair], so_far: VotesSoFar | None
) -> Pair | None:
    """Return the pair of the next vote; None when this person has seen every one.

    Without votes of others to look at (None), every two systems come equally often.
    """
    plan = plan_of(study, VotesPlan)
    number = len(shown) + 1
    again = _again(plan, seed, shown, number)
    if again is not None:
        return again
    seen: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    for pair in shown:
        seen[pair.systems].add(pair.prompt)
    shared = shared_prompts(study)
    worth = _worth(study, so_far) if so_far is not None else dict.fromkeys(shared, 1.0)
    free = {pair: worth[pair] for pair, prompts in shared.items() if len(seen[pair]) < len(prompts)}
    if not free:
        return None
    systems = _drawn(free, draw(seed, "pair", number))
    unseen = [prompt for prompt in shared[systems] if prompt not in seen[systems]]
    prompt = _prompt(unseen, seed, shown, so_far)
    left, right = shuffled(sorted(systems), seed, "sides", number)
    return Pair(prompt=prompt, left=left, right=right)


def _again(plan: VotesPlan, seed: int, shown: Sequence[Pair], number: int) -> Pair | None:
    """Return an earlier pair with its sides swapped, where it is the turn of one."""
    if not plan.repeat_every or number % plan.repeat_every:
        return None
    done = {pair.repeats for pair in shown}
    old = [
        (place, pair)
        for place, pair in enumerate(shown[: max(0, len(shown) - _LEAST_BETWEEN)], start=1)
        if not pair.repeats and place not in done
    ]
    if not old:
        return None
    place, pair = shuffled(old, seed, "again", number)[0]
    return Pair(prompt=pair.prompt, left=pair.right, right=pair.left, repeats=place)


@lru_cache(maxsize=64)
def shared_prompts(study: Study) -> dict[frozenset[str], tuple[str, ...]]:
    """Return the prompts that each two systems both have an output for; only where there are."""
    plan = plan_of(study, VotesPlan)
    systems: defaultdict[str, list[str]] = defaultdict(list)
    for output in plan.outputs:
        systems[output.prompt].append(output.system)
    shared: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for prompt, names in systems.items():
        for pair in combinations(names, 2):
            shared[frozenset(pair)].append(prompt)
    return {pair: tuple(prompts) for pair, prompts in shared.items()}


def most_votes(study: Study) -> int:
    """Return how many votes a person gives at most: as many as wanted, or as pairs allow."""
    plan = plan_of(study, VotesPlan)
    pairs = sum(map(len, shared_prompts(study).values()))
    again = pairs // (plan.repeat_every - 1) if plan.repeat_every > 1 else 0
    return min(plan.votes, pairs + again)


@lru_cache(maxsize=64)
def _worth(study: Study, so_far: VotesSoFar) -> dict[frozenset[str], float]:
    """Return what a vote between each two systems is expected to say about the order."""
    from howgood.stats.sequential import vote_information  # loads SciPy

    plan = plan_of(study, VotesPlan)
    systems = plan.systems
    strengths, covariance = _strengths_so_far(systems, so_far)
    margin = float(np.log((0.5 + plan.smallest) / (0.5 - plan.smallest)))
    worth = vote_information(strengths, covariance, _open(strengths, covariance, margin))
    return {
        pair: float(worth[place])
        for pair in shared_prompts(study)
        if (place := tuple(systems.index(name) for name in pair))
    }


def _open(strengths: FloatArray, covariance: FloatArray, margin: float) -> list[tuple[int, int]]:
    """Return gaps that are open, those between neighbours first; all, where none is."""
    from howgood.stats.sequential import is_open  # loads SciPy

    gaps, own = strengths[:, None] - strengths, np.diag(covariance)
    sds = _CLUSTERED * np.sqrt(np.maximum(own[:, None] + own - 2.0 * covariance, 0.0))
    every = sorted(combinations(range(len(own)), 2), key=lambda pair: abs(float(gaps[pair])))
    opened = is_open(gaps, sds, level=_LEVEL, margin=margin)
    return ([pair for pair in every if opened[pair]] or every)[:_MOST_OPEN]


def _strengths_so_far(
    systems: tuple[str, ...], so_far: VotesSoFar
) -> tuple[FloatArray, FloatArray]:
    """Return strengths by the votes so far, and their covariance, every vote for itself."""
    from howgood.stats.paired_votes import LEFT, PRIOR_SD, RIGHT, TIE, Votes, fit_votes  # SciPy

    outcomes = {LEFT_WINS: LEFT, RIGHT_WINS: RIGHT, "tie": TIE}
    place = {name: at for at, name in enumerate(systems)}
    known = [
        (place[left], place[right], outcomes[winner], count)
        for (left, right, winner), count in so_far.counts
        if left in place and right in place  # another version of the study may have had others
    ]
    if not known:
        return np.zeros(len(systems)), PRIOR_SD**2 * np.eye(len(systems))
    left, right, outcome, counts = np.array(known, dtype=np.int64).T
    fitted = fit_votes(
        Votes(
            left=np.repeat(left, counts),
            right=np.repeat(right, counts),
            outcome=np.repeat(outcome, counts),
            n_competitors=len(systems),
        )
    )
    return fitted.strengths, fitted.unclustered


def _drawn(worth: Mapping[frozenset[str], float], chance: float) -> frozenset[str]:
    """Return a pair by a chance that is as large as what its vote is worth.

    Always the best one would show the same pair to everybody who is there at the same moment.
    """
    pairs = sorted(worth, key=sorted)
    sizes = np.cumsum([worth[pair] for pair in pairs])
    if sizes[-1] <= 0:
        return pairs[int(chance * len(pairs))]
    return pairs[min(int(np.searchsorted(sizes, chance * sizes[-1], side="right")), len(pairs) - 1)]


def _prompt(
    prompts: Sequence[str], seed: int, shown: Sequence[Pair], so_far: VotesSoFar | None
) -> str:
    """Return a prompt that this person saw least often, of those one that has the fewest votes."""
    own = Counter(pair.prompt for pair in shown)
    all_votes = {} if so_far is None else dict(so_far.prompts)
    mixed = shuffled(prompts, seed, "prompt", len(shown) + 1)
    return min(mixed, key=lambda prompt: (own[prompt], all_votes.get(prompt, 0)))
