"""Strings that broke other systems, through every field, parameter and address of the API."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import LazySettings

from accounts.models import User
from controlplane.api.documents import schema
from tests.api_client import BASE, Answer, ApiClient, api_for
from tests.factories import make_job
from tests.nasty import NASTY, ODD
from tests.scheduling.factories import make_schedule

ENCODABLE = [text for text in NASTY if text.encode(errors="replace").decode() == text]
#: Everything through everything takes minutes; else each place gets one string in twelve, in turn.
SHARES = [12, pytest.param(1, marks=pytest.mark.soak)]
#: Would end the session that all others are sent with.
LEFT_OUT = {"change_password"}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in schema()["paths"].items():
        for method, operation in methods.items():
            if operation["operationId"] not in LEFT_OUT:
                yield method.upper(), path.removeprefix(BASE), operation


OPERATIONS = {operation["operationId"]: (m, p, operation) for m, p, operation in operations()}


def fields_of(operation: dict[str, Any]) -> list[str]:
    if "requestBody" not in operation:
        return []
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    shape = schema()["components"]["schemas"][reference.rpartition("/")[2]]
    return list(shape["properties"])


@pytest.fixture
def api(admin: User, settings: LazySettings) -> ApiClient:
    settings.CONTROL_PLANE = {"api_requests_per_minute": 10**6, "api_logins_per_minute": 10**6}
    make_job(owner=admin)
    make_schedule(owner=admin)
    return api_for(admin)


class Turns:
    """Deals strings out, so that all of them are used though no place gets them all."""

    def __init__(self, shares: int, offset: str) -> None:
        self.shares = shares
        self.turn = len(offset)

    def next(self, strings: list[str]) -> list[str]:
        self.turn += 1
        return strings[self.turn % self.shares :: self.shares]


def check(answer: Answer, what: object) -> None:
    assert answer.status < 500, (what, answer.text)
    if answer.status >= 400:
        assert answer.code
        assert answer.body["detail"], what


def plain(path: str) -> str:
    """The address with everything in it named 1."""
    return re.sub(r"\{\w+\}", "1", path)


WRITING = [name for name, (_, _, operation) in OPERATIONS.items() if fields_of(operation)]


@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("shares", SHARES)
def test_no_text_in_a_field_breaks_it(api: ApiClient, name: str, shares: int) -> None:
    turns = Turns(shares, name)
    method, path, operation = OPERATIONS[name]
    fields = fields_of(operation)
    good = {"task": "tests.sample_app.tasks.echo", "name": "x", "verb": "cancel", "ids": [1]}
    good |= {"email": "a@example.com", "password": "a brand new password", "reason": "x"}
    base = {field: good[field] for field in fields if field in good}
    for field in fields:
        for text in turns.next(NASTY):
            check(api(method, plain(path), {**base, field: text}), (field, text))
        for value in ODD:
            check(api(method, plain(path), {**base, field: value}), (field, value))


@pytest.mark.parametrize("name", ["create_job", "create_schedule", "run_schedule"])
@pytest.mark.parametrize("shares", SHARES)
def test_no_text_inside_arguments_breaks_it(api: ApiClient, name: str, shares: int) -> None:
    method, path, _ = OPERATIONS[name]
    base = {"task": "tests.sample_app.tasks.echo", "name": "x"} if "create" in name else {}
    for text in Turns(shares, name).next(NASTY):
        for arguments in ({"args": [text]}, {"kwargs": {"value": text}}, {"kwargs": {text: 1}}):
            check(api(method, plain(path), {**base, **arguments}), arguments)


READING = [name for name, (method, _, _) in OPERATIONS.items() if method == "GET"]


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("shares", SHARES)
def test_no_text_in_a_parameter_breaks_it(api: ApiClient, name: str, shares: int) -> None:
    _, path, operation = OPERATIONS[name]
    turns = Turns(shares, name)
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            for text in turns.next(ENCODABLE):
                query = f"?{parameter['name']}={quote(text)}"
                check(api.get(plain(path) + query), query)


@pytest.mark.parametrize("name", [name for name in OPERATIONS if "{" in OPERATIONS[name][1]])
@pytest.mark.parametrize("shares", SHARES)
def test_no_text_in_an_address_breaks_it(api: ApiClient, name: str, shares: int) -> None:
    method, path, _ = OPERATIONS[name]
    turns = Turns(shares, name)
    for variable in re.findall(r"\{\w+\}", path):
        for text in turns.next(ENCODABLE):
            address = plain(path.replace(variable, quote(text, safe="")))
            check(api(method, address), address)


def test_no_bytes_as_a_body_break_it(api: ApiClient) -> None:
    for text in NASTY:
        raw = text.encode(errors="surrogatepass")
        for body in (raw, b'{"task": "' + raw + b'"}', b'{"task": ' + raw + b"}"):
            check(api("POST", "/jobs", raw=body), body)


@pytest.mark.parametrize("header", ["Authorization", "Idempotency-Key", "If-Match", "Accept"])
def test_no_text_in_a_header_breaks_it(api: ApiClient, header: str) -> None:
    for text in ENCODABLE:
        if text.isascii() and text.isprintable():
            value = {header: text}
            if header == "Authorization":
                check(ApiClient().get("/jobs", headers=value), value)
            elif header == "If-Match":
                check(api.patch("/schedules/1", {"name": "y"}, headers=value), value)
            else:
                check(api.post("/jobs", {"task": "x"}, headers=value), value)
