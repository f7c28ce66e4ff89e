"""The public library: model cards, and "is 85 % enough?" answered from them.

In: a host, a card's name, an accuracy as people type it. Out: cards and `Answer`. Absent: answers
of people: a card holds summaries and draws of a fit, never what anybody said.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from sqlalchemy.engine import Connection

from howgood import decide
from howgood.decide.acceptability import acceptance_of_tables
from howgood.decide.sampling import Counts, resampled
from howgood.errors import InputError, UnknownNameError
from howgood.flow import registry
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host
from howgood.flow.results.requests import job_of
from howgood.records.card import ModelCard
from howgood.records.decision import Target
from howgood.records.estimate import Estimate
from howgood.records.record import read_record
from howgood.show.cards import readable
from howgood.store import audit, cards

SHARES = (0.5, 0.8)
# True positives, false negatives, false positives, true negatives, as a page's fields name them.
CELLS = ("tp", "fn", "fp", "tn")
_DRAWS = 2000
_MOST_DIGITS = 10  # of a count; more would be more cases than there are people


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Precision and recall, and the counts they come from where these are known."""

    precision: float
    recall: float
    counts: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What people would say about an accuracy, and what to aim for.

    With counts, `accepting` holds the uncertainty of the test set too.
    """

    accuracy: Accuracy
    accepting: Estimate
    targets: tuple[Target, ...]


def library(host: Host, *, folder: Path | None = registry.DEFAULT_FOLDER) -> dict[str, ModelCard]:
    """Return every card by name: those shipped, those of the folder, those published here."""
    by_name = registry.cards(folder)
    with host.database.reading() as connection:
        published = cards.everything(connection)
    for one_card in published:
        by_name[one_card.name] = read_record(
            ModelCard, one_card.content, where=f"card {one_card.name}"
        )
    return {
        name: card.changed(application=readable(card.application)) for name, card in by_name.items()
    }


def find_card(host: Host, name: str) -> ModelCard:
    """Return a card of the library."""
    known = library(host)
    if name not in known:
        raise UnknownNameError(where="card", name=name, names=known)
    return known[name]


def is_enough(card: ModelCard, accuracy: Accuracy) -> Answer:
    """Return the share of people who would accept, and what a point more would bring."""
    draws = card.acceptance_draws(card.application)
    targets = tuple(
        decide.target(draws, share=share, precision=accuracy.precision, recall=accuracy.recall)
        for share in SHARES
    )
    accepting = targets[0].acceptance
    if accuracy.counts is not None:
        generator = np.random.default_rng(1)
        tables = resampled(Counts.of_cells(*accuracy.counts), _DRAWS, generator)
        accepting = acceptance_of_tables(draws, None, tables)
    return Answer(accuracy=accuracy, accepting=accepting, targets=targets)


def read_accuracy(given: Mapping[str, str]) -> Accuracy | None:
    """Return the accuracy somebody typed: precision and recall, or a confusion matrix.

    None when nothing was typed.

    Examples
    --------
    >>> read_accuracy({"precision": "85 %", "recall": "0.9"})
    Accuracy(precision=0.85, recall=0.9, counts=None)
    >>> read_accuracy({"matrix": "85 15 / 10 890"}).precision.__round__(3)
    0.895
    """
    cells = [given.get(name, "").strip() for name in CELLS]
    matrix = " ".join(cells) if any(cells) else given.get("matrix", "").strip()
    typed = {name: given.get(name, "").strip() for name in ("precision", "recall")}
    if matrix:
        return accuracy_of_counts(_counts(matrix))
    if not any(typed.values()):
        return None
    precision, recall = (_share(text, name) for name, text in typed.items())
    _refuse_mixed(typed)
    return Accuracy(precision=precision, recall=recall)


def accuracy_of_counts(counts: tuple[int, int, int, int]) -> Accuracy:
    """Return precision and recall of true positives, misses, false alarms and true negatives."""
    hits, missed, alarms, _ = counts
    if hits + missed == 0 or hits + alarms == 0:
        raise InputError(
            where="confusion matrix",
            found=f"{hits + missed} positive cases, {hits + alarms} of all flagged",
            needed="at least one positive case and one flagged case",
            cure="Check the order: true positives, false negatives, false positives, true "
            "negatives.",
        )
    return Accuracy(precision=hits / (hits + alarms), recall=hits / (hits + missed), counts=counts)


def publish_card(
    host: Host, slug: str, number: int, application: str, *, actor: str, now: datetime
) -> str:
    """Put what a fit taught about one application into the library; return the card's name."""
    row = find_study(host, slug)
    _, result = job_of(host, slug, number)
    known = {card.application: card for card in result.cards} if result is not None else {}
    if application not in known:
        raise UnknownNameError(where="application", name=application, names=known)
    card = known[application]
    taken = registry.cards(registry.DEFAULT_FOLDER)

    def store(connection: Connection) -> bool:
        is_free = card.name not in taken and cards.publish(
            connection, row.number, card.name, card.to_dict(), now=now
        )
        if is_free:
            detail = {"card": card.name}
            audit.note(
                connection, actor=actor, action="publish", study=slug, detail=detail, now=now
            )
        return is_free

    if not host.database.write(store):
        raise InputError(
            where="library",
            found=f"another card named {card.name!r}",
            needed="a name of its own",
            cure="Give the study another short name.",
        )
    return card.name


def withdraw_card(host: Host, name: str, *, actor: str, now: datetime) -> bool:
    """Take a card that was published here out of the library."""

    def store(connection: Connection) -> bool:
        is_gone = cards.withdraw(connection, name)
        if is_gone:
            audit.note(connection, actor=actor, action="withdraw", detail={"card": name}, now=now)
        return is_gone

    return host.database.write(store)


def is_published_here(host: Host, name: str) -> bool:
    """Return whether a card came from this server's studies, and so can be withdrawn."""
    with host.database.reading() as connection:
        return any(card.name == name for card in cards.everything(connection))


def study_of_card(host: Host, name: str) -> str | None:
    """Return the study that a card came from; None: another server's, or it was deleted."""
    with host.database.reading() as connection:
        return cards.study_of(connection, name)


def _counts(text: str) -> tuple[int, int, int, int]:
    parts = re.findall(r"\d+", text)
    is_clean = re.fullmatch(r"[\d\s,;/|\[\]()]+", text) is not None
    if not is_clean or len(parts) != 4 or any(len(part) > _MOST_DIGITS for part in parts):
        raise InputError(
            where="confusion matrix",
            found=repr(text[:80]),
            needed="four whole numbers: true positives, false negatives, false positives, true "
            "negatives",
            cure="Write for instance 85 15 10 890.",
        )
    hits, missed, alarms, cleared = (int(part) for part in parts)
    return hits, missed, alarms, cleared


def _refuse_mixed(typed: Mapping[str, str]) -> None:
    """Refuse a plain number up to 1 next to one above: is it a share, or a percentage too?"""
    plain = {name: text for name, text in typed.items() if not text.endswith("%")}
    small = [name for name, text in plain.items() if _number(text) <= 1]
    if len(plain) == 2 and len(small) == 1:
        unclear = plain[small[0]]
        raise InputError(
            where=small[0],
            found=" next to ".join(f"{name} {text[:40]}" for name, text in plain.items()),
            needed="both in per cent, or both as shares",
            cure=f"Write {unclear[:40]} %, or {100 * _number(unclear):.6g} %.",
        )


def _number(text: str) -> float:
    """Return what was typed as a number, NaN where it is none."""
    try:
        return float(text.removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return float("nan")


def _share(text: str, name: str) -> float:
    """Return 0.85 for "85", "85 %" and "0.85"; up to 1 a plain number is taken as a share."""
    value = _number(text)
    if text.endswith("%") or value > 1:
        value /= 100
    if not 0 < value <= 1:
        raise InputError(
            where=name,
            found=repr(text[:40]) if text else "nothing",
            needed="a percentage above 0, up to 100",
            cure="Write for instance 85, or 0.85.",
        )
    return value
