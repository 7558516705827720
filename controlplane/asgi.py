"""The web process: Django through WSGI in a fixed thread pool, so that each thread keeps its
database connection.

Routes that only wait stand beside it, so that waiting takes no thread.
"""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from a2wsgi import WSGIMiddleware
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")

#: Where browsers listen for what happens.
LIVE_PATH = "/live/"
#: Requests served at once; each holds one database connection.
WEB_THREADS = 8

type Scope = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[Scope]]
type Send = Callable[[Scope], Awaitable[None]]

# Django must be set up before anything that has models is imported.
_django: Any = get_wsgi_application()  # WSGI in all but its annotations
from controlplane.live.stream import LiveRoute  # noqa: E402 - has models, see above

_pages = WSGIMiddleware(_django, workers=WEB_THREADS)
_live = LiveRoute()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["type"] == "http" and scope["path"] == LIVE_PATH:
        await _live(scope, receive, send)
    elif scope["type"] == "http":
        await _pages(scope, receive, send)  # type: ignore[arg-type]  # a2wsgi has its own names for these
    else:
        await send({"type": "websocket.close", "code": 1000})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.shutdown":
            _live.close()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
