"""What can keep an installation from coming up."""


class UpError(Exception):
    """The installation cannot come up; the message is one line to show."""
