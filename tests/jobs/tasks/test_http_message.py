from typing import Any

import pytest

from jobs.errors import InvalidArguments
from jobs.tasks.http_message import Message, parse_message, parse_url, redirected


def message(**given: Any) -> Message:
    return parse_message({"url": "https://a.example/start", **given})


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("http://a.example", "http://a.example/"),
        (" HTTP://A.Example:80/x ", "http://a.example/x"),
        ("https://a.example:443", "https://a.example/"),
        ("https://a.example:8443/x?y=1&z=%20#frag", "https://a.example:8443/x?y=1&z=%20"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x"),
        ("http://bücher.example/ü?q=ü", "http://xn--bcher-kva.example/%C3%BC?q=%C3%BC"),
        ("http://a.example./x", "http://a.example/x"),
        ("http://2130706433/", "http://2130706433/"),
        ('http://a.example/"<>', "http://a.example/%22%3C%3E"),
        ("http://a_b.example/", "http://a_b.example/"),
    ],
)
def test_an_address_is_taken_apart(url: str, seen: str) -> None:
    assert str(parse_url(url)) == seen


@pytest.mark.parametrize(
    "url",
    [
        "",
        "a.example",
        "//a.example",
        "file:///etc/passwd",
        "gopher://a.example:70/_x",
        "ftp://a.example",
        "javascript:alert(1)",
        "http://",
        "http:///x",
        "http://user@a.example",
        "http://user:pass@a.example",
        "http://public.example@127.0.0.1/",
        "http://a.example:0/",
        "http://a.example:99999/",
        "http://a.example:x/",
        "http://a .example/",
        "http://a.example/x y",
        "http://a.example/\r\nX: y",
        "http://a.exa\tmple/",
        "http://a.example\\@b.example/",
        "http://a.example/\x00",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://-a.example/",
        "http://a%2eexample/",
        "http://" + "a" * 64 + ".example/",
        "http://" + "a." * 130 + "example/",
        "http://..example/",
        "http://a.example/" + "x" * 9000,
        "http://a.example/\ud800",
        None,
        7,
        ["http://a.example"],
    ],
)
def test_any_other_address_is_refused_by_name(url: Any) -> None:
    with pytest.raises(InvalidArguments, match=r"^url ") as caught:
        parse_url(url)
    assert caught.value.field == "url"


def test_plain_headers_are_added_unless_given() -> None:
    assert message().headers == {"User-Agent": "ControlPlane", "Accept": "*/*"}
    assert message(headers={"user-agent": "me", "ACCEPT": "text/html"}).headers == {
        "user-agent": "me",
        "ACCEPT": "text/html",
    }


def test_json_and_text_bodies_name_their_type_unless_given() -> None:
    sent = message(method="post", json={"a": [1, "é"]})
    assert (sent.method, sent.body) == ("POST", b'{"a": [1, "\\u00e9"]}')
    assert sent.headers["Content-Type"] == "application/json"
    sent = message(method="PUT", body="é", headers={"content-type": "text/csv"})
    assert sent.body == "é".encode()
    assert "Content-Type" not in sent.headers


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"method": "BREW"}, "method"),
        ({"method": "GET / HTTP/1.1\r\nX: y"}, "method"),
        ({"method": "TRACE"}, "method"),
        ({"method": "CONNECT"}, "method"),
        ({"method": None}, "method"),
        ({"headers": {"X": "a\r\nSet-Cookie: b"}}, "headers.X"),
        ({"headers": {"X": "a\nb"}}, "headers.X"),
        ({"headers": {"X": "a\x00b"}}, "headers.X"),
        ({"headers": {"X": "a\x7fb"}}, "headers.X"),
        ({"headers": {"X": "日本"}}, "headers.X"),
        ({"headers": {"X": 1}}, "headers.X"),
        ({"headers": {"X: y\r\nZ": "a"}}, "headers"),
        ({"headers": {"": "a"}}, "headers"),
        ({"headers": {"Host": "b.example"}}, "headers"),
        ({"headers": {"content-LENGTH": "1"}}, "headers"),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "headers"),
        ({"headers": ["X"]}, "headers"),
        ({"body": "a", "json": 1}, "json"),
        ({"json": float("nan")}, "json"),
        ({"body": b"raw"}, "body"),
        ({"body": "x" * 1_000_001}, "body"),
    ],
)
def test_what_cannot_be_sent_safely_is_refused_by_name(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        message(**given)
    assert caught.value.field == field


def test_a_redirect_may_be_relative() -> None:
    sent = redirected(message(), 302, "../next?x=1")
    assert str(sent.target) == "https://a.example/next?x=1"


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirected_post_becomes_a_get_without_body(status: int) -> None:
    sent = redirected(message(method="POST", json=1), status, "/done")
    assert (sent.method, sent.body) == ("GET", b"")
    assert "Content-Type" not in sent.headers


@pytest.mark.parametrize("status", [307, 308])
def test_a_post_stays_a_post_where_the_status_says_so(status: int) -> None:
    sent = redirected(message(method="POST", json=1), status, "/done")
    assert (sent.method, sent.body) == ("POST", b"1")


def test_a_head_request_stays_one() -> None:
    assert redirected(message(method="HEAD"), 302, "/x").method == "HEAD"


@pytest.mark.parametrize(
    "location", ["https://b.example/", "http://a.example/", "https://a.example:444/", "//b.example"]
)
def test_secrets_do_not_follow_to_another_server(location: str) -> None:
    first = message(headers={"Authorization": "s", "cookie": "s", "X-Note": "n"})
    assert redirected(first, 302, "/x").headers == first.headers
    sent = redirected(first, 302, location)
    assert not {"Authorization", "cookie"} & set(sent.headers)
    assert sent.headers["X-Note"] == "n"


def test_a_body_does_not_follow_to_another_server() -> None:
    with pytest.raises(InvalidArguments, match=r"redirects the body to another server, b\.example"):
        redirected(message(method="POST", body="s"), 307, "https://b.example/")


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://u@b.example/", "gopher://x"])
def test_a_redirect_goes_only_where_a_request_may(location: str) -> None:
    with pytest.raises(InvalidArguments, match=r"^url "):
        redirected(message(), 302, location)
