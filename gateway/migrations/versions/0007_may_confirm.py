"""An account may let a judge confirm."""

import sqlalchemy as sa
from alembic import op


revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables up."""
    op.add_column("account", sa.Column("may_confirm", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Take the tables down."""
    op.drop_column("account", "may_confirm")
