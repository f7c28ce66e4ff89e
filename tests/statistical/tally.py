"""Ranks and hits of many quantities over many simulated studies, handed to the ledger at the end.

In: posterior draws and the true value, study by study. Out: rows of calibration and coverage.
Absent: simulating and fitting (see the proofs).
"""

from tests.statistical.judging import COVERAGES, covers, rank_among, uniform_ranks

from howgood.records.estimate import Estimate


class Tally:
    """What became of each quantity so far."""

    def __init__(self, rng, *, kind="highest-density"):
        self._rng, self._kind = rng, kind
        self.ranks: dict[str, list[int]] = {}
        self.hits: dict[str, dict[float, list[bool]]] = {}

    def take(self, name, draws, truth) -> None:
        """Count one study: the rank of the truth, and whether printed intervals hold it."""
        self.ranks.setdefault(name, []).append(rank_among(draws, truth, self._rng))
        hits = self.hits.setdefault(name, {level: [] for level in COVERAGES})
        for level, found in hits.items():
            interval = Estimate.from_draws(draws, probability=level, kind=self._kind).interval
            found.append(truth in interval)

    def report(self, ledger, *, setting, seed, prefix="", **allowances) -> None:
        """Add a row of calibration and one of coverage per quantity."""
        for name, ranks in self.ranks.items():
            judgement = uniform_ranks(ranks)
            ledger.add("calibration", prefix + name, judgement, setting=setting, seed=seed)
        self.report_coverage(ledger, setting=setting, seed=seed, prefix=prefix, **allowances)

    def report_coverage(self, ledger, *, setting, seed, prefix="", **allowances) -> None:
        """Add a row of coverage per quantity; at one fixed truth, ranks need not be uniform."""
        for name, hits in self.hits.items():
            judgement = covers(hits, **allowances)
            ledger.add("coverage", prefix + name, judgement, setting=setting, seed=seed)
