"""Failed sign-ins."""

import sqlalchemy as sa
from alembic import op

from gateway import tables


revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables up."""
    op.create_table(
        "sign_in_attempt",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("since", tables.UtcTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_sign_in_attempt")),
    )
    op.create_index(op.f("ix_sign_in_attempt_since"), "sign_in_attempt", ["since"])


def downgrade() -> None:
    """Take the tables down."""
    op.drop_table("sign_in_attempt")
