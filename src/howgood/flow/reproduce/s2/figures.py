"""Figures 3 to 6 of the Relevance Score, from our experiments.

In: `Outcomes`. Out: SVG text by name. Absent: Figures 1 and 2, which are drawings.
"""

import numpy as np

from howgood.flow.reproduce.s2.experiments import MODELS, Outcomes
from howgood.records.table import Table
from howgood.score.relevance_sweeping import RelevanceSweep
from howgood.show.figures.relevance import Dots, dots_figure, sweep_figure
from howgood.show.figures.theme import to_svg

# Alpha and beta of Fig. 4; the paper prints the pairs only in its picture.
_PAIRS = ((4.0, 1.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (1.0, 4.0))
_X_LABEL = "mean of the shuffles; line: smallest to largest"


def figures(real: Outcomes, dice: Outcomes) -> dict[str, str]:
    """Return every figure as SVG text."""
    accuracy = np.array([real.accuracy(model) for model in MODELS])
    return {
        "s2-fig3-relevance-and-accuracy": _dots(
            [_series("Relevance Score", _scores(real)),
             _series("accuracy, %", accuracy, marker="D", filled=False)],
            "Relevance Score and accuracy (alpha 2, beta 1)",
        ),
        "s2-fig4-alpha-beta-by-model": _dots(
            [_series(f"{a:g} : {b:g}", _scores(real, a / (a + b))) for a, b in _PAIRS],
            "Relevance Score for several alpha : beta",
        ),
        "s2-fig5-score-over-alpha-beta": _sweep(real),
        "s2-fig6-random-outcomes": _dots(
            [_series("people's choices", _scores(real)),
             _series("dice", _scores(dice), marker="s", filled=False)],
            "Relevance Score when outcomes are thrown with dice",
        ),
        "s2-reference-all-or-cross-fit": _dots(
            [_series("table from all rows (paper)", _scores(real)),
             _series("table without the scored row", _scores(real, honest=True), marker="s",
                     filled=False)],
            "What the scored row itself does to its grade",
        ),
    }  # fmt: skip


def _scores(
    outcomes: Outcomes, alpha_share: float = 2 / 3, *, honest: bool = False
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(
        [outcomes.score(model, alpha_share=alpha_share, honest=honest) for model in MODELS]
    )


def _series(
    label: str,
    by_shuffle: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    *,
    marker: str = "o",
    filled: bool = True,
) -> Dots:
    return Dots(
        label=label,
        values=by_shuffle.mean(axis=1),
        lower=by_shuffle.min(axis=1),
        upper=by_shuffle.max(axis=1),
        marker=marker,
        filled=filled,
    )


def _dots(series: list[Dots], title: str) -> str:
    with dots_figure(MODELS, series, title=title, x_label=_X_LABEL) as figure:
        return to_svg(figure, title=title)


def _sweep(real: Outcomes) -> str:
    shares = np.linspace(0.0, 1.0, 21)
    lines = [[real.score(model, alpha_share=share) for share in shares] for model in MODELS]
    values = np.array(lines)  # models, shares, shuffles
    table = Table(
        {
            "model": np.repeat(MODELS, len(shares)),
            "alpha_share": np.tile(shares, len(MODELS)),
            "score": values.mean(axis=2).ravel(),
            "lower": values.min(axis=2).ravel(),
            "upper": values.max(axis=2).ravel(),
        }
    )
    sweep = RelevanceSweep(lines=table, crossings=Table({}))
    with sweep_figure(sweep, chosen=2 / 3) as figure:
        return to_svg(figure, title="Relevance Score over alpha / (alpha + beta), by model")
