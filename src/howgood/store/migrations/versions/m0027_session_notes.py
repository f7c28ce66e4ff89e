"""What a facilitator wrote down while somebody took part.

In: the layout before. Out: a table of notes. Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "session_notes",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("participant_id", _NUMBER, nullable=False),
        sa.Column("topic", sa.String(40), nullable=False),
        sa.Column("screen", sa.String(200), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participants.id"],
            name="fk_session_notes_participant_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_session_notes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_session_notes_participant_id", "session_notes", ["participant_id"])
