"""The tables, once, for both databases.

In: nothing. Out: SQLAlchemy Core tables. Absent: how they came to be (`migrations`) and any query.

    studies ──< versions ──< participants ──< screens ──< answers ──< answer_changes
       │            └──< media
       ├──< drafts ──< draft_media         what a researcher is writing; publishing makes a version
       ├──< uploads, jobs                  files to judge, and fits that wait, run or ended
       ├──< quota_places (of participants) whom quotas by answers count
       ├──< session_notes (of participants) what a facilitator wrote down
       ├──< refusals                       how many people could not begin, by reason
       ├──< imports ──< imported_screens   which answers came with which file, to undo it
       ├──< api_tokens >── researchers ──< sessions
       ├──< study_roles >── researchers, groups ──< group_members
       └──< result_links                   who may read the results without an account
    cards                                  what fits taught, published; erased with their study
    invitations, audit, facts              one-time links; who did what; the signing key
    attempts                               how often passwords were tried lately
    researchers ──< second_factors, recovery_codes, passkeys, identities: other ways to sign in
    studies ──< webhooks ──< deliveries    who is notified of what happens, and what became of it
    studies ──< products ──< use_answers   systems in use, and what people said inside them

A study's text never changes in place: a changed file is a new version, and a participant stays on
the version they began with. A screen is stored before it is shown; an answer names its screen, and
the primary key allows each participant one answer per screen. Tokens are kept as digests only.
"""

from importlib import import_module
from typing import Any

import sqlalchemy as sa

from howgood.store.database import CLOCKS_DIFFER as CLOCKS_DIFFER
from howgood.store.database import NUMBER, Moment
from howgood.store.database import metadata as metadata

# A number is never given out again, so that memories, addresses and audit lines go on meaning what
# they meant: PostgreSQL's sequences see to that, SQLite wants `sqlite_autoincrement`.


def _of_participant(**options: Any) -> sa.Column[Any]:  # noqa: ANN401 - of a column
    """Return the column that names a participant; its row is erased with them."""
    key = sa.ForeignKey("participants.id", ondelete="CASCADE")
    return sa.Column("participant_id", key, **options)


facts = sa.Table(
    "facts",
    metadata,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

studies = sa.Table(
    "studies",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("slug", sa.String(80), nullable=False, unique=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("is_open", sa.Boolean, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    # When everything collected is erased; empty: kept until somebody erases it.
    sa.Column("erase_at", Moment),
    sqlite_autoincrement=True,
)

versions = sa.Table(
    "versions",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    # When a study file last brought this version; empty for versions made in the dashboard.
    sa.Column("file_at", Moment),
    sa.UniqueConstraint("study_id", "digest"),
    sqlite_autoincrement=True,
)

media = sa.Table(
    "media",
    metadata,
    sa.Column("version_id", sa.ForeignKey("versions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("media_type", sa.String(100), nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

participants = sa.Table(
    "participants",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    sa.Column("version_id", sa.ForeignKey("versions.id"), nullable=False),
    sa.Column("token_digest", sa.String(64), nullable=False, unique=True),
    sa.Column("external_id", sa.String(200)),
    sa.Column("origin", sa.JSON, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("condition", sa.String(100)),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("is_pilot", sa.Boolean, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("consented_at", Moment),
    sa.Column("finished_at", Moment),
    # Phone, tablet or computer when they consented; what else a browser says is not kept.
    sa.Column("device", sa.String(10)),
    sa.UniqueConstraint("study_id", "external_id"),
    sa.Index(None, "study_id", "status"),
    sqlite_autoincrement=True,
)

# Addresses stand apart from answers. An entry of a draw has a number drawn at random, no time and
# nobody's name: nothing joins it to a participant, and the order of the list says nothing.
draw_entries = sa.Table(
    "draw_entries",
    metadata,
    sa.Column("id", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    sa.Column("address", sa.String(254), nullable=False),
    sa.UniqueConstraint("study_id", "address"),
)

# Who has put an address on the list, so that nobody does twice.
draw_tickets = sa.Table(
    "draw_tickets",
    metadata,
    _of_participant(primary_key=True, autoincrement=False),
)

# Whom to remind of the next round; erased with the last reminder. `due_at` is empty until the
# person waits for a round again; `told_of` is the round of the last letter.
reminders = sa.Table(
    "reminders",
    metadata,
    _of_participant(primary_key=True, autoincrement=False),
    sa.Column("address", sa.String(254), nullable=False),
    sa.Column("token", sa.String(100), nullable=False),
    sa.Column("due_at", Moment),
    sa.Column("told_of", Moment),
    sa.Column("attempts", sa.Integer, nullable=False),
)

refusals = sa.Table(
    "refusals",
    metadata,
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("reason", sa.String(40), primary_key=True),
    # A number alone: who was refused has not consented to anything being kept.
    sa.Column("people", sa.Integer, nullable=False),
)

screens = sa.Table(
    "screens",
    metadata,
    _of_participant(primary_key=True),
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("shown_at", Moment, nullable=False),
    sa.UniqueConstraint("participant_id", "position"),
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("participant_id", NUMBER, primary_key=True),
    sa.Column("screen", sa.String(200), primary_key=True),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("answered_at", Moment, nullable=False),
    sa.ForeignKeyConstraint(
        ["participant_id", "screen"],
        ["screens.participant_id", "screens.name"],
        name="fk_answers_screen",
        ondelete="CASCADE",
    ),
)

answer_changes = sa.Table(
    "answer_changes",
    metadata,
    sa.Column("participant_id", NUMBER, primary_key=True),
    # The screen's place after the change: the same change cannot be stored twice.
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("screen", sa.String(200), nullable=False),
    # What was said before.
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("changed_at", Moment, nullable=False),
    sa.ForeignKeyConstraint(
        ["participant_id", "screen"],
        ["answers.participant_id", "answers.screen"],
        name="fk_answer_changes_answer",
        ondelete="CASCADE",
    ),
)

# What researchers decided about a person; the row goes with the person.
reviews = sa.Table(
    "reviews",
    metadata,
    _of_participant(primary_key=True),
    # Why their answers do not count; empty: they do.
    sa.Column("excluded_because", sa.String(300), nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("is_paid", sa.Boolean, nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("changed_at", Moment, nullable=False),
)

# What a facilitator wrote down while somebody took part: `topic` is a question of theirs, or empty
# for what was thought aloud, on the page that was open then.
session_notes = sa.Table(
    "session_notes",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    _of_participant(nullable=False),
    sa.Column("topic", sa.String(40), nullable=False),
    sa.Column("screen", sa.String(200), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("noted_at", Moment, nullable=False),
    sa.Index(None, "participant_id"),
    sqlite_autoincrement=True,
)

quota_places = sa.Table(
    "quota_places",
    metadata,
    _of_participant(primary_key=True),
    # Whom a quota by answers counts; they hold the place as long as they hold one in the study.
    sa.Column("quota", sa.String(100), primary_key=True),
)

imports = sa.Table(
    "imports",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column(
        "study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    sa.Column("source", sa.String(200), nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

imported_screens = sa.Table(
    "imported_screens",
    metadata,
    sa.Column("participant_id", NUMBER, primary_key=True),
    sa.Column("screen", sa.String(200), primary_key=True),
    sa.Column(
        "import_id", sa.ForeignKey("imports.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    sa.ForeignKeyConstraint(
        ["participant_id", "screen"],
        ["screens.participant_id", "screens.name"],
        name="fk_imported_screens_screen",
        ondelete="CASCADE",
    ),
)

researchers = sa.Table(
    "researchers",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("token_digest", sa.String(64), primary_key=True),
    sa.Column("researcher_id", sa.ForeignKey("researchers.id", ondelete="CASCADE"), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
)

invitations = sa.Table(
    "invitations",
    metadata,
    sa.Column("token_digest", sa.String(64), primary_key=True),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
    # Whose password the link renews; empty for one that makes an account.
    sa.Column("researcher_id", sa.ForeignKey("researchers.id", ondelete="CASCADE")),
    # The study that a new account is invited to, and its role there.
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE")),
    sa.Column("study_role", sa.String(20)),
)

groups = sa.Table(
    "groups",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
    sa.Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

group_members = sa.Table(
    "group_members",
    metadata,
    sa.Column("group_id", sa.ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True),
    sa.Column(
        "researcher_id",
        sa.ForeignKey("researchers.id", ondelete="CASCADE"),
        primary_key=True,
        index=True,
    ),
)

study_roles = sa.Table(
    "study_roles",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    # A person or a group, never both.
    sa.Column("researcher_id", sa.ForeignKey("researchers.id", ondelete="CASCADE"), index=True),
    sa.Column("group_id", sa.ForeignKey("groups.id", ondelete="CASCADE")),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.UniqueConstraint("study_id", "researcher_id"),
    sa.UniqueConstraint("study_id", "group_id"),
    sqlite_autoincrement=True,
)

result_links = sa.Table(
    "result_links",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column(
        "study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    sa.Column("token_digest", sa.String(64), nullable=False, unique=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

attempts = sa.Table(
    "attempts",
    metadata,
    # A name or an address, unreadable without the signing key.
    sa.Column("who", sa.String(64), primary_key=True),
    sa.Column("left", sa.Float, nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Index(None, "at"),
)

second_factors = sa.Table(
    "second_factors",
    metadata,
    sa.Column(
        "researcher_id", sa.ForeignKey("researchers.id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("confirmed_at", Moment),
    # The newest half minute whose code was used: no code works twice.
    sa.Column("last_step", NUMBER, nullable=False),
)

recovery_codes = sa.Table(
    "recovery_codes",
    metadata,
    sa.Column(
        "researcher_id", sa.ForeignKey("researchers.id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("digest", sa.String(64), primary_key=True),
)

passkeys = sa.Table(
    "passkeys",
    metadata,
    sa.Column("credential", sa.String(1400), primary_key=True),
    sa.Column(
        "researcher_id",
        sa.ForeignKey("researchers.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    sa.Column("public_key", sa.LargeBinary, nullable=False),
    sa.Column("sign_count", NUMBER, nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("used_at", Moment),
)

# Accounts at a sign-in provider (OpenID Connect).
identities = sa.Table(
    "identities",
    metadata,
    sa.Column("issuer", sa.String(500), primary_key=True),
    sa.Column("subject", sa.String(255), primary_key=True),
    sa.Column(
        "researcher_id",
        sa.ForeignKey("researchers.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    sa.Column("created_at", Moment, nullable=False),
)

# Who is notified of what happens in a study: a program (https) or a person (mailto).
webhooks = sa.Table(
    "webhooks",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column(
        "study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("events", sa.JSON, nullable=False),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("webhook_id", sa.ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False),
    sa.Column("event", sa.String(40), nullable=False),
    # What it is about: everything that happens is written once per webhook.
    sa.Column("subject", sa.String(100), nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    # When it is tried next; empty once it has arrived or was given up.
    sa.Column("next_at", Moment, index=True),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("delivered_at", Moment),
    sa.Column("outcome", sa.String(200), nullable=False),
    sa.UniqueConstraint("webhook_id", "event", "subject"),
    sqlite_autoincrement=True,
)

# A system in use whose people are asked inside it. Its token lets answers in and nothing out.
products = sa.Table(
    "products",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column(
        "study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    sa.Column("name", sa.String(100), nullable=False),
    # Key of the application in the study whose imagined systems these answers stand next to.
    sa.Column("application", sa.String(100), nullable=False),
    sa.Column("token_digest", sa.String(64), nullable=False, unique=True),
    # Web pages that may send answers; programs that are no browser need none.
    sa.Column("origins", sa.JSON, nullable=False),
    sa.Column("is_open", sa.Boolean, nullable=False),
    # Answers before are drawn but not judged; empty: all are.
    sa.Column("watched_since", Moment),
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

use_answers = sa.Table(
    "use_answers",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("product_id", sa.ForeignKey("products.id", ondelete="CASCADE"), nullable=False),
    # Sent with the answer: the same answer sent again is stored once.
    sa.Column("key", sa.String(64), nullable=False),
    # A code made from the product's id of the person; the id itself is not kept.
    sa.Column("person", sa.String(32), nullable=False),
    sa.Column("rating", sa.Integer),
    sa.Column("accepted", sa.Boolean),
    sa.Column("hits", sa.Integer, nullable=False),
    sa.Column("misses", sa.Integer, nullable=False),
    sa.Column("false_alarms", sa.Integer, nullable=False),
    sa.Column("release", sa.String(100), nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.UniqueConstraint("product_id", "key"),
    sa.Index(None, "product_id", "person"),
    sqlite_autoincrement=True,
)

api_tokens = sa.Table(
    "api_tokens",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("token_digest", sa.String(64), nullable=False, unique=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("scopes", sa.JSON, nullable=False),
    # No study: the token may touch every study, those to come as well.
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE")),
    sa.Column("researcher_id", sa.ForeignKey("researchers.id", ondelete="CASCADE"), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment),
    sqlite_autoincrement=True,
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("content", sa.JSON, nullable=False),
    # Another one at each save, so that two tabs cannot silently overwrite each other.
    sa.Column("edition", sa.Integer, nullable=False),
    sa.Column("changed_at", Moment, nullable=False),
    # A discarded draft is kept, unseen, until it is restored or the next one begins.
    sa.Column("discarded_at", Moment),
)

draft_media = sa.Table(
    "draft_media",
    metadata,
    sa.Column("study_id", sa.ForeignKey("drafts.study_id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("media_type", sa.String(100), nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    sa.Column("purpose", sa.String(20), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Index(None, "study_id", "purpose"),
    sqlite_autoincrement=True,
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    sa.Column("task", sa.String(20), nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    # A worker that dies stops renewing its lease; the job is then free for another.
    sa.Column("leased_until", Moment),
    sa.Column("worker", sa.String(100)),
    sa.Column("result", sa.JSON),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("finished_at", Moment),
    sa.Index(None, "study_id", "created_at"),
    sa.Index(None, "status", "leased_until"),
    sqlite_autoincrement=True,
)

cards = sa.Table(
    "cards",
    metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    # Erasing a study, or a person in it, takes its cards along (`erase`); studies that were deleted
    # before that was so left cards without one.
    sa.Column("study_id", sa.ForeignKey("studies.id", ondelete="SET NULL")),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("published_at", Moment, nullable=False),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", NUMBER, primary_key=True),
    sa.Column("at", Moment, nullable=False),
    # Names a researcher or an API token, never a participant; no reference, so that the line
    # outlives the account and the study it tells about.
    sa.Column("actor", sa.String(200), nullable=False),
    sa.Column("action", sa.String(40), nullable=False),
    sa.Column("study", sa.String(80)),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Index(None, "study", "at"),
    sqlite_autoincrement=True,
)


def insert_into(dialect: str, table: sa.Table) -> Any:  # noqa: ANN401 - of the dialect
    """Return an insertion that can say what happens where a key is taken already.

    SQL has no word for it that SQLite and PostgreSQL share; each is loaded when it is used.
    """
    return import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
