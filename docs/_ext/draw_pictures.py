"""Draw the pictures of README and front page: python docs/_ext/draw_pictures.py

Two chapters of `howgood demo`, and what the priors say about the share who accept; on white so that
they read on light and dark pages.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from howgood.demo.story import run_alarm, run_recommenders
from howgood.records.priors import HOWGOOD, USUAL_MEAN
from howgood.show.figures import theme
from howgood.stats.logistic import logistic_normal_mean

FOLDER = Path(__file__).parents[1] / "_static"
SEED = 85  # the demo's own


def main():
    """Run both chapters and write one picture of each."""
    with TemporaryDirectory() as folder:
        asked, _ = run_alarm(Path(folder), seed=SEED)
        ranked = run_recommenders(Path(folder), seed=SEED)
    _write("front.svg", _picture(asked, "Where this classifier can go"))
    _write("ranking.svg", _picture(ranked, "Scores and places"))
    _write("prior-share.svg", _prior_shares())


def _picture(chapter, title):
    (svg,) = (section.svg for section in chapter.sections if section.title == title)
    return svg


def _prior_shares():
    """Draw the share accepting before anybody has answered: default priors, and wide ones."""
    means = (0.5, 0.65, 0.75, 0.85, 1.0)
    wide = replace(HOWGOOD, curve=None)
    titles = {"default priors": HOWGOOD, "wide priors of intercept and slope": wide}
    with theme.canvas(width=7.5, height=3.2) as figure:
        both = figure.subplots(1, 2, sharey=True)
        for axes, (title, priors) in zip(both, titles.items(), strict=True):
            for colour, mean in zip(theme.COLOURS, means, strict=False):
                below = np.linspace(0, 1, 101)
                shares = np.quantile(_drawn_shares(priors, mean), below)
                axes.plot(shares, below, color=colour, label=f"{mean:g}")
            axes.set(title=title, xlabel="share of people accepting", xlim=(0, 1))
        both[0].set(ylabel="prior probability below", ylim=(0, 1))
        both[1].legend(title="weighted mean", frameon=False, loc="lower right")
        return theme.to_svg(figure, title="Prior distribution of the share accepting")


def _drawn_shares(priors, mean, n=4000):
    """Return shares accepting, with everything drawn from the priors."""
    rng, curve = np.random.default_rng(SEED), priors.curve
    if curve is None:
        place = rng.normal(0, priors.intercept.sd, n) + mean * rng.normal(0, priors.slope.sd, n)
    else:
        level = rng.normal(curve.level_mean, curve.level_sd, n)
        place = level + (mean - USUAL_MEAN) * np.abs(rng.normal(0, curve.slope_scale, n))
    return logistic_normal_mean(place, np.abs(rng.normal(0, priors.person_sd.scale, n)))


def _write(name, svg):
    svg = svg.replace("currentColor", "#1b1b1f")
    svg = svg.replace("<svg ", '<svg style="background:#fff" ', 1)
    (FOLDER / name).write_text(svg, encoding="utf-8")
    print(f"wrote {name}, {len(svg) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
