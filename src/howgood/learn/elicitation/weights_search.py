"""How much does each criterion weigh? The search that asks, and what it knows.

In: a table of alternatives by criteria, and answers. Out: questions, each the one that tells most
about which alternative is best, and particles of the weights. Absent: results (`criteria`,
`outcome_weights`), and state beyond (settings, seed, answers): the same answers always lead to the
same questions.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.learn.elicitation.bisection import check_choice
from howgood.learn.elicitation.criteria_table import (
    PairsOfAlternatives,
    pairs_of,
    real_pairs_of,
)
from howgood.learn.elicitation.fit import (
    BrokenOff,
    Evidence,
    Misfit,
    information_of_weights,
    misfit_of_weights,
)
from howgood.learn.elicitation.further import (
    MOST_TESTED_OF_WEIGHTS,
    TESTED,
    asks_further,
    may_have_changed,
    most_further,
    says_enough,
    share_of_closing,
)
from howgood.records.criteria import Alternative, CriteriaTable
from howgood.records.elicitation import (
    CHOICES,
    Agreement,
    AnsweredQuery,
    AttentionChecks,
    Query,
    QueryKind,
)
from howgood.records.elicited_metric import Choice
from howgood.records.estimate import Estimate
from howgood.records.shown import Shown
from howgood.records.table import Tabular
from howgood.stats.arrays import FloatArray
from howgood.stats.paired_choices import entropy, mutual_information
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.shares import beta_draws
from howgood.stats.weighted_choices import (
    Choices,
    drawn_particles,
    group_information,
    log_likelihoods,
    moved,
    no_choices,
    particle_weights,
    side_probabilities,
    updated,
)

PARTICLES, _MOVES, _LAST_MOVES = 1000, 6, 30
_CANDIDATES, _EXTRA_CANDIDATES = 240, 60
_ABOUT_WEIGHTS = 0.2  # what an answer tells about the weights counts so much next to the best
SETTLED, NOTICEABLE = 0.95, 0.005
# A weight is known when its 90 % interval is at most so wide; of two criteria, when the first one's
# is known to within .015, or their ratio to a factor of 1.5 each way.
_KNOWN_WEIGHT, _KNOWN_WIDTH, _KNOWN_FACTOR = 0.1, 0.03, 2.25
Until = Literal["best", "weights", "ratio"]
_CATCH_AFTER = (2, 6, 11)  # answers learned from before each pair that checks attention
EQUAL = "equal weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One question: a pair of the bank with its sides as shown."""

    kind: QueryKind
    first: int
    second: int
    better: Choice = "first"  # of a pair that checks attention


class WeightsSearch(ABC):
    """Ask about alternatives by criteria until enough is known about the weights.

    What is asked about and what is returned are the matter of the classes that derive from it.
    """

    _choices: Choices
    _particles: FloatArray
    _log_evidence: float
    _steps: list[Step]
    _stopped: str | None
    _open: Step | None
    _last: tuple[FloatArray, np.random.Generator] | None
    _break: BrokenOff | None
    _plan: Callable[[tuple[Choice, ...]], Step | None] | None = None
    # What ends the questions: the best alternative, every weight, or the ratio of two is known.
    until: Until = "best"
    # What people read before the first pair.
    task: str = "Please choose between two options, again and again."

    def __init__(
        self,
        table: CriteriaTable,
        *,
        random_state: RandomState,
        min_queries: int,
        max_queries: int,
        catch_pairs: int,
        held_out: int,
        imagined: bool,
    ) -> None:
        _check_settings(min_queries, max_queries, catch_pairs, held_out)
        generator, seed = generator_and_seed(random_state)
        self.seed = int(generator.integers(2**32)) if seed is None else seed
        self.table = table
        self.settings: dict[str, Any] = {
            "min_queries": min_queries,
            "max_queries": max_queries,
            "catch_pairs": catch_pairs,
            "held_out": held_out,
            "imagined": bool(imagined),
        }
        self._bank = pairs_of(self.table) if imagined else real_pairs_of(self.table)
        self._numbers = self._bank.numbers(self._bank.pairs)
        self._features = self.table.features(self.table.scores)
        self._held_out = _kept_back(self._bank, held_out, np.random.default_rng([self.seed, 7]))
        self._answered: list[AnsweredQuery] = []
        self._restart()

    @property
    def answers(self) -> tuple[AnsweredQuery, ...]:
        """Every question with its answer so far, in order."""
        return tuple(self._answered)

    @property
    def most_questions(self) -> int:
        """How many questions there are at most, checks and held-out ones included."""
        counts = ("max_queries", "catch_pairs", "held_out")
        planned = sum(int(self.settings[name]) for name in counts)
        return planned + most_further(self.settings["held_out"], most=MOST_TESTED_OF_WEIGHTS)

    def query(self) -> Query | None:
        """Return the question at hand, or None when every question is answered."""
        return self._query_about(self._bank.alternatives)

    def shown(self) -> Query | None:
        """Return the question at hand with both sides by criteria, as people see them."""
        return self._query_about(self._bank.alternatives)

    def _query_about(self, what: Sequence[Any]) -> Query | None:
        if self._open is None:
            self._open = self._next_step()
        if self._open is None:
            return None
        return Query(
            first=what[self._open.first],
            second=what[self._open.second],
            number=len(self._answered) + 1,
            kind=self._open.kind,
        )

    def answer(self, choice: Choice, *, milliseconds: int | None = None) -> None:
        """Take the answer to the question at hand, and optionally how long it took."""
        query = self.query()
        check_choice(choice, is_open=query is not None)
        step = self._open
        if query is None or step is None:
            return
        self._answered.append(AnsweredQuery(query=query, choice=choice, milliseconds=milliseconds))
        self._steps.append(step)
        if step.kind == "choice":
            self._learn(step, CHOICES.index(choice))
        self._open = None

    def follow(self, plan: Callable[[tuple[Choice, ...]], Step | None]) -> None:
        """Ask what a plan says after the choices so far, instead of searching; None ends it.

        For pages that have to choose their questions without a posterior.
        """
        self._plan = plan
        self._restart()

    def undo(self) -> None:
        """Take back the last answer, if there is one."""
        kept = self._answered[:-1]
        self._answered = []
        self._restart()
        for answer in kept:
            self.answer(answer.choice, milliseconds=answer.milliseconds)

    def closing(self) -> tuple[int, float] | None:
        """Return how many of the last questions are answered, and how far they are, from 0 to 1.

        None while questions are still asked to learn: nobody knows how many follow.
        """
        if self._stopped is None or self._plan is not None:
            return None
        done = self._n_asked("held-out") + self._n_asked("extra")
        is_over = self.query() is None
        return done, share_of_closing(done, len(self._held_out), is_over=is_over)

    def predict(self, first: Alternative, second: Alternative) -> float:
        """Return the probability that the respondent chooses the first of two alternatives."""
        sides = [
            np.array([[side.values[item.name] for item in self.table.criteria]])
            for side in (first, second)
        ]
        gap = self.table.features(sides[0]) - self.table.features(sides[1])
        return float(side_probabilities(self._particles, gap)[0].mean())

    @abstractmethod
    def result(self) -> Shown | Tabular:
        """Return what the answers so far say."""

    @abstractmethod
    def anew(self, *, random_state: RandomState, **settings: Any) -> Self:  # noqa: ANN401 - its own
        """Return an interview about the same things, not yet begun."""

    def _last_particles(self) -> tuple[FloatArray, np.random.Generator]:
        """Return the posterior after further moves, and the chance that follows them.

        The same whatever is asked after the last question learned from.
        """
        if self._last is None:
            generator = np.random.default_rng([self.seed, 5, self._choices.chosen.size])
            particles = moved(self._particles, self._choices, generator, moves=_LAST_MOVES)
            self._last = particles, generator
        return self._last[0], deepcopy(self._last[1])

    def _fit(self, particles: FloatArray) -> Misfit:
        """Return why nothing should be named, and what to do about it."""
        tires, changes = self._broken_off()
        evidence = Evidence(
            particles=particles,
            learned=self._log_evidence,
            others=self._choices_of("catch", *TESTED),
            held_out=self._choices_of("held-out"),
            everything=self._choices_of("choice", "catch", *TESTED),
            is_informative=says_enough(*self._information(particles)),
            tires=tires,
            changes=changes,
        )
        return misfit_of_weights(evidence, Counted(self._answered, self._steps).is_indifferent)

    def _breaking_off(self) -> tuple[BrokenOff, Choices]:
        """Return what is known about fatigue and a change of mind, and all answers."""
        n_planned = len(self._answered) - self._n_asked("extra")
        if self._stopped and self._plan is None:
            n_planned += len(self._held_out) - self._n_asked("held-out")
        if self._break is None or self._break.n_planned != n_planned:
            seed = (self.seed, 8, n_planned)
            self._break = BrokenOff(len(self.table.criteria), n_planned, seed)
        return self._break, self._choices_of("choice", "catch", *TESTED)

    def _broken_off(self) -> tuple[float, float]:
        """Return log Bayes factors of fatigue and of a change of mind."""
        broken, everything = self._breaking_off()
        return broken.factors(everything)

    def _information(self, particles: FloatArray) -> tuple[float, int]:
        """Return how much better than a coin answers are foretold, and how many were tested."""
        tested = self._choices_of(*TESTED)
        factor = information_of_weights(
            particles,
            choices=self._choices,
            catches=self._choices_of("catch"),
            tested=tested,
        )
        return factor, tested.chosen.size

    def _learn(self, step: Step, choice: int) -> None:
        difference = self._bank.features[step.first] - self._bank.features[step.second]
        self._choices = self._choices.and_one(difference, choice)
        last = Choices(differences=difference[None], chosen=np.array([choice]))
        # What the model expected of this answer before it was learned from.
        chance = float(np.exp(log_likelihoods(self._particles, last)[:, 0]).mean())
        self._log_evidence += float(np.log(chance))
        self._last = None
        self._particles = updated(self._particles, self._choices, self._chance(1), moves=_MOVES)
        self._stopped = None if self._plan else self._reason_to_stop()

    def _restart(self) -> None:
        self._particles = self._prior_particles()
        self._choices = no_choices(len(self.table.criteria))
        self._log_evidence = 0.0
        self._last = None
        self._break = None
        self._steps = []
        self._stopped = None
        self._open = None

    def _prior_particles(self) -> FloatArray:
        chance = np.random.default_rng([self.seed, 0])
        return drawn_particles(PARTICLES, len(self.table.criteria), chance)

    def _next_step(self) -> Step | None:
        if self._plan is not None:
            step = self._plan(tuple(answer.choice for answer in self._answered))
            self._stopped = "most questions asked" if step is None else None
            return step
        if self._stopped is None:
            number = self._n_asked("catch")
            wanted = min(self.settings["catch_pairs"], len(self._bank.catches))
            if number < wanted and self._choices.chosen.size >= _CATCH_AFTER[number]:
                order = np.random.default_rng([self.seed, 3]).permutation(len(self._bank.catches))
                return self._step("catch", self._bank.catches[order[number]])
            pair = self._most_telling()
            if pair is not None:
                return self._step("choice", pair)
            self._stopped = "no pair left"
        done = self._n_asked("held-out")
        if done < len(self._held_out):
            broken, everything = self._breaking_off()
            broken.take_some(everything)
            return self._step("held-out", self._bank.pairs[self._held_out[done]])
        particles, _ = self._last_particles()
        pair = self._clearest(particles) if self._asks_further(particles) else None
        return None if pair is None else self._step("extra", pair)

    def _asks_further(self, particles: FloatArray) -> bool:
        """Say whether it is open if answers inform, or if somebody changed their mind."""
        factor, n_tested = self._information(particles)
        if asks_further(factor, n_tested, most=MOST_TESTED_OF_WEIGHTS):
            return True
        return may_have_changed(self._broken_off()[1], n_tested)

    def _n_asked(self, kind: str) -> int:
        return sum(step.kind == kind for step in self._steps)

    def _step(self, kind: QueryKind, pair: NDArray[np.int64]) -> Step:
        one, other = pair.tolist()
        # The bank has the better side of a pair that checks attention first.
        if self._chance(4).random() < 0.5:
            return Step(kind=kind, first=other, second=one, better="second")
        return Step(kind=kind, first=one, second=other)

    def _candidates(self, most: int) -> NDArray[np.int64]:
        """Return some pairs that are neither asked nor kept back."""
        asked = np.array([(step.first, step.second) for step in self._steps], dtype=np.int64)
        is_left = ~np.isin(self._numbers, self._bank.numbers(asked.reshape(-1, 2)))
        is_left[self._held_out] = False
        drawn = self._chance(2).permutation(np.flatnonzero(is_left))[:most]
        return np.asarray(self._bank.pairs[drawn])

    def _clearest(self, particles: FloatArray) -> NDArray[np.int64] | None:
        """Return the pair that was open before the interview, and is clear after it."""
        pairs = self._candidates(_EXTRA_CANDIDATES)
        if not len(pairs):
            return None
        gaps, before = self._bank.differences(pairs), self._prior_particles()
        open_before, open_now = (
            entropy(*(chance.mean(axis=0) for chance in side_probabilities(known, gaps)))
            for known in (before, particles)
        )
        chosen: NDArray[np.int64] = pairs[int(np.argmax(np.round(open_before - open_now, 9)))]
        return chosen

    def _most_telling(self) -> NDArray[np.int64] | None:
        pairs = self._candidates(_CANDIDATES)
        if not len(pairs):
            return None
        chances = side_probabilities(self._particles, self._bank.differences(pairs))
        best = np.argmax(particle_weights(self._particles) @ self._features.T, axis=1)
        even = np.full(PARTICLES, 1.0 / PARTICLES)
        information = group_information(best, *chances) + _ABOUT_WEIGHTS * mutual_information(
            even, *chances
        )
        # Rounded, so that machines that add in another order still ask the same question.
        chosen: NDArray[np.int64] = pairs[int(np.argmax(np.round(information, 9)))]
        return chosen

    def _reason_to_stop(self) -> str | None:
        asked = self._choices.chosen.size
        if asked >= self.settings["max_queries"]:
            return "most questions asked"
        if asked < self.settings["min_queries"]:
            return None
        return self._enough_known(particle_weights(self._particles))

    def _enough_known(self, weights: FloatArray) -> str | None:
        """Say why no more needs to be learned, if so."""
        if self.until == "best":
            values = weights @ self._features.T
            regrets = (values.max(axis=1)[:, None] - values).mean(axis=0)
            is_settled = best_shares(values)[int(np.argmin(regrets))] >= SETTLED
            return "the best is settled" if is_settled or regrets.min() <= NOTICEABLE else None
        low, high = np.quantile(weights, [0.05, 0.95], axis=0)
        if self.until == "weights":
            return "precise enough" if (high - low).max() <= _KNOWN_WEIGHT else None
        least, most = np.clip([low[0], high[0]], 1e-6, 1 - 1e-6)
        factor = (most / (1 - most)) / (least / (1 - least))
        is_known = most - least <= _KNOWN_WIDTH or factor <= _KNOWN_FACTOR
        return "precise enough" if is_known else None

    def _choices_of(self, *kinds: str) -> Choices:
        options = [
            (self._bank.features[step.first] - self._bank.features[step.second], answered.choice)
            for step, answered in zip(self._steps, self._answered, strict=True)
            if step.kind in kinds
        ]
        return Choices(
            differences=np.array([gap for gap, _ in options]).reshape(
                len(options), len(self.table.criteria)
            ),
            chosen=np.array([CHOICES.index(choice) for _, choice in options], dtype=np.int64),
        )

    def _agreement(self, weights: FloatArray) -> Agreement | None:
        held_out = self._choices_of("held-out")
        decided = held_out.chosen < 2
        if not decided.any():
            return None
        n, k = int(decided.sum()), len(self.table.criteria)

        def agreeing(by: FloatArray) -> int:
            prefers = np.where(held_out.differences @ by > 0, 0, 1)
            return int((prefers == held_out.chosen)[decided].sum())

        ours = agreeing(weights)
        return Agreement(
            share=Estimate.from_draws(beta_draws(ours, n), probability=0.9, kind="quantile"),
            n_agreeing=ours,
            n_questions=n,
            n_without_preference=int((~decided).sum()),
            baselines={EQUAL: 100.0 * agreeing(np.full(k, 1 / k)) / n},
        )

    def _chance(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, stream, len(self._answered)])


class Counted:
    """How the answers divide."""

    def __init__(self, answered: list[AnsweredQuery], steps: list[Step]) -> None:
        learned = [answer.choice for answer in answered if answer.query.kind == "choice"]
        catches = [
            answer.choice == step.better
            for answer, step in zip(answered, steps, strict=True)
            if step.kind == "catch"
        ]
        self.choices = len(learned)
        self.preferences = sum(choice != "same" for choice in learned)
        self.is_indifferent = 2 * self.preferences < self.choices
        self.checks = AttentionChecks(
            catch_asked=len(catches),
            catch_wrong=catches.count(False),
            repeats_asked=0,
            repeats_changed=0,
        )


def _kept_back(
    bank: PairsOfAlternatives, n: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Choose the questions that are not learned from: some real pairs, the others imagined."""
    real, imagined = np.flatnonzero(bank.real), np.flatnonzero(~bank.real)
    n_real = min(len(real) // 3, n // 2 if len(imagined) else n)
    n_imagined = min(n - n_real, len(imagined) // 4)
    kept = [
        *generator.permutation(real)[:n_real].tolist(),
        *generator.permutation(imagined)[:n_imagined].tolist(),
    ]
    return np.array(kept, dtype=np.int64)[generator.permutation(len(kept))]


def best_shares(values: FloatArray) -> FloatArray:
    """Return how often each column is the largest; equal ones share."""
    is_best = values >= values.max(axis=1, keepdims=True) - 1e-12
    return np.asarray((is_best / is_best.sum(axis=1, keepdims=True)).mean(axis=0))


def weight_estimate(draws: FloatArray) -> Estimate:
    """Return draws about one person with their 90 % interval."""
    return Estimate.from_draws(draws, probability=0.9, kind="quantile", n_respondents=1)


def _check_settings(fewest: int, most: int, catches: int, held_out: int) -> None:
    limits = {"catch_pairs": (catches, len(_CATCH_AFTER)), "held_out": (held_out, 60),
              "max_queries": (most, 1000)}  # fmt: skip
    for name, (count, limit) in limits.items():
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= limit:
            raise InputError(
                where="CriteriaElicitor",
                found=f"{name} = {count!r:.60}",
                needed=f"a whole number from 0 to {limit}",
                cure="Few people answer more than fifty questions well.",
            )
    if not 1 <= fewest <= most:
        raise InputError(
            where="CriteriaElicitor",
            found=f"min_queries = {fewest}, max_queries = {most}",
            needed="1 <= min_queries <= max_queries",
            cure="Raise max_queries.",
        )
