"""Compare what people were told with what is stored.

In: a database's address, people. Out: `Count`. Absent: load (`people`), the page (`page`).
"""

from collections import defaultdict
from dataclasses import dataclass

import sqlalchemy as sa
from benchmarks.load.residents import MARK

from howgood.flow.hosting import tokens
from howgood.store.database import open_database
from howgood.store.schema import answers, participants, screens


@dataclass(frozen=True, kw_only=True)
class Count:
    """What became of answers; `stored` may exceed `acknowledged` by what trouble cut off."""

    people: int
    acknowledged: int
    stored: int
    lost: int  # acknowledged, and not stored as it was sent
    doubled: int  # stored a second time, or without having been sent, or out of step
    polite: int  # pages that said: what you sent is safe, try again
    other: int  # an error, an impolite page, a question asked twice, a page that never came

    @property
    def is_sound(self) -> bool:
        return self.lost == self.doubled == self.other == 0


def counted(address, people) -> Count:
    """Look into the database and return the counts; who was there before is not counted."""
    rows, n_out_of_step = _stored(address)
    told = _by_digest(people, lambda each: each.acknowledged)
    sent = told | _by_digest(people, lambda each: each.sent)
    kept = {(digest, screen): content for digest, screen, content in rows}
    # Whoever was cut off at the door may be inside without knowing the way.
    n_at_the_door = sum((None, "consent") in each.sent for each in people)
    unknown = {digest for digest, _ in kept} - {digest for digest, _ in sent}
    never_sent = [
        key for key, content in kept.items()
        if key[0] not in unknown and not (key in sent and _is_same(content, sent[key]))
    ]  # fmt: skip
    return Count(
        people=len(people),
        acknowledged=len(told),
        stored=len(rows),
        lost=sum(key not in kept or not _is_same(kept[key], told[key]) for key in told),
        doubled=len(rows) - len(kept) + len(never_sent) + n_out_of_step
        + max(0, len(unknown) - n_at_the_door),
        polite=sum(each.n_polite for each in people),
        other=sum(len(each.wrong) for each in people),
    )  # fmt: skip


def _by_digest(people, values):
    return {
        (tokens.digest(path.removeprefix("/p/")), screen): value
        for person in people
        for (path, screen), value in values(person).items()
        if path is not None
    }


def _is_same(content, sent):
    if sent == "consent":
        return content.get("consent") == "yes"
    if isinstance(sent, dict):
        # What a page is about is kept with the answer, and sent by nobody.
        kept = {name: str(value) for name, value in content.items() if value is not None}
        return {name: kept.get(name) for name in sent or kept} == sent
    return content == ({"rating": int(sent)} if sent else {})


def _stored(address):
    """Return (whose, screen, content) of every answer, and how many people lack a step."""
    database = open_database(address)
    try:
        with database.reading() as connection:
            rows = connection.execute(
                sa.select(participants.c.token_digest, answers.c.screen, answers.c.content)
                .join(participants, participants.c.id == answers.c.participant_id)
                .where(participants.c.token_digest.not_like(f"{MARK}%"))
            ).all()  # fmt: skip
            steps = connection.execute(sa.select(screens.c.participant_id, screens.c.position))
            by_person = defaultdict(list)
            for number, position in steps:
                by_person[number].append(position)
    finally:
        database.close()
    out = sum(sorted(each) != list(range(1, len(each) + 1)) for each in by_person.values())
    return rows, out
