"""The default search: which metric, among three families, with how much noise?

In: displayed matrices and answers. Out: questions, each the most informative one, and
`ElicitationResult`. Absent: state beyond (settings, seed, answers): the same answers always lead
to the same questions and the same result.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.learn.elicitation.belief import Belief, ChoiceTable, choice_table, refined
from howgood.learn.elicitation.bisection import check_choice
from howgood.learn.elicitation.families import DEFAULT_FAMILIES, FAMILIES, make_families
from howgood.learn.elicitation.questions import PairBank, Schedule, Step, pair_bank
from howgood.learn.elicitation.result import precise_enough, summarise
from howgood.records.confusion import ConfusionMatrix, ThresholdMatrices
from howgood.records.elicitation import AnsweredQuery, ElicitationResult, Query
from howgood.records.elicited_metric import Choice
from howgood.stats.randomness import RandomState, generator_and_seed

_MOST_QUERIES = 1_000


class Elicitor:
    r"""Learn a respondent's metric from choices, expecting noise, slips and indifference.

    The respondent is linear (:math:`a_0 TN + (1-a_0) TP`), an :math:`F_\beta` thinker, or wants
    at most so many misses; unknown sensitivity, lapse rate and width of indifference are
    averaged over. Each question is the pair whose answer is expected to tell most about family
    and parameter. It stops when the 90 % interval of the ratio of costs spans a factor of two
    or less, or that of a0 is at most 0.10 wide.

    Parameters
    ----------
    matrices : sequence of ConfusionMatrix
        What `threshold_matrices` returns, or a table of systems.
    families : sequence of {"linear", "f_beta", "cap"}
        Which kinds of metric to consider.
    random_state : None, int or Generator
        Decides sides, checks and held-out questions.
    direct_ratio : float, optional
        The respondent's own guess of how many false alarms one miss is worth.
    min_queries, max_queries : int
        Fewest and most questions asked to learn.
    catch_pairs, repeats, held_out : int
        Questions that check attention, that return with sides swapped, and that are kept back
        to measure agreement; asked in between and at the end, never learned from. They are what
        tells a respondent whom no metric here describes: `result.fits`.

    Notes
    -----
    Stability: stable

    Two systems that look the same are never shown; one that is worse on every count is shown
    only beside its better as a catch pair.

    Examples
    --------
    >>> from howgood import learn, score
    >>> rng = np.random.default_rng(1)
    >>> probability = rng.beta(0.5, 0.9, 2000)
    >>> truth = rng.random(2000) < probability
    >>> learner = Elicitor(learn.threshold_matrices(truth, probability), random_state=1)
    >>> result = learn.ask_oracle(learner, score.LinearMetric(a0=0.2).prefers)
    >>> abs(result.a0.mean - 0.2) < 0.03, result.is_linear
    (True, True)
    """

    _stopped: str | None
    _open: Step | None
    _result: ElicitationResult | None

    def __init__(
        self,
        matrices: Sequence[ConfusionMatrix],
        *,
        families: Sequence[str] = DEFAULT_FAMILIES,
        random_state: RandomState = None,
        direct_ratio: float | None = None,
        min_queries: int = 6,
        max_queries: int = 25,
        catch_pairs: int = 6,
        repeats: int = 2,
        held_out: int = 15,
    ) -> None:
        _check_settings(families, direct_ratio, min_queries, max_queries)
        _check_counts(max_queries=max_queries, catch_pairs=catch_pairs, repeats=repeats,
                      held_out=held_out)  # fmt: skip
        generator, seed = generator_and_seed(random_state)
        self.seed = int(generator.integers(2**32)) if seed is None else seed
        self.matrices = matrices
        self.settings: dict[str, Any] = {
            "families": list(families),
            "direct_ratio": direct_ratio,
            "min_queries": min_queries,
            "max_queries": max_queries,
            "catch_pairs": catch_pairs,
            "repeats": repeats,
            "held_out": held_out,
        }
        self._bank, self._tables = _shared(tuple(matrices), tuple(families))
        self._families = make_families(
            families, systems=self._bank.counts, direct_ratio=direct_ratio
        )
        self._schedule = Schedule(
            bank=self._bank,
            seed=self.seed,
            catch_pairs=catch_pairs,
            repeats=repeats,
            held_out=held_out,
        )
        self._answered: list[AnsweredQuery] = []
        self._restart()

    @property
    def answers(self) -> tuple[AnsweredQuery, ...]:
        """Every question with its answer so far, in order."""
        return tuple(self._answered)

    def query(self) -> Query | None:
        """Return the question at hand, or None when every question is answered."""
        step = self._open_step()
        if step is None:
            return None
        return Query(
            first=self._bank.matrices[step.first],
            second=self._bank.matrices[step.second],
            number=len(self._answered) + 1,
            kind=step.kind,
        )

    def answer(self, choice: Choice, *, milliseconds: int | None = None) -> None:
        """Take the answer to the question at hand, and optionally how long it took."""
        query, step = self.query(), self._open_step()
        check_choice(choice, is_open=query is not None)
        if query is None or step is None:
            return
        self._answered.append(AnsweredQuery(query=query, choice=choice, milliseconds=milliseconds))
        self._steps.append(step)
        if step.kind == "choice":
            counts = self._bank.counts
            self._belief.update(
                self._belief.likelihood(counts[step.first], counts[step.second], choice)
            )
            self._stopped = self._reason_to_stop()
        self._open = self._result = None
        self._is_planned = False

    def undo(self) -> None:
        """Take back the last answer, if there is one."""
        kept = self._answered[:-1]
        self._answered = []
        self._restart()
        for each in kept:
            self.answer(each.choice, milliseconds=each.milliseconds)

    def predict(self, first: ConfusionMatrix, second: ConfusionMatrix) -> float:
        """Return the probability that the respondent chooses the first of two matrices."""
        sides = [np.array([list(each.to_dict().values())], dtype=float) for each in (first, second)]
        return float(self._belief.predict(*sides)[0])

    def result(self) -> ElicitationResult:
        """Return what the answers so far say."""
        if self._result is None:
            self._result = self._summary()
        return self._result

    def _summary(self) -> ElicitationResult:
        thresholds = self.matrices if isinstance(self.matrices, ThresholdMatrices) else None
        return summarise(
            self._belief,
            linear=self._refined_linear(),
            bank=self._bank,
            tables=self._tables,
            answered=self._answered,
            steps=self._steps,
            likelihoods=self._likelihoods(),
            stopped=self._stopped or "interrupted",
            thresholds=thresholds,
            seed=self.seed,
            settings=self.settings,
        )

    def _refined_linear(self) -> Belief | None:
        """Return what is known about a0, on a grid as fine as the answers are sharp."""
        if "linear" not in self.settings["families"]:
            return None
        counts = self._bank.counts
        answered = [
            (counts[step.first], counts[step.second], each.choice)
            for each, step in zip(self._answered, self._steps, strict=True)
            if step.kind == "choice"
        ]
        return refined(self._belief, "linear", answered)

    def _likelihoods(self) -> dict[int, list[NDArray[np.float64]]]:
        """Per question learned from; made when needed, since an interview at rest stays small."""
        counts = self._bank.counts
        return {
            each.query.number: self._belief.likelihood(
                counts[step.first], counts[step.second], each.choice
            )
            for each, step in zip(self._answered, self._steps, strict=True)
            if step.kind == "choice"
        }

    def _restart(self) -> None:
        self._belief = Belief(self._families)
        self._steps: list[Step] = []
        self._stopped = None
        self._open = self._result = None
        self._is_planned = False

    def _open_step(self) -> Step | None:
        if not self._is_planned:
            self._open = self._schedule.next_step(
                self._steps,
                is_learning=self._stopped is None,
                best_pair=self._best_pair,
                predict=self._belief.predict,
            )
            self._is_planned = True
        return self._open

    def _best_pair(self) -> int:
        information = self._belief.information(self._tables)
        information[self._asked_pairs()] = -np.inf
        # Rounded, so that machines that add in another order still ask the same question.
        return int(np.argmax(np.round(information, 9)))

    def _asked_pairs(self) -> list[int]:
        return [step.pair for step in self._steps if step.kind == "choice"]

    def _reason_to_stop(self) -> str | None:
        asked = len(self._asked_pairs())
        if asked >= self._bank.sharp.size:
            return "no pair left"
        if asked >= self.settings["max_queries"]:
            return "most questions asked"
        if asked >= self.settings["min_queries"] and precise_enough(self._belief):
            return "precise enough"
        return None


@lru_cache(maxsize=8)
def _shared(
    matrices: tuple[ConfusionMatrix, ...], families: tuple[str, ...]
) -> tuple[PairBank, list[ChoiceTable]]:
    """Return what does not depend on the respondent: the pairs, and choice curves of 16 MB.

    Interviews about the same systems share them; they are only read.
    """
    bank = pair_bank(matrices, where="Elicitor")
    counts = bank.counts
    tables = [
        choice_table(family.strengths(counts[bank.sharp], counts[bank.calm]))
        for family in make_families(families, systems=counts)
    ]
    return bank, tables


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MOST_QUERIES:
            raise InputError(
                where="Elicitor",
                found=f"{name} = {count!r:.60}",
                needed=f"a whole number from 0 to {_MOST_QUERIES}",
                cure="Few people answer more than fifty questions well.",
            )


def _check_settings(
    families: Sequence[str], direct_ratio: float | None, fewest: int, most: int
) -> None:
    if isinstance(families, str) or not families:
        raise InputError(
            where="Elicitor",
            found=f"families = {families!r}",
            needed=f"a list of one or more of {', '.join(FAMILIES)}",
            cure='Pass for instance families=("linear",).',
        )
    if direct_ratio is not None and not 0 < direct_ratio < np.inf:
        raise InputError(
            where="Elicitor",
            found=f"direct_ratio = {direct_ratio}",
            needed="a positive number of false alarms per miss",
            cure="Leave it out when the respondent cannot say.",
        )
    if not 1 <= fewest <= most:
        raise InputError(
            where="Elicitor",
            found=f"min_queries = {fewest}, max_queries = {most}",
            needed="1 <= min_queries <= max_queries",
            cure="Raise max_queries.",
        )
