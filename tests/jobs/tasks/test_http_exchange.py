import socket
from collections.abc import Iterator
from typing import Any

import pytest

from jobs.runtime.context import JobContext
from jobs.tasks.http_addresses import AddressRefused
from jobs.tasks.http_connection import HttpRequestFailed, Patience
from jobs.tasks.http_exchange import MAX_BODY_BYTES, Answer, decoded, exchange
from jobs.tasks.http_message import parse_message
from tests.jobs.tasks.conftest import SetOptions
from tests.jobs.tasks.http_server import Reply, Server, serving


@pytest.fixture
def server(set_options: SetOptions) -> Iterator[Server]:
    with serving() as server:
        set_options(http_request_allowed_private=(server.place,))
        yield server


def ask(context: JobContext, url: str, seconds: float = 20, **given: Any) -> Answer:
    return exchange(parse_message({"url": url, **given}), Patience(context, seconds))


def test_a_request_arrives_as_it_was_given(context: JobContext, server: Server) -> None:
    server.replies["/in?x=1"] = Reply(201, b"made", {"Location": "/made"})
    answer = ask(context, server.url("/in?x=1"), method="POST", json=[1], headers={"X-Note": "ü"})
    assert (answer.status, answer.body, answer.location) == (201, b"made", "/made")
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.body) == ("POST", "/in?x=1", b"[1]")
    assert seen.headers == {
        "Host": server.place,
        "Connection": "close",
        "X-Note": "ü",
        "Content-Type": "application/json",
        "User-Agent": "ControlPlane",
        "Accept": "*/*",
        "Content-Length": "3",
    }


def test_the_connection_goes_to_the_address_that_was_checked(
    context: JobContext,
    server: Server,
    set_options: SetOptions,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that changes its address between check and connection must gain nothing."""
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, **kwargs: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    set_options(http_request_allowed_private=("rebinding.test",))
    server.replies["/"] = Reply()
    assert ask(context, f"http://rebinding.test:{server.port}/").status == 200
    assert asked == ["rebinding.test"]
    assert server.seen[0].headers["Host"] == f"rebinding.test:{server.port}"


def test_nothing_is_sent_to_a_refused_address(
    context: JobContext, server: Server, set_options: SetOptions
) -> None:
    set_options(http_request_allowed_private=())
    with pytest.raises(AddressRefused):
        ask(context, server.url())
    assert server.seen == []


def test_an_empty_post_says_its_length(context: JobContext, server: Server) -> None:
    ask(context, server.url(), method="POST")
    assert server.seen[0].headers["Content-Length"] == "0"


def test_an_answer_to_head_has_no_body(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(body=b"unseen")
    assert ask(context, server.url(), method="HEAD").body == b""


def test_a_body_is_read_up_to_the_limit(context: JobContext, server: Server) -> None:
    server.replies["/fits"] = Reply(body=b"x" * MAX_BODY_BYTES)
    server.replies["/large"] = Reply(body=b"x" * (MAX_BODY_BYTES + 1))
    fits, large = (ask(context, server.url(path)) for path in ("/fits", "/large"))
    assert (len(fits.body), fits.body_cut) == (MAX_BODY_BYTES, False)
    assert (len(large.body), large.body_cut) == (MAX_BODY_BYTES, True)


def test_text_is_read_by_the_charset_that_the_server_names(
    context: JobContext, server: Server
) -> None:
    for charset, body in (("latin-1", b"\xe9"), ("utf-8", "é".encode()), ("no-such", "é".encode())):
        server.replies["/"] = Reply(
            body=body, headers={"Content-Type": f"text/plain; charset={charset}"}
        )
        assert ask(context, server.url()).text == "é"


def test_bytes_that_are_no_text_become_visible() -> None:
    assert decoded(b"a\xff", "utf-8") == "a\ufffd"


@pytest.mark.parametrize(
    "charset", ["", "no-such", "hex", "undefined", "a\x00b", "Punycode", "idna"]
)
def test_a_charset_that_is_none_counts_as_utf_8(charset: str) -> None:
    assert decoded("é".encode(), charset) == "é"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "http_protocol"),
        (b"garbage\r\n\r\n", "http_protocol"),
        (b"HTTP/1.1 abc ok\r\n\r\n", "http_protocol"),
        (b"HTTP/1.1 200 ok\r\nX: " + b"x" * 70_000, "http_protocol"),
        (b"HTTP/1.1 200 ok\r\n" + b"X: y\r\n" * 200 + b"\r\n", "http_protocol"),
        (b"HTTP/1.1 200 ok\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "http_protocol"),
        (b"HTTP/1.1 200 ok\r\nContent-Length: 99\r\n\r\nshort", "http_protocol"),
    ],
)
def test_a_broken_answer_is_a_failure_not_a_crash(
    context: JobContext, server: Server, raw: bytes, code: str
) -> None:
    server.replies["/"] = Reply(raw=raw)
    with pytest.raises(HttpRequestFailed) as caught:
        ask(context, server.url())
    assert caught.value.code == code


def test_a_silent_server_ends_with_the_time(context: JobContext, server: Server) -> None:
    server.replies["/"] = Reply(hold=True)
    with pytest.raises(HttpRequestFailed) as caught:
        ask(context, server.url(), seconds=0.2)
    assert caught.value.code == "http_timeout"
