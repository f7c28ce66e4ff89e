"""Products whose people are asked inside them, and what they said.

In: a connection and plain values. Out: records. Absent: tokens in the clear, ids of people.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from howgood.store.schema import insert_into, products, studies, use_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A system in use; `application` is its key in the study, `origins` the pages that may send."""

    number: int
    study: str
    name: str
    application: str
    origins: tuple[str, ...]
    is_open: bool
    watched_since: datetime | None
    actor: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UseAnswer:
    """What somebody said inside a product, and the counts they had seen."""

    key: str
    person: str
    rating: int | None
    accepted: bool | None
    hits: int
    misses: int
    false_alarms: int
    release: str
    at: datetime


def add(
    connection: Connection,
    *,
    study: int,
    name: str,
    application: str,
    digest: str,
    origins: Sequence[str],
    actor: str,
    now: datetime,
) -> int:
    """Keep a product and return its number."""
    row = connection.execute(
        sa.insert(products)
        .values(
            study_id=study, name=name, application=application, token_digest=digest,
            origins=list(origins), is_open=True, actor=actor, created_at=now,
        )
        .returning(products.c.id)
    )  # fmt: skip
    return int(row.scalar_one())


def change(connection: Connection, study: int, number: int, values: Mapping[str, Any]) -> bool:
    """Change a product of a study; False: it has none of this number."""
    mine = sa.update(products).where(products.c.study_id == study, products.c.id == number)
    return connection.execute(mine.values(**values)).rowcount > 0


def of_study(connection: Connection, study: int) -> tuple[Product, ...]:
    """Return the products of a study, the oldest first."""
    return tuple(_products(connection, products.c.study_id == study))


def find(connection: Connection, number: int) -> Product | None:
    """Return a product by its number."""
    return next(_products(connection, products.c.id == number), None)


def find_by_token(connection: Connection, digest: str) -> Product | None:
    """Return the product whose token has this digest."""
    return next(_products(connection, products.c.token_digest == digest), None)


def _products(connection: Connection, which: sa.ColumnElement[bool]) -> Iterator[Product]:
    query = sa.select(products, studies.c.slug).join(studies).order_by(products.c.id)
    for row in connection.execute(query.where(which)):
        yield Product(
            number=row.id, study=row.slug, name=row.name, application=row.application,
            origins=tuple(row.origins), is_open=row.is_open, watched_since=row.watched_since,
            actor=row.actor, created_at=row.created_at,
        )  # fmt: skip


def add_answer(connection: Connection, product: int, answer: UseAnswer) -> UseAnswer | None:
    """Store an answer unless its key is taken; return the one that took it, or None."""
    values = {
        "product_id": product, "key": answer.key, "person": answer.person,
        "rating": answer.rating, "accepted": answer.accepted, "hits": answer.hits,
        "misses": answer.misses, "false_alarms": answer.false_alarms, "release": answer.release,
        "at": answer.at,
    }  # fmt: skip
    free = insert_into(connection.dialect.name, use_answers).values(values)
    if connection.execute(free.on_conflict_do_nothing()).rowcount:
        return None
    same_key = (use_answers.c.product_id == product) & (use_answers.c.key == answer.key)
    return _answer(connection.execute(sa.select(use_answers).where(same_key)).one())


def answers(
    connection: Connection, product: int, *, after: int = 0, most: int | None = None
) -> list[tuple[int, UseAnswer]]:
    """Return a product's answers with their numbers, in the order in which they came."""
    query = (
        sa.select(use_answers)
        .where(use_answers.c.product_id == product, use_answers.c.id > after)
        .order_by(use_answers.c.id)
    )
    rows = connection.execute(query if most is None else query.limit(most))
    return [(row.id, _answer(row)) for row in rows]


def counts(connection: Connection, study: int) -> dict[int, tuple[int, int]]:
    """Return answers and people of every product of a study that has any."""
    rows = connection.execute(
        sa.select(
            use_answers.c.product_id,
            sa.func.count(),
            sa.func.count(sa.distinct(use_answers.c.person)),
        )
        .join(products)
        .where(products.c.study_id == study)
        .group_by(use_answers.c.product_id)
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def erase_person(connection: Connection, product: int, person: str) -> int:
    """Delete everything a person said inside a product; return how many answers went."""
    mine = (use_answers.c.product_id == product) & (use_answers.c.person == person)
    return connection.execute(sa.delete(use_answers).where(mine)).rowcount


def erase_of_study(connection: Connection, study: int) -> int:
    """Delete what people said inside a study's products, and close them; return how many people."""
    people = sum(n_people for _, n_people in counts(connection, study).values())
    mine = sa.select(products.c.id).where(products.c.study_id == study)
    connection.execute(sa.delete(use_answers).where(use_answers.c.product_id.in_(mine)))
    connection.execute(
        sa.update(products).where(products.c.study_id == study).values(is_open=False)
    )
    return people


def _answer(row: Row[Any]) -> UseAnswer:
    return UseAnswer(
        key=row.key, person=row.person, rating=row.rating, accepted=row.accepted, hits=row.hits,
        misses=row.misses, false_alarms=row.false_alarms, release=row.release, at=row.at,
    )  # fmt: skip
