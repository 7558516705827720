"""Where a request came from, and domain errors as answers."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client
from django.urls import include, path

from accounts.models import User
from audit.models import AuditEvent
from controlplane.errors import Conflict, InvalidInput, NotFound, PermissionDenied

ERRORS = {
    "invalid": InvalidInput("The number must be at most 5.", field="number"),
    "denied": PermissionDenied(),
    "missing": NotFound(),
    "conflict": Conflict("It runs <already>."),
}


def fail(_request: HttpRequest, name: str) -> HttpResponse:
    raise ERRORS[name]


def origin(request: HttpRequest) -> HttpResponse:
    found = request.origin  # type: ignore[attr-defined]
    return JsonResponse({"ip": found.ip, "agent": found.user_agent, "id": found.request_id})


urlpatterns = [
    path("fail/<path:name>", fail),
    path("origin", origin),
    path("", include("controlplane.urls")),
]


@pytest.fixture(autouse=True)
def _urls(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.mark.parametrize(
    ("name", "status", "sentence", "code"),
    [
        ("invalid", 400, "The number must be at most 5.", "INVALID_INPUT"),
        ("denied", 403, "You are not allowed to do this.", "PERMISSION_DENIED"),
        ("missing", 404, "No such thing, or none that you may see.", "NOT_FOUND"),
        ("conflict", 409, "It runs &lt;already&gt;.", "CONFLICT"),
    ],
)
@pytest.mark.parametrize("htmx", [False, True])
def test_a_domain_error_is_answered_with_its_status_code_and_sentence(
    user_client: Client, name: str, status: int, sentence: str, code: str, htmx: bool
) -> None:
    page = user_client.get(f"/fail/{name}", headers={"HX-Request": "true"} if htmx else {})
    assert page.status_code == status
    assert sentence in page.text
    assert code in page.text
    assert ("<html" in page.text) is not htmx


def test_the_field_at_fault_is_named(user_client: Client) -> None:
    assert "<code>number</code>" in user_client.get("/fail/invalid").text


def test_a_stranger_gets_the_page_too(client: Client, db: None) -> None:
    assert client.get("/fail/missing").status_code == 404


def test_a_denial_is_recorded_with_person_and_address(user: User, user_client: Client) -> None:
    user_client.post("/fail/denied", REMOTE_ADDR="2001:db8::9")
    event = AuditEvent.objects.get()
    assert (event.event_type, event.actor_id) == ("ACCESS_DENIED", user.pk)
    assert (event.target_label, event.ip_address) == ("/fail/denied", "2001:db8::9")
    assert event.metadata == {"method": "POST", "code": "PERMISSION_DENIED"}


@pytest.mark.parametrize("name", ["invalid", "missing", "conflict"])
def test_other_errors_are_not_recorded(user_client: Client, name: str) -> None:
    user_client.get(f"/fail/{name}")
    assert not AuditEvent.objects.exists()


def test_other_exceptions_pass(user_client: Client) -> None:
    with pytest.raises(KeyError):
        user_client.get("/fail/unheard-of")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:DB8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("", ""),
        ("unix:", ""),
        ("192.0.2.1\x00", ""),
    ],
)
def test_the_address_is_the_peers_or_none(client: Client, address: str, expected: str) -> None:
    assert client.get("/origin", REMOTE_ADDR=address).json()["ip"] == expected


def test_what_a_client_claims_about_forwarding_is_not_believed(client: Client) -> None:
    claimed = {"X-Forwarded-For": "203.0.113.5", "X-Request-ID": "mine"}
    answer = client.get("/origin", REMOTE_ADDR="192.0.2.1", headers=claimed)
    assert answer.json()["ip"] == "192.0.2.1"
    assert answer.json()["id"] != "mine"


def test_every_answer_tells_its_request_id(client: Client) -> None:
    first, second = client.get("/origin"), client.get("/origin")
    assert first.headers["X-Request-ID"] == first.json()["id"]
    assert first.json()["id"] != second.json()["id"]


@pytest.mark.parametrize("path", ["/fail/denied", "/fail/invalid"])
@pytest.mark.parametrize("agent", ["a\x00b", "a" * 10_000, "\udcff"])
def test_an_odd_user_agent_breaks_nothing(user_client: Client, path: str, agent: str) -> None:
    assert user_client.get(path, headers={"User-Agent": agent}).status_code in (400, 403)


def test_a_denied_path_with_nul_or_of_great_length_is_recorded(
    user_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = "x%00y%ED%A0%80" + "z" * 1000
    monkeypatch.setattr(f"{__name__}.ERRORS", _EverythingDenied())
    assert user_client.get(f"/fail/{odd}").status_code == 403
    assert AuditEvent.objects.get().target_label.startswith("/fail/x\ufffdy")


class _EverythingDenied(dict[str, Exception]):
    def __missing__(self, name: str) -> Exception:
        return PermissionDenied(name)
