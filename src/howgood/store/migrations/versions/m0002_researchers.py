"""The researcher's side: accounts, sessions, tokens, drafts, uploads, jobs, cards, audit.

In: the first layout. Out: further tables, and versions that know when a file brought them.
Absent: the way back (restore the backup instead).
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables; names of keys and indexes follow the layout's convention."""
    op.add_column("versions", sa.Column("file_at", _MOMENT))
    op.execute("UPDATE versions SET file_at = created_at")  # until now all came from files
    _create_researchers()
    _create_api_tokens()
    _create_drafts()
    _create_work()
    _create_audit()


def _create_researchers() -> None:
    op.create_table(
        "researchers",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("token_digest", sa.String(64), primary_key=True),
        sa.Column(
            "researcher_id",
            _NUMBER,
            sa.ForeignKey("researchers.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "invitations",
        sa.Column("token_digest", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
    )


def _create_api_tokens() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("token_digest", sa.String(64), nullable=False, unique=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("study_id", _NUMBER, sa.ForeignKey("studies.id", ondelete="CASCADE")),
        sa.Column(
            "researcher_id",
            _NUMBER,
            sa.ForeignKey("researchers.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT),
    )


def _create_drafts() -> None:
    op.create_table(
        "drafts",
        sa.Column(
            "study_id", _NUMBER, sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("edition", sa.Integer, nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=False),
    )
    op.create_table(
        "draft_media",
        sa.Column(
            "study_id",
            _NUMBER,
            sa.ForeignKey("drafts.study_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def _create_work() -> None:
    op.create_table(
        "uploads",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column(
            "study_id", _NUMBER, sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_index("ix_uploads_study_id_purpose", "uploads", ["study_id", "purpose"])
    op.create_table(
        "jobs",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column(
            "study_id", _NUMBER, sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("task", sa.String(20), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("progress", sa.Float, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("leased_until", _MOMENT),
        sa.Column("worker", sa.String(100)),
        sa.Column("result", sa.JSON),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("finished_at", _MOMENT),
    )
    op.create_index("ix_jobs_study_id_created_at", "jobs", ["study_id", "created_at"])
    op.create_index("ix_jobs_status_leased_until", "jobs", ["status", "leased_until"])
    op.create_table(
        "cards",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("study_id", _NUMBER, sa.ForeignKey("studies.id", ondelete="SET NULL")),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("published_at", _MOMENT, nullable=False),
    )


def _create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("study", sa.String(80)),
        sa.Column("detail", sa.JSON, nullable=False),
    )
    op.create_index("ix_audit_study_at", "audit", ["study", "at"])
