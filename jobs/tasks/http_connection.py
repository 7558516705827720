"""Connections that go to one address only, and that end as soon as the job should stop.

Every wait is cut into short slices; between two of them the job's stop and the request's time are
looked at, so neither a silent server nor one that sends a byte now and then can hold an attempt.
"""

import errno
import io
import os
import selectors
import socket
import ssl
import threading
import time
from functools import cache
from typing import Any

from jobs.runtime.context import JobContext
from jobs.tasks.http_addresses import Endpoint
from jobs.tasks.stopping import stopped

_SLICE_SECONDS = 0.05


class HttpRequestFailed(Exception):
    """The request did not bring what the job expects. `code` says at which step."""

    def __init__(self, message: str, *, code: str) -> None:
        self.code = code
        super().__init__(message)


class Patience:
    """How long to go on: until the request's time is over or the job should stop."""

    def __init__(self, context: JobContext, seconds: float) -> None:
        self._context = context
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the request's time is over; not below 0."""
        return max(0.0, self._deadline - time.monotonic())

    def check(self) -> None:
        """Raise what ends the request, if something does."""
        if self._context.cancelled:
            raise stopped(self._context, "the request was given up")
        if self.left <= 0:
            raise HttpRequestFailed(
                f"No complete answer within {self._seconds:g} s.", code="http_timeout"
            )

    def wait_for(self, event: threading.Event) -> None:
        """Return when `event` is set; raise what `check` raises."""
        while not event.wait(_SLICE_SECONDS):
            self.check()


class PatientSocket(io.RawIOBase):
    """What http.client needs of a socket. Closing it leaves the real one to whoever opened it."""

    def __init__(self, sock: socket.socket, patience: Patience) -> None:
        self._sock = sock
        self._patience = patience

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            self._patience.check()
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                continue

    def sendall(self, data: bytes) -> None:
        """Send all of `data`."""
        unsent = memoryview(data)
        while unsent:
            self._patience.check()
            try:
                unsent = unsent[self._sock.send(unsent) :]
            except TimeoutError:
                continue

    def makefile(self, mode: str) -> io.BufferedReader:
        """A buffered reader over the same connection."""
        return io.BufferedReader(PatientSocket(self._sock, self._patience))


def connect(endpoints: list[Endpoint], patience: Patience) -> socket.socket:
    """A connection to the first endpoint that answers. Raises HttpRequestFailed if none does."""
    faults = []
    for tried, endpoint in enumerate(endpoints):
        seconds = patience.left / (len(endpoints) - tried)
        try:
            return _connect_to(endpoint, patience, seconds)
        except OSError as error:
            faults.append(f"{endpoint.address}: {error.strerror or error}")
    raise HttpRequestFailed(f"No connection: {'; '.join(faults)}.", code="connection_failed")


def _connect_to(endpoint: Endpoint, patience: Patience, seconds: float) -> socket.socket:
    family = socket.AF_INET6 if endpoint.address.version == 6 else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        fault = sock.connect_ex((str(endpoint.address), endpoint.port))
        if fault == errno.EINPROGRESS:
            _await_connection(sock, patience, time.monotonic() + seconds)
            fault = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if fault:
            raise OSError(fault, os.strerror(fault))
        sock.settimeout(_SLICE_SECONDS)
    except BaseException:
        sock.close()
        raise
    return sock


def _await_connection(sock: socket.socket, patience: Patience, deadline: float) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_WRITE)
        while not selector.select(_SLICE_SECONDS):
            patience.check()
            if time.monotonic() >= deadline:
                raise OSError(errno.ETIMEDOUT, "no answer")


@cache
def tls_context() -> ssl.SSLContext:
    """Checks certificates and host names by the machine's own authorities; made once a process."""
    return ssl.create_default_context()


def secure(sock: socket.socket, host: str, patience: Patience) -> ssl.SSLSocket:
    """TLS over `sock` with the server that proves to be `host`. Raises HttpRequestFailed."""
    secured = tls_context().wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
    try:
        while True:
            patience.check()
            try:
                secured.do_handshake()
            except TimeoutError:
                continue
            return secured
    except BaseException as error:
        secured.close()
        if isinstance(error, OSError):
            raise HttpRequestFailed(f"No TLS with {host}: {error}.", code="tls_error") from error
        raise
