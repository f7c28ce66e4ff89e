"""How a drawn figure fits the width it is shown at: as it was drawn, or as wide as a phone.

In: a figure, already drawn. Out: the same figure: names and titles broken into lines, no letters
too small, ticks that do not touch; for a phone one panel below the other. Absent: what is drawn.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

# What takes back the lines and gaps made for one width, before another is tried.
Steps = list[Callable[[], object]]
# Points that the smallest letters have: 11.3 pixels where a picture is shown in its own size.
SMALLEST = 8.5
# A phone of 390 pixels leaves 342 between the margins of a page: 3.56 inches.
_PHONE_INCHES = 3.55
# Letters of a name next to the axis in one line, in a picture as it was drawn and on a phone.
_NAME, _PHONE_NAME = 30, 16
# The group of a text that was broken into lines, for who translates the whole of it.
LINES = "lines"
_LINE_POINTS, _MOST_LINES = 12.5, 3
# No line is broken into fewer letters than these.
_LEAST_LETTERS = 8
_EVERY = (5, 10, 20, 50, 100)


def fit(figure: "Figure") -> Steps:
    """Make a figure readable at the size it was drawn in; return how to take that back."""
    _enlarge(figure)
    return [*_break_names(figure, _NAME), *_shorten_names(figure, _NAME), *_fit_words(figure)]


def fit_phone(figure: "Figure", fitted: Steps) -> None:
    """Lay a fitted figure out anew, as wide as a phone, in letters of the same size."""
    for step in fitted:
        step()
    width, height = figure.get_size_inches()
    panels = [axes for axes in figure.axes if axes.get_visible() and not _is_scale(axes)]
    if len(panels) > 1 and not figure.subfigs:
        height = _stack(figure, panels, height)
    elif any(axes.get_aspect() == 1.0 for axes in panels):
        height *= min(1.0, 1.12 * _PHONE_INCHES / width)
    figure.set_size_inches(min(width, _PHONE_INCHES), height)
    _break_names(figure, _PHONE_NAME)
    _shorten_names(figure, _PHONE_NAME)
    _fit_words(figure)


def _is_scale(axes: "Axes") -> bool:
    """Return whether these are the colours next to another panel, which stay next to it."""
    return axes.get_label() == "<colorbar>"


def _enlarge(figure: "Figure") -> None:
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        if isinstance(text, Text) and float(text.get_fontsize()) < SMALLEST:
            text.set_fontsize(SMALLEST)


def _stack(figure: "Figure", panels: Sequence["Axes"], height: float) -> float:
    """Put panels below one another, each with its own words; return how high that is."""
    rows = max(_rows(axes) for axes in panels)
    needed = _heights_needed(panels)
    tall = [axes.get_position().height * share for axes, share in zip(panels, needed, strict=True)]
    grid = figure.add_gridspec(len(panels), 1, height_ratios=tall)
    for place, axes in enumerate(panels):
        axes.set_subplotspec(grid[place])
        if rows < len(panels):
            _label_alone(axes, panels)
    return height * sum(needed) / rows


def _heights_needed(panels: Sequence["Axes"]) -> list[float]:
    """Return which share of its height each panel needs: of two lists the shorter one less."""
    names = [
        sum(any(map(str.isalpha, label.get_text())) for label in axes.get_yticklabels())
        for axes in panels
    ]
    return [max(0.3, n / max(names)) for n in names] if all(names) else [1.0] * len(panels)


def _rows(axes: "Axes") -> int:
    spec = axes.get_subplotspec()
    return 1 if spec is None else spec.get_gridspec().nrows


def _label_alone(axes: "Axes", panels: Sequence["Axes"]) -> None:
    """Give a panel the ticks and words that it left to the panels next to it."""
    sharing: Any = axes
    for of, side, shared in (
        ("x", "bottom", sharing.get_shared_x_axes()),
        ("y", "left", sharing.get_shared_y_axes()),
    ):
        friends = [one for one in panels if shared.joined(axes, one)]
        if len(friends) > 1:
            shown: dict[str, Any] = {"axis": of, f"label{side}": True}
            axes.tick_params(**shown)
            said = [getattr(one, f"{of}axis").label for one in friends]
            lent = next((label for label in said if label.get_text()), None)
            if lent is not None and not getattr(axes, f"get_{of}label")():
                getattr(axes, f"set_{of}label")(lent.get_text(), fontsize=lent.get_fontsize())


def _break_names(figure: "Figure", letters: int) -> Steps:
    """Break the names next to the axes into as many lines as their rows have room for."""
    steps: Steps = []
    for axes in figure.axes:
        labels = [label.get_text() for label in axes.get_yticklabels()]
        if not axes.get_visible() or max(map(len, labels), default=0) <= letters:
            continue
        low, high = sorted(axes.get_ylim())
        places = sorted(place for place in axes.get_yticks() if low <= place <= high)
        step = min((after - at for at, after in pairwise(places)), default=high - low)
        points = 72 * axes.get_position().height * figure.get_size_inches()[1]
        room = int(points * step / max(high - low, 1e-9) / _LINE_POINTS)
        broken = _told_apart(labels, letters, min(room, _MOST_LINES))
        steps.append(partial(axes.set_yticks, axes.get_yticks(), labels))
        axes.set_yticks(axes.get_yticks(), broken)
    return steps


def _told_apart(names: Sequence[str], letters: int, most: int) -> list[str]:
    """Return names in lines; where those look alike, by what is between what all names share."""
    broken = [in_lines(name, letters, most) for name in names]
    if len(set(broken)) == len(set(names)):
        return broken
    start = _shared_words(names)
    end = _shared_words([name[start:][::-1] for name in names])
    own = [f"…{name[start : len(name) - end].strip()}" for name in names]
    broken = [in_lines(name, letters, most) for name in own]
    if len(set(broken)) == len(set(names)):
        return broken
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names), start=1)}
    return [f"{numbers[name]}: {in_lines(name, letters - 4, 1)}" for name in names]


def _shared_words(names: Sequence[str]) -> int:
    """Return how many letters all names begin with, up to the end of a word."""
    ends = 0
    for at, letters in enumerate(zip(*names, strict=False), start=1):
        if len(set(letters)) > 1:
            break
        ends = ends if letters[0].isalnum() else at
    return ends


def _shorten_names(figure: "Figure", letters: int) -> Steps:
    """Shorten the names that stand at the right of a panel, at the end of their lines."""
    from matplotlib.text import Annotation

    steps: Steps = []
    for text in [text for axes in figure.axes for text in axes.texts]:
        words = text.get_text()
        is_outside = isinstance(text, Annotation) and text.get_annotation_clip() is False
        if is_outside and "\n" not in words and len(words) > letters:
            text.set_text(in_lines(words, letters, 1))
            steps.append(partial(text.set_text, words))
    return steps


def in_lines(name: str, letters: int, most: int) -> str:
    r"""Return a name in lines; one that is too long keeps its beginning and its end.

    Examples
    --------
    >>> in_lines("a long name of a system", 12, 2)
    'a long name\nof a system'
    >>> in_lines("a long name of a system, version 2", 12, 1)
    'a lon…sion 2'
    >>> in_lines("a long name of a system, version 2", 12, 2)
    'a long name\n…version 2'
    >>> in_lines("alarm_text_message", 16, 2)
    'alarm_text_\nmessage'
    """
    if len(name) <= letters:
        return name
    if most > 1:
        lines = _wrapped(name, letters)
        if len(lines) <= most:
            return "\n".join(lines)
        return "\n".join([*lines[: most - 1], f"…{_end(name, letters - 1)}"])
    kept = letters - 1
    return f"{name[: kept // 2]}…{name[-(kept - kept // 2) :]}"


def _wrapped(name: str, letters: int) -> list[str]:
    """Return a name in lines that end at blanks, or behind what joins words in names of columns."""
    parted = re.sub(r"(?<=[_/.:])(?=\w)", "\v", name)
    lines = wrap(parted, letters, expand_tabs=False, replace_whitespace=False)
    return [line.replace("\v", "") for line in lines]


def _end(name: str, letters: int) -> str:
    """Return the last words of a name, or the last letters of a word that is longer than that."""
    end = name[-letters:]
    if name[-letters - 1].isspace() or " " not in end.strip():
        return end.strip()
    return end.split(" ", 1)[1].strip()


def _fit_words(figure: "Figure") -> Steps:
    """Break what does not fit into lines, thin ticks, and empty cells that are too small."""
    figure.draw_without_rendering()
    steps: Steps = []
    for axes in figure.axes:
        if axes.get_visible():
            steps += [*_thin_ticks(axes), *_empty_cells(axes)]
            for text in _headings(axes):
                steps += _break_to(text, *_room(figure, axes))
            for text in axes.texts:
                steps += _shorten_to(text, figure.bbox.x1)
    for text in _texts(figure):
        steps += _break_to(text, 0.0, figure.bbox.x1)
    return steps


def _headings(axes: "Axes") -> list["Text"]:
    return [text for text in [*_texts(axes), axes.xaxis.label] if text not in axes.texts]


def _texts(parent: Any) -> list["Text"]:  # noqa: ANN401 - figure or axes
    from matplotlib.text import Text

    return [child for child in parent.get_children() if type(child) is Text and child.get_text()]


def _room(figure: "Figure", axes: "Axes") -> tuple[float, float]:
    """Return from where to where words above and below a panel may reach, in pixels."""
    here = axes.get_window_extent()
    after = [one.get_window_extent().x0 for one in figure.axes if one.get_visible()]
    before = [one.get_window_extent().x1 for one in figure.axes if one.get_visible()]
    left = max((edge for edge in before if edge <= here.x0), default=0.0)
    right = min((edge for edge in after if edge >= here.x1), default=figure.bbox.x1)
    # Half of the gap belongs to the neighbour.
    gap_left, gap_right = here.x0 - left, right - here.x1
    return (
        left + (gap_left / 2 if left > 0 else 0),
        right - (gap_right / 2 if right < figure.bbox.x1 else 0),
    )


def _break_to(text: "Text", left: float, right: float) -> Steps:
    """Break a text into lines so that it stays between two places."""
    words = text.get_text()
    if not words or "\n" in words:
        return []
    box = text.get_window_extent()
    room = {
        "left": right - box.x0,
        "right": box.x1 - left,
        "center": 2 * min(right - (box.x0 + box.x1) / 2, (box.x0 + box.x1) / 2 - left),
    }[text.get_horizontalalignment()]
    if box.width <= room or room <= 0:
        return []
    most = max(int(0.97 * len(words) * room / box.width), _LEAST_LETTERS)
    # No line breaks between a number and its per cent sign.
    whole = words.replace(" %", "\N{NO-BREAK SPACE}%")
    for letters in range(most, _LEAST_LETTERS - 1, -1):  # a line may have more wide letters
        text.set_text("\n".join(wrap(whole, letters)))
        if text.get_window_extent().width <= room:
            break
    text.set_gid(LINES)
    return [partial(text.set_text, words), partial(text.set_gid, None)]


def _shorten_to(text: "Text", right: float) -> Steps:
    """Shorten a heading inside a panel, for which the panel leaves no room, to the picture."""
    words, box = text.get_text(), text.get_window_extent()
    if text.get_in_layout() or box.x1 <= right:
        return []
    letters = int(0.97 * len(words) * (right - box.x0) / box.width)
    text.set_text(in_lines(words, max(letters, _LEAST_LETTERS), 1))
    return [partial(text.set_text, words)]


def _thin_ticks(axes: "Axes") -> Steps:
    """Leave out whole numbers that would touch the next one, but never the first."""
    labels = [label for label in axes.get_xticklabels() if label.get_text()]
    words = [label.get_text() for label in labels]
    if len(words) <= _EVERY[0] or not all(word.isdecimal() for word in words):
        return []
    boxes = [label.get_window_extent() for label in labels]
    spacing = (boxes[-1].x0 - boxes[0].x0) / (len(boxes) - 1)
    widest = 1.4 * max(box.width for box in boxes)
    if widest <= spacing:
        return []
    every = next((step for step in _EVERY if step * spacing >= widest), _EVERY[-1])
    places = axes.get_xticks()
    kept = [
        (place, word)
        for place, word in zip(places, words, strict=True)
        if word == words[0] or int(word) % every == 0
    ]
    axes.set_xticks([place for place, _ in kept], [word for _, word in kept])
    return [partial(axes.set_xticks, places, words)]


def _empty_cells(axes: "Axes") -> Steps:
    """Leave cells of an image to their shade where a number would reach into the next cell."""
    if not axes.images or not axes.texts:
        return []
    columns = np.asarray(axes.images[0].get_array()).shape[1]
    cell = axes.get_window_extent().width / max(columns, 1)
    if all(text.get_window_extent().width <= 0.94 * cell for text in axes.texts):
        return []
    for text in axes.texts:
        text.set_visible(False)
    return [partial(text.set_visible, True) for text in axes.texts]
