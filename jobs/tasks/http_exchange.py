"""One request and its answer, over a connection to a checked address."""

import http.client
import socket
from contextlib import closing, suppress
from dataclasses import dataclass
from email.message import Message as HeaderList
from typing import cast

from controlplane import conf
from jobs.tasks.http_addresses import Endpoint, checked_endpoints
from jobs.tasks.http_connection import (
    HttpRequestFailed,
    Patience,
    PatientSocket,
    connect,
    secure,
)
from jobs.tasks.http_message import Message

#: Most of an answer's body that is read, bytes.
MAX_BODY_BYTES = 1_000_000
#: Codecs of host names, not of pages: a long text keeps them busy for minutes.
_SLOW_CODECS = frozenset({"idna", "punycode"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `body_cut` says that the body went on after what was read."""

    status: int
    location: str
    charset: str
    body: bytes
    body_cut: bool

    @property
    def text(self) -> str:
        """The body as text; bytes that are none become U+FFFD."""
        return decoded(self.body, self.charset)


def decoded(data: bytes, charset: str) -> str:
    """`data` by the charset a server named, or by UTF-8 if that is unknown."""
    if charset.lower() not in _SLOW_CODECS:
        with suppress(LookupError, ValueError):
            return data.decode(charset, "replace")
    return data.decode("utf-8", "replace")


def exchange(message: Message, patience: Patience) -> Answer:
    """Send and read the answer.

    Raises AddressRefused or NameNotResolved before anything is sent, HttpRequestFailed for what
    goes wrong on the way, and what `patience` raises.
    """
    target = message.target
    allowed = conf.options().http_request_allowed_private
    endpoints: list[Endpoint] = checked_endpoints(
        target.host, target.port, allowed=allowed, wait=patience.wait_for
    )
    sock = connect(endpoints, patience)
    if target.scheme == "https":
        sock = secure(sock, target.host, patience)
    with closing(sock):
        try:
            return _talk(message, sock, patience)
        except http.client.HTTPException as error:
            reason = str(error) or type(error).__name__
            raise HttpRequestFailed(f"No valid answer: {reason}.", code="http_protocol") from error
        except OSError as error:
            raise HttpRequestFailed(f"Connection lost: {error}.", code="connection_lost") from error


def _talk(message: Message, sock: socket.socket, patience: Patience) -> Answer:
    connection = http.client.HTTPConnection(message.target.host, message.target.port)
    connection.sock = cast(socket.socket, PatientSocket(sock, patience))
    connection.putrequest(
        message.method, message.target.path, skip_host=True, skip_accept_encoding=True
    )
    connection.putheader("Host", message.target.host_header)
    connection.putheader("Connection", "close")
    for name, value in message.headers.items():
        connection.putheader(name, value.encode("latin-1"))
    if message.body or message.method in ("POST", "PUT", "PATCH"):
        connection.putheader("Content-Length", str(len(message.body)))
    connection.endheaders(message.body or None)
    with connection.getresponse() as response:
        return _answer(response)


def _answer(response: http.client.HTTPResponse) -> Answer:
    body = bytearray()
    while len(body) <= MAX_BODY_BYTES and (piece := response.read(65_536)):
        body += piece
    if response.length and len(body) <= MAX_BODY_BYTES:
        raise http.client.IncompleteRead(bytes(body), response.length)
    headers: HeaderList = response.headers
    return Answer(
        status=response.status,
        location=headers.get("Location", ""),
        charset=headers.get_content_charset("utf-8"),
        body=bytes(body[:MAX_BODY_BYTES]),
        body_cut=len(body) > MAX_BODY_BYTES,
    )
