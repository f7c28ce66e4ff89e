"""Pictures of acceptance carry their labels and their uncertainty."""

import numpy as np
import pytest

from howgood.records.acceptance import AcceptanceDraws
from howgood.records.decision import ThresholdChoice, TradeOff
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.table import Table
from howgood.show.figures import acceptability, decisions, theme

generator = np.random.default_rng(0)
ALPHA = Estimate.from_draws(generator.normal(0.3, 0.05, 500))
DRAWS = AcceptanceDraws(
    application="alarm",
    p=np.repeat([0.0, -1.0], 250),
    alpha=ALPHA.draws,
    intercept=generator.normal(-12, 1, 500),
    slope=generator.normal(16, 1, 500),
    person_sd=np.full(500, 2.0),
    n_respondents=25,
)
OBSERVED = Table(
    {
        "application": ["alarm", "alarm"],
        "precision": [0.5, 1.0],
        "recall": [1.0, 1.0],
        "n": [20, 22],
        "accepted": [0.3, 0.9],
    }
)
ASKED = Table({"mean": [0.4, 1.0], "share": [0.1, 0.7]})
CURVE = Table(
    {
        "threshold": [0.1, 0.5, 0.9],
        "expected": [0.3, 0.7, 0.2],
        "lower": [0.2, 0.5, 0.1],
        "upper": [0.4, 0.8, 0.3],
        "precision": [0.4, 0.6, 0.9],
        "recall": [1.0, 0.8, 0.3],
    }
)
CHOICE = ThresholdChoice(
    chosen=0.5,
    threshold=Estimate.from_draws(generator.choice([0.1, 0.5, 0.9], 300, p=[0.1, 0.8, 0.1])),
    variance_shares={"people": 0.25, "test set": 0.75, "both together": 0.0},
    objective="share accepting alarm",
    expected=0.7,
    acceptance=None,
    precision=ALPHA,
    recall=ALPHA,
    curve=CURVE,
    provenance=Provenance(method="made up"),
)
TRADE = TradeOff(
    application="alarm",
    share=0.8,
    certainty=0.95,
    least_accuracy=0.9,
    curve=Table(
        {
            "accuracy": [0.0, 1.0],
            "accepting": [0.0, 0.9],
            "lower": [0.0, 0.8],
            "upper": [0.1, 1.0],
        }
    ),
    provenance=Provenance(method="made up"),
)

PICTURES = {
    "alpha": (
        lambda: acceptability.alpha_figure({"branch A": {"alarm": ALPHA}}),
        ["branch A", "alarm", "0.30<", ">[", "← recall", "precision →"],
    ),
    "acceptance": (
        lambda: acceptability.acceptance_figure({"alarm": DRAWS}, OBSERVED, {"alarm": ASKED}),
        ["alarm", "alpha 0.30, 25 respondents", "share accepting", "dashes: those asked"],
    ),
    "differences": (
        lambda: acceptability.differences_figure({"a − b": ALPHA}),
        ["a − b", "difference of alpha"],
    ),
    "map": (
        lambda: decisions.map_figure(DRAWS, curve=CURVE, chosen=(0.6, 0.8), acceptance=ALPHA),
        ["this classifier", "precision", "recall", "50 %", "30 % ["],
    ),
    "threshold": (
        lambda: decisions.threshold_figure(CHOICE),
        ["chosen: 0.500", "people 25 %, test set 75 %"],
    ),
    "trade-off": (
        lambda: decisions.trade_off_figure(TRADE),
        ["wanted: 80 %", "enough from 0.90"],
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_what_it_shows(name):
    draw, words = PICTURES[name]
    with draw() as figure:
        svg = theme.to_svg(figure, title=name)
    for word in words:
        assert word in svg


def test_a_picture_is_readable_in_a_dark_notebook(tmp_path):
    """Notebooks draw a figure on its own ground; its ink is dark."""
    from matplotlib.image import imread

    for path in (None, tmp_path / "choice.svg"):
        figure = CHOICE.plot(path)
        file = tmp_path / "notebook.png"
        figure.canvas.print_figure(file, facecolor=figure.get_facecolor(), dpi=40)
        red, green, blue, opaque = imread(file)[0, 0]
        assert (red, green, blue, opaque) == (1, 1, 1, 1)


def test_the_kernel_density_integrates_to_one():
    grid = np.linspace(-1, 1, 2001)
    height = acceptability.density(ALPHA.draws, grid)
    assert np.trapezoid(height, grid) == pytest.approx(1.0, abs=1e-3)
