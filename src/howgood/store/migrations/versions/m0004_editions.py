"""Editions of drafts that are never given out again.

In: the layout before, where each draft counted its own. Out: one count for all drafts, beyond every
edition there is. Absent: a column.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Begin the count."""
    facts = sa.table("facts", sa.column("name", sa.String), sa.column("value", sa.Text))
    connection = op.get_bind()
    last = connection.execute(sa.text("SELECT max(edition) FROM drafts")).scalar()
    op.bulk_insert(facts, [{"name": "draft_edition", "value": str(last or 0)}])
