"""First layout: studies, versions, media, participants, screens, answers.

In: an empty database. Out: the tables. Absent: the way back (a layout is never undone in place;
restore the backup instead).
"""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create every table and the key that signs forms."""
    facts = op.create_table(
        "facts",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_facts"),
    )
    op.bulk_insert(facts, [{"name": "signing_key", "value": secrets.token_hex(32)}])
    _create_studies()
    _create_participants()
    _create_screens_and_answers()


def _create_studies() -> None:
    op.create_table(
        "studies",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_studies"),
        sa.UniqueConstraint("slug", name="uq_studies_slug"),
    )
    op.create_table(
        "versions",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_versions"),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name="fk_versions_study_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("study_id", "digest", name="uq_versions_study_id_digest"),
    )
    op.create_table(
        "media",
        sa.Column("version_id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("version_id", "name", name="pk_media"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name="fk_media_version_id", ondelete="CASCADE"
        ),
    )


def _create_participants() -> None:
    op.create_table(
        "participants",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("study_id", _NUMBER, nullable=False),
        sa.Column("version_id", _NUMBER, nullable=False),
        sa.Column("token_digest", sa.String(64), nullable=False),
        sa.Column("external_id", sa.String(200)),
        sa.Column("origin", sa.JSON, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("condition", sa.String(100)),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("is_pilot", sa.Boolean, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("consented_at", _MOMENT),
        sa.Column("finished_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_participants"),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name="fk_participants_study_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_participants_version_id"),
        sa.UniqueConstraint("token_digest", name="uq_participants_token_digest"),
        sa.UniqueConstraint("study_id", "external_id", name="uq_participants_study_id_external_id"),
    )
    op.create_index("ix_participants_study_id_status", "participants", ["study_id", "status"])


def _create_screens_and_answers() -> None:
    op.create_table(
        "screens",
        sa.Column("participant_id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("shown_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("participant_id", "name", name="pk_screens"),
        sa.ForeignKeyConstraint(
            ["participant_id"],
            ["participants.id"],
            name="fk_screens_participant_id",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint(
            "participant_id", "position", name="uq_screens_participant_id_position"
        ),
    )
    op.create_table(
        "answers",
        sa.Column("participant_id", _NUMBER, nullable=False),
        sa.Column("screen", sa.String(200), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("answered_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("participant_id", "screen", name="pk_answers"),
        sa.ForeignKeyConstraint(
            ["participant_id", "screen"],
            ["screens.participant_id", "screens.name"],
            name="fk_answers_screen",
            ondelete="CASCADE",
        ),
    )
