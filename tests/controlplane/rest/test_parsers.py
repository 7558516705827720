"""Request bodies: what is JSON, and within the limits."""

import io
import json

import pytest
from django.conf import LazySettings

from controlplane import conf
from controlplane.rest.errors import MalformedJson, PayloadTooLarge
from controlplane.rest.parsers import MAX_MEMBERS, JsonParser, loads


def parse(raw: bytes) -> dict[str, object]:
    return JsonParser().parse(io.BytesIO(raw))


def nested(levels: int) -> bytes:
    return b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


def test_an_object_is_read() -> None:
    body = parse('{"a": [1, 2.5, null, true, "ü 🎉"], "b": {}}'.encode())
    assert body == {"a": [1, 2.5, None, True, "ü 🎉"], "b": {}}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"1",
        b"{'a': 1}",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1,}',
        b'{"a": 1} x',
        b'\xff\xfe{"a": 1}',
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": "\xff"}',
        b'{"a": "\x00"}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        b"__import__('os')",
    ],
)
def test_anything_else_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedJson):
        parse(raw)


def test_a_name_given_twice_is_refused_by_name() -> None:
    with pytest.raises(MalformedJson) as caught:
        parse(b'{"task": "a", "x": {"y": 1, "y": 2}}')
    assert caught.value.field == "y"


def test_a_body_at_the_limit_is_read_and_one_above_is_not(settings: LazySettings) -> None:
    raw = b'{"a": "0123456789"}'
    settings.CONTROL_PLANE = {"max_request_bytes": len(raw)}
    assert parse(raw) == {"a": "0123456789"}
    with pytest.raises(PayloadTooLarge, match=f"{len(raw)} bytes") as caught:
        parse(raw + b" ")
    assert caught.value.limit == len(raw)


def test_depth_has_a_limit() -> None:
    deepest = conf.options().max_json_depth + 4
    assert loads(nested(deepest))
    with pytest.raises(MalformedJson, match=f"deeper than {deepest} levels"):
        loads(nested(deepest + 1))


def test_no_depth_exhausts_the_stack() -> None:
    with pytest.raises(MalformedJson):
        loads(nested(200_000))


def test_members_have_a_limit() -> None:
    body = {"a": [0] * (MAX_MEMBERS - 1)}
    assert loads(json.dumps(body).encode())
    body["a"].append(0)
    with pytest.raises(MalformedJson, match=f"more than {MAX_MEMBERS} members"):
        loads(json.dumps(body).encode())
