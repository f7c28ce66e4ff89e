"""Fig. 4 and 5: what moves the RMSE's mean and variance.

In: nothing random. Out: curves and the paper's percentages. Absent: simulation; Eq. 12 and 13 are
closed.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from howgood import score
from howgood.flow.reproduce.s3.part import (
    LEAST_VARIANCE,
    MOST_DEVIATION,
    MOST_VARIANCE,
    Part,
)
from howgood.records.reproduction import Check
from howgood.show.figures import human_uncertainty as pictures
from howgood.show.numbers import percent, plain

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


def run(generator: np.random.Generator) -> Part:
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
    x: NDArray[np.float64],
    label: str,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> pictures.Panel:
    band = pictures.Band(label=label, low=low, high=high)
    return pictures.Panel(x_label=x_label, y_label="", x=x, bands=(band,))


def _along(
    moment: Moment,
    deviation: float | NDArray[np.float64],
    variance: float | NDArray[np.float64],
    n_pairs: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    rows = np.broadcast(deviation, variance, n_pairs)
    return np.array([moment(float(d), float(v), int(n)) for d, v, n in rows])
