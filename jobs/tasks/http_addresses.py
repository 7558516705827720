"""Which addresses `http_request` may connect to: public ones, and those that a setting allows."""

import ipaddress
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address

#: Not private by what every Python knows, yet not the open Internet either.
_INTERNAL = (
    ipaddress.ip_network("168.63.129.16/32"),  # Azure's own services, metadata among them
    ipaddress.ip_network("192.0.0.0/24"),  # protocol assignments: private as a whole since 3.12.4
)
_IPV6_UNICAST = ipaddress.ip_network("2000::/3")
#: Networks whose addresses end in an IPv4 address (NAT64, IPv4-compatible).
_IPV4_AT_THE_END = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))


class AddressRefused(Exception):
    """The address is not one that a job may reach."""


class NameNotResolved(Exception):
    """The name has no address, or the resolver did not answer."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address to connect to, as the resolver gave it."""

    address: Address
    port: int


def _ipv4_inside(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if any(address in network for network in _IPV4_AT_THE_END):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def is_public(address: Address) -> bool:
    """Whether it is an address on the open Internet: not private, local, shared or special."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return False
        inside = _ipv4_inside(address)
        if inside is not None:
            return is_public(inside)
        if address not in _IPV6_UNICAST:
            return False
    if any(address in network for network in _INTERNAL):
        return False
    return address.is_global and not address.is_multicast


def is_allowed(host: str, endpoint: Endpoint, allowed: tuple[str, ...]) -> bool:
    """Whether an entry "host" or "host:port" names the host as written, or the address it has."""
    return any(
        name in (host, str(endpoint.address)) and port in (None, endpoint.port)
        for name, port in map(_entry, allowed)
    )


def _entry(text: str) -> tuple[str, int | None]:
    name, port = text.strip().lower(), None
    head, colon, tail = name.rpartition(":")
    # "::1" is an address without a port, "[::1]:80" and "10.0.0.1:80" have one.
    if colon and tail.isdigit() and (":" not in head or head.endswith("]")):
        name, port = head, int(tail)
    return name.removeprefix("[").removesuffix("]").rstrip("."), port


def checked_endpoints(
    host: str, port: int, *, allowed: tuple[str, ...], wait: Callable[[threading.Event], None]
) -> list[Endpoint]:
    """Every address of `host`, resolved once; connect to these and resolve no second time.

    Raises AddressRefused if only one of them is refused, NameNotResolved if there is none. `wait`
    is handed the event that the answer sets; what it raises ends the wait.
    """
    endpoints = _resolve(host, port, wait)
    for endpoint in endpoints:
        if not is_public(endpoint.address) and not is_allowed(host, endpoint, allowed):
            which = "" if host == str(endpoint.address) else f" ({endpoint.address})"
            raise AddressRefused(
                f"{host}{which} is not a public address. To allow it, add "
                f"{host}:{port} to the option http_request_allowed_private "
                "(HTTP_REQUEST_ALLOWED_PRIVATE in the environment)."
            )
    return endpoints


def _resolve(host: str, port: int, wait: Callable[[threading.Event], None]) -> list[Endpoint]:
    answered = threading.Event()
    answers: list[Endpoint] = []
    faults: list[Exception] = []

    def ask() -> None:
        try:
            for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                answers.append(Endpoint(ipaddress.ip_address(str(place[0])), port))
        except (OSError, UnicodeError, ValueError) as error:
            faults.append(error)
        finally:
            answered.set()

    # The C library's resolver cannot be told to stop; a thread of its own can be left to itself.
    threading.Thread(target=ask, name="http-request-resolver", daemon=True).start()
    wait(answered)
    if faults or not answers:
        reason = faults[0] if faults else "no address"
        raise NameNotResolved(f"{host} cannot be resolved: {reason}.")
    return list(dict.fromkeys(answers))
