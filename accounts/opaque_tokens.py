"""Random tokens that mean nothing by themselves: handed out once, kept as a hash.

They have 256 random bits, so one round of SHA-256 is enough: there is nothing to guess.
"""

import hashlib
import secrets

REFRESH_PREFIX = "cpr_"
PERSONAL_PREFIX = "cpt_"

#: Characters. Anything longer is not one of ours and is not even hashed.
MAX_LENGTH = 100


def new(prefix: str) -> str:
    """A token that nobody has seen yet."""
    return prefix + secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What is kept of a token: 64 hexadecimal characters."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def is_possible(token: str, prefix: str) -> bool:
    """Whether it could be one of ours at all."""
    return token.startswith(prefix) and len(token) <= MAX_LENGTH and token.isascii()
