"""Failed sign-ins, and indexes that the pages walk."""

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
    op.create_index("ix_conversation_last_customer_at_id", "conversation", ["last_customer_at", "id"])
    op.create_index("ix_audit_conversation_id_seq", "audit", ["conversation_id", "seq"])


def downgrade() -> None:
    """Take the tables down."""
    op.drop_index("ix_audit_conversation_id_seq", "audit")
    op.drop_index("ix_conversation_last_customer_at_id", "conversation")
    op.drop_table("sign_in_attempt")
