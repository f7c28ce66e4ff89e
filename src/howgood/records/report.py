"""What we tell people at the end: findings first, pictures, tables, methods, provenance.

In: sentences, tables and SVG pictures made by the stages and `show`. Out: `Report`, which
`show` turns into HTML, Markdown and JSON. Absent: layout.
"""

from dataclasses import dataclass, field

from howgood.names import one_line
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.provenance import Provenance
from howgood.records.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One plain-language sentence, with its uncertainty in words, and how sure we are.

    Stability: experimental
    """

    text: str
    tone: str = "neutral"  # "good" | "bad" | "neutral" | "unsure"

    def __post_init__(self) -> None:
        # A sentence is one line: no name in it can begin another one.
        object.__setattr__(self, "text", one_line(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """What a reader came for: one sentence, one share with its interval, whom it rests on.

    `share` is (lower, middle, upper); `more` are short sentences below. `people` of about `wanted`
    have answered. `acceptance` lets a page draw the map of equal acceptance and answer "what if",
    starting at `point` (precision, recall). Where the answer is no share of people, `hero` is the
    large number, `caption` what it counts, and `ends` name the left end, the middle and the right
    end of the bar that `share` is drawn on; without ends there is no bar.

    Stability: experimental
    """

    title: str
    text: str
    share: tuple[float, float, float]
    point: tuple[float, float]
    people: int
    wanted: int
    more: tuple[str, ...] = ()
    is_enough: bool = True
    acceptance: AcceptanceDraws | None = None
    hero: str = ""
    caption: str = "would accept it"
    ends: tuple[str, ...] = ("0", "50 %", "100 %")

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with text, at most one picture and at most one table.

    `svg` is a whole <svg> element, or two: for desks, and for phones; `alt` says in words what it
    shows. A `detail` is for those who
    want to check: pages show it behind a fold, on which `about` says in one line what is inside.

    Stability: experimental
    """

    title: str
    text: str = ""
    svg: str = ""
    alt: str = ""
    table: Table | None = None
    is_detail: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report that can be published or shipped as it is.

    Stability: stable
    """

    title: str
    question: str
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    methods: str
    provenance: Provenance
    cautions: tuple[str, ...] = field(default=())
    headlines: tuple[Headline, ...] = field(default=())
