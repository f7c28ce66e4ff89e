"""What rates of failure people tolerate, and whether a system keeps below them.

In: a fit of failures; counts of failing answers in an evaluation. Out: `FailureBar`, `FailureGate`.
Absent: reading logs (`flow.failures`), fitting (`learn.failures`).
"""

from collections.abc import Mapping

import numpy as np

from howgood.errors import InputError
from howgood.learn.failures import FailuresFit
from howgood.records.decision import GateVerdict
from howgood.records.failures import FailureBar, FailureGate
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_DRAWS = 4000
_HALF_A_CASE = 0.5


def failure_bar(fit: FailuresFit, *, share: float = 0.7, certainty: float = 0.95) -> FailureBar:
    r"""Return the rates of failure at which `share` of people still accept.

    Parameters
    ----------
    fit : FailuresFit
    share : float
        The share of people that should accept.
    certainty : float
        How sure that must be where rates of all kinds occur together.

    Returns
    -------
    FailureBar

    Notes
    -----
    The rates that may occur together share people's tolerance equally: where :math:`\bar w_k` is
    the mean weight, the rate of kind k is :math:`(t / \bar w_k)^{1/\gamma}` with the largest t at
    which `share` is reached with probability `certainty`.

    Stability: experimental

    Examples
    --------
    >>> from howgood import ask, learn
    >>> answers = ask.simulate_failure_answers(
    ...     {"wrong": 0.2, "invented": 0.8}, people=60, level=5.0, random_state=1
    ... )
    >>> fit = learn.fit_failures(answers, kinds=("wrong", "invented"), draws=1000, random_state=1)
    >>> bar = failure_bar(fit, share=0.5)
    >>> bar.together["wrong"] > bar.together["invented"]
    True
    """
    check_probability(share, name="share", where="failure_bar")
    check_probability(certainty, name="certainty", where="failure_bar")
    spare = fit.spare_draws(share)
    together = _together(fit, share, certainty) if fit.evidence == "enough" else None
    return FailureBar(
        application=fit.application,
        share=share,
        certainty=certainty,
        alone={kind: fit.tolerable(kind, share=share) for kind in fit.kinds},
        together=together,
        reachable=float(np.mean(spare > 0)),
        provenance=Provenance(
            method="rates solved per posterior draw, population share integrated",
            settings={"share": share, "certainty": certainty, "draws": len(spare)},
        ),
        evidence=fit.evidence,
    )


def _together(fit: FailuresFit, share: float, certainty: float) -> dict[str, float] | None:
    """Largest rates in proportion to what is tolerated of each kind that are low enough."""
    lost = np.array([fit.weights[kind].mean for kind in fit.kinds])
    mixed = (1.0 / np.maximum(lost, 1e-9)) / (1.0 / np.maximum(lost, 1e-9)).sum()

    def is_enough(total: float) -> bool:
        rates = {kind: float(total * part) for kind, part in zip(fit.kinds, mixed, strict=True)}
        return float(np.mean(fit.share_draws(rates) >= share)) >= certainty

    least, most = 1e-6, 1.0
    if not is_enough(least):
        return None
    for _ in range(30):
        middle = 0.5 * (least + most)
        least, most = (middle, most) if is_enough(middle) else (least, middle)
    return {kind: float(least * part) for kind, part in zip(fit.kinds, mixed, strict=True)}


def failure_gate(
    fit: FailuresFit,
    counts: Mapping[str, int],
    *,
    cases: int,
    share: float = 0.7,
    certainty: float = 0.95,
    random_state: RandomState = None,
) -> FailureGate:
    """Say whether at least `share` of people would accept a system that fails so often.

    Each draw pairs one draw of people with one draw of the true rates from their Dirichlet
    posterior (half a case of prior in each cell), so that the verdict covers both whom we asked
    and which cases the evaluation happened to hold.

    Parameters
    ----------
    fit : FailuresFit
    counts : mapping
        Kind of failure to how many answers of the evaluation failed so; others did not.
    cases : int
        How many answers there were in all.
    share, certainty
        As in `gate`.
    random_state : None, int or Generator

    Returns
    -------
    FailureGate

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import ask, learn
    >>> answers = ask.simulate_failure_answers({"wrong": 1.0}, people=40, random_state=1)
    >>> fit = learn.fit_failures(answers, kinds=("wrong",), draws=1000, random_state=1)
    >>> failure_gate(fit, {"wrong": 90}, cases=200, random_state=1).verdict
    'fail'
    """
    check_probability(share, name="share", where="failure_gate")
    check_probability(certainty, name="certainty", where="failure_gate")
    _check_counts(fit, counts, cases)
    rng, seed = generator_and_seed(random_state)
    row = np.array([counts.get(kind, 0) for kind in fit.kinds], dtype=np.float64)
    cells = np.append(row, cases - row.sum()) + _HALF_A_CASE
    rates = rng.dirichlet(cells, size=_DRAWS)[:, :-1]
    accepting = fit.estimate_of(_paired_shares(fit, rates))
    p_enough = float(np.mean(accepting.draws >= share))
    verdict: GateVerdict = "pass" if p_enough >= certainty else "fail"
    if fit.evidence != "enough" or 1.0 - certainty < p_enough < certainty:
        verdict = "investigate"
    return FailureGate(
        application=fit.application,
        verdict=verdict,
        p_enough=p_enough,
        acceptance=accepting,
        rates={kind: float(n / cases) for kind, n in zip(fit.kinds, row, strict=True)},
        cases=cases,
        share=share,
        certainty=certainty,
        provenance=Provenance(
            method="posterior draws of people, paired with Dirichlet draws of the rates",
            settings={"prior cases per cell": _HALF_A_CASE, "draws": _DRAWS},
            seed=seed,
            rows_used=cases,
        ),
        evidence=fit.evidence,
    )


def _paired_shares(fit: FailuresFit, rates: FloatArray) -> FloatArray:
    rows = np.arange(len(rates)) % len(fit.draws)
    return fit.paired_shares(rows, rates)


def _check_counts(fit: FailuresFit, counts: Mapping[str, int], cases: int) -> None:
    fit.checked_rates(dict.fromkeys(counts, 0.0))
    if cases < 1 or min(counts.values(), default=0) < 0 or sum(counts.values()) > cases:
        raise InputError(
            where="failure_gate",
            found=f"{dict(counts)} of {cases} cases",
            needed="counts of at least 0 that do not exceed the cases together",
            cure="Count every answer once, under the failure that weighs most.",
        )
