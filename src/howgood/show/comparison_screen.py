"""The screen of one choice: two cards side by side, the difference in words, the costs.

In: a question and a wording. Out: an HTML fragment, or a whole page, that works by keyboard and
without scripts. Absent: sending the answer anywhere.
"""

from html import escape

from howgood.records.comparison import ComparisonWording
from howgood.records.elicitation import Query
from howgood.show.comparison_card import comparison_card
from howgood.show.comparison_text import difference

KEYS = {"first": "1", "second": "2", "same": "0", "undo": "u"}

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0;background:Canvas;color:CanvasText}
.hg-screen{max-width:76rem;margin:0 auto;padding:1rem}
.hg-screen h1{font-size:1.25rem;margin:.4rem 0}
.hg-progress{margin:0;opacity:.8}
.hg-pair{display:grid;gap:1rem;grid-template-columns:1fr}
.hg-side{border:1px solid color-mix(in srgb,currentColor 30%,transparent);border-radius:.5rem;
padding:.8rem;text-align:center;min-width:0;display:flex;flex-direction:column}
.hg-side h2{font-size:1.05rem;margin:0 0 .5rem;text-align:left}
.hg-difference{margin:0;align-self:center;text-align:center;font-weight:600}
.hg-screen button{font:inherit;padding:.6rem 1.1rem;border-radius:.4rem;border:1px solid
currentColor;background:transparent;color:inherit;cursor:pointer;min-height:2.75rem}
.hg-side button{width:100%;font-weight:600;margin-top:auto}
.hg-side svg{align-self:center;margin-bottom:.6rem}
.hg-screen button:hover{background:color-mix(in srgb,currentColor 10%,transparent)}
.hg-screen button:focus-visible{outline:3px solid #0072B2;outline-offset:2px}
.hg-more{display:flex;gap:.6rem;justify-content:center;margin:1rem 0;flex-wrap:wrap}
.hg-costs{margin:1rem 0}.hg-costs table{border-collapse:collapse;width:100%}
.hg-costs th,.hg-costs td{text-align:left;vertical-align:top;padding:.3rem .5rem;
border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
@media(min-width:760px){.hg-pair{grid-template-columns:1fr 11rem 1fr}}
"""


def screen_fragment(
    query: Query,
    wording: ComparisonWording,
    *,
    most: int,
    bars: bool = False,
    costs_open: bool = False,
) -> str:
    """Return the body of one question; `most` is the largest number of questions.

    The buttons are named "choice" with the values "first", "second", "same" and "undo", so that
    the form can be posted as it is.
    """
    card_a = comparison_card(query.first, wording, name="A", bars=bars)
    card_b = comparison_card(query.second, wording, name="B", bars=bars)
    words = escape(difference(query.first, query.second, wording))
    return (
        '<form class="hg-screen" method="post">'
        f'<p class="hg-progress">Question {query.number} of at most {most}</p>'
        f"<p>{escape(wording.task)}</p><h1>{escape(wording.question)}</h1>"
        f'<div class="hg-pair">{_side("A", card_a, "first")}'
        f'<p class="hg-difference">{words}</p>{_side("B", card_b, "second")}</div>'
        '<div class="hg-more">'
        f"{_button('same', 'No preference')}{_button('undo', 'Undo')}</div>"
        f"{cost_box(wording, is_open=costs_open)}</form>"
    )


def screen_page(query: Query, wording: ComparisonWording, *, most: int, bars: bool = False) -> str:
    """Return a whole page of one question, for a preview."""
    body = screen_fragment(query, wording, most=most, bars=bars, costs_open=True)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(wording.question)}</title><style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>"
    )


def cost_box(wording: ComparisonWording, *, is_open: bool) -> str:
    """Return what each error means for people, to be opened at will; empty without texts."""
    if not wording.costs:
        return ""
    heads = "".join(f'<th scope="col">{escape(each.error)}</th>' for each in wording.costs)
    rows = "".join(
        f'<tr><th scope="row">{title}</th>'
        + "".join(f"<td>{escape(getattr(each, field))}</td>" for each in wording.costs)
        + "</tr>"
        for field, title in (
            ("health", "Health"),
            ("money", "Money"),
            ("time", "Time"),
            ("feelings", "Feelings"),
        )
    )
    return (
        f'<details class="hg-costs"{" open" if is_open else ""}>'
        "<summary>What each error means</summary>"
        f"<table><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _side(name: str, card: str, value: str) -> str:
    return (
        f'<section class="hg-side" aria-label="System {name}"><h2>System {name}</h2>{card}'
        f"{_button(value, 'I prefer this one', label=f'I prefer system {name}')}</section>"
    )


def _button(value: str, words: str, *, label: str | None = None) -> str:
    aria = f' aria-label="{label}"' if label else ""
    return (
        f'<button name="choice" value="{value}" accesskey="{KEYS[value]}"{aria}>'
        f"{words} <kbd>{KEYS[value]}</kbd></button>"
    )
