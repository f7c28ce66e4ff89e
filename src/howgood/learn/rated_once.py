"""Pairs that were rated only once: refused, left out, or lent the spread of the others.

In: ratings gathered by pair (mean, sd with ddof 0, trials). Out: the same frame under a named
policy; `LentSpread`. Absent: gathering them (see `learn.feedback`).
"""

import math
from dataclasses import dataclass

import numpy as np

from howgood.errors import BorrowedSpreadWarning, DroppedRowsWarning, InputError, announce
from howgood.records.engine_frame import EngineFrame

ONCE = ("error", "drop", "borrow")
# Chosen after 30 had failed a proof, not derived: see the end of docs/explanation/calibration.md.
LEAST_LENDERS = 100

_WHERE = "ratings"


@dataclass(frozen=True, slots=True, kw_only=True)
class LentSpread:
    """What pairs rated repeatedly lend to those rated once.

    sd         of one rating: the root of the pooled variance (ddof 1) of the lenders
    freedom    degrees of freedom of that variance for a sum over the borrowers: the lenders are a
               sample, and people differ in how far they vary
    """

    sd: float
    lenders: int
    borrowers: int
    freedom: float

    def sentence(self) -> str:
        """Say who borrows what from whom."""
        return (
            f"{self.borrowers:,} of {self.borrowers + self.lenders:,} pairs were rated once; how "
            f"far they would vary (sd {self.sd:.3g}) is borrowed from the {self.lenders:,} rated "
            "more often"
        )


def check_once(once: str) -> None:
    """Raise unless `once` names a policy."""
    if once not in ONCE:
        raise InputError(
            where="once",
            found=repr(once),
            needed=f"one of {', '.join(ONCE)}",
            cure="Choose one of these.",
        )


def with_spreads(pairs: EngineFrame, *, once: str) -> EngineFrame:
    """Return pairs that all have a spread; those rated once as the policy says."""
    import narwhals as nw

    trials = nw.col("trials")
    counted = pairs.one_row(n=nw.len(), once=nw.when(trials < 2).then(1).otherwise(0).sum())
    n_once, n_pairs = int(counted["once"] or 0), int(counted["n"])
    if not n_once:
        return pairs
    if once == "error" or n_once == n_pairs:
        raise _refusal(n_once, n_pairs)
    if once == "drop":
        announce(f"{n_once} of {n_pairs} pairs left out: rated only once", DroppedRowsWarning)
        return pairs.replace(pairs.frame.filter(trials > 1))
    lent = lent_spread(pairs)
    announce(lent.sentence(), BorrowedSpreadWarning)
    borrowed = nw.when(trials < 2).then(lent.sd).otherwise(nw.col("sd"))
    return pairs.replace(pairs.frame.with_columns(sd=borrowed))


def lent_spread(pairs: EngineFrame) -> LentSpread:
    r"""Pool the variances of pairs rated repeatedly, and say how well a sum of others is known.

    Of m lenders with variances :math:`s_j^2` (ddof 1, :math:`n_j` ratings) the pooled one is
    :math:`v = \sum (n_j-1) s_j^2 / \sum (n_j-1)`. A sum over b borrowers, weighted by squared
    differences of predictions (taken as squares of normal numbers), differs from b v because v is
    estimated and because people differ: its relative variance is
    :math:`V(v)/v^2 + 3 h/b`, with h the lenders' relative variance beyond that of few ratings.
    """
    sums = _lenders(pairs)
    lenders, borrowers = int(sums["lenders"]), int(sums["borrowers"] or 0)
    if lenders < LEAST_LENDERS:
        raise InputError(
            where=_WHERE,
            found=f"{lenders} pairs rated more than once",
            needed=f"at least {LEAST_LENDERS} to borrow the spread from",
            cure="Give an sd yourself: learn.assumed_uncertainty.",
        )
    variance = sums["squares"] / sums["free"]
    if variance <= 0 and borrowers:
        raise InputError(
            where=_WHERE,
            found=f"{lenders} pairs rated more than once, none of which ever varied",
            needed="some that varied: without a spread to borrow, pairs rated once would look "
            "certain",
            cure="Leave pairs rated once out (once='drop'), or give an sd yourself: "
            "learn.assumed_uncertainty.",
        )
    if borrowers == 0:
        return LentSpread(sd=math.sqrt(variance), lenders=lenders, borrowers=borrowers,
                          freedom=math.inf)  # fmt: skip
    around = sums["squares2"] - 2 * variance * sums["squares_free"] + variance**2 * sums["free2"]
    unsure = max(around, 0.0) / sums["squares"] ** 2
    between = sums["variances2"] / lenders - variance * (2 * sums["variances"] / lenders - variance)
    differ = max(between - sums["sampling"] / lenders, 0.0) / variance**2
    relative = unsure + 3 * differ / borrowers
    return LentSpread(
        sd=math.sqrt(variance),
        lenders=lenders,
        borrowers=borrowers,
        freedom=2 / relative if relative > 0 else np.inf,
    )


def _lenders(pairs: EngineFrame) -> dict[str, float]:
    """Return the sums over pairs rated repeatedly that `lent_spread` needs, in one query."""
    import narwhals as nw

    trials = nw.col("trials").cast(nw.Float64)
    is_lender = trials > 1
    rows = pairs.frame.with_columns(
        howgood_free=nw.when(is_lender).then(trials - 1).otherwise(0.0),
        howgood_ss=nw.when(is_lender).then(nw.col("sd") * nw.col("sd") * trials).otherwise(0.0),
        howgood_more=trials + 1,
        howgood_lender=nw.when(is_lender).then(1.0).otherwise(0.0),
    ).with_columns(
        howgood_var=nw.col("howgood_ss")
        / nw.when(is_lender).then(nw.col("howgood_free")).otherwise(1.0)
    )
    free, squares, variance = (nw.col(f"howgood_{name}") for name in ("free", "ss", "var"))
    sums = pairs.replace(rows).one_row(
        lenders=nw.col("howgood_lender").sum(),
        borrowers=(1 - nw.col("howgood_lender")).sum(),
        squares=squares.sum(),
        free=free.sum(),
        squares2=(squares * squares).sum(),
        squares_free=(squares * free).sum(),
        free2=(free * free).sum(),
        variances=variance.sum(),
        variances2=(variance * variance).sum(),
        sampling=(2 * variance * variance / nw.col("howgood_more")).sum(),
    )
    return {name: float(value or 0.0) for name, value in sums.items()}


def _refusal(n_once: int, n_pairs: int) -> InputError:
    return InputError(
        where=_WHERE,
        found=f"{n_once} of {n_pairs} pairs rated only once",
        needed="repeated ratings: one rating does not show how far it would vary",
        cure="Let them borrow it from the others by name (once='borrow'), leave them out "
        "(once='drop'), or use learn.assumed_uncertainty."
        if n_once < n_pairs
        else "Give an sd yourself, or a proxy: learn.assumed_uncertainty. If several people "
        "rated each item once, rank with them as a sample: rater=...",
    )
