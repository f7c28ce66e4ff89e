"""Draw the pictures of README and front page: python docs/_ext/draw_pictures.py

Two chapters of `howgood demo`, on white so that they read on light and dark pages.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from howgood.flow.demo import alarm, recommenders

FOLDER = Path(__file__).parents[1] / "_static"
SEED = 85  # the demo's own


def main():
    """Run both chapters and write one picture of each."""
    with TemporaryDirectory() as folder:
        asked, _ = alarm.run(Path(folder), seed=SEED)
        ranked = recommenders.run(Path(folder), seed=SEED)
    _write("front.svg", asked, "Where this classifier can go")
    _write("ranking.svg", ranked, "Scores and places")


def _write(name, chapter, title):
    (svg,) = (section.svg for section in chapter.sections if section.title == title)
    svg = svg.replace("currentColor", "#1b1b1f")
    svg = svg.replace("<svg ", '<svg style="background:#fff" ', 1)
    (FOLDER / name).write_text(svg, encoding="utf-8")
    print(f"wrote {name}, {len(svg) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
