"""A free port is found, a taken one is said to be, and an answer is a 200."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from controlplane.up import address
from controlplane.up.address import Address
from controlplane.up.errors import UpError


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def test_the_port_asked_for_must_be_free(taken: int) -> None:
    with pytest.raises(UpError, match=f"Port {taken} of 127.0.0.1 is taken"):
        address.choose("127.0.0.1", taken)


def test_without_wish_the_next_free_one_is_taken(
    taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "DEFAULT_PORT", taken)
    assert taken < address.choose("127.0.0.1", None).port < taken + address.PORTS_TRIED


def test_a_host_that_is_not_ours_is_named() -> None:
    with pytest.raises(UpError, match=r"Cannot listen on 192\.0\.2\.1"):
        address.choose("192.0.2.1", 8000)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:81/"),
        ("0.0.0.0", "http://127.0.0.1:81/"),
        ("::", "http://[::1]:81/"),
        ("box.example", "http://box.example:81/"),
    ],
)
def test_the_url_works_from_here(host: str, url: str) -> None:
    place = Address(host, 81)
    assert place.url == url
    assert place.health_url == f"{url}healthz"
    assert place.netloc == url[7:-1]


def test_a_browser_may_call_it_by_its_name() -> None:
    assert "box.example" in Address("box.example", 81).hosts()
    assert "[fe80::1]" in Address("fe80::1", 81).hosts()
    assert socket.gethostname() in Address("0.0.0.0", 81).hosts()


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 503)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_only_a_200_is_an_answer(server: str, taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert address.answers(f"{server}/healthz")
    assert not address.answers(f"{server}/other")
    assert not address.answers("http://127.0.0.1:9/healthz")
