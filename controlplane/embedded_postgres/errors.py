"""What the embedded database can complain about."""


class EmbeddedPostgresError(Exception):
    """The embedded database cannot be had; the message is one line to show."""
