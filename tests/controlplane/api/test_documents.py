"""The API's documents: for scripts with a token, for people with a session."""

from django.contrib.staticfiles import finders
from django.test import Client

from accounts.models import User
from tests.api_client import ApiClient, api_for

PAGE = "/api/docs/"


def test_a_script_gets_the_schema(user: User) -> None:
    body = api_for(user).get("/schema").body
    assert body["openapi"].startswith("3.")
    assert "/api/v1/jobs/{job_id}/cancel" in body["paths"]
    assert ApiClient().get("/schema").status == 401


def test_the_page_is_behind_the_login(db: None) -> None:
    for address in (PAGE, f"{PAGE}schema.json"):
        response = Client().get(address)
        assert response.status_code == 302
        assert response.headers["Location"].startswith("/login/")


def test_the_page_uses_our_own_files_only(user_client: Client) -> None:
    text = user_client.get(PAGE).text
    assert f'data-schema="{PAGE}schema.json"' in text
    for name in ("swagger-ui.css", "swagger-ui-bundle.js"):
        assert f"/static/drf_spectacular_sidecar/swagger-ui-dist/{name}" in text
        assert finders.find(f"drf_spectacular_sidecar/swagger-ui-dist/{name}")
    assert "https://" not in text


def test_the_page_gets_its_schema_by_its_session(user_client: Client) -> None:
    assert "/api/v1/jobs" in user_client.get(f"{PAGE}schema.json").json()["paths"]
