"""How many failed logins are borne before the next ones wait: by address, by account, by both.

Counted in this process's memory for a quarter of an hour, whether or not the account exists.
"""

import hashlib

from django.core.cache import cache

from accounts.errors import TooManyAttempts
from accounts.queries import normal_email

#: Seconds.
WINDOW = 15 * 60
#: Failures for one account from one address, from one address, and for one account. The last is
#: high, or a stranger could keep its owner out.
LIMITS = {"pair": 10, "address": 50, "account": 100}


def check(email: str, address: str) -> None:
    """Raises TooManyAttempts when a limit has been reached, saying when that is over."""
    keys = _keys(email, address)
    counts = cache.get_many(keys.values())
    for kind, key in keys.items():
        if counts.get(key, 0) >= LIMITS[kind]:
            raise TooManyAttempts(
                f"There were too many failed logins. Try again in {WINDOW // 60} minutes."
            )


def note_failure(email: str, address: str) -> None:
    """Count one failure."""
    for key in _keys(email, address).values():
        if not cache.add(key, 1, WINDOW):
            _increase(key)


def forget(email: str, address: str) -> None:
    """After a success: the pair starts anew, what others tried stays counted."""
    cache.delete(_keys(email, address)["pair"])


def _increase(key: str) -> None:
    try:
        cache.incr(key)
    except ValueError:  # its window ended meanwhile
        cache.set(key, 1, WINDOW)


def _keys(email: str, address: str) -> dict[str, str]:
    """Hashed, since a cache's key takes neither any text nor any length."""
    account = normal_email(email)
    parts = {"pair": f"{account} {address}", "address": address, "account": account}
    return {kind: f"login|{kind}|{_hash(text)}" for kind, text in parts.items()}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
