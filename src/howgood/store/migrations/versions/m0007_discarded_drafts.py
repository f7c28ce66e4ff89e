"""Drafts that were discarded, kept so that this can be undone.

In: the layout before. Out: one more column. Absent: drafts discarded before, which are gone.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column."""
    op.add_column("drafts", sa.Column("discarded_at", sa.DateTime(timezone=True)))
