"""Systems as cards in the words of a study, and what errors mean.

In: matrices and a study. Out: cards and blocks. Absent: drawing them and saying them
(`show.comparison_card`, `show.comparison_text`).
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from howgood.ask.comparison import GENERIC_WORDING
from howgood.ask.sentences import sentence
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.screen_parts import words
from howgood.kinds.study import Study, plan_of
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.records.screen import Button, Card, Cards, Details, Drawing, Grid
from howgood.show.comparison_card import bar_card, compact_card, comparison_card
from howgood.show.comparison_text import described, difference

_COSTS = ("health", "money", "time", "feelings")


@lru_cache(maxsize=64)
def wording_of(study: Study) -> ComparisonWording:
    """Return the study's words as charts and questions know them."""
    plan = plan_of(study, ComparisonPlan)
    own: dict[str, Any] = {name: text for name, text in plan.words.items() if name != "use"}
    return replace(GENERIC_WORDING, task=plan.task, question=plan.question, **own)


def card(study: Study, matrix: ConfusionMatrix, *, name: str, button: Button | None = None) -> Card:
    """Return one system as a flow chart, and the button that prefers it."""
    title = sentence(study.language, "card_title", name=name)
    return Card(title=title, drawing=_drawing(study, matrix, name), button=button)


def _compared(
    study: Study, matrix: ConfusionMatrix, other: ConfusionMatrix, name: str, button: Button
) -> Card:
    """Return one system of a pair: small enough for both to be seen at once."""
    wording, language = wording_of(study), study.language
    if plan_of(study, ComparisonPlan).bar_chart:
        return card(study, matrix, name=name, button=button)
    return Card(
        title=sentence(language, "card_title", name=name),
        drawing=Drawing(
            svg=compact_card(matrix, other, wording, name=name, language=language, is_styled=False),
            alternative=described(matrix, wording, name=name, language=language),
        ),
        button=button,
    )


@lru_cache(maxsize=1024)
def _drawing(study: Study, matrix: ConfusionMatrix, name: str) -> Drawing:
    """Return the flow chart; a study has a few hundred, and they are shown again and again."""
    wording, language = wording_of(study), study.language
    svg = comparison_card(
        matrix,
        wording,
        name=name,
        bars=plan_of(study, ComparisonPlan).bar_chart,
        language=language,
        is_styled=False,
    )
    return Drawing(svg=svg, alternative=described(matrix, wording, name=name, language=language))


def two_cards(
    study: Study,
    left: ConfusionMatrix,
    right: ConfusionMatrix,
    *,
    buttons: tuple[Button, Button],
) -> Cards:
    """Return two systems side by side, and how the second differs from the first."""
    words_between = difference(left, right, wording_of(study), language=study.language)
    return Cards(
        cards=(
            _compared(study, left, right, "A", buttons[0]),
            _compared(study, right, left, "B", buttons[1]),
        ),
        between=words(words_between),
    )


def bar_details(
    study: Study, left: ConfusionMatrix, right: ConfusionMatrix, *, logged: str
) -> tuple[Details, ...]:
    """Return the same numbers as bars, to be opened at will; nothing where the study has none."""
    if not plan_of(study, ComparisonPlan).bars_on_demand:
        return ()
    wording, language = wording_of(study), study.language
    drawings = tuple(
        Drawing(
            svg=bar_card(matrix, wording, name=name, language=language),
            alternative=described(matrix, wording, name=name, language=language),
        )
        for name, matrix in (("A", left), ("B", right))
    )
    return (Details(summary=sentence(language, "bars_title"), drawings=drawings, logged=logged),)


def cost_details(study: Study, *, is_open: bool, logged: str = "") -> tuple[Details, ...]:
    """Return what each error means for people, to be opened at will; nothing without texts."""
    costs = plan_of(study, ComparisonPlan).costs
    if costs is None:
        return ()
    wording, language = wording_of(study), study.language
    summary = sentence(language, "costs_title")
    rows = tuple(
        (sentence(language, f"cost_{kind}"), getattr(costs.miss, kind), getattr(costs.alarm, kind))
        for kind in _COSTS
        if getattr(costs.miss, kind) or getattr(costs.alarm, kind)
    )
    header = ("", wording.miss, wording.alarm)
    grid = Grid(caption=summary, header=header, rows=rows)
    return (Details(summary=summary, grid=grid, open=is_open, logged=logged),)
