"""Agents called, operators told, the token shared, messages recalled."""

import sqlalchemy as sa
from alembic import op

from gateway import tables


revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables up."""
    op.create_table(
        "agent_call",
        sa.Column("inbox_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("next_at", tables.UtcTime(timezone=True), nullable=False),
        sa.Column("created_at", tables.UtcTime(timezone=True), nullable=False),
        sa.Column("updated_at", tables.UtcTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('waiting', 'done', 'dead', 'void')", name=op.f("ck_agent_call_state")),
        sa.PrimaryKeyConstraint("inbox_id", name=op.f("pk_agent_call")),
    )
    with op.batch_alter_table("agent_call", schema=None) as batch_op:
        batch_op.create_index("ix_agent_call_state_next_at", ["state", "next_at"], unique=False)

    op.create_table(
        "alert",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("conversation_id", sa.String(), nullable=True),
        sa.Column("draft_id", sa.String(), nullable=True),
        sa.Column("outbound_id", sa.String(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("created_at", tables.UtcTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('held', 'failed', 'stopped', 'unanswered')", name=op.f("ck_alert_kind")),
        sa.CheckConstraint("state IN ('waiting', 'posted', 'void')", name=op.f("ck_alert_state")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_alert")),
    )
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.create_index("ix_alert_account_id_created_at", ["account_id", "created_at"], unique=False)
        batch_op.create_index("ix_alert_state_seq", ["state", "seq"], unique=False)

    op.create_table(
        "channel_item",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("msgid", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=True),
        sa.Column("raw", tables.JsonValue(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", tables.UtcTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "msgid", name=op.f("pk_channel_item")),
    )
    with op.batch_alter_table("channel_item", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_channel_item_conversation_id"), ["conversation_id"], unique=False)

    op.create_table(
        "channel_token",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("expires_at", tables.UtcTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_channel_token")),
    )
    op.create_table(
        "agent_hook",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("sealed_secret", sa.Text(), nullable=False),
        sa.Column("created_at", tables.UtcTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_agent_hook_account_id")),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_agent_hook")),
    )
    op.create_table(
        "alert_post",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("alert_seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("target_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("next_at", tables.UtcTime(timezone=True), nullable=False),
        sa.Column("last_at", tables.UtcTime(timezone=True), nullable=True),
        sa.Column("created_at", tables.UtcTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'told', 'collapsed', 'failed', 'void')", name=op.f("ck_alert_post_state")
        ),
        sa.ForeignKeyConstraint(["alert_seq"], ["alert.seq"], name=op.f("fk_alert_post_alert_seq")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_alert_post")),
        sa.UniqueConstraint("alert_seq", "target_id", name=op.f("uq_alert_post_alert_seq_target_id")),
    )
    with op.batch_alter_table("alert_post", schema=None) as batch_op:
        batch_op.create_index("ix_alert_post_state_next_at", ["state", "next_at"], unique=False)
        batch_op.create_index("ix_alert_post_target_id_last_at", ["target_id", "last_at"], unique=False)

    op.create_table(
        "alert_target",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("sealed_key", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Integer(), nullable=True),
        sa.Column("members", tables.JsonValue(), nullable=False),
        sa.Column("kinds", tables.JsonValue(), nullable=False),
        sa.Column("created_at", tables.UtcTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('robot', 'app')", name=op.f("ck_alert_target_kind")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_alert_target_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_target")),
    )
    with op.batch_alter_table("alert_target", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_alert_target_account_id"), ["account_id"], unique=False)

    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("burst_at", tables.UtcTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("ready_at", tables.UtcTime(timezone=True), nullable=True))

    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.add_column(sa.Column("recalled_at", tables.UtcTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Take the tables down."""
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.drop_column("recalled_at")

    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_column("ready_at")
        batch_op.drop_column("burst_at")

    with op.batch_alter_table("alert_target", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_alert_target_account_id"))

    op.drop_table("alert_target")
    with op.batch_alter_table("alert_post", schema=None) as batch_op:
        batch_op.drop_index("ix_alert_post_target_id_last_at")
        batch_op.drop_index("ix_alert_post_state_next_at")

    op.drop_table("alert_post")
    op.drop_table("agent_hook")
    op.drop_table("channel_token")
    with op.batch_alter_table("channel_item", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_channel_item_conversation_id"))

    op.drop_table("channel_item")
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.drop_index("ix_alert_state_seq")
        batch_op.drop_index("ix_alert_account_id_created_at")

    op.drop_table("alert")
    with op.batch_alter_table("agent_call", schema=None) as batch_op:
        batch_op.drop_index("ix_agent_call_state_next_at")

    op.drop_table("agent_call")
