"""Answers from inside a product: was this acceptable?

In: a host, a study, a product's token, what somebody said and the counts they had seen. Out: the
answer stored once, how acceptable the product is over time, rows for exports and fits. Absent:
deciding (`decide.watch`), the model of imagined and real systems (`learn.fit_ordinal`), the web.

The product names its people by ids of its own. What is stored is a code made from the id with the
server's key: nobody can go back from the code to the id, and whoever knows the id can have
everything erased that belongs to it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlalchemy.engine import Connection

from howgood import decide
from howgood.errors import InputError, UnknownNameError
from howgood.flow.hosting import Host, tokens
from howgood.kinds import kind_of
from howgood.kinds.protocol import AskedInUse
from howgood.records.codebook import Column, columns
from howgood.records.inclusion import CHECKS_COLUMN, EXCLUDED_COLUMN, FINISHED_COLUMN, PILOT_COLUMN
from howgood.records.researcher import Researcher
from howgood.records.watch import IN_USE
from howgood.store import audit, in_use, studies
from howgood.store.in_use import Product, UseAnswer

if TYPE_CHECKING:
    from howgood.records.watch import AcceptanceWatch

PREFIX = "howgood_use_"
_LONGEST_NAME, _MOST_PRODUCTS, _MOST_ORIGINS = 100, 50, 20
_HOST = re.compile(r"[a-z0-9.-]+|\[[0-9a-f:]+\]")
_AT_ONCE = 5000
COLUMNS: tuple[Column, ...] = columns(
    ("acceptable", "boolean", "answers in use: whether it was acceptable, where that was asked"),
    ("at", "time", "answers in use: when it was said"),
    ("release", "text", "answers in use: release of the product, as the product names it"),
)


class DifferentAnswerError(InputError):
    """An answer whose key was used for another answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeProduct:
    """A product with its token, which is shown now and never again."""

    product: Product
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidInUse:
    """What a product sends: `key` names the answer, `user` the person by the product's own id."""

    key: str
    user: str
    acceptable: bool | None
    rating: int | None
    hits: int
    misses: int
    false_alarms: int
    release: str = ""


def asked_in_use(host: Host, slug: str) -> AskedInUse:
    """Return which applications of a study can be asked about inside a product, and how."""
    with host.database.reading() as connection:
        row = studies.find(connection, slug)
    question = None if row is None else kind_of(host.study(row.version)).asked_in_use(
        host.study(row.version)
    )  # fmt: skip
    if question is None:
        raise InputError(
            where=f"study {slug!r}", found="no published survey",
            needed="a survey whose scenarios the answers can stand next to",
            cure="Publish a study of the kind survey.",
        )  # fmt: skip
    return question


def products_of(host: Host, slug: str) -> tuple[Product, ...]:
    """Return the products of a study, the oldest first."""
    with host.database.reading() as connection:
        return in_use.of_study(connection, studies.existing(connection, slug).number)


def product_of(host: Host, slug: str, number: int) -> Product:
    """Return a product of a study by its number."""
    known = {product.number: product for product in products_of(host, slug)}
    if number not in known:
        raise UnknownNameError(where="product", name=number, names=())
    return known[number]


def add_product(
    host: Host,
    person: Researcher,
    slug: str,
    *,
    name: str,
    application: str,
    origins: str,
    now: datetime,
) -> MadeProduct:
    """Let a product send answers; `origins` are the web pages that may, separated by spaces.

    Notes
    -----
    Stability: experimental
    """
    name = _checked_name(name)
    named = checked_origins(origins)
    known = asked_in_use(host, slug).applications
    if application not in known:
        raise UnknownNameError(where="application", name=application, names=known)
    token = PREFIX + tokens.fresh_token()

    def store(connection: Connection) -> Product:
        study = studies.existing(connection, slug).number
        if len(in_use.of_study(connection, study)) >= _MOST_PRODUCTS:
            raise InputError(
                where="products", found=f"{_MOST_PRODUCTS} already", needed="fewer",
                cure="Use one of them.",
            )  # fmt: skip
        number = in_use.add(
            connection, study=study, name=name, application=application,
            digest=tokens.digest(token), origins=named, actor=person.name, now=now,
        )  # fmt: skip
        _note(connection, person, slug, "product added", name, now)
        return Product(
            number=number, study=slug, name=name, application=application, origins=named,
            is_open=True, watched_since=None, actor=person.name, created_at=now,
        )  # fmt: skip

    return MadeProduct(product=host.database.write(store), token=token)


def renew_token(
    host: Host, person: Researcher, slug: str, number: int, *, now: datetime
) -> MadeProduct:
    """Give a product a new token; the old one lets nothing in any more."""
    token = PREFIX + tokens.fresh_token()
    made = _changed(
        host, person, slug, number, {"token_digest": tokens.digest(token), "is_open": True},
        "product token renewed", now,
    )  # fmt: skip
    return MadeProduct(product=made, token=token)


def close_product(host: Host, person: Researcher, slug: str, number: int, *, now: datetime) -> None:
    """Take no more answers from a product; what it sent is kept."""
    _changed(host, person, slug, number, {"is_open": False}, "product closed", now)


def watch_anew(host: Host, person: Researcher, slug: str, number: int, *, now: datetime) -> None:
    """Judge a product by answers from now on: what changed before is understood."""
    _changed(host, person, slug, number, {"watched_since": now}, "product watched anew", now)


def _changed(
    host: Host,
    person: Researcher,
    slug: str,
    number: int,
    values: dict[str, Any],
    action: str,
    now: datetime,
) -> Product:
    before = product_of(host, slug, number)

    def store(connection: Connection) -> None:
        in_use.change(connection, studies.existing(connection, slug).number, number, values)
        _note(connection, person, slug, action, before.name, now)

    host.database.write(store)
    return product_of(host, slug, number)


def sender(host: Host, number: int, token: str) -> Product | None:
    """Return the product of this number if the token is its own and it takes answers."""
    if not token.startswith(PREFIX):
        return None
    with host.database.reading() as connection:
        product = in_use.find_by_token(connection, tokens.digest(token))
    return product if product is not None and product.number == number and product.is_open else None


def origins_of(host: Host, number: int) -> tuple[str, ...]:
    """Return the web pages that may send answers for a product; nobody's for none."""
    with host.database.reading() as connection:
        product = in_use.find(connection, number)
    return () if product is None else product.origins


def take_answer(host: Host, product: Product, said: SaidInUse, *, now: datetime) -> bool:
    """Store an answer; return whether it is new. It is safe on disk when this returns.

    The same answer sent again is stored once; another answer under its key is refused.

    Notes
    -----
    Stability: experimental
    """
    if (said.acceptable is None) == (said.rating is None):
        raise InputError(
            where="answer", found="both acceptable and rating" if said.rating else "neither",
            needed="acceptable (true or false) or rating (1 to 7)", cure="Send one of them.",
        )  # fmt: skip
    points = asked_in_use(host, product.study).points
    if said.rating is not None and not 1 <= said.rating <= points:
        raise InputError(
            where="rating", found=str(said.rating), needed=f"a whole number from 1 to {points}",
            cure="Send what the person chose.",
        )  # fmt: skip
    answer = UseAnswer(
        key=said.key, person=tokens.person_code(host.key, product.number, said.user),
        rating=said.rating, accepted=said.acceptable, hits=said.hits, misses=said.misses,
        false_alarms=said.false_alarms, release=said.release, at=now,
    )  # fmt: skip
    earlier = host.database.write(lambda c: in_use.add_answer(c, product.number, answer))
    if earlier is not None and _content(earlier) != _content(answer):
        raise DifferentAnswerError(
            where="id", found="one that was used for another answer",
            needed="a new id for every answer, the same only when it is sent again",
            cure="Make a random one for each.",
        )  # fmt: skip
    return earlier is None


def _content(answer: UseAnswer) -> tuple[object, ...]:
    return (
        answer.person, answer.rating, answer.accepted, answer.hits, answer.misses,
        answer.false_alarms, answer.release,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProduct:
    """A product, how many answers and people it has, and how acceptable it is; None: no answer."""

    product: Product
    answers: int
    people: int
    watch: "AcceptanceWatch | None"


def live_products(host: Host, slug: str) -> tuple[LiveProduct, ...]:
    """Return every product of a study with how acceptable it is over time.

    Notes
    -----
    Stability: experimental
    """
    with host.database.reading() as connection:
        held = in_use.counts(connection, studies.existing(connection, slug).number)
    products = []
    for product in products_of(host, slug):
        n_answers, n_people = held.get(product.number, (0, 0))
        seen = watch_product(host, slug, product) if n_answers else None
        products.append(
            LiveProduct(product=product, answers=n_answers, people=n_people, watch=seen)
        )
    return tuple(products)


def watch_product(
    host: Host, slug: str, product: Product, *, share: float = 0.8
) -> "AcceptanceWatch | None":
    """Return how acceptable a product is; None while there is no answer to judge."""
    said = [answer for page in _pages(host, product) for _, answer in page]
    since = product.watched_since
    if not any(since is None or answer.at >= since for answer in said):
        return None
    return decide.watch(
        {
            "participant": [answer.person for answer in said],
            "at": [answer.at for answer in said],
            "rating": [answer.rating for answer in said],
            "accepted": [answer.accepted for answer in said],
        },
        cut=asked_in_use(host, slug).cut,
        share=share,
        since=since,
    )


def use_pages(host: Host, slug: str) -> Iterator[list[dict[str, Any]]]:
    """Yield answers in use as rows of the study's answers, some at a time, with their own part."""
    for product in products_of(host, slug):
        for page in _pages(host, product):
            yield [use_row(product, answer) for _, answer in page]


def use_rows(host: Host, slug: str) -> Iterator[dict[str, Any]]:
    """Yield answers in use as rows of the study's answers."""
    return chain.from_iterable(use_pages(host, slug))


def use_row(product: Product, answer: UseAnswer) -> dict[str, Any]:
    """Return one answer in use as a row; an accuracy that the counts do not define is empty."""
    happened, reported = answer.hits + answer.misses, answer.hits + answer.false_alarms
    return {
        "participant": f"use-{answer.person}",
        "application": product.application,
        "system": product.name,
        "part": IN_USE,
        "real_positives": happened,
        "true_positives": answer.hits,
        "false_negatives": answer.misses,
        "false_positives": answer.false_alarms,
        "precision": answer.hits / reported if reported else None,
        "recall": answer.hits / happened if happened else None,
        "rating": answer.rating,
        "acceptable": answer.accepted,
        "at": answer.at.isoformat(),
        "release": answer.release or None,
        CHECKS_COLUMN: None,
        FINISHED_COLUMN: True,
        PILOT_COLUMN: False,
        EXCLUDED_COLUMN: False,
    }


def has_products(host: Host, slug: str) -> bool:
    """Return whether a study has a product, so that its data has columns for answers in use."""
    return bool(products_of(host, slug))


def page_of_answers(
    host: Host, slug: str, number: int, *, after: int, most: int
) -> tuple[list[dict[str, Any]], int | None]:
    """Return some answers of a product after a number, and where the next page begins."""
    product = product_of(host, slug, number)
    with host.database.reading() as connection:
        answers = in_use.answers(connection, number, after=after, most=most)
    rows = [use_row(product, answer) for _, answer in answers]
    return rows, answers[-1][0] if len(answers) == most else None


def erase_user(host: Host, slug: str, number: int, user: str, *, actor: str, now: datetime) -> int:
    """Erase everything a person said inside a product; return how many answers went."""
    product = product_of(host, slug, number)
    code = tokens.person_code(host.key, number, user.strip())

    def store(connection: Connection) -> int:
        gone = in_use.erase_person(connection, number, code)
        if gone:
            audit.note(
                connection, actor=actor, action="erase participant", study=slug,
                detail={"participants": 1, "product": product.name}, now=now,
            )  # fmt: skip
        return gone

    gone = host.database.write(store)
    if not gone:
        raise UnknownNameError(where="person", name=user.strip()[:80], names=())
    host.database.scrub()
    return gone


def _pages(host: Host, product: Product) -> Iterator[list[tuple[int, UseAnswer]]]:
    after = 0
    while True:
        with host.database.reading() as connection:
            page = in_use.answers(connection, product.number, after=after, most=_AT_ONCE)
        if page:
            yield page
        if len(page) < _AT_ONCE:
            return
        after = page[-1][0]


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(
            where="name", found=repr(name[:60]), needed=f"1 to {_LONGEST_NAME} characters",
            cure="Name the product, such as: Camera app.",
        )  # fmt: skip
    return name


def checked_origins(text: str) -> tuple[str, ...]:
    """Return the origins of web pages named in a text, each as browsers send it.

    Examples
    --------
    >>> checked_origins("https://App.example.org/ http://localhost:3000")
    ('https://app.example.org', 'http://localhost:3000')
    """
    checked = []
    for word in text.replace(",", " ").split():
        parts = urlsplit(word.lower())
        is_local = (parts.hostname or "") in ("localhost", "127.0.0.1")
        is_scheme = parts.scheme == "https" or (parts.scheme == "http" and is_local)
        is_bare = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
        if not (is_scheme and is_bare and _HOST.fullmatch(parts.netloc.rpartition(":")[0] or
                                                          parts.netloc)):  # fmt: skip
            raise InputError(
                where="web pages", found=repr(word[:80]),
                needed="https:// and a host, such as https://app.example.org",
                cure="Name hosts alone, without a path.",
            )  # fmt: skip
        checked.append(f"{parts.scheme}://{parts.netloc}")
    if len(checked) > _MOST_ORIGINS:
        raise InputError(
            where="web pages", found=f"{len(checked)}", needed=f"at most {_MOST_ORIGINS}",
            cure="Name fewer.",
        )  # fmt: skip
    return tuple(dict.fromkeys(checked))


def _note(
    connection: Connection, person: Researcher, slug: str, action: str, name: str, now: datetime
) -> None:
    audit.note(
        connection, actor=person.name, action=action, study=slug, detail={"product": name}, now=now
    )
