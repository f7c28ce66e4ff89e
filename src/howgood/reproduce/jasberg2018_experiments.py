"""Jasberg & Sizov (2018), Fig. 4 to 7: what moves the RMSE, and how often the order is wrong.

In: a generator. Out: `Part`s: checks and pictures, on the theoretical test data they share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from howgood import decide, score
from howgood.records.reproduction import Check
from howgood.show.figures import ranking as pictures
from howgood.show.numbers import percent, plain
from howgood.stats.arrays import FloatArray

# Section 4.2: a 5-star scale, five ratings. The smallest variance above zero is one rating of
# five that differs by one star, 4/25; the largest is two against three at both ends, 3.84.
LEAST_VARIANCE, MOST_VARIANCE = 0.16, 3.84
MOST_DEVIATION = 4.0
# "Small deviations": the paper's green band starts at an RMSE of 0.5 when uncertainty is least.
SMALL_DEVIATION = float(np.sqrt(0.5**2 - LEAST_VARIANCE))

# Label, then the two corners (deviation, variance) between which a band over N is drawn.
Corner = tuple[str, tuple[float, float], tuple[float, float]]
Moment = Callable[[float, float, int], float]
MEAN_BANDS: tuple[Corner, ...] = (
    ("small deviations", (SMALL_DEVIATION, LEAST_VARIANCE), (SMALL_DEVIATION, MOST_VARIANCE)),
    ("deviation 4", (MOST_DEVIATION, LEAST_VARIANCE), (MOST_DEVIATION, MOST_VARIANCE)),
)
VARIANCE_BANDS: tuple[Corner, ...] = (
    ("least uncertainty", (0.0, LEAST_VARIANCE), (MOST_DEVIATION, LEAST_VARIANCE)),
    ("most uncertainty", (0.0, MOST_VARIANCE), (MOST_DEVIATION, MOST_VARIANCE)),
)
GAP = 1.1  # the second system's deviations are 10 % larger, as in the Netflix Prize
LIMIT = 0.05
DEVIATIONS = np.linspace(0.05, MOST_DEVIATION, 80)
SIZES = (50, 100, 500, 1000, 2500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Checks and pictures (name -> SVG) of one experiment."""

    checks: list[Check]
    figures: dict[str, str] = field(default_factory=dict)


def uniform_pairs(n_pairs: int, generator: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return deviations and standard deviations drawn evenly from their whole ranges."""
    deviation = generator.uniform(0.0, MOST_DEVIATION, n_pairs)
    variance = generator.uniform(LEAST_VARIANCE, MOST_VARIANCE, n_pairs)
    return deviation, np.sqrt(variance)


def spread_out_sds(n_pairs: int) -> FloatArray:
    """Return standard deviations whose variances fill their range evenly, without chance."""
    shares = (np.arange(n_pairs) + 0.5) / n_pairs
    return np.sqrt(LEAST_VARIANCE + shares * (MOST_VARIANCE - LEAST_VARIANCE))


def run_sensitivity(generator: np.random.Generator) -> Part:
    """Evaluate Eq. 12 and 13 along each argument."""
    del generator
    return Part(
        checks=[
            *_shift_checks(),
            *_limit_checks(),
            *_size_checks(),
            *_deviation_checks(),
            _straightness_check(),
        ],
        figures={
            "figure-4-mean-of-the-rmse": pictures.sensitivity(
                _panels(_mean, "mean of the RMSE", MEAN_BANDS)
            ),
            "figure-5-variance-of-the-rmse": pictures.sensitivity(
                _panels(_variance, "variance of the RMSE", VARIANCE_BANDS)
            ),
        },
    )


def _mean(deviation: float, variance: float, n_pairs: int = 100) -> float:
    return _distribution(deviation, variance, n_pairs).mean


def _variance(deviation: float, variance: float, n_pairs: int = 100) -> float:
    return _distribution(deviation, variance, n_pairs).variance


def _distribution(deviation: float, variance: float, n_pairs: int) -> score.ScoreDistribution:
    ones = np.ones(n_pairs)
    return score.rmse(deviation * ones, np.sqrt(variance) * ones, 0.0, method="paper")


def _rise(low: float, high: float) -> float:
    return high / low - 1.0


def _shift_checks() -> list[Check]:
    small = _rise(_mean(SMALL_DEVIATION, LEAST_VARIANCE), _mean(SMALL_DEVIATION, MOST_VARIANCE))
    large = _rise(_mean(MOST_DEVIATION, LEAST_VARIANCE), _mean(MOST_DEVIATION, MOST_VARIANCE))
    same = abs(_mean(1.0, 1.0, 50) - _mean(1.0, 1.0, 5000))
    return [
        Check.judged(
            "S3-13",
            "Fig. 4a",
            "The mean does not depend on N",
            paper="no slope",
            ours=f"difference {same:.1e} between N = 50 and 5000",
            holds=same < 1e-9,
            rule="below 1e-9",
        ),
        Check.judged(
            "S3-13",
            "Fig. 4a",
            "Uncertainty's effect on good systems (RMSE 0.5 to 2.0)",
            paper="+300 %",
            ours=f"+{percent(small)}",
            holds=abs(small - 3.0) < 0.15,
            rule="within 15 points",
        ),
        Check.judged(
            "S3-13",
            "Fig. 4a",
            "Uncertainty's effect on poor systems (RMSE 4.0 to 4.5)",
            paper="+13 %",
            ours=f"+{percent(large)}",
            holds=abs(large - 0.13) < 0.03,
            rule="within 3 points",
        ),
    ]


def _limit_checks() -> list[Check]:
    gap = _mean(40.0, MOST_VARIANCE) - 40.0
    barrier = score.magic_barrier(np.full(10, np.sqrt(LEAST_VARIANCE)))
    return [
        Check.judged(
            "S3-13",
            "Fig. 4b",
            "The mean approaches a(x) = x as deviations grow",
            paper="asymptote",
            ours=f"{plain(gap)} above 40 at deviation 40",
            holds=gap < 0.05,
            rule="gap below .05",
        ),
        Check.judged(
            "S3-13",
            "Fig. 4c",
            "The RMSE never vanishes: magic barrier",
            paper="offset > 0",
            ours=f"{plain(barrier)} at the least uncertainty, deviation 0",
            holds=abs(_mean(0.0, LEAST_VARIANCE) - barrier) < 1e-12,
            rule="mean at deviation 0 = barrier",
        ),
    ]


def _size_checks() -> list[Check]:
    exponent = float(np.log(_variance(1.0, 1.0, 4000) / _variance(1.0, 1.0, 1000)) / np.log(4.0))
    beyond = _variance(2.0, 2.0, 3000) / _variance(2.0, 2.0, 50)
    return [
        Check.judged(
            "S3-14",
            "Section 4.4",
            "The variance falls with N as a power",
            paper="N^-2",
            ours=f"N^{plain(exponent, digits=2)}",
            holds=abs(exponent + 2) < 0.1,
            rule="exponent within .1 of -2",
        ),
        Check.judged(
            "S3-14",
            "Fig. 5a",
            "Little precision is left to gain past N = 3000",
            paper="converged",
            ours=f"{percent(beyond, digits=1)} of the variance at N = 50 is left",
            holds=beyond < 0.05,
            rule="below 5 %",
        ),
    ]


def _deviation_checks() -> list[Check]:
    high = _rise(_variance(0.0, MOST_VARIANCE), _variance(MOST_DEVIATION, MOST_VARIANCE))
    low = _rise(_variance(0.0, LEAST_VARIANCE), _variance(MOST_DEVIATION, LEAST_VARIANCE))
    people = _rise(_variance(2.0, LEAST_VARIANCE), _variance(2.0, MOST_VARIANCE))
    return [
        Check.judged(
            "S3-14",
            "Fig. 5b",
            "Deviations' effect on the variance, high uncertainty",
            paper="+33 %",
            ours=f"+{percent(high)}",
            holds=abs(high - 0.33) < 0.1,
            rule="within 10 points",
        ),
        Check.judged(
            "S3-14",
            "Fig. 5b",
            "Deviations' effect on the variance, low uncertainty",
            paper="+20 %",
            ours=f"+{percent(low)}",
            holds=abs(low - 0.20) < 0.1,
            rule="within 10 points",
        ),
        Check.judged(
            "S3-14",
            "Fig. 5b",
            "Uncertainty's own effect on the variance is far stronger",
            paper="+300 %",
            ours=f"+{percent(people)}",
            holds=people > 3.0 > high,
            rule="above +300 % and above both",
        ),
    ]


def _straightness_check() -> Check:
    spread = [_variance(MOST_DEVIATION, v) for v in (1.0, 2.0, 3.0)]
    straight = abs((spread[2] - spread[1]) / (spread[1] - spread[0]) - 1.0)
    return Check.judged(
        "S3-14",
        "Fig. 5c",
        "The variance grows linearly with uncertainty",
        paper="straight line",
        ours=f"slope changes by {percent(straight)} for deviation 4",
        holds=straight < 0.1,
        rule="slopes over two halves differ by less than 10 %",
    )


def _panels(moment: Moment, name: str, bands: Sequence[Corner]) -> list[pictures.Panel]:
    """Return one panel per argument: N, deviation, variance of feedback."""
    sizes = np.linspace(50.0, 5000.0, 60)
    deviations = np.linspace(0.0, MOST_DEVIATION, 50)
    variances = np.linspace(LEAST_VARIANCE, MOST_VARIANCE, 50)
    return [
        pictures.Panel(
            x_label="number of pairs N",
            y_label=name,
            x=sizes,
            bands=tuple(
                pictures.Band(
                    label=label,
                    low=_along(moment, *low, sizes),
                    high=_along(moment, *high, sizes),
                )
                for label, low, high in bands
            ),
            logarithmic=moment is _variance,
        ),
        _single_band(
            "deviation",
            deviations,
            "least to most uncertainty",
            _along(moment, deviations, LEAST_VARIANCE, 100),
            _along(moment, deviations, MOST_VARIANCE, 100),
        ),
        _single_band(
            "variance of feedback",
            variances,
            "deviation 0 to 4",
            _along(moment, 0.0, variances, 100),
            _along(moment, MOST_DEVIATION, variances, 100),
        ),
    ]


def _single_band(
    x_label: str,
    x: FloatArray,
    label: str,
    low: FloatArray,
    high: FloatArray,
) -> pictures.Panel:
    band = pictures.Band(label=label, low=low, high=high)
    return pictures.Panel(x_label=x_label, y_label="", x=x, bands=(band,))


def _along(
    moment: Moment,
    deviation: float | FloatArray,
    variance: float | FloatArray,
    n_pairs: float | FloatArray,
) -> FloatArray:
    rows = np.broadcast(deviation, variance, n_pairs)
    return np.array([moment(float(d), float(v), int(n)) for d, v, n in rows])


def run_ranking_errors(generator: np.random.Generator) -> Part:
    """Follow the error probability along the deviation."""
    del generator
    by_size = {f"N = {size}": _curve(_unpaired, spread_out_sds(size)) for size in SIZES}
    by_noise = {
        f"variance {variance}": _curve(_unpaired, np.full(1000, np.sqrt(variance)))
        for variance in (LEAST_VARIANCE, 2.0, MOST_VARIANCE)
    }
    sds = spread_out_sds(1000)
    by_metric = {
        "RMSE, Eq. 5": by_size["N = 1000"],
        "sRMSE, Eq. 5": _curve(_significant, sds),
        "RMSE, paired": _curve(_paired, sds),
    }
    return Part(
        checks=[
            *_order_by_size_checks(by_size),
            _good_systems_check(by_size["N = 1000"]),
            *_noise_checks(by_noise),
            *_metric_checks(by_metric),
        ],
        figures={
            "figure-6a-error-by-size": pictures.error_curves(DEVIATIONS, by_size, limit=LIMIT),
            "figure-6b-error-by-noise": pictures.error_curves(DEVIATIONS, by_noise, limit=LIMIT),
            "figure-7-significant-rmse": pictures.error_curves(DEVIATIONS, by_metric, limit=LIMIT),
        },
    )


def _curve(error: Callable[[float, FloatArray], float], sds: FloatArray) -> FloatArray:
    return np.array([error(float(deviation), sds) for deviation in DEVIATIONS])


def _two_systems(deviation: float, n_pairs: int) -> dict[str, FloatArray]:
    return {
        "better": np.full(n_pairs, -deviation),
        "worse": np.full(n_pairs, -GAP * deviation),
    }


def _unpaired(deviation: float, sds: FloatArray) -> float:
    systems = _two_systems(deviation, sds.size)
    ranking = decide.rank(systems, mean=np.zeros(sds.size), sd=sds, trials=np.inf, paired=False)
    return ranking.error("better", "worse")


def _paired(deviation: float, sds: FloatArray) -> float:
    systems = _two_systems(deviation, sds.size)
    return decide.rank(systems, mean=np.zeros(sds.size), sd=sds, trials=np.inf).error(
        "better", "worse"
    )


def _significant(deviation: float, sds: FloatArray) -> float:
    """Eq. 5 on the two significant RMSEs."""
    systems = _two_systems(deviation, sds.size)
    zeros = np.zeros(sds.size)
    better, worse = (score.significant_rmse(zeros, sds, systems[name]) for name in systems)
    spread = float(np.hypot(better.sd, worse.sd))
    return float(ndtr((better.mean - worse.mean) / spread))


def _first_below(errors: FloatArray) -> float:
    """Deviation at which the curve falls below 5 % and stays there, by linear interpolation."""
    above = np.flatnonzero(errors >= LIMIT)
    if above.size == 0:
        return float(DEVIATIONS[0])
    last = int(above[-1])
    if last == len(errors) - 1:
        return float("inf")
    share = (errors[last] - LIMIT) / (errors[last] - errors[last + 1])
    return float(DEVIATIONS[last] + share * (DEVIATIONS[last + 1] - DEVIATIONS[last]))


def _order_by_size_checks(by_size: dict[str, FloatArray]) -> list[Check]:
    crossing = {name: _first_below(errors) for name, errors in by_size.items()}
    return [
        Check.judged(
            "S3-15",
            "Fig. 6a",
            "N = 50: never below 5 % error",
            paper="never",
            ours=f"least error {percent(float(by_size['N = 50'].min()), digits=1)}",
            holds=np.isinf(crossing["N = 50"]),
            rule="no deviation up to 4 gets below 5 %",
        ),
        Check.judged(
            "S3-15",
            "Fig. 6a",
            "N = 100: below 5 % only for poor systems",
            paper="deviation > 3.2",
            ours=f"deviation > {plain(crossing['N = 100'], digits=2)}",
            holds=abs(crossing["N = 100"] - 3.2) < 0.35,
            rule="within .35 (read off a figure)",
        ),
        Check.judged(
            "S3-15",
            "Fig. 6a",
            "Deviations below 1 need at least 2500 pairs",
            paper="N >= 2500",
            ours=f"below 5 % from {plain(crossing['N = 2500'], digits=2)} at N = 2500, "
            f"from {plain(crossing['N = 1000'], digits=2)} at N = 1000",
            holds=crossing["N = 2500"] <= 1.0 < crossing["N = 1000"],
            rule="crossing at or below 1 only there",
        ),
    ]


def _good_systems_check(errors: FloatArray) -> Check:
    return Check.judged(
        "S3-16",
        "Section 4.4",
        "Good systems need larger improvements to be recognised",
        paper="error falls with the deviation",
        ours=f"{percent(float(errors[0]))} at .05, {percent(float(errors[-1]))} at 4",
        holds=bool(np.all(np.diff(errors) <= 1e-12)),
        rule="never rises with the deviation",
    )


def _noise_checks(by_noise: dict[str, FloatArray]) -> list[Check]:
    low, _, high = (_first_below(errors) for errors in by_noise.values())
    return [
        Check.judged(
            "S3-15",
            "Fig. 6b",
            "Low uncertainty: even very good systems can be told apart",
            paper="deviation < 0.5",
            ours=f"from {plain(low, digits=2)}",
            holds=low < 0.5,
            rule="below .5",
        ),
        Check.judged(
            "S3-15",
            "Fig. 6b",
            "High uncertainty: only medium systems can be told apart",
            paper="deviation about 2",
            ours=f"from {plain(high, digits=2)}",
            holds=abs(high - 2.0) < 0.4,
            rule="within .4",
        ),
    ]


def _metric_checks(by_metric: dict[str, FloatArray]) -> list[Check]:
    classic, significant, paired = (_first_below(errors) for errors in by_metric.values())
    return [
        Check.judged(
            "S3-17",
            "Fig. 7",
            "The significant RMSE falls below 5 % much earlier",
            paper="0.61 instead of 1.35",
            ours=f"{plain(significant, digits=2)} instead of {plain(classic, digits=2)}",
            holds=abs(significant - 0.61) < 0.05 and abs(classic - 1.35) < 0.05,
            rule="both within .05",
        ),
        Check.judged(
            "S3-17",
            "beyond the paper",
            "The paired RMSE on the same feedback separates earlier",
            paper="not considered",
            ours=f"from {plain(paired, digits=2)}",
            holds=paired < significant,
            rule="earlier than the significant RMSE",
        ),
    ]
