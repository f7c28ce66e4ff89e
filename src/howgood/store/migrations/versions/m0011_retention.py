"""Studies whose data is erased on a day.

In: the layout before. Out: that day. Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column."""
    op.add_column("studies", sa.Column("erase_at", sa.DateTime(timezone=True)))
