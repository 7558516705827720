"""Where the pages are served, and whether they answer there."""

import errno
import socket
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import cast
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from controlplane.up.errors import UpError

DEFAULT_PORT = 8000

# How far to look for a free port from the default one.
PORTS_TRIED = 100

WILDCARDS = ("0.0.0.0", "::")  # noqa: S104 (only compared with)


@dataclass(frozen=True)
class Address:
    """Host and port that the web process listens on."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """A URL that works from this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    @property
    def netloc(self) -> str:
        return self.url.removeprefix("http://").removesuffix("/")

    @property
    def health_url(self) -> str:
        return f"{self.url}healthz"

    def hosts(self) -> list[str]:
        """Names by which a browser may call it."""
        names = ["localhost", "127.0.0.1", "[::1]"]
        if self.host in WILDCARDS:
            return [*names, socket.gethostname(), socket.getfqdn()]
        return [*names, f"[{self.host}]" if ":" in self.host else self.host]


def choose(host: str, port: int | None) -> Address:
    """Return an address that is free now: the port asked for, or the first free one.

    Raises UpError when the one asked for is taken or the host is not ours.
    """
    if port is not None:
        if not 0 < port < 65_536:
            raise UpError("A port is a number from 1 to 65535")
        if not is_free(host, port):
            raise UpError(f"Port {port} of {host} is taken; leave --port out to use a free one")
        return Address(host, port)
    for candidate in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        if is_free(host, candidate):
            return Address(host, candidate)
    raise UpError(f"No free port from {DEFAULT_PORT} up on {host}; name one with --port")


def is_free(host: str, port: int) -> bool:
    """Say whether a port can be listened on. Raises UpError when the host cannot be."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return False
        raise UpError(f"Cannot listen on {host}: {error.strerror or error}") from error
    return True


def answers(url: str) -> bool:
    """Say whether a GET is answered with 200, without any proxy between."""
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=2) as response:
            return cast(HTTPResponse, response).status == 200
    except (URLError, HTTPException, OSError):
        return False
