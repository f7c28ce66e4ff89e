"""On what kind of device somebody consented.

In: the layout before. Out: a column that is empty for everybody so far. Absent: the way back
(restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0014"


def upgrade() -> None:
    """Add the column."""
    op.add_column("participants", sa.Column("device", sa.String(10)))
