"""A webhook's earlier secret; the channel's entries that are still whole are found at once."""

import sqlalchemy as sa
from alembic import op


revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

KEPT = sa.text("raw IS NOT NULL")


def upgrade() -> None:
    """Bring the tables up."""
    op.add_column("agent_hook", sa.Column("sealed_before", sa.Text(), nullable=True))
    op.create_index("ix_channel_item_kept", "channel_item", ["at"], postgresql_where=KEPT, sqlite_where=KEPT)


def downgrade() -> None:
    """Take it back."""
    op.drop_index("ix_channel_item_kept", "channel_item")
    op.drop_column("agent_hook", "sealed_before")
