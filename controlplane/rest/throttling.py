"""How many requests a token, or an address without one, may make in a minute.

Counted in this process's memory: no query, and a limit that holds for each web process.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.core.cache import cache
from rest_framework.throttling import BaseThrottle

from controlplane import conf

if TYPE_CHECKING:  # the framework imports this module while it imports its views
    from rest_framework.request import Request
    from rest_framework.views import APIView

#: Seconds.
WINDOW = 60


class RequestThrottle(BaseThrottle):
    """A fixed window of a minute for each token or address."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        limits = conf.options()
        if request.auth is not None:
            who, limit = request.auth.key, limits.api_requests_per_minute
        else:
            who, limit = self.get_ident(request), limits.api_logins_per_minute
        return count(f"api-requests {who}") <= limit

    def wait(self) -> float:
        """Seconds until the next window begins."""
        return WINDOW - time.time() % WINDOW


def count(what: str) -> int:
    """One more of these in the present minute; returns how many there are now."""
    key = f"{what} {int(time.time() // WINDOW)}".replace(" ", "|")
    if cache.add(key, 1, WINDOW):
        return 1
    try:
        return cache.incr(key)
    except ValueError:  # its minute ended meanwhile
        return 1
