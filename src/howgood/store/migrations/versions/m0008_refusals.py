"""People whom a study refused before they consented, counted by reason.

In: the layout before. Out: a table of counts. Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "refusals",
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("reason", sa.String(40), nullable=False),
        sa.Column("people", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name="fk_refusals_study_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "reason", name="pk_refusals"),
    )
