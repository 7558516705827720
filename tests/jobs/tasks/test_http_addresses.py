import ipaddress
import socket
import threading
from typing import Any

import pytest

from jobs.tasks.http_addresses import (
    AddressRefused,
    Endpoint,
    NameNotResolved,
    checked_endpoints,
    is_allowed,
    is_public,
)


def wait(event: threading.Event) -> None:
    assert event.wait(20)


def check(host: str, port: int = 80, allowed: tuple[str, ...] = ()) -> list[Endpoint]:
    return checked_endpoints(host, port, allowed=allowed, wait=wait)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.0.9",
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%1",
        "fec0::1",
        "ff02::1",
        "4000::1",
        "100::1",
    ],
)
def test_special_addresses_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "172.32.0.1",
        "93.184.216.34",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_the_open_internet_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("entry", "host", "address", "port", "allowed"),
    [
        ("127.0.0.1", "127.0.0.1", "127.0.0.1", 8000, True),
        ("127.0.0.1:8000", "127.0.0.1", "127.0.0.1", 8000, True),
        ("127.0.0.1:8000", "127.0.0.1", "127.0.0.1", 8001, False),
        ("127.0.0.1:8000", "localhost", "127.0.0.1", 8000, True),
        ("LocalHost:8000", "localhost", "127.0.0.1", 8000, True),
        ("localhost", "localhost", "::1", 1, True),
        ("localhost", "evil.localhost", "127.0.0.1", 1, False),
        ("::1", "::1", "::1", 80, True),
        ("[::1]", "::1", "::1", 80, True),
        ("[::1]:80", "::1", "::1", 80, True),
        ("[::1]:80", "::1", "::1", 81, False),
        (" inside.example. ", "inside.example", "10.0.0.1", 80, True),
        ("10.0.0.1", "10.0.0.11", "10.0.0.11", 80, False),
    ],
)
def test_an_entry_allows_a_host_or_an_address_on_all_ports_or_one(
    entry: str, host: str, address: str, port: int, allowed: bool
) -> None:
    endpoint = Endpoint(ipaddress.ip_address(address), port)
    assert is_allowed(host, endpoint, (entry,)) is allowed


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "::1"]
)
def test_every_spelling_of_loopback_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused, match="HTTP_REQUEST_ALLOWED_PRIVATE"):
        check(host)


def test_an_allowed_address_is_given_once() -> None:
    assert check("127.0.0.1", 81, ("127.0.0.1:81",)) == [
        Endpoint(ipaddress.ip_address("127.0.0.1"), 81)
    ]


def answer(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    def getaddrinfo(host: str, port: int, **kwargs: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_one_private_address_among_public_ones_refuses_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer(monkeypatch, "8.8.8.8", "10.0.0.1")
    with pytest.raises(AddressRefused, match=r"^mixed\.example \(10\.0\.0\.1\) is not a public"):
        check("mixed.example")


def test_all_addresses_of_a_public_name_are_given_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "8.8.8.8", "1.1.1.1", "8.8.8.8")
    assert [str(e.address) for e in check("public.example")] == ["8.8.8.8", "1.1.1.1"]


def test_a_name_without_an_address_is_not_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    with pytest.raises(NameNotResolved, match=r"nowhere\.example cannot be resolved"):
        check("nowhere.example")


@pytest.mark.parametrize("fault", [socket.gaierror(-2, "unknown"), UnicodeError("bad label")])
def test_a_resolver_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    def getaddrinfo(*args: Any, **kwargs: Any) -> list[Any]:
        raise fault

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(NameNotResolved, match=r"unknown|bad label"):
        check("nowhere.example")


def test_the_wait_for_a_slow_resolver_can_be_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()
    release = threading.Event()

    def getaddrinfo(*args: Any, **kwargs: Any) -> list[Any]:
        asked.set()
        release.wait(20)
        return []

    def give_up(event: threading.Event) -> None:
        assert asked.wait(20)
        assert not event.is_set()
        raise KeyboardInterrupt

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(KeyboardInterrupt):
        checked_endpoints("slow.example", 80, allowed=(), wait=give_up)
    release.set()
