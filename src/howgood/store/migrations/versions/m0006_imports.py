"""Imports that can be undone: which answers came with which file.

In: the layout before. Out: two tables. Absent: imports made before this step, whose answers stay as
they are.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "imports",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("source", sa.String(200), nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_imports"),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name="fk_imports_study_id", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_imports_study_id", "imports", ["study_id"])
    op.create_table(
        "imported_screens",
        sa.Column("participant_id", _NUMBER, nullable=False),
        sa.Column("screen", sa.String(200), nullable=False),
        sa.Column("import_id", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("participant_id", "screen", name="pk_imported_screens"),
        sa.ForeignKeyConstraint(
            ["participant_id", "screen"], ["screens.participant_id", "screens.name"],
            name="fk_imported_screens_screen", ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["import_id"], ["imports.id"], name="fk_imported_screens_import_id",
            ondelete="CASCADE",
        ),
    )  # fmt: skip
    op.create_index("ix_imported_screens_import_id", "imported_screens", ["import_id"])
