"""${message}."""

import sqlalchemy as sa
from alembic import op

from gateway import tables
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    """Bring the tables up."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Take the tables down."""
    ${downgrades if downgrades else "pass"}
