r"""Which measure of accuracy do people follow: accuracy, F, informedness, ...?

In: answers about scenarios. Out: `MeasureComparison`: evidence and held-out score of each measure.
Absent: the model, which is the binary one with another measure in place of the weighted mean.

.. math:: \operatorname{logit} P(\text{accept}) = b_{0i} + b_i\,m_j + U_k

Every measure m that is not a mean of precision and recall is stretched to the range that their
unweighted geometric mean has over the scenarios shown, so that the priors say the same of each.

The held-out score leaves one person out without a refit: person k is taken out of the posterior by
the weights :math:`1 / p(y_k \mid \theta)`, Pareto smoothed; the score is
:math:`\log p(y_k \mid y_{-k})`. People's own leniency is integrated over, so the answers of a
person are left out together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from howgood.ask.intake import MissingPolicy, read_answers
from howgood.errors import InputError, UnknownNameError
from howgood.learn.acceptability import Flawless, has_flawless_term
from howgood.learn.binary_model import BinaryModel, Cells, accepted_from, cells_from, usual_cut
from howgood.learn.engines.importance import averaged_draws, sample_mixture
from howgood.learn.kinds import named_priors
from howgood.learn.selection import one_part
from howgood.records.answers import Answers
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.measures import MeasureComparison, sorted_by_score
from howgood.records.priors import Priors
from howgood.records.probability import check_probability
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.importance import weighted
from howgood.stats.random_intercepts import GroupCounts
from howgood.stats.randomness import RandomState, generator_and_seed

LARGEST_KHAT = 0.7
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Log score of every group of people who answered alike, and how sound leaving one out is."""

    log_scores: FloatArray
    khat: FloatArray

    def score(self, alike: FloatArray) -> float:
        """Return the score of all people; `alike` says how many each group has."""
        return float(alike @ self.log_scores)

    def difference(self, other: "HeldOut", alike: FloatArray) -> tuple[float, float]:
        """Return this score less the other, and its standard error over people."""
        apart, n_people = self.log_scores - other.log_scores, float(alike.sum())
        total = float(alike @ apart)
        if n_people < 2:
            return total, 0.0
        variance = float(alike @ (apart - total / n_people) ** 2) / (n_people - 1)
        return total, float(np.sqrt(n_people * variance))


def held_out(log_likelihoods: FloatArray) -> HeldOut:
    """Leave every group out of draws, given log likelihoods of shape (draws, groups)."""
    scores, khats = [], []
    no_draws = np.zeros((len(log_likelihoods), 0))
    for column in log_likelihoods.T:
        sample = weighted(no_draws, -column)
        top = column.max()
        scores.append(top + np.log(sample.weights @ np.exp(column - top)))
        khats.append(sample.khat)
    return HeldOut(np.array(scores), np.array(khats))


@dataclass(frozen=True, slots=True)
class ShownRates:
    """What every question shows: shares, and false alarms and other cases per real case.

    `false_alarms` is FP / (TP + FN); `others` is (FP + TN) / (TP + FN), None where nobody said how
    rare the thing is.
    """

    precision: FloatArray
    recall: FloatArray
    false_alarms: FloatArray
    others: float | None

    @classmethod
    def of(cls, cells: Cells, prevalence: float | None) -> "ShownRates":
        """Return the rates of every question; a precision of 0 leaves false alarms open."""
        if (cells.precision == 0).any():
            raise InputError(
                where="answers, precision",
                found="a scenario with a precision of 0",
                needed="precision above 0: without a hit it does not say how many false alarms",
                cure="Leave these rows out.",
            )
        false_alarms = cells.recall * (1.0 / cells.precision - 1.0)
        others = None if prevalence is None else 1.0 / prevalence - 1.0
        if others is not None and (false_alarms > others + _TOLERANCE).any():
            raise InputError(
                where="prevalence",
                found=f"{prevalence:g}, at which a scenario has more false alarms than cases",
                needed=f"at most {1.0 / (1.0 + float(false_alarms.max())):.3g}",
                cure="Give the share of real cases among all cases people were shown.",
            )
        return cls(cells.precision, cells.recall, false_alarms, others)

    @property
    def cleared(self) -> FloatArray:
        """True negatives per real case."""
        return np.asarray(np.maximum(self._others - self.false_alarms, 0.0))

    @property
    def specificity(self) -> FloatArray:
        """Share of other cases without a false alarm."""
        return self.cleared / self._others

    @property
    def _others(self) -> float:
        if self.others is None:
            raise ValueError("nobody said how rare the thing is")
        return self.others


def accuracy(shown: ShownRates) -> FloatArray:
    """Share of right answers among all cases."""
    return np.asarray((shown.recall + shown.cleared) / (1.0 + shown._others))


def error_rate(shown: ShownRates) -> FloatArray:
    """Errors of either kind per real case, turned so that more is better."""
    return -(1.0 - shown.recall + shown.false_alarms)


def f_measure(shown: ShownRates) -> FloatArray:
    """Harmonic mean of precision and recall."""
    total = shown.precision + shown.recall
    return np.asarray(2.0 * shown.precision * shown.recall / total)


def g_measure(shown: ShownRates) -> FloatArray:
    """Geometric mean of precision and recall."""
    return np.asarray(np.sqrt(shown.precision * shown.recall))


def informedness(shown: ShownRates) -> FloatArray:
    """Recall plus specificity less one (Youden's J)."""
    return shown.recall + shown.specificity - 1.0


def matthews(shown: ShownRates) -> FloatArray:
    """Matthews correlation of what was said with what is."""
    hit, missed, alarm, cleared = (
        shown.recall, 1.0 - shown.recall, shown.false_alarms, shown.cleared,
    )  # fmt: skip
    both = (hit + alarm) * (hit + missed) * (cleared + alarm) * (cleared + missed)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = (hit * cleared - alarm * missed) / np.sqrt(both)
    return np.where(both > 0, correlation, 0.0)


class Candidate(NamedTuple):
    """One measure: a value, or two values whose weighted mean of some order is learned."""

    values: tuple[Callable[[ShownRates], FloatArray], ...]
    orders: tuple[float, ...] = (1.0,)
    needs_prevalence: bool = False
    is_stretched: bool = True


def _precision(shown: ShownRates) -> FloatArray:
    return shown.precision


def _recall(shown: ShownRates) -> FloatArray:
    return shown.recall


def _few_alarms(shown: ShownRates) -> FloatArray:
    return -shown.false_alarms


CANDIDATES: dict[str, Candidate] = {
    "accuracy": Candidate((accuracy,), needs_prevalence=True),
    "error rate": Candidate((error_rate,)),
    "F": Candidate((f_measure,)),
    "G": Candidate((g_measure,)),
    "weighted mean": Candidate((_precision, _recall), is_stretched=False),
    "informedness": Candidate((informedness,), needs_prevalence=True),
    "Matthews": Candidate((matthews,), needs_prevalence=True),
    "net benefit": Candidate((_few_alarms, _recall)),
    "weighted power mean": Candidate(
        (_precision, _recall), orders=(-1.0, 0.0, 1.0), is_stretched=False
    ),
}


def compare_measures(
    answers: Any,  # noqa: ANN401 - a path or any frame narwhals knows
    *,
    measures: Sequence[str] = tuple(CANDIDATES),
    prevalence: float | None = None,
    columns: Mapping[str, str] | None = None,
    scale: int | None = None,
    cut: int | None = None,
    priors: str | Priors = "howgood",
    flawless: Flawless = "auto",
    draws: int = 1000,
    random_state: RandomState = None,
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    only_part: str | None = None,
    progress: Progress = silent,
) -> MeasureComparison:
    r"""Compare measures of accuracy by how well people's answers follow them.

    Each takes the place of the weighted mean in the binary model, with an intercept and a slope
    per application and people's leniency. The weights of "weighted mean", "weighted power mean"
    (of precision and recall, one per application) and "net benefit" (of hits and false alarms) are
    learned. Evidence says which measure predicted all answers best before any was seen; the
    held-out score how well each predicts a person's answers from everybody else's.

    Parameters
    ----------
    answers, columns, scale, cut, priors, flawless, missing, people, only_part
        See `fit_acceptability`.
    measures : sequence of str
        The candidates: "accuracy", "error rate" (errors per real case), "F", "G", "weighted mean",
        "informedness", "Matthews", "net benefit", "weighted power mean".
    prevalence : float, optional
        Share of real cases among all cases, which accuracy, informedness and Matthews correlation
        need; where people did not read them, they could not follow them.
    draws : int
        Draws of each fit.
    random_state, progress
        See `fit_acceptability`.

    Returns
    -------
    MeasureComparison

    Notes
    -----
    Stability: experimental

    References
    ----------
    Kay, Patel, Kientz (2015), "How Good is 85%?", CHI. Powers (2011), "Evaluation: from precision,
    recall and F-measure to ROC, informedness, markedness and correlation".
    Vehtari, Gelman, Gabry (2017), "Practical Bayesian model evaluation using leave-one-out
    cross-validation and WAIC".

    Examples
    --------
    >>> from howgood import ask
    >>> answers = ask.simulate_answers(
    ...     {"alarm": {"alpha": 0.1, "intercept": -13.0, "slope": 16.0}}, people=40, random_state=1
    ... )
    >>> found = compare_measures(answers, measures=("F", "weighted mean"), random_state=1)
    >>> found.best
    'weighted mean'
    """
    chosen = _chosen(measures)
    if prevalence is not None:
        check_probability(prevalence, name="prevalence", where="compare_measures")
    read = read_answers(answers, columns=columns, missing=missing, scale=scale, people=people)
    read = one_part(read, only_part)
    cut = usual_cut(read) if cut is None else cut
    cells = cells_from(read, accepted_from(read, cut))
    known = named_priors(priors)
    rng, seed = generator_and_seed(random_state)
    fit = _Fit(cells, known, has_flawless_term(flawless, cells, known), draws, rng)
    shown = ShownRates.of(cells, prevalence)
    by_measure: dict[str, _Compared] = {}
    not_computed: dict[str, str] = {}
    for number, (name, candidate) in enumerate(chosen.items()):
        progress(number / len(chosen), name)
        why = _why_not(candidate, shown)
        if why:
            not_computed[name] = why
        else:
            by_measure[name] = fit.of(candidate, shown)
    _refuse_none(by_measure, not_computed)
    return MeasureComparison(
        table=_table(by_measure, cells),
        not_computed=not_computed,
        n_respondents=int(cells.groups.alike.sum()),
        provenance=_provenance(read, fit, seed, {"cut": cut, "prevalence": prevalence}),
    )


def _provenance(
    answers: Answers, fit: "_Fit", seed: int | None, more: Mapping[str, float | None]
) -> Provenance:
    given = {name: value for name, value in more.items() if value is not None}
    used = {"priors": fit.priors.name, "flawless": fit.flawless, "draws": fit.draws}
    return Provenance(
        method="binary mixed model per measure, importance sampling; one left out by reweighting",
        settings={**answers.provenance.settings, **given, **used},
        seed=seed,
        rows_used=len(answers),
        rows_dropped=answers.provenance.rows_dropped,
    )


class _Compared(NamedTuple):
    log_evidence: float
    left_out: HeldOut
    reliable: bool
    n_refitted: int


@dataclass(frozen=True, slots=True)
class _Fit:
    """How every candidate is fitted."""

    cells: Cells
    priors: Priors
    flawless: bool
    draws: int
    rng: np.random.Generator

    def of(self, candidate: Candidate, shown: ShownRates) -> _Compared:
        """Return evidence and held-out score of one measure."""
        first, *rest = (value(shown) for value in candidate.values)
        second = rest[0] if rest else first
        if candidate.is_stretched:
            first, second = _stretched(first, shown), _stretched(second, shown)
        cells = replace(self.cells, precision=first, recall=second)
        total, by_person, sound = self._sampled(cells, candidate.orders, cells.groups)
        left = held_out(by_person)
        # Where one person weighs too much, the others are fitted without that person.
        unsound = np.flatnonzero(~(left.khat <= LARGEST_KHAT))
        scores = left.log_scores.copy()
        for group in unsound:
            alike = cells.groups.alike.copy()
            alike[group] -= 1.0
            others = GroupCounts(cells.groups.counts, alike)
            _, likely, fine = self._sampled(cells, candidate.orders, others)
            scores[group] = np.logaddexp.reduce(likely[:, group]) - np.log(len(likely))
            sound = sound and fine
        return _Compared(total, HeldOut(scores, left.khat), sound, len(unsound))

    def _sampled(
        self, cells: Cells, orders: tuple[float, ...], groups: GroupCounts
    ) -> tuple[float, FloatArray, bool]:
        """Fit some people; return evidence, everybody's log likelihoods, whether it is sound."""
        models = {
            p: BinaryModel(replace(cells, groups=groups), self.priors, p, flawless=self.flawless)
            for p in orders
        }
        prior = dict.fromkeys(models, 1.0 / len(models))
        mixture = sample_mixture(models, prior, draws=self.draws, rng=self.rng)
        rows = averaged_draws(mixture, self.draws, self.rng)
        by_person = [models[p].log_likelihoods(points) for p, points in rows.items() if len(points)]
        total = np.logaddexp.reduce(
            [value + np.log(prior[p]) for p, value in mixture.log_evidence.items()]
        )
        sound = not any(mixture.complaints.values())
        return float(total), np.concatenate(by_person), sound


def _chosen(measures: Sequence[str]) -> dict[str, Candidate]:
    for name in measures:
        if name not in CANDIDATES:
            raise UnknownNameError(where="measures", name=name, names=CANDIDATES)
    return {name: CANDIDATES[name] for name in measures}


def _why_not(candidate: Candidate, shown: ShownRates) -> str:
    """Say why a candidate cannot be compared, or return an empty string."""
    if candidate.needs_prevalence and shown.others is None:
        return "needs the prevalence: prevalence=, or --prevalence"
    if any(np.ptp(value(shown)) < _TOLERANCE for value in candidate.values):
        return "is the same in all scenarios"
    return ""


def _refuse_none(by_measure: Mapping[str, _Compared], not_computed: Mapping[str, str]) -> None:
    if not by_measure:
        reasons = "; ".join(f"{name} {why}" for name, why in not_computed.items())
        raise InputError(
            where="measures",
            found=reasons or "none",
            needed="at least one measure that can be computed",
            cure="Name others, or say how rare the thing is.",
        )


def _stretched(values: FloatArray, shown: ShownRates) -> FloatArray:
    """Return values on the range that the geometric mean of precision and recall has."""
    usual = g_measure(shown)
    share = (values - values.min()) / np.ptp(values)
    return np.asarray(usual.min() + share * np.ptp(usual))


def _table(by_measure: Mapping[str, _Compared], cells: Cells) -> Any:  # noqa: ANN401 - a Table
    alike = cells.groups.alike
    evidence = np.array([compared.log_evidence for compared in by_measure.values()])
    shares = np.exp(evidence - evidence.max())
    scores = [compared.left_out.score(alike) for compared in by_measure.values()]
    best = list(by_measure.values())[int(np.argmax(scores))].left_out
    rows = [
        {
            "measure": name,
            "log_evidence": compared.log_evidence,
            "probability": share,
            "held_out_log_score": score,
            "refitted": compared.n_refitted,
            "reliable": compared.reliable,
        }
        for (name, compared), share, score in zip(
            by_measure.items(), shares / shares.sum(), scores, strict=True
        )
    ]
    apart = [compared.left_out.difference(best, alike) for compared in by_measure.values()]
    return sorted_by_score(rows, apart)
