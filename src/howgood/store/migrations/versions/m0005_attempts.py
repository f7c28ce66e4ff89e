"""Attempts to sign in, counted for all processes, and links that renew a password.

In: the layout before. Out: a table of attempts, and invitations that may belong to somebody.
Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table and the column."""
    op.create_table(
        "attempts",
        sa.Column("who", sa.String(64), nullable=False),
        sa.Column("left", sa.Float, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("who", name="pk_attempts"),
    )
    op.create_index("ix_attempts_at", "attempts", ["at"])
    with op.batch_alter_table("invitations") as batch:
        batch.add_column(sa.Column("researcher_id", _NUMBER))
        batch.create_foreign_key(
            "fk_invitations_researcher_id", "researchers", ["researcher_id"], ["id"],
            ondelete="CASCADE",
        )  # fmt: skip
