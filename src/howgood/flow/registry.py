"""A registry of model cards: one small JSON file per application, in a folder.

In: fits, cards, folders. Out: cards on disk, tables of cards, priors for the next study. Ships the
estimates Kay et al. (2015) published, and fits of their public answers. Absent: a server; share
the folder as you share code.
"""

import json
from collections.abc import Iterator
from html import escape
from importlib import resources
from pathlib import Path

from howgood.decide.challenges import challenges, transfer
from howgood.errors import InputError, UnknownNameError
from howgood.flow.files import read_json
from howgood.learn import cards as learn_cards
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.records.card import CardEstimate, ModelCard, ReachedSystem
from howgood.records.record import read_record
from howgood.records.table import Table
from howgood.show.cards import card_warning, readable, with_warning
from howgood.show.challenges import card_report, challenge_report
from howgood.show.numbers import plain
from howgood.show.page import to_html
from howgood.show.text import to_json
from howgood.writing import write_text

DEFAULT_FOLDER = Path("howgood-registry")


def cards(folder: Path | None = None) -> dict[str, ModelCard]:
    """Return the shipped cards and those of a folder by name; the folder's win."""
    by_name = {card.name: card for card in _shipped()}
    for path in sorted(folder.glob("*.json")) if folder is not None and folder.is_dir() else []:
        card = read_card(path)
        by_name[card.name] = card
    return by_name


def readable_cards(folder: Path | None = None) -> dict[str, ModelCard]:
    """Return the cards with their applications as people would write them."""
    return {
        name: card.changed(application=readable(card.application))
        for name, card in cards(folder).items()
    }


def find_card(name: str, *, folder: Path | None = None) -> ModelCard:
    """Return a card by its name, or by the path of its file."""
    if name.endswith(".json"):
        return read_card(Path(name))
    known = cards(folder)
    if name not in known:
        raise UnknownNameError(where="registry", name=name, names=known)
    return known[name]


def predicting_card(name: str, *, folder: Path | None = None) -> ModelCard:
    """Return a card that can predict; where there is none of that name, suggest one that can."""
    known = {} if name.endswith(".json") else cards(folder)
    able = {entry: card for entry, card in known.items() if card.draws}
    if known and name not in known:
        raise UnknownNameError(where="model cards (no file has this name)", name=name, names=able)
    card = find_card(name, folder=folder)
    if card.draws:
        return card
    words = set(card.name.split("-"))
    alike = [text for text in able if words <= set(text.split("-"))]
    cure = f"Use {alike[0]!r}, which predicts" if alike else "Choose one of " + ", ".join(able)
    raise InputError(
        where=f"model card {card.name!r}",
        found=f"only the summary {card.citation} reports",
        needed="posterior draws, to predict acceptance",
        cure=f"{cure}; or fit answers of your own.",
    )


def read_card(path: Path) -> ModelCard:
    """Read one card; only JSON of a sensible size and shape is accepted, nothing is executed."""
    data = read_json(path, needed="a model card: one JSON file written by `howgood registry add`")
    return read_record(ModelCard, data, where=str(path))


def write_card(card: ModelCard, *, folder: Path, replace: bool = False) -> Path:
    """Write a card into a folder; an existing one is kept unless `replace` is set."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{card.name}.json"
    if path.exists() and not replace:
        raise InputError(
            where=str(path),
            found="a card of that name",
            needed="a new name",
            cure="Choose another --name, or replace it with --replace.",
        )
    return write_text(path, _written(card))


def card_of_fit(
    fit: AcceptabilityFit,
    application: str | None,
    *,
    name: str,
    description: str,
    citation: str = "unpublished",
    licence: str = "not stated",
    prevalence: float | None = None,
) -> ModelCard:
    """Return the card of one application of a fit, with a warning if it rests on little."""
    return with_warning(
        learn_cards.card_of_fit(
            fit,
            application,
            name=name,
            description=description,
            citation=citation,
            licence=licence,
            prevalence=prevalence,
        )
    )


def card_table(known: dict[str, ModelCard]) -> Table:
    """Return one row per card: what it is about, how it weighs precision, whom it rests on."""
    return Table(
        {
            "name": list(known),
            "application": [card.application for card in known.values()],
            "alpha": [_shown(card.alpha) for card in known.values()],
            "respondents": [
                "not known" if card.n_respondents is None else str(card.n_respondents)
                for card in known.values()
            ],
            "warning": [card_warning(card).partition(":")[0].lower() for card in known.values()],
            "source": [card.source for card in known.values()],
            "predicts": ["yes" if card.draws else "no" for card in known.values()],
        }
    )


def with_system(
    name: str, *, folder: Path, system: str, precision: float, recall: float, source: str
) -> Path:
    """Enter what a system reaches into a card; a shipped card is copied into the folder first."""
    card = find_card(name, folder=folder)
    entered = {"name": system, "precision": precision, "recall": recall, "source": source}
    reached = read_record(ReachedSystem, entered, where=f"card {card.name}, system")
    others = tuple(known for known in card.systems if known.name != reached.name)
    return write_card(card.changed(systems=(*others, reached)), folder=folder, replace=True)


def write_site(known: dict[str, ModelCard], *, folder: Path) -> list[Path]:
    """Write the whole library as a static site: a page of all applications, and one per card."""
    named = {
        name: card.changed(application=readable(card.application)) for name, card in known.items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    pages = _page_names(tuple(named))
    written = [
        write_text(folder / pages[name], to_html(card_report(card))) for name, card in named.items()
    ]
    report = challenge_report(challenges(named), transfer(named))
    links = "".join(
        f'<li><a href="{pages[name]}">{escape(card.application)}</a>: {escape(name)}</li>'
        for name, card in named.items()
    )
    page = to_html(report).replace("</main>", f"<h2>Cards</h2><ul>{links}</ul></main>", 1)
    return [write_text(folder / "index.html", page), *written]


def _page_names(names: tuple[str, ...]) -> dict[str, str]:
    """Return one file name per card; index.html is the page of all of them."""
    taken, pages = {"index"}, {}
    for name in sorted(names, key=lambda each: (each.casefold() == "index", each)):
        page = name
        while page.casefold() in taken:  # also where files differ in capitals alone
            page += "-card"
        taken.add(page.casefold())
        pages[name] = f"{page}.html"
    return pages


def _written(card: ModelCard) -> str:
    """JSON with one line per parameter's draws: readable, and a third of the lines."""
    values = card.to_dict()
    draws = values.pop("draws")
    lines = ",\n".join(f'    "{name}": {json.dumps(draw)}' for name, draw in draws.items())
    return to_json(values).removesuffix("\n}") + f',\n  "draws": {{\n{lines}\n  }}\n}}\n'


def _shipped() -> Iterator[ModelCard]:
    folder = resources.files("howgood.flow") / "shipped_cards"
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        data = json.loads(entry.read_text(encoding="utf-8"))
        yield read_record(ModelCard, data, where=entry.name)


def _shown(estimate: CardEstimate | None) -> str:
    if estimate is None:
        return "not known"
    mean = plain(estimate.mean, digits=2)
    if estimate.lower is None or estimate.upper is None:
        return mean
    return f"{mean} [{plain(estimate.lower, digits=2)}, {plain(estimate.upper, digits=2)}]"
