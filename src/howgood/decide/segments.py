"""One threshold for everybody, or one per segment of people?

In: a fit with segments (`learn.fit_acceptability(..., by=...)`); true labels and scores. Out:
`OneThreshold`: what each segment loses when all are served the same. Absent: segments themselves.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from howgood.decide.acceptability import N_DRAWS
from howgood.decide.sampling import PRIOR_CASES, Counts, ScoreBins, score_bins
from howgood.decide.thresholds import N_PEOPLE, N_TEST_SETS, PeopleObjective
from howgood.errors import InputError, UnknownNameError
from howgood.records.acceptance import AcceptanceDraws, draws_by_segment
from howgood.records.decision import OneThreshold, OneThresholdVerdict
from howgood.records.estimate import Estimate
from howgood.records.evidence import weakest
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed


def one_threshold(
    fit: object,
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    application: str | None = None,
    people_shares: Mapping[str, float] | None = None,
    worth: float = 0.02,
    certainty: float = 0.95,
    pos_label: object = 1,
    random_state: RandomState = None,
) -> OneThreshold:
    """Say what acceptance is lost when all segments are served one threshold.

    The common threshold has the highest expected acceptance of all people, each segment's own one
    that of its people. Both are then held, and every draw of people is paired with a draw of the
    test set: what is lost is the difference of the accepting shares at the two.

    Parameters
    ----------
    fit : fit of answers with segments
        From `learn.fit_acceptability(..., by="climate")`.
    y_true, scores, application, pos_label, random_state
        As in `threshold`.
    people_shares : mapping, optional
        Each segment's share of the people who will be served; as many as answered when left out.
    worth : float
        The loss from which a threshold of its own is worth the trouble.
    certainty : float
        How sure a verdict must be.

    Returns
    -------
    OneThreshold

    Notes
    -----
    Counts at both thresholds are smoothed over their neighbours, as in `threshold`: a threshold
    chosen on a test set looks better there than it is.

    Stability: experimental
    """
    check_probability(certainty, name="certainty", where="one_threshold")
    segments = _segments(fit, application)
    weights = _weights(segments, people_shares)
    generator, seed = generator_and_seed(random_state)
    bins = score_bins(y_true, scores, pos_label=pos_label, where="one_threshold")
    tables = bins.resampled(N_TEST_SETS, generator, prior_cases=PRIOR_CASES)
    expected = {
        name: PeopleObjective(draws.thinned(N_PEOPLE)).values(tables).mean(axis=0)
        for name, draws in segments.items()
    }
    common = int(np.argmax(sum(weights[name] * expected[name] for name in segments)))
    own = {name: int(np.argmax(values)) for name, values in expected.items()}
    shares, lost = {}, {}
    for name, draws in segments.items():
        shares[name], lost[name] = _lost(draws, bins, common, own[name], generator)
    evidence = weakest(draws.evidence for draws in segments.values())
    return OneThreshold(
        application=next(iter(segments.values())).application,
        common=float(bins.thresholds[common]),
        own={name: float(bins.thresholds[place]) for name, place in own.items()},
        people_shares=weights,
        acceptance={name: draws.estimate(shares[name]) for name, draws in segments.items()},
        lost={name: draws.estimate(lost[name]) for name, draws in segments.items()},
        lost_overall=Estimate.from_draws(
            np.sum([weights[name] * lost[name] for name in segments], axis=0), evidence=evidence
        ),
        verdict=_verdict(lost, worth, certainty) if evidence == "enough" else "not enough evidence",
        worth=worth,
        certainty=certainty,
        provenance=Provenance(
            method="posterior draws of every segment's people, paired with draws of the test set",
            settings={"prior cases per cell": PRIOR_CASES, "draws": N_DRAWS},
            seed=seed,
            rows_used=bins.n_cases,
        ),
        evidence=evidence,
    )


def _segments(fit: object, application: str | None) -> dict[str, AcceptanceDraws]:
    segments = draws_by_segment(fit, application, where="one_threshold")
    if len(segments) < 2:
        raise InputError(
            where="one_threshold",
            found="a model without segments",
            needed="a fit of at least two segments",
            cure='Fit the answers with by="your column".',
        )
    return segments


def _weights(
    segments: Mapping[str, AcceptanceDraws], given: Mapping[str, float] | None
) -> dict[str, float]:
    if given is None:
        given = {name: float(draws.n_respondents or 1) for name, draws in segments.items()}
    for name in segments:
        if name not in given:
            raise UnknownNameError(where="people_shares", name=name, names=tuple(given))
    total = sum(given[name] for name in segments)
    if not total > 0 or min(given[name] for name in segments) < 0:
        raise InputError(
            where="people_shares",
            found=", ".join(f"{name}: {given[name]:g}" for name in segments),
            needed="shares of at least 0, not all of them 0",
            cure='Give each segment\'s share of your users, such as {"cold": 0.7, "warm": 0.3}.',
        )
    return {name: given[name] / total for name in segments}


def _lost(
    draws: AcceptanceDraws,
    bins: ScoreBins,
    common: int,
    own: int,
    generator: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return accepting shares at the common threshold, and how many more accept their own."""
    lower, higher = _tables_at(bins, min(common, own), max(common, own), generator)
    at_common, at_own = (lower, higher) if common <= own else (higher, lower)
    people = draws.repeated(N_DRAWS)
    first = _shares_at(people, at_common)
    if common == own:
        return first, np.zeros(N_DRAWS)
    return first, _shares_at(people, at_own) - first


def _shares_at(people: AcceptanceDraws, tables: Counts) -> FloatArray:
    rates = tables.precision, tables.recall, tables.specificity
    return people.shares_at_mean(people.paired_means(*rates))


def _tables_at(
    bins: ScoreBins, lower: int, higher: int, generator: np.random.Generator
) -> tuple[Counts, Counts]:
    """Draw the confusion tables of two thresholds together, from their smoothed counts.

    Of real positives, and of the others, some reach both thresholds, some the lower one only, some
    neither: six numbers with a Dirichlet posterior.
    """
    low, high = bins.smoothed_at(lower), bins.smoothed_at(higher)

    def drawn(count: FloatArray, prior: float) -> FloatArray:
        return generator.standard_gamma(max(float(count), 0.0) + prior, size=N_DRAWS)

    # The half case of prior of each cell, and none between the two thresholds.
    both = [drawn(cell, PRIOR_CASES) for cell in (high.true_positives, high.false_positives)]
    neither = [drawn(cell, PRIOR_CASES) for cell in (low.false_negatives, low.true_negatives)]
    between = [
        drawn(low.true_positives - high.true_positives, 0.0),
        drawn(low.false_positives - high.false_positives, 0.0),
    ]
    first = Counts.of_cells(both[0] + between[0], neither[0], both[1] + between[1], neither[1])
    second = Counts.of_cells(both[0], neither[0] + between[0], both[1], neither[1] + between[1])
    return first, second


def _verdict(lost: Mapping[str, FloatArray], worth: float, certainty: float) -> OneThresholdVerdict:
    heavy = [float(np.mean(values >= worth)) for values in lost.values()]
    if max(heavy) >= certainty:
        return "own thresholds"
    return "one threshold" if max(heavy) <= 1.0 - certainty else "not enough evidence"
