"""Second factors, passkeys, accounts of sign-in providers, and messages to other programs.

In: the layout before. Out: tables for them, and the e-mail address of an account. Absent: the way
back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0017"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables; names of keys and indexes follow the layout's convention."""
    op.create_table(
        "second_factors",
        sa.Column("researcher_id", _NUMBER, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("confirmed_at", _MOMENT),
        sa.Column("last_step", _NUMBER, nullable=False),
        _belongs("second_factors", "researcher_id", "researchers.id"),
        sa.PrimaryKeyConstraint("researcher_id", name="pk_second_factors"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("researcher_id", _NUMBER, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        _belongs("recovery_codes", "researcher_id", "researchers.id"),
        sa.PrimaryKeyConstraint("researcher_id", "digest", name="pk_recovery_codes"),
    )
    op.create_table(
        "passkeys",
        sa.Column("credential", sa.String(1400), nullable=False),
        sa.Column("researcher_id", _NUMBER, nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", _NUMBER, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("used_at", _MOMENT),
        _belongs("passkeys", "researcher_id", "researchers.id"),
        sa.PrimaryKeyConstraint("credential", name="pk_passkeys"),
    )
    op.create_index("ix_passkeys_researcher_id", "passkeys", ["researcher_id"])
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(500), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("researcher_id", _NUMBER, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        _belongs("identities", "researcher_id", "researchers.id"),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_identities"),
    )
    op.create_index("ix_identities_researcher_id", "identities", ["researcher_id"])
    _create_messages()


def _create_messages() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("events", sa.JSON, nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        _belongs("webhooks", "study_id", "studies.id"),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhooks_study_id", "webhooks", ["study_id"])
    op.create_table(
        "deliveries",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("webhook_id", _NUMBER, nullable=False),
        sa.Column("event", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(100), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("next_at", _MOMENT),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("delivered_at", _MOMENT),
        sa.Column("outcome", sa.String(200), nullable=False),
        _belongs("deliveries", "webhook_id", "webhooks.id"),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint(
            "webhook_id", "event", "subject", name="uq_deliveries_webhook_id_event_subject"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_next_at", "deliveries", ["next_at"])


def _belongs(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [to], name=f"fk_{table}_{column}", ondelete="CASCADE")
