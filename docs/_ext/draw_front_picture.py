"""Draw the picture of the front page: python docs/_ext/draw_front_picture.py

The first chapter of `howgood demo`, on white so that it reads on light and dark pages.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from howgood.flow.demo import alarm

PLACE = Path(__file__).parents[1] / "_static" / "front.svg"
WHICH = "where this classifier can go"


def main():
    """Run the chapter and write its picture of acceptance."""
    with TemporaryDirectory() as folder:
        chapter, _ = alarm.run(Path(folder), seed=85)
    (svg,) = (each.svg for each in chapter.sections if each.title.lower() == WHICH)
    svg = svg.replace("currentColor", "#1b1b1f")
    svg = svg.replace("<svg ", '<svg style="background:#fff" ', 1)
    PLACE.write_text(svg, encoding="utf-8")
    print(f"wrote {PLACE.name}, {len(svg) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
