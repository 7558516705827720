"""A small HTTP server on 127.0.0.1 for tests: answers by path, remembers what it was asked."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer. `hold` keeps the answer back until the server ends."""

    status: int = 200
    body: bytes = b"ok"
    headers: dict[str, str] = field(default_factory=dict)
    hold: bool = False
    #: Raw bytes in place of an answer, sent as they stand.
    raw: bytes | None = None


class Server(ThreadingHTTPServer):
    """`replies` maps paths to answers; other paths answer 404."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: dict[str, Reply] = {}
        self.seen: list[Seen] = []
        self.ended = threading.Event()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.place}{path}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        server = cast(Server, self.server)
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        server.seen.append(Seen(self.command, self.path, dict(self.headers), body))
        reply = server.replies.get(self.path, Reply(status=404, body=b"no such path"))
        if reply.hold:
            server.ended.wait(30)
            return
        if reply.raw is not None:
            self.wfile.write(reply.raw)
            return
        self.send_response(reply.status)
        for name, value in ({"Content-Length": str(len(reply.body))} | reply.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def __getattr__(self, name: str) -> Any:
        """http.server looks for do_GET and the like: one answer for all methods."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the test's output is not the place."""


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server that runs while the block does, over TLS if a context is given."""
    server = Server()
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
