"""Learn how much each kind of failure weighs, and what rates of failure people tolerate.

In: answers about scenarios of failures (a column of counts per kind). Out: `FailuresFit`. Absent:
the model (`learn.failure_model`), bars and verdicts (`decide.failure_rates`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howgood.ask.intake import MissingPolicy, read_answers
from howgood.errors import (
    FewRespondentsWarning,
    InputError,
    NoEvidenceWarning,
    UnknownNameError,
    announce,
)
from howgood.learn import fit_file
from howgood.learn.binary_model import accepted_from, usual_cut
from howgood.learn.engines.importance import natural_draws, sample_mixture
from howgood.learn.engines.select import gated
from howgood.learn.failure_model import (
    FailureCells,
    FailureModel,
    failing,
    failure_cells,
    failure_columns,
)
from howgood.learn.selection import one_named_application
from howgood.records.answers import Answers
from howgood.records.diagnostics import Diagnostics
from howgood.records.estimate import Estimate
from howgood.records.evidence import FEW_PEOPLE, Evidence
from howgood.records.failures import FailurePriors
from howgood.records.inclusion import DEFAULT, PeoplePolicy
from howgood.records.priors import HalfNormal, Normal
from howgood.records.probability import check_probability
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray
from howgood.stats.logistic import location_for_mean, logistic_normal_mean
from howgood.stats.random_intercepts import GroupCounts
from howgood.stats.randomness import RandomState, generator_and_seed

KIND = "fit of failures"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailuresFit(Tabular):
    """A posterior of the model of failures by kind.

    Rates are shares of answers that fail in a way, from 0 to 1; a kind that is not named in a
    mapping of rates does not fail.

    Stability: experimental

    Examples
    --------
    >>> from howgood import ask, learn
    >>> answers = ask.simulate_failure_answers(
    ...     {"wrong": 0.4, "invented": 1.6}, people=40, random_state=1
    ... )
    >>> fit = learn.fit_failures(answers, kinds=("wrong", "invented"), draws=1000, random_state=1)
    >>> fit.relative("invented", to="wrong").interval.lower > 1.0
    True
    """

    frame_of: ClassVar[str] = "summary"

    application: str
    kinds: tuple[str, ...]
    out_of: int
    n_respondents: int
    power_probabilities: Mapping[float, float]
    log_evidence: Mapping[float, float]
    draws: FloatArray = field(repr=False)
    cells: FailureCells = field(repr=False)
    cut: int
    priors: FailurePriors
    diagnostics: Diagnostics
    provenance: Provenance = field(repr=False)

    @property
    def evidence(self) -> Evidence:
        """Whether the answers suffice to decide: "enough", "few people" or "none"."""
        if silent_reason(self.cells):
            return "none"
        return "few people" if self.n_respondents < FEW_PEOPLE else "enough"

    # -- weights -----------------------------------------------------------------------------

    @property
    def weights(self) -> dict[str, Estimate]:
        """Logits lost by the first failing answer of `out_of`, by kind."""
        return {kind: self._estimate(self._lost_by_one(kind)) for kind in self.kinds}

    def relative(self, kind: str, *, to: str) -> Estimate:
        """Return how many failures of the kind `to` weigh as much as one of `kind`.

        The interval is that of quantiles: a ratio of weights has a long tail, so its median says
        more than its mean.
        """
        ratio = self._lost_by_one(kind) / np.maximum(self._lost_by_one(to), 1e-9)
        return self._estimate(ratio, kind="quantile")

    @property
    def person_sd(self) -> Estimate:
        """Standard deviation of people's leniency."""
        return self._estimate(self._named("person_sd")[:, 0])

    @property
    def flawless(self) -> Estimate | None:
        """How many logits more are given when nothing fails; None where nobody saw that."""
        if not self.cells.is_flawless.any():
            return None
        return self._estimate(self._named("flawless")[:, 0])

    # -- shares ------------------------------------------------------------------------------

    def predict(self, rates: Mapping[str, float]) -> Estimate:
        """Return the share of people who would accept a system with these rates of failure."""
        return self._estimate(self.share_draws(rates))

    def share_draws(self, rates: Mapping[str, float]) -> FloatArray:
        """Return the share accepting in every draw."""
        return logistic_normal_mean(self.location_draws(rates), self._named("person_sd")[:, 0])

    def location_draws(self, rates: Mapping[str, float]) -> FloatArray:
        """Return the logit of a person of average leniency in every draw."""
        known = self.checked_rates(rates)
        row = np.array([known.get(kind, 0.0) for kind in self.kinds])
        location = self._location(row)
        return location if row.any() else location + self._named("flawless")[:, 0]

    def paired_shares(self, rows: NDArray[np.intp], rates: FloatArray) -> FloatArray:
        """Return shares where draw `rows[i]` of people sees the rates of row i: shape (n,)."""
        at = failure_columns(len(self.kinds))
        draws = self.draws[rows]
        location, power = draws[:, at["level"]][:, 0].copy(), draws[:, at["power"]][:, 0]
        for gamma in np.unique(power):
            here = power == gamma
            lost = draws[here][:, at["weight"]] * failing(rates[here], float(gamma))
            location[here] -= lost.sum(axis=1)
        location += draws[:, at["flawless"]][:, 0] * ~rates.any(axis=1)
        return logistic_normal_mean(location, draws[:, at["person_sd"]][:, 0])

    def estimate_of(self, values: FloatArray) -> Estimate:
        """Return the estimate of something worked out draw by draw, with whom it rests on."""
        return self._estimate(values)

    def without(self, kind: str, rates: Mapping[str, float]) -> Estimate:
        """Return what share more would accept if nothing failed in this way any more."""
        self._index(kind)
        others = {name: rate for name, rate in rates.items() if name != kind}
        return self._estimate(self.share_draws(others) - self.share_draws(rates))

    def removing(self, rates: Mapping[str, float]) -> Table:
        """Return for each kind that occurs the share accepting without it, and what that gains."""
        names = [kind for kind in self.kinds if rates.get(kind, 0.0) > 0]
        left = [{name: rate for name, rate in rates.items() if name != kind} for kind in names]
        shares = [self.predict(others) for others in left]
        gains = [self.without(kind, rates) for kind in names]
        return Table(
            {
                "without": np.array(names, dtype=object),
                "share": np.array([share.mean for share in shares]),
                "lower": np.array([share.interval.lower for share in shares]),
                "upper": np.array([share.interval.upper for share in shares]),
                "gain": np.array([gain.mean for gain in gains]),
                "gain_lower": np.array([gain.interval.lower for gain in gains]),
                "gain_upper": np.array([gain.interval.upper for gain in gains]),
            }
        )

    def tolerable(
        self, kind: str, *, share: float = 0.7, others: Mapping[str, float] | None = None
    ) -> Estimate:
        r"""Return the highest rate of one kind at which `share` of people still accept.

        Per draw :math:`E_U[\operatorname{expit}(b_0 - \sum w f + U)] = \text{share}` is solved for
        this kind's rate, the `others` given (none fails when left out): 0 in draws in which any
        failure of it is too much, at most what the others leave.
        """
        check_probability(share, name="share", where="tolerable")
        known = self.checked_rates(others or {})
        if kind in known:
            raise InputError(
                where="tolerable, others",
                found=repr(kind),
                needed="rates of the other kinds",
                cure="Leave it out: its rate is what is asked for.",
            )
        index = self._index(kind)
        row = np.array([known.get(name, 0.0) for name in self.kinds])
        spare = self._location(row) - location_for_mean(share, self._named("person_sd")[:, 0])
        power = self._named("power")[:, 0]
        weight = np.maximum(self._named("weight")[:, index], 1e-12)
        rate = np.maximum(spare / weight, 0.0) ** (1.0 / power)
        return self._estimate(np.minimum(rate, 1.0 - row.sum()))

    def spare_draws(self, share: float) -> FloatArray:
        """Return how many logits may be lost before fewer than `share` accept, by draw."""
        nothing = self._location(np.zeros(len(self.kinds)))
        return nothing - location_for_mean(share, self._named("person_sd")[:, 0])

    # -- tables and files --------------------------------------------------------------------

    def __str__(self) -> str:
        return str(self.summary())

    def summary(self) -> Table:
        """Return mean, sd and 95 % interval of every weight and of the spread of people."""
        estimates = {f"weight of {kind}": weight for kind, weight in self.weights.items()}
        estimates["person_sd"] = self.person_sd
        if self.flawless is not None:
            estimates["flawless"] = self.flawless
        return Table(
            {
                "parameter": np.array(list(estimates), dtype=object),
                "mean": np.array([estimate.mean for estimate in estimates.values()]),
                "sd": np.array([estimate.sd for estimate in estimates.values()]),
                "lower": np.array([estimate.interval.lower for estimate in estimates.values()]),
                "upper": np.array([estimate.interval.upper for estimate in estimates.values()]),
            }
        )

    def methods_text(self) -> str:
        """Return a paragraph for the methods section."""
        listed = ", ".join(self.kinds)
        return (
            f"{self.n_respondents} respondents gave {self.provenance.rows_used} answers about "
            f"scenarios of {self.out_of} answers, of which some fail by kind ({listed}). We fitted "
            "a Bayesian mixed-effects logistic regression of accepting on the rates of failure, "
            "with one weight of at least 0 per kind and a normal random intercept per respondent"
            + (", and a term for scenarios in which nothing fails" if self.flawless else "")
            + f". Priors: {self.priors.describe()}. Respondents' intercepts were integrated out on "
            "a grid and the posterior sampled by importance sampling (largest Pareto k-hat "
            f"{self.diagnostics.khat:.2f}, {self.diagnostics.effective_draws:.0f} effective draws)."
            f" howgood {self.provenance.versions.get('howgood', '')}, seed {self.provenance.seed}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as readable values."""
        return {
            "application": self.application,
            "kinds": self.kinds,
            "out_of": self.out_of,
            "n_respondents": self.n_respondents,
            "evidence": self.evidence,
            "weights": {kind: weight.to_dict() for kind, weight in self.weights.items()},
            "power_probabilities": {f"{p:g}": s for p, s in self.power_probabilities.items()},
            "diagnostics": self.diagnostics.to_dict(),
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def load(cls, path: str | Path) -> "FailuresFit":
        """Return the fit that `save` wrote: `learn.load_failures`."""
        return load_failures(path)

    def save(self, path: str | Path) -> None:
        """Write the fit to one file (.npz); read it back with `load` or `learn.load_failures`."""
        values = {
            "application": self.application,
            "kinds": list(self.kinds),
            "out_of": self.out_of,
            "n_respondents": self.n_respondents,
            "power_probabilities": [[p, share] for p, share in self.power_probabilities.items()],
            "log_evidence": [[p, value] for p, value in self.log_evidence.items()],
            "cut": self.cut,
            "priors": [
                *(self.priors.level.mean, self.priors.level.sd, self.priors.weight.scale),
                *(self.priors.person_sd.scale, self.priors.flawless.scale),
            ],
            "diagnostics": self.diagnostics.to_dict(),
            "provenance": self.provenance.to_dict(),
        }
        arrays = {
            "draws": self.draws,
            "rates": self.cells.rates,
            "counts": self.cells.groups.counts,
            "alike": self.cells.groups.alike,
        }
        fit_file.write_fit(path, kind=KIND, values=values, arrays=arrays)

    # -- inside ------------------------------------------------------------------------------

    def checked_rates(self, rates: Mapping[str, float]) -> dict[str, float]:
        """Return rates of known kinds that are shares and do not exceed all answers together."""
        for kind, rate in rates.items():
            self._index(kind)
            check_probability(rate, name=kind, where="rates of failure", ends=True)
        if sum(rates.values()) > 1.0 + 1e-9:
            raise InputError(
                where="rates of failure",
                found=f"{sum(rates.values()):.3g} in all",
                needed="at most 1: an answer fails in one way",
                cure="Count every answer under the failure that weighs most.",
            )
        return {kind: float(rate) for kind, rate in rates.items()}

    def _location(self, row: FloatArray) -> FloatArray:
        power = self._named("power")
        lost = np.empty(len(power))
        for gamma in np.unique(power):
            here = power[:, 0] == gamma
            lost[here] = self._named("weight")[here] @ failing(row, float(gamma))
        return self._named("level")[:, 0] - lost

    def _lost_by_one(self, kind: str) -> FloatArray:
        weight = self._named("weight")[:, self._index(kind)]
        return np.asarray(weight * (1.0 / self.out_of) ** self._named("power")[:, 0])

    def _index(self, kind: str) -> int:
        if kind not in self.kinds:
            raise UnknownNameError(where="kind of failure", name=kind, names=self.kinds)
        return self.kinds.index(kind)

    def _named(self, parameter: str) -> FloatArray:
        return self.draws[:, failure_columns(len(self.kinds))[parameter]]

    def _estimate(self, values: FloatArray, **interval: Any) -> Estimate:  # noqa: ANN401 - options
        return Estimate.from_draws(
            values, n_respondents=self.n_respondents, evidence=self.evidence, **interval
        )


def fit_failures(
    answers: Any,  # noqa: ANN401 - a path or any frame narwhals knows
    *,
    kinds: Sequence[str],
    out_of: int = 20,
    application: str | None = None,
    columns: Mapping[str, str] | None = None,
    scale: int | None = None,
    cut: int | None = None,
    powers: Sequence[float] = (1.0,),
    priors: FailurePriors | None = None,
    draws: int = 4000,
    random_state: RandomState = None,
    missing: MissingPolicy = "unanswered",
    people: PeoplePolicy = DEFAULT,
    progress: Progress = silent,
) -> FailuresFit:
    r"""Fit how much each kind of failure weighs in whether people accept a system.

    .. math:: \operatorname{logit} P(\text{accept}) = b_0 - \sum_k w_k (n_k/N)^\gamma + d\,[n = 0]
              + U, \quad w_k \ge 0,\; d \ge 0

    Parameters
    ----------
    answers : path, frame or Answers
        Columns `participant`, `application`, one column of counts per kind, and `rating` or
        `accepted`.
    kinds : sequence of str
        The columns with the counts of failing answers.
    out_of : int
        How many answers every scenario speaks of.
    application : str, optional
        The application to fit, where the answers are about several.
    columns, scale, cut, missing, people
        See `fit_acceptability`.
    powers : sequence of float
        The powers :math:`\gamma` in (0, 1] to choose among by their evidence: 1 means that the
        tenth failure weighs as much as the first, less that the first ones weigh most.
    priors : FailurePriors, optional
    draws, random_state, progress
        See `fit_acceptability`.

    Returns
    -------
    FailuresFit

    Raises
    ------
    UngatedPosteriorError
        When the draws fail a gate.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import ask
    >>> answers = ask.simulate_failure_answers(
    ...     {"wrong": 0.4, "invented": 1.6}, people=40, random_state=1
    ... )
    >>> fit = fit_failures(answers, kinds=("wrong", "invented"), draws=1000, random_state=1)
    >>> 0.0 < fit.predict({"wrong": 0.1, "invented": 0.05}).mean < 1.0
    True
    """
    names, gammas = _checked_kinds(kinds), _checked_powers(powers)
    read = read_answers(
        answers, columns=columns, missing=missing, scale=scale, people=people, shown=names
    )
    read = one_named_application(read, application)
    _check_counts(read, names, out_of)
    cut = usual_cut(read) if cut is None else cut
    cells = failure_cells(read, accepted_from(read, cut), names, out_of)
    n_people = int(cells.groups.alike.sum())
    _warn_about(cells, n_people)
    known = FailurePriors() if priors is None else priors
    rng, seed = generator_and_seed(random_state)
    models = {gamma: FailureModel(cells, known, gamma) for gamma in gammas}
    equal = dict.fromkeys(gammas, 1.0 / len(gammas))
    mixture = sample_mixture(models, equal, draws=draws, rng=rng, progress=progress)
    diagnostics = gated(mixture, cure="Ask more people.")
    averaged, _ = natural_draws(mixture, models, draws, rng)
    settings = {"kinds": list(names), "out of": out_of, "powers": list(gammas), "draws": draws}
    return FailuresFit(
        application=str(read["application"][0]),
        kinds=names,
        out_of=out_of,
        n_respondents=n_people,
        power_probabilities=dict(mixture.probabilities),
        log_evidence=dict(mixture.log_evidence),
        draws=averaged,
        cells=cells,
        cut=cut,
        priors=known,
        diagnostics=diagnostics,
        provenance=Provenance(
            method="mixed model of failures by kind, importance",
            settings={**read.provenance.settings, "cut": cut, **settings},
            seed=seed,
            rows_used=len(read),
            rows_dropped=read.provenance.rows_dropped,
        ),
    )


def silent_reason(cells: FailureCells) -> str:
    """Say what the answers cannot tell, or return an empty string."""
    total = cells.groups.alike @ cells.groups.counts
    accepted, refused = np.split(total, 2)
    if not accepted.sum() or not refused.sum():
        return f"any weight: every answer {'accepts' if accepted.sum() else 'refuses'}"
    constant = [
        kind for kind, rates in zip(cells.kinds, cells.rates.T, strict=True) if np.ptp(rates) == 0
    ]
    if constant:
        return f"the weight of {', '.join(constant)}: its count never varied"
    together = np.linalg.matrix_rank(np.column_stack([np.ones(len(cells.rates)), cells.rates]))
    if together <= len(cells.kinds):
        return "the weights one by one: some kinds always varied together"
    return ""


def _warn_about(cells: FailureCells, n_people: int) -> None:
    if n_people < FEW_PEOPLE:
        announce(
            f"few respondents ({n_people}): 25 are usual; the intervals say how little is known, "
            "and lean on the priors.",
            FewRespondentsWarning,
        )
    reason = silent_reason(cells)
    if reason:
        announce(
            f"the answers say nothing about {reason}; what is reported comes from the priors.",
            NoEvidenceWarning,
        )


def _checked_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    names = (kinds,) if isinstance(kinds, str) else tuple(str(kind) for kind in kinds)
    if not names or len(set(names)) < len(names):
        raise InputError(
            where="kinds",
            found=", ".join(map(repr, names)) or "nothing",
            needed="the columns with the counts of each kind of failure",
            cure='Name them, for instance kinds=("wrong", "invented", "refused").',
        )
    return names


def _checked_powers(powers: Sequence[float]) -> tuple[float, ...]:
    checked = tuple(float(power) for power in powers)
    if (
        not checked
        or len(set(checked)) < len(checked)
        or not all(0 < power <= 1 for power in checked)
    ):
        raise InputError(
            where="powers",
            found=repr(tuple(powers)),
            needed="distinct numbers above 0 and at most 1",
            cure="Use (1,), or (1, 0.5) to compare.",
        )
    return checked


def _check_counts(answers: Answers, kinds: tuple[str, ...], out_of: int) -> None:
    counts = np.column_stack([answers[kind] for kind in kinds])
    wrong = (counts < 0) | (counts != np.round(counts))
    total = counts.sum(axis=1)
    if not wrong.any() and bool((total <= out_of).all()):
        return
    row = int(np.argmax(wrong.any(axis=1) | (total > out_of)))
    found = ", ".join(f"{kind} {n:g}" for kind, n in zip(kinds, counts[row], strict=True))
    raise InputError(
        where=f"answers, row {row + 1}",
        found=found,
        needed=f"whole counts of failing answers, at most {out_of} together",
        cure="Say how many answers a scenario speaks of: out_of=...",
    )


def load_failures(path: str | Path) -> FailuresFit:
    """Read a fit written by `FailuresFit.save`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> load_failures("nowhere.npz")
    Traceback (most recent call last):
    howgood.errors.FileFormatError: nowhere.npz: no such file; expected a saved fit of failures. ...
    """
    return fit_file.loaded(path, kind=KIND, make=_fit_from, is_whole=_is_whole)


def _fit_from(values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> FailuresFit:
    kinds = tuple(values["kinds"])
    return FailuresFit(
        application=values["application"],
        kinds=kinds,
        out_of=values["out_of"],
        n_respondents=values["n_respondents"],
        power_probabilities=dict(values["power_probabilities"]),
        log_evidence=dict(values["log_evidence"]),
        draws=arrays["draws"],
        cells=FailureCells(kinds, arrays["rates"], GroupCounts(arrays["counts"], arrays["alike"])),
        cut=values["cut"],
        priors=_priors_from(values["priors"]),
        diagnostics=Diagnostics(**values["diagnostics"]),
        provenance=Provenance(**values["provenance"]),
    )


def _priors_from(numbers: Sequence[float]) -> FailurePriors:
    mean, sd, weight, person_sd, flawless = (float(number) for number in numbers)
    if not min(sd, weight, person_sd, flawless) > 0:
        raise ValueError("a spread of a prior that is not positive")
    return FailurePriors(
        level=Normal(mean, sd),
        weight=HalfNormal(weight),
        person_sd=HalfNormal(person_sd),
        flawless=HalfNormal(flawless),
    )


def _is_whole(fit: FailuresFit) -> bool:
    """Whether everything in a fit has the shape and the values every method relies on."""
    n_kinds, groups, rates = len(fit.kinds), fit.cells.groups, fit.cells.rates
    arrays = [fit.draws, rates, groups.counts, groups.alike]
    return (
        all(isinstance(kind, str) for kind in (*fit.kinds, fit.application))
        and all(array.dtype.kind == "f" and np.isfinite(array).all() for array in arrays)
        and fit.draws.ndim == 2
        and len(fit.draws) > 0
        and fit.draws.shape[1] == failure_columns(n_kinds)["power"].stop
        and bool((fit.draws[:, 1:] >= 0).all() and (fit.draws[:, -1] > 0).all())
        and rates.ndim == 2
        and rates.shape[1] == n_kinds
        and bool(((rates >= 0) & (rates <= 1)).all())
        and groups.alike.ndim == 1
        and groups.counts.shape == (len(groups.alike), 2 * len(rates))
        and isinstance(fit.n_respondents, int)
        and isinstance(fit.out_of, int)
        and fit.n_respondents > 0
        and fit.out_of > 0
    )
