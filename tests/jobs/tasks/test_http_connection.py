import errno
import ipaddress
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.errors import TaskCancelled, TaskTimedOut
from jobs.runtime.context import JobContext
from jobs.tasks import http_connection
from jobs.tasks.http_addresses import Endpoint
from jobs.tasks.http_connection import (
    HttpRequestFailed,
    Patience,
    PatientSocket,
    connect,
    secure,
    tls_context,
)
from tests.jobs.tasks.http_server import serving

LOOPBACK = ipaddress.ip_address("127.0.0.1")


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two ends of a connection; ours waits in short slices, as `connect` leaves it."""
    ours, theirs = socket.socketpair()
    ours.settimeout(0.01)
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def deaf() -> Iterator[Endpoint]:
    """A place that takes no connection: its queue of waiting ones is full."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        yield Endpoint(LOOPBACK, listener.getsockname()[1])


def refusing() -> Endpoint:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return Endpoint(LOOPBACK, unused.getsockname()[1])


def test_patience_ends_with_the_time(context: JobContext) -> None:
    patience = Patience(context, 0.02)
    patience.check()
    with pytest.raises(HttpRequestFailed, match=r"within 0\.02 s") as caught:
        patience.wait_for(threading.Event())
    assert caught.value.code == "http_timeout"
    assert patience.left == 0


@pytest.mark.parametrize(
    ("reason", "error"),
    [("cancel", TaskCancelled), ("shutdown", TaskCancelled), ("timeout", TaskTimedOut)],
)
def test_patience_ends_with_the_job(
    context: JobContext, reason: str, error: type[Exception]
) -> None:
    context.stop_requested.set(reason)
    with pytest.raises(error, match="the request was given up"):
        Patience(context, 60).check()


def test_an_event_that_is_set_ends_the_wait_at_once(context: JobContext) -> None:
    event = threading.Event()
    event.set()
    Patience(context, 60).wait_for(event)


def test_reading_waits_for_late_bytes(
    context: JobContext, pair: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = pair
    late = threading.Timer(0.05, theirs.sendall, [b"late\n"])
    late.start()
    with PatientSocket(ours, Patience(context, 20)).makefile("rb") as reader:
        assert reader.readline() == b"late\n"
    late.join()
    assert ours.fileno() >= 0


def test_a_drip_of_bytes_does_not_outlast_the_time(
    context: JobContext, pair: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = pair
    ended = threading.Event()

    def drip() -> None:
        while not ended.wait(0.001):
            theirs.send(b"x")

    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        reader = PatientSocket(ours, Patience(context, 0.1)).makefile("rb")
        with pytest.raises(HttpRequestFailed, match="No complete answer"):
            reader.readline()
    finally:
        ended.set()
        dripping.join()


def test_sending_to_one_who_does_not_read_ends_with_the_time(
    context: JobContext, pair: tuple[socket.socket, socket.socket]
) -> None:
    with pytest.raises(HttpRequestFailed, match="No complete answer"):
        PatientSocket(pair[0], Patience(context, 0.1)).sendall(b"x" * 10_000_000)


def test_sending_is_complete_when_the_reader_is_slow(
    context: JobContext, pair: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = pair
    received = bytearray()

    def read() -> None:
        while len(received) < 1_000_000:
            received.extend(theirs.recv(10_000))

    reading = threading.Thread(target=read)
    reading.start()
    PatientSocket(ours, Patience(context, 20)).sendall(b"x" * 1_000_000)
    reading.join()
    assert len(received) == 1_000_000


def test_the_next_address_is_tried_when_one_refuses(context: JobContext) -> None:
    with serving() as server:
        good = Endpoint(LOOPBACK, server.port)
        with connect([refusing(), good], Patience(context, 20)) as sock:
            assert sock.getpeername() == ("127.0.0.1", server.port)


def test_every_address_that_failed_is_named(context: JobContext) -> None:
    with pytest.raises(HttpRequestFailed, match=r"127\.0\.0\.1: Connection refused") as caught:
        connect([refusing(), refusing()], Patience(context, 20))
    assert caught.value.code == "connection_failed"
    assert str(caught.value).count("refused") == 2


def test_a_silent_address_leaves_time_for_the_next(context: JobContext, deaf: Endpoint) -> None:
    with serving() as server:
        good = Endpoint(LOOPBACK, server.port)
        with connect([deaf, good], Patience(context, 1)) as sock:
            assert sock.getpeername() == ("127.0.0.1", server.port)


def test_connecting_stops_with_the_job(context: JobContext, deaf: Endpoint) -> None:
    stopping = threading.Timer(0.05, context.stop_requested.set, ["cancel"])
    stopping.start()
    began = time.monotonic()
    with pytest.raises(TaskCancelled):
        connect([deaf], Patience(context, 60))
    stopping.join()
    assert time.monotonic() - began < 5


def test_no_socket_is_left_open_by_a_failed_connection(
    context: JobContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[socket.socket] = []

    class Failing(socket.socket):
        def connect_ex(self, address: object) -> int:
            made.append(self)
            return errno.ENETUNREACH

    monkeypatch.setattr(socket, "socket", Failing)
    with pytest.raises(HttpRequestFailed, match="unreachable"):
        connect([Endpoint(LOOPBACK, 9)], Patience(context, 20))
    assert [sock.fileno() for sock in made] == [-1]


def test_certificates_and_names_are_checked() -> None:
    context = tls_context()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert tls_context() is context


needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="makes a certificate with openssl"
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for tls.test that signs itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=tls.test", "-addext", "subjectAltName=DNS:tls.test"]
    files = ["-out", str(certificate), "-keyout", str(key)]
    subprocess.run(["openssl", *words, *names, *files], check=True, capture_output=True)
    return certificate, key


@pytest.fixture
def tls_server(certificate: tuple[Path, Path]) -> Iterator[Endpoint]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serving(context) as server:
        yield Endpoint(LOOPBACK, server.port)


@needs_openssl
def test_a_server_that_proves_its_name_is_trusted(
    context: JobContext,
    tls_server: Endpoint,
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    monkeypatch.setattr(http_connection, "tls_context", lambda: trusting)
    patience = Patience(context, 20)
    with secure(connect([tls_server], patience), "tls.test", patience) as sock:
        assert sock.version() in ("TLSv1.2", "TLSv1.3")
    with pytest.raises(HttpRequestFailed, match=r"No TLS with other\.test") as caught:
        secure(connect([tls_server], patience), "other.test", patience)
    assert caught.value.code == "tls_error"


@needs_openssl
def test_a_server_that_nobody_vouches_for_is_refused(
    context: JobContext, tls_server: Endpoint
) -> None:
    patience = Patience(context, 20)
    with pytest.raises(HttpRequestFailed, match="certificate verify failed"):
        secure(connect([tls_server], patience), "tls.test", patience)


def test_a_handshake_that_never_ends_stops_with_the_time(context: JobContext) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint = Endpoint(LOOPBACK, listener.getsockname()[1])
        patience = Patience(context, 0.2)
        with pytest.raises(HttpRequestFailed, match="No complete answer"):
            secure(connect([endpoint], patience), "tls.test", patience)
