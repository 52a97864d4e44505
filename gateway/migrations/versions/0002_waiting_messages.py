"""Waiting messages are found at once; permits that met a resting channel are counted apart."""

import sqlalchemy as sa
from alembic import op


revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

QUEUED = sa.text("state = 'queued'")
WAITING = sa.text("state IN ('queued', 'sending')")


def upgrade() -> None:
    """Bring the tables up."""
    op.add_column("outbound", sa.Column("rests", sa.Integer(), nullable=False, server_default="0"))
    op.create_index(
        "ix_outbound_queued", "outbound", ["created_at", "outbound_id"], postgresql_where=QUEUED, sqlite_where=QUEUED
    )
    op.create_index(
        "ix_outbound_waiting", "outbound", ["conversation_id"], postgresql_where=WAITING, sqlite_where=WAITING
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_index("ix_outbound_waiting", "outbound")
    op.drop_index("ix_outbound_queued", "outbound")
    with op.batch_alter_table("outbound") as table:
        table.drop_column("rests")
