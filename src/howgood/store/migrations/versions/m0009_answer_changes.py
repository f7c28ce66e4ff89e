"""What people said before they went back and changed an answer.

In: the layout before. Out: a table of earlier answers. Absent: the way back (restore the backup
instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "answer_changes",
        sa.Column("participant_id", _NUMBER, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("screen", sa.String(200), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id", "screen"],
            ["answers.participant_id", "answers.screen"],
            name="fk_answer_changes_answer",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("participant_id", "position", name="pk_answer_changes"),
    )
