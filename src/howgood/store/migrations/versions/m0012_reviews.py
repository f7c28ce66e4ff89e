"""What researchers decided about a person: excluded and why, a note, paid.

In: the layout before. Out: a table of decisions. Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "reviews",
        sa.Column("participant_id", _NUMBER, nullable=False),
        sa.Column("excluded_because", sa.String(300), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("is_paid", sa.Boolean, nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participants.id"],
            name="fk_reviews_participant_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("participant_id", name="pk_reviews"),
    )
