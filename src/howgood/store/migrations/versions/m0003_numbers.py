"""Numbers that are never given out again, on SQLite as on PostgreSQL.

In: the layout before, where SQLite gave the number of a deleted last row to the next one. Out: the
same tables and rows, and a memory of the highest number of each. Absent: numbers that were taken
back before this step.
"""

from alembic import op

revision = "0003"
down_revision = "0002"

_NUMBERED = (
    "studies", "versions", "participants", "researchers", "api_tokens", "uploads", "jobs", "audit",
)  # fmt: skip


def upgrade() -> None:
    """Rebuild the tables that SQLite numbers; PostgreSQL's sequences never go back."""
    if op.get_bind().dialect.name != "sqlite":
        return
    for name in _NUMBERED:
        kept = {"sqlite_autoincrement": True}
        with op.batch_alter_table(name, recreate="always", table_kwargs=kept):
            pass
