"""Studies that are shared with people and groups, and links to results.

In: the layout before. Out: groups, roles in studies, links to results, invitations to a study.
Absent: the way back (restore the backup instead).

Accounts keep the role they have: owners may do everything, viewers read every study.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables; names of keys and indexes follow the layout's convention."""
    _create_groups()
    _create_study_roles()
    op.create_table(
        "result_links",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("token_digest", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        _belongs("result_links", "study_id", "studies.id"),
        sa.PrimaryKeyConstraint("id", name="pk_result_links"),
        sa.UniqueConstraint("token_digest", name="uq_result_links_token_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_result_links_study_id", "result_links", ["study_id"])
    with op.batch_alter_table("invitations") as invitations:
        invitations.add_column(sa.Column("study_id", _NUMBER))
        invitations.add_column(sa.Column("study_role", sa.String(20)))
        invitations.create_foreign_key(
            "fk_invitations_study_id", "studies", ["study_id"], ["id"], ondelete="CASCADE"
        )


def _create_groups() -> None:
    op.create_table(
        "groups",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_groups"),
        sa.UniqueConstraint("name", name="uq_groups_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "group_members",
        sa.Column("group_id", _NUMBER, nullable=False),
        sa.Column("researcher_id", _NUMBER, nullable=False),
        _belongs("group_members", "group_id", "groups.id"),
        _belongs("group_members", "researcher_id", "researchers.id"),
        sa.PrimaryKeyConstraint("group_id", "researcher_id", name="pk_group_members"),
    )
    op.create_index("ix_group_members_researcher_id", "group_members", ["researcher_id"])


def _create_study_roles() -> None:
    op.create_table(
        "study_roles",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("researcher_id", _NUMBER),
        sa.Column("group_id", _NUMBER),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        _belongs("study_roles", "study_id", "studies.id"),
        _belongs("study_roles", "researcher_id", "researchers.id"),
        _belongs("study_roles", "group_id", "groups.id"),
        sa.PrimaryKeyConstraint("id", name="pk_study_roles"),
        sa.UniqueConstraint(
            "study_id", "researcher_id", name="uq_study_roles_study_id_researcher_id"
        ),
        sa.UniqueConstraint("study_id", "group_id", name="uq_study_roles_study_id_group_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_study_roles_researcher_id", "study_roles", ["researcher_id"])


def _belongs(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [to], name=f"fk_{table}_{column}", ondelete="CASCADE")
