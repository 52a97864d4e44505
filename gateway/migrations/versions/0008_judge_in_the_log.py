"""What became of the second opinion, in the evaluation log."""

import sqlalchemy as sa
from alembic import op


revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables up."""
    op.add_column("evaluation", sa.Column("judge", sa.String(), nullable=True))


def downgrade() -> None:
    """Take the tables down."""
    op.drop_column("evaluation", "judge")
