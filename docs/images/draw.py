"""Draw the README's pictures from the demo's own numbers: `python docs/images/draw.py`."""

import tempfile
from pathlib import Path

from howgood.flow.demo import alarm, recommenders
from howgood.flow.ranking import FeedbackColumns, picture, rank_file
from howgood.show.figures.theme import save

HERE = Path(__file__).parent
SEED = 85


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chapter, _ = alarm.run(folder, seed=SEED)
        svg = chapter.sections[1].svg.replace("currentColor", "#1b1b1f")
        # A white ground, so that the picture also reads on dark pages.
        svg = svg.replace("<defs>", '<rect width="100%" height="100%" fill="white"/><defs>', 1)
        (HERE / "acceptance-map.svg").write_text(svg, encoding="utf-8")
        recommenders.run(folder, seed=SEED)
        ranked = rank_file(
            folder / "ratings.csv",
            feedback=FeedbackColumns(repeated=True, trial="trial"),
            systems={system: system for system in recommenders.SPREADS},
        )
        with picture(ranked) as figure:
            save(figure, HERE / "ranking.png")


if __name__ == "__main__":
    main()
