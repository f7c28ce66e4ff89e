"""Addresses for a thank-you draw and for reminders, apart from answers.

In: the layout before. Out: three tables. Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _participant(table: str) -> tuple[sa.Column[int], sa.ForeignKeyConstraint]:
    return (
        sa.Column("participant_id", _NUMBER, nullable=False, autoincrement=False),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participants.id"],
            name=f"fk_{table}_participant_id",
            ondelete="CASCADE",
        ),
    )


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "draw_entries",
        sa.Column("id", _NUMBER, nullable=False, autoincrement=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name="fk_draw_entries_study_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_draw_entries"),
        sa.UniqueConstraint("study_id", "address", name="uq_draw_entries_study_id_address"),
    )
    op.create_table(
        "draw_tickets",
        *_participant("draw_tickets"),
        sa.PrimaryKeyConstraint("participant_id", name="pk_draw_tickets"),
    )
    op.create_table(
        "reminders",
        *_participant("reminders"),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("token", sa.String(100), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True)),
        sa.Column("told_of", sa.DateTime(timezone=True)),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("participant_id", name="pk_reminders"),
    )
