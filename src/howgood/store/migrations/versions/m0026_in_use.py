"""Systems in use, and what people say inside them.

In: the layout before. Out: tables of products and of answers from inside them. Absent: the way back
(restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables; names of keys and indexes follow the layout's convention."""
    op.create_table(
        "products",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("application", sa.String(100), nullable=False),
        sa.Column("token_digest", sa.String(64), nullable=False),
        sa.Column("origins", sa.JSON, nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("watched_since", _MOMENT),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name="fk_products_study_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_products"),
        sa.UniqueConstraint("token_digest", name="uq_products_token_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_products_study_id", "products", ["study_id"])
    _create_answers()


def _create_answers() -> None:
    op.create_table(
        "use_answers",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("product_id", _NUMBER, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("person", sa.String(32), nullable=False),
        sa.Column("rating", sa.Integer),
        sa.Column("accepted", sa.Boolean),
        sa.Column("hits", sa.Integer, nullable=False),
        sa.Column("misses", sa.Integer, nullable=False),
        sa.Column("false_alarms", sa.Integer, nullable=False),
        sa.Column("release", sa.String(100), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["product_id"], ["products.id"], name="fk_use_answers_product_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_use_answers"),
        sa.UniqueConstraint("product_id", "key", name="uq_use_answers_product_id_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_use_answers_product_id_person", "use_answers", ["product_id", "person"])
