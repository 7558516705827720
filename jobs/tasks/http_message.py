"""What `http_request` was asked to send, checked. Pure: no name is resolved and nothing is sent."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from json import dumps
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from jobs.errors import InvalidArguments
from jobs.tasks import argument_checks

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
MAX_URL_BYTES = 8192

_PORTS = {"http": 80, "https": 443}
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
#: These frame the message or belong to the connection; the task sets them itself.
_OWN_HEADERS = frozenset(
    {
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "expect",
        "te",
        "trailer",
        "upgrade",
    }
)
#: Not sent on when a redirect leads to another server.
_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes. `host` is ASCII in lower case, an IPv6 address without brackets."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host_header}{self.path}"


@dataclass(frozen=True, slots=True)
class Message:
    """One request, ready to be sent."""

    method: str
    target: Target
    headers: dict[str, str]
    body: bytes


def parse_message(given: Mapping[str, Any]) -> Message:
    """The request that these arguments mean. Raises InvalidArguments naming the argument."""
    headers = _headers(given.get("headers"))
    body, content_type = _body(given.get("body"), given.get("json"))
    names = {name.lower() for name in headers}
    if content_type and "content-type" not in names:
        headers["Content-Type"] = content_type
    for name, default in (("User-Agent", "ControlPlane"), ("Accept", "*/*")):
        if name.lower() not in names:
            headers[name] = default
    return Message(_method(given.get("method", "GET")), parse_url(given.get("url")), headers, body)


def redirected(message: Message, status: int, location: str) -> Message:
    """The request that a redirect asks for. Raises InvalidArguments if it must not be followed."""
    target = parse_url(urljoin(str(message.target), location))
    keeps_method = status in (307, 308) or message.method in ("GET", "HEAD")
    same_origin = target.origin == message.target.origin
    if keeps_method and message.body and not same_origin:
        raise argument_checks.refuse(
            "url", f"redirects the body to another server, {target.host_header}"
        )
    if not same_origin:
        kept = {n: v for n, v in message.headers.items() if n.lower() not in _SECRET_HEADERS}
        message = replace(message, headers=kept)
    if not keeps_method:
        kept = {n: v for n, v in message.headers.items() if n.lower() != "content-type"}
        message = replace(message, method="GET", body=b"", headers=kept)
    return replace(message, target=target)


def parse_url(value: Any) -> Target:
    """Where `value` leads. Raises InvalidArguments for all but a plain http or https address."""
    url = argument_checks.text(value, "url", maximum=MAX_URL_BYTES).strip()
    if any(char <= " " or char in "\x7f\\" for char in url):
        raise argument_checks.refuse("url", "contains a blank, a control character or a backslash")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise argument_checks.refuse("url", f"is not valid: {error}") from None
    if parts.scheme not in _PORTS:
        raise argument_checks.refuse("url", "must start with http:// or https://")
    if "@" in parts.netloc:
        raise argument_checks.refuse("url", "must not hold a user name or password; use a header")
    if port == 0:
        raise argument_checks.refuse("url", "has port 0")
    return Target(parts.scheme, _host(parts), port or _PORTS[parts.scheme], _path(parts))


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if ":" in host:
        if "%" in host:
            raise argument_checks.refuse("url", "must not name a network interface")
        return host
    try:
        ascii_host = host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise argument_checks.refuse("url", "has a host name that is not valid") from None
    if not _HOST_NAME.fullmatch(ascii_host) or len(ascii_host) > 253:
        raise argument_checks.refuse("url", "has no valid host name")
    return ascii_host.rstrip(".")


def _path(parts: SplitResult) -> str:
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._") or "/"
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._[]")
    return f"{path}?{query}" if query else path


def _method(value: Any) -> str:
    method = argument_checks.text(value, "method", maximum=20).upper()
    if method not in METHODS:
        raise argument_checks.refuse("method", f"must be one of {', '.join(METHODS)}")
    return method


def _headers(value: Any) -> dict[str, str]:
    headers = argument_checks.text_map(value, "headers")
    for name, content in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise argument_checks.refuse("headers", f"has a name that is not valid: {name!r}")
        if name.lower() in _OWN_HEADERS:
            raise argument_checks.refuse("headers", f"must not hold {name}: the task sets it")
        if not _is_header_text(content):
            raise argument_checks.refuse(
                f"headers.{name}", "holds a line break or a character beyond Latin-1"
            )
    return headers


def _is_header_text(content: str) -> bool:
    return all(char == "\t" or " " <= char <= "~" or "\xa0" <= char <= "\xff" for char in content)


def _body(body: Any, json: Any) -> tuple[bytes, str]:
    if body is not None and json is not None:
        raise argument_checks.refuse("json", "cannot be given together with body")
    if json is not None:
        try:
            return dumps(json, allow_nan=False).encode(), "application/json"
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidArguments(f"json cannot be sent: {error}.", field="json") from None
    if body is None:
        return b"", ""
    return argument_checks.text(
        body, "body", maximum=1_000_000
    ).encode(), "text/plain; charset=utf-8"
