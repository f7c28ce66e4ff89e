"""Whom quotas by answers count.

In: the layout before. Out: a table of places. Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "quota_places",
        sa.Column("participant_id", _NUMBER, nullable=False),
        sa.Column("quota", sa.String(100), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participants.id"],
            name="fk_quota_places_participant_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("participant_id", "quota", name="pk_quota_places"),
    )
