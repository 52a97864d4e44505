"""Group turns, and who is writing."""

import sqlalchemy as sa
from alembic import op

from gateway import tables


revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables up."""
    op.create_table(
        "group_turn",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("members", tables.JsonValue(), nullable=False),
        sa.Column("primaries", tables.JsonValue(), nullable=False),
        sa.Column("plans", tables.JsonValue(), nullable=False),
        sa.Column("dropped", tables.JsonValue(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("context", tables.JsonValue(), nullable=False),
        sa.Column("created_at", tables.UtcTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversation.id"], name=op.f("fk_group_turn_conversation_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_group_turn")),
    )
    with op.batch_alter_table("group_turn", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_group_turn_conversation_id"), ["conversation_id"], unique=False)

    op.create_table(
        "writing",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("operator_id", sa.String(), nullable=False),
        sa.Column("until", tables.UtcTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversation.id"], name=op.f("fk_writing_conversation_id")),
        sa.PrimaryKeyConstraint("conversation_id", name=op.f("pk_writing")),
    )


def downgrade() -> None:
    """Take the tables down."""
    op.drop_table("writing")
    with op.batch_alter_table("group_turn", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_group_turn_conversation_id"))

    op.drop_table("group_turn")
