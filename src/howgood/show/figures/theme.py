"""The look of every picture: colour-blind safe, direct labels, readable on light and dark.

In: a function that draws on matplotlib axes. Out: SVG text, or a file. Absent: what is drawn.
"""

import html
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howgood.errors import InputError, MissingExtraError
from howgood.names import visible
from howgood.records.report import Section
from howgood.show.design import tokens
from howgood.show.figures.layout import fit, fit_phone
from howgood.writing import replacing

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

_TOKENS = tokens()
# Okabe & Ito (2008), reordered so that neighbours differ in lightness too. The yellow is left
# out: it vanishes on white.
COLOURS = tuple(_TOKENS[f"data-{number}"] for number in range(1, 8))
INK = _TOKENS["chart-ink"]
FAINT = _TOKENS["chart-faint"]
# The page's own ground: what hollow markers are filled with, so that they stay hollow when dark.
PAPER = "#fefefe"
_FONT = _TOKENS["font"].replace('"', "'")
FILE_KINDS = (".svg", ".png", ".pdf")

_STYLE: dict[Any, Any] = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.labelsize": 10,
    "font.size": 10,
    "font.family": "sans-serif",
    "svg.fonttype": "none",
    "svg.hashsalt": "howgood",
    "lines.linewidth": 1.8,
    "figure.constrained_layout.use": True,
    "text.parse_math": False,  # names may hold dollars
}


def shades() -> "LinearSegmentedColormap":
    """Return shades from the page's own ground to blue: nothing stays white on a dark page."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    return LinearSegmentedColormap.from_list(
        "shades", [to_rgba(COLOURS[0], 0.0), to_rgba(COLOURS[0], 1.0)]
    )


def require_plots() -> None:
    """Refuse to draw without matplotlib; commands ask before their work, not after it."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError(task="drawing a picture", extra="plots")


def require_picture_kind(path: Path) -> None:
    """Refuse an ending that no picture has."""
    if path.suffix.lower() not in FILE_KINDS:
        raise InputError(
            where=str(path),
            found=f"a picture file ending in {path.suffix!r}",
            needed=f"one of {', '.join(FILE_KINDS)}",
            cure="Change the ending.",
        )


@contextmanager
def canvas(*, width: float = 7.0, height: float = 4.0) -> Iterator["Figure"]:
    """Yield an empty figure in the house style; draw on it inside the block."""
    require_plots()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        yield Figure(figsize=(width, height))


def to_svg(figure: "Figure", *, title: str) -> str:
    """Return a picture for pages: an <svg> element as it was drawn, and one for phones.

    Both take their ink from the page and name themselves; which of them is shown is left to the
    page's styles (`components.css`).
    """
    with _drawing_names(figure):
        fitted = fit(figure)
        wide = _element(figure, title, "for-desk")
        fit_phone(figure, fitted)
        return wide + _element(figure, title, "for-phone")


def of_widths(svg: str) -> tuple[str, str]:
    """Return the picture of `to_svg` for a desk and the one for a phone; the same if it has one."""
    wide, _, rest = svg.partition("</svg><svg")
    return (f"{wide}</svg>", f"<svg{rest}") if rest else (svg, svg)


def _element(figure: "Figure", title: str, look: str) -> str:
    import matplotlib as mpl

    buffer = io.StringIO()
    # What the two refer to inside themselves may not have the same names.
    with mpl.rc_context({"svg.hashsalt": f"howgood {look}"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].strip().replace(INK, "currentColor")
    svg = svg.replace(PAPER, "var(--paper, #fff)")
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r" font-family: [^;\"]*sans-serif;", "", svg)  # of every text: said once
    label = (
        f'<svg role="img" class="{look}" font-family="{_FONT}" '
        f'aria-label="{html.escape(visible(title))}" '
    )
    return label + svg.removeprefix("<svg ")


@contextmanager
def _drawing_names(figure: "Figure") -> Iterator[None]:
    """Make names visible; letters that no font here has are left to the reader's own fonts."""
    _clean_texts(figure)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def log_axis(axis: "Axis") -> None:
    """Label the powers of ten of a logarithmic axis with plain numbers."""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter("")


def _clean_texts(figure: "Figure") -> None:
    """Make every name that was drawn visible, wherever on the figure it stands."""
    from matplotlib.text import Text

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            labels = [ticklabel.get_text() for ticklabel in axis.get_ticklabels()]
            if any(visible(label) != label for label in labels):
                axis.set_ticks(axis.get_ticklocs(), [visible(label) for label in labels])
    for text in figure.findobj(Text):
        text.set_text(visible(text.get_text()))


def save(figure: "Figure", path: str | Path) -> Path:
    """Write the figure to an .svg, .png or .pdf file on a white ground."""
    target = Path(path)
    require_picture_kind(target)
    metadata = {"Date": None} if target.suffix.lower() == ".svg" else None
    _clean_texts(figure)
    kind = target.suffix.lower().removeprefix(".")
    with warnings.catch_warnings(), replacing(target) as file:
        if kind == "svg":  # its words are drawn in the reader's own fonts
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        fit(figure)
        figure.savefig(file, format=kind, facecolor="white", dpi=160, metadata=metadata)
    return target


def shown(figure: "Figure", path: str | Path | None = None) -> "Figure":
    """Return a figure as notebooks show it, on a white ground in dark ones too; write it if asked.

    Its ink is dark: without a ground of its own nobody could read it on a dark page.
    """
    if path is None:
        with _drawing_names(figure):
            fit(figure)
    else:
        save(figure, path)
    figure.set_facecolor("white")
    return figure


def picture_section(
    title: str,
    alt: str,
    drawing: AbstractContextManager["Figure"],
    *,
    text: str = "",
    is_detail: bool = False,
    about: str = "",
) -> Section:
    """Return a section with one picture."""
    with drawing as figure:
        svg = to_svg(figure, title=alt)
    return Section(title=title, text=text, svg=svg, alt=alt, is_detail=is_detail, about=about)
