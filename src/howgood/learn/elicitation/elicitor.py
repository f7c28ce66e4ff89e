"""The default search: which metric, of which family, with how much noise?

In: displayed matrices and answers, or the log of an interview. Out: questions, each the most
informative one, and `ElicitationResult`; the log as plain values, to stop, resume, replay, audit.
Absent: files, and state beyond (settings, seed, answers): the same answers always lead to the same
questions and the same result.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from howgood.errors import FileFormatError, InputError
from howgood.learn.elicitation.belief import Belief, ChoiceTable, choice_table, refined
from howgood.learn.elicitation.bisection import check_choice
from howgood.learn.elicitation.families import Family
from howgood.learn.elicitation.family_registry import DEFAULT_FAMILIES, FAMILIES, make_families
from howgood.learn.elicitation.fit import Foretold
from howgood.learn.elicitation.further import asks_further, most_further, share_of_closing
from howgood.learn.elicitation.pair_questions import PairBank, Schedule, Step, pair_bank
from howgood.learn.elicitation.result import precise_enough, summarise
from howgood.records.confusion import (
    ConfusionMatrix,
    ThresholdCounts,
    ThresholdMatrices,
    plain_end,
    range_from,
)
from howgood.records.elicitation import AnsweredQuery, ElicitationResult, Query
from howgood.records.elicited_metric import Choice
from howgood.records.saved import readable_values
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_MOST_QUERIES = 1_000
_NOTICEABLE_REGRET = 0.03
_LOG_FORMAT = "howgood elicitation log"
_LOG_VERSION = 1


class Elicitor:
    r"""Learn a respondent's metric from choices, expecting noise, slips and indifference.

    The respondent is linear (:math:`a_0 TN + (1-a_0) TP`), an :math:`F_\beta` thinker, sets a
    limit to misses, to false alarms or to both, has costs that level off or grow, or follows no
    simple rule; unknown sensitivity, lapse rate and width of indifference are averaged over. Each
    question is the pair whose answer is expected to tell most about family and parameter. When
    the family is settled, its parameter known (of a linear metric, the ratio of costs to a factor
    of two or a0 to within 0.10) and the best system expected to forgo at most 1 % of the gain, that
    system is compared with its neighbours; then it stops.

    Parameters
    ----------
    matrices : sequence of ConfusionMatrix
        What `threshold_matrices` returns, or a table of systems.
    families : sequence of str
        Which kinds of metric to consider: "linear", "f_beta", "cap", "alarm_cap", "satisfice",
        "concave", "quadratic", "monotone" (all of these), and, asked for by name, "fractional" and
        "quadratic_rates".
    random_state : None, int or Generator
        Decides sides, checks and held-out questions.
    direct_ratio : float, optional
        The respondent's own guess of how many false alarms one miss is worth. Half of the prior
        follows it; it never is what ends the interview.
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
    only next to its better as a catch pair.

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
    _plan: Callable[[tuple[Choice, ...]], Step | None] | None = None

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
        self._shared = _shared(tuple(matrices), tuple(families))
        self._bank, self._tables = self._shared.bank, self._shared.tables
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
            likelihood = self._belief.likelihood(counts[step.first], counts[step.second], choice)
            for belief in self._beliefs:
                belief.update(likelihood)
            self._stopped = None if self._plan else self._reason_to_stop()
        elif self._stopped is not None:
            self._tested().take(self._answered[-1])
        self._open = self._result = None
        self._is_planned = False

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

    @property
    def most_questions(self) -> int:
        """How many questions there are at most, checks and all others included."""
        counts = ("max_queries", "catch_pairs", "repeats", "held_out")
        planned = sum(int(self.settings[name]) for name in counts)
        return planned + most_further(int(self.settings["held_out"] + self.settings["repeats"]))

    def closing(self) -> tuple[int, float] | None:
        """Return how many of the last questions are answered, and how far they are, from 0 to 1.

        None while questions are still asked to learn: nobody knows how many follow.
        """
        if self._stopped is None or self._plan is not None:
            return None
        done, planned = self._schedule.closing(self._steps, self._belief.predict)
        is_over = self._open_step() is None
        return done, share_of_closing(done, planned, is_over=is_over)

    def predict(self, first: ConfusionMatrix, second: ConfusionMatrix) -> float:
        """Return the probability that the respondent chooses the first of two matrices."""
        sides = [np.array([list(side.to_dict().values())], dtype=float) for side in (first, second)]
        return float(self._belief.predict(*sides)[0])

    def result(self) -> ElicitationResult:
        """Return what the answers so far say."""
        if self._result is None:
            self._result = self._summary()
        return self._result

    def _summary(self) -> ElicitationResult:
        thresholds = self.matrices if isinstance(self.matrices, ThresholdMatrices) else None
        result = summarise(
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
        return replace(result, systems=self.matrices)

    def _refined_linear(self) -> Belief | None:
        """Return what is known about a0, on a grid as fine as the answers are sharp."""
        if "linear" not in self.settings["families"]:
            return None
        counts = self._bank.counts
        answered = [
            (counts[step.first], counts[step.second], answer.choice)
            for answer, step in zip(self._answered, self._steps, strict=True)
            if step.kind == "choice"
        ]
        return refined(self._belief, "linear", answered)

    def _likelihoods(self) -> dict[int, list[FloatArray]]:
        """Per question learned from; made when needed, since an interview at rest stays small."""
        counts = self._bank.counts
        return {
            answer.query.number: self._belief.likelihood(
                counts[step.first], counts[step.second], answer.choice
            )
            for answer, step in zip(self._answered, self._steps, strict=True)
            if step.kind == "choice"
        }

    def _restart(self) -> None:
        self._belief = Belief(self._families)
        # The respondent's own guess must not be what ends the interview: a second belief, without
        # it, must have learned enough too.
        unguessed = self.settings["direct_ratio"] is not None
        self._beliefs = [self._belief] + ([Belief(self._shared.families)] if unguessed else [])
        self._steps: list[Step] = []
        self._foretold: Foretold | None = None
        self._stopped = None
        self._open = self._result = None
        self._is_planned = False

    def _open_step(self) -> Step | None:
        if self._plan is not None and not self._is_planned:
            self._open = self._plan(tuple(answer.choice for answer in self._answered))
            self._stopped = "most questions asked" if self._open is None else None
            self._is_planned = True
        if not self._is_planned:
            self._open = self._schedule.next_step(
                self._steps,
                is_learning=self._stopped is None,
                best_pair=self._best_pair,
                predict=self._belief.predict,
            )
            if self._open is None and asks_further(*self._information()):
                self._open = self._schedule.extra_step(
                    self._steps,
                    predicted_before=Belief(self._families).predict,
                    predict=self._belief.predict,
                )
            self._is_planned = True
        return self._open

    def _tested(self) -> Foretold:
        """Return what is known about the answers not learned from, once learning has ended."""
        if self._foretold is None:
            self._foretold = Foretold(self._belief)
            for answer in self._answered[: len(self._steps)]:
                if answer.query.kind == "catch":
                    self._foretold.take(answer)
        return self._foretold

    def _information(self) -> tuple[float, int]:
        """Return how much better than by a coin answers are foretold, and how many were tested."""
        tested = self._tested()
        return tested.factor(self._answered), tested.n_tested

    def _best_pair(self) -> int:
        neighbours = self._neighbours() if self._is_precise() else []
        if neighbours:
            return neighbours[0]
        information = self._belief.information(self._tables)
        asked = np.array(self._asked_pairs(), dtype=int)
        information[asked[asked < information.size]] = -np.inf
        # Rounded, so that machines that add in another order still ask the same question.
        return int(np.argmax(np.round(information, 9)))

    def _is_precise(self) -> bool:
        asked = len(self._asked_pairs())
        return asked >= self.settings["min_queries"] and all(
            precise_enough(belief, belief.regrets(self._shared.regrets)) for belief in self._beliefs
        )

    def _neighbours(self) -> list[int]:
        """Return the pairs of the recommended system with its neighbours, as far as not yet asked.

        As Algorithm 1 does, but at a distance that matters: the nearest system on either side that
        is expected to forgo some of the gain. Who prefers it is not whom the belief describes.
        """
        regrets = self._belief.regrets(self._shared.regrets)
        chosen, misses = int(np.argmin(regrets)), self._bank.counts[:, 1]
        asked = {frozenset((step.first, step.second)) for step in self._steps}
        neighbours = []
        for side in (misses < misses[chosen], misses > misses[chosen]):
            for other in np.argsort(regrets, kind="stable").tolist():
                if not side[other] or regrets[other] - regrets[chosen] < _NOTICEABLE_REGRET:
                    continue
                pair = self._bank.pair_of(chosen, other)
                if pair is not None:
                    neighbours += [] if frozenset((chosen, other)) in asked else [pair]
                    break
        return neighbours

    def _asked_pairs(self) -> list[int]:
        return [step.pair for step in self._steps if step.kind == "choice"]

    def _reason_to_stop(self) -> str | None:
        asked = len(self._asked_pairs())
        if sum(pair < self._bank.sharp.size for pair in self._asked_pairs()) >= (
            self._bank.sharp.size
        ):
            return "no pair left"
        if asked >= self.settings["max_queries"]:
            return "most questions asked"
        if self._is_precise() and not self._neighbours():
            return "precise enough"
        return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shared:
    """What does not depend on the respondent; interviews about the same systems only read it."""

    bank: PairBank
    families: tuple[Family, ...]
    tables: list[ChoiceTable]  # choice curves, some 40 MB for all families
    regrets: list[FloatArray]


@lru_cache(maxsize=4)
def _shared(matrices: tuple[ConfusionMatrix, ...], families: tuple[str, ...]) -> _Shared:
    bank = pair_bank(matrices, where="Elicitor")
    counts = bank.counts
    made = make_families(families, systems=counts)
    return _Shared(
        bank=bank,
        families=made,
        tables=[
            choice_table(family.strengths(counts[bank.sharp], counts[bank.calm])) for family in made
        ],
        regrets=[family.regrets(counts) for family in made],
    )


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


def elicitation_log(elicitor: Elicitor) -> dict[str, Any]:
    """Return everything needed to continue or repeat an interview, ready for JSON.

    Every question is listed as it was displayed, with sides, thresholds, answer and time, then
    the result so far.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn
    >>> scores = [step / 40 for step in range(40)]
    >>> matrices = learn.threshold_matrices([0, 0, 1, 1] * 10, scores)
    >>> learner = learn.Elicitor(matrices, random_state=1)
    >>> learner.answer("first")
    >>> learn.replay(elicitation_log(learner)).query() == learner.query()
    True
    """
    matrices = elicitor.matrices
    log: dict[str, Any] = {
        "format": _LOG_FORMAT,
        "version": _LOG_VERSION,
        "seed": elicitor.seed,
        "settings": dict(elicitor.settings),
        "matrices": [matrix.to_dict() for matrix in matrices],
    }
    if isinstance(matrices, ThresholdMatrices):
        log["thresholds"] = [[plain_end(end) for end in one_range] for one_range in matrices.ranges]
        log["counts"] = matrices.counts and matrices.counts.to_dict()
        log["out_of"] = matrices.out_of
        log["rows_used"], log["rows_dropped"] = matrices.rows_used, matrices.rows_dropped
    answers = []
    for answered in elicitor.answers:
        entry = answered.to_dict()
        if isinstance(matrices, ThresholdMatrices):
            for side in ("first", "second"):
                reached = matrices.thresholds_of(getattr(answered.query, side))
                entry[f"{side}_thresholds"] = [plain_end(end) for end in reached]
        answers.append(entry)
    return log | {"answers": answers, "result": readable_values(elicitor.result())}


def replay(log: Mapping[str, Any], *, answers: int | None = None) -> Elicitor:
    """Return the interview a log describes, answers taken in, ready to continue.

    Parameters
    ----------
    log : mapping
        What `elicitation_log` returned, perhaps read back from JSON.
    answers : int, optional
        Take in only the first so many answers.

    Notes
    -----
    Stability: stable

    Every question is compared with the one in the log: a log that was edited, or written by a
    version that asks differently, is refused instead of silently misread.

    Examples
    --------
    >>> replay({"format": "something else"})
    Traceback (most recent call last):
        ...
    howgood.errors.FileFormatError: elicitation log: format 'something else', ...
    """
    if log.get("format") != _LOG_FORMAT or log.get("version") != _LOG_VERSION:
        raise FileFormatError(
            where="elicitation log",
            found=f"format {log.get('format')!r}, version {log.get('version')!r}",
            needed=f"{_LOG_FORMAT!r}, version {_LOG_VERSION}",
            cure="Pass a log that howgood elicit wrote.",
        )
    try:
        elicitor = Elicitor(_matrices(log), random_state=int(log["seed"]), **log["settings"])
        entries = list(log["answers"])[:answers]
        for entry in entries:
            _take(elicitor, entry)
    except InputError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise FileFormatError(
            where="elicitation log",
            found=f"a part that cannot be read ({error!s:.200})",
            needed="seed, settings, matrices and answers",
            cure="Pass the log as it was written.",
        ) from error
    return elicitor


def _take(elicitor: Elicitor, entry: Mapping[str, Any]) -> None:
    query = elicitor.query()
    asked = None if query is None else (query.first.to_dict(), query.second.to_dict())
    if asked != (entry["first"], entry["second"]):
        raise FileFormatError(
            where=f"elicitation log, answer {entry.get('number')}",
            found="a question that this seed and these answers do not lead to (an edited log, or "
            "one begun with another version of howgood, which asks differently)",
            needed="the log as it was written, and the version of howgood that wrote it",
            cure="Begin a new interview under another name, or go on with that version.",
        )
    elicitor.answer(entry["choice"], milliseconds=entry.get("milliseconds"))


def _matrices(log: Mapping[str, Any]) -> ThresholdMatrices | tuple[ConfusionMatrix, ...]:
    matrices = tuple(ConfusionMatrix.from_dict(matrix) for matrix in log["matrices"])
    if "thresholds" not in log:
        return matrices
    counts = log.get("counts")  # logs of earlier versions have none
    made = ThresholdMatrices(
        matrices=matrices,
        ranges=tuple(range_from(threshold) for threshold in log["thresholds"]),
        out_of=log["out_of"],
        rows_used=log["rows_used"],
        rows_dropped=log["rows_dropped"],
        counts=None if counts is None else ThresholdCounts.from_dict(counts),
    )
    if made.counts is not None and not _belong_together(made, made.counts):
        raise FileFormatError(
            where="elicitation log",
            found="counts that do not lead to the systems shown",
            needed="the log as it was written",
            cure="Start a new interview from the scores.",
        )
    return made


def _belong_together(made: ThresholdMatrices, counts: ThresholdCounts) -> bool:
    """Say whether every threshold of the counts shows the system that the log shows there."""
    uppers = np.array([one_range.upper for one_range in made.ranges])
    places = np.searchsorted(uppers, [one_range.upper for one_range in counts.ranges], side="left")
    return all(
        place < len(made) and made[place] == counts.matrix(index).displayed(out_of=made.out_of)
        for index, place in enumerate(places.tolist())
    )
