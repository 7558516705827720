"""The route `/live/`: server-sent events. Pure ASGI, as waiting must take no thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.db import DatabaseError, connections
from django.http import HttpRequest

from accounts.authentication import actor_of
from accounts.permissions import allows, sees_all
from controlplane.actors import Origin
from controlplane.live.hub import Hub, Viewer

type Scope = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[Scope]]
type Send = Callable[[Scope], Awaitable[None]]

#: A comment is sent after so long without an event, so that proxies keep the line open, seconds.
KEEP_ALIVE_SECONDS = 15.0
#: Told to the browser: how long it waits before it connects again, milliseconds.
RETRY_MS = 2000
HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)


class LiveRoute:
    """Answers `/live/` with a stream for people who are signed in."""

    def __init__(self, hub: Hub | None = None) -> None:
        self._hub = hub
        self._threads: ThreadPoolExecutor | None = None

    @property
    def hub(self) -> Hub:
        if self._hub is None:
            self._hub = Hub()
        return self._hub

    def close(self) -> None:
        """End all streams; the next viewer would start everything anew."""
        if self._hub is not None:
            self._hub.close()
            self._hub = None
        if self._threads is not None:
            self._threads.shutdown(wait=False)
            self._threads = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            await _refuse(send, 405)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        loop = asyncio.get_running_loop()
        cookies = headers.get(b"cookie", b"").decode("latin-1")
        if self._threads is None:
            self._threads = ThreadPoolExecutor(2, thread_name_prefix="live sign-in")
        try:
            viewer = await loop.run_in_executor(self._threads, viewer_of, cookies)
        except DatabaseError:
            await _refuse(send, 503)
            return
        if viewer is None:
            await _refuse(send, 401)
            return
        await send({"type": "http.response.start", "status": 200, "headers": list(HEADERS)})
        last_event_id = headers.get(b"last-event-id", b"").decode("latin-1")
        await self._serve(viewer, last_event_id, receive, send)

    async def _serve(
        self, viewer: Viewer, last_event_id: str, receive: Receive, send: Send
    ) -> None:
        missed = self.hub.enter(viewer, last_event_id)
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            await _write(send, f"retry: {RETRY_MS}\n\n" + "".join(missed))
            while not (gone.done() or (viewer.gone and viewer.queue.empty())):
                await _write(send, await _next(viewer, gone))
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except OSError:  # the browser closed the line while we wrote
            pass
        finally:
            gone.cancel()
            self.hub.leave(viewer)


async def _next(viewer: Viewer, gone: asyncio.Future[None]) -> str:
    """The next frames, or a comment when nothing comes for a while."""
    waiting = asyncio.ensure_future(viewer.queue.get())
    either: set[asyncio.Future[Any]] = {waiting, gone}
    done, _ = await asyncio.wait(
        either, timeout=KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED
    )
    if waiting not in done:
        waiting.cancel()
        return ": still here\n\n"
    frames = [waiting.result()]
    while not viewer.queue.empty():
        frames.append(viewer.queue.get_nowait())
    return "".join(frames)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _write(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _refuse(send: Send, status: int) -> None:
    headers = [(b"content-type", b"text/plain"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def viewer_of(cookies: str) -> Viewer | None:
    """Who holds this session, if anybody does. For a thread whose connection nobody else uses."""
    try:
        jar = SimpleCookie(cookies)
    except CookieError:
        return None
    held = jar.get(settings.SESSION_COOKIE_NAME)
    if held is None:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(held.value)
    request.origin = Origin()  # type: ignore[attr-defined]  # our own attribute
    try:
        request.user = get_user(request)
        if not request.user.is_authenticated:
            return None
        actor = actor_of(request)
    finally:
        connections.close_all()
    return Viewer(
        user_id=request.user.pk,
        sees_all_jobs=sees_all(actor, "jobs.see_all"),
        sees_all_schedules=sees_all(actor, "schedules.see_all"),
        reads_audit=allows(actor, "audit.read"),
    )
